"""The command line, called in this process and in a folder of its own."""

import functools
import importlib
import json
import sys
import warnings
from dataclasses import dataclass

import pytest
import typer.main

from optsched.cli.main import main

#: A command line is built once, not for each call.
built = functools.cache(typer.main.get_command)


@dataclass
class Outcome:
    """What a command returned and printed."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Stdout, which must be JSON and nothing else."""
        return json.loads(self.out, parse_constant=pytest.fail)


@pytest.fixture
def optsched(monkeypatch, capsys, tmp_path):
    """Return a function that runs ``optsched`` with some arguments in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(typer.main, "get_command", built)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    # Messages and help at one width, whatever the terminal.
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["optsched", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture
def good_schedule(tmp_path):
    """A schedule file of ``waiting-pays`` in the folder; returns its document."""
    from optsched.files import load, save_schedule
    from optsched.study import run

    result = run("waiting-pays", "fifo")
    path = tmp_path / "good-schedule.json"
    save_schedule(load("waiting-pays"), result.schedule, path, result=result)
    return json.loads(path.read_text())


@pytest.fixture(scope="session")
def comparison():
    """What ``compare --json`` says of two policies on ``waiting-pays``."""
    from optsched.study import compare

    return compare("waiting-pays", ["fifo", "sjf"]).as_dict()


@pytest.fixture
def interrupt(monkeypatch):
    """Return a function that makes an attribute of a module raise KeyboardInterrupt."""

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    def set_up(module, name):
        monkeypatch.setattr(importlib.import_module(module), name, interrupted)

    return set_up
