"""Clusters, jobs and instances: columns inside, views outside, and the hash of the content."""

import pickle
from dataclasses import replace

import pytest

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.document import instance_document, instance_sha256
from optsched.core.errors import InstanceError
from optsched.core.instance import Instance
from optsched.core.jobs import Job, Jobs
from optsched.core.rate_model import RateModel
from optsched.files import load


def instance(**changes):
    options = {
        "name": "one",
        "cluster": Cluster.uniform(4, 2, fabric=Fabric(inter_bytes_per_s=1e9)),
        "jobs": [Job("a", 2, 10, compute_s=0.5), Job("b", 3, 5, gradient_bytes=1e6)],
        "rate_model": RateModel.of("ring", contention_weight=0.6),
    }
    return Instance(**(options | changes))


def test_servers_are_columns_with_views():
    servers = [Server("x", 4, "north"), Server("y", 8, "south", 2e9), Server("z", 2, "north")]
    cluster = Cluster(servers)
    assert list(cluster.servers) == servers
    assert cluster.servers[1:] == servers[1:]
    assert cluster.servers.rack_names == ("north", "south")
    assert cluster.servers.rack.tolist() == [0, 1, 0]
    assert (cluster.total_gpus, cluster.max_gpus_per_server) == (14, 8)
    with pytest.raises(ValueError, match="read-only"):
        cluster.servers.gpus[0] = 99


@pytest.mark.parametrize(("gpus", "servers"), [(1, 1), (8, 1), (9, 2), (12, 2), (13, 3), (14, 3)])
def test_fewest_servers_takes_the_largest_first(gpus, servers):
    cluster = Cluster([Server("x", 4), Server("y", 8), Server("z", 2)])
    assert cluster.fewest_servers(gpus) == servers


def test_uniform_clusters_deal_servers_to_racks_in_runs():
    racks = [server.rack for server in Cluster.uniform(5, 2, racks=2).servers]
    assert racks == ["r0", "r0", "r0", "r1", "r1"]


def test_jobs_are_columns_with_views():
    jobs = [Job("a", 2, 10, server_overhead_s=0.0), Job("b", 3, 5, weight=2.0, profile="vgg16")]
    columns = Jobs.of(jobs)
    assert list(columns) == jobs
    assert columns[0:1] == jobs[:1]
    assert columns[-1] == jobs[1]
    with pytest.raises(ValueError, match="read-only"):
        columns.arrival_s[0] = 1.0


def test_an_instance_can_be_changed_but_not_in_place():
    first = instance()
    second = first.changed(slot_s=1.0)
    assert (first.is_slotted, second.is_slotted) == (False, True)
    assert second.jobs is first.jobs
    assert second.rate_model == first.rate_model
    with pytest.raises(AttributeError):
        first.slot_s = 2.0
    third = first.with_jobs([Job("c", 1, 1, arrival_s=1.0)])
    assert (third.name, third.has_arrivals, first.has_arrivals) == ("one", True, False)


def test_restart_time_grows_with_gpus():
    restarting = instance(restart_s=10.0, restart_s_per_gpu=2.0)
    assert [restarting.restart_time_s(job) for job in (0, 1)] == [14.0, 16.0]


def test_the_hash_is_of_the_content_only():
    sha256 = instance_sha256(instance())
    assert len(sha256) == 64
    for same in (
        instance(name="two"),
        instance(description="a note"),
        instance(metadata={"origin": "here"}),
        # Defaults written out, and servers named one by one instead of by a count.
        instance(cluster=Cluster([Server(f"s{i}", 2, "r0") for i in range(4)],
                                 Fabric(inter_bytes_per_s=1e9, degradation=0.0))),
        instance(jobs=[Job("a", 2, 10, 0.0, 0.5, 0.0, 1.0), Job("b", 3, 5, 1e6)]),
        instance(restart_s=0.0),
    ):  # fmt: skip
        assert instance_sha256(same) == sha256


@pytest.mark.parametrize(
    "changes",
    [
        {"slot_s": 1.0},
        {"restart_s": 1.0},
        {"rate_model": RateModel.of("ring")},
        {"cluster": Cluster.uniform(5, 2, fabric=Fabric(inter_bytes_per_s=1e9))},
        {"cluster": Cluster.uniform(4, 2, racks=2, fabric=Fabric(inter_bytes_per_s=1e9))},
        {"cluster": Cluster.uniform(4, 2, fabric=Fabric(inter_bytes_per_s=2e9))},
        {"jobs": [Job("a", 2, 10, compute_s=0.5)]},
        {"jobs": [Job("b", 3, 5, gradient_bytes=1e6), Job("a", 2, 10, compute_s=0.5)]},
        {"jobs": [Job("a", 2, 10, compute_s=0.5), Job("b", 3, 5, gradient_bytes=1e6, weight=2.0)]},
    ],
)
def test_the_hash_changes_with_the_content(changes):
    assert instance_sha256(instance(**changes)) != instance_sha256(instance())


def test_equal_runs_of_servers_are_one_entry_with_a_count():
    servers = [Server("s0", 2), Server("s1", 2), Server("big", 8), Server("s3", 2)]
    document = instance_document(instance(cluster=Cluster(servers)))
    assert document["cluster"]["servers"] == [
        {"count": 2, "gpus": 2, "rack": "r0"},
        {"id": "big", "gpus": 8, "rack": "r0"},
        {"count": 1, "gpus": 2, "rack": "r0"},
    ]


def test_fixed_durations_are_written_as_such():
    jobs = [Job("a", 1, 1, compute_s=60.0), Job("b", 1, 3, compute_s=2.0)]
    document = instance_document(instance(jobs=jobs, rate_model=RateModel("fixed")))
    assert document["jobs"] == [
        {"id": "a", "gpus": 1, "duration_s": 60.0},
        {"id": "b", "gpus": 1, "iterations": 3, "compute_s": 2.0},
    ]


def test_rate_models_with_the_same_parameters_are_equal():
    first = RateModel.of("ring", server_overhead_s=0.1, contention_weight=0.5)
    second = RateModel.of("ring", contention_weight=0.5, server_overhead_s=0.1)
    assert first == second
    assert first.value("contention_weight") == 0.5
    assert RateModel.of("ring").value("contention_weight") == 1.0
    assert replace(first, name="fixed") != first


def test_a_default_written_out_names_the_same_instance():
    plain = instance(rate_model=RateModel.of("ring"))
    written = instance(rate_model=RateModel.of("ring", contention_weight=1.0))
    assert instance_sha256(plain) == instance_sha256(written)


@pytest.mark.parametrize("gpus", [2.5, 10**30, float("nan"), "2", None])
def test_gpus_that_are_no_whole_number_are_refused_and_not_cut(gpus):
    with pytest.raises(InstanceError, match=r"jobs\[1\]\.gpus: expected a whole number"):
        Jobs.of([Job("a", 1, 1), Job("b", gpus, 1)])


@pytest.mark.parametrize("name", ["waiting-pays", "paper-160", "small-6x3"])
def test_an_instance_can_be_sent_to_another_process(name):
    sent = load(name)
    received = pickle.loads(pickle.dumps(sent))
    assert instance_sha256(received) == instance_sha256(sent)
    assert (received.name, received.metadata) == (sent.name, sent.metadata)
