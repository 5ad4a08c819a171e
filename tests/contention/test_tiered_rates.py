"""The rate model ``tiered``: by hand, by the reference's figures, and over all placements."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiered_strategies import tiered_instances

from optsched.contention import rate_functions, rate_problems
from optsched.contention.collectives import allreduce_cost
from optsched.contention.overlap import LayerTimes
from optsched.contention.tier_network import load_tiers
from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import InstanceError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel

#: No latencies, no groups: a byte takes 1/4 s in a machine, 1 s in a rack, 1/2 s between racks.
PLAIN = {
    "group_gpus": 1,
    "machine_bytes_per_s": 4.0,
    "machine_latency_s": 0,
    "rack_bytes_per_s": 1.0,
    "rack_latency_s": 0,
    "network_bytes_per_s": 2.0,
    "network_latency_s": 0,
    # Computes 1 s forward, 1 s for each gradient; exchanges 2 bytes, the first second hidden.
    "layers.net": "1 1 1 2",
}


def two_racks(jobs, machines=2, gpus=2, fabric=None, **parameters):
    cluster = Cluster.uniform(2 * machines, gpus, racks=2, fabric=fabric)
    return Instance("two racks", cluster, jobs, RateModel.of("tiered", **PLAIN | parameters))


def net(name="a", gpus=2, iterations=10, **values):
    return Job(name, gpus, iterations, compute_s=1.5, profile="net", **values)


def test_two_gpus_on_each_tier_by_hand():
    rates = rate_functions(two_racks([net(), net("b", 1), net("c", 4)]))
    local, rack, network = (Placement.of(p) for p in ({0: 2}, {0: 1, 1: 1}, {0: 1, 2: 1}))
    # A step each way, each of one byte: 1/2 s in a machine, 2 s in a rack, 1 s between racks.
    assert [rates.efficiency(0, p) for p in (local, rack, network)] == [1.0, 0.75, 1.0]
    assert [rates.iteration_time_s(0, p, ()) for p in (local, rack, network)] == [1.5, 2.0, 1.5]
    assert [rates.tier(p) for p in (local, rack, network)] == ["machine", "rack", "network"]
    assert rates.iteration_time_s(1, Placement.of({3: 1}), ()) == 1.5
    # Four GPUs on two machines: 1/2 s inside, then 2 steps of half a byte, 1 s: hidden for 1 s.
    assert rates.efficiency(2, Placement.of({0: 2, 1: 2})) == 3.0 / 3.5
    # On two machines and two racks: the same with 1/2 s.
    assert rates.efficiency(2, Placement.of({0: 2, 2: 2})) == 1.0
    # On all four machines: a step in the rack (2 s), then half a byte between racks (1/2 s).
    assert rates.efficiency(2, Placement.of({0: 1, 1: 1, 2: 1, 3: 1})) == 3.0 / 4.5
    # Over three machines in two racks: rings of two GPUs in each rack, then the same.
    assert rates.efficiency(2, Placement.of({0: 2, 1: 1, 2: 1})) == 3.0 / 4.5
    assert not rates.is_level_model
    assert rates.depends_on_maximum_load
    assert rates.resource_count == 0
    assert rates.shared_resources(rack) == ()


def test_the_profiles_own_time_counts_in_the_efficiency_only():
    fast = rate_functions(two_racks([net()], **{"compute_scale.net": 0.5}))
    # Computes in 1.5 s, the exchange of 2 s starts at 1 s: 3 s instead of 1.5.
    assert fast.efficiency(0, Placement.of({0: 1, 1: 1})) == 0.5
    assert fast.iteration_time_s(0, Placement.of({0: 1, 1: 1}), ()) == 3.0


def test_best_and_worst_by_hand():
    rates = rate_functions(two_racks([net(gpus=3), net("b", 1), net("c", 2)]))
    # Three GPUs: three machines in two racks, or two in one or two: always a flat ring of three
    # (three do not part into two), 4 steps of 2/3 byte: 8/3 s in a rack, 4/3 s between racks.
    assert rates.best_iteration_time_s(0) == pytest.approx(1.5 * (2 + 4 / 3) / 3)
    assert rates.worst_iteration_time_s(0, 4, 9) == pytest.approx(1.5 * (2 + 8 / 3) / 3)
    assert rates.best_iteration_time_s(1) == rates.worst_iteration_time_s(1, 4, 9) == 1.5
    assert rates.best_iteration_time_s(2) == rates.worst_iteration_time_s(2, 1, 9) == 1.5
    assert rates.worst_iteration_time_s(2, 2, 9) == 2.0
    assert rates.best_efficiency(0) == pytest.approx(3 / (2 + 4 / 3))


def test_contention_slows_the_most_loaded_link_of_each_tier():
    jobs = [net(), net("b"), net("c", 4)]
    rates = rate_functions(two_racks(jobs, contention=True))
    assert not rates.depends_on_maximum_load
    assert rates.resource_count == 6
    assert [rates.resource_name(r) for r in (1, 4)] == ["s1", "uplink of r0"]
    rack, network = Placement.of({0: 1, 1: 1}), Placement.of({0: 1, 2: 1})
    assert rates.shared_resources(Placement.of({0: 2})) == ()
    assert rates.shared_resources(rack) == (0, 1)
    assert rates.shared_resources(network) == (4, 5)
    everywhere = Placement.of({0: 1, 1: 1, 2: 1, 3: 1})
    assert rates.shared_resources(everywhere) == (0, 1, 2, 3, 4, 5)
    # Alone as without; three jobs on the link of s1: 6 s instead of 2.
    assert rates.iteration_time_s(0, rack, (1, 1)) == 2.0
    assert rates.efficiency(0, rack, (1, 3)) == 3.0 / 8.0
    assert rates.efficiency(0, network, (2, 1)) == 3.0 / 4.0
    # 2 s · 2 in the racks, 1/2 s · 3 between them.
    assert rates.efficiency(2, everywhere, (1, 2, 1, 1, 3, 2)) == 3.0 / 7.5
    # With α = 1 two jobs are as three without.
    harsh = rate_functions(two_racks(jobs, fabric=Fabric(degradation=1.0), contention=True))
    assert harsh.efficiency(0, rack, (2, 1)) == 3.0 / 8.0


#: dally.md, 1.5: 8 GPUs on a machine, on 2 × 4 of a rack; 16 on 2 × 8 of a rack, of two racks; 32
#: on 4 × 8 of a rack; 64 on 2 racks × 4 × 8; then 16 in a rack of 100 GB/s, over racks of 10 GB/s.
SPREADS = ((8, 1, 1), (8, 2, 1), (16, 2, 1), (16, 2, 2), (32, 4, 1), (64, 8, 2))
FIGURES = {
    "BERT-large_B256": (1.121e-4, 0.766, 0.520, 0.529, 0.190, 0.362, 0.150, 0.477, 0.108),
    "alexnet_B512": (0.0199, 1.000, 0.884, 0.912, 0.614, 0.774, 0.507, 0.818, 0.244),
    "mobilenet_v3_B512": (0.00639, 0.739, 0.113, 0.103, 0.012, 0.038, 0.009, 0.102, 0.012),
    "resnet18_B512": (0.001223, 0.920, 0.425, 0.414, 0.078, 0.207, 0.061, 0.388, 0.063),
    "resnet50_B512": (0.033950, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000),
    "vgg11_B256": (0.01549, 1.000, 1.000, 1.000, 0.952, 1.000, 0.810, 1.000, 0.365),
}


@pytest.mark.parametrize("table", FIGURES)
def test_the_figures_of_the_reference(traces_directory, table):
    from dataclasses import replace

    from optsched.traces import profile_from_layer_csv

    scale, *figures = FIGURES[table]
    profile = profile_from_layer_csv(traces_directory / "dally" / "dnn" / f"{table}.csv")
    times = LayerTimes.of(profile.layers, scale=scale)
    normal = load_tiers("dally")
    cases = [(normal, spread) for spread in SPREADS]
    cases.append((replace(normal, rack_bytes_per_s=100e9), (16, 2, 1)))
    cases.append((load_tiers("dally-congested"), (16, 2, 2)))
    computed = [times.efficiency(allreduce_cost(tiers.dimensions(*s))) for tiers, s in cases]
    assert computed == pytest.approx(figures, abs=5.1e-4)


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"rack_bytes_per_s": 0}, r"rack_bytes_per_s: expected a number above 0, got 0"),
        ({"rack_latency_s": -1}, r"rack_latency_s: expected a number of at least 0, got -1"),
        ({"rack_latency_s": True}, r"rack_latency_s: expected a number, got True"),
        ({"group_gpus": 1.5}, r"group_gpus: expected a whole number of at least 1, got 1\.5"),
        ({"contention": 1}, r"contention: expected true or false, got 1"),
        ({"rak_latency_s": 1}, r"expected one of .*; did you mean 'rack_latency_s'"),
        ({"compute_scale.net": 0}, r"compute_scale\.net: expected a number above 0, got 0"),
        ({"compute_scale.nut": 2}, r"compute_scale\.nut: expected one of .*; did you mean 'net'"),
        ({"layers.net": 3}, r"layers\.net: expected a text with the layers of a network, got 3"),
        ({"layers.net": "1 2"}, r"expected four numbers .*, got '1 2' for layer 1"),
    ],
)
def test_parameters_that_are_wrong(parameters, complaint):
    instance = two_racks([net()], **parameters)
    with pytest.raises(InstanceError, match=complaint):
        rate_functions(instance)
    assert [problem.is_warning for problem in rate_problems(instance)] == [False]


def test_jobs_on_several_gpus_need_a_profile():
    jobs = [Job("a", 2, 1, compute_s=1.0), Job("b", 2, 1, compute_s=1.0, profile="nut")]
    instance = two_racks([*jobs, Job("c", 1, 1, compute_s=1.0)])
    problems = rate_problems(instance)
    assert [problem.place for problem in problems] == ["jobs[0].profile", "jobs[1].profile"]
    assert problems[1].remedy == "did you mean 'net'?"
    with pytest.raises(InstanceError, match=r"jobs\[0\]\.profile: expected one of .*got nothing"):
        rate_functions(instance)
    many = two_racks([Job(f"j{i}", 2, 1, compute_s=1.0) for i in range(60)])
    assert "more" in rate_problems(many)[-1].got


def test_rates_of_the_fabric_are_not_used_and_a_warning_says_so():
    instance = two_racks([net()], fabric=Fabric(inter_bytes_per_s=1e9))
    (problem,) = rate_problems(instance)
    assert problem.is_warning
    assert problem.place == "cluster.fabric.inter_bytes_per_s"
    assert rate_functions(instance).best_iteration_time_s(0) == 1.5


def test_slots_hold_whole_iterations():
    rates = rate_functions(two_racks([net()]).changed(slot_s=5.0))
    assert rates.progress_per_slot(2.0) == 2.0
    with pytest.raises(ValueError, match="continuous"):
        rate_functions(two_racks([net()])).progress_per_slot(2.0)


def placements_of(instance, gpus):
    sizes = instance.cluster.servers.gpus.tolist()
    for counts in itertools.product(*(range(size + 1) for size in sizes)):
        if sum(counts) == gpus:
            yield Placement.of({server: n for server, n in enumerate(counts) if n})


@given(tiered_instances(), st.data())
def test_best_and_worst_hold_over_all_placements(instance, data):
    """Without tolerance: bounds are made of the best times."""
    rates = rate_functions(instance)
    gpus = instance.jobs.gpus.item(0)
    best, count = rates.best_iteration_time_s(0), len(instance.cluster.servers)
    assert best == rates.best_iteration_times_s()[0] >= instance.jobs.compute_s[0]
    most = data.draw(st.integers(1, count))
    allowed = max(most, instance.cluster.fewest_servers(gpus))
    for placement in placements_of(instance, gpus):
        crossed = rates.shared_resources(placement)
        assert len(crossed) == len(set(crossed))
        alone = rates.iteration_time_s(0, placement, (1,) * len(crossed))
        load = tuple(data.draw(st.integers(1, 3)) for _ in crossed)
        loaded = rates.iteration_time_s(0, placement, load)
        assert best <= alone <= loaded
        assert 0 < rates.efficiency(0, placement, load) <= 1
        if len(placement.servers) <= allowed:
            degree = max(load, default=0)
            assert loaded <= rates.worst_iteration_time_s(0, most, degree)
        if gpus == 1:
            assert alone == instance.jobs.compute_s[0]


@pytest.mark.parametrize("gpus", [2, 4, 8, 16, 32, 64])
def test_a_wider_spread_is_slower_where_it_divides_and_rates_fall_outwards(gpus):
    """On the physical network; powers of two, machines of 8, up to 16 machines."""
    tiers = load_tiers("physical")
    powers = [1, 2, 4, 8, 16]
    cost = {
        (machines, racks): allreduce_cost(tiers.dimensions(gpus, machines, racks))
        for machines in powers
        for racks in powers
        if racks <= machines <= gpus <= 8 * machines
    }
    for (machines, racks), near in cost.items():
        for far in (cost.get((2 * machines, racks)), cost.get((machines, 2 * racks))):
            if far is not None:
                assert far.seconds_per_byte >= near.seconds_per_byte
                assert far.latency_s >= near.latency_s


def test_a_wider_spread_can_be_faster():
    """What does not hold, whatever one would expect: each of these is an order turned round."""
    tiers = load_tiers("dally")

    def cost(*spread):
        return allreduce_cost(tiers.dimensions(*spread))

    # More GPUs: 8 part into groups of 4, 7 do not.
    assert cost(8, 1, 1).latency_s < cost(7, 1, 1).latency_s
    # More machines: 8 GPUs part over 4, not over 3.
    assert cost(8, 4, 1).latency_s < cost(8, 3, 1).latency_s
    # More racks: links between racks are faster than those in them, and only latency is dearer.
    assert cost(16, 2, 2).seconds_per_byte < cost(16, 2, 1).seconds_per_byte
    # And even in latency, where a ring of many machines is cut in two.
    assert cost(64, 64, 2).latency_s < cost(64, 64, 1).latency_s
