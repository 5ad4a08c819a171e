"""Code and commands as they stand in the documentation, for tests that run them."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from optsched.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").glob("*.md"))

_FENCE = re.compile(r"^```([^\s`]*)[^\n]*\n(.*?)^```$", re.M | re.S)
_SPAN = re.compile(r"(?<!`)`(optsched [^`]+)`(?!`)")


def blocks(path, kind):
    """Return the text of each fenced block of a kind: ``python``, ``json``, ``{doctest}``."""
    return [text for found, text in _FENCE.findall(path.read_text()) if found == kind]


def command_lines(path):
    """Return each ``optsched`` command of a page, from its blocks and from its sentences."""
    text = path.read_text()
    lines = [
        part.strip()
        for kind, block in _FENCE.findall(text)
        if kind in ("sh", "")
        for line in block.replace("\\\n", " ").splitlines()
        for part in re.split(r"&&|;|\|", line)
    ]
    spans = [" ".join(span.split()) for span in _SPAN.findall(_FENCE.sub("", text))]
    commands = [part.strip() for span in spans for part in re.split(r"&&|;|\|", span)]
    return [line for line in lines + commands if line.startswith("optsched ")]


def check_command_line(line, monkeypatch, capsys):
    """Fail unless the command exists and knows every option of the line."""
    words = shlex.split(line.partition(">")[0])[1:]
    if words[0].isupper():
        # A name that stands for any command.
        return
    # Options are read before the help is shown, so an unknown one is told instead of it.
    monkeypatch.setattr(sys, "argv", ["optsched", *words, "--help"])
    with pytest.raises(SystemExit) as stopped:
        main()
    printed = capsys.readouterr()
    assert not stopped.value.code, f"{line}\n{printed.err}"
    assert f"optsched {words[0]}" in printed.out
