"""Help, usage and what becomes of errors."""

import importlib
import re
import shlex

import pytest

from optsched.core.errors import StalledJobError

COMMANDS = [
    "compare",
    "reproduce dally",
    "reproduce sjf-bco",
    "plot gantt",
    "plot ratios",
    "run",
    "solve",
    "bound",
    "verify",
    "list",
    "generate",
    "convert",
    "fit",
    "validate",
]


def test_help_lists_every_command(optsched):
    shown = optsched("--help")
    assert shown.code == 0
    for command in [
        "compare",
        "reproduce",
        "plot",
        "run",
        "solve",
        "bound",
        "verify",
        "list",
        "generate",
        "convert",
        "fit",
        "validate",
    ]:
        assert re.search(rf"\b{command}\b", shown.out)
        assert optsched(*command.split(), "--help").code == 0


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize(
    "command",
    [
        "compare",
        "reproduce dally",
        "reproduce sjf-bco",
        "run",
        "solve",
        "bound",
        "verify",
        "list",
        "generate",
        "convert",
        "fit",
        "validate",
        "plot gantt",
        "plot ratios",
    ],
)
def test_examples_in_help_keep_their_lines(optsched, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = [line.strip() for line in optsched(*command.split(), "-h").out.splitlines()]
    examples = lines[lines.index("Examples") + 1 : lines.index("", lines.index("Examples"))]
    assert examples
    for line in examples:
        assert line.startswith("optsched ")
        # Every example is a command that exists, with options that exist.
        assert optsched(*shlex.split(line)[1:], "--help").code == 0


def test_nothing_asked_for_is_shown_the_help(optsched):
    shown = optsched()
    assert shown.code == 2
    assert "Usage" in shown.out + shown.err


def test_an_unknown_command_or_option_is_usage(optsched):
    assert optsched("comparre").code == 2
    assert optsched("run", "waiting-pays", "--sede", 3).code == 2
    assert optsched("run", "waiting-pays", "--seed", -1).code == 2
    assert optsched("compare", "waiting-pays", "--seeds", 0).code == 2
    assert optsched("compare").code == 2


def test_a_programming_error_still_shows_its_traceback(monkeypatch, capsys):
    import sys

    from optsched.cli.main import main

    def broken(*arguments, **options):
        raise StopAsyncIteration("a fault of the program")

    monkeypatch.setattr(importlib.import_module("optsched.files"), "load", broken)
    monkeypatch.setattr(sys, "argv", ["optsched", "bound", "waiting-pays"])
    with pytest.raises(StopAsyncIteration):
        main()


def test_an_error_on_purpose_is_one_message(optsched, monkeypatch):
    def stalled(*arguments, **options):
        raise StalledJobError("job 'a' completes no iteration in a slot")

    monkeypatch.setattr(importlib.import_module("optsched.files"), "load", stalled)
    done = optsched("bound", "waiting-pays")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: job 'a' completes no iteration in a slot\n"
