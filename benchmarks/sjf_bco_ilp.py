"""The load cap θ of SJF-BCO against the least there is, by two integer programs.

Run: python benchmarks/sjf_bco_ilp.py [--seconds 20] [--instances 3] [--solver highs]
     [--families forced,tight,light] [--sizes 6x3,8x3,10x3,12x4] [--cap-search feasible]

A row is an instance. θ is a *load*: the most estimated work ρ̂ that a GPU is given, not a makespan.
``min-max`` and ``bisection`` are the same θ by two ways; an interval is what is proven and what was
found at the limit. ``ratio`` is the tightest θ under which SJF-BCO found a schedule over the least:
by the paper's bisection, which follows the makespan, or by one that lowers θ while it can
(``feasible``).
Beside them the makespans: of SJF-BCO, of the program's choice of GPUs if jobs queue at them, and
the strongest bound that pays for the size; the load by best durations is a bound as well.
"""

from __future__ import annotations

import argparse
from statistics import mean

from optsched.bounds import bound, worthwhile_effort
from optsched.exact.gpu_load import GpuLoad, least_gpu_load
from optsched.exact.load_caps import LoadCaps, compare_load_caps
from optsched.generate import GENERATORS
from optsched.planners import SjfBco

HEADER = (
    f"{'instance':<20}{'min-max θ':>18}{'bisection θ':>18}{'SJF-BCO θ':>11}{'ratio':>7}"
    f"{'SJF-BCO':>10}{'by loads':>10}{'bound':>9}{'load bound':>12}"
)


def interval(load: GpuLoad) -> str:
    """Return a θ, or from what is proven to what was found."""
    if str(load.status) == "optimal":
        return f"{load.theta_s:.2f}"
    return f"{load.lower_s:.2f} to {load.theta_s:.2f}"


def row(
    family: str, size: tuple[int, int], seed: int, options: argparse.Namespace
) -> tuple[LoadCaps, bool]:
    """Print the line of one instance; return it, and whether its load bound is the strongest."""
    made = GENERATORS[family].function(jobs=size[0], servers=size[1], seed=seed)
    instance = made.changed(slot_s=options.slot) if options.slot else made
    limits = {"solver": options.solver, "time_limit_s": options.seconds}
    caps = compare_load_caps(instance, planner=SjfBco(cap_search=options.cap_search), **limits)
    best = least_gpu_load(instance, work="best", **limits).makespan_bound(instance)
    by_loads = caps.program_makespan_s
    effort = worthwhile_effort(instance, "makespan")
    strongest = bound(instance, "makespan", effort=effort)
    print(
        f"{family + f' {size[0]}/{size[1]} #{seed}':<20}{interval(caps.least):>18}"
        f"{interval(caps.bisected):>18}{caps.planner_cap_s:>11.2f}{caps.ratio:>7.3f}"
        f"{caps.planner_makespan_s:>10.1f}{'stalls' if by_loads is None else f'{by_loads:.1f}':>10}"
        f"{strongest.value:>9.1f}{best.value:>12.1f}",
        flush=True,
    )
    return caps, best.value > strongest.value * (1 + 1e-6)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="limit for each way to θ")
    parser.add_argument("--instances", type=int, default=3, help="instances of a family and size")
    parser.add_argument("--solver", default="highs", choices=("highs", "cbc"))
    parser.add_argument("--families", default="forced,tight,light")
    parser.add_argument("--sizes", default="6x3,8x3,10x3,12x4")
    parser.add_argument(
        "--cap-search", default="bisect", choices=("bisect", "feasible", "sweep"), help="of SJF-BCO"
    )
    parser.add_argument("--slot", type=float, default=0.0, help="slots of so many seconds")
    options = parser.parse_args()
    print(HEADER)
    found = [
        row(family, tuple(int(part) for part in size.split("x")), seed, options)
        for family in options.families.split(",")
        for size in options.sizes.split(",")
        for seed in range(options.instances)
    ]
    rows = [caps for caps, _ in found]
    closed = [one for one in rows if str(one.least.status) == str(one.bisected.status) == "optimal"]
    agree = sum(
        abs(one.least.theta_s - one.bisected.theta_s) <= 2e-4 * one.least.theta_s for one in closed
    )
    stronger = sum(is_stronger for _, is_stronger in found)
    print(
        f"{len(rows)} instances, both ways closed on {len(closed)}, agreeing on {agree} of them; "
        f"SJF-BCO's θ over the least: mean {mean(one.ratio for one in rows):.3f}, worst "
        f"{max(one.ratio for one in rows):.3f}; the load bound is above the others on {stronger}"
    )


if __name__ == "__main__":
    main()
