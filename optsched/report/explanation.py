"""Why jobs end when they end, for people and for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from optsched.core.quantities import number_text
from optsched.study.explain import PARTS, Explanation, TimeParts
from optsched.study.neighbours import SharedWith, WaitedFor, shared_with, waited_for

__all__ = ["explanation_rows", "job_explanation_plain", "job_explanation_text"]

#: The columns of the table, in the order of the parts.
_COLUMNS = (
    "waiting",
    "preempted",
    "restarting",
    "computing",
    "communication",
    "spreading",
    "contention",
    "rounding",
)
#: A part smaller than this share of the whole is rounding, and is not shown.
_NOTHING = 1e-9
#: Neighbours that are named in the text.
_MOST_NAMED = 10


def explanation_rows(
    explanation: Explanation, *, most: int | None = None
) -> tuple[list[str], list[list[object]]]:
    """Return the columns and rows of a table: the jobs of the longest JCT, and the sums over all.

    Parameters
    ----------
    explanation
        The explanation.
    most
        How many jobs; None: all, in the order of the instance.

    Examples
    --------
    >>> import optsched as osd
    >>> from optsched.study.explain import explain
    >>> instance = osd.load("waiting-pays")
    >>> columns, rows = explanation_rows(explain(instance, osd.run(instance, "fifo").schedule))
    >>> columns
    ['job', 'GPUs', 'JCT [s]', 'computing', 'communication', 'contention']
    >>> rows[-1]
    ['all 2', '', '51', '1', '20', '30']
    """
    totals = explanation.totals
    shown = [
        (name, part)
        for name, part in zip(_COLUMNS, PARTS, strict=True)
        if abs(getattr(totals, part)) > _NOTHING * totals.total_s
    ]
    jobs = list(explanation.jobs)
    if most is not None and len(jobs) > most:
        jobs = sorted(jobs, key=lambda job: -job.jct_s)[:most]

    def cells(parts: TimeParts) -> list[object]:
        return [number_text(_rounded(getattr(parts, part), parts)) for _, part in shown]

    rows: list[list[object]] = [
        [job.id, str(job.gpus), number_text(job.jct_s), *cells(job.parts)] for job in jobs
    ]
    count = len(explanation.jobs)
    rows.append([f"all {count:,}", "", number_text(totals.total_s), *cells(totals)])
    return ["job", "GPUs", "JCT [s]", *(name for name, _ in shown)], rows


def job_explanation_text(explanation: Explanation, job: int) -> str:
    """Return why one job ends when it ends, in a few lines.

    Examples
    --------
    >>> import optsched as osd
    >>> from optsched.study.explain import explain
    >>> instance = osd.load("waiting-pays")
    >>> print(job_explanation_text(explain(instance, osd.run(instance, "fifo").schedule), 0))
    job 'a', 3 GPUs: arrives at 0 s, starts at 0 s, ends at 25.5 s
      on s0:2 s1:1 from 0 s to 25.5 s
    its JCT of 25.5 s is
             0.5 s    2.0%  computing
              10 s   39.2%  communication and overhead where both are least
              15 s   58.8%  more of them since others shared its links
    it shared links with b (25.5 s, s1)
    """
    about = explanation.jobs[job]
    lines = [
        f"job {about.id!r}, {about.gpus} GPU{'s' * (about.gpus != 1)}: arrives at "
        f"{number_text(about.arrival_s)} s, starts at {number_text(about.start_s)} s, ends at "
        f"{number_text(about.completion_s)} s"
    ]
    servers = explanation.instance.cluster.servers.ids
    for segment in explanation.schedule:
        if segment.job == job:
            where = " ".join(
                f"{servers[server]}:{gpus}" for server, gpus in segment.placement.pairs
            )
            begin, end = number_text(segment.start_s), number_text(segment.end_s)
            lines.append(f"  on {where} from {begin} s to {end} s")
    lines.append(f"its JCT of {number_text(about.jct_s)} s is")
    for part, what in PARTS.items():
        value = _rounded(getattr(about.parts, part), about.parts)
        if value != 0:
            share = value / about.jct_s
            lines.append(f"  {number_text(value):>10} s  {100 * share:5.1f}%  {what}")
    waited = [_waited(one) for one in waited_for(explanation, job)]
    if waited:
        lines.append(f"while it waited, GPUs were held by {_listed(waited)}")
    if about.waiting_with_room_s > _NOTHING * about.jct_s:
        seconds = number_text(about.waiting_with_room_s)
        lines.append(f"for {seconds} s of its waiting enough GPUs were free in the cluster")
    shared = [_shared(one) for one in shared_with(explanation, job)]
    if shared:
        lines.append(f"it shared links with {_listed(shared)}")
    return "\n".join(lines)


def job_explanation_plain(explanation: Explanation, job: int) -> dict[str, object]:
    """Return the same for JSON, with every neighbour."""
    return asdict(explanation.jobs[job]) | {
        "waited_for": [asdict(one) for one in waited_for(explanation, job)],
        "shared_with": [asdict(one) for one in shared_with(explanation, job)],
    }


def _rounded(value: float, parts: TimeParts) -> float:
    """Return a part, 0 if it is but rounding."""
    return value if math.fabs(value) > _NOTHING * parts.total_s else 0.0


def _waited(one: WaitedFor) -> str:
    then = ", it started when this ended" if one.made_way else ""
    gpus = f"{one.gpus} GPU{'s' * (one.gpus != 1)}"
    return f"{one.job} ({number_text(one.seconds)} s, {gpus}{then})"


def _shared(one: SharedWith) -> str:
    return f"{one.job} ({number_text(one.seconds)} s, {' '.join(one.links)})"


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - _MOST_NAMED
    listed = ", ".join(texts[:_MOST_NAMED])
    return f"{listed} and {more:,} more" if more > 0 else listed
