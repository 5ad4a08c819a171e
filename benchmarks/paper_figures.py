"""SJF-BCO's makespan over κ and over λ on the paper's workload, beside the paper's figures.

Run: python benchmarks/paper_figures.py [--seeds 10] [--servers 20]
Figures 5 and 7 of Yu et al. 2022 are read from its drawings (slots, one instance each).
"""

from __future__ import annotations

import argparse
from statistics import fmean

from optsched.files import load
from optsched.planners import SjfBco

PAPER_KAPPA = {1: 626, 2: 564, 4: 541, 8: 535, 16: 749, 32: 736}
PAPER_CAPACITY_FACTOR = {1: 1043, 2: 882, 4: 730, 8: 538}


def mean_makespan_s(planner: SjfBco, servers: int, seeds: int) -> float:
    """Return the mean makespan over the instances that the seeds draw."""
    name = f"paper-160:servers={servers}"
    instances = [load(name, seed=seed) for seed in range(seeds)]
    return fmean(planner.plan(instance).schedule.end_time_s for instance in instances)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--servers", type=int, default=20)
    arguments = parser.parse_args()
    servers, seeds = arguments.servers, arguments.seeds
    print(f"mean makespan in slots, {servers} servers, {seeds} seeds")
    print("κ (λ = 1)          paper  literal     pack")
    for kappa, paper in PAPER_KAPPA.items():
        literal = mean_makespan_s(SjfBco(kappa=kappa), servers, seeds)
        pack = mean_makespan_s(SjfBco(kappa=kappa, fa_ffp="pack"), servers, seeds)
        print(f"{kappa:<15}{paper:>9}{literal:>9.1f}{pack:>9.1f}")
    print("λ (κ = 1)          paper  literal")
    for factor, paper in PAPER_CAPACITY_FACTOR.items():
        literal = mean_makespan_s(SjfBco(kappa=1, capacity_factor=factor), servers, seeds)
        print(f"{factor:<15}{paper:>9}{literal:>9.1f}")


if __name__ == "__main__":
    main()
