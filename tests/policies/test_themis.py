"""Themis' greedy form by hand."""

from judged_runs import judged, judged_rows

from optsched.core.cluster import Cluster
from optsched.core.instance import Instance
from optsched.core.jobs import Job
from optsched.policies import Themis
from optsched.sim import Observer

ONE_GPU = Cluster.uniform(1, 1)


def test_equal_jobs_take_turns():
    # At 1 s: a (1 + 3) / (2 · 4), b (1 + 4) / (2 · 4). At 2 s both are equal again.
    jobs = [Job(name, 1, 4, compute_s=1.0) for name in "ab"]
    found = judged_rows(ONE_GPU, jobs, Themis(lease_s=1.0))
    assert [row[0] for row in found] == [0, 1, 0, 1, 0, 1, 0, 1]


def test_a_short_job_falls_behind_sooner():
    # At 1 s: long 8 / 16, short 3 / 4; at 2 s: long 9 / 16, short 3 / 4.
    jobs = [Job("long", 1, 8, compute_s=1.0), Job("short", 1, 2, compute_s=1.0)]
    found = judged_rows(ONE_GPU, jobs, Themis(lease_s=1.0))
    assert [(row[0], row[2], row[3]) for row in found[:4]] == [
        (0, 0.0, 1.0),
        (1, 1.0, 2.0),
        (1, 2.0, 3.0),
        (0, 3.0, 4.0),
    ]


def test_the_number_of_contenders_is_a_mean_over_the_time_since_the_arrival():
    # a alone until 2 s, then with b: at 6 s its mean is (2 + 8) / 6, that of b 2.
    jobs = [Job("a", 1, 8, compute_s=1.0), Job("b", 1, 4, compute_s=1.0, arrival_s=2.0)]
    policy = Themis(lease_s=2.0)

    class Watch(Observer):
        seen = None

        def on_instant(self, state):
            if state.now_s == 6.0:
                everybody = [*state.waiting, *state.running]
                self.seen = {job.index: policy.order.fairness(job, state) for job in everybody}

    watch = Watch()
    run = judged(Instance("mean", ONE_GPU, jobs), policy, [watch])
    # a: 0 to 2 s; at 2 s b has 4 / (2 · 4) and a 8 / (1 · 8), so a goes on. At 4 s a has
    # (4 + 4) / (6 / 4 · 8) = 2/3 and b (2 + 4) / (2 · 4) = 3/4, so b runs. At 6 s a has
    # (6 + 4) / (10 / 6 · 8) and b (4 + 2) / (2 · 4), so the first of them runs; at 8 s a has
    # (8 + 2) / (14 / 8 · 8) and b (6 + 2) / (2 · 4).
    assert run.schedule.job.tolist() == [0, 0, 1, 0, 1, 0]
    assert watch.seen == {0: 0.75, 1: 0.75}


def test_the_nearest_gpus_are_given():
    jobs = [Job("a", 2, 4, compute_s=1.0), Job("b", 2, 4, compute_s=1.0)]
    found = judged_rows(Cluster.uniform(3, 3), jobs, Themis())
    assert [row[1] for row in found[:2]] == [{0: 2}, {1: 2}]
