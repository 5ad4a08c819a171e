"""``optsched calibrate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optsched.cli.options import JsonOption, OptionalPath

if TYPE_CHECKING:
    from optsched.contention import Calibration

__all__ = ["calibrate"]

#: Further digits of an interval mean nothing.
DIGITS = 4


def calibrate(
    latencies: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Measured all-reduce latencies, CSV, plain or gzip."),
    ],
    output: Annotated[
        OptionalPath,
        typer.Option("--output", "-o", metavar="FILE", help="Fabric to write (TOML)."),
    ] = None,
    plot: Annotated[
        OptionalPath,
        typer.Option(
            "--plot", metavar="FILE", help="Picture of fit and misfit to write (svg, png, pdf)."
        ),
    ] = None,
    column_map: Annotated[
        str,
        typer.Option(
            "--map",
            metavar="NAMES",
            help="Columns of the file: jobs=NAME,bytes=NAME,latency=NAME. "
            "Default: jobs=job_num,bytes=msg_size,latency=avg_latency.",
        ),
    ] = "",
    unit: Annotated[
        str, typer.Option("--unit", metavar="UNIT", help="Of the latencies: s, ms, us or ns.")
    ] = "us",
    weighting: Annotated[
        str,
        typer.Option(
            "--weighting",
            metavar="NAME",
            help="Which errors to make small: absolute (long latencies decide), relative (all "
            "count alike) or square-root (halfway).",
        ),
    ] = "absolute",
    max_jobs: Annotated[
        int,
        typer.Option("--max-jobs", min=2, help="Fit measurements of at most this many jobs."),
    ] = 8,
    ranks: Annotated[int, typer.Option("--ranks", min=2, help="Ranks of each all-reduce.")] = 2,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="SHARE", help="Of the intervals.")
    ] = 0.95,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the draws for the intervals.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Fit the law of contention to measured all-reduce latencies.

    The law is time = a + k·b·M + (k − 1)·η·M for k jobs that share a network interface and move M
    bytes each. It gives a fabric: bandwidth 1/b, degradation α = η/b, latency a. The intervals are
    of a bootstrap. What stderr says of them is part of the answer.

    Examples
    --------
      optsched calibrate latencies.csv --plot fit.svg
      optsched calibrate mine.csv --map jobs=k,bytes=size,latency=ms --unit ms -o fabric.toml
    """
    from optsched.cli.destinations import check_destination, check_picture
    from optsched.cli.output import note, print_json, progress_bar
    from optsched.contention import calibrate as fit
    from optsched.contention.fabrics import fabric_text
    from optsched.traces import read_latencies

    check_destination(output)
    check_picture(plot)
    measurements = read_latencies(latencies, columns=_columns(column_map), unit=unit)
    with progress_bar("drawing measurements anew"):
        found = fit(
            measurements,
            weighting=weighting,  # type: ignore[arg-type]
            max_jobs=max_jobs,
            ranks=ranks,
            confidence=confidence,
            seed=seed,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        _print_tables(found)
    for warning in found.warnings():
        note(f"warning: {warning}")
    if output is not None:
        source = {"all": _source(found, latencies.name)}
        text = fabric_text(found.fabric(), title=f"calibrated to {latencies.name}", source=source)
        output.write_text(text, encoding="utf-8")
        note(f"fabric: {output}")
    if plot is not None:
        from optsched.plot import plot_calibration, save_figure

        save_figure(plot_calibration(found)[0], plot)
        note(f"picture: {plot}")


def _columns(text: str) -> dict[str, str]:
    """Return the columns that ``--map`` names."""
    from optsched.core.errors import TraceError

    columns = {}
    for pair in filter(None, text.split(",")):
        part, is_pair, name = pair.partition("=")
        if not is_pair or not name.strip():
            raise TraceError(
                f"--map: expected jobs=NAME,bytes=NAME,latency=NAME, got {text!r}; each is optional"
            )
        columns[part.strip()] = name.strip()
    return columns


def _print_tables(found: Calibration) -> None:
    from optsched.cli.output import print_table
    from optsched.report import rows_table

    fitted = sum(row.is_fitted for row in found.residuals)
    print("time = a + k·b·M + (k − 1)·η·M")
    print(
        f"fitted to {fitted} of {len(found.residuals)} measurements (k ≤ {found.max_jobs}), "
        f"{found.weighting} errors"
    )
    megabyte = 1e6 * 1e3
    constants: list[Sequence[object]] = []
    for name, estimate, scale, unit in (
        ("α = η/b", found.degradation, 1.0, ""),
        ("a", found.latency_s, 1e3, "ms"),
        ("b", found.inverse_bandwidth_s_per_byte, megabyte, "ms/MB"),
        ("η", found.contention_s_per_byte, megabyte, "ms/MB"),
    ):
        values = [_digits(scale * x) for x in (estimate.value, estimate.low, estimate.high)]
        constants.append((name, values[0], f"{values[1]} … {values[2]}", unit))
    print_table(
        rows_table(
            ("constant", "value", f"{_percent(found.confidence)} interval", "unit"),
            constants,
            title="constants",
        )
    )
    weightings = [
        (row.weighting, _digits(row.degradation), f"{row.mean_relative_error:.1%}")
        for row in found.alternatives
    ]
    print_table(
        rows_table(
            ("weighting", "α", "mean relative error"), weightings, title="α by what is made small"
        )
    )
    misfit = [
        (
            row.jobs,
            "fitted" if row.is_fitted else "outside the law",
            row.measurements,
            f"{row.mean_relative:+.1%}",
            f"{row.worst_relative:+.1%}",
        )
        for row in found.misfit()
    ]
    print_table(
        rows_table(("k", "", "measurements", "mean", "worst"), misfit, title="measured / law − 1")
    )


def _digits(value: float) -> str:
    return f"{value:.{DIGITS}g}".replace("inf", "∞")


def _percent(share: float) -> str:
    return f"{100 * share:.4g}%"


def _source(found: Calibration, file: str) -> str:
    alpha = found.degradation
    return (
        f"optsched calibrate {file}: k <= {found.max_jobs}, {found.weighting} errors; degradation "
        f"{_digits(alpha.value)}, {_percent(found.confidence)} interval {_digits(alpha.low)} to "
        f"{_digits(alpha.high)}"
    )
