"""``optsched bound``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import (
    EffortOption,
    InstanceArgument,
    JsonOption,
    ObjectiveOption,
    SeedOption,
)

if TYPE_CHECKING:
    from rich.table import Table

    from optsched.core.result import Bound, ProblemClass

__all__ = ["bound"]

INTERRUPTED = 130


def bound(
    instance: InstanceArgument,
    objective: ObjectiveOption = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every bound that applies, the strongest first.")
    ] = False,
    effort: EffortOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Prove a lower bound: no schedule of the named class is better than this.

    Interrupted (Ctrl-C), it shows the strongest so far, with exit code 130.

    Examples
    --------
      optsched bound paper-160:servers=14
      optsched bound forced-6x3-0 --all --objective mean_jct
      optsched bound reference-f --all --effort seconds
    """
    from optsched.bounds import survey_bounds, worthwhile_effort
    from optsched.cli.output import note, print_json, print_table, progress_bar
    from optsched.core.metrics import checked_objective
    from optsched.core.quantities import number_text
    from optsched.files import load
    from optsched.study.run import default_objective

    loaded = load(instance, seed=seed)
    wanted = checked_objective(objective or default_objective(loaded))
    with progress_bar("bounding"):
        survey = survey_bounds(loaded, wanted, effort=effort or worthwhile_effort(loaded, wanted))
    found, best = survey.bounds, survey.bounds[0]
    if as_json:
        print_json(found if show_all else best)
    elif not show_all:
        print(f"{best.objective} ≥ {number_text(best.value)} s")
        print(f"bound {best.method!r}, for {_schedules_of(best.problem_class)}")
    else:
        print_table(_table(found, title=f"{loaded.name}: lower bounds"))
        for name, reason in survey.skipped.items():
            note(f"{name}: {reason}")
    if survey.stopped_by:
        note("interrupted; these are the bounds proven so far")
        raise typer.Exit(INTERRUPTED)


def _table(found: Sequence[Bound], *, title: str) -> Table:
    from optsched.core.quantities import number_text
    from optsched.report import rows_table

    best = found[0]
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
    columns = ("bound", f"{best.objective} ≥ [s]", "of the best", "time [s]", "holds for")
    return rows_table(columns, rows, title=title)


def _schedules_of(kind: ProblemClass) -> str:
    allowed = {
        "none": "without preemption",
        "preempt": "also with preemption",
        "preempt and migrate": "also with preemption and migration",
    }
    return f"schedules in {kind.time} time, {allowed[kind.preemption.value]}"
