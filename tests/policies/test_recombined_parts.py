"""Any order goes with any placement and preemption."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_runs import judged
from strategies import instances

from optsched.placement import (
    Affinity,
    Consolidated,
    DelayOffers,
    FirstFit,
    Relaxation,
    SkewPlacement,
    Tiered,
)
from optsched.policies import ComposedPolicy
from optsched.policies.parts import (
    AttainedService,
    AutoTimers,
    Displacement,
    FinishTimeFairness,
    FixedTimers,
    GittinsIndex,
    HistoryPredictor,
    Leases,
    LongestWaiting,
    NetworkSensitivity,
    PredictedService,
    ServiceQueues,
    by_arrival,
    by_duration,
    by_remaining,
)

ORDERS = {
    "arrival": lambda: by_arrival,
    "duration": lambda: by_duration,
    "remaining": lambda: by_remaining,
    "waiting": LongestWaiting,
    "service": AttainedService,
    "queues": lambda: ServiceQueues((2.0, 5.0), promote_knob=2.0),
    "gittins": lambda: ServiceQueues((2.0, 5.0), gittins=GittinsIndex("finished")),
    "sensitivity": lambda: NetworkSensitivity(relative_to="best"),
    "predicted": lambda: PredictedService(HistoryPredictor()),
    "fairness": FinishTimeFairness,
}
PLACEMENTS = {
    "consolidated": Consolidated,
    "first-fit": FirstFit,
    "tiered": lambda: Tiered(fit="first"),
    "tiered-best": lambda: Tiered(limit="best"),
    "skew": SkewPlacement,
    "affinity": Affinity,
    "relaxation": lambda: Relaxation(0.7, 1.5),
    "delay": lambda: DelayOffers(FixedTimers(0.7, 1.5), keeps_tier=True),
    "delay-offers": lambda: DelayOffers(FixedTimers(0.7, 1.5), clock="offers"),
    "delay-tuned": lambda: DelayOffers(AutoTimers(10.0), unit_s=0.1),
}
#: Orders by which running jobs can be compared with waiting ones, and so be displaced.
RANKS = {
    "duration": lambda order: Displacement(by_duration),
    "remaining": lambda order: Displacement(by_remaining),
    "queues": lambda order: Displacement(order.rank, among_equals=order.run_order),
    "gittins": lambda order: Displacement(order.rank),
}


@pytest.mark.parametrize("placement", PLACEMENTS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    instance=instances(restarts=True),
    order=st.sampled_from(list(ORDERS)),
    backfill=st.booleans(),
    leases=st.sampled_from([None, 0.6, 2.0]),
)
def test_leases_go_with_everything(placement, instance, order, backfill, leases):
    policy = ComposedPolicy(
        ORDERS[order](),
        placement=PLACEMENTS[placement](),
        backfill=backfill,
        preemption=None if leases is None else Leases(leases),
    )
    judged(instance, policy)


@pytest.mark.parametrize("placement", [name for name in PLACEMENTS if name != "delay-offers"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    instance=instances(restarts=True), order=st.sampled_from(list(RANKS)), backfill=st.booleans()
)
def test_displacement_goes_with_orders_that_rank(placement, instance, order, backfill):
    made = ORDERS[order]()
    policy = ComposedPolicy(
        made,
        placement=PLACEMENTS[placement](),
        backfill=backfill,
        preemption=RANKS[order](made),
    )
    judged(instance, policy)


def test_displacement_does_not_go_with_what_asks_every_job():
    for order, placement in ((by_arrival, "delay-offers"), (FinishTimeFairness(), "tiered")):
        with pytest.raises(ValueError, match="a job displaces others only if"):
            ComposedPolicy(
                order, placement=PLACEMENTS[placement](), preemption=Displacement(by_arrival)
            )
