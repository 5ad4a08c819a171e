"""Microsoft's Philly trace as it was published: ``cluster_job_log`` (Jeon et al., ATC 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.collect import JobCollector
from optsched.traces.fields import RowFault, parse_timestamp_s
from optsched.traces.json_list import json_elements
from optsched.traces.rows import TraceText
from optsched.traces.trace_format import BaseFormat

__all__ = ["PHILLY_LOG", "PhillyLogFormat"]

#: Option to the key that must have its value.
FILTERS: Mapping[str, str] = {"virtual_cluster": "vc", "status": "status"}


@dataclass(frozen=True, kw_only=True)
class PhillyLogFormat(BaseFormat):
    """One JSON list with an object for each job, which lists its attempts."""

    @property
    def options(self) -> Mapping[str, str]:
        """Filters."""
        return {option: f"use only jobs with this {key!r}" for option, key in FILTERS.items()}

    def recognise(self, first_line: str) -> int:
        """Return the number of signs: a list, and the keys of a job."""
        if not first_line.lstrip().startswith("["):
            return 0
        return 1 + sum(f'"{key}"' in first_line for key in ("jobid", "attempts", "submitted_time"))

    def expectation(self, first_line: str) -> tuple[int, str, str]:
        """Return that nothing but a JSON list is near this format."""
        return 0, "a JSON list of jobs", "it begins with ["

    def read(self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]) -> None:
        """Hand every element of the list to ``jobs``."""
        for line, job in json_elements(text, jobs.drop):
            self._read_job(line, job, jobs, options)

    def _read_job(
        self, line: int, job: object, jobs: JobCollector, options: Mapping[str, str]
    ) -> None:
        try:
            if not isinstance(job, dict):
                raise RowFault("the element is no job", repr(job))
            for option, value in options.items():
                if (found := _text(job, FILTERS[option])) != value:
                    raise RowFault(f"{FILTERS[option]} is not {value!r}, as asked", found)
            if not (job_id := _text(job, "jobid")):
                raise RowFault("job id is missing", "")
            submit_s = parse_timestamp_s(_text(job, "submitted_time"))
            attempts = job.get("attempts")
            if not isinstance(attempts, list) or not attempts:
                raise RowFault("no attempt: the job never ran", repr(attempts))
            gpus = _demand(attempts, line, jobs)
            duration_s = _running_s(attempts, line, jobs)
        except RowFault as fault:
            jobs.drop(line, fault.reason, fault.got)
            return
        counted = {key: _text(job, key) for key in ("vc", "status")}
        jobs.add(line, job_id, submit_s=submit_s, gpus=gpus, duration_s=duration_s, counted=counted)


def _demand(attempts: list[object], line: int, jobs: JobCollector) -> int:
    """Return the GPUs of the last attempt that had any."""
    demands = [gpus for attempt in attempts if (gpus := _gpus(attempt)) > 0]
    if not demands:
        raise RowFault("no attempt has a GPU", str(len(attempts)))
    if len(set(demands)) > 1:
        jobs.note("attempts have different numbers of GPUs; the last is used", line)
    return demands[-1]


def _gpus(attempt: object) -> int:
    servers = attempt.get("detail") if isinstance(attempt, dict) else None
    if not isinstance(servers, list):
        return 0
    names = [server.get("gpus") for server in servers if isinstance(server, dict)]
    return sum(len(gpus) for gpus in names if isinstance(gpus, list))


def _running_s(attempts: list[object], line: int, jobs: JobCollector) -> float:
    """Return the time running, added up over the attempts that have both times."""
    running_s, complete = 0.0, 0
    for attempt in attempts:
        start, end = (
            _text(attempt, key) if isinstance(attempt, dict) else ""
            for key in ("start_time", "end_time")
        )
        try:
            start_s, end_s = parse_timestamp_s(start), parse_timestamp_s(end)
        except RowFault as fault:
            if not fault.reason.endswith("missing"):
                raise RowFault("time of an attempt is not a date and time", fault.got) from None
            continue
        if end_s < start_s:
            raise RowFault("end is before start", f"{start} to {end}")
        running_s += end_s - start_s
        complete += 1
    if complete == 0:
        raise RowFault("no attempt has a start and an end", str(len(attempts)))
    if not running_s > 0:
        raise RowFault("duration is not above 0", repr(running_s))
    if complete < len(attempts):
        jobs.note("an attempt without start or end is left out of the duration", line)
    return running_s


def _text(document: Mapping[str, object], key: str) -> str:
    """Return a value as text, nothing for null."""
    value = document.get(key)
    text = value if isinstance(value, str) else "" if value is None else repr(value)
    if "\0" in text or not _is_unicode(text):
        raise RowFault(f"{key} is no text", "")
    return text


def _is_unicode(text: str) -> bool:
    """Tell half a character, as JSON can write one, from text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


#: The duration is a sum over attempts, so what passed between attempts is not in it.
PHILLY_LOG = PhillyLogFormat(
    name="philly-log",
    description="Philly log as published: a JSON list of jobs with their attempts",
    default_cluster=ClusterShape(352, 8),
    times_are_dates=True,
    notes=(
        "a timestamp without a zone is read as UTC; hours around the end of daylight saving "
        "(2017-11-05) are ambiguous",
    ),
)
