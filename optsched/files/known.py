"""What is known about the shipped instances: best schedules, bounds, and who proved them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from optsched.core.data_files import data_directory
from optsched.core.document import instance_sha256
from optsched.core.errors import FileFormatError
from optsched.core.instance import Instance
from optsched.core.metrics import Objective, checked_objective
from optsched.core.result import VIOLATION_TOLERANCE, Bound, Status
from optsched.core.schedule import Schedule, schedule_sha256
from optsched.files.catalogue import ALIASES
from optsched.files.known_file import (
    KNOWN_FILE,
    BoundEntry,
    KnownEntry,
    KnownInstance,
    known_text,
    load_known_document,
    replace_file,
)
from optsched.files.library import LIBRARY
from optsched.files.schedule_file import load_schedule, schedule_text

__all__ = [
    "KnownResult",
    "known",
    "known_bounds",
    "known_results",
    "known_schedule",
    "save_known",
    "schedule_path",
]

#: Key of a result: name of the instance and objective.
Key = tuple[str, Objective]


@dataclass(frozen=True, slots=True)
class KnownResult:
    """The best schedule and the best bounds known for an instance and an objective.

    Parameters
    ----------
    instance, instance_sha256
        Name of the instance, and the hash of its content.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    value, value_method
        Objective of the best non-preemptive schedule in seconds, and what made the schedule.
    status, scope
        ``optimal`` with a proof, and among which schedules; else ``feasible``.
    proof
        What proves it, in words; empty without a proof.
    bounds
        The strongest lower bound of each class of schedules, the strongest first. All of them hold
        for non-preemptive schedules, some also for preemptive ones.
    schedule_sha256
        Hash of the schedule that has the value.
    time_limit_s
        The longest search for better, in seconds a run.
    version
        The version of optsched that found what stands here.
    date
        When the value, a bound or the status became what it is.
    """

    instance: str
    instance_sha256: str
    objective: Objective
    value: float
    value_method: str
    status: Status
    scope: str
    proof: str
    bounds: tuple[Bound, ...]
    schedule_sha256: str
    time_limit_s: float
    version: str
    date: datetime.date

    @property
    def bound(self) -> Bound:
        """The strongest bound that holds for all non-preemptive schedules."""
        return self.bounds[0]

    @property
    def gap(self) -> float | None:
        """value/bound − 1, the most that the value may be above the optimum; None at bound 0."""
        return self.value / self.bound.value - 1.0 if self.bound.value > 0 else None

    @property
    def is_proved(self) -> bool:
        """True if no non-preemptive schedule is better."""
        return self.value <= self.bound.value * (1 + VIOLATION_TOLERANCE)

    @property
    def status_text(self) -> str:
        """``optimal``, ``optimal, event-aligned`` or ``open``."""
        if self.is_proved:
            return "optimal"
        return "open" if self.status is not Status.OPTIMAL else f"optimal, {self.scope}"

    @classmethod
    def of(
        cls, name: str, objective: Objective, about: KnownInstance, entry: KnownEntry
    ) -> KnownResult:
        """Make a result of a table of ``known.toml``."""
        bounds = [bound.as_bound(objective, about.rate_model) for bound in entry.bounds]
        return cls(
            instance=name,
            instance_sha256=about.sha256,
            objective=objective,
            value=entry.value,
            value_method=entry.value_method,
            status=entry.status,
            scope=entry.scope,
            proof=entry.proof,
            bounds=tuple(sorted(bounds, key=lambda bound: -bound.value)),
            schedule_sha256=entry.schedule_sha256,
            time_limit_s=entry.time_limit_s,
            version=entry.version,
            date=entry.date,
        )

    def as_entry(self) -> KnownEntry:
        """Return it as a table of ``known.toml``."""
        return KnownEntry(
            status=self.status,
            scope="all" if self.scope == "all" else "event-aligned",
            value=self.value,
            value_method=self.value_method,
            proof=self.proof,
            bounds=[BoundEntry.of(bound) for bound in self.bounds],
            schedule_sha256=self.schedule_sha256,
            time_limit_s=self.time_limit_s,
            version=self.version,
            date=self.date,
        )


def known_results(directory: Path | None = None) -> Mapping[Key, KnownResult]:
    """Return all that is known, by name of the instance and objective.

    Parameters
    ----------
    directory
        Where ``known.toml`` is; None: among the data of the package.

    Raises
    ------
    FileFormatError
        If the file cannot be used.

    Examples
    --------
    >>> known_results()["waiting-pays", "makespan"].value
    21.0
    """
    path = (directory or data_directory("instances")) / KNOWN_FILE
    if not path.exists():
        return {}
    return _read(path, path.stat().st_mtime_ns)


def known(
    instance: Instance | str, objective: str = "makespan", *, directory: Path | None = None
) -> KnownResult | None:
    """Return what is known about an instance, None if nothing is.

    Parameters
    ----------
    instance
        Name of a shipped instance, or an instance: one of the same content is found, whatever it
        is called and wherever it comes from.
    objective
        ``makespan``, ``mean_jct`` or ``weighted_jct``.
    directory
        As for :func:`known_results`.

    Examples
    --------
    >>> result = known("interior-start", "weighted_jct")
    >>> round(result.value * 9), result.status_text, result.bound.method
    (832, 'optimal', 'event-orders')
    >>> from optsched.generate import waiting_pays
    >>> known(waiting_pays()).instance, known("no-such-instance")
    ('waiting-pays', None)
    """
    wanted = checked_objective(objective)
    results = known_results(directory)
    if isinstance(instance, str):
        return results.get((ALIASES.get(instance, instance), wanted))
    sha256 = instance_sha256(instance)
    same_name = results.get((instance.name, wanted))
    candidates = results.values() if same_name is None else (same_name, *results.values())
    for result in candidates:
        if result.objective == wanted and result.instance_sha256 == sha256:
            return result
    return None


def known_schedule(
    result: KnownResult, instance: Instance, *, directory: Path | None = None
) -> Schedule | None:
    """Return the stored schedule that attains a known result; None if it is not stored.

    Parameters
    ----------
    result
        What :func:`known` returned.
    instance
        The instance it is about.
    directory
        As for :func:`known_results`.

    Raises
    ------
    FileFormatError
        If the file cannot be used, or holds another schedule than the result names.

    Examples
    --------
    >>> from optsched.generate import waiting_pays
    >>> known_schedule(known("waiting-pays"), waiting_pays()).end_time_s
    21.0
    """
    path = schedule_path(result.instance, result.objective, directory=directory)
    if not path.exists():
        return None
    schedule = load_schedule(path, instance)
    found = schedule_sha256(schedule)
    if found != result.schedule_sha256:
        raise FileFormatError(
            f"{path}: expected the schedule with sha256 {result.schedule_sha256[:12]} that "
            f"{KNOWN_FILE} names, got {found[:12]}; certify {result.instance} anew"
        )
    return schedule


def schedule_path(instance: str, objective: Objective, *, directory: Path | None = None) -> Path:
    """Return where the schedule of a known result is stored, whether it is or not."""
    folder = (directory or data_directory("instances")) / "schedules"
    return folder / f"{instance}.{objective.replace('_', '-')}.json"


def save_known(
    result: KnownResult, instance: Instance, schedule: Schedule, *, directory: Path | None = None
) -> None:
    """Write a result into ``known.toml``, and its schedule beside it.

    Each file is written in one step, the schedule first: whoever stops the program in between
    leaves a schedule that is at least as good as what is said of it. What was known of an instance
    of another content goes.

    Parameters
    ----------
    result, instance, schedule
        What is known now.
    directory
        As for :func:`known_results`.
    """
    folder = directory or data_directory("instances")
    path = folder / KNOWN_FILE
    document = load_known_document(path) if path.exists() else {}
    about = document.get(result.instance)
    if about is None or about.sha256 != result.instance_sha256:
        about = KnownInstance(sha256=result.instance_sha256, rate_model=instance.rate_model.name)
    entries = about.entries | {result.objective: result.as_entry()}
    document[result.instance] = KnownInstance(
        sha256=about.sha256, rate_model=about.rate_model, **entries
    )
    stored = schedule_path(result.instance, result.objective, directory=directory)
    stored.parent.mkdir(exist_ok=True)
    replace_file(stored, schedule_text(instance, schedule))
    order = [name for names in LIBRARY.values() for name in names]
    replace_file(path, known_text(document, order))


@lru_cache(maxsize=4)
def _read(path: Path, modified_ns: int) -> Mapping[Key, KnownResult]:
    """Read the file; the time of its last change tells the cache when to read it again."""
    return {
        (name, objective): KnownResult.of(name, objective, about, entry)
        for name, about in load_known_document(path).items()
        for objective, entry in about.entries.items()
    }


def known_bounds(instance: Instance, objective: Objective) -> list[Bound]:
    """Return the certified bounds of an instance, labelled as such; none if nothing is known.

    Examples
    --------
    >>> from optsched.generate import waiting_pays
    >>> [(bound.method, bound.value) for bound in known_bounds(waiting_pays(), "makespan")]
    [('known optimum', 21.0)]
    """
    result = known(instance, objective)
    if result is None:
        return []
    return [_labelled(bound, result) for bound in result.bounds]


def _labelled(bound: Bound, result: KnownResult) -> Bound:
    """Return a bound under a name that says that it was looked up."""
    is_optimum = result.is_proved and result.value <= bound.value * (1 + VIOLATION_TOLERANCE)
    return Bound(
        bound.objective,
        bound.value,
        "known optimum" if is_optimum else f"known {bound.method}",
        bound.problem_class,
        (f"Certified with optsched {result.version} on {result.date}.",),
    )
