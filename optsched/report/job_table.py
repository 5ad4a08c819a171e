"""What became of each job, as a table that spreadsheets and data frames read."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from optsched.core.instance import Instance
from optsched.core.result import Judgement

__all__ = ["JOB_COLUMNS", "job_columns", "write_job_table"]

#: The columns of the table, and what they are; times are seconds since the instance's time 0.
JOB_COLUMNS: Mapping[str, str] = {
    "id": "id of the job",
    "gpus": "GPUs it asks for",
    "arrival_s": "when it arrives",
    "start_s": "when it starts for the first time",
    "completion_s": "when it is done",
    "jct_s": "completion minus arrival",
    "queueing_s": "the part of the JCT in which it holds no GPUs",
    "running_s": "the part in which it does",
    "restarting_s": "the part of the running time without progress after it was stopped",
    "compute_s": "the part of the running time that pure computation takes",
    "spread_s": "the part of the running time on several servers",
    "contention": "contention degree, averaged over the spread time; 0 if there is none",
    "preemptions": "how often it lost its GPUs before it was done",
    "finish_time_fairness": "its JCT over that under an equal share of the cluster",
}


def job_columns(instance: Instance, judgement: Judgement) -> dict[str, list[object]]:
    """Return the columns of the table, one value a job in the order of the instance.

    Parameters
    ----------
    instance
        The instance.
    judgement
        The judge's verdict on a valid schedule for it.

    Raises
    ------
    ValueError
        If the schedule is not valid, so that there are no records.

    Examples
    --------
    >>> import optsched as osd
    >>> instance = osd.load("waiting-pays")
    >>> columns = job_columns(instance, osd.run(instance, "fifo").judgement)
    >>> columns["id"], columns["jct_s"], columns["contention"]
    (['a', 'b'], [25.5, 25.5], [2.0, 2.0])
    """
    records = judgement.records
    if records is None:
        raise ValueError("the schedule is not valid, so there are no records of its jobs")
    jobs = instance.jobs
    columns: dict[str, list[object]] = {"id": list(jobs.ids)}
    for name in JOB_COLUMNS:
        if name != "id":
            source = jobs if name in ("gpus", "arrival_s") else records
            columns[name] = np.asarray(getattr(source, name)).tolist()
    return columns


def write_job_table(instance: Instance, judgement: Judgement, path: str | Path) -> Path:
    """Write the table as CSV with a header; every number reads back as the same number.

    Parameters
    ----------
    instance, judgement
        As for :func:`job_columns`.
    path
        The file; it is overwritten.
    """
    columns = job_columns(instance, judgement)
    file = Path(path)
    with file.open("w", newline="", encoding="utf-8") as stream:
        # The writer spells floats with repr(), the shortest text that reads back as the same.
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return file
