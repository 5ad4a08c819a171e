"""The study of Dally: every policy on every setting, several seeds, kept in a file as it goes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from optsched.core.errors import OptschedError
from optsched.study.dally_run import DallyRun, DallyTask, instance_of_runs, run_task
from optsched.study.dally_workload import DallySetting, TraceFolder, Workload
from optsched.study.parallel import each_finished
from optsched.study.run import versions
from optsched.study.run_log import appending, read_lines

__all__ = ["RUNS_FILE", "DallyStudy", "crossed", "kept_runs", "reproduce_dally"]

RUNS_FILE = "runs.jsonl"

#: Called with (runs done, runs in all, the run), also for those that were there before.
OnRun = Callable[[int, int, DallyRun], None]


@dataclass(frozen=True, slots=True)
class DallyStudy:
    """What is run.

    Parameters
    ----------
    workload
        The jobs.
    settings
        Where and how they arrive.
    schedulers
        Name in tables to scheduler.
    seeds
        How many seeds, from 0.
    """

    workload: Workload
    settings: Sequence[DallySetting]
    schedulers: Mapping[str, str]
    seeds: int

    def tasks(self) -> list[DallyTask]:
        """Return all runs; each seed is done everywhere before the next one begins."""
        return [
            DallyTask(self.workload, setting, spec, seed)
            for seed in range(self.seeds)
            for setting in self.settings
            for spec in dict.fromkeys(self.schedulers.values())
        ]


@dataclass(frozen=True, slots=True)
class _Failed:
    """A task that raised an error, which may not be fit to be sent to another process."""

    task: DallyTask


def reproduce_dally(
    study: DallyStudy,
    folder: Path,
    *,
    workers: int = 1,
    on_run: OnRun | None = None,
) -> list[DallyRun]:
    """Do the runs of a study that are not in a folder yet, and return all, in order.

    Parameters
    ----------
    study
        What to run.
    folder
        Where ``runs.jsonl`` is, or will be; each run is added to it when it is done.
    workers
        Processes.
    on_run
        Called with each run, at first with those that are there already.

    Raises
    ------
    ViolatedBoundError
        If a schedule is better than a bound of its class.
    OptschedError
        If a scheduler fails, or the file holds runs of another version.

    Examples
    --------
    >>> import tempfile
    >>> from optsched.study.dally_workload import Twin
    >>> study = DallyStudy(Twin(jobs=20), [DallySetting("batch", 2, 4, 8, "normal")],
    ...     {"sjf": "sjf", "srtf": "srtf"}, seeds=1)
    >>> with tempfile.TemporaryDirectory() as there:
    ...     first = reproduce_dally(study, Path(there))
    ...     again = reproduce_dally(study, Path(there))
    >>> [run.spec for run in again], again == first
    (['sjf', 'srtf'], True)
    """
    if isinstance(study.workload, TraceFolder):
        study.workload.check()
    tasks = study.tasks()
    identity = study.workload.identity
    position = {(identity, task.setting, task.spec, task.seed): task for task in tasks}
    done: dict[DallyTask, DallyRun] = {}

    def keep(run: DallyRun) -> None:
        done[position[run.key]] = run
        if on_run is not None:
            on_run(len(done), len(tasks), run)

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / RUNS_FILE
    for run in kept_runs(path):
        if run.key in position and position[run.key] not in done:
            keep(run)
    _check_instances(study.workload, done.values(), path)
    missing = [task for task in tasks if task not in done]
    with appending(path) as append, closing(_outcomes(missing, workers)) as outcomes:
        for outcome in outcomes:
            append(outcome.as_dict())
            keep(outcome)
    return [done[task] for task in tasks]


def kept_runs(path: Path) -> list[DallyRun]:
    """Return the runs of a file.

    Raises
    ------
    OptschedError
        If they were made with another version of this package, whose schedules may be others.
    """
    runs = [
        DallyRun.from_dict(document, place=f"{path}:{number}")
        for number, document in enumerate(read_lines(path), start=1)
    ]
    mine = versions()["optsched"]
    for number, run in enumerate(runs, start=1):
        theirs = run.versions.get("optsched")
        if theirs != mine:
            raise OptschedError(
                f"{path}:{number}: expected runs of optsched {mine}, got one of {theirs}; "
                "name another directory"
            )
    return runs


def _check_instances(workload: Workload, kept: Iterable[DallyRun], path: Path) -> None:
    """Raise an error if kept runs are of other jobs, or another fabric of the same name."""
    first: dict[DallySetting, DallyRun] = {}
    for run in kept:
        first.setdefault(run.setting, run)
    for setting, run in first.items():
        if run.instance != instance_of_runs(workload, setting, run.seed):
            raise OptschedError(
                f"{path}: expected runs of the instance that {setting.name}, seed {run.seed}, is "
                f"now, got runs of another ({run.instance[:12]}); name another directory"
            )


def _outcomes(tasks: Sequence[DallyTask], workers: int) -> Generator[DallyRun, None, None]:
    failed: _Failed | None = None
    with closing(each_finished(_run_or_failed, tasks, workers=workers)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, _Failed):
                failed = outcome
                break
            yield outcome
    if failed is not None:
        # Here the same happens again, and the error keeps all that it carries.
        yield run_task(failed.task)


def _run_or_failed(task: DallyTask) -> DallyRun | _Failed:
    try:
        return run_task(task)
    except OptschedError:
        return _Failed(task)


def crossed(
    arrivals: Iterable[str], clusters: Iterable[tuple[int, int, int]], fabrics: Iterable[str]
) -> list[DallySetting]:
    """Return every combination as a setting.

    Examples
    --------
    >>> [one.name for one in crossed(["batch"], [(2, 8, 8)], ["normal", "congested"])]
    ['batch, 2×8×8, normal', 'batch, 2×8×8, congested']
    """
    listed, named = list(clusters), list(fabrics)
    return [
        DallySetting(arrival, racks, machines, gpus, fabric)  # type: ignore[arg-type]
        for arrival in arrivals
        for racks, machines, gpus in listed
        for fabric in named
    ]
