"""Means, ratios and reductions of runs, worked out by hand."""

import math
from dataclasses import replace

import pytest

from optsched.study.dally_run import DallyRun, RunBound
from optsched.study.dally_schedulers import DALLY_SCHEDULERS, named_specs, with_lease
from optsched.study.dally_summary import REDUCED, largest, paired_reductions, summarise
from optsched.study.dally_workload import DallySetting
from optsched.study.job_groups import GroupFigures
from optsched.study.run import versions
from optsched.study.specification import SchedulerSpecError, make_scheduler
from optsched.study.statistics import mean_interval

SETTING = DallySetting("batch", 2, 8, 8, "congested")
SCHEDULERS = {"dally": "dally:lease_s=3600", "gandiva": "gandiva:lease_s=3600", "sjf": "sjf"}
FIGURES = GroupFigures(
    jobs=3,
    makespan_s=100.0,
    mean_jct_s=50.0,
    median_jct_s=40.0,
    p95_jct_s=90.0,
    queueing_s=5.0,
    communication_s=10.0,
    gpu_communication_s=40.0,
    communication_share=0.1,
    gpu_communication_share=0.2,
    machine_share=0.5,
    rack_share=0.25,
    network_share=0.25,
    preemptions=2,
)


def a_run(spec, seed, makespan_s, communication_s=10.0, setting=SETTING):
    figures = replace(FIGURES, makespan_s=makespan_s, communication_s=communication_s)
    return DallyRun(
        workload="hand",
        setting=setting,
        spec=spec,
        seed=seed,
        scheduler=spec,
        instance="0" * 64,
        schedule_class="continuous, preemptive",
        apart="net",
        values={"makespan": makespan_s, "mean_jct": 50.0},
        bounds={"makespan": RunBound(80.0, "area"), "mean_jct": RunBound(40.0, "durations")},
        utilisation=0.5,
        groups={"all": figures},
        cpu_s=0.1,
        versions=versions(),
    )


def test_the_interval_is_students():
    # Mean 12, standard error 1, and 4.3027 is the 97.5% point for two degrees of freedom.
    found = mean_interval([12 - math.sqrt(3), 12.0, 12 + math.sqrt(3)])
    assert found.mean == pytest.approx(12.0)
    assert found.half_width == pytest.approx(4.302652729749464)
    assert math.isnan(mean_interval([1.0]).half_width)
    assert math.isnan(mean_interval([]).mean)


def test_summaries_have_means_and_ratios_to_the_bound():
    runs = [a_run("sjf", seed, makespan_s) for seed, makespan_s in enumerate((100.0, 120.0))]
    (summary,) = summarise(runs, SCHEDULERS)
    assert (summary.scheduler, summary.runs) == ("sjf", 2)
    assert summary.groups["all"]["makespan_s"].mean == 110.0
    assert summary.ratios["makespan"].mean == pytest.approx((100 / 80 + 120 / 80) / 2)
    assert summary.ratios["mean_jct"].mean == 50 / 40
    assert summary.methods == {"makespan": "area", "mean_jct": "durations"}


def test_reductions_pair_the_runs_of_a_seed():
    runs = [
        a_run("dally:lease_s=3600", 0, 60.0),
        a_run("dally:lease_s=3600", 1, 90.0),
        # The order of the lines does not matter, nor a seed that the other has not run.
        a_run("gandiva:lease_s=3600", 1, 100.0),
        a_run("gandiva:lease_s=3600", 0, 100.0),
        a_run("sjf", 1, 60.0, communication_s=0.0),
    ]
    found = {(one.baseline, one.quantity): one for one in paired_reductions(runs, SCHEDULERS)}
    assert found["gandiva", "makespan"].by_seed == pytest.approx((0.4, 0.1))
    assert found["gandiva", "makespan"].interval.mean == pytest.approx(0.25)
    assert found["sjf", "makespan"].by_seed == pytest.approx((-0.5,))
    # Nothing can be saved where there is nothing.
    assert ("sjf", "communication") not in found
    assert found["sjf", "communication, by GPUs"].by_seed == (0.0,)


def test_without_dally_there_is_nothing_to_hold_against_others():
    assert paired_reductions([a_run("sjf", 0, 60.0)], {"sjf": "sjf"}) == []


def test_the_largest_reduction_is_that_of_the_means():
    other = replace(SETTING, arrivals="poisson")
    runs = [
        a_run("dally:lease_s=3600", 0, 50.0),
        a_run("gandiva:lease_s=3600", 0, 100.0),
        a_run("sjf", 0, 200.0),
        a_run("dally:lease_s=3600", 0, 50.0, setting=other),
        a_run("gandiva:lease_s=3600", 0, 125.0, setting=other),
    ]
    reductions = paired_reductions(runs, SCHEDULERS)
    best = largest(reductions, "makespan", ["gandiva"])
    assert (best.setting, best.interval.mean) == (other, pytest.approx(0.6))
    assert largest(reductions, "makespan").baseline == "sjf"
    assert largest([], "makespan") is None


def test_what_is_reduced_is_a_figure():
    assert set(REDUCED.values()) <= set(GroupFigures.names())


def test_a_run_is_read_back_as_it_was():
    run = a_run("sjf", 3, 60.0)
    assert DallyRun.from_dict(run.as_dict(), place="here") == run


@pytest.mark.parametrize("name", DALLY_SCHEDULERS)
def test_every_scheduler_of_the_study_exists(name):
    spec = DALLY_SCHEDULERS[name]
    scheduler = make_scheduler(spec)
    longer = make_scheduler(with_lease(spec, 1.25))
    if "lease_s" in scheduler.parameters:
        assert scheduler.parameters["lease_s"] == 3600
        assert longer.parameters == {**scheduler.parameters, "lease_s": 4500.0}
    else:
        assert longer.parameters == scheduler.parameters


def test_schedulers_are_named_by_the_study_or_by_themselves():
    assert named_specs() == DALLY_SCHEDULERS
    with pytest.raises(SchedulerSpecError, match="patience"):
        named_specs(["dally:patience=3"])
