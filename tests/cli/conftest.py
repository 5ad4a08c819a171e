"""The command line, called in this process and in a folder of its own."""

import json
import sys
import warnings
from dataclasses import dataclass

import pytest

from optsched.cli.main import main


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
