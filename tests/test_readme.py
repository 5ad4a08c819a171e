"""The README's example runs, and its commands exist."""

import os
import subprocess
import sys

import pytest
from documentation import README, blocks, check_command_line, command_lines


@pytest.mark.parametrize("number", range(len(blocks(README, "python"))))
def test_the_example_runs(tmp_path, number):
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", "-"],
        input=blocks(README, "python")[number],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "times the optimum" in done.stdout
    assert "status     optimal" in done.stdout
    assert (tmp_path / "ratios.svg").stat().st_size > 1000


def test_there_is_an_example():
    assert len(blocks(README, "python")) >= 1


@pytest.mark.parametrize("line", command_lines(README))
def test_the_commands_exist_with_their_options(line, monkeypatch, capsys):
    check_command_line(line, monkeypatch, capsys)


def test_the_main_job_is_among_them():
    assert any(line.startswith("optsched compare paper-160") for line in command_lines(README))


@pytest.mark.parametrize("line", ["optsched comparre x", "optsched compare x --sedes 3"])
def test_a_wrong_command_would_be_seen(line, monkeypatch, capsys):
    with pytest.raises(AssertionError):
        check_command_line(line, monkeypatch, capsys)
