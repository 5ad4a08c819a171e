"""Runs of a policy that the judge finds valid, as rows that can be worked out by hand."""

from scripted import rows

from optsched.core.instance import Instance
from optsched.judge import verify
from optsched.sim import simulate


def judged(instance, policy, observers=()):
    """Return a run in debug mode, after the judge has found its schedule valid."""
    finished = simulate(instance, policy, debug=True, observers=observers)
    judgement = verify(instance, finished.schedule)
    assert judgement.is_valid, judgement.violations
    return finished


def judged_rows(cluster, jobs, policy, **settings):
    """Return (job, {server: GPUs}, start, end) of each segment, in order of start."""
    return rows(judged(Instance("by-hand", cluster, jobs, **settings), policy).schedule)
