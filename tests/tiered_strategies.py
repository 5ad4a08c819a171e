"""Small random instances of the rate model ``tiered`` for property tests."""

from hypothesis import strategies as st

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.rate_model import RateModel

LAYER = st.tuples(*[st.sampled_from([0.5, 1.0, 2.0]) | st.floats(0.01, 3.0)] * 4)
NUMBERS = st.sampled_from([0.5, 1.0, 2.0]) | st.floats(0.01, 100.0)


@st.composite
def tiered_instances(draw, max_jobs=1, max_servers=4):
    """Return an instance of the model on unequal servers in unequal racks."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=max_servers))
    racks = draw(st.lists(st.integers(0, 1), min_size=len(sizes), max_size=len(sizes)))
    servers = [
        Server(f"s{i}", g, f"r{r}") for i, (g, r) in enumerate(zip(sizes, racks, strict=True))
    ]
    layers = draw(st.lists(LAYER, min_size=1, max_size=3))
    parameters = {
        "group_gpus": draw(st.integers(1, 4)),
        "contention": draw(st.booleans()),
        "layers.net": "; ".join(" ".join(map(repr, layer)) for layer in layers),
        "compute_scale.net": draw(NUMBERS),
    }
    for tier in ("group", "machine", "rack", "network"):
        parameters[f"{tier}_bytes_per_s"] = draw(NUMBERS)
        parameters[f"{tier}_latency_s"] = draw(st.just(0.0) | NUMBERS)
    jobs = [
        Job(
            f"j{i}",
            draw(st.integers(1, sum(sizes))),
            draw(st.integers(1, 9)),
            compute_s=draw(st.sampled_from([0.5, 1.0]) | st.floats(0.1, 2.0)),
            arrival_s=draw(st.sampled_from([0.0, 0.0, 1.0])),
            profile="net",
        )
        for i in range(draw(st.integers(1, max_jobs)))
    ]
    fabric = Fabric(degradation=draw(st.sampled_from([0.0, 0.5])))
    model = RateModel.of("tiered", **parameters)
    return Instance("drawn", Cluster(servers, fabric), jobs, model)
