"""The hierarchy of rings of a job, the settings that ship, and what may be said in parameters."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.contention.collectives import allreduce_cost
from optsched.contention.profiles import load_profile, profile_names
from optsched.contention.tier_layers import layers_from_text, layers_of, layers_text
from optsched.contention.tier_network import TierNetwork, load_tiers, tier_names, tiers_title
from optsched.contention.tier_reach import reachable_spreads
from optsched.core.cluster import Cluster, Server
from optsched.core.errors import FileFormatError, UnknownNameError
from optsched.core.rate_model import PARAMETER_DEFAULTS, RateModel

MACHINE, RACK, NETWORK = "machine", "rack", "network"


@pytest.mark.parametrize(
    ("gpus", "machines", "racks", "rings"),
    [
        (1, 1, 1, []),
        (2, 1, 1, [(2, MACHINE)]),
        (4, 1, 1, [(4, MACHINE)]),
        # Two groups of 3, of 4; five and seven do not part into two groups.
        (6, 1, 1, [(3, MACHINE), (2, MACHINE)]),
        (8, 1, 1, [(4, MACHINE), (2, MACHINE)]),
        (5, 1, 1, [(5, MACHINE)]),
        (7, 1, 1, [(7, MACHINE)]),
        # Machines of a rack.
        (2, 2, 1, [(2, RACK)]),
        (8, 2, 1, [(4, MACHINE), (2, RACK)]),
        (16, 2, 1, [(4, MACHINE), (2, MACHINE), (2, RACK)]),
        (9, 2, 1, [(9, RACK)]),
        (10, 2, 1, [(5, MACHINE), (2, RACK)]),
        # Racks, with one machine each, with several, with unequal numbers of machines.
        (2, 2, 2, [(2, NETWORK)]),
        (16, 2, 2, [(4, MACHINE), (2, MACHINE), (2, NETWORK)]),
        (64, 8, 2, [(4, MACHINE), (2, MACHINE), (4, RACK), (2, NETWORK)]),
        (8, 3, 2, [(4, RACK), (2, NETWORK)]),
        (9, 3, 2, [(9, NETWORK)]),
        (12, 6, 3, [(2, MACHINE), (2, RACK), (3, NETWORK)]),
        (12, 4, 2, [(3, MACHINE), (2, RACK), (2, NETWORK)]),
        (10, 4, 2, [(5, RACK), (2, NETWORK)]),
    ],
)
def test_rings_of_a_job(gpus, machines, racks, rings):
    dimensions = TierNetwork().dimensions(gpus, machines, racks)
    assert [(ring.units, ring.tier) for ring in dimensions] == rings


def test_rings_have_the_rates_of_their_tiers():
    tiers = TierNetwork(2, 1.0, 0.1, 2.0, 0.2, 3.0, 0.3, 4.0, 0.4)
    rings = tiers.dimensions(16, machines=4, racks=2, rack_factor=3.0, network_factor=8.0)
    assert [(ring.units, ring.bytes_per_s, ring.latency_s) for ring in rings] == [
        (2, 1.0, 0.1),
        (2, 2.0, 0.2),
        (2, 1.0, 0.3),
        (2, 0.5, 0.4),
    ]


def test_one_tier_against_another_by_hand():
    # Two GPUs: 2 steps, half of the bytes in each. 1 MB: 1.67 µs, 5 + 10 µs, 2.5 + 100 µs.
    tiers = TierNetwork()
    times = [
        allreduce_cost(tiers.dimensions(2, machines, racks)).time_s(1e6)
        for machines, racks in ((1, 1), (2, 1), (2, 2))
    ]
    assert times == pytest.approx([1e6 / 600e9, 5e-6 + 1e-5, 2.5e-6 + 1e-4], rel=1e-12)


def test_more_machines_can_be_faster_than_fewer():
    # 8 GPUs do not part over 3 machines: a flat ring of 14 steps. Over 4 it takes 6, and 2 inside.
    tiers = TierNetwork()
    three, four = (allreduce_cost(tiers.dimensions(8, machines, 1)) for machines in (3, 4))
    assert four.latency_s == pytest.approx(30e-6)
    assert three.latency_s == pytest.approx(70e-6)
    assert four.seconds_per_byte < three.seconds_per_byte


def test_the_defaults_are_one_thing_in_three_places():
    defaults = dict(PARAMETER_DEFAULTS["tiered"])
    assert defaults.pop("contention") is False
    assert TierNetwork().parameters == defaults
    assert load_tiers("dally") == TierNetwork() == TierNetwork.of(RateModel("tiered"))


def test_settings_that_ship():
    assert tier_names() == [
        "dally",
        "dally-congested",
        "dally-early",
        "physical",
        "physical-congested",
    ]
    normal = load_tiers("dally")
    assert load_tiers("dally-congested") == replace(normal, network_bytes_per_s=10e9)
    assert load_tiers("physical-congested") == replace(
        load_tiers("physical"), network_bytes_per_s=1.25e9
    )
    assert all(tiers_title(name) for name in tier_names())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rack_bytes_per_s = 0", "rack_bytes_per_s: expected a rate above 0"),
        ("group_gpus = 0", "group_gpus: expected a whole number of at least 1"),
        ("rack_latency_s = -1", "rack_latency_s: expected a number of at least 0"),
        ("rak_latency_s = 1", "did you mean 'rack_latency_s'"),
    ],
)
def test_settings_that_are_wrong(tmp_path, text, complaint):
    path = tmp_path / "mine.toml"
    path.write_text(f'title = "mine"\n{text}\n[source]\nall = "me"\n')
    with pytest.raises(FileFormatError, match=complaint):
        load_tiers(path)
    with pytest.raises(UnknownNameError, match="did you mean 'dally'"):
        load_tiers("daly")


def test_layers_as_text_come_back():
    layers = load_profile("resnet18").layers
    back = layers_from_text(layers_text(layers))
    assert [(a.forward_s, a.input_gradient_s, a.weight_gradient_s) for a in back] == [
        (a.forward_s, a.input_gradient_s, a.weight_gradient_s) for a in layers
    ]
    assert [a.allreduce_bytes for a in back] == [a.allreduce_bytes for a in layers]


@pytest.mark.parametrize("text", ["", "1 2 3", "1 2 3 4;", "1 2 3 x", "1 2 3 -4", "0 0 0 1", "nan"])
def test_layers_that_are_none(text):
    with pytest.raises(ValueError, match=r"four numbers|layers that take"):
        layers_from_text(text)


def test_a_profile_without_layers_is_one_layer():
    (layer,) = layers_of(RateModel("tiered"), "vgg16")
    profile = load_profile("vgg16")
    assert layer.forward_s == profile.forward_s
    assert layer.compute_s == pytest.approx(profile.compute_s)
    assert layer.allreduce_bytes == profile.gradient_bytes
    # Its all-reduce starts when all is computed.
    assert layer.input_gradient_s == 0.0
    assert all(layers_of(RateModel("tiered"), name) for name in profile_names())


@st.composite
def clusters_and_jobs(draw):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    racks = draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    servers = [
        Server(f"s{i}", size, f"r{rack}")
        for i, (size, rack) in enumerate(zip(sizes, racks, strict=True))
    ]
    return Cluster(servers), draw(st.integers(1, sum(sizes)))


@given(clusters_and_jobs())
def test_no_placement_is_over_other_numbers(drawn):
    cluster, gpus = drawn
    sizes, racks = cluster.servers.gpus.tolist(), cluster.servers.rack.tolist()
    reached = set()
    for chosen in range(1, 2 ** len(sizes)):
        used = [i for i in range(len(sizes)) if chosen >> i & 1]
        if len(used) <= gpus <= sum(sizes[i] for i in used):
            reached.add((len(used), len({racks[i] for i in used})))
    listed = set(reachable_spreads(cluster, gpus, len(sizes)))
    assert reached <= listed
    if len(set(sizes)) == 1 and len({racks.count(rack) for rack in racks}) == 1:
        assert reached == listed
    for most in range(1, len(sizes) + 1):
        kept = {spread for spread in listed if spread[0] <= most}
        assert set(reachable_spreads(cluster, gpus, most)) == kept
