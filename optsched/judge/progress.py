"""The rules about work: every job does all its iterations, and holds no GPUs afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optsched.contention.rate_model import RateFunctions
from optsched.contention.slots import slots_needed
from optsched.core.instance import Instance
from optsched.core.result import Violation
from optsched.core.schedule import Schedule
from optsched.judge.clock import progress_per_slot, seconds
from optsched.judge.names import server_name
from optsched.judge.segments import Segments
from optsched.judge.timeline import Pieces
from optsched.judge.violations import ViolationLog

__all__ = ["ProgressRules"]


@dataclass(frozen=True, slots=True)
class _Completion:
    """When a job is done: the position of the segment, and the time on the judge's clock."""

    segment: int
    time: float


class ProgressRules:
    """Counts iterations over the pieces of all jobs at once; only suspects are looked at singly.

    Parameters
    ----------
    instance, schedule
        What is judged.
    rates
        The functions of the instance's rate model.
    segments, pieces
        The segments of the schedule, and their stretches of constant iteration time.
    tolerance_s
        How far a time may be off.
    log
        Takes the violations.
    """

    def __init__(
        self,
        instance: Instance,
        schedule: Schedule,
        rates: RateFunctions,
        segments: Segments,
        pieces: Pieces,
        tolerance_s: float,
        log: ViolationLog,
    ) -> None:
        self.instance = instance
        self.schedule = schedule
        self.segments = segments
        self.pieces = pieces
        self.tolerance_s = tolerance_s
        self.log = log
        self.unit_s = 1.0 if instance.slot_s is None else instance.slot_s
        begin = np.maximum(pieces.begin, segments.ready[pieces.segment])
        self.useful_from = begin
        self.useful = np.maximum(0.0, pieces.end - begin)
        #: τ in continuous time, iterations per slot in slotted time.
        self.pace = pieces.iteration_time_s
        if instance.slot_s is not None:
            paces = [progress_per_slot(rates, tau) for tau in self.pace.tolist()]
            self.pace = np.array(paces, dtype=np.float64)

    def check(self, skipped: NDArray[np.bool_]) -> None:
        """Check ``stalled``, ``complete`` and ``held-past-completion``.

        Parameters
        ----------
        skipped
            Jobs of which a segment is so broken that iterations cannot be counted, shape (n,).
        """
        self._check_stalled()
        if len(self.pieces.segment) == 0:
            return
        job = self.segments.job[self.pieces.segment]
        first = np.flatnonzero(np.diff(job, prepend=-1))
        after = np.append(first[1:], len(job))
        suspicious = ~self._is_fine(job, first, after) & ~skipped[job[first]]
        for at in np.flatnonzero(suspicious).tolist():
            self._check_job(job.item(first[at]), first.item(at), after.item(at))

    def _check_stalled(self) -> None:
        is_slow = self.pace <= 0 if self.instance.is_slotted else np.isinf(self.pace)
        stalled = np.flatnonzero(is_slow & (self.useful > 0))
        _, once = np.unique(self.segments.job[self.pieces.segment[stalled]], return_index=True)
        pieces = stalled[once]

        def describe(at: int) -> Violation:
            piece = pieces.item(at)
            slot = f" in a slot of {self.unit_s:g} s" if self.instance.is_slotted else ""
            time_s = self.useful_from.item(piece) * self.unit_s
            tau = self.pieces.iteration_time_s.item(piece)
            text = (
                f"expected at least one iteration{slot}, got none from {seconds(time_s)} on: "
                f"one takes {tau:g} s"
            )
            return self._violation("stalled", self.pieces.segment.item(piece), text, time_s)

        self.log.add_where("stalled", np.ones(len(pieces), dtype=bool), describe)

    def _is_fine(
        self, job: NDArray[np.int64], first: NDArray[np.int64], after: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return which jobs complete at the end of their last piece beyond any doubt."""
        iterations = self.instance.jobs.iterations[job[first]]
        segment = self.pieces.segment
        last = after - 1
        pace = self.pace[last]
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.instance.is_slotted:
                done = np.add.reduceat(self.useful * self.pace, first)
                needs_last_slot = done - pace < iterations - 1e-9 * pace
                on_time = (done >= iterations) & needs_last_slot
            else:
                done = np.add.reduceat(self.useful / self.pace, first)
                on_time = np.abs((done - iterations) * pace) <= self.tolerance_s
        # A later segment that makes no progress to speak of may be held in vain.
        in_earnest = (segment[first] == segment[last]) | (
            self.useful[last] * self.unit_s > self.tolerance_s
        )
        is_regular = np.ones(len(self.instance.jobs), dtype=bool)
        is_regular[self.segments.job[~self.segments.is_on_slots]] = False
        return np.asarray(on_time & in_earnest & is_regular[job[first]])

    def _check_job(self, job: int, first: int, after: int) -> None:
        """Follow one job through its pieces ``first`` to ``after - 1``."""
        completion, left, pace = self._completion(job, first, after)
        if completion is None:
            self._report_incomplete(job, after - 1, left, pace)
            return
        time_s = completion.time * self.unit_s
        held_s = self.segments.end_s.item(completion.segment) - time_s
        if held_s > self.tolerance_s:
            end_s = self.segments.end_s.item(completion.segment)
            text = (
                f"expected its GPUs back at its completion at {seconds(time_s)}, got them held "
                f"until {seconds(end_s)}, {seconds(held_s)} too long"
            )
            rule = "held-past-completion"
            self.log.add(self._violation(rule, completion.segment, text, time_s))
        for segment in range(completion.segment + 1, self.pieces.segment.item(after - 1) + 1):
            start_s, end_s = self.segments.start_s.item(segment), self.segments.end_s.item(segment)
            text = (
                f"expected no segment after its completion at {seconds(time_s)}, got one from "
                f"{seconds(start_s)} to {seconds(end_s)}"
            )
            self.log.add(self._violation("held-past-completion", segment, text, start_s))

    def _completion(
        self, job: int, first: int, after: int
    ) -> tuple[_Completion | None, float, float]:
        """Return a job's completion, the iterations left if there is none, and the last pace."""
        left = float(self.instance.jobs.iterations.item(job))
        pieces, is_slotted = self.pieces, self.instance.is_slotted
        nearly: _Completion | None = None
        pace = 0.0
        for piece in range(first, after):
            segment, useful = pieces.segment.item(piece), self.useful.item(piece)
            if useful > 0:
                pace = self.pace.item(piece)
                exact = self._exact_completion(piece, left, pace)
                if exact is not None:
                    is_late = nearly is not None and not self._ends_with(exact, after)
                    return (nearly if is_late else exact), 0.0, pace
                left -= useful * pace if is_slotted else useful / pace
            is_end = piece + 1 == after or pieces.segment.item(piece + 1) != segment
            # What a later segment does in all of its time, the job was short of before it.
            is_new = nearly is None or useful > 0
            if is_end and is_new and not is_slotted and left * pace <= self.tolerance_s:
                nearly = _Completion(segment, self.segments.end.item(segment))
        return nearly, left, pace

    def _exact_completion(self, piece: int, left: float, pace: float) -> _Completion | None:
        """Return the completion if what is left can be done within a piece."""
        if self.instance.is_slotted:
            needed: float = slots_needed(left, pace) if pace > 0 else np.inf
        else:
            needed = left * pace
        if needed > self.useful.item(piece):
            return None
        time = self.useful_from.item(piece) + needed
        return _Completion(self.pieces.segment.item(piece), time)

    def _ends_with(self, completion: _Completion, after: int) -> bool:
        """Return True if a job gives up its last GPUs at its completion."""
        end = self.segments.end.item(completion.segment)
        return (
            completion.segment == self.pieces.segment.item(after - 1)
            and (end - completion.time) * self.unit_s <= self.tolerance_s
        )

    def _report_incomplete(self, job: int, piece: int, left: float, pace: float) -> None:
        segment = self.pieces.segment.item(piece)
        end_s = self.segments.end_s.item(segment)
        total = self.instance.jobs.iterations.item(job)
        text = (
            f"expected {total} iterations by its last end at {seconds(end_s)}, got "
            f"{total - left:.9g} ({left:.9g} short)"
        )
        self.log.add(self._violation("complete", segment, text, end_s))

    def _violation(self, rule: str, segment: int, text: str, time_s: float) -> Violation:
        name = self.instance.jobs.ids[self.segments.job[segment]]
        first = self.schedule.placements[self.segments.placement[segment]].servers[0]
        server = server_name(self.instance, first)
        return Violation(rule, f"job {name!r}: {text}", name, server, time_s)
