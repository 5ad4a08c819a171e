"""What a valid schedule is worth, and to which class any schedule belongs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.contention.rate_model import RateFunctions
from optsched.core.instance import Instance
from optsched.core.result import JobRecords, Preemption, ProblemClass
from optsched.judge.fairness import finish_time_fairness
from optsched.judge.segments import Segments
from optsched.judge.timeline import Pieces

__all__ = ["job_records", "schedule_class", "schedule_metrics"]


def schedule_class(instance: Instance, segments: Segments) -> ProblemClass:
    """Return the smallest class that holds the schedule.

    Segments of a job that follow each other without a gap on one placement count as one.
    """
    moved = np.zeros(len(segments), dtype=bool)
    moved[1:] = segments.is_later[1:] & (segments.placement[1:] != segments.placement[:-1])
    preemption = Preemption.NONE
    if moved.any():
        preemption = Preemption.MIGRATE
    elif (segments.is_later & ~segments.is_contiguous).any():
        preemption = Preemption.PREEMPT
    time = "slotted" if instance.is_slotted else "continuous"
    return ProblemClass(time, preemption, instance.rate_model.name)  # type: ignore[arg-type]


def job_records(
    instance: Instance,
    segments: Segments,
    pieces: Pieces,
    is_spread: NDArray[np.bool_],
    rates: RateFunctions,
) -> JobRecords:
    """Return what became of each job of a valid schedule; ``is_spread`` is by segment."""
    jobs, count = instance.jobs, len(instance.jobs)
    unit_s = 1.0 if instance.slot_s is None else instance.slot_s
    job = segments.job
    length_s = segments.end_s - segments.start_s

    def total(values: NDArray[np.float64], of: NDArray[np.int64] = job) -> NDArray[np.float64]:
        return np.bincount(of, weights=values, minlength=count).astype(np.float64)

    start_s = np.full(count, np.inf)
    np.minimum.at(start_s, job, segments.start_s)
    completion_s = np.full(count, -np.inf)
    np.maximum.at(completion_s, job, segments.end_s)
    running_s = total(length_s)
    jct_s = completion_s - jobs.arrival_s
    restart = np.clip(segments.ready - segments.begin, 0.0, segments.end - segments.begin)
    spread_s = total(np.where(is_spread, length_s, 0.0))
    piece_s = (pieces.end - pieces.begin) * unit_s
    degree_s = total(piece_s * pieces.degree, job[pieces.segment])
    contention = np.divide(degree_s, spread_s, out=np.zeros(count), where=spread_s > 0)
    is_preempted = segments.is_later & ~segments.is_contiguous
    return JobRecords(
        start_s=start_s,
        completion_s=completion_s,
        jct_s=jct_s,
        queueing_s=np.maximum(0.0, jct_s - running_s),
        running_s=running_s,
        restarting_s=total(restart * unit_s),
        compute_s=jobs.iterations * jobs.compute_s,
        spread_s=spread_s,
        contention=contention,
        preemptions=np.bincount(job[is_preempted], minlength=count),
        finish_time_fairness=finish_time_fairness(instance, completion_s, rates),
    )


def schedule_metrics(
    instance: Instance, records: JobRecords, pieces: Pieces, tolerance_s: float
) -> dict[str, float]:
    """Return the figures beside the objectives.

    Those in seconds say so in their names. ``utilisation`` is the share of all GPU-seconds up to
    the makespan that jobs hold. ``communication_overhead`` is the share of the running time that
    is not pure computation, ``spread_share`` the share spent on several servers.
    ``contention_mean`` is the contention degree averaged over that time, 0 without any;
    ``contention_max`` the highest that lasts longer than the tolerance. Finish-time fairness is
    worst where it is greatest.
    """
    unit_s = 1.0 if instance.slot_s is None else instance.slot_s
    median_s, p95_s, p99_s = np.percentile(records.jct_s, [50, 95, 99]).tolist()
    running_s, spread_s = float(records.running_s.sum()), float(records.spread_s.sum())
    held_s = float((instance.jobs.gpus * records.running_s).sum())
    makespan_s = float(records.completion_s.max())
    lasting = (pieces.end - pieces.begin) * unit_s > tolerance_s
    contention_s = float((records.contention * records.spread_s).sum())
    return {
        "jct_mean_s": float(records.jct_s.mean()),
        "jct_median_s": median_s,
        "jct_p95_s": p95_s,
        "jct_p99_s": p99_s,
        "queueing_mean_s": float(records.queueing_s.mean()),
        "utilisation": held_s / (instance.cluster.total_gpus * makespan_s),
        "communication_overhead": 1.0 - float(records.compute_s.sum()) / running_s,
        "contention_mean": contention_s / spread_s if spread_s else 0.0,
        "contention_max": float(pieces.degree[lasting].max(initial=0)),
        "preemptions": float(records.preemptions.sum()),
        "spread_share": spread_s / running_s,
        "finish_time_fairness_mean": float(records.finish_time_fairness.mean()),
        "finish_time_fairness_max": float(records.finish_time_fairness.max()),
    }
