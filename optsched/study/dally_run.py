"""One run of the study of Dally: a scheduler on a workload, judged, measured and bounded."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsched.bounds import all_bounds, worthwhile_effort
from optsched.core.document import instance_sha256
from optsched.core.errors import FileFormatError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective
from optsched.core.result import Bound
from optsched.study.compare import strongest_bound
from optsched.study.dally_schedulers import with_lease
from optsched.study.dally_workload import DallySetting, Workload
from optsched.study.job_groups import (
    GroupFigures,
    group_figures,
    job_groups,
    most_latency_bound,
)
from optsched.study.run import run_scheduler, versions
from optsched.study.specification import make_scheduler

__all__ = ["OBJECTIVES", "DallyRun", "DallyTask", "RunBound", "instance_of_runs", "run_task"]

#: What is held against bounds.
OBJECTIVES: tuple[Objective, ...] = ("makespan", "mean_jct")


@dataclass(frozen=True, slots=True)
class DallyTask:
    """What is to be run.

    Parameters
    ----------
    workload, setting, seed
        The jobs, and where they run.
    spec
        The scheduler, before its lease is changed with the seed.
    """

    workload: Workload
    setting: DallySetting
    spec: str
    seed: int


@dataclass(frozen=True, slots=True)
class RunBound:
    """A lower bound on an objective of a run, in seconds, and what proved it."""

    value: float
    method: str


@dataclass(frozen=True, slots=True)
class DallyRun:
    """A finished run.

    Parameters
    ----------
    workload
        Identity of the workload.
    setting, spec, seed
        As in :class:`DallyTask`.
    scheduler
        The scheduler that ran, with the lease it had.
    instance
        Hash of the instance.
    schedule_class
        The class of the schedule.
    apart
        The profile that stands apart.
    values, bounds
        The objectives in seconds, and the strongest lower bound of the schedule's class on each.
    utilisation
        Share of the GPU time up to the makespan that jobs hold.
    groups
        Figures of each group of jobs.
    cpu_s
        Processor time of the simulation and the judge's replay.
    versions
        What it was made with.
    """

    workload: str
    setting: DallySetting
    spec: str
    seed: int
    scheduler: str
    instance: str
    schedule_class: str
    apart: str
    values: Mapping[str, float]
    bounds: Mapping[str, RunBound]
    utilisation: float
    groups: Mapping[str, GroupFigures]
    cpu_s: float
    versions: Mapping[str, str]

    @property
    def key(self) -> tuple[str, DallySetting, str, int]:
        """What tells it from other runs of a study."""
        return (self.workload, self.setting, self.spec, self.seed)

    def ratio(self, objective: str) -> float:
        """Return an objective over its bound."""
        return self.values[objective] / self.bounds[objective].value

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, one line of the file of runs."""
        return {
            "workload": self.workload,
            "setting": asdict(self.setting),
            "spec": self.spec,
            "seed": self.seed,
            "scheduler": self.scheduler,
            "instance": self.instance,
            "schedule_class": self.schedule_class,
            "apart": self.apart,
            "values": dict(self.values),
            "bounds": {name: asdict(bound) for name, bound in self.bounds.items()},
            "utilisation": self.utilisation,
            "groups": {name: asdict(figures) for name, figures in self.groups.items()},
            "cpu_s": self.cpu_s,
            "versions": dict(self.versions),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, place: str) -> DallyRun:
        """Read what :meth:`as_dict` returns.

        Raises
        ------
        FileFormatError
            If it is something else; the message begins with ``place``.
        """
        try:
            return cls(
                **{
                    **document,
                    "setting": DallySetting(**document["setting"]),
                    "bounds": {k: RunBound(**one) for k, one in document["bounds"].items()},
                    "groups": {k: GroupFigures(**one) for k, one in document["groups"].items()},
                }
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise FileFormatError(
                f"{place}: expected a run of this study, got something else ({error}); "
                "take the line out, or name another directory"
            ) from error


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """What all schedulers on one instance share."""

    identity: str
    instance: Instance
    sha256: str
    apart: str
    groups: Mapping[str, NDArray[np.bool_]]
    bounds: Mapping[str, list[Bound]]


@lru_cache(maxsize=1)
def _prepared(workload: Workload, setting: DallySetting, seed: int) -> _Prepared:
    instance = workload.instance(setting, seed)
    apart = most_latency_bound(instance)
    return _Prepared(
        workload.identity,
        instance,
        instance_sha256(instance),
        apart,
        job_groups(instance, apart),
        {
            objective: all_bounds(
                instance, objective, effort=worthwhile_effort(instance, objective)
            )
            for objective in OBJECTIVES
        },
    )


def instance_of_runs(workload: Workload, setting: DallySetting, seed: int) -> str:
    """Return the hash of the instance that is run."""
    return _prepared(workload, setting, seed).sha256


def run_task(task: DallyTask) -> DallyRun:
    """Run a scheduler, have the judge replay it, and hold it against the bounds of its class.

    Raises
    ------
    ViolatedBoundError
        If it is better than a bound of its class.

    Examples
    --------
    >>> from optsched.study.dally_workload import Twin
    >>> setting = DallySetting("batch", 2, 4, 8, "congested")
    >>> done = run_task(DallyTask(Twin(jobs=20), setting, "srtf", 0))
    >>> done.ratio("makespan") >= 1.0, done.groups["all"].jobs, done.apart
    (True, 20, 'mobilenet-v3-large')
    """
    prepared = _prepared(task.workload, task.setting, task.seed)
    spec = with_lease(task.spec, task.workload.lease_factor(task.seed))
    scheduler = make_scheduler(spec)
    began_s = time.process_time()
    result = run_scheduler(prepared.instance, scheduler, objective=OBJECTIVES[0], seed=task.seed)
    cpu_s = time.process_time() - began_s
    judgement, schedule = result.judgement, result.schedule
    assert judgement is not None and judgement.records is not None and schedule is not None
    values: dict[str, float] = {}
    bounds: dict[str, RunBound] = {}
    for objective in OBJECTIVES:
        values[objective] = judgement.figures[objective]
        of_objective = replace(result, objective=objective, value=values[objective])
        bound = strongest_bound(prepared.instance, of_objective, prepared.bounds[objective])
        bounds[objective] = RunBound(bound.value, bound.method)
    return DallyRun(
        workload=prepared.identity,
        setting=task.setting,
        spec=task.spec,
        seed=task.seed,
        scheduler=spec,
        instance=prepared.sha256,
        schedule_class=str(judgement.schedule_class),
        apart=prepared.apart,
        values=values,
        bounds=bounds,
        utilisation=judgement.metrics["utilisation"],
        groups=group_figures(prepared.instance, schedule, judgement.records, prepared.groups),
        cpu_s=cpu_s,
        versions=versions(),
    )
