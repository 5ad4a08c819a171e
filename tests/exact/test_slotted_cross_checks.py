"""Every method for slotted time against the brute force, on the same instances."""

import pytest
from slotted_instances import tiny_instances

from optsched.core.metrics import OBJECTIVES
from optsched.exact import brute_force, cp_sat, destructive, lazy_contention
from optsched.judge import verify

KINDS = {
    "plain": {},
    "arrivals": {"arrivals": True},
    "fixed": {"model": "fixed"},
    "twins": {"twins": True},
}


def check(instance, objective):
    """All agree with the enumeration, which shares no model and no bound with them."""
    best = brute_force(instance, objective=objective, starts="slots")
    assert best.is_complete
    searches = [cp_sat, lazy_contention]
    if objective == "makespan":
        searches.append(destructive)
    for search in searches:
        # A bound that says nothing, and a wide horizon: nothing but the search finds the optimum.
        found = search(
            instance,
            objective=objective,
            below=1.5 * best.value + 2.0,
            lower_s=1e-9,
            deterministic_limit=60.0,
        )
        name = f"{instance.name} {objective} {search.__name__}"
        assert found.is_complete, name
        assert found.value == pytest.approx(best.value, rel=1e-9), (
            f"{name}: {found.value} by {list(found.schedule)}, "
            f"brute force {best.value} by {list(best.schedule)}"
        )
        assert found.bound == found.value and found.scope == "all"
        judgement = verify(instance, found.schedule)
        assert judgement.is_valid and judgement.objectives[objective] == found.value


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_all_agree(kind, objective):
    count = 25 if kind == "plain" else 6
    jobs = None if objective == "makespan" else 3
    for instance in tiny_instances(count, jobs=jobs, **KINDS[kind]):
        check(instance, objective)


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_all_agree_on_many(kind, objective):
    for instance in tiny_instances(200, seed=1000, **KINDS[kind]):
        check(instance, objective)
