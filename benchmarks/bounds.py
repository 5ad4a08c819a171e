"""Speed of the lower bounds and how it grows, and how far from the optimum they are.

Run: python benchmarks/bounds.py [--instances 8] [--time-limit 20] [--only speed,gaps,paper]
``speed`` prints wall seconds, warm, beside the targets. ``gaps`` prints the mean excess of the
optimum over each bound on small instances (brute force; those that it does not finish are left
out), also over the hard ones alone, where area, longest job and durations do not meet the optimum.
``paper`` prints the best schedule of the package's schedulers over each bound at 6 to 20 servers.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from optsched.bounds import Workload, all_bounds, survey_bounds
from optsched.bounds.lagrangian import lagrangian_bound, lagrangian_preemptive_bound
from optsched.bounds.rate_configuration import rate_configuration_bound
from optsched.contention import best_durations_s
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.result import Bound, Status
from optsched.exact import solve
from optsched.generate import generate
from optsched.study import run

Row = tuple[str, str, float | None, Callable[[], object]]
#: Family, jobs, servers, seconds allowed.
SHAPE_SIZES = (
    ("forced", 15, 5, 1.0),
    ("forced", 20, 6, 2.0),
    ("forced", 30, 8, None),
    ("forced", 40, 10, 20.0),
    ("forced", 80, 15, None),
    ("tight", 20, 5, None),
    ("light", 40, 8, None),
)
PRICE_SIZES = ((160, 14, 0.3), (1_000, 14, None), (10_000, 20, 3.0), (100_000, 20, None))
INSTANT_SIZES = ((1_000, None), (10_000, None), (100_000, 0.2))
SMALL = (("forced", 5, 3), ("forced", 7, 3), ("tight", 6, 3))
SCHEDULERS = (
    "sjf-bco",
    "list-scheduling",
    "first-fit",
    "sjf",
    "fewest-gpus",
    "longest-first",
)
REPEATS = 3


def drawn(family: str, jobs: int, servers: int, seed: int) -> Instance:
    """Return an instance of a small family."""
    return generate(family, {"jobs": str(jobs), "servers": str(servers)}, seed=seed)


def repeated(jobs: int, servers: int, *, load: float | None = None) -> Instance:
    """Return the reference workload over and over, durations varied by 30%, arrivals if asked."""
    base = generate("reference-a", {"servers": str(servers)}, seed=0)
    draws = np.random.default_rng(0)
    chosen = draws.permutation(np.arange(jobs) % len(base.jobs))
    factor = draws.uniform(0.7, 1.3, jobs)
    gpus = base.jobs.gpus[chosen]
    arrival_s = np.zeros(jobs)
    if load is not None:
        work_s = float((gpus * best_durations_s(base)[chosen]).mean()) / base.cluster.total_gpus
        arrival_s[1:] = np.cumsum(draws.exponential(work_s / load, jobs - 1))
    columns = Jobs.from_columns(
        ids=[str(job) for job in range(jobs)],
        gpus=gpus,
        iterations=np.maximum(1, base.jobs.iterations[chosen] * factor).astype(np.int64),
        gradient_bytes=base.jobs.gradient_bytes[chosen],
        compute_s=base.jobs.compute_s[chosen],
        arrival_s=arrival_s,
    )
    return base.changed(jobs=columns, name=f"reference-a-{jobs}x{servers}")


def warm_seconds(action: Callable[[], object]) -> float:
    """Return the least wall time of some runs after the first, which may compile."""
    action()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times)


def speed_rows() -> list[Row]:
    """Return what is timed: bound, instance, seconds allowed, action."""
    rows: list[Row] = []
    for family, jobs, servers, limit in SHAPE_SIZES:
        workload = Workload.of(drawn(family, jobs, servers, 0))
        rows.append(
            (
                "rate-configuration",
                f"{family} {jobs}/{servers}",
                limit,
                lambda w=workload: rate_configuration_bound(w),
            )
        )
    for jobs, servers, limit in PRICE_SIZES:
        for load in (None, 1.3):
            workload = Workload.of(repeated(jobs, servers, load=load))
            name = f"{jobs:,} jobs" + ("" if load is None else f", load {load:g}")
            rows += [
                ("lagrangian", name, limit, lambda w=workload: lagrangian_bound(w)),
                (
                    "lagrangian-preemptive",
                    name,
                    limit,
                    lambda w=workload: lagrangian_preemptive_bound(w),
                ),
            ]
    for jobs, limit in INSTANT_SIZES:
        instance = repeated(jobs, 20)
        for objective in ("makespan", "mean_jct"):
            rows.append(
                (
                    f"instant, {objective}",
                    f"{jobs:,} jobs",
                    limit,
                    lambda i=instance, o=objective: all_bounds(i, o),
                )
            )
    return rows


def print_speed() -> None:
    """Print the table of times."""
    print(f"\n{'bound':<24}{'instance':<24}{'seconds':>10}{'target':>8}  {'':<6}")
    for bound, name, limit, action in speed_rows():
        seconds = warm_seconds(action)
        target = "" if limit is None else f"{limit:g}"
        verdict = "" if limit is None else ("met" if seconds <= limit else "MISSED")
        print(f"{bound:<24}{name:<24}{seconds:>10.4f}{target:>8}  {verdict:<6}", flush=True)


def print_gaps(instances: int, time_limit_s: float) -> None:
    """Print how far optima are above the bounds."""
    for objective in ("makespan", "mean_jct"):
        for family, jobs, servers in SMALL:
            solved, rows = 0, []
            for seed in range(instances):
                instance = drawn(family, jobs, servers, seed)
                best = solve(
                    instance, objective=objective, method="brute-force", time_limit_s=time_limit_s
                )
                if best.status is Status.OPTIMAL and best.value is not None:
                    solved += 1
                    rows.append((best.value, all_bounds(instance, objective, effort="seconds")))
            print(f"\n{family} {jobs}/{servers}, {objective}: {solved} of {instances} solved")
            _print_gap_rows(rows)


def _print_gap_rows(rows: Sequence[tuple[float, Sequence[Bound]]]) -> None:
    if not rows:
        return
    names = sorted({one.method for _, bounds in rows for one in bounds})
    excess = {
        name: [
            100 * (value / one.value - 1)
            for value, bounds in rows
            for one in bounds
            if one.method == name
        ]
        for name in names
    }
    simple = [name for name in ("area", "longest", "durations") if name in excess]
    hard = [i for i in range(len(rows)) if min(excess[name][i] for name in simple) > 1e-6]
    print(f"  {'':<24}{'mean %':>8}{'max %':>8}{'hard %':>8}{'tight':>7}  of {len(hard)} hard")
    for name in sorted(names, key=lambda name: fmean(excess[name])):
        of_hard = fmean(excess[name][i] for i in hard) if hard else 0.0
        tight = sum(one < 1e-6 for one in excess[name])
        print(
            f"  {name:<24}{fmean(excess[name]):>8.2f}{max(excess[name]):>8.2f}"
            f"{of_hard:>8.2f}{tight:>7}"
        )


def print_paper() -> None:
    """Print the best schedule of the package's schedulers over each bound."""
    for family in ("paper-160", "reference-a"):
        for objective in ("makespan", "mean_jct"):
            print(f"\n{family}, {objective}: excess of the best schedule over each bound, %")
            for servers in (6, 10, 14, 20):
                instance = generate(family, {"servers": str(servers)}, seed=0)
                found = {name: run(instance, name, objective=objective) for name in SCHEDULERS}
                name = min(found, key=lambda one: found[one].value or float("inf"))
                value = found[name].value or float("inf")
                survey = survey_bounds(instance, objective, effort="seconds")
                excess = "  ".join(
                    f"{one.method} {100 * (value / one.value - 1):.2f}" for one in survey.bounds
                )
                print(f"  {servers:>2} servers, {name} {value:.6g} s:  {excess}", flush=True)
                for skipped, reason in survey.skipped.items():
                    print(f"     {skipped}: {reason}")


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("--only", default="speed,gaps,paper")
    asked = parser.parse_args()
    wanted = asked.only.split(",")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, wall seconds")
    if "speed" in wanted:
        print_speed()
    if "gaps" in wanted:
        print_gaps(asked.instances, asked.time_limit)
    if "paper" in wanted:
        print_paper()


if __name__ == "__main__":
    main()
