"""``optsched bound``."""

from __future__ import annotations

from typing import Annotated

import typer

from optsched.cli.options import InstanceArgument, JsonOption, ObjectiveOption, SeedOption

__all__ = ["bound"]


def bound(
    instance: InstanceArgument,
    objective: ObjectiveOption = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every bound that applies, the strongest first.")
    ] = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Prove a lower bound: no schedule of the named class is better than this.

    Examples
    --------
      optsched bound paper-160:servers=14
      optsched bound forced-6x3-0 --all --objective mean_jct
    """
    from optsched.bounds import all_bounds
    from optsched.cli.output import print_json, print_table
    from optsched.core.metrics import checked_objective
    from optsched.files import load
    from optsched.report import rows_table
    from optsched.study.run import default_objective

    loaded = load(instance, seed=seed)
    wanted = checked_objective(objective or default_objective(loaded))
    found = all_bounds(loaded, wanted)
    if as_json:
        print_json(found if show_all else found[0])
        return
    if not show_all:
        best = found[0]
        print(f"{best.objective} ≥ {best.value:.10g} s  ({best.method}; {best.problem_class})")
        return
    rows = [
        (
            item.method,
            f"{item.value:.10g}",
            f"{100 * (found[0].value / item.value - 1):.2f}%" if item.value > 0 else "",
            str(item.problem_class),
            f"{item.runtime_s:.4f}",
        )
        for item in found
    ]
    columns = ("bound", f"{wanted} ≥ [s]", "best is above by", "holds for", "time [s]")
    print_table(rows_table(columns, rows, title=loaded.name))
