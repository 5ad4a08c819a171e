"""Loads of GPUs: the two programs against enumeration, what they bound, and SJF-BCO's θ."""

import itertools
import random

import pytest
from method_agreement import tiny_slotted
from mip_solvers import MIP_SOLVERS
from slotted_instances import tiny_instance

from optsched.core.cluster import Cluster
from optsched.core.errors import BoundViolatedError, TooLargeError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.result import Status
from optsched.exact import brute_force, gpu_load, load_caps
from optsched.exact.gpu_load import least_gpu_load, write_gpu_load
from optsched.exact.gpu_load_search import longest_first
from optsched.exact.load_caps import compare_load_caps
from optsched.formulations.sjf_bco_ilp import gpu_load_program
from optsched.generate.hand import waiting_pays
from optsched.planners import SjfBco
from optsched.solvers import ProgramAnswer, solve_program


def enumerated(demands, work, gpus):
    """Return the least highest load over all choices of GPUs."""
    choices = [list(itertools.combinations(range(gpus), demand)) for demand in demands]
    least = float("inf")
    for chosen in itertools.product(*choices):
        load = [0.0] * gpus
        for job, used in enumerate(chosen):
            for gpu in used:
                load[gpu] += work[job]
        least = min(least, max(load))
    return least


def drawn(seed):
    """Return demands, whole work and GPUs, few enough to enumerate."""
    draw = random.Random(seed)
    gpus = draw.choice((2, 3, 4))
    jobs = draw.choice((3, 4, 5)) if gpus < 4 else 4
    demands = [draw.randint(1, gpus) for _ in range(jobs)]
    return demands, [float(draw.randint(1, 9)) for _ in range(jobs)], gpus


@pytest.mark.parametrize("solver", MIP_SOLVERS)
def test_min_max_is_the_least_of_all_choices(solver):
    for seed in range(25):
        demands, work, gpus = drawn(seed)
        program = gpu_load_program(demands, work, gpus)
        answer = solve_program(program.problem, solver=solver)
        least = enumerated(demands, work, gpus)
        assert answer.status == "optimal" and answer.value == pytest.approx(least), seed
        load = [0.0] * gpus
        for job, chosen in enumerate(program.assignment(answer.values)):
            assert len(chosen) == demands[job]
            for gpu in chosen:
                load[gpu] += work[job]
        assert max(load) == least


@pytest.mark.slow
def test_min_max_is_the_least_of_many():
    for seed in range(25, 400):
        demands, work, gpus = drawn(seed)
        answer = solve_program(gpu_load_program(demands, work, gpus).problem)
        assert answer.value == pytest.approx(enumerated(demands, work, gpus)), seed


@pytest.mark.parametrize("solver", MIP_SOLVERS)
def test_a_cap_is_kept_or_impossible(solver):
    for seed in range(10):
        demands, work, gpus = drawn(seed)
        least = enumerated(demands, work, gpus)
        kept = solve_program(gpu_load_program(demands, work, gpus, cap=least).problem)
        below = gpu_load_program(demands, work, gpus, cap=least - 1)
        assert kept.status == "optimal"
        assert solve_program(below.problem, solver=solver).status == "infeasible"


def two_ways(instance, **options):
    return [
        least_gpu_load(instance, approach=approach, **options)
        for approach in ("min-max", "bisection")
    ]


@pytest.mark.parametrize("solver", MIP_SOLVERS)
@pytest.mark.parametrize("work", ["estimate", "scaled", "best"])
def test_both_ways_agree(work, solver):
    for instance in tiny_slotted(4, most_slots=12):
        least, bisected = two_ways(instance, work=work, solver=solver)
        assert least.status is Status.OPTIMAL and bisected.status is Status.OPTIMAL
        # Slots are whole, scaled estimates are not.
        assert least.theta_s == pytest.approx(bisected.theta_s, rel=2e-4)
        assert least.lower_s <= least.theta_s and bisected.lower_s <= bisected.theta_s
        if work != "scaled":
            assert least.theta_s == bisected.theta_s == least.lower_s == bisected.lower_s
        for load in (least, bisected):
            assert [len(one) for one in load.gpus] == instance.jobs.gpus.tolist()


def test_the_bisection_says_what_it_decided():
    # 5 + 3 and 4 + 2 + 2 are 8 each; longest first has 5 + 2 and 4 + 3 + 2: 9.
    assert longest_first([1] * 5, [2.0, 2.0, 3.0, 4.0, 5.0], 2)[1] == 9.0
    jobs = [Job(f"j{i}", 1, f, compute_s=1.0) for i, f in enumerate((2, 2, 3, 4, 5))]
    five = Instance("five", Cluster.uniform(1, 2), jobs, slot_s=1.0)
    assert least_gpu_load(five, approach="bisection").caps_s == ((8.0, True),)
    # Three jobs of 2 GPUs on 3: any two meet on a GPU, three cannot on one; area 2, longest 1.
    trio = five.changed(
        cluster=Cluster.uniform(1, 3), jobs=[Job(name, 2, 1, compute_s=1.0) for name in "abc"]
    )
    assert least_gpu_load(trio).theta_s == 2.0


