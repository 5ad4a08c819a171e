"""What a slot is worth to a job, against values worked out by hand."""

import pytest

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.formulations.slot_levels import SlotLevels
from optsched.generate.hand import waiting_pays


def test_levels_of_a_ring():
    # 4 GPUs on servers of 4, 2 and 2. τ = 2·m·¾/B + .01 u + .1: on one server .11; on u ≥ 2 with
    # m = .4, b = 1: .6 · f(p) + .01 u + .1, f(1) = 1, f(2) = 2.5.
    fabric = Fabric(inter_bytes_per_s=1.0, degradation=0.5)
    cluster = Cluster([Server(f"s{i}", gpus) for i, gpus in enumerate((4, 2, 2))], fabric)
    rates = RateModel.of("ring", server_overhead_s=0.01)
    jobs = [
        Job("a", 4, 9, gradient_bytes=0.4, compute_s=0.1, arrival_s=7.2),
        Job("b", 4, 1, compute_s=0.1, arrival_s=2.0),
    ]
    levels = SlotLevels.of(Instance("four", cluster, jobs, rates, slot_s=1.5))
    one = levels.jobs[0]
    # .72 and .73 alone, 1.62 and 1.63 for two, which is more than a slot.
    assert dict(one.per_slot) == {(1, 0): 13, (2, 1): 2, (3, 1): 2}
    assert dict(one.slots) == {1: 1, 2: 5, 3: 5}
    assert (one.shortest, one.longest, one.rate(2, 2), one.can_spread) == (1, 5, 0, True)
    # Arrivals in slots of 1.5 s: 2.0 is in slot 1, so from slot 2; 7.2 from slot 5.
    assert (levels.first_slot, one.release, levels.jobs[1].release) == (2, 3, 0)
    # 3 + 5 + 1: the second takes a slot wherever it is.
    assert levels.horizon == 9
    assert (levels.spreadable, levels.stuck, levels.is_pool) == ([0, 1], [], False)


def test_given_durations_make_one_pool():
    jobs = [Job("a", 3, 1, compute_s=2.5), Job("b", 1, 2, compute_s=1.0)]
    servers = [Server("s0", 2), Server("s1", 2)]
    levels = SlotLevels.of(Instance("two", Cluster(servers), jobs, RateModel("fixed"), slot_s=1.0))
    assert levels.is_pool and levels.spreadable == []
    assert [dict(job.slots) for job in levels.jobs] == [{1: 3}, {1: 2}]


def test_what_is_refused():
    with pytest.raises(UnsupportedError, match="continuous time"):
        SlotLevels.of(waiting_pays())
    jobs = [Job("a", 3, 5, gradient_bytes=1.0, compute_s=0.1)]
    unequal = Cluster([Server("s0", 2, inter_bytes_per_s=1.0), Server("s1", 2)], Fabric())
    with pytest.raises(UnsupportedError, match="unequal interfaces"):
        SlotLevels.of(Instance("unequal", unequal, jobs, slot_s=5.0))
