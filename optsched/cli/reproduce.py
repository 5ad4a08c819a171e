"""``optsched reproduce``: published studies, done again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import JsonOption, OptionalPath

if TYPE_CHECKING:
    from optsched.study.dally_run import DallyRun
    from optsched.study.dally_workload import Workload

__all__ = ["dally", "sjf_bco"]

INTERRUPTED = 130
QUICK_SEEDS = 2
REPORT_FILE = "report.md"

WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes. Default: cores.")
]


def dally(
    workload: Annotated[
        str,
        typer.Option(
            "--workload",
            "-w",
            metavar="twin|TRACE_DIR",
            help="twin: drawn by the generator dally-500, which needs no trace. Or the folder of "
            "the trace: sensetime-500-batch.csv, sensetime-500-poisson.csv and dnn/.",
        ),
    ] = "twin",
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds",
            min=1,
            help="How many, from 0. Each draws a twin; a trace it changes a little: order in a "
            "batch, arrivals by up to a minute, leases by up to 5%. Default: 10.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="RxMxG,...",
            help="Racks, machines in each, GPUs in each of these. Default: 2x8x8,8x8x8.",
        ),
    ] = None,
    arrivals: Annotated[
        str,
        typer.Option("--arrivals", metavar="NAMES", help="batch, poisson, or both."),
    ] = "batch,poisson",
    fabric: Annotated[
        str | None,
        typer.Option(
            "--fabric",
            metavar="NAMES",
            help="normal, congested, and any other tiered network or its TOML file. "
            "Default: normal,congested.",
        ),
    ] = None,
    schedulers: Annotated[
        str | None,
        typer.Option(
            "--schedulers",
            "-s",
            metavar="NAMES",
            help="Names of the study (dally, dally-manual, tiresias, gandiva, ...) or any "
            "scheduler with parameters. Default: all of the study.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Jobs of the twin.")] = 500,
    output: Annotated[
        OptionalPath,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder of runs.jsonl, report.md and pictures. Runs that are there are not done "
            "again. Default: reproduce-dally, or reproduce-dally-trace.",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Unless said otherwise: 2 seeds, 2x8x8, congested. A minute of processor "
            "time or so.",
        ),
    ] = False,
    workers: WorkersOption = None,
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Draw no pictures.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Dally and its baselines: 500 jobs on tiered networks (Sharma et al. 2024).

    Every policy runs on every setting with every seed, is replayed by the judge, and stands beside
    a lower bound of its class. Each finished run is a line of runs.jsonl in the folder, so a
    reproduction that is interrupted or killed goes on where it was. At its end there are tables, a
    report with the figures of every class of jobs, and pictures.

    Examples
    --------
      optsched reproduce dally --quick
      optsched reproduce dally --seeds 10 -o dally-twin
      optsched reproduce dally -s dally,gandiva,my.py:MyPolicy
    """
    from optsched.cli.output import note, print_json, print_table, progress_bar
    from optsched.report.dally_page import dally_data, dally_markdown, save_dally_pictures
    from optsched.report.dally_tables import headline_table, overview_tables, reduction_tables
    from optsched.study import split_schedulers
    from optsched.study.compare import ViolatedBoundError
    from optsched.study.dally_schedulers import named_specs
    from optsched.study.dally_summary import paired_reductions, summarise
    from optsched.study.parallel import available_cores
    from optsched.study.reproduce_dally import RUNS_FILE, DallyStudy, crossed, reproduce_dally

    names = named_specs(None if schedulers is None else split_schedulers(schedulers))
    settings = crossed(
        _checked("--arrivals", arrivals, ("batch", "poisson")),
        [_cluster(text) for text in _listed(cluster or ("2x8x8" if quick else "2x8x8,8x8x8"))],
        _listed(fabric or ("congested" if quick else "normal,congested")),
    )
    for setting in settings:
        # A fabric that does not exist is told before anything runs.
        _ = setting.network
    chosen = _workload(workload, jobs)
    folder = output or Path("reproduce-dally" if workload == "twin" else "reproduce-dally-trace")
    study = DallyStudy(chosen, settings, names, seeds or (QUICK_SEEDS if quick else 10))
    runs: list[DallyRun] = []
    interrupted = False
    with progress_bar("reproducing") as advance:

        def on_run(done: int, total: int, run: DallyRun) -> None:
            runs.append(run)
            advance(done, total, f"{run.setting.name}, {run.spec.partition(':')[0]}")

        try:
            runs = reproduce_dally(
                study, folder, workers=workers or available_cores(), on_run=on_run
            )
        except KeyboardInterrupt:
            interrupted = True
        except ViolatedBoundError as error:
            from optsched.cli.violations import save_violation

            note(f"both sides are in {save_violation(error)}")
            raise
    if runs:
        summaries = summarise(runs, names)
        reductions = paired_reductions(runs, names)
        pictures = [] if no_plot else save_dally_pictures(runs, names, folder)
        page = folder / REPORT_FILE
        text = dally_markdown(runs, names, title=chosen.title, pictures=pictures)
        page.write_text(text, encoding="utf-8")
        if as_json:
            asked = {"workload": chosen.identity, "seeds": study.seeds}
            print_json(dally_data(runs, names) | asked | {"interrupted": interrupted})
        else:
            tables = overview_tables(summaries)
            if reductions:
                tables += [*reduction_tables(reductions), headline_table(reductions)]
            for table in tables:
                print_table(table.terminal())
        note(f"report: {page}; runs: {folder / RUNS_FILE}; pictures: {len(pictures)}")
    if interrupted:
        note(f"interrupted after {len(runs)} runs; the same command goes on from there")
        raise typer.Exit(INTERRUPTED)


