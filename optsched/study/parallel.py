"""Many independent tasks on the cores of this machine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

__all__ = ["available_cores", "each_finished"]

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def available_cores() -> int:
    """Return how many processes can compute at the same time here."""
    from joblib import cpu_count

    count: int = cpu_count()
    return count


def each_finished(
    function: Callable[[Task], Outcome], tasks: Sequence[Task], *, workers: int = 1
) -> Generator[Outcome, None, None]:
    """Yield the outcome of each task when it is there, in no particular order.

    Parameters
    ----------
    function
        What to do; with several workers it has to be found by its name in a module, and tasks and
        outcomes have to be such that they can be sent to a process.
    tasks
        The tasks; they begin in this order.
    workers
        Processes; with 1 everything happens in this one, in order.

    Examples
    --------
    >>> list(each_finished(abs, [-2, 1]))
    [2, 1]
    """
    workers = min(workers, len(tasks))
    if workers <= 1:
        yield from map(function, tasks)
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
    outcomes = pool(delayed(function)(task) for task in tasks)
    try:
        # Not "yield from", which would close the pool first.
        for outcome in outcomes:  # noqa: UP028
            yield outcome
    except GeneratorExit:
        with warnings.catch_warnings():
            # That tasks are cancelled is what whoever stops early wants.
            warnings.simplefilter("ignore", UserWarning)
            outcomes.close()
        raise
