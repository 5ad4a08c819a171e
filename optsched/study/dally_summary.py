"""What the runs of the study of Dally amount to: means, and Dally beside each baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from optsched.study.dally_run import OBJECTIVES, DallyRun
from optsched.study.dally_schedulers import DALLY
from optsched.study.dally_workload import DallySetting
from optsched.study.job_groups import GroupFigures
from optsched.study.statistics import Interval, mean_interval

__all__ = ["REDUCED", "DallySummary", "Reduction", "largest", "paired_reductions", "summarise"]

#: What the paper says Dally reduces, and the figures that measure it.
REDUCED: Mapping[str, str] = {
    "makespan": "makespan_s",
    "mean JCT": "mean_jct_s",
    "communication": "communication_s",
    "communication, by GPUs": "gpu_communication_s",
}


@dataclass(frozen=True, slots=True)
class DallySummary:
    """All runs of one scheduler in one setting.

    Parameters
    ----------
    setting, scheduler
        What was run, the scheduler by its name in tables.
    runs
        How many runs.
    ratios
        Of each objective to its bound.
    methods
        The bounds that they are ratios to.
    groups
        Group of jobs to figure to its mean; the figures are those of
        :class:`~optsched.study.job_groups.GroupFigures`.
    schedule_class
        The widest class among the schedules.
    cpu_s
        Processor time of a run.
    """

    setting: DallySetting
    scheduler: str
    runs: int
    ratios: Mapping[str, Interval]
    methods: Mapping[str, str]
    groups: Mapping[str, Mapping[str, Interval]]
    schedule_class: str
    cpu_s: Interval


@dataclass(frozen=True, slots=True)
class Reduction:
    """By how much less of something Dally needs than another scheduler, as a share of the other's.

    Parameters
    ----------
    setting, baseline
        Where, and compared with whom.
    quantity
        A name of :data:`REDUCED`.
    group
        The group of jobs.
    by_seed
        The share for each seed; below 0 where Dally needs more.
    """

    setting: DallySetting
    baseline: str
    quantity: str
    group: str
    by_seed: tuple[float, ...]

    @property
    def interval(self) -> Interval:
        """Mean over the seeds, with its interval."""
        return mean_interval(self.by_seed)


def summarise(runs: Iterable[DallyRun], schedulers: Mapping[str, str]) -> list[DallySummary]:
    """Return one summary for each setting and scheduler that has runs, in this order.

    Parameters
    ----------
    runs
        The runs.
    schedulers
        Name in tables to scheduler.
    """
    listed = list(runs)
    found = []
    for setting in dict.fromkeys(run.setting for run in listed):
        for name, spec in schedulers.items():
            own = [run for run in listed if run.setting == setting and run.spec == spec]
            if own:
                found.append(_summary(setting, name, own))
    return found


def paired_reductions(
    runs: Iterable[DallyRun],
    schedulers: Mapping[str, str],
    *,
    reference: str = DALLY,
    group: str = "all",
) -> list[Reduction]:
    """Return, for every setting, baseline and quantity, 1 − Dally's / the baseline's by seed.

    Both are on the same workload for each seed. Nothing is returned if the reference was not run,
    nor for quantities of which the baseline has none.

    Parameters
    ----------
    runs, schedulers
        As for :func:`summarise`.
    reference
        Name of the scheduler that is held against the others.
    group
        The group of jobs.
    """
    if reference not in schedulers:
        return []
    by_key = {(run.setting, run.spec, run.seed): run for run in runs}
    settings = dict.fromkeys(setting for setting, _, _ in by_key)
    found = []
    for setting in settings:
        for name, spec in schedulers.items():
            if name == reference:
                continue
            pairs = [
                (run.groups[group], other.groups[group])
                for (where, whose, seed), run in by_key.items()
                if where == setting
                and whose == schedulers[reference]
                and (other := by_key.get((setting, spec, seed))) is not None
                and group in run.groups
            ]
            for quantity, figure in REDUCED.items():
                shares = _reduced(pairs, figure)
                if shares:
                    found.append(Reduction(setting, name, quantity, group, shares))
    return found


def _reduced(pairs: Sequence[tuple[GroupFigures, GroupFigures]], figure: str) -> tuple[float, ...]:
    values = [(getattr(mine, figure), getattr(other, figure)) for mine, other in pairs]
    return tuple(1.0 - mine / other for mine, other in values if other > 0)


def _summary(setting: DallySetting, name: str, runs: Sequence[DallyRun]) -> DallySummary:
    figures = [{group: asdict(one) for group, one in run.groups.items()} for run in runs]
    common = [group for group in figures[0] if all(group in one for one in figures)]

    def over_runs(value: Callable[[DallyRun], float]) -> Interval:
        return mean_interval([value(run) for run in runs])

    return DallySummary(
        setting=setting,
        scheduler=name,
        runs=len(runs),
        ratios={
            objective: over_runs(lambda run, objective=objective: run.ratio(objective))  # type: ignore[misc]
            for objective in OBJECTIVES
        },
        methods={
            objective: ", ".join(sorted({run.bounds[objective].method for run in runs}))
            for objective in OBJECTIVES
        },
        groups={
            group: {
                figure: mean_interval([one[group][figure] for one in figures])
                for figure in GroupFigures.names()
            }
            for group in common
        },
        schedule_class=max((run.schedule_class for run in runs), key=len),
        cpu_s=over_runs(lambda run: run.cpu_s),
    )


def largest(
    reductions: Iterable[Reduction], quantity: str, baselines: Sequence[str] | None = None
) -> Reduction | None:
    """Return the reduction of a quantity with the largest mean; None without any.

    Parameters
    ----------
    reductions
        Of :func:`paired_reductions`.
    quantity
        A name of :data:`REDUCED`.
    baselines
        Those to look at; None: all.
    """
    wanted = [
        one
        for one in reductions
        if one.quantity == quantity
        and (baselines is None or one.baseline in baselines)
        and not math.isnan(one.interval.mean)
    ]
    return max(wanted, key=lambda one: one.interval.mean, default=None)
