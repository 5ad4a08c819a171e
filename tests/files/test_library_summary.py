"""The summary of the library counts what known.toml says."""

import pytest
from known_library import makespan_bound, one_after_the_other, save

from optsched.core.data_files import data_directory
from optsched.core.result import Status
from optsched.files import group_names
from optsched.files.library_summary import library_summary, summary_text, write_summary


def test_the_shipped_summary_is_what_known_toml_says():
    text = (data_directory("instances") / "SUMMARY.md").read_text(encoding="utf-8")
    assert text == summary_text()


def test_proved_and_aligned_instances_and_gaps_are_counted(tmp_path):
    save(tmp_path, one_after_the_other(), 21.0, makespan_bound(20.0))
    summary = library_summary(tmp_path)["hand-made"]
    one = summary["makespan"]
    assert (one.proved, one.aligned, one.mean_gap) == (0, 0, pytest.approx(0.05))
    assert (one.proved_text, one.gap_text) == ("0", "5.00%")
    assert (summary["mean_jct"].mean_gap, summary["mean_jct"].gap_text) == (None, "")
    found = {"status": Status.OPTIMAL, "scope": "event-aligned", "proof": "searched"}
    save(tmp_path, one_after_the_other(), 21.0, makespan_bound(20.0), **found)
    aligned = library_summary(tmp_path)["hand-made"]["makespan"]
    assert (aligned.proved, aligned.aligned, aligned.proved_text) == (0, 1, "0 + 1")
    save(tmp_path, one_after_the_other(), 21.0, makespan_bound(21.0))
    proved = library_summary(tmp_path)["library"]["makespan"]
    assert (proved.proved, proved.aligned, proved.gap_text) == (1, 0, "0.00%")


def test_the_summary_has_a_row_for_each_group(tmp_path):
    text = write_summary(tmp_path).read_text()
    rows = [line.split(" | ")[0].strip("| `") for line in text.splitlines()[2:]]
    assert sorted(rows) == sorted(group_names())
    assert rows[-1] == "library"
