"""Fitted workloads as TOML files: parameters with their intervals, and no row of any trace."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import get_args

from optsched.contention.calibration import Estimate
from optsched.contention.model_files import ModelTable, model_names, read_model
from optsched.generate.arrival_cycle import FLAT_DAYS, FLAT_HOURS, WEEK_S, ArrivalCycle
from optsched.generate.day_variation import DayVariation
from optsched.generate.laws import SCALE_NAMES, SHAPE_NAMES, DurationLaw, Kind
from optsched.generate.misfit import Misfit
from optsched.generate.workload import DurationClass, Workload

__all__ = ["load_workload", "workload_names", "workload_text"]

FORMAT = "optsched.workload/1"
DIGITS = 6
#: Shares are rounded in the file, each to so many digits.
TOLERANCE = 1e-3
#: With a greater one nearly all jobs would come on one day.
MAX_SPREAD = 5.0

KEYS = (
    "format", "title", "jobs", "servers", "gpus_per_server", "confidence", "demands", "durations",
    "arrivals", "source",
)  # fmt: skip


def workload_names() -> list[str]:
    """Return the names of the workloads that ship with the package, sorted."""
    return model_names("workloads")


def workload_text(workload: Workload) -> str:
    """Return a workload as the text of a file; numbers have six digits.

    Every parameter stands with the ends of its interval: ``[value, low, high]``. Factors of hours
    or weekdays that are all 1 are left out.

    Examples
    --------
    >>> from optsched.generate.fit_workload import fit_workload
    >>> from optsched.generate.poisson import poisson
    >>> text = workload_text(fit_workload(poisson(jobs=500, seed=1), resamples=20))
    >>> text.splitlines()[0]
    'format = "optsched.workload/1"'
    """
    return "\n".join(_lines(workload)) + "\n"


def _lines(workload: Workload) -> Iterator[str]:
    yield f"format = {_quoted(FORMAT)}"
    yield f"title = {_quoted(workload.title)}"
    yield f"jobs = {workload.jobs}"
    yield f"servers = {workload.servers}"
    yield f"gpus_per_server = {workload.gpus_per_server}"
    yield f"confidence = {_number(workload.confidence)}"
    for gpus, share in workload.demands.items():
        yield from ("", "[[demands]]", f"gpus = {gpus}", f"share = {_estimate(share)}")
    for one in workload.classes:
        yield from ("", "[[durations]]", f"gpus = {list(one.gpus)}", f"jobs = {one.jobs}")
        yield f"law = {_quoted(one.law.kind)}"
        yield f"range_s = [{_number(one.law.low_s)}, {_number(one.law.high_s)}]"
        yield from _estimates("weights", one.weights)
        yield from _estimates(SCALE_NAMES[one.law.kind], one.scales_s)
        if one.law.kind in SHAPE_NAMES:
            yield from _estimates(SHAPE_NAMES[one.law.kind], one.shapes)
        yield from _misfit_lines(one.misfit)
    if (cycle := workload.arrivals) is not None:
        yield from ("", "[arrivals]", f"rate_per_s = {_estimate(cycle.rate_per_s)}")
        yield f"start_s = {_number(cycle.start_s)}"
        for key, factors, flat in (
            ("hours", cycle.hours, FLAT_HOURS),
            ("weekdays", cycle.weekdays, FLAT_DAYS),
        ):
            if factors != flat:
                yield from _estimates(key, factors)
        if workload.arrival_misfit is not None:
            yield from _misfit_lines(workload.arrival_misfit)
        if workload.dispersion is not None:
            yield f"dispersion = {_number(workload.dispersion)}"
        if workload.days is not None:
            yield f"day_spread = {_number(workload.days.spread)}"
            yield f"day_memory = {_number(workload.days.memory)}"
    yield from ("", "[source]")
    for key, text in workload.source.items():
        yield f"{key} = {_quoted(text)}"


def load_workload(name: str | Path) -> Workload:
    """Return a workload by name, or from a ``.toml`` file of one's own.

    Raises
    ------
    UnknownNameError
        If there is none of this name; the message offers the nearest.
    FileFormatError
        If its file is wrong; the message names the key.

    Examples
    --------
    >>> load_workload("philly").jobs
    82247
    """
    table = read_model("workloads", "workload", name)
    table.check_keys(KEYS)
    if table.text("format") != FORMAT:
        raise table.error("format", _quoted(FORMAT), _quoted(table.text("format")))
    demands: dict[int, Estimate] = {}
    for row in table.tables("demands"):
        row.check_keys(("gpus", "share"))
        gpus = _at_least_one(row, "gpus")
        if gpus in demands:
            raise row.error("gpus", "each demand once", f"{gpus} again")
        demands[gpus] = _read_estimate(row, "share", row.values.get("share"), most=1.0)
    classes = tuple(_read_class(row) for row in table.tables("durations"))
    _check_shares(table, "demands", [one.value for one in demands.values()])
    known = sorted(gpus for one in classes for gpus in one.gpus)
    if known != sorted(demands):
        raise table.error("durations", "each demand in one class", f"{known}")
    arrivals = table.table("arrivals") if "arrivals" in table else None
    source = table.table("source")
    return Workload(
        name=table.path.stem,
        title=table.text("title"),
        jobs=_at_least_one(table, "jobs"),
        servers=_at_least_one(table, "servers"),
        gpus_per_server=_at_least_one(table, "gpus_per_server"),
        demands=demands,
        classes=classes,
        arrivals=None if arrivals is None else _read_cycle(arrivals),
        arrival_misfit=None if arrivals is None else _read_misfit(arrivals),
        dispersion=arrivals.amount("dispersion") if arrivals and "dispersion" in arrivals else None,
        days=None if arrivals is None else _read_days(arrivals),
        confidence=table.amount("confidence"),
        source={key: source.text(key) for key in source.values},
    )


def _read_class(row: ModelTable) -> DurationClass:
    kind = row.text("law")
    if kind not in get_args(Kind):
        raise row.error("law", f"one of {', '.join(get_args(Kind))}", _quoted(kind))
    scales, shapes = SCALE_NAMES[kind], SHAPE_NAMES.get(kind)
    row.check_keys(
        ("gpus", "jobs", "law", "range_s", "weights", scales, "ks_distance", "ks_by_chance")
        + (() if shapes is None else (shapes,))
    )
    gpus = row.values.get("gpus")
    if not isinstance(gpus, list) or not gpus or not all(type(g) is int and g > 0 for g in gpus):
        raise row.error("gpus", "a list of demands", repr(gpus))
    weights = _read_estimates(row, "weights", most=1.0)
    _check_shares(row, "weights", [one.value for one in weights])
    found = [_read_estimates(row, key, number=len(weights)) for key in (scales, shapes) if key]
    if shapes is None:
        found.append((Estimate(1.0, 1.0, 1.0),) * len(weights))
    ends = row.values.get("range_s")
    if not isinstance(ends, list) or len(ends) != 2 or not all(map(_is_number, ends)):
        raise row.error("range_s", "the least and the greatest duration", repr(ends))
    if not 0 < ends[0] < ends[1]:
        raise row.error("range_s", "a least duration above 0 and a greater one", repr(ends))
    values = [tuple(one.value for one in column) for column in (weights, *found)]
    for key, column in zip((scales, shapes), values[1:], strict=True):
        if key and not all(value > 0 for value in column):
            raise row.error(key, "numbers above 0", repr(column))
    total = math.fsum(values[0])
    law = DurationLaw(
        kind,  # type: ignore[arg-type]
        tuple(weight / total for weight in values[0]),
        values[1],
        values[2],
        float(ends[0]),
        float(ends[1]),
    )
    if not law.covered > 0:
        raise row.error("range_s", "durations that the law can have", repr(ends))
    jobs, found_misfit = _at_least_one(row, "jobs"), _read_misfit(row)
    return DurationClass(tuple(gpus), jobs, law, weights, found[0], found[1], found_misfit)


def _read_cycle(row: ModelTable) -> ArrivalCycle:
    keys = ("rate_per_s", "start_s", "hours", "weekdays")
    misfit_keys = ("ks_distance", "ks_by_chance", "dispersion")
    row.check_keys((*keys, *misfit_keys, "day_spread", "day_memory"))
    rate = _read_estimate(row, "rate_per_s", row.values.get("rate_per_s"))
    if not rate.value > 0:
        raise row.error("rate_per_s", "a rate above 0", f"{rate.value:g}")
    start_s = row.amount("start_s")
    if start_s >= WEEK_S:
        raise row.error("start_s", "seconds within a week", f"{start_s:g}")
    hours, weekdays = (
        _read_estimates(row, key, number=len(flat)) if key in row else flat
        for key, flat in (("hours", FLAT_HOURS), ("weekdays", FLAT_DAYS))
    )
    for key, factors in (("hours", hours), ("weekdays", weekdays)):
        if not any(one.value > 0 for one in factors):
            raise row.error(key, "a factor above 0", "none")
    return ArrivalCycle(rate, hours, weekdays, start_s)


def _read_days(row: ModelTable) -> DayVariation | None:
    if "day_spread" not in row and "day_memory" not in row:
        return None
    memory = row.amount("day_memory")
    if memory >= 1:
        raise row.error("day_memory", "a number below 1", f"{memory:g}")
    if (spread := row.amount("day_spread")) > MAX_SPREAD:
        raise row.error("day_spread", f"a number of at most {MAX_SPREAD:g}", f"{spread:g}")
    return DayVariation(spread, memory)


def _read_misfit(row: ModelTable) -> Misfit:
    distance = _read_estimate(row, "ks_distance", row.values.get("ks_distance"), most=1.0)
    return Misfit(distance, row.amount("ks_by_chance"))


def _read_estimates(
    row: ModelTable, key: str, *, number: int | None = None, most: float = math.inf
) -> tuple[Estimate, ...]:
    rows = row.values.get(key)
    if not isinstance(rows, list) or not rows or (number is not None and len(rows) != number):
        expected = f"{'some' if number is None else number} times [value, low, high]"
        raise row.error(key, expected, repr(rows)[:60])
    return tuple(_read_estimate(row, key, one, most=most) for one in rows)


def _read_estimate(row: ModelTable, key: str, value: object, *, most: float = math.inf) -> Estimate:
    is_triple = isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))
    if not isinstance(value, list) or not is_triple or not 0 <= value[0] <= most:
        raise row.error(key, "[value, low, high], none below 0", repr(value)[:60])
    return Estimate(*(float(number) for number in value))


def _check_shares(row: ModelTable, key: str, shares: Sequence[float]) -> None:
    if abs(math.fsum(shares) - 1.0) > TOLERANCE:
        raise row.error(key, "shares that add up to 1", f"{math.fsum(shares):g}")


def _at_least_one(row: ModelTable, key: str) -> int:
    if (value := row.count(key)) < 1:
        raise row.error(key, "a whole number of at least 1", "0")
    return value


def _is_number(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value < math.inf  # type: ignore[operator]


def _misfit_lines(found: Misfit) -> Iterator[str]:
    yield f"ks_distance = {_estimate(found.distance)}"
    yield f"ks_by_chance = {_number(found.chance)}"


def _estimates(key: str, estimates: Iterable[Estimate]) -> Iterator[str]:
    yield f"{key} = ["
    for estimate in estimates:
        yield f"    {_estimate(estimate)},"
    yield "]"


def _estimate(estimate: Estimate) -> str:
    return f"[{', '.join(map(_number, (estimate.value, estimate.low, estimate.high)))}]"


def _number(value: float) -> str:
    # What overflows a double is no interval any more; the file keeps the largest double.
    return repr(float(f"{min(value, 1.7e308):.{DIGITS}g}"))


def _quoted(text: str) -> str:
    # A JSON string is a TOML one, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
