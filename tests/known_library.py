"""A folder with known results of a few instances, for tests that read and write one."""

import datetime
from dataclasses import replace

from optsched.core.document import instance_sha256
from optsched.core.placement import Placement
from optsched.core.result import Bound, Preemption, ProblemClass, Status
from optsched.core.schedule import Decision, schedule_sha256
from optsched.files import KnownResult, save_known
from optsched.generate import waiting_pays
from optsched.judge import replay

#: On three servers of two GPUs any two jobs of three share one.
FIRST = Placement.of({0: 2, 1: 1})
SECOND = Placement.of({1: 1, 2: 2})


def makespan_bound(value, preemption=Preemption.MIGRATE, method="by hand"):
    return Bound("makespan", value, method, ProblemClass("continuous", preemption, "ring"))


def one_after_the_other():
    """By hand: 10.5 s each, and so 21 s, which is the optimum of `waiting-pays`."""
    return replay(waiting_pays(), [Decision(0, FIRST, 0.0), Decision(1, SECOND, 10.5)])


def side_by_side():
    """By hand: tau = 2.55 s for ten iterations, and so 25.5 s."""
    return replay(waiting_pays(), [Decision(0, FIRST, 0.0), Decision(1, SECOND, 0.0)])


def result_of(schedule, value, *bounds, **changes):
    """Return a result about the makespan of `waiting-pays`."""
    result = KnownResult(
        instance="waiting-pays",
        instance_sha256=instance_sha256(waiting_pays()),
        objective="makespan",
        value=value,
        value_method="by hand",
        status=Status.FEASIBLE,
        scope="all",
        proof="",
        bounds=bounds or (makespan_bound(10.5),),
        schedule_sha256=schedule_sha256(schedule),
        time_limit_s=1.0,
        version="0.0.1",
        date=datetime.date(2020, 2, 29),
    )
    return replace(result, **changes)


def save(directory, schedule, value, *bounds, **changes):
    """Write such a result to a folder and return it."""
    result = result_of(schedule, value, *bounds, **changes)
    save_known(result, waiting_pays(), schedule, directory=directory)
    return result
