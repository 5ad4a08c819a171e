from collections import Counter

import numpy as np
import pytest

from optsched.contention import rate_functions, rate_problems, worst_durations_s
from optsched.core.document import instance_sha256
from optsched.core.errors import InstanceError
from optsched.core.placement import Placement
from optsched.generate import paper_160

MIX = {1: 80, 2: 14, 4: 26, 8: 30, 16: 8, 32: 2}
SEEDS = range(12)
PINNED_CAPACITIES = [4, 32, 16, 32, 32, 4]
PINNED_ITERATIONS = [4759, 1812, 3184, 1685]


@pytest.mark.parametrize("mode", ["paper", "physical"])
def test_mix_is_the_papers(mode):
    for seed in SEEDS:
        instance = paper_160(seed=seed, mode=mode)
        assert Counter(instance.jobs.gpus.tolist()) == MIX
        assert instance.jobs.gpus.sum() == 644
        iterations = instance.jobs.iterations
        assert 1000 <= iterations.min() < 1200
        assert 5800 < iterations.max() <= 6000
        assert not rate_problems(instance)


def test_jobs_come_in_random_order():
    assert sorted(paper_160().jobs.gpus.tolist()) != paper_160().jobs.gpus.tolist()
    assert paper_160(seed=0).jobs.gpus.tolist() != paper_160(seed=1).jobs.gpus.tolist()


@pytest.mark.parametrize("mode", ["paper", "physical"])
def test_smaller_clusters_are_prefixes_with_the_same_jobs(mode):
    for seed in SEEDS:
        whole = paper_160(servers=20, seed=seed, mode=mode)
        for servers in (6, 10, 14):
            part = paper_160(servers=servers, seed=seed, mode=mode)
            assert list(part.cluster.servers) == whole.cluster.servers[:servers]
            assert list(part.jobs) == list(whole.jobs)
            assert part.cluster.total_gpus >= 32
        longer = paper_160(servers=30, seed=seed, mode=mode)
        assert longer.cluster.servers[:20] == list(whole.cluster.servers)


def test_capacities_are_those_of_the_paper():
    drawn = Counter(
        gpus for seed in range(100) for gpus in paper_160(seed=seed).cluster.servers.gpus.tolist()
    )
    assert set(drawn) == {4, 8, 16, 32}
    # 2000 draws at 1/4: five standard deviations are 97.
    assert all(abs(count - 500) < 97 for count in drawn.values())


def test_the_modes_share_servers_demands_and_iterations():
    paper, physical = paper_160(seed=4), paper_160(seed=4, mode="physical")
    assert list(paper.cluster.servers) == list(physical.cluster.servers)
    assert paper.jobs.gpus.tolist() == physical.jobs.gpus.tolist()
    assert paper.jobs.iterations.tolist() == physical.jobs.iterations.tolist()
    assert paper.is_slotted
    assert not physical.is_slotted


def test_a_draw_is_repeatable_and_seeds_differ():
    assert instance_sha256(paper_160(seed=3)) == instance_sha256(paper_160(seed=3))
    assert len({instance_sha256(paper_160(seed=seed)) for seed in SEEDS}) == len(SEEDS)


def test_a_draw_is_the_same_on_every_platform():
    # Fixed when the generator was written; a change here changes every published figure.
    assert paper_160(servers=6).cluster.servers.gpus.tolist() == PINNED_CAPACITIES
    assert paper_160().jobs.iterations[:4].tolist() == PINNED_ITERATIONS


def test_the_worst_case_that_counts_adds_exactly_15_percent():
    for seed in SEEDS:
        instance = paper_160(servers=20, seed=seed)
        rates = rate_functions(instance)
        for job, gpus in enumerate(instance.jobs.gpus.tolist()):
            roomy = int(instance.cluster.servers.gpus.argmax())
            if gpus > instance.cluster.servers.gpus[roomy]:
                continue
            local_s = rates.iteration_time_s(job, Placement.of({roomy: gpus}), [])
            worst_s = rates.worst_iteration_time_s(job, 4, 4)
            assert 0.01 <= local_s <= 0.05 / 1.15
            expected = 1.15 if gpus > 1 else 1.0
            assert worst_s / local_s == pytest.approx(expected, rel=1e-12)


def test_the_extra_is_10_percent_gradients_and_5_percent_servers():
    instance = paper_160(seed=2)
    jobs, rates = instance.jobs, rate_functions(instance)
    for job, gpus in enumerate(jobs.gpus.tolist()):
        if gpus == 1:
            assert jobs.gradient_bytes[job] == jobs.server_overhead_s[job] == 0.0
            continue
        best_s = rates.best_iteration_time_s(job)
        used = min(gpus, 4)
        # Equation 8 by hand: k = 0.6 * 4 = 2.4, f = 2.4 + 0.2 * 1.4 = 2.68, bandwidth 1.25e9.
        transfer_s = 2 * jobs.gradient_bytes[job] * (gpus - 1) / gpus / 1.25e9 * 2.68
        assert transfer_s == pytest.approx(0.10 * best_s, rel=1e-12)
        assert jobs.server_overhead_s[job] * (used - 1) == pytest.approx(0.05 * best_s, rel=1e-12)
        assert best_s == pytest.approx(jobs.compute_s[job] + jobs.server_overhead_s[job])


def test_estimated_durations_lie_in_the_papers_range():
    # F * worst tau: at most 0.05 * 6000 = 300 slots; slots of whole iterations only add to it.
    instance = paper_160(seed=1).changed(slot_s=None)
    durations = worst_durations_s(instance, servers=4, degree=4)
    assert durations.max() <= 300.0 * (1 + 1e-12)
    assert durations.min() >= 10.0


def test_physical_mode_uses_the_measured_networks():
    instance = paper_160(mode="physical", seed=5)
    jobs = instance.jobs
    assert set(jobs.gradient_bytes.tolist()) == {526.4e6, 99.2e6, 103.0e6, 251.8e6}
    assert ((jobs.server_overhead_s >= 0.001) & (jobs.server_overhead_s <= 0.005)).all()
    assert instance.cluster.fabric.inter_bytes_per_s == 1168e6
    # 0.856 ms a megabyte, and 0.235 / 0.856 more for each further job.
    assert 1e6 / instance.cluster.fabric.inter_bytes_per_s == pytest.approx(0.856e-3, rel=1e-3)
    assert instance.cluster.fabric.degradation == pytest.approx(0.235 / 0.856, rel=2e-3)
    assert instance.rate_model.value("contention_weight") == 1.0


def test_too_few_servers_are_refused():
    small = [seed for seed in range(60) if sum(_first(seed, 2)) < 32]
    assert small
    with pytest.raises(InstanceError, match=r"paper-160\.servers: .*at least 32 GPUs.*more server"):
        paper_160(servers=2, seed=small[0])
    for servers in (0, -3, 10**9):
        with pytest.raises(InstanceError, match="a whole number from 1 to 100,000"):
            paper_160(servers=servers)


def _first(seed, servers):
    return paper_160(seed=seed).cluster.servers.gpus[:servers].tolist()


def test_every_prefix_of_six_holds_the_largest_job():
    totals = [sum(_first(seed, 6)) for seed in range(400)]
    assert min(totals) >= 32
    assert np.mean(totals) == pytest.approx(90, rel=0.1)
