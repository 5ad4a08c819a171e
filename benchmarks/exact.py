"""How far the exact search over event-aligned schedules reaches in continuous time.

Run: python benchmarks/exact.py [--seconds 60] [--instances 20] [--objective makespan]
     [--families forced,tight,light] [--sizes 8x3,10x3]

A row is a family and a size. Instances whose quick schedules meet a lower bound need no search and
are counted apart. ``root gap`` is by how much the best value exceeds the limit at the root of the
tree, and is the wall: what it leaves open has to be made up by branching, and each further job
multiplies the tree.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from optsched.bounds import bound
from optsched.core.result import Status
from optsched.exact import branch_and_bound, solve
from optsched.generate import GENERATORS
from optsched.generate.hand import waiting_pays

SIZES = ((5, 3), (6, 3), (8, 3), (10, 3), (12, 4))
HEADER = (
    f"{'family':<8}{'size':<7}{'proved':>8}{'UB = LB':>9}{'median s':>10}{'worst s':>9}"
    f"{'open gap':>10}{'root gap':>10}{'states/s':>10}"
)


def row(family: str, size: tuple[int, int], options: argparse.Namespace) -> str:
    """Solve the instances of a family and size and return a line of the table."""
    generate = GENERATORS[family].function
    proved = trivial = 0
    seconds, open_gaps, root_gaps, speeds = [], [], [], []
    for seed in range(options.instances):
        instance = generate(jobs=size[0], servers=size[1], seed=seed)
        began = time.perf_counter()
        result = solve(
            instance,
            objective=options.objective,
            method="branch-and-bound",
            time_limit_s=options.seconds,
        )
        taken = time.perf_counter() - began
        nodes = result.details.get("nodes_branch_and_bound")
        if nodes is None:
            trivial += 1
            continue
        root_gaps.append(100 * (result.value / result.details["root_limit_s"] - 1))
        seconds.append(taken)
        speeds.append(nodes / taken)
        if result.status is Status.OPTIMAL:
            proved += 1
        else:
            best = bound(instance, options.objective, effort="seconds").value
            best = max(best, result.bound.value)
            open_gaps.append(100 * (result.value / best - 1))
    name = f"{family:<8}{size[0]}/{size[1]:<5}"
    if not seconds:
        return f"{name}{'0/0':>8}{trivial:>9}"
    gap = f"{sum(open_gaps) / len(open_gaps):.1f}%" if open_gaps else "-"
    root = f"{sum(root_gaps) / len(root_gaps):.1f}%"
    tried = f"{proved}/{len(seconds)}"
    return (
        f"{name}{tried:>8}{trivial:>9}{median(seconds):>10.2f}{max(seconds):>9.1f}"
        f"{gap:>10}{root:>10}{median(speeds):>10.0f}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="limit for one instance")
    parser.add_argument("--instances", type=int, default=3, help="instances in a row")
    parser.add_argument("--objective", default="makespan")
    parser.add_argument("--families", default="forced,tight,light")
    parser.add_argument("--sizes", default=",".join(f"{n}x{s}" for n, s in SIZES))
    options = parser.parse_args()
    # What is compiled once is not counted.
    branch_and_bound(waiting_pays())
    print(f"{options.objective}, event-aligned schedules, {options.seconds:g} s an instance")
    print(HEADER)
    for family in options.families.split(","):
        for text in options.sizes.split(","):
            jobs, servers = (int(part) for part in text.split("x"))
            print(row(family, (jobs, servers), options), flush=True)


if __name__ == "__main__":
    main()
