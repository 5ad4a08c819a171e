"""The event LP on orders worked out by hand."""

import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import ScheduleError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.formulations import event_lp
from optsched.generate.hand import interior_start, waiting_pays
from optsched.judge import verify

LEFT, RIGHT = Placement.of({0: 2, 1: 1}), Placement.of({1: 1, 2: 2})
EVERYWHERE = Placement.of({0: 2, 1: 2, 2: 2})


def order(text):
    """Return events of a text like "a+ a-", the jobs being a, b, c, d."""
    kinds = {"+": "start", "-": "end"}
    return [("abcd".index(word[0]), kinds[word[1]]) for word in text.split()]


def test_a_start_between_events():
    events = order("a+ b+ a- c+ b- c- d+ d-")
    found = event_lp(
        interior_start(), [LEFT, RIGHT, LEFT, EVERYWHERE], events, objective="weighted_jct"
    )
    assert found.value == pytest.approx(832 / 9)
    assert found.times_s == pytest.approx((0, 3, 8, 8, 28, 28, 28, 128))
    judgement = verify(interior_start(), found.schedule)
    assert judgement.is_valid
    assert judgement.objectives["weighted_jct"] == pytest.approx(832 / 9)


def test_overlap_is_possible_and_costs():
    # Both run from 0: rate 1/2.55 each, so 25.5 s; the LP may also delay the second start.
    together = event_lp(waiting_pays(), [LEFT, RIGHT], order("a+ b+ a- b-"))
    # The best overlap is none: b starts when a ends.
    assert together.value == pytest.approx(21.0)
    jobs = list(waiting_pays().jobs)
    # a must not end before b starts if b is to end first: b runs inside a, 10 iterations each at
    # 1/2.55 while together. b needs 25.5 s and a does 10 in the same time: nothing outside.
    nested = event_lp(waiting_pays().changed(jobs=jobs), [LEFT, RIGHT], order("a+ b+ b- a-"))
    assert nested.value == pytest.approx(25.5)


def test_completions_are_weighted():
    jobs = [Job("a", 1, 1, compute_s=4.0, weight=1.0), Job("b", 1, 1, compute_s=2.0, weight=3.0)]
    pair = Instance("pair", Cluster.uniform(1, 1), jobs, RateModel("fixed"))
    one = Placement.of({0: 1})
    # b first: 3·2 + 6 = 12 over weights 4; a first: 4 + 3·6 = 22.
    first = event_lp(pair, [one, one], order("b+ b- a+ a-"), objective="weighted_jct")
    second = event_lp(pair, [one, one], order("a+ a- b+ b-"), objective="weighted_jct")
    assert (first.value, second.value) == (pytest.approx(3.0), pytest.approx(5.5))
    mean = event_lp(pair, [one, one], order("b+ b- a+ a-"), objective="mean_jct")
    assert mean.value == pytest.approx(4.0)


def test_arrivals_hold_back():
    jobs = [
        Job("a", 1, 1, compute_s=4.0, arrival_s=10.0),
        Job("b", 1, 1, compute_s=2.0, arrival_s=15.0),
    ]
    pair = Instance("late", Cluster.uniform(1, 1), jobs, RateModel("fixed"))
    one = Placement.of({0: 1})
    found = event_lp(pair, [one, one], order("a+ a- b+ b-"))
    # a may start at 10 or at 11.
    assert found.value == pytest.approx(17.0) and 10.0 <= found.times_s[0] <= 11.0
    assert found.times_s[2:] == pytest.approx((15.0, 17.0))
    swapped = event_lp(pair, [one, one], order("b+ b- a+ a-"), objective="mean_jct")
    # b from 15 to 17, a to 21: (2 + 11) / 2.
    assert swapped.value == pytest.approx(6.5)
    assert verify(pair, swapped.schedule).objectives["mean_jct"] == pytest.approx(6.5)


def test_no_job_ends_later_than_in_the_program():
    found = event_lp(
        interior_start(), [LEFT, RIGHT, LEFT, EVERYWHERE], order("a+ a- c+ b+ b- c- d+ d-")
    )
    ends = dict(zip(found.schedule.job.tolist(), found.schedule.end_s.tolist(), strict=True))
    said = {0: found.times_s[1], 1: found.times_s[4], 2: found.times_s[5], 3: found.times_s[7]}
    assert all(ends[job] <= said[job] * (1 + 1e-9) for job in ends)
    assert verify(interior_start(), found.schedule).is_valid


@pytest.mark.parametrize("text", ["a+ b+ a-", "a+ a- b- b+", "a+ a- a+ a-", "a+ b+ a- b- a- b-"])
def test_orders_that_make_no_sense(text):
    with pytest.raises(ScheduleError, match="a start and then an end of every job"):
        event_lp(waiting_pays(), [LEFT, RIGHT], order(text))


def test_gpus_cannot_be_taken_twice():
    with pytest.raises(ScheduleError, match="job 'b' finds its GPUs taken"):
        event_lp(waiting_pays(), [LEFT, LEFT], order("a+ b+ a- b-"))


def test_slots_are_refused():
    with pytest.raises(UnsupportedError, match="continuous"):
        event_lp(waiting_pays().changed(slot_s=3.0), [LEFT, RIGHT], order("a+ a- b+ b-"))


def test_uplinks_count():
    fabric = Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=0.25e9)
    cluster = Cluster.uniform(4, 1, racks=2, fabric=fabric)
    jobs = [Job(name, 2, 10, gradient_bytes=1e9, compute_s=0.1) for name in "ab"]
    instance = Instance("racks", cluster, jobs)
    across = [Placement.of({0: 1, 2: 1}), Placement.of({1: 1, 3: 1})]
    # Alone across racks 4.1 s an iteration; both at once share the uplinks: 0.1 + 8 s.
    assert event_lp(instance, across, order("a+ a- b+ b-")).value == pytest.approx(82.0)
    inside = [Placement.of({0: 1, 1: 1}), Placement.of({2: 1, 3: 1})]
    assert event_lp(instance, inside, order("a+ b+ a- b-")).value == pytest.approx(11.0)
