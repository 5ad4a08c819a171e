"""Random decisions on clusters with room for all jobs at once, with and without preemptions."""

import math
from dataclasses import replace

from hypothesis import strategies as st

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.errors import ScheduleError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Decision
from optsched.judge import replay

SLOT_S = 16.0


@st.composite
def placements(draw, servers, gpus):
    """Draw a placement of a number of GPUs, by cutting them into runs."""
    used = draw(st.integers(1, min(servers, gpus)))
    on = draw(st.permutations(range(servers)))[:used]
    cuts = sorted(draw(st.permutations(range(1, gpus)))[: used - 1])
    counts = [after - before for before, after in zip([0, *cuts], [*cuts, gpus], strict=True)]
    return Placement.of(zip(on, counts, strict=True))


@st.composite
def problems(draw):
    """Draw an instance with room for all jobs at once, and a start of each at a slot boundary."""
    count = draw(st.integers(2, 4))
    racks = draw(st.integers(1, 2))
    own_rates = st.sampled_from([None, None, 0.5e9, 2e9])
    servers = [Server(f"s{i}", 20, f"r{i % racks}", draw(own_rates)) for i in range(count)]
    fabric = Fabric(
        intra_bytes_per_s=draw(st.sampled_from([math.inf, 4e9])),
        inter_bytes_per_s=1e9,
        uplink_bytes_per_s=draw(st.sampled_from([math.inf, 0.8e9])),
        degradation=draw(st.sampled_from([0.0, 0.3])),
        latency_s=draw(st.sampled_from([0.0, 0.01])),
    )
    model = RateModel.of(
        "ring",
        contention_weight=draw(st.sampled_from([0.6, 1.0])),
        server_overhead_s=draw(st.sampled_from([0.0, 0.005])),
    )
    jobs, decisions = [], []
    for number in range(draw(st.integers(1, 5))):
        gpus = draw(st.integers(1, 4))
        arrival_s = draw(st.sampled_from([0.0, 7.5, 32.0]))
        job = Job(
            f"j{number}",
            gpus,
            draw(st.integers(1, 40)),
            gradient_bytes=draw(st.sampled_from([0.0, 0.2e9, 0.7e9])),
            compute_s=draw(st.sampled_from([0.05, 0.3, 1.1])),
            arrival_s=arrival_s,
        )
        start_s = SLOT_S * (math.ceil(arrival_s / SLOT_S) + draw(st.integers(0, 3)))
        jobs.append(job)
        decisions.append(Decision(number, draw(placements(count, gpus)), start_s))
    restart_s = draw(st.sampled_from([0.0, 3.0]))
    instance = Instance(
        "random", Cluster(servers, fabric), jobs, model, restart_s=restart_s, restart_s_per_gpu=0.25
    )
    return instance, decisions


@st.composite
def preempted_problems(draw):
    """Draw a problem in which some jobs are stopped and go on later, here or elsewhere."""
    instance, decisions = draw(problems())
    servers = len(instance.cluster.servers)
    rows = []
    for decision in decisions:
        rows.append(decision)
        if draw(st.booleans()):
            end_s = decision.start_s + SLOT_S * draw(st.integers(1, 2))
            back_s = end_s + SLOT_S * draw(st.integers(0, 2))
            elsewhere = draw(placements(servers, decision.placement.gpus))
            placement = draw(st.sampled_from([decision.placement, elsewhere]))
            rows[-1] = replace(decision, end_s=end_s)
            rows.append(Decision(decision.job, placement, back_s))
    return instance, rows


def replayed(instance, decisions):
    """Replay decisions without those that come after their job's completion."""
    try:
        return replay(instance, decisions)
    except ScheduleError as error:
        late = [row for row in decisions if f"job 'j{row.job}' cannot start" not in str(error)]
        # Left with its first decision alone, such a job needs no end.
        kept = {row.job for row in late}
        alone = {row.job: replace(row, end_s=None) for row in reversed(decisions)}
        assert len(late) < len(decisions)
        return replayed(instance, late + [alone[job] for job in set(alone) - kept])
