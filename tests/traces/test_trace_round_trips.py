"""From every format to an instance file and back: the same jobs."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optsched.core.document import instance_sha256
from optsched.core.errors import NothingUsableError
from optsched.files import load_instance, save_instance
from optsched.traces import LOADERS, load_trace

REAL = [
    ("tiresias", "tiresias/60_job.csv"),
    ("gavel", "gavel/minimize_makespan.trace"),
    ("gavel", "gavel/msr-103959.trace.gz"),
    ("pollux", "pollux/workload-6.csv"),
    ("swf", "swf/sample.swf"),
    ("sensetime", "dally/sensetime-500-poisson.csv"),
    ("plain", "philly/vc-11cb48-4days.csv"),
    ("philly", "philly/philly.csv.gz"),
]


def check_round_trip(loaded, path):
    save_instance(loaded.instance, path)
    back = load_instance(path)
    assert instance_sha256(back) == instance_sha256(loaded.instance)
    assert back.jobs.ids == loaded.instance.jobs.ids
    for column in ("gpus", "compute_s", "arrival_s", "iterations"):
        assert (getattr(back.jobs, column) == getattr(loaded.instance.jobs, column)).all()
    assert dict(back.metadata) == dict(loaded.instance.metadata)


@pytest.mark.parametrize("name", LOADERS)
def test_samples(samples, write_trace, tmp_path, name):
    check_round_trip(load_trace(write_trace(samples[name][0])), tmp_path / "back.json")


@pytest.mark.parametrize(("name", "file"), REAL)
def test_real_traces(traces_directory, tmp_path, name, file):
    loaded = load_trace(traces_directory / file)
    assert loaded.report.format == name
    check_round_trip(loaded, tmp_path / "back.json")


def test_other_sources_of_the_cluster(samples, write_trace, beside, tmp_path):
    (beside / "nodes.csv").write_text("sn,gpu\nn-1,8\nn-2,2\nn-3,0\n")
    path = write_trace(samples["openb"][0])
    loaded = load_trace(path, nodes=str(beside / "nodes.csv"), start=1, sample=0.99)
    assert loaded.instance.cluster.total_gpus == 10
    check_round_trip(loaded, tmp_path / "back.json")


NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs"), exclude_characters='",'),
    min_size=1,
    max_size=8,
)
SECONDS = st.floats(0, 2**52, allow_subnormal=False).map(lambda x: x + 0.0)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(NAMES, SECONDS, st.integers(1, 32), SECONDS.filter(lambda x: x > 0)),
        min_size=1,
        max_size=8,
        unique_by=lambda row: row[0],
    )
)
def test_any_jobs_by_way_of_a_table_and_a_file(tmp_path, rows):
    path = tmp_path / "mine.csv"
    lines = [f"{name},{submit!r},{gpus},{duration!r}" for name, submit, gpus, duration in rows]
    path.write_text("\n".join(["job_id,submit_s,gpus,duration_s", *lines]), encoding="utf-8")
    usable = [row for row in rows if row[3] >= 1e-18]
    if not usable:
        with pytest.raises(NothingUsableError, match="duration is below 1e-18 s"):
            load_trace(path)
        return
    loaded = load_trace(path)
    first = min(submit for _, submit, _, _ in usable)
    jobs = {job.id: job for job in loaded.instance.jobs}
    for name, submit, gpus, duration in rows:
        # What is too short for a file to say is dropped, and such a time is 0.
        job, arrival_s = jobs.get(name), submit - first
        if duration < 1e-18:
            assert job is None
            continue
        expected = (arrival_s if arrival_s >= 1e-18 else 0.0, gpus, duration)
        assert (job.arrival_s, job.gpus, job.compute_s) == expected
    check_round_trip(loaded, tmp_path / "back.json")
