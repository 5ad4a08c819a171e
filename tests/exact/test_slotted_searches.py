"""CP-SAT, lazy contention and destructive bounds: by hand, at limits, and when interrupted."""

import functools
import pickle
import signal
import threading

import pytest

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import LimitReachedError, TooLargeError, UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.core.schedule import schedule_sha256
from optsched.exact import brute_force, cp_sat, destructive, lazy_contention, solve
from optsched.exact.cp_sat import write_cp_sat
from optsched.generate.hand import waiting_pays
from optsched.generate.small import contended, forced, light
from optsched.judge import verify

SEARCHES = [cp_sat, lazy_contention, destructive]
NAMES = {cp_sat: "cp-sat", lazy_contention: "lazy-contention", destructive: "destructive"}
every_search = pytest.mark.parametrize("search", SEARCHES, ids=lambda one: one.__name__)


def pair(slot_s=0.5):
    """Two jobs of 3 GPUs on three servers of 2, where to wait pays.

    τ is 1.05 s alone and 2.55 s together. In slots of 2.6 s that is 2 iterations or 1: 5 slots for
    10 iterations each alone, so 10 slots in a row, and both together.
    """
    return waiting_pays().changed(slot_s=slot_s)


def fixed(*jobs, gpus=(1,), slot_s=1.0):
    """Jobs as (gpus, duration_s, arrival_s, weight)."""
    rows = [
        Job(f"j{i}", g, 1, compute_s=d, arrival_s=r, weight=w)
        for i, (g, d, r, w) in enumerate(jobs)
    ]
    servers = [Server(f"s{i}", count) for i, count in enumerate(gpus)]
    return Instance("hand", Cluster(servers), rows, RateModel("fixed"), slot_s=slot_s)


@every_search
def test_one_after_the_other_or_both_at_once(search):
    # 2.1 s: 2 iterations alone, none together, so 5 slots and 5 slots.
    found = search(pair(2.1))
    assert (found.value, found.bound, found.is_complete) == (21.0, 21.0, True)
    assert sorted(found.schedule.start_s.tolist()) == [0.0, 10.5]
    # 5.1 s: 4 or 2; alone 3 + 3 slots, together 5.
    assert search(pair(5.1)).value == 25.5
    assert (found.scope, found.stopped_by, found.method) == ("all", "", NAMES[search])


@pytest.mark.parametrize("search", [cp_sat, lazy_contention])
def test_sums_of_completions(search):
    # Slots of 5.1 s. The first is done by 8 in two slots alone and 2 more in the third, which it
    # shares; the second by 2, 4 and 4: ends 3 and 5, where in a row they are 3 and 6.
    assert search(pair(5.1), objective="mean_jct").value == pytest.approx(4 * 5.1, rel=1e-12)
    # One GPU: 3 slots of weight 1 and 1 slot of weight 2.5; the short one first: 2.5 + 4.
    instance = fixed((1, 3.0, 0.0, 1.0), (1, 1.0, 0.0, 2.5))
    found = search(instance, objective="weighted_jct")
    assert found.value == found.bound == pytest.approx(6.5 / 3.5, rel=1e-12)


@pytest.mark.parametrize("weights", [(0.1, 0.7), (1 / 3, 2**-0.5), (1e-6, 3e5), (0.0, 1.0)])
@pytest.mark.parametrize("search", [cp_sat, lazy_contention])
def test_weights_of_all_sorts(search, weights):
    # One GPU, 3 and 1 slots: the better of both orders.
    first, second = weights
    expected = min(3 * first + 4 * second, 4 * first + second) / (first + second)
    instance = fixed((1, 3.0, 0.0, first), (1, 1.0, 0.0, second))
    found = search(instance, objective="weighted_jct", below=1e6, lower_s=1e-12)
    assert found.is_complete
    assert found.value == pytest.approx(expected, rel=1e-9)


@every_search
def test_arrivals_within_a_slot_wait_for_the_next(search):
    # Slots of 2 s. 3 s are 2 slots. The arrival at 2.5 counts from slot 2 on.
    found = search(fixed((1, 3.0, 2.5, 1.0), slot_s=2.0))
    assert (found.value, found.schedule.start_s.tolist()) == (8.0, [4.0])


