"""Instances on which it is bad to take free GPUs at once instead of waiting for whole servers."""

from __future__ import annotations

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import InstanceError, Problem
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel
from optsched.generate.draws import checked_count, checked_range, with_settings

__all__ = ["spreading_bad"]

ITERATIONS = 10
BYTES_PER_S = 1e9
DEFAULTS: dict[str, object] = {"slowdown": 9.0}


def spreading_bad(*, servers: int = 4, slowdown: float = 9.0, seed: int = 0) -> Instance:
    """Return long jobs that find scattered GPUs free at 0, and whole servers a second later.

    s servers of 3 GPUs; s fillers of 2 GPUs that run for 1 s and send nothing; then ⌊s/2⌋ long jobs
    of 2 GPUs with 10 iterations of 1 s on one server and 1 + x s on two; s = 1 modulo 3.

    Whoever serves the fillers first (file order, the shortest first) and never waits spreads a long
    job at 0, and ends at 10 (1 + x) s: first fit gives the fillers the first 2s GPUs, which leaves
    one on the server where they end, and the first long job takes it with one of the next server;
    if each job runs on one server where it can, a filler leaves one GPU of its server, and every
    long job takes two such. Whoever waits for one server with room starts the long jobs at 1 s at
    the latest, and ends at 11 s. With
    the long jobs first, each on a server of its own, and the fillers on what is left, spread or
    not, it is 10 s, which is the least, since a long job never takes less. So to spread at once is
    1 + x times worse than the optimum, without bound; to wait for whole servers is 1.1 times worse.

    Parameters
    ----------
    servers
        How many servers (s): 4, 7, 10 and so on.
    slowdown
        How many times longer an iteration of a long job takes on two servers, less 1 (x).
    seed
        Without effect: nothing is drawn.

    Raises
    ------
    InstanceError
        If a parameter is out of range.

    Examples
    --------
    >>> spreading_bad().jobs.ids
    ('filler0', 'filler1', 'filler2', 'filler3', 'long0', 'long1')
    """
    name = "spreading-bad"
    checked_count(name, "servers", servers)
    if servers < 4 or servers % 3 != 1:
        raise InstanceError([Problem((name, "servers"), "one of 4, 7, 10, 13, …", f"{servers}")])
    checked_range(name, "slowdown", slowdown, 0.0, 1e6)
    longs = servers // 2
    # A ring of two sends each gradient once: m bytes an iteration.
    gradient_bytes = slowdown * BYTES_PER_S
    return Instance(
        with_settings(f"{name}-{servers + longs}x{servers}", DEFAULTS, slowdown=slowdown),
        Cluster.uniform(servers, 3, fabric=Fabric(inter_bytes_per_s=BYTES_PER_S)),
        [
            *(Job(f"filler{position}", 2, 1, compute_s=1.0) for position in range(servers)),
            *(
                Job(f"long{position}", 2, ITERATIONS, gradient_bytes, compute_s=1.0)
                for position in range(longs)
            ),
        ],
        RateModel.of("ring", contention_weight=1.0, server_overhead_s=0.0),
        description="To take scattered GPUs at once is bad: whole servers are free a second later.",
        metadata={"generator": f"{name}:servers={servers},slowdown={slowdown!r}"},
    )