def test_best_durations_bound_the_makespan():
    for instance in tiny_slotted(12, most_slots=8, jobs=3):
        optimum = brute_force(instance, starts="slots").value
        for work in ("best", "scaled"):
            bound = least_gpu_load(instance, work=work).makespan_bound(instance)
            assert bound.value <= optimum * (1 + 1e-9), (instance.name, work)
            assert bound.problem_class.preemption == "none"
        assert least_gpu_load(instance).makespan_bound(instance) is None


def test_the_bound_counts_from_the_first_arrival():
    jobs = [Job(name, 1, 3, compute_s=1.0, arrival_s=10.5) for name in "ab"]
    late = Instance("late", Cluster.uniform(1, 1), jobs, slot_s=1.0)
    assert least_gpu_load(late, work="best").makespan_bound(late).value == 17.0
    assert brute_force(late, starts="slots").value == 17.0
    free = late.changed(slot_s=None)
    # Rounded down by what a solver may be off.
    assert least_gpu_load(free, work="best").makespan_bound(free).value == pytest.approx(16.5)


def test_a_load_is_not_a_makespan():
    # Two jobs of 3 GPUs on 6: no GPU has two, but the network has.
    pair = waiting_pays()
    load = least_gpu_load(pair, work="best")
    assert load.theta_s == pytest.approx(10.5)
    assert brute_force(pair).value == pytest.approx(21.0)


def test_a_limit_leaves_an_interval(monkeypatch):
    def limited(*_, **__):
        return ProgramAnswer("limit", None, float("-inf"), stopped_by="time limit")

    monkeypatch.setattr(gpu_load, "solve_program", limited)
    jobs = [Job(f"j{i}", 1, f, compute_s=1.0) for i, f in enumerate((2, 2, 3, 4, 5))]
    five = Instance("five", Cluster.uniform(1, 2), jobs, slot_s=1.0)
    for load in two_ways(five):
        assert (load.status, load.theta_s, load.lower_s) == (Status.FEASIBLE, 9.0, 8.0)
        assert load.caps_s == ()
    interrupted = ProgramAnswer("limit", None, float("-inf"), stopped_by="interrupt")
    monkeypatch.setattr(gpu_load, "solve_program", lambda *_, **__: interrupted)
    with pytest.raises(KeyboardInterrupt):
        least_gpu_load(five)


def test_the_cap_of_sjf_bco_is_never_below_the_least():
    for seed in range(6):
        instance = tiny_instance(seed, jobs=4)
        caps = compare_load_caps(instance)
        assert caps.ratio >= 1.0 and caps.most_ratio >= caps.ratio
        makespan_s = SjfBco().plan(instance).schedule.end_time_s
        assert caps.planner_makespan_s == makespan_s
        optimum = brute_force(instance, starts="events").value
        assert caps.program_makespan_s is None or caps.program_makespan_s >= optimum * (1 - 1e-9)


def test_a_cap_below_the_least_is_an_error(monkeypatch):
    instance = tiny_instance(1, jobs=3)
    true = least_gpu_load(instance)

    def wrong(*_, **__):
        return gpu_load.GpuLoad(
            2e3 * true.theta_s, 1e3 * true.theta_s, true.status, true.gpus, *("estimate", "", (), 0)
        )

    monkeypatch.setattr(load_caps, "least_gpu_load", wrong)
    with pytest.raises(BoundViolatedError, match="sjf-bco keeps a load cap"):
        compare_load_caps(instance)


def test_too_large():
    jobs = [Job(f"j{i}", 1, 1, compute_s=1.0) for i in range(400)]
    many = Instance("many", Cluster.uniform(20, 8), jobs)
    with pytest.raises(TooLargeError, match="64,000 binaries, jobs times GPUs, and 60,000 is"):
        least_gpu_load(many)


def test_words_are_checked():
    with pytest.raises(ValueError, match="work is one of estimate, scaled, best; got 'worst'"):
        least_gpu_load(waiting_pays(), work="worst")
    with pytest.raises(ValueError, match="approach is one of min-max, bisection; got 'guess'"):
        least_gpu_load(waiting_pays(), approach="guess")


def test_the_files_hold_both_programs(tmp_path):
    names = [file.name for file in write_gpu_load(waiting_pays(), tmp_path)]
    assert names == [
        f"sjf-bco-{which}.{kind}" for which in ("min-max", "theta") for kind in ("mps", "lp")
    ]
    text = (tmp_path / "sjf-bco-theta.lp").read_text(encoding="utf-8")
    assert "choose_gpus_0" in text and "limit_load_5" in text
