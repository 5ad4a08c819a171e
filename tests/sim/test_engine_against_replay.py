"""The engine's incremental speeds against the judge's replay, an independent code path."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import instances

from optsched.core.cluster import Cluster, Fabric, Server
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.core.placement import Placement
from optsched.core.rate_model import RateModel
from optsched.core.schedule import Decision
from optsched.judge import replay, verify
from optsched.sim import simulate


class Whim:
    """Starts jobs on random free GPUs, and preempts, moves and sets timers at random."""

    def __init__(self, seed, *, preempts=True):
        self.random = random.Random(seed)
        self.preempts = preempts

    def schedule(self, state):
        draw = self.random
        if self.preempts and draw.random() < 0.4:
            old = [job for job in state.running if job.start_s < state.now_s]
            draw.shuffle(old)
            for job in old[: draw.randint(0, 2)]:
                place = job.placement
                state.preempt(job)
                if job.placement is None and job in state.waiting and draw.random() < 0.3:
                    state.start(job, place)
        ready = list(state.waiting)
        draw.shuffle(ready)
        for job in ready:
            if job.gpus <= state.free.total and (draw.random() < 0.8 or not state.running):
                state.start(job, self.anywhere(state, job.gpus))
        if self.preempts and (state.running or state.waiting) and draw.random() < 0.5:
            state.set_timer(state.now_s + draw.choice([0.25, 0.5, 1.0, draw.random() * 3]))

    def anywhere(self, state, gpus):
        free = [s for s, count in enumerate(state.free.free) for _ in range(count)]
        taken = self.random.sample(free, gpus)
        return Placement.of({server: taken.count(server) for server in taken})


def decisions_of(run):
    """Return the run's decisions: the last segment of a job has no end, the others have."""
    last = {row.job: number for number, row in enumerate(run.schedule.segments)}
    return [
        Decision(
            row.job, row.placement, row.start_s, None if last[row.job] == number else row.end_s
        )
        for number, row in enumerate(run.schedule.segments)
    ]


def assert_replay_agrees(instance, run):
    replayed = replay(instance, decisions_of(run))
    assert replayed.job.tolist() == run.schedule.job.tolist()
    np.testing.assert_allclose(replayed.end_s, run.schedule.end_s, rtol=1e-9, atol=0)
    judgement = verify(instance, run.schedule)
    assert judgement.is_valid, judgement.violations


def contended_instance(seed):
    """Return an instance in which much is spread; two of three have resources of unequal rates."""
    draw = random.Random(seed)
    servers = [
        Server(
            f"s{i}",
            draw.randint(1, 4),
            f"r{i % 3}",
            draw.choice([None, 1e9, 0.4e9]) if seed % 3 == 1 else None,
        )
        for i in range(6)
    ]
    fabric = Fabric(
        inter_bytes_per_s=1e9,
        uplink_bytes_per_s=draw.choice([0.5e9, 1e9]) if seed % 3 == 2 else float("inf"),
        degradation=draw.choice([0.0, 0.3]),
    )
    cluster = Cluster(servers, fabric)
    jobs = [
        Job(
            f"j{i}",
            draw.randint(1, min(6, cluster.total_gpus)),
            draw.randint(1, 30),
            gradient_bytes=draw.choice([0.1e9, 0.5e9, draw.random() * 1e9]),
            compute_s=draw.choice([0.1, 0.25, draw.random()]),
            arrival_s=draw.choice([0.0, 1.0, draw.random() * 10]),
        )
        for i in range(14)
    ]
    return Instance(
        f"contended-{seed}",
        cluster,
        jobs,
        RateModel.of("ring", contention_weight=draw.choice([1.0, 0.6]), server_overhead_s=0.01),
        slot_s=20.0 if seed % 4 == 3 else None,
        restart_s=draw.choice([0.0, 0.8]),
        restart_s_per_gpu=draw.choice([0.0, 0.05]),
    )


@pytest.mark.parametrize("seed", range(750))
def test_random_runs_end_when_the_judge_says(seed):
    instance = contended_instance(seed)
    run = simulate(instance, Whim(seed), debug=True)
    assert_replay_agrees(instance, run)


def test_the_random_runs_do_what_they_are_for():
    runs = [simulate(contended_instance(seed), Whim(seed)) for seed in range(12)]
    assert sum(run.preemptions for run in runs) > 50
    assert sum(run.re_rates for run in runs) > 300


@given(instance=instances(restarts=True), seed=st.integers(0, 9))
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_small_random_runs_end_when_the_judge_says(instance, seed):
    assert_replay_agrees(instance, simulate(instance, Whim(seed), debug=True))


@given(instance=instances(slotted=False), seed=st.integers(0, 9))
@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
def test_a_run_can_be_repeated_bit_for_bit(instance, seed):
    first, second = (simulate(instance, Whim(seed)) for _ in range(2))
    assert first.schedule.end_s.tolist() == second.schedule.end_s.tolist()
    assert first.schedule.placements == second.schedule.placements
