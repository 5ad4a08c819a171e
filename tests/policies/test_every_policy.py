"""What holds of every policy of the registry, in the rate model ``tiered`` above all."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_runs import judged
from strategies import instances
from tiered_strategies import tiered_instances

from optsched.contention import rate_functions, worst_durations_s
from optsched.core.errors import PolicyError
from optsched.policies import ComposedPolicy, Dally, Gandiva, Las, Srtf, Themis
from optsched.policies.parts import Leases, NetworkSensitivity
from optsched.sim import Observer
from optsched.study import SCHEDULERS, make_scheduler

#: Waits and leases short enough to matter, in leases where there are such.
SHORT = {
    "las": "las:thresholds=2/6",
    "tiresias": "tiresias:thresholds=2/6,promote_knob=1.5",
    "delay": "delay:rack_wait_s=0.7,network_wait_s=0.9,lease_s={lease_s}",
    "dally": "dally:lease_s={lease_s}",
    "gandiva": "gandiva:lease_s={lease_s}",
    "themis": "themis:lease_s={lease_s}",
    "philly": "philly:round_s=0.3,rack_after=1,anywhere_after=4",
}
POLICIES = {
    name: SHORT.get(name, name) for name, entry in SCHEDULERS.items() if entry.kind == "policy"
}


def lease_of(instance, leases=6):
    """Return a lease of which the longest job needs no more than so many, at its slowest."""
    return float(worst_durations_s(instance).max()) / leases


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(
    instance=tiered_instances(max_jobs=6),
    restart_s=st.sampled_from([0.0, 0.4]),
    restart_s_per_gpu=st.sampled_from([0.0, 0.3]),
)
def test_no_job_loses_iterations_and_all_are_done(name, instance, restart_s, restart_s_per_gpu):
    """Counted anew from the segments and the rates, without the judge, where nothing is shared."""
    parameters = dict(instance.rate_model.parameters) | {"contention": False}
    model = type(instance.rate_model).of("tiered", **parameters)
    instance = instance.changed(
        rate_model=model, restart_s=restart_s, restart_s_per_gpu=restart_s_per_gpu
    )
    specification = POLICIES[name].format(lease_s=lease_of(instance))
    schedule = judged(instance, make_scheduler(specification).build()).schedule
    rates = rate_functions(instance)
    done = [0.0] * len(instance.jobs)
    last, owed_s = {}, {}
    for row in schedule.segments:
        before = last.get(row.job)
        if before is not None and (before.placement, before.end_s) != (row.placement, row.start_s):
            owed_s[row.job] = instance.restart_time_s(row.job)
        length_s = row.end_s - row.start_s
        useful_s = max(0.0, length_s - owed_s.get(row.job, 0.0))
        owed_s[row.job] = max(0.0, owed_s.get(row.job, 0.0) - length_s)
        done[row.job] += useful_s / rates.iteration_time_s(row.job, row.placement, ())
        last[row.job] = row
    assert done == pytest.approx(instance.jobs.iterations.tolist())


#: Policies whose placement takes any GPUs: as long as enough are free somewhere, nobody waits.
ANYWHERE = {
    "srtf": lambda _: Srtf(placement="tiered"),
    "las": lambda _: Las(thresholds="2/6", placement="tiered"),
    "las-leases": lambda lease_s: Las(thresholds=None, lease_s=lease_s, placement="first_fit"),
    "themis": lambda lease_s: Themis(lease_s=lease_s),
    "dally-no-wait": lambda lease_s: Dally(variant="no-wait", lease_s=lease_s),
    "dally-manual-0": lambda lease_s: Dally(
        variant="manual", rack_leases=0, network_leases=0, lease_s=lease_s, fit="best"
    ),
}


class NobodyFits(Observer):
    def on_instant(self, state):
        for job in state.waiting:
            assert job.gpus > state.free.total, f"{job} waits beside {state.free.total} free GPUs"


@pytest.mark.parametrize("name", ANYWHERE)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True) | tiered_instances(max_jobs=6))
def test_no_gpu_idles_while_a_waiting_job_fits(name, instance):
    judged(instance, ANYWHERE[name](lease_of(instance)), [NobodyFits()])


class NoLongerThanItsLease(Observer):
    """Asserts that no segment makes progress for longer than a lease."""

    def __init__(self, lease_s):
        self.lease_s, self.ready = lease_s, {}

    def on_instant(self, state):
        for job in state.running:
            if job.start_s == state.now_s:
                self.ready[job.index] = state.now_s + state.restart_left_s(job)

    def on_stop(self, job, time_s):
        length_s = time_s - self.ready[job.index]
        assert length_s <= self.lease_s * (1 + 1e-9), f"{job} had a lease for {length_s} s"


LEASED = {
    "dally": lambda lease_s: Dally(lease_s=lease_s),
    "dally-consolidated": lambda lease_s: Dally(variant="fully-consolidated", lease_s=lease_s),
    "gandiva": lambda lease_s: Gandiva(lease_s=lease_s),
    "themis": lambda lease_s: Themis(lease_s=lease_s),
}


@pytest.mark.parametrize("name", LEASED)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True, slotted=False) | tiered_instances(max_jobs=6))
def test_no_job_runs_beyond_its_lease(name, instance):
    lease_s = lease_of(instance)
    judged(instance, LEASED[name](lease_s), [NoLongerThanItsLease(lease_s)])


class OnlyForWaitingJobs(NetworkSensitivity):
    """Refuses to say what a job bids that holds GPUs."""

    asked = 0

    def key(self, job, state):
        assert state.is_waiting(job), f"{job} bids although it runs"
        OnlyForWaitingJobs.asked += 1
        return super().key(job, state)


def test_only_waiting_jobs_bid():
    @settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
    @given(instance=instances(restarts=True))
    def check(instance):
        original = Dally(variant="no-wait", lease_s=0.6)
        policy = ComposedPolicy(
            OnlyForWaitingJobs(), placement=original.placement, preemption=Leases(0.6)
        )
        judged(instance, policy)

    check()
    assert OnlyForWaitingJobs.asked > 30


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    instance=instances(restarts=True) | tiered_instances(max_jobs=6),
    history=st.sampled_from([0.0, 5.0, 24.0]),
)
def test_tuned_timers_of_a_run_stay_in_their_bounds(instance, history):
    lease_s = lease_of(instance, leases=20)
    policy = Dally(lease_s=lease_s, history_leases=history)
    judged(instance, policy)
    told = policy.details()
    assert told["lease_s"] == lease_s
    most = -(-0.8 * history // 1)
    for _, gpus, for_rack_s, for_network_s in told["timers"]:
        assert gpus is None or gpus in instance.jobs.gpus
        assert min(6, most) <= for_rack_s / lease_s + 1e-9
        assert for_rack_s / lease_s <= most + 1e-9
        assert min(12, history) - 1e-9 <= for_network_s / lease_s <= history + 1e-9


def test_every_digit_of_the_time_is_told():
    error = PolicyError("no", time_s=1_600_000_001.25)
    assert str(error) == "at 1600000001.25 s: no"
    assert str(PolicyError("no", time_s=1_600_000_001.0)) == "at 1600000001 s: no"
    assert str(PolicyError("no", time_s=0.1)) == "at 0.1 s: no"
