"""An instance in slots in place of continuous time."""

from __future__ import annotations

from optsched.contention.rate_model import rate_problems
from optsched.core.errors import InstanceError, UnsupportedError
from optsched.core.instance import Instance

__all__ = ["slotted_instance"]


def slotted_instance(instance: Instance, slot_s: float) -> Instance:
    """Return an instance with slots of a given length, itself if it has these already.

    A schedule of the result is one of the continuous instance too, if jobs give their GPUs back
    when they are done and not at the end of the slot: rounding only slows them. So an optimum of
    the result is never below that of the continuous instance.

    Raises
    ------
    UnsupportedError
        If it has slots of another length.
    InstanceError
        If the length is no positive number, or some job completes no iteration in such a slot.

    Examples
    --------
    >>> from optsched.core.cluster import Cluster
    >>> from optsched.core.jobs import Job
    >>> one = Instance("one", Cluster.uniform(1, 2), [Job("a", 2, 10, compute_s=0.5)])
    >>> slotted_instance(one, 1.0).slot_s
    1.0
    >>> slotted_instance(one, 0.25)
    Traceback (most recent call last):
    ...
    optsched.core.errors.InstanceError: invalid instance, 1 problem:
      jobs[0]: expected an iteration within a slot of 0.25 s, got an iteration of at least 0.5 s;
      use a longer slot_s or continuous time
    """
    if instance.slot_s == slot_s:
        return instance
    if instance.is_slotted:
        raise UnsupportedError(
            f"{instance.name!r} has slots of {instance.slot_s:g} s; leave out slot_s (--slot-s) to "
            "take it as it is"
        )
    slotted = instance.changed(slot_s=slot_s)
    problems = [problem for problem in rate_problems(slotted) if not problem.is_warning]
    if problems:
        raise InstanceError(problems)
    return slotted