@pytest.mark.parametrize("search", [cp_sat, lazy_contention])
def test_idling_for_an_arrival_can_pay(search):
    # As in the brute force's test: 22/11 by idling for the job of weight 10.
    instance = fixed((1, 10.0, 0.0, 1.0), (1, 1.0, 1.0, 10.0))
    found = search(instance, objective="weighted_jct")
    assert (found.value, found.schedule.start_s.tolist()) == (2.0, [1.0, 2.0])


@every_search
def test_late_clocks(search):
    """Times count from the first arrival, so clocks of today do not blow up the model."""
    instance = fixed((1, 2.0, 1.7e9, 1.0), (1, 2.0, 1.7e9 + 1, 1.0))
    assert search(instance).value == 1.7e9 + 4


@every_search
def test_a_pool_of_gpus_ignores_servers(search):
    # 2 + 2 GPUs; jobs of 3 GPUs may take them anywhere if durations are fixed.
    found = search(fixed((3, 2.0, 0.0, 1.0), (1, 2.0, 0.0, 1.0), gpus=(2, 2)))
    assert found.value == 2.0
    assert verify(
        fixed((3, 2.0, 0.0, 1.0), (1, 2.0, 0.0, 1.0), gpus=(2, 2)), found.schedule
    ).is_valid


@every_search
def test_a_job_that_stalls_everywhere(search):
    jobs = [Job("a", 2, 5, gradient_bytes=1e9, compute_s=0.1), Job("b", 1, 5, compute_s=0.1)]
    fabric = Fabric(inter_bytes_per_s=1e8)
    found = search(Instance("stuck", Cluster.uniform(2, 1, fabric=fabric), jobs, slot_s=1.0))
    assert (found.schedule, found.bound, found.is_complete) == (None, float("inf"), True)


@every_search
def test_a_local_ring_may_be_slower_than_a_spread_one(search):
    """Not a level model: one server is slower than two, and still rates depend on both counts."""
    fabric = Fabric(intra_bytes_per_s=1e8, inter_bytes_per_s=1e9)
    job = Job("a", 2, 12, gradient_bytes=1e8, compute_s=0.1)
    # τ = .1 + 1 on one server, .1 + .1 on two: 5 iterations a slot, 12 take 3 slots.
    found = search(Instance("inside", Cluster.uniform(2, 2, fabric=fabric), [job], slot_s=1.1))
    assert found.value == pytest.approx(3 * 1.1)
    assert found.schedule.placements[0].servers == (0, 1)


@every_search
def test_below_and_hint(search):
    best = search(pair(5.1)).schedule
    found = search(pair(5.1), below=25.5)
    assert (found.schedule, found.is_complete, found.bound) == (None, True, 25.5)
    found = search(pair(5.1), hint=best)
    assert (found.value, found.is_complete, found.bound) == (25.5, True, 25.5)
    told = []
    found = search(pair(5.1), below=100.0, on_incumbent=lambda schedule, value: told.append(value))
    assert found.value == 25.5 and told[-1] == 25.5 and told == sorted(told, reverse=True)


@every_search
def test_what_others_have_reached_ends_it(search):
    bounds = []
    found = search(pair(5.1), below=100.0, known=lambda: 25.5, on_bound=bounds.append)
    assert found.is_complete and found.bound == 25.5
    assert bounds == sorted(bounds) and bounds[-1] == 25.5


@every_search
def test_continuous_time_and_other_rates_are_refused(search):
    with pytest.raises(UnsupportedError, match="slot_s"):
        search(waiting_pays())
    jobs = [Job("a", 3, 5, gradient_bytes=1e8, compute_s=0.1)]
    fabric = Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=5e8)
    racks = Instance("racks", Cluster.uniform(4, 1, racks=2, fabric=fabric), jobs, slot_s=5.0)
    with pytest.raises(UnsupportedError, match="brute-force"):
        search(racks)


def test_horizons_are_refuted_for_the_makespan_alone():
    with pytest.raises(UnsupportedError, match="cp-sat"):
        destructive(pair(), objective="mean_jct")


