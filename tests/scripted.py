"""A policy that does what a script says, for tests worked out by hand."""

from optsched.core.placement import Placement


class Script:
    """Starts and preempts jobs at given times: ``{0.0: [start(0, {0: 2})], 1.0: [preempt(0)]}``.

    A time other than that of an event becomes a timer, which the policy sets itself.
    """

    def __init__(self, actions):
        self.actions = {time: list(todo) for time, todo in actions.items()}
        self.instants = []

    def schedule(self, state):
        now = state.now_s
        self.instants.append(now)
        for action in self.actions.pop(now, []):
            action(state)
        later = [time for time in self.actions if time > now]
        if later:
            state.set_timer(min(later))


def start(job, gpus_by_server):
    """Return the action that starts the job at a position of the instance."""

    def act(state):
        state.start(waiting(state, job), Placement.of(gpus_by_server))

    return act


def preempt(job):
    """Return the action that preempts the job at a position of the instance."""

    def act(state):
        state.preempt(running(state, job))

    return act


def waiting(state, job):
    return next(found for found in state.waiting if found.index == job)


def running(state, job):
    return next(found for found in state.running if found.index == job)


def rows(schedule):
    """Return a schedule as (job, {server: GPUs}, start, end)."""
    return [
        (row.job, dict(row.placement.pairs), row.start_s, row.end_s) for row in schedule.segments
    ]
