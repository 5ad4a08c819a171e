"""With one worker, a seed and a deterministic limit, two runs do the same."""

import time

import pytest

from optsched.core.result import Status
from optsched.exact import METHODS, limits, solve
from optsched.generate.small import forced, tight

CONTINUOUS = tight(jobs=9, servers=3, seed=0)
SLOTTED = forced(jobs=6, servers=3, seed=2, slot_s=1.0)


def ran(instance, **options):
    """Return everything about a run but the seconds it took."""
    incumbents = []
    result = solve(
        instance,
        workers=1,
        seed=3,
        on_incumbent=lambda schedule, value, bound, _: incumbents.append(
            (value, bound, schedule.start_s.tolist())
        ),
        **options,
    )
    bound = result.bound
    schedule = result.schedule
    return (
        result.status,
        result.scope,
        result.value,
        (bound.value, bound.method, bound.problem_class),
        schedule.start_s.tolist(),
        [schedule.placements[place].pairs for place in schedule.placement],
        incumbents,
        result.details,
    )


@pytest.mark.parametrize("objective", ["makespan", "mean_jct"])
@pytest.mark.parametrize(
    ("instance", "units"), [(CONTINUOUS, 0.2), (SLOTTED, 0.4)], ids=["continuous", "slotted"]
)
def test_auto(instance, units, objective, monkeypatch):
    first = ran(instance, objective=objective, deterministic_limit=units)

    class Late:
        """A clock by which every limit in seconds has long been reached."""

        @staticmethod
        def monotonic():
            return 1e9 + time.monotonic()

    monkeypatch.setattr(limits, "time", Late)
    assert ran(instance, objective=objective, deterministic_limit=units) == first


@pytest.mark.parametrize(
    "method",
    [
        # Their first relaxation is not counted, and takes long here.
        pytest.param(name, marks=pytest.mark.slow) if name.startswith("milp") else name
        for name in METHODS
        if name != "auto"
    ],
)
def test_every_method(method):
    entry = METHODS[method]
    instance = CONTINUOUS if entry.continuous and method != "brute-force" else SLOTTED
    options = {"method": method, "deterministic_limit": 0.3}
    first, second = (ran(instance, **options) for _ in range(2))
    assert first == second


def test_a_limit_of_no_work_is_no_proof():
    result = solve(CONTINUOUS, objective="mean_jct", workers=1, deterministic_limit=0.0)
    assert result.status is Status.FEASIBLE
    assert result.details["stopped_by"] == "deterministic limit"
    assert result.provenance.time_limit_s is None
    assert result.provenance.parameters["deterministic_limit"] == 0.0
