"""What the simulator and the judge cost, and how that grows with jobs and servers.

Run: python benchmarks/simulator.py [--quick] [--only policies,simpy,growth,million,philly]
All times are CPU seconds, each row in a process of its own, memory is the peak above what imports
take. ``policies``: 64 servers of 8 GPUs at a load that is stationary and at one that saturates
them, beside a bare heap that serves as many events. ``simpy``: the same FIFO runs in SimPy, whose
end times have to agree. ``growth``: more servers at equal load, more jobs. ``million``: a million
jobs. ``philly``: Microsoft's trace, if the folder of traces is there. ``--quick``, a CPU minute:
10,000 jobs in place of 100,000, without the larger runs.
"""

from __future__ import annotations

import argparse
import heapq
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from fresh_process import Stopwatch, in_fresh_process, peak_mb
from simulator_workload import GPUS_PER_SERVER, workload

from optsched.bounds import all_bounds
from optsched.judge import verify
from optsched.policies import Delay, Fifo, Las, Sjf, Srtf
from optsched.sim import Policy, simulate
from optsched.traces import load_trace

POLICIES: dict[str, Callable[[], Policy]] = {
    "fifo consolidated": Fifo,
    "sjf consolidated": Sjf,
    "fifo first_fit": lambda: Fifo(placement="first_fit"),
    "sjf first_fit": lambda: Sjf(placement="first_fit"),
    "delay": Delay,
    "srtf": Srtf,
    "las": Las,
    "srtf tiered": lambda: Srtf(placement="tiered"),
    "las tiered": lambda: Las(placement="tiered"),
}
STATIONARY, SATURATED = 0.8, 1.2
SERVERS = 64
SECTIONS = ("policies", "simpy", "growth", "million", "philly")
PHILLY = ("fifo consolidated", "srtf", "las")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took: CPU seconds, megabytes, and what happened in it."""

    jobs: int
    simulate_s: float
    heap_s: float
    judge_s: float
    simulate_mb: float
    judge_mb: float
    events: int
    preemptions: int
    utilisation: float


def cost_of(policy: str, jobs: int, servers: int, load: float) -> Cost:
    """Simulate and judge a policy once."""
    before_mb = peak_mb()
    instance = workload(jobs, servers, load=load)
    watch = Stopwatch()
    run = simulate(instance, POLICIES[policy]())
    simulate_s, simulate_mb = watch.lap(), peak_mb() - before_mb
    judgement = verify(instance, run.schedule)
    judge_s, judge_mb = watch.lap(), peak_mb() - before_mb
    if not judgement.is_valid:
        raise SystemExit(f"{policy}: the judge finds {judgement.violations[0]}")
    events = 2 * jobs + run.re_rates + 2 * run.preemptions
    return Cost(
        jobs=jobs,
        simulate_s=simulate_s,
        heap_s=heap_seconds(events),
        judge_s=judge_s,
        simulate_mb=simulate_mb,
        judge_mb=judge_mb,
        events=events,
        preemptions=run.preemptions,
        utilisation=judgement.metrics["utilisation"],
    )


def heap_seconds(events: int, live: int = 300) -> float:
    """Return the CPU time of a bare heap that holds ``live`` events and serves ``events``."""
    times = np.random.default_rng(0).random(events).tolist()
    heap = [(time_s, 0, 0) for time_s in times[:live]]
    heapq.heapify(heap)
    watch = Stopwatch()
    for time_s in times:
        now, _, _ = heapq.heappop(heap)
        heapq.heappush(heap, (now + time_s, 0, 0))
    return watch.lap()


def simpy_cost(policy: str, jobs: int, load: float) -> tuple[float, float, float]:
    """Return CPU seconds of SimPy and ours, and the largest relative difference of an end."""
    from simpy_fifo import simpy_fifo

    instance = workload(jobs, SERVERS, load=load)
    watch = Stopwatch()
    end_s = simpy_fifo(instance, consolidated=policy == "fifo consolidated")
    simpy_s = watch.lap()
    schedule = simulate(instance, POLICIES[policy]()).schedule
    ours_s = watch.lap()
    difference = float(np.abs(schedule.end_s / end_s[schedule.job] - 1.0).max())
    if difference > 1e-9:
        raise SystemExit(f"{policy}: SimPy's end times differ by {difference:g}")
    return simpy_s, ours_s, difference


def philly_cost(path: str, policy: str) -> tuple[float, float, float, float, float, float, float]:
    """Return load, simulation, judge and bound in CPU seconds, peak MB, mean JCT and its bound."""
    before_mb = peak_mb()
    watch = Stopwatch()
    instance = load_trace(path).instance
    load_s = watch.lap()
    run = simulate(instance, POLICIES[policy]())
    simulate_s = watch.lap()
    judgement = verify(instance, run.schedule)
    judge_s, used_mb = watch.lap(), peak_mb() - before_mb
    if not judgement.is_valid:
        raise SystemExit(f"{policy}: the judge finds {judgement.violations[0]}")
    # The strongest of those that hold for such schedules, preemptive or not.
    made = judgement.schedule_class
    lower = next(
        one.value for one in all_bounds(instance, "mean_jct") if one.problem_class.contains(made)
    )
    value = judgement.objectives["mean_jct"]
    if value < lower * (1 - 1e-9):
        raise SystemExit(f"{policy}: mean JCT {value} is below its bound {lower}")
    return load_s, simulate_s, judge_s, watch.lap(), used_mb, value, lower


def print_policies(jobs: int, policies: Sequence[str], loads: Sequence[float]) -> None:
    """Print the table of policies at each load."""
    scale = 100_000 / jobs
    print(f"\npolicies: {SERVERS} servers, {jobs:,} jobs; CPU s per 100,000 jobs")
    print(
        f"{'policy':<18}{'load':>5}{'simulate':>10}{'jobs/s':>10}{'heap':>6}{'judge':>7}{'ratio':>7}"
        f"{'MB':>6}{'+judge':>7}{'events':>11}{'stops':>9}{'used':>6}"
    )
    for policy in policies:
        for load in loads:
            cost = in_fresh_process(cost_of, policy, jobs, SERVERS, load)
            print(
                f"{policy:<18}{load:>5}{cost.simulate_s * scale:>10.2f}"
                f"{jobs / cost.simulate_s:>10,.0f}{cost.heap_s * scale:>6.2f}"
                f"{cost.judge_s * scale:>7.2f}{cost.judge_s / cost.simulate_s:>7.2f}"
                f"{cost.simulate_mb:>6.0f}{cost.judge_mb:>7.0f}{cost.events:>11,}"
                f"{cost.preemptions:>9,}{cost.utilisation:>6.2f}",
                flush=True,
            )


def print_simpy(jobs: int) -> None:
    """Print SimPy's time beside ours."""
    if find_spec("simpy") is None:
        print("\nsimpy: left out, it is not installed: pip install 'optsched[bench]'")
        return
    scale = 100_000 / jobs
    print(f"\nsimpy {version('simpy')}: {SERVERS} servers, {jobs:,} jobs; CPU s per 100,000 jobs")
    print(f"{'policy':<18}{'load':>5}{'SimPy':>10}{'ours':>10}   largest relative difference")
    for policy in ("fifo consolidated", "fifo first_fit"):
        for load in (STATIONARY, SATURATED):
            theirs_s, ours_s, difference = in_fresh_process(simpy_cost, policy, jobs, load)
            print(
                f"{policy:<18}{load:>5}{theirs_s * scale:>10.2f}{ours_s * scale:>10.2f}"
                f"   {difference:g}",
                flush=True,
            )


