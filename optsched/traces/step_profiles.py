"""The measured profiles of Pollux (Qiao et al., OSDI 2021): time of a step, steps to the end."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass, field
from pathlib import Path

from optsched.core.errors import TraceError
from optsched.traces.fields import RowFault, parse_number
from optsched.traces.rows import Table, open_trace

__all__ = ["StepProfiles"]

#: Nodes of the cluster on which the profiles were measured have so many GPUs.
GPUS_PER_NODE = 4

#: Batch of a GPU to (time of a step, part of it that is synchronisation), both in seconds.
Steps = dict[int, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Application:
    """Profile of one application.

    Parameters
    ----------
    placements
        GPUs on each node, ascending, to the steps measured there.
    scales
        (nodes, GPUs) to the steps measured there.
    iterations
        Batch of the whole job to the iterations after which its training was at its end.
    """

    placements: dict[tuple[int, ...], Steps]
    scales: dict[tuple[int, int], Steps]
    iterations: dict[int, int]

    def duration_s(self, gpus: int, batch: int) -> float:
        """Return the run time of a job on the fewest nodes; see :class:`StepProfiles`.

        Raises
        ------
        RowFault
            If the profile does not tell it.
        """
        if batch not in self.iterations:
            raise RowFault("no profile of the training at this batch size", str(batch))
        return self.iterations[batch] * self._step_s(gpus, batch / gpus)

    def _step_s(self, gpus: int, local_batch: float) -> float:
        most = max((known for _, known in self.scales), default=0)
        if gpus > max([most, *map(sum, self.placements)]):
            raise RowFault("no profile on so many GPUs of the fewest nodes", f"{gpus} GPUs")
        nodes = -(-gpus // GPUS_PER_NODE)
        rest = gpus - (nodes - 1) * GPUS_PER_NODE
        fewest = tuple(sorted([GPUS_PER_NODE] * (nodes - 1) + [rest]))
        steps = self.placements.get(fewest) or self.scales.get((nodes, gpus))
        if not steps:
            raise RowFault("no profile on so many GPUs of the fewest nodes", f"{gpus} GPUs")
        # What does not fit on a GPU is computed in several passes, and only the last one sends.
        passes = math.ceil(local_batch / max(steps))
        step_s, sync_s = _interpolated(steps, local_batch / passes)
        return passes * step_s - (passes - 1) * sync_s


@dataclass(frozen=True, slots=True)
class StepProfiles:
    """A folder with a folder of tables for each application, read when it is asked for.

    A job runs for the iterations of the last row of ``validation-BATCH.csv``, each of them a step
    of ``placements.csv`` (else ``scalability.csv``) on the fewest nodes of 4 GPUs, linear between
    the measured batches of a GPU. A larger batch than measured takes several passes, of which one
    synchronises, as in Pollux' own simulator.

    Examples
    --------
    >>> StepProfiles(Path("nowhere")).duration_s("bert", 8, 384)
    Traceback (most recent call last):
        ...
    optsched.traces.fields.RowFault: ('application has no profile', 'bert')
    """

    folder: Path
    _read: dict[str, Application | None] = field(default_factory=dict)

    def duration_s(self, application: str, gpus: int, batch: int) -> float:
        """Return the run time of a job.

        Raises
        ------
        RowFault
            If there is no profile, or it does not tell.
        TraceError
            If a table of the profile cannot be read.
        """
        if application not in self._read:
            self._read[application] = _application(self.folder, application)
        profile = self._read[application]
        if profile is None:
            raise RowFault("application has no profile", application)
        return profile.duration_s(gpus, batch)


def _application(folder: Path, name: str) -> Application | None:
    # A name from a trace must not lead out of the folder.
    if not name.isidentifier() or not (folder / name).is_dir():
        return None
    placements: dict[tuple[int, ...], Steps] = {}
    for row in _rows(folder / name / "placements.csv", ("placement", *STEP_COLUMNS)):
        # One digit a node: text, not a number.
        placement = tuple(sorted(int(digit) for digit in row[0] if digit.isdigit()))
        placements.setdefault(placement, {}).setdefault(*_step(row[1:]))
    scales: dict[tuple[int, int], Steps] = {}
    for row in _rows(
        folder / name / "scalability.csv", ("num_nodes", "num_replicas", *STEP_COLUMNS)
    ):
        scales.setdefault((int(row[0]), int(row[1])), {}).setdefault(*_step(row[2:]))
    iterations = {}
    for path in sorted((folder / name).glob("validation-*.csv")):
        batch = path.stem.removeprefix("validation-")
        if batch.isdigit():
            rows = _rows(path, ("iteration",))
            iterations[int(batch)] = int(rows[-1][0])
    return Application(placements, scales, iterations)


STEP_COLUMNS = ("local_bsz", "step_time", "sync_time")


def _step(row: list[str]) -> tuple[int, tuple[float, float]]:
    return int(row[0]), (float(row[1]), float(row[2]))


def _rows(path: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """Return these columns of a table of numbers, checked."""
    rows = []
    with open_trace(path, kind="a profile", content="a table of steps") as text:
        table = Table.of(text)
        table.check_names()
        if missing := [column for column in columns if column not in table.columns]:
            got = f"{', '.join(table.columns)[:200]!r}"
            expected = f"the columns {', '.join(columns)} of a profile"
            raise text.error(text.first_line_number, expected, got, f"{missing[0]!r} is missing")
        places = [table.columns.index(column) for column in columns]

        def refuse(line: int, reason: str, got: str) -> None:
            raise text.error(line, "a row of a profile", reason, "correct the profile")

        for line, fields in table.rows(refuse):
            row = [fields[place] for place in places]
            for column, value in zip(columns, row, strict=True):
                try:
                    number = parse_number(value, column)
                except RowFault as fault:
                    refuse(line, fault.reason, value)
                if number < 0 or (not column.endswith("time") and not value.isdigit()):
                    refuse(line, f"{value!r} as {column}", value)
            rows.append(row)
    if not rows:
        raise TraceError(f"{path}: expected a profile, got no rows below the header")
    return rows


def _interpolated(steps: Steps, local_batch: float) -> tuple[float, float]:
    batches = sorted(steps)
    place = bisect.bisect_left(batches, local_batch)
    if place == 0 and local_batch < batches[0]:
        raise RowFault("batch of a GPU is below all that were measured", f"{local_batch:g}")
    above = batches[place]
    if above == local_batch:
        return steps[above]
    below = batches[place - 1]
    share = (local_batch - below) / (above - below)
    low, high = steps[below], steps[above]
    return low[0] + share * (high[0] - low[0]), low[1] + share * (high[1] - low[1])
