"""GPU rows: each segment gets what it holds, and nobody shares a GPU."""

import itertools
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsched.core.cluster import Cluster, Server
from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.schedule import Schedule, Segment
from optsched.plot import RowRun, gpu_rows


def one_server(gpus, job_gpus):
    jobs = [Job(f"j{i}", count, 1, compute_s=1.0) for i, count in enumerate(job_gpus)]
    return Instance("one", Cluster.uniform(1, gpus), jobs)


def on_server_0(job, gpus, start_s, end_s):
    return Segment(job, Placement.of({0: gpus}), start_s, end_s)


def held_at(time, server, segments):
    return sum(
        dict(segment.placement.pairs).get(server, 0)
        for segment in segments
        if segment.start_s <= time < segment.end_s
    )


@st.composite
def random_cases(draw):
    """Draw a cluster, and segments that are kept only while they fit beside the earlier ones."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    kept = []
    for job in range(draw(st.integers(0, 14))):
        wanted = draw(st.dictionaries(st.integers(0, len(sizes) - 1), st.integers(1, 4)))
        start = draw(st.integers(0, 12))
        end = start + draw(st.integers(0, 6))
        if not wanted or any(count > sizes[server] for server, count in wanted.items()):
            continue
        segment = Segment(job, Placement.of(wanted), start, end)
        if all(
            held_at(time, server, [*kept, segment]) <= sizes[server]
            for time in range(20)
            for server in wanted
        ):
            kept.append(segment)
    named = [Server(f"s{position}", size) for position, size in enumerate(sizes)]
    jobs = [Job(f"j{i}", 1, 1, compute_s=1.0) for i in range(14)]
    return Instance("random", Cluster(named), jobs), Schedule.of(kept)


@given(random_cases())
def test_every_segment_has_its_gpus_and_no_gpu_is_shared(case):
    instance, schedule = case
    runs = gpu_rows(instance, schedule)
    held = defaultdict(int)
    by_gpu = defaultdict(list)
    for run in runs:
        segment = schedule.segments[run.segment]
        held[run.segment, run.server] += run.count
        assert run.first_gpu >= 0
        assert run.first_gpu + run.count <= instance.cluster.servers.gpus[run.server]
        for gpu in range(run.first_gpu, run.first_gpu + run.count):
            by_gpu[run.server, gpu].append((segment.start_s, segment.end_s))
    for position, segment in enumerate(schedule):
        for server, count in segment.placement.pairs:
            expected = count if segment.end_s > segment.start_s else 0
            assert held[position, server] == expected
    for times in by_gpu.values():
        times.sort()
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(times))


def test_takes_the_smallest_gap_that_holds_the_job():
    # j0 holds GPUs 0-1, j1 GPU 2, j2 GPUs 3-5, GPU 6 and 7 stay free. At 5 s j1 is done, so
    # the gaps are {2} and {6, 7}: one GPU goes into the first, two into the second.
    rows = [on_server_0(0, 2, 0, 9), on_server_0(1, 1, 0, 5), on_server_0(2, 3, 0, 9)]
    rows += [on_server_0(3, 2, 5, 9), on_server_0(4, 1, 5, 9)]
    runs = gpu_rows(one_server(8, [2, 1, 3, 2, 1]), Schedule.of(rows))
    assert [(run.segment, run.first_gpu, run.count) for run in runs] == [
        (0, 0, 2),
        (1, 2, 1),
        (2, 3, 3),
        (3, 6, 2),
        (4, 2, 1),
    ]


def test_splits_a_job_only_when_no_gap_is_large_enough():
    rows = [on_server_0(0, 1, 0, 1), on_server_0(1, 1, 0, 9), on_server_0(2, 2, 1, 9)]
    runs = gpu_rows(one_server(3, [1, 1, 2]), Schedule.of(rows))
    assert [run for run in runs if run.segment == 2] == [RowRun(2, 0, 0, 1), RowRun(2, 0, 2, 1)]


def test_a_job_comes_back_to_its_gpus():
    rows = [on_server_0(0, 1, 0, 4), on_server_0(1, 1, 0, 2), on_server_0(1, 1, 5, 6)]
    runs = gpu_rows(one_server(2, [1, 1]), Schedule.of(rows))
    assert [run.first_gpu for run in runs] == [0, 1, 1]


def test_a_start_that_rounding_put_before_the_end_of_another_is_no_conflict():
    rows = [on_server_0(0, 2, 0.0, 10.0), on_server_0(1, 2, 10.0 - 1e-12, 20.0)]
    runs = gpu_rows(one_server(2, [2, 2]), Schedule.of(rows))
    assert [run.first_gpu for run in runs] == [0, 0]


def test_more_than_a_server_has_is_an_error_that_says_where_and_when():
    rows = [on_server_0(0, 2, 0, 4), on_server_0(1, 2, 3, 5)]
    with pytest.raises(ScheduleError, match=r"at 3 s, job 'j1' needs 2 GPUs of server 's0'"):
        gpu_rows(one_server(3, [2, 2]), Schedule.of(rows))


def test_a_server_that_does_not_exist_is_an_error():
    rows = [Segment(0, Placement.of({7: 1}), 0, 4)]
    with pytest.raises(ScheduleError, match="server number 7; the cluster has 1"):
        gpu_rows(one_server(3, [1]), Schedule.of(rows))