def print_growth(*, is_quick: bool) -> None:
    """Print the time per event for more servers, with the jobs they need, and for more jobs."""
    servers_and_jobs = [(servers, 200 * servers) for servers in (64, 256, 1024, 2048)]
    servers_and_jobs += [(SERVERS, jobs) for jobs in (10_000, 100_000, 1_000_000)]
    if is_quick:
        servers_and_jobs = [(64, 3_200), (512, 25_600), (64, 32_000)]
    print("\ngrowth at load 0.8: microseconds of CPU for an event")
    print(
        f"{'policy':<18}{'servers':>8}{'jobs':>11}{'simulate':>10}{'judge':>7}{'MB':>6}{'used':>6}"
    )
    for policy in ("sjf consolidated", "sjf first_fit", "srtf"):
        for servers, jobs in servers_and_jobs:
            cost = in_fresh_process(cost_of, policy, jobs, servers, STATIONARY)
            scale = 1e6 / cost.events
            print(
                f"{policy:<18}{servers:>8,}{jobs:>11,}{cost.simulate_s * scale:>10.2f}"
                f"{cost.judge_s * scale:>7.2f}{cost.simulate_mb:>6.0f}{cost.utilisation:>6.2f}",
                flush=True,
            )


def print_million(jobs: int) -> None:
    """Print a large run at 512 servers."""
    cost = in_fresh_process(cost_of, "sjf consolidated", jobs, 512, STATIONARY)
    print(
        f"\nmillion: sjf consolidated, {jobs:,} jobs, 512 servers of {GPUS_PER_SERVER} GPUs: "
        f"simulate {cost.simulate_s:.1f} s, judge {cost.judge_s:.1f} s, peak "
        f"{cost.simulate_mb:.0f} MB, with the judge {cost.judge_mb:.0f} MB",
        flush=True,
    )


