"""The policies on schedules worked out by hand, and what always holds of them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import rows
from strategies import instances

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.placement import FirstFit
from optsched.policies import ComposedPolicy, FewestGpus, Fifo, FifoBackfill, Sjf
from optsched.sim import Observer, simulate

TWO_BY_TWO = Cluster.uniform(2, 2)


def starts(instance, policy):
    """Return the start of each job by id."""
    schedule = simulate(instance, policy, debug=True).schedule
    return {instance.jobs.ids[row.job]: row.start_s for row in schedule.segments}


def queue_of_four():
    """Return a on one server for 4 s; then b wants all four GPUs, c and d one each."""
    return Instance(
        "queue",
        TWO_BY_TWO,
        [
            Job("a", 2, 4, compute_s=1.0),
            Job("b", 4, 2, compute_s=1.0, arrival_s=1.0),
            Job("c", 1, 6, compute_s=1.0, arrival_s=2.0),
            Job("d", 1, 1, compute_s=1.0, arrival_s=2.0),
        ],
    )


def test_fifo_holds_everybody_up_behind_the_head():
    # b waits for a until 4 s, c and d wait behind b until 6 s.
    assert starts(queue_of_four(), Fifo()) == {"a": 0.0, "b": 4.0, "c": 6.0, "d": 6.0}


def test_backfill_passes_over_the_head_which_then_waits_longer():
    # c and d take the second server at 2 s; c keeps a GPU of it until 8 s.
    assert starts(queue_of_four(), FifoBackfill()) == {"a": 0.0, "b": 8.0, "c": 2.0, "d": 2.0}


def test_the_head_may_starve_under_backfill():
    jobs = [Job("head", 2, 1, compute_s=1.0, arrival_s=0.5)]
    jobs += [Job(f"small{i}", 1, 2, compute_s=1.0, arrival_s=float(i)) for i in range(20)]
    one_server = Instance("starve", Cluster.uniform(1, 2), jobs)
    assert starts(one_server, FifoBackfill())["head"] == 21.0
    assert starts(one_server, Fifo())["head"] == 2.0


def mixed_lengths():
    return Instance(
        "mixed",
        Cluster.uniform(1, 2),
        [
            Job("long", 1, 9, compute_s=1.0),
            Job("wide", 2, 2, compute_s=1.0),
            Job("short", 1, 1, compute_s=1.0),
            Job("late", 1, 3, compute_s=0.5, arrival_s=0.5),
        ],
    )


def test_shortest_job_first():
    # short (1 s) and, since wide (2 s) does not fit beside it, long start at 0. late takes the GPU
    # of short at 1 s; wide is passed over until 9 s.
    expected = {"short": 0.0, "long": 0.0, "late": 1.0, "wide": 9.0}
    assert starts(mixed_lengths(), Sjf()) == expected


def test_fewest_gpus_first():
    # Of the two of one GPU the shorter one first: it makes no difference here; wide is last.
    expected = {"short": 0.0, "long": 0.0, "late": 1.0, "wide": 9.0}
    assert starts(mixed_lengths(), FewestGpus()) == expected
    jobs = [
        Job("wide", 2, 1, compute_s=1.0),
        Job("long", 1, 9, compute_s=1.0),
        Job("mid", 1, 5, compute_s=1.0),
        Job("short", 1, 1, compute_s=1.0),
    ]
    one_server = Instance("demand", Cluster.uniform(1, 2), jobs)
    assert starts(one_server, FewestGpus()) == {"short": 0.0, "mid": 0.0, "long": 1.0, "wide": 10.0}


def test_orders_break_ties_by_position():
    jobs = [Job(name, 2, 1, compute_s=1.0) for name in ("z", "a", "m")]
    one_server = Instance("ties", Cluster.uniform(1, 2), jobs)
    for policy in (Fifo(), FifoBackfill(), Sjf(), FewestGpus()):
        assert starts(one_server, policy) == {"z": 0.0, "a": 1.0, "m": 2.0}


def test_placement_is_part_of_a_policy():
    jobs = [Job("a", 1, 4, compute_s=1.0), Job("b", 2, 4, compute_s=1.0)]
    jobs += [Job("c", 1, 4, compute_s=1.0)]
    instance = Instance("three", TWO_BY_TWO, jobs)
    first = simulate(instance, Fifo(placement="first_fit"), debug=True).schedule
    assert [row[1] for row in rows(first)] == [{0: 1}, {0: 1, 1: 1}, {1: 1}]
    best = simulate(instance, Fifo(), debug=True).schedule
    assert [row[1] for row in rows(best)] == [{0: 1}, {1: 2}, {0: 1}]
    mine = simulate(instance, Sjf(placement=FirstFit()), debug=True).schedule
    assert [row[1] for row in rows(mine)] == [{0: 1}, {0: 1, 1: 1}, {1: 1}]


def test_a_placement_or_a_fit_that_does_not_exist():
    with pytest.raises(ValueError, match="'first_fit' or 'tiered', got 'frist_fit'"):
        Fifo(placement="frist_fit")
    with pytest.raises(ValueError, match="'best' or 'first', got 'worst'"):
        Sjf(fit="worst")


def test_a_policy_forgets_its_last_run():
    policy = Fifo()
    first = simulate(queue_of_four(), policy).schedule
    assert simulate(queue_of_four(), policy).schedule.start_s.tolist() == first.start_s.tolist()


def test_strict_order_by_another_key_lets_a_new_first_job_through():
    # The head is refused at 0; at 1 s one arrives that comes before it in the order, and fits.
    jobs = [
        Job("running", 1, 9, compute_s=1.0),
        Job("head", 2, 5, compute_s=1.0),
        Job("first", 1, 1, compute_s=1.0, arrival_s=1.0),
        Job("last", 1, 8, compute_s=1.0, arrival_s=1.0),
    ]
    instance = Instance("strict", Cluster.uniform(1, 2), jobs)
    key = {0: 0, 1: 2, 2: 1, 3: 3}
    policy = ComposedPolicy(lambda job, state: key[job.index], placement=FirstFit(), backfill=False)
    assert starts(instance, policy) == {"running": 0.0, "first": 1.0, "head": 9.0, "last": 14.0}


class NotBefore:
    """Declines everybody before a time."""

    depends_on_demand_only = False

    def __init__(self, time_s):
        self.time_s = time_s
        self.told = []

    def offer(self, job, free, state):
        return FirstFit().offer(job, free, state) if state.now_s >= self.time_s else None

    def on_begin(self, state):
        self.told.append("begin")

    def on_start(self, job, state):
        self.told.append(("start", job.index))

    def on_stop(self, job, state):
        self.told.append(("stop", job.index))

    def on_finish(self, job, state):
        self.told.append(("finish", job.index))


@pytest.mark.parametrize("backfill", [True, False])
def test_a_rule_that_may_change_its_mind_is_asked_again(backfill):
    rule = NotBefore(3.0)
    policy = ComposedPolicy(lambda job, state: job.arrival_s, placement=rule, backfill=backfill)
    jobs = [
        Job("a", 1, 2, compute_s=1.0),
        Job("b", 1, 2, compute_s=1.0, arrival_s=3.0),
    ]
    instance = Instance("delay", Cluster.uniform(1, 2), jobs)
    assert starts(instance, policy) == {"a": 3.0, "b": 3.0}
    ends = [("stop", 0), ("finish", 0), ("stop", 1), ("finish", 1)]
    assert rule.told == ["begin", ("start", 0), ("start", 1), *ends]


class SjfThatPreemptsOnce(Sjf):
    """Preempts whatever runs at 1 s."""

    def schedule(self, state):
        if state.now_s == 1.0:
            for job in list(state.running):
                state.preempt(job)
        elif state.now_s < 1.0:
            state.set_timer(1.0)
        super().schedule(state)


def test_gpus_of_a_preempted_job_are_offered_to_all():
    # short is refused at 0.5 s, and with it everybody who wants two GPUs, until there are some.
    jobs = [
        Job("long", 2, 9, compute_s=1.0),
        Job("short", 2, 2, compute_s=1.0, arrival_s=0.5),
    ]
    instance = Instance("preempted", Cluster.uniform(1, 2), jobs)
    schedule = simulate(instance, SjfThatPreemptsOnce(), debug=True).schedule
    assert [(row[0], *row[2:]) for row in rows(schedule)] == [
        (0, 0.0, 1.0),
        (1, 1.0, 3.0),
        (0, 3.0, 11.0),
    ]


class IdleGpus(Observer):
    """Notes when GPUs stay idle although a waiting job would fit."""

    def __init__(self):
        self.wasted = []

    def on_instant(self, state):
        fits = [job.index for job in state.waiting if job.gpus <= state.free.total]
        if fits:
            self.wasted.append((state.now_s, fits))


@given(
    instance=instances(),
    kind=st.sampled_from([FifoBackfill, Sjf, FewestGpus]),
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_backfill_with_first_fit_leaves_no_gpu_idle_that_a_waiting_job_could_use(instance, kind):
    watch = IdleGpus()
    simulate(instance, kind(placement="first_fit"), debug=True, observers=[watch])
    assert watch.wasted == []


@given(instance=instances(), placement=st.sampled_from(["first_fit", "consolidated"]))
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_fifo_starts_jobs_in_the_order_of_arrival(instance, placement):
    schedule = simulate(instance, Fifo(placement=placement), debug=True).schedule
    begin = {row.job: row.start_s for row in schedule.segments}
    by_arrival = sorted(begin, key=lambda job: (instance.jobs.arrival_s[job], job))
    assert [begin[job] for job in by_arrival] == sorted(begin.values())


def reference_backfill(state, key):
    """Start waiting jobs in order, asking every one, on the first free GPUs."""
    for job in sorted(state.waiting, key=lambda job: (key(job), job.index)):
        if job.gpus <= state.free.total:
            free = [s for s, count in enumerate(state.free.free) for _ in range(count)][: job.gpus]
            state.start(job, Placement.of({server: free.count(server) for server in free}))


@given(instance=instances())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_blocking_whole_classes_changes_nothing(instance):
    keys = {
        FifoBackfill: lambda job: job.arrival_s,
        Sjf: lambda job: job.duration_s,
        FewestGpus: lambda job: (job.gpus, job.duration_s),
    }
    for kind, key in keys.items():
        plain = simulate(instance, lambda state, key=key: reference_backfill(state, key)).schedule
        ours = simulate(instance, kind(placement="first_fit")).schedule
        assert rows(ours) == rows(plain)
