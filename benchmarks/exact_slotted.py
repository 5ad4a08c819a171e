"""How far exact solving reaches in slotted time.

Run: python benchmarks/exact_slotted.py [--seconds 60] [--instances 20] [--workers 2]
     [--methods auto] [--objective makespan] [--rows forced:12x4,tight:20x5] [--units U]

A row is a family and a size; slots are a second, 20 to 60 of them. Instances whose quick schedules
meet a lower bound need no search and are counted apart. ``open gap`` is by how much the best
schedule exceeds the proven bound where a limit came first, in per cent, mean and largest. ``CPU s``
is the mean processor time of all threads and processes. Under load the wall clock says little:
``--units`` limits the work instead (CP-SAT's deterministic time).
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from importlib import metadata
from statistics import mean, median

from optsched.core.errors import LimitReachedError
from optsched.core.result import Status
from optsched.exact import solve
from optsched.generate import GENERATORS

ROWS = (
    "forced:12x4",
    "forced:15x5",
    "forced:20x6",
    "tight:12x4",
    "tight:20x5",
    "tight:40x8",
    "light:12x4",
    "light:20x5",
    "light:40x8",
)
HEADER = (
    f"{'family':<8}{'size':<7}{'method':<17}{'proved':>8}{'UB = LB':>9}{'median s':>10}"
    f"{'worst s':>9}{'CPU s':>8}{'open gap %':>13}"
)


def row(text: str, method: str, options: argparse.Namespace) -> str:
    """Solve the instances of a family and size and return a line of the table."""
    family, size = text.split(":")
    jobs, servers = (int(part) for part in size.split("x"))
    proved = trivial = 0
    seconds, processor_s, gaps = [], [], []
    for seed in range(options.instances):
        instance = GENERATORS[family].function(
            jobs=jobs, servers=servers, slot_s=options.slot_s, seed=seed
        )
        began, used = time.perf_counter(), _processor_s()
        try:
            result = solve(
                instance,
                objective=options.objective,
                method=method,
                time_limit_s=None if options.units else options.seconds,
                deterministic_limit=options.units,
                workers=options.workers,
            )
        except LimitReachedError:
            seconds.append(time.perf_counter() - began)
            continue
        if str(result.details.get("proof", "")).startswith("meets bound") and not any(
            name.startswith("nodes_") for name in result.details
        ):
            trivial += 1
            continue
        seconds.append(time.perf_counter() - began)
        processor_s.append(_processor_s() - used)
        if result.status is Status.OPTIMAL:
            proved += 1
        else:
            gaps.append(100 * (result.value / result.bound.value - 1))
        if options.each:
            print(
                f"  {instance.name}: {result.status} {result.value:g} bound "
                f"{result.bound.value:g} ({result.details.get('schedule_from')}, "
                f"{result.bound.method}) {seconds[-1]:.1f} s, CPU {processor_s[-1]:.1f} s",
                flush=True,
            )
    name = f"{family:<8}{size.replace('x', '/'):<7}{method:<17}"
    if not seconds:
        return f"{name}{'0/0':>8}{trivial:>9}"
    gap = f"{mean(gaps):.1f}, {max(gaps):.1f}" if gaps else "-"
    tried = f"{proved}/{len(seconds)}"
    return (
        f"{name}{tried:>8}{trivial:>9}{median(seconds):>10.2f}{max(seconds):>9.1f}"
        f"{mean(processor_s or [0.0]):>8.1f}{gap:>13}"
    )


def _processor_s() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, whose))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="limit for one instance")
    parser.add_argument("--units", type=float, help="limit of work, in place of seconds")
    parser.add_argument("--instances", type=int, default=3, help="instances in a row")
    parser.add_argument("--workers", type=int, default=2, help="cores to use")
    parser.add_argument("--slot-s", type=float, default=1.0, help="length of a slot")
    parser.add_argument("--objective", default="makespan")
    parser.add_argument("--methods", default="auto")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--each", action="store_true", help="print every instance too")
    options = parser.parse_args()
    limit = f"{options.units:g} units" if options.units else f"{options.seconds:g} s"
    print(
        f"{options.objective}, slotted, {limit} an instance, {options.workers} workers on "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, OR-Tools "
        f"{metadata.version('ortools')}, Python {platform.python_version()}"
    )
    print(HEADER)
    for text in options.rows.split(","):
        for method in options.methods.split(","):
            print(row(text, method, options), flush=True)


if __name__ == "__main__":
    main()
