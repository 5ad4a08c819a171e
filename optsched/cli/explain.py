"""``optsched explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from optsched.cli.options import InstanceArgument, JsonOption, SeedOption, SlotOption

if TYPE_CHECKING:
    from optsched.core.instance import Instance
    from optsched.study.explain import Explanation

__all__ = ["explain"]

#: The exit code if some demand cannot be met.
INFEASIBLE = 1


def explain(
    instance: InstanceArgument,
    schedule: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SCHEDULE]", help="A schedule file of the instance (optsched.schedule/1)."
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            "-s",
            metavar="NAME",
            help="In place of a schedule: run this scheduler. Default: sjf-bco.",
        ),
    ] = None,
    job: Annotated[
        str | None,
        typer.Option("--job", metavar="ID", help="Only this job, with the jobs beside it."),
    ] = None,
    most: Annotated[
        int,
        typer.Option("--most", min=1, metavar="N", help="Show so many jobs, those of longest JCT."),
    ] = 20,
    slot_s: SlotOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Say why jobs end when they end: waiting, computing, communication, contention.

    The parts add up to the JCT: waiting before the first start and after preemptions, restarting,
    computing, communication where it is least, what the given servers and shared links add, and in
    slotted time the rounding. With --job also which jobs it waited for and shared links with.
    If no schedule can exist, it says which demands cannot be met, with exit code 1.

    Examples
    --------
      optsched explain waiting-pays --scheduler fifo
      optsched explain waiting-pays --scheduler fifo --job a
      optsched explain my-cluster.json schedule.json --json
    """
    from optsched.core.errors import InstanceError, Problem, UnknownNameError
    from optsched.files import FileProblemsError
    from optsched.study.unmet_demands import is_unmet_demand, unmet_demands

    if schedule is not None and scheduler is not None:
        raise typer.BadParameter("give a schedule or a scheduler, not both")
    from optsched.cli.schedules import load_in_slots

    try:
        loaded = load_in_slots(instance, slot_s, seed=seed)
    except (FileProblemsError, InstanceError) as error:
        problems: list[Problem] = [
            one if isinstance(one, Problem) else one.problem for one in error.problems
        ]
        if not all(map(is_unmet_demand, problems)):
            raise
        _refuse([problem.text() for problem in problems], as_json=as_json)
    unmet = unmet_demands(loaded)
    if unmet:
        texts = [f"job {one.job!r}, {one.gpus} GPUs: {one.reason}" for one in unmet]
        _refuse(texts, as_json=as_json)
    ids = loaded.jobs.ids
    if job is not None and job not in ids:
        raise UnknownNameError("job", job, ids)
    explanation = _explained(loaded, schedule, scheduler, seed)
    chosen = None if job is None else ids.index(job)
    if as_json:
        _print_json(explanation, chosen)
    else:
        _print_text(explanation, chosen, most)


def _explained(
    loaded: Instance, schedule: Path | None, scheduler: str | None, seed: int
) -> Explanation:
    from optsched.files import load_schedule
    from optsched.study.explain import explain as explain_schedule
    from optsched.study.run import run

    if schedule is not None:
        return explain_schedule(loaded, load_schedule(schedule, loaded))
    result = run(loaded, scheduler or "sjf-bco", seed=seed)
    assert result.schedule is not None
    return explain_schedule(loaded, result.schedule)


def _print_json(explanation: Explanation, job: int | None) -> None:
    from optsched.cli.output import print_json
    from optsched.report.explanation import job_explanation_plain

    if job is not None:
        print_json(job_explanation_plain(explanation, job))
        return
    name = explanation.instance.name
    print_json({"instance": name, "totals": explanation.totals, "jobs": explanation.jobs})


def _print_text(explanation: Explanation, job: int | None, most: int) -> None:
    from optsched.cli.output import print_table
    from optsched.report import rows_table
    from optsched.report.explanation import explanation_rows, job_explanation_text

    if job is not None:
        print(job_explanation_text(explanation, job))
        return
    count = len(explanation.jobs)
    which = f", longest {most:,} of {count:,} jobs" if count > most else ""
    columns, rows = explanation_rows(explanation, most=most)
    title = f"{explanation.instance.name}: parts of the JCT{which}"
    print_table(rows_table(columns, rows, title=title))


def _refuse(texts: list[str], *, as_json: bool) -> NoReturn:
    """Say which demands cannot be met, and end."""
    from optsched.cli.output import print_json

    if as_json:
        print_json({"unmet": texts})
    else:
        print(f"no schedule can exist: {len(texts)} demand{'s' * (len(texts) != 1)} cannot be met")
        for text in texts:
            print(f"  {text}")
    raise typer.Exit(INFEASIBLE)
