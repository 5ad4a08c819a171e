"""Compiled tests that drop a set of starts before it is complete, by what it wastes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_limits import DONE, RUNNING, WAITING, alone_s
from optsched.exact.search_tables import SearchTables

__all__ = ["Outlook", "is_hopeless", "iteration_time_s", "look_ahead", "new_outlook"]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


class Outlook(NamedTuple):
    """What is known at each depth before anything is started, one row a depth.

    Parameters
    ----------
    vector
        The prices by which the state is judged, shape (E,).
    earned, shortest
        By position among the waiting jobs and by free GPUs, for the jobs from there on: the most
        that they can earn a second on these GPUs, and the least duration of one that fits them.
        Shape (E, n + 1, N + 1).
    arrival
        The next arrival, shape (E,).
    fixed
        The part of the limit that does not depend on what is started: for the makespan the work
        left at these prices, otherwise Σ w C of the done, half the durations of the others, and
        those that have no price. Shape (E,).
    order, length
        The unfinished jobs that have a price by falling weight by work, and how many they are,
        shapes (E, n) and (E,).
    """

    vector: Whole
    earned: Real
    shortest: Real
    arrival: Real
    fixed: Real
    order: Whole
    length: Whole


def new_outlook(tables: SearchTables) -> Outlook:
    """Return an empty outlook."""
    jobs, events, gpus = len(tables.gpus), 2 * len(tables.gpus) + 2, int(tables.capacity.sum())
    return Outlook(
        np.zeros(events, dtype=np.int64),
        np.zeros((events, jobs + 1, gpus + 1)),
        np.zeros((events, jobs + 1, gpus + 1)),
        np.zeros(events),
        np.zeros(events),
        np.zeros((events, jobs), dtype=np.int64),
        np.zeros(events, dtype=np.int64),
    )


@njit(cache=True)
def iteration_time_s(tables: SearchTables, job: int, placement: int, load: Whole) -> float:
    """Return τ at the loads of all resources."""
    count = tables.crossings[placement]
    slowest = 0.0
    if count == 0:
        slowest = tables.time[job, tables.row[placement, 0], 0]
    for at in range(count):
        jobs = load[tables.crossed[placement, at]]
        slowest = max(slowest, tables.time[job, tables.row[placement, at], jobs])
    return slowest


@njit(cache=True)
def look_ahead(
    tables: SearchTables,
    outlook: Outlook,
    depth: int,
    vector: int,
    price: Real,
    is_makespan: bool,
    now: float,
    remaining: Real,
    status: Whole,
    placed: Whole,
    done: float,
    waiting: Whole,
    free: int,
) -> None:
    """Fill in the row of a depth for the jobs that wait and the GPUs that are free there."""
    outlook.vector[depth] = vector
    outlook.arrival[depth] = np.inf
    fixed = 0.0 if is_makespan else done
    count = 0
    order = outlook.order[depth]
    for job in range(len(remaining)):
        if status[job] == DONE:
            continue
        if status[job] == WAITING and tables.release[job] > now:
            outlook.arrival[depth] = min(outlook.arrival[depth], tables.release[job])
        work = price[job] * remaining[job]
        if is_makespan:
            fixed += work
            continue
        left = tables.duration[job]
        if status[job] == RUNNING:
            left = remaining[job] * alone_s(tables, job, placed[job])
        if work <= 0.0:
            fixed += tables.weight[job] * (max(now, tables.release[job]) + left)
            continue
        fixed += tables.weight[job] * left / 2
        at = count
        while at > 0:
            other = order[at - 1]
            if tables.weight[other] * work >= tables.weight[job] * price[other] * remaining[other]:
                break
            order[at] = other
            at -= 1
        order[at] = job
        count += 1
    outlook.length[depth] = count
    outlook.fixed[depth] = fixed
    earned, shortest = outlook.earned[depth], outlook.shortest[depth]
    last = len(waiting)
    for gpus in range(free + 1):
        earned[last, gpus] = 0.0
        shortest[last, gpus] = np.inf
    for at in range(last - 1, -1, -1):
        job = waiting[at]
        gain = price[job] * tables.iterations[job] / tables.duration[job]
        need = tables.gpus[job]
        for gpus in range(free + 1):
            earned[at, gpus] = earned[at + 1, gpus]
            shortest[at, gpus] = shortest[at + 1, gpus]
            if gpus >= need:
                earned[at, gpus] = max(earned[at, gpus], gain + earned[at + 1, gpus - need])
                shortest[at, gpus] = min(shortest[at, gpus], tables.duration[job])


@njit(cache=True)
def is_hopeless(
    tables: SearchTables,
    outlook: Outlook,
    depth: int,
    price: Real,
    is_makespan: bool,
    now: float,
    remaining: Real,
    status: Whole,
    placed: Whole,
    load: Whole,
    free: Whole,
    position: int,
    goal: float,
) -> bool:
    """Return True if no way to go on with the starts chosen so far can be better than the goal.

    Until the next event, at least ``length`` seconds away, the jobs earn ``speed`` at most: those
    placed at the loads they have, which can only rise, and the undecided ones at their best on the
    GPUs that are left. Afterwards 1 at most. What is short of 1 is lost.
    """
    speed, length = 0.0, outlook.arrival[depth] - now
    for job in range(len(remaining)):
        if status[job] == RUNNING:
            tau = iteration_time_s(tables, job, placed[job], load)
            speed += price[job] / tau
            length = min(length, remaining[job] * tau)
    gpus = 0
    for server in range(len(free)):
        gpus += free[server]
    speed += outlook.earned[depth, position, gpus]
    length = min(length, outlook.shortest[depth, position, gpus])
    if speed >= 1.0 or length == np.inf:
        return False
    lost = length * (1.0 - speed)
    if is_makespan:
        return bool(now + outlook.fixed[depth] + lost >= goal)
    total = outlook.fixed[depth]
    slow = length * speed
    begun = 0.0
    for at in range(outlook.length[depth]):
        job = outlook.order[depth, at]
        work = price[job] * remaining[job]
        end = begun + work
        # The mean over the work of the time at which each bit of it is done.
        if begun >= slow:
            mean = lost + begun + work / 2
        elif end <= slow:
            mean = (begun + work / 2) / speed
        else:
            early = slow - begun
            mean = early * (begun + early / 2) / speed
            mean += (work - early) * (lost + slow + (work - early) / 2)
            mean /= work
        total += tables.weight[job] * (now + mean)
        begun = end
    return bool(total >= goal)
