"""``optsched bound``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import InstanceArgument, JsonOption, ObjectiveOption, SeedOption

if TYPE_CHECKING:
    from optsched.core.result import ProblemClass

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
    from optsched.core.quantities import number_text
    from optsched.files import load
    from optsched.report import rows_table
    from optsched.study.run import default_objective

    loaded = load(instance, seed=seed)
    wanted = checked_objective(objective or default_objective(loaded))
    found = all_bounds(loaded, wanted)
    if as_json:
        print_json(found if show_all else found[0])
        return
    best = found[0]
    if not show_all:
        print(f"{best.objective} ≥ {number_text(best.value)} s")
        print(f"bound {best.method!r}, for {_schedules_of(best.problem_class)}")
        return
    rows = [
        (
            item.method,
            number_text(item.value),
            f"{100 * item.value / best.value:.1f}%" if best.value > 0 else "",
            f"{item.runtime_s:.4f}",
            _schedules_of(item.problem_class),
        )
        for item in found
    ]
    columns = ("bound", f"{wanted} ≥ [s]", "of the best", "time [s]", "holds for")
    print_table(rows_table(columns, rows, title=f"{loaded.name}: lower bounds"))


def _schedules_of(kind: ProblemClass) -> str:
    allowed = {
        "none": "without preemption",
        "preempt": "also with preemption",
        "preempt and migrate": "also with preemption and migration",
    }
    return f"schedules in {kind.time} time, {allowed[kind.preemption.value]}"
