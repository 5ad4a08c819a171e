"""``optsched plot search``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import JsonOption

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from optsched.study.planner_search import SearchRow

__all__ = ["search"]

OVER = ("kappa", "factor", "cap")


def search(
    instance: Annotated[
        str,
        typer.Argument(
            metavar="INSTANCE", help="Name, generator with parameters, or instance file."
        ),
    ],
    over: Annotated[
        str,
        typer.Option(
            "--over",
            metavar="NAME",
            help="kappa (κ, demands packed), factor (λ, servers to choose from) or cap (θ, work "
            "of a GPU; the first seed only).",
        ),
    ] = "kappa",
    scheduler: Annotated[
        str,
        typer.Option(
            "--scheduler", "-s", metavar="NAME", help="sjf-bco with parameters of your choice."
        ),
    ] = "sjf-bco",
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="Instances that a generator draws.")
    ] = 1,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Picture to write (svg, png, pdf).")
    ] = Path("search.svg"),
    as_json: JsonOption = False,
) -> None:
    """Draw the makespan that SJF-BCO finds over κ, λ or θ.

    Over κ and θ it is at λ as given (1), over λ the best of all κ or of the κ as given.

    Examples
    --------
      optsched plot search paper-160 --seeds 10
      optsched plot search paper-160 --over factor -s sjf-bco:kappa=1 --seeds 10
      optsched plot search paper-160 --over cap -s sjf-bco:fa_ffp=pack,dispatch=queue
    """
    from optsched.cli.destinations import check_picture
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.core.errors import UnknownNameError
    from optsched.files import is_generator, load
    from optsched.plot import save_figure
    from optsched.study.planner_search import DEFAULT_FACTORS, sjf_bco_search
    from optsched.study.specification import SchedulerSpecError, make_scheduler

    if over not in OVER:
        raise UnknownNameError("parameter of the search", over, OVER)
    made = make_scheduler(scheduler)
    if scheduler.partition(":")[0] != "sjf-bco":
        raise SchedulerSpecError(f"{scheduler}: only sjf-bco has such a search")
    check_picture(output)
    given = dict(made.parameters)
    factor = float(str(given.pop("capacity_factor", 1.0)))
    factors = DEFAULT_FACTORS if over == "factor" else (factor,)
    count = seeds if over != "cap" and is_generator(instance) else 1
    if over == "cap":
        given.setdefault("cap_search", "sweep")
    rows: list[SearchRow] = []
    with progress_bar("searching") as advance:
        for seed in range(count):
            loaded = load(instance, seed=seed)
            rows += sjf_bco_search(loaded, factors=factors, parameters=given)
            advance(seed + 1, count)
    save_figure(draw(rows, over, title=f"{scheduler} on {instance}"), output)
    if as_json:
        print_json({"picture": str(output), "search": rows})
    else:
        note(f"picture: {output}")


def draw(rows: list[SearchRow], over: str, *, title: str) -> Axes:
    """Return the axes of the picture."""
    from optsched.plot import plot_makespan_over_caps, plot_makespan_over_parameter

    if over == "cap":
        trials = [(row.kappa, row.cap_s, row.makespan_s) for row in rows]
        return plot_makespan_over_caps(trials, title=title)
    best: dict[float, dict[str, float]] = {}
    for row in rows:
        value = row.kappa if over == "kappa" else row.capacity_factor
        if row.makespan_s is not None:
            found = best.setdefault(value, {})
            found[row.instance] = min(found.get(row.instance, row.makespan_s), row.makespan_s)
    complete = {row.instance for row in rows}
    makespans = {
        value: [found[name] for name in sorted(complete)]
        for value, found in sorted(best.items())
        if set(found) == complete
    }
    parameter = (
        "κ, largest demand that is packed"
        if over == "kappa"
        else "λ, GPUs of the servers that a large job chooses from, in multiples of its own"
    )
    return plot_makespan_over_parameter(makespans, parameter=parameter, title=title)
