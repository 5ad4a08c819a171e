"""The matrix of methods says what is true: what is listed is taken, and the rest refused."""

import itertools

import pytest

from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import UnsupportedError
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.metrics import OBJECTIVES
from optsched.core.rate_model import RateModel
from optsched.exact import METHODS, solve
from optsched.exact.methods import applies
from optsched.exact.searches import SEARCHES, Task, run_search

MODELS = {
    "ring": RateModel.of("ring"),
    "fixed": RateModel("fixed"),
    "tiered": RateModel.of(
        "tiered",
        contention=False,
        group_gpus=1,
        **{
            "layers.net": "1.0 1.0 1.0 1.0",
            "compute_scale.net": 1.0,
            **{f"{tier}_latency_s": 0.0 for tier in ("group", "machine", "rack", "network")},
            **{f"{tier}_bytes_per_s": 1e9 for tier in ("group", "machine", "rack", "network")},
        },
    ),
}


def instance(model="ring", *, slots=False, uplinks=False, arrivals=False):
    """Return two jobs on two servers of one GPU and one of two."""
    fabric = Fabric(inter_bytes_per_s=1e9, uplink_bytes_per_s=1e9 if uplinks else float("inf"))
    jobs = [
        Job("a", 2, 3, gradient_bytes=1e8, compute_s=0.2, profile="net"),
        Job("b", 1, 4, compute_s=0.25, arrival_s=1.0 if arrivals else 0.0, profile="net"),
    ]
    cluster = Cluster.uniform(2, 2, racks=2 if uplinks else 1, fabric=fabric)
    return Instance("tiny", cluster, jobs, MODELS[model], slot_s=2.0 if slots else None)


KINDS = [
    {"model": model, "slots": slots, "uplinks": uplinks, "arrivals": arrivals}
    for model, slots, uplinks, arrivals in itertools.product(
        MODELS, (False, True), (False, True), (False, True)
    )
    if not (uplinks and model != "ring")
]


@pytest.mark.parametrize("method", [name for name in METHODS if name != "auto"])
def test_what_is_listed_is_taken_and_the_rest_refused(method):
    entry = METHODS[method]
    for kind, objective in itertools.product(KINDS, OBJECTIVES):
        one = instance(**kind)
        listed = (
            objective in entry.objectives
            and kind["model"] in entry.rate_models
            and (entry.slotted if kind["slots"] else entry.continuous)
            and (entry.uplinks or not kind["uplinks"])
            and (entry.release_dates or not kind["arrivals"])
        )
        assert applies(method, one, objective) == listed, (kind, objective)
        if listed:
            found = run_search(Task(SEARCHES[method], one, objective, deterministic_limit=20.0))
            assert found.schedule is not None or found.is_complete, (kind, objective)
        else:
            with pytest.raises(UnsupportedError, match=r"use method '[a-z-]+', or 'auto'"):
                solve(one, objective=objective, method=method)


def test_every_kind_has_a_method_and_auto_proves_an_optimum():
    for kind, objective in itertools.product(KINDS, OBJECTIVES):
        result = solve(instance(**kind), objective=objective, workers=1)
        assert (str(result.status), result.scope) == ("optimal", "all"), (kind, objective)
