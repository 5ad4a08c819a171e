"""The judge's stretches of constant speed, against loads counted between any two events."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Schedule, Segment
from optsched.judge.segments import clocked_segments
from optsched.judge.timeline import constant_pieces

SERVERS = 5
FABRICS = {
    "equal": Fabric(inter_bytes_per_s=1e9, degradation=0.3),
    "uplinks": Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=1.5e9, degradation=0.3),
}


@pytest.mark.parametrize("fabric", FABRICS)
@settings(max_examples=150)
@given(
    rows=st.lists(
        st.tuples(
            st.sets(st.integers(0, SERVERS - 1), min_size=1, max_size=4),
            st.integers(0, 8),
            st.integers(1, 8),
        ),
        min_size=1,
        max_size=9,
    )
)
def test_pieces(fabric, rows):
    jobs = [Job(str(at), 4, 10, 1e8 * (at + 1), 0.1) for at in range(len(rows))]
    cluster = Cluster.uniform(SERVERS, 40, racks=2, fabric=FABRICS[fabric])
    instance = Instance("random", cluster, jobs, RateModel.of("ring", contention_weight=0.7))
    rates = rate_functions(instance)
    assert rates.depends_on_maximum_load == (fabric == "equal")
    places = [Placement.of({s: 4 // len(used) for s in used}) for used, _, _ in rows]
    schedule = Schedule.of(
        [
            Segment(job, place, float(start), float(start + length))
            for job, (place, (_, start, length)) in enumerate(zip(places, rows, strict=True))
        ]
    )
    segments = clocked_segments(instance, schedule, np.ones(len(schedule), dtype=bool))
    pieces = constant_pieces(rates, segments, schedule.placements)
    # Jobs have one segment each, so the position of a segment is that of its job.
    for job, (_, start, length) in enumerate(rows):
        its = np.flatnonzero(pieces.segment == job)
        assert pieces.begin[its[0]] == start
        assert pieces.end[its[-1]] == start + length
        assert (pieces.begin[its[1:]] == pieces.end[its[:-1]]).all()
        for now in range(start, start + length):
            running = [
                at for at, (_, begin, lasts) in enumerate(rows) if begin <= now < begin + lasts
            ]
            crossed = rates.shared_resources(places[job])
            load = [
                sum(resource in rates.shared_resources(places[at]) for at in running)
                for resource in crossed
            ]
            (piece,) = its[(pieces.begin[its] <= now) & (now < pieces.end[its])]
            expected = rates.iteration_time_s(job, places[job], load)
            assert pieces.iteration_time_s[piece] == expected
            assert pieces.degree[piece] == max(load, default=0)
