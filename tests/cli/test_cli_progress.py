"""The progress bar: on a terminal, after a second, and never on stdout."""

import io
import sys
import time

import pytest

from optsched.cli import output


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch, patience_s):
    """Make stderr a terminal; not in a fixture, since pytest sets its own before the test."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(output, "PATIENCE_S", patience_s)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return stream


def test_nothing_is_shown_for_what_is_quick(monkeypatch):
    shown = terminal(monkeypatch, 60.0)
    with output.progress_bar("working") as advance:
        advance(1, 2, "first")
    assert shown.getvalue() == ""


def test_what_takes_longer_shows_a_bar(monkeypatch, capsys):
    shown = terminal(monkeypatch, 0.01)
    with output.progress_bar("working") as advance:
        advance(1, 2000, "first")
        time.sleep(0.3)
        print("data")
    assert "working" in shown.getvalue()
    assert "1/2,000" in shown.getvalue()
    assert "first" in shown.getvalue()
    assert capsys.readouterr().out == "data\n"


def test_without_news_it_shows_that_time_passes(monkeypatch):
    shown = terminal(monkeypatch, 0.01)
    with output.progress_bar("working"):
        time.sleep(0.3)
    assert "0:00:0" in shown.getvalue()
    assert "?" not in shown.getvalue().replace("[?25", "")


def test_an_error_ends_the_bar(monkeypatch):
    shown = terminal(monkeypatch, 0.01)
    with pytest.raises(ZeroDivisionError), output.progress_bar("working"):
        time.sleep(0.1)
        raise ZeroDivisionError
    # The cursor is shown again.
    assert "\x1b[?25h" in shown.getvalue()


def test_no_terminal_no_bar(monkeypatch, capsys):
    monkeypatch.setattr(output, "PATIENCE_S", 0.0)
    with output.progress_bar("working") as advance:
        advance(1, 2)
    assert capsys.readouterr().err == ""


def test_a_run_counts_the_jobs_that_are_done(monkeypatch):
    from optsched.cli import run
    from optsched.files import load
    from optsched.study import run as run_scheduler

    seen = []
    instance = load("dally-500:jobs=500")
    watch = run._finished_jobs(lambda done, total: seen.append((done, total)), 500)
    run_scheduler(instance, "dally", observers=[watch])
    assert seen == [(done, 500) for done in range(2, 501, 2)]