def print_philly(traces: Path) -> None:
    """Print the runs on the whole of Philly's trace."""
    path = traces / "philly" / "philly.csv.gz"
    if not path.is_file():
        print(f"\nphilly: left out, there is no {path}; give --traces or set OPTSCHED_TRACES")
        return
    print("\nphilly: 82,247 jobs, 352 servers of 8 GPUs; CPU s")
    print(
        f"{'policy':<18}{'load':>6}{'simulate':>10}{'judge':>7}{'bound':>7}{'MB':>6}"
        f"{'mean JCT':>14}{'bound':>14}{'ratio':>9}"
    )
    for policy in PHILLY:
        load_s, simulate_s, judge_s, bound_s, used_mb, value, lower = in_fresh_process(
            philly_cost, str(path), policy
        )
        print(
            f"{policy:<18}{load_s:>6.2f}{simulate_s:>10.2f}{judge_s:>7.2f}{bound_s:>7.2f}"
            f"{used_mb:>6.0f}{value:>14,.1f}{lower:>14,.1f}{value / lower:>9.4f}",
            flush=True,
        )


def floats(text: str) -> tuple[float, ...]:
    """Read numbers between commas."""
    return tuple(float(piece) for piece in text.split(","))


def main() -> None:
    """Print the tables asked for."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "traces"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a minute: fewer jobs")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, by commas")
    parser.add_argument("--jobs", type=int, help="jobs of policies and simpy, else 100,000")
    parser.add_argument(
        "--loads", type=floats, default=(STATIONARY, SATURATED), help="of policies, by commas"
    )
    parser.add_argument("--policies", default=",".join(POLICIES), help="of policies, by commas")
    parser.add_argument(
        "--traces", type=Path, default=Path(os.environ.get("OPTSCHED_TRACES") or beside)
    )
    options = parser.parse_args()
    wanted = options.only.split(",")
    if unknown := set(wanted) - set(SECTIONS):
        parser.error(f"--only takes {', '.join(SECTIONS)}, got {', '.join(sorted(unknown))}")
    policies = options.policies.split(",")
    if unknown := set(policies) - set(POLICIES):
        parser.error(f"--policies takes {', '.join(POLICIES)}, got {', '.join(sorted(unknown))}")
    jobs = options.jobs or (10_000 if options.quick else 100_000)
    print(
        f"optsched {version('optsched')}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, {platform.machine()}, {os.cpu_count()} cores"
    )
    sections: dict[str, Callable[[], None]] = {
        "policies": lambda: print_policies(jobs, policies, options.loads),
        "simpy": lambda: print_simpy(jobs),
        "growth": lambda: print_growth(is_quick=options.quick),
        "million": lambda: print_million(100_000 if options.quick else 1_000_000),
        "philly": lambda: print_philly(options.traces),
    }
    for name in SECTIONS:
        if name in wanted:
            sections[name]()


if __name__ == "__main__":
    main()
