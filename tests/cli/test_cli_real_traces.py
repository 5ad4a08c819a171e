"""From a real trace to a schedule that other simulators gave before, on the command line."""

import csv
import json

import pytest

#: Submitted in the same second; the reference sorted them by an unstable sort.
SWAPPED = {"526", "527"}


def expected_times(path):
    with path.open(newline="") as file:
        return {
            row["job_id"]: (float(row["start_s"]), float(row["end_s"]))
            for row in csv.DictReader(file)
        }


def scheduled_times(path):
    segments = json.loads(path.read_text())["segments"]
    times = {segment["job"]: (segment["start_s"], segment["end_s"]) for segment in segments}
    assert len(times) == len(segments)
    return times


def test_tiresias_fifo_job_by_job(optsched, tmp_path, traces_directory):
    trace = traces_directory / "tiresias" / "60_job.csv"
    assert optsched("convert", trace, "-o", "t.json").code == 0
    done = optsched("run", "t.json", "-s", "fifo:fit=first", "-o", "s.json", "--json")
    assert done.code == 0
    # Sum of JCTs 13,151 s and makespan 3,341 s, as the other simulator printed them.
    objectives = done.json["judgement"]["objectives"]
    assert objectives["mean_jct"] == pytest.approx(13151 / 60, rel=1e-12)
    assert objectives["makespan"] == 3341.0
    expected = expected_times(traces_directory / "tiresias" / "expected_fifo_4x4.csv")
    assert scheduled_times(tmp_path / "s.json") == expected
    assert optsched("verify", "s.json", "t.json").code == 0


def test_helios_fifo_job_by_job(optsched, tmp_path, traces_directory):
    trace = traces_directory / "philly" / "vc-11cb48-4days.csv"
    size = ["--servers", 4, "--gpus-per-server", 8]
    assert optsched("convert", trace, "-o", "p.json", *size).code == 0
    done = optsched("run", "p.json", "-s", "fifo", "-o", "s.json", "--json")
    assert done.code == 0
    objectives = done.json["judgement"]["objectives"]
    assert objectives["mean_jct"] == pytest.approx(1520606 / 890, rel=1e-12)
    assert objectives["makespan"] == 363996.0
    expected = expected_times(traces_directory / "philly" / "expected_helios_fifo.csv")
    found = scheduled_times(tmp_path / "s.json")
    assert set(found) == set(expected)
    assert {job for job in found if found[job] != expected[job]} <= SWAPPED
    # In the order of the file.
    assert [found[job] for job in ("526", "527")] == [(220185, 221463), (220187, 221437)]


def test_a_table_for_the_500_jobs_of_sensetime(optsched, tmp_path, traces_directory):
    trace = traces_directory / "dally" / "sensetime-500-batch.csv"
    converted = optsched("convert", trace, "-o", "st.json", "--json")
    assert converted.code == 0
    assert converted.json["rows_kept"] == 500
    checked = optsched("validate", "st.json")
    assert "500 jobs, 16 servers, 128 GPUs" in checked.out
    done = optsched("compare", "st.json", "--json")
    assert done.code == 0
    # Whatever the judge finds invalid stops the comparison.
    rows = done.json["runs"]
    assert len(rows) == 4
    assert all(row["ratio"] >= 1 - 1e-9 for row in rows)
    # No schedule ends before the longest job alone; the trace tells one-GPU times.
    with trace.open(newline="") as file:
        longest_s = max(
            float(row["trace_duration_s"]) / int(row["gpus"]) for row in csv.DictReader(file)
        )
    assert all(longest_s * (1 - 1e-9) <= row["bound"] <= row["value"] for row in rows)
    assert (tmp_path / "compare-st.svg").is_file()