def sjf_bco(
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="How many instances are drawn, from seed 0.")
    ] = 10,
    servers: Annotated[
        int, typer.Option("--servers", min=1, help="Servers; the paper's makespans are on 20.")
    ] = 20,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """SJF-BCO on its paper's workload: schedulers, κ and λ (Yu et al. 2022).

    The makespans of the paper stand beside means of drawn instances, in slots. Those over κ and λ
    are read from its drawings; it gives neither seeds nor sizes, so that its instance is unknown.
    "pack" is a second reading of its pseudo-code.

    Examples
    --------
      optsched reproduce sjf-bco
      optsched reproduce sjf-bco --seeds 3 --servers 14 --json
    """
    from optsched.cli.output import print_json, print_table, progress_bar
    from optsched.report.sjf_bco_tables import sjf_bco_data, sjf_bco_tables
    from optsched.study.parallel import available_cores
    from optsched.study.reproduce_sjf_bco import reproduce_sjf_bco

    with progress_bar("reproducing") as advance:
        outcomes = reproduce_sjf_bco(
            servers=servers, seeds=seeds, workers=workers or available_cores(), on_run=advance
        )
    if as_json:
        print_json(sjf_bco_data(outcomes) | {"servers": servers, "seeds": seeds})
        return
    for table in sjf_bco_tables(outcomes):
        print_table(table.terminal())


def _listed(text: str) -> list[str]:
    return list(dict.fromkeys(filter(None, (part.strip() for part in text.split(",")))))


def _checked(option: str, text: str, known: tuple[str, ...]) -> list[str]:
    from optsched.core.errors import OptschedError, UnknownNameError

    listed = _listed(text)
    for name in listed:
        if name not in known:
            raise UnknownNameError(f"kind of arrivals ({option})", name, known)
    if not listed:
        raise OptschedError(f"{option}: expected {' or '.join(known)}, got nothing")
    return listed


def _cluster(text: str) -> tuple[int, int, int]:
    from optsched.core.errors import OptschedError

    found = re.fullmatch(r"([1-9]\d{0,3})[x×]([1-9]\d{0,3})[x×]([1-9]\d{0,3})", text)
    if found is None:
        raise OptschedError(
            f"--cluster: expected racks x machines x GPUs, like 2x8x8, got {text!r}"
        )
    return int(found[1]), int(found[2]), int(found[3])


def _workload(name: str, jobs: int) -> Workload:
    from optsched.core.errors import FileFormatError, OptschedError
    from optsched.study.dally_workload import TraceFolder, Twin

    if name == "twin":
        return Twin(jobs)
    if jobs != 500:
        raise OptschedError(f"--jobs: expected with the twin only, got it with {name}")
    if not Path(name).is_dir():
        raise FileFormatError(f"{name}: expected 'twin' or the folder of the trace, got neither")
    return TraceFolder(Path(name))
