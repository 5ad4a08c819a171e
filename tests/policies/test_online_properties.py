"""What holds of all policies that may stop jobs, on any instance."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_runs import judged
from strategies import instances

from optsched.policies import Gandiva, Las, Philly, Qssf, Srtf, Themis, Tiresias
from optsched.sim import Observer

LAS_THRESHOLDS = "2/6"

#: Policies that leave no GPU idle while their placement rule has a place for a waiting job.
WORK_CONSERVING = {
    "srtf": lambda: Srtf(),
    "srtf-anywhere": lambda: Srtf(placement="tiered"),
    "las": lambda: Las(thresholds=LAS_THRESHOLDS),
    "las-anywhere": lambda: Las(thresholds=LAS_THRESHOLDS, placement="first_fit"),
    "las-leases": lambda: Las(thresholds=None, lease_s=1.0, placement="tiered"),
    "tiresias": lambda: Tiresias(thresholds=LAS_THRESHOLDS),
    "tiresias-promoting": lambda: Tiresias(thresholds=LAS_THRESHOLDS, promote_knob=1.5),
    "tiresias-gittins": lambda: Tiresias(thresholds=LAS_THRESHOLDS, index="gittins"),
    "tiresias-leases": lambda: Tiresias(thresholds=None, lease_s=0.7),
    "gandiva": lambda: Gandiva(),
    "themis": lambda: Themis(lease_s=0.6),
    "philly": lambda: Philly(round_s=0.3, rack_after=1, anywhere_after=4),
    "qssf": lambda: Qssf(backfill=True),
    "qssf-noisy": lambda: Qssf(predictor="oracle", noise=1.0, backfill=True, placement="tiered"),
}


class NothingIdles(Observer):
    """Asserts that the placement rule refuses all who wait after a pass."""

    def __init__(self, policy):
        self.policy = policy

    def on_instant(self, state):
        for job in state.waiting:
            offered = self.policy.placement.offer(job, state.free, state)
            assert offered is None, f"{job} waits although it may have {offered}"


class StartsOnceAPass(Observer):
    """Asserts that no job starts twice at one instant."""

    def __init__(self):
        self.last = {}

    def on_start(self, job, time_s):
        assert self.last.get(job.index) != time_s, f"{job} starts twice at {time_s} s"
        self.last[job.index] = time_s


@pytest.mark.parametrize("name", WORK_CONSERVING)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True))
def test_schedules_are_valid_and_nothing_idles(name, instance):
    policy = WORK_CONSERVING[name]()
    judged(instance, policy, [NothingIdles(policy), StartsOnceAPass()])


class LeaseLengths(Observer):
    """Notes how long each job made progress in each segment."""

    def __init__(self):
        self.ready, self.lengths = {}, {}

    def on_instant(self, state):
        for job in state.running:
            if job.start_s == state.now_s:
                self.ready[job.index] = state.now_s + state.restart_left_s(job)

    def on_stop(self, job, time_s):
        length_s = time_s - self.ready[job.index]
        self.lengths.setdefault(job.index, []).append((length_s, job.remaining > 0))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(restarts=True, slotted=False), lease_s=st.sampled_from([0.5, 1.0, 3.0]))
def test_a_job_is_stopped_at_the_end_of_its_lease_and_not_before(instance, lease_s):
    leases = LeaseLengths()
    judged(instance, Las(thresholds=None, lease_s=lease_s, placement="tiered"), [leases])
    for length_s, is_stopped in itertools.chain(*leases.lengths.values()):
        assert length_s <= lease_s * (1 + 1e-9)
        assert not is_stopped or length_s == pytest.approx(lease_s)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(slotted=False))
def test_only_jobs_of_a_higher_queue_displace(instance):
    policy = Tiresias(thresholds=LAS_THRESHOLDS)
    queues = policy.order

    class Watch(Observer):
        def on_start(self, job, time_s):
            self.started.append((queues.rank(job, None), time_s))

        def on_stop(self, job, time_s):
            if job.remaining > 0:
                self.stopped.append((queues.rank(job, None), time_s))

    watch = Watch()
    watch.started, watch.stopped = [], []
    judged(instance, policy, [watch])
    for level, time_s in watch.stopped:
        assert any(other < level and when == time_s for other, when in watch.started)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(instance=instances(model="fixed", slotted=False, restarts=False))
def test_shortest_remaining_time_first_runs_the_shortest_that_fit(instance):
    """Rerun as a greedy walk over all jobs at every event, counting GPUs alone."""
    run = judged(instance, Srtf(placement="first_fit"))
    assert dict(ends(run)) == pytest.approx(dict(greedy_walk(instance)))


def ends(run):
    return {row.job: row.end_s for row in sorted(run.schedule.segments, key=lambda row: row.end_s)}


def greedy_walk(instance):
    jobs = instance.jobs
    left = {i: float(jobs.iterations[i] * jobs.compute_s[i]) for i in range(len(jobs))}
    now, done, running = 0.0, {}, set()
    while left:
        ready = [i for i in left if jobs.arrival_s[i] <= now]
        # A job keeps its GPUs against one with as much left, so running ones come first.
        ready.sort(key=lambda i: (round(left[i], 9), i not in running, i))
        free, running = instance.cluster.total_gpus, set()
        for i in ready:
            if jobs.gpus[i] <= free:
                free -= jobs.gpus[i]
                running.add(i)
        later = [float(a) for i, a in enumerate(jobs.arrival_s) if i in left and a > now]
        step = min(itertools.chain((left[i] for i in running), (a - now for a in later)))
        now += step
        for i in list(running):
            left[i] -= step
            if left[i] <= 1e-9:
                done[i] = now
                del left[i]
                running.discard(i)
    return done
