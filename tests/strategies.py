"""Small random instances for property tests, of every kind that the model knows."""

import math

from hypothesis import strategies as st

from optsched.contention import rate_functions
from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel

#: Round numbers make ties, odd ones make rounding; both find mistakes.
SECONDS = st.sampled_from([0.05, 0.1, 0.25, 0.3, 1.0]) | st.floats(0.01, 2.0)
ARRIVALS = st.sampled_from([0.0, 0.5, 1.0, 2.0]) | st.floats(0.0, 8.0)
BYTES = st.sampled_from([0.0, 0.25e9, 0.75e9]) | st.floats(0.0, 2e9)
RATES = st.sampled_from([1e9, 1e9, 2.5e9]) | st.floats(0.5e9, 5e9)


@st.composite
def clusters(draw, max_servers=4, max_gpus=4):
    """Return a cluster: equal or unequal servers, in one or two racks, with all sorts of rates."""
    count = draw(st.integers(1, max_servers) | st.integers(min(3, max_servers), max_servers))
    if draw(st.booleans()):
        gpus = [draw(st.integers(1, max_gpus))] * count
    else:
        gpus = draw(st.lists(st.integers(1, max_gpus), min_size=count, max_size=count))
    racks = draw(st.integers(1, min(2, count)))
    has_own_rates = draw(st.sampled_from([False, False, True]))
    servers = [
        Server(
            f"s{position}",
            size,
            f"r{position * racks // count}",
            draw(st.none() | RATES) if has_own_rates else None,
        )
        for position, size in enumerate(gpus)
    ]
    fabric = Fabric(
        intra_bytes_per_s=draw(st.sampled_from([math.inf, 50e9, 0.8e9])),
        inter_bytes_per_s=draw(RATES),
        uplink_bytes_per_s=draw(st.sampled_from([math.inf, math.inf, 1e9, 0.6e9])),
        reduce_bytes_per_s=draw(st.sampled_from([math.inf, 10e9])),
        degradation=draw(st.sampled_from([0.0, 0.2, 0.5])),
        latency_s=draw(st.sampled_from([0.0, 0.0, 0.01])),
    )
    return Cluster(servers, fabric)


@st.composite
def jobs_for(draw, cluster, max_jobs=7, arrivals=None):
    """Return jobs that the cluster can hold; ``arrivals`` None lets the draw decide."""
    arrive = draw(st.booleans()) if arrivals is None else arrivals
    most = cluster.total_gpus
    # Jobs contend if several fit into the cluster and do not fit on a server.
    demands = st.integers(1, most) | st.integers(1, -(-most // 2))
    return [
        Job(
            f"j{position}",
            gpus=draw(demands),
            iterations=draw(st.integers(1, 12)),
            gradient_bytes=draw(BYTES),
            compute_s=draw(SECONDS),
            arrival_s=draw(ARRIVALS) if arrive else 0.0,
            weight=draw(st.sampled_from([1.0, 0.5, 3.0])),
            server_overhead_s=draw(st.sampled_from([None, None, 0.0, 0.02])),
        )
        for position in range(
            draw(st.integers(1, max_jobs) | st.integers(min(4, max_jobs), max_jobs))
        )
    ]


@st.composite
def instances(
    draw, max_jobs=7, max_servers=4, *, slotted=None, arrivals=None, restarts=False, model=None
):
    """Return an instance whose jobs always make progress, wherever they run.

    Parameters
    ----------
    max_jobs, max_servers
        The largest sizes.
    slotted, arrivals
        True or False; None lets the draw decide.
    restarts
        Whether a restart may take time.
    model
        ``ring`` or ``fixed``; None lets the draw decide, mostly for ``ring``.
    """
    cluster = draw(clusters(max_servers))
    name = draw(st.sampled_from(["ring", "ring", "ring", "fixed"])) if model is None else model
    parameters = {}
    if name == "ring":
        parameters["contention_weight"] = draw(st.sampled_from([1.0, 1.0, 0.6]))
        parameters["server_overhead_s"] = draw(st.sampled_from([0.0, 0.01]))
    instance = Instance(
        "drawn",
        cluster,
        draw(jobs_for(cluster, max_jobs, arrivals)),
        RateModel.of(name, **parameters),
        restart_s=draw(st.sampled_from([0.0, 0.5, 0.7])) if restarts else 0.0,
        restart_s_per_gpu=draw(st.sampled_from([0.0, 0.1])) if restarts else 0.0,
    )
    if draw(st.booleans()) if slotted is None else slotted:
        return instance.changed(slot_s=draw(slots_for(instance)))
    return instance


@st.composite
def slots_for(draw, instance):
    """Return a slot in which every job does an iteration even at its worst."""
    if instance.rate_model.name == "fixed":
        return draw(st.sampled_from([0.5, 1.0, 0.1]))
    rates = rate_functions(instance)
    servers, jobs = len(instance.cluster.servers), len(instance.jobs)
    worst_s = max(rates.worst_iteration_time_s(job, servers, jobs) for job in range(jobs))
    wholes = st.just(float(math.ceil(worst_s)))
    return draw(wholes | st.floats(1.0, 3.0).map(lambda factor: factor * worst_s))