@every_search
def test_too_many_slots_are_refused(search):
    with pytest.raises(TooLargeError, match="longer slot_s") as caught:
        search(forced(jobs=30, servers=8, slot_s=0.11), below=780.0, lower_s=700.0)
    assert caught.value.exit_code == 4


@every_search
def test_a_limit_is_no_proof_and_repeats(search):
    def run():
        told, bounds = [], []
        found = search(
            forced(jobs=12, servers=4, slot_s=1.0, seed=2),
            deterministic_limit=0.3,
            seed=7,
            below=70.0,
            lower_s=57.0,
            on_incumbent=lambda schedule, value: told.append((schedule_sha256(schedule), value)),
            on_bound=bounds.append,
        )
        assert not found.is_complete and found.stopped_by == "deterministic limit"
        return told, bounds, found.bound, found.nodes

    first = run()
    assert first == run()
    # 61 is the optimum.
    assert 57.0 <= first[2] <= 61.0
    assert all(value >= 61.0 for _, value in first[0])


@every_search
def test_no_time_at_all(search):
    instance = forced(jobs=12, servers=4, slot_s=1.0, seed=2)
    found = search(instance, time_limit_s=0.0, lower_s=40.0)
    assert (found.is_complete, found.stopped_by, found.bound) == (False, "time limit", 40.0)
    # The best list schedule.
    assert found.value == verify(instance, found.schedule).objectives["makespan"]
    assert search(instance, time_limit_s=0.0, below=60.0, lower_s=40.0).schedule is None


def test_a_limit_before_any_schedule(monkeypatch):
    monkeypatch.setattr("optsched.exact.slotted_search.list_schedules", lambda _: [])
    with pytest.raises(LimitReachedError, match="before its time limit"):
        cp_sat(forced(jobs=12, servers=4, slot_s=1.0, seed=2), time_limit_s=0.0)


@every_search
def test_interrupts(search):
    instance = forced(jobs=20, servers=6, slot_s=1.0, seed=1)
    threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT)).start()
    found = search(instance, lower_s=51.0, time_limit_s=30.0)
    assert (found.is_complete, found.stopped_by) == (False, "interrupt")
    assert found.schedule is not None
    found = search(instance, lower_s=51.0, should_stop=lambda: True)
    assert (found.is_complete, found.stopped_by) == (False, "interrupt")


@every_search
def test_searches_can_be_sent_to_other_processes(search):
    task = functools.partial(search, pair(5.1), workers=1)
    outcome = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(task))()))
    assert (outcome.value, outcome.is_complete) == (25.5, True)


@pytest.mark.parametrize("method", ["cp-sat", "lazy-contention", "destructive"])
def test_through_the_door(method):
    result = solve(light(jobs=12, servers=4, slot_s=1.0, seed=1), method=method, time_limit_s=60.0)
    assert (str(result.status), result.scope) == ("optimal", "all")


def test_the_model_as_files(tmp_path):
    from optsched.solvers import load_cp_model, solve_cp_model

    text, binary = write_cp_sat(pair(5.1), "makespan", tmp_path)
    assert (text.name, binary.name) == ("cpsat-slotted.txt", "cpsat-slotted.pb")
    model = load_cp_model().CpModel()
    model.proto.parse_text_format(text.read_text())
    answer = solve_cp_model(model)
    assert (answer.status, answer.value) == ("optimal", 5)
    assert binary.stat().st_size > 100


@pytest.mark.parametrize("search", [cp_sat, lazy_contention])
def test_a_model_at_which_the_presolve_of_the_solver_breaks_off(search):
    """OR-Tools 9.15 raises an IndexError here as long as it looks for symmetries."""
    instance = contended(jobs=5, servers=2, seed=703915, slot_s=4.0)
    found = search(instance, objective="mean_jct", time_limit_s=60)
    enumerated = brute_force(instance, objective="mean_jct", starts="slots", time_limit_s=60)
    assert enumerated.is_complete and found.is_complete
    assert found.value == pytest.approx(enumerated.value, rel=1e-9)
