"""Every online policy against exact optima on small instances of machines in racks.

Run: python benchmarks/small_tiered.py [--family tiered-small,tiered-small-arrivals]
     [--schedulers dally,srtf] [--seconds 60]

The instances are solved exactly among all non-preemptive schedules. A policy that stops jobs may
end below that optimum; it is also held against the strongest lower bound that holds with preemption
and migration, which nothing can beat. A row is a policy; for each objective it has

- the mean and the worst ratio to the non-preemptive optimum, and on how many instances the policy
  is as good as it or better;
- the mean ratio to the preemptive bound.

The table is Markdown. No seed is involved: instances and policies are deterministic.
"""

from __future__ import annotations

import argparse
import math
from statistics import fmean
from typing import NamedTuple

from optsched.bounds import all_bounds
from optsched.core.instance import Instance
from optsched.core.metrics import OBJECTIVES, Objective
from optsched.core.result import Preemption, Status, violates
from optsched.exact import solve
from optsched.files import load
from optsched.files.catalogue import group_members
from optsched.study import SCHEDULERS, run

ASKED: tuple[Objective, ...] = tuple(one for one in OBJECTIVES if one != "weighted_jct")
LABELS: dict[Objective, str] = {"makespan": "makespan", "mean_jct": "mean JCT"}
VARIANTS = (
    "las:thresholds=none",
    "tiresias:thresholds=none,lease_s=3600,skewed=alexnet/vgg11/mobilenet-v3-large,others=tiers,"
    "fit=first",
    "dally:variant=manual",
    "dally:variant=no-wait",
    "dally:variant=fully-consolidated",
    "dally:variant=no-preemption",
)
ROUNDING = 1e-9


class Reference(NamedTuple):
    """What the values on an instance are held against, in seconds."""

    optimum: float
    preemptive_bound: float


def online_policies() -> list[str]:
    """Return every policy of the registry, and variants that are policies of their own."""
    names = [name for name, entry in SCHEDULERS.items() if entry.kind == "policy"]
    families = {name: [v for v in VARIANTS if v.startswith(f"{name}:")] for name in names}
    return [one for name in names for one in (name, *families[name])]


def reference(instance: Instance, objective: Objective, seconds: float) -> Reference:
    """Solve an instance, and bound its preemptive relaxation."""
    result = solve(instance, objective=objective, time_limit_s=seconds)
    if result.status is not Status.OPTIMAL or result.scope != "all" or result.value is None:
        raise SystemExit(f"{instance.name}: {objective} is not solved within {seconds:g} s")
    bounds = [
        bound.value
        for bound in all_bounds(instance, objective, effort="minutes")
        if bound.problem_class.preemption is Preemption.MIGRATE
    ]
    return Reference(result.value, max(bounds))


def ratios(
    policy: str, instance: Instance, references: dict[Objective, Reference]
) -> dict[Objective, tuple[float, float]]:
    """Return the ratios to optimum and bound, which may not be better than can be."""
    judgement = run(instance, policy).judgement
    assert judgement is not None
    found = {}
    for objective, known in references.items():
        value = judgement.objectives[objective]
        is_preemptive = judgement.schedule_class.preemption is not Preemption.NONE
        least = known.preemptive_bound if is_preemptive else known.optimum
        if violates(value, least):
            raise SystemExit(f"{policy} on {instance.name} beats what cannot be beaten: {value!r}")
        found[objective] = (value / known.optimum, value / known.preemptive_bound)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--family", default="tiered-small,tiered-small-arrivals")
    parser.add_argument("--schedulers", default=";".join(online_policies()), help="; between them")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit for one proof")
    options = parser.parse_args()
    names = [name for family in options.family.split(",") for name in group_members(family)]
    instances = [load(name) for name in names]
    known = [
        {one: reference(instance, one, options.seconds) for one in ASKED} for instance in instances
    ]
    for objective in ASKED:
        gap = fmean(k[objective].optimum / k[objective].preemptive_bound for k in known)
        print(f"{LABELS[objective]}: optimum over preemptive bound {gap:.3f} in the mean")
    heads = [f"{LABELS[one]}: mean | worst | reached | to the bound" for one in ASKED]
    print(f"\n{len(instances)} instances\n\n| policy | {' | '.join(heads)} |")
    print("| --- |" + " --: |" * 4 * len(ASKED))
    for policy in options.schedulers.split(";"):
        rows = [ratios(policy, one, refs) for one, refs in zip(instances, known, strict=True)]
        cells = []
        for objective in ASKED:
            over = [row[objective][0] for row in rows]
            reached = sum(ratio <= 1 + ROUNDING for ratio in over)
            bounded = fmean(row[objective][1] for row in rows)
            mean = math.fsum(over) / len(over)
            cells += [f"{mean:.3f}", f"{max(over):.3f}", f"{reached}", f"{bounded:.3f}"]
        print(f"| `{policy}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
