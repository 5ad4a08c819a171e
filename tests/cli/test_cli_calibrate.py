"""The command calibrate: tables on stdout, caveats on stderr, files that can be read back."""

import json

import pytest
import typer
from typer.testing import CliRunner

from optsched.cli import calibrate
from optsched.contention import load_fabric
from optsched.core.errors import FileFormatError, TraceError, UnknownNameError

app = typer.Typer()
app.command()(calibrate.calibrate)


@pytest.fixture
def table(tmp_path):
    """A file of α = 0.25, 1/b = 1 GB/s and a = 1 ms; 12 jobs take twice what that says."""
    path = tmp_path / "mine.csv"
    rows = [
        (k, m, (1.0 + (1.25 * k - 0.25) * 1e-6 * m) * (1 + (k == 12)))
        for k in (1, 2, 4, 12)
        for m in (1e6, 1e7)
    ]
    path.write_text("k,size,ms\n" + "".join(f"{k},{m!r},{t!r}\n" for k, m, t in rows))
    return path


MINE = ("--map", "jobs=k,bytes=size,latency=ms", "--unit", "ms")


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_tables_and_caveats(table):
    result = run(table, *MINE)
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[1] == "fitted to 6 of 8 measurements (k ≤ 8), absolute errors"
    assert "α = η/b 0.25 0.25 … 0.25" in lines
    assert "a 1 1 … 1 ms" in lines
    assert "b 1 1 … 1 ms/MB" in lines
    assert "12 outside the law 2 +100.0% +100.0%" in lines
    assert "warning: outside the law: with more than 8 jobs" in result.stderr


def test_json(table):
    data = json.loads(run(table, *MINE, "--json", "--weighting", "relative").stdout)
    assert data["degradation"]["value"] == pytest.approx(0.25)
    assert data["weighting"] == "relative"
    assert len(data["residuals"]) == 8


def test_files(table, tmp_path):
    fabric, picture = tmp_path / "fabric.toml", tmp_path / "fit.svg"
    result = run(table, *MINE, "-o", fabric, "--plot", picture)
    assert f"fabric: {fabric}" in result.stderr and f"picture: {picture}" in result.stderr
    assert load_fabric(fabric).inter_bytes_per_s == pytest.approx(1e9)
    assert load_fabric(fabric).degradation == pytest.approx(0.25)
    assert load_fabric(fabric).latency_s == pytest.approx(1e-3)
    assert "optsched calibrate mine.csv" in fabric.read_text()
    assert picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ((), TraceError, "say which they are with --map jobs=COLUMN,bytes=size,latency="),
        (("--map", "k"), TraceError, "--map: expected jobs=NAME"),
        (("--map", "job=k"), UnknownNameError, "did you mean 'jobs'"),
        ((*MINE, "--unit", "h"), UnknownNameError, "unit of time"),
        ((*MINE, "--plot", "fit.txt"), UnknownNameError, "picture format"),
        ((*MINE, "-o", "/nowhere/fabric.toml"), FileFormatError, "existing directory"),
    ],
)
def test_errors(table, arguments, error, complaint):
    with pytest.raises(error, match=complaint):
        run(table, *arguments)


def test_the_published_measurements(traces_directory):
    path = traces_directory / "contention" / "allreduce_latency_vs_concurrent_jobs.csv"
    data = json.loads(run(path, "--json").stdout)
    assert data["degradation"]["value"] == pytest.approx(0.09, abs=0.005)
