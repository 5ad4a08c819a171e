"""The waiting queue against a sorted list."""

from hypothesis import given
from hypothesis import strategies as st

from optsched.sim import LiveJob, WaitingQueue


def job(index):
    return LiveJob(index, 1, 0.0, 1, 1.0, 1.0)


moves = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "remove", "block", "unblock"]),
        st.integers(0, 6),
        st.integers(0, 3),
        st.integers(0, 2),
    ),
    max_size=40,
)


@given(moves)
def test_the_head_is_the_least_of_all_classes_that_are_not_blocked(moves):
    queue, plain, blocked = WaitingQueue(), {}, set()
    jobs = [job(index) for index in range(7)]
    for move, index, key, group in moves:
        if move == "add":
            queue.add(jobs[index], key=key, group=group)
            plain[index] = (key, group)
        elif move == "remove":
            queue.remove(jobs[index])
            plain.pop(index, None)
        elif move == "block":
            queue.block(group)
            blocked.add(group)
        else:
            queue.unblock()
            blocked.clear()
        eligible = [(k, i) for i, (k, g) in plain.items() if g not in blocked]
        head = queue.head()
        assert (None if head is None else head.index) == (min(eligible)[1] if eligible else None)
        assert len(queue) == len(plain)
        assert [queue.group_of(jobs[i]) for i in plain] == [g for _, g in plain.values()]
        assert [queue.is_blocked(g) for g in range(3)] == [g in blocked for g in range(3)]
