"""A cluster with more to do than it can, and many equal jobs."""

import numpy as np

from optsched.core.cluster import Cluster, Fabric
from optsched.core.instance import Instance
from optsched.core.jobs import Jobs
from optsched.core.rate_model import RateModel


def saturated(count, *, servers=16, load=1.3, seed=0):
    """Return ``count`` jobs of a few lengths and demands, which arrive faster than they can end."""
    draw = np.random.default_rng(seed)
    gpus = draw.choice([1, 2, 4, 8, 16], p=[0.5, 0.15, 0.15, 0.15, 0.05], size=count)
    duration_s = draw.choice([60.0, 300.0, 1800.0, 7200.0], p=[0.4, 0.3, 0.2, 0.1], size=count)
    gap_s = float((gpus * duration_s).mean()) / (servers * 8 * load)
    jobs = Jobs.from_columns(
        ids=[f"j{number}" for number in range(count)],
        gpus=gpus.tolist(),
        iterations=(duration_s / 0.25).astype(int).tolist(),
        compute_s=[0.25] * count,
        gradient_bytes=draw.choice([50e6, 100e6], size=count).tolist(),
        # Whole minutes, so that many arrive and end at once.
        arrival_s=(60 * np.floor(np.cumsum(draw.exponential(gap_s, count)) / 60)).tolist(),
    )
    fabric = Fabric(inter_bytes_per_s=12.5e9, degradation=0.2)
    return Instance(
        "saturated",
        Cluster.uniform(servers, 8, racks=2, fabric=fabric),
        jobs,
        RateModel.of("ring"),
        restart_s=30.0,
    )
