"""``optsched compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import EffortOption, JsonOption, ObjectiveOption, OptionalPath

if TYPE_CHECKING:
    from optsched.study.comparison import RunRow

__all__ = ["compare", "default_picture"]

INTERRUPTED = 130
#: More families than this are shown as a line each, and pooled in the picture.
MOST_FAMILIES = 6


def compare(
    instances: Annotated[
        list[str],
        typer.Argument(
            metavar="INSTANCE",
            help="Names, generators with parameters, groups of shipped instances (library, "
            "forced-*) or instance files.",
        ),
    ],
    schedulers: Annotated[
        str | None,
        typer.Option(
            "--schedulers",
            "-s",
            metavar="NAMES",
            help="Separated by commas, with parameters after a colon: "
            "sjf-bco, sjf:placement=first_fit, my.py:MyPolicy. "
            "Default: sjf-bco, list-scheduling, first-fit, random.",
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            min=1,
            help="How many seeds, from 0: each draws an instance of a generator; on a fixed "
            "instance it goes to the schedulers that use random numbers.",
        ),
    ] = 1,
    objective: ObjectiveOption = None,
    effort: EffortOption = None,
    no_known: Annotated[
        bool,
        typer.Option(
            "--no-known",
            help="Compute all bounds; use none of those certified for shipped instances.",
        ),
    ] = False,
    output: Annotated[
        OptionalPath,
        typer.Option("--output", "-o", help="Picture (svg, png, pdf). Default: compare-NAME.svg."),
    ] = None,
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Draw no picture.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Hold schedulers against a lower bound: a table and a picture of their ratios.

    Every schedule is checked by the judge. The ratio is objective / bound, so a scheduler is at
    most that far from the optimum. wins counts the runs in which no other scheduler did better. A
    schedule that beats a bound of its class stops everything with exit code 1, and both sides are
    saved for inspection. Interrupted (Ctrl-C), it shows the runs that were done.

    Shipped instances are held against their certified optima and bounds, too ([bold]optsched list
    instances[/]); those that a generator draws never are, so that all seeds have the same bounds.

    Examples
    --------
      optsched compare paper-160 --seeds 10
      optsched compare reference-f --objective mean_jct -s sjf-bco,sjf
      optsched compare library -s my.py:MyPolicy,sjf
      optsched compare my-cluster.json -s my.py:MyPolicy,fifo --json
    """
    from optsched.cli.destinations import check_picture
    from optsched.cli.output import note, print_json, print_table, progress_bar
    from optsched.cli.violations import save_violation
    from optsched.report import comparison_table
    from optsched.report.tables import gap_table
    from optsched.study import Comparison, split_schedulers
    from optsched.study import compare as run_comparison
    from optsched.study.compare import DEFAULT_SCHEDULERS, ViolatedBoundError
    from optsched.study.run import versions

    picture = None if no_plot else output or default_picture(instances)
    check_picture(picture)
    names = list(DEFAULT_SCHEDULERS) if schedulers is None else split_schedulers(schedulers)
    rows: list[RunRow] = []
    interrupted = False
    with progress_bar("comparing") as advance:

        def on_progress(done: int, total: int, row: RunRow) -> None:
            rows.append(row)
            advance(done, total, row.scheduler)

        try:
            comparison = run_comparison(
                instances,
                names,
                objective=objective,
                effort=effort,
                seeds=seeds,
                use_known=not no_known,
                on_progress=on_progress,
            )
        except KeyboardInterrupt:
            interrupted = True
            comparison = Comparison(tuple(rows))
        except ViolatedBoundError as error:
            note(f"both sides are in {save_violation(error)}")
            raise
    has_many_families = len({row.family for row in comparison.runs}) > MOST_FAMILIES
    if as_json:
        asked = {"instances": instances, "schedulers": names, "seeds": seeds, "effort": effort}
        provenance = {**asked, "interrupted": interrupted, "versions": versions()}
        print_json({**comparison.as_dict(), "provenance": provenance})
    elif comparison.runs:
        print_table(
            gap_table(comparison) if has_many_families else comparison_table(comparison.summary)
        )
    if picture is not None and comparison.runs:
        from optsched.plot import save_figure

        plotted = comparison.pooled("all instances") if has_many_families else comparison
        save_figure(plotted.plot_ratios(), picture)
        note(f"picture: {picture}")
    if interrupted:
        note(f"interrupted after {len(rows)} run{'s' * (len(rows) != 1)}; the figures are of these")
        raise typer.Exit(INTERRUPTED)


def default_picture(instances: list[str]) -> Path:
    """Return ``compare-NAME.svg`` for what is compared, with no character that files dislike."""
    name = "-".join(Path(instance).name.removesuffix(".json") for instance in instances)
    safe = "".join(c if c.isalnum() or c in "-_.=" else "-" for c in name)
    return Path(f"compare-{safe[:80]}.svg")
