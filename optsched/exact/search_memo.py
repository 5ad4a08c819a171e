"""The states a branch and bound has seen, by a hash that renaming does not change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from optsched.exact.search_limits import DONE, RUNNING, WAITING
from optsched.exact.search_tables import SearchTables

__all__ = ["Memo", "empty_memo", "grown_memo", "is_dominated"]

Whole = NDArray[np.int64]
Real = NDArray[np.float64]

#: Entries that one hash may be in.
WAYS = 4
#: Remaining work and times are told apart to this share of the whole.
STEPS = 1e10
#: Values that differ by rounding are equal.
ROUNDING = 1e-12


class Memo(NamedTuple):
    """A table of states: two independent hashes of 64 bits each, and the least value seen.

    Parameters
    ----------
    first, second
        The hashes; 0 in both is an empty entry. Shape (E,), E a power of 2.
    value
        The time, or Σ w C so far with the unfinished jobs counted to now.
    codes
        Random numbers that the hashes are made of, shape (2, n + 2, width).
    used
        Number of entries, shape (1,).
    """

    first: Whole
    second: Whole
    value: Real
    codes: Whole
    used: Whole


def empty_memo(tables: SearchTables, entries: int) -> Memo:
    """Return an empty table of ``entries`` entries, a power of 2."""
    jobs = len(tables.gpus)
    width = max(int(tables.capacity.max()) + 1, len(tables.capacity), 4) + 1
    # The numbers only have to be unrelated, and the same in every run.
    draw = np.random.default_rng(20220624)
    codes = draw.integers(-(2**63), 2**63, size=(2, jobs + 2, width), dtype=np.int64)
    return Memo(
        np.zeros(entries, dtype=np.int64),
        np.zeros(entries, dtype=np.int64),
        np.zeros(entries),
        codes,
        np.zeros(1, dtype=np.int64),
    )


@njit(cache=True)
def _mixed(x: np.int64) -> np.int64:
    """Spread the bits of a number over all 64 (the finaliser of splitmix64)."""
    y = np.uint64(x)
    y = (y ^ (y >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    y = (y ^ (y >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(y ^ (y >> np.uint64(31)))


@njit(cache=True)
def _member(tables: SearchTables, kind: int, rank: int) -> int:
    """Return the job of this rank, from 0 on, among those of a kind."""
    job = kind
    while rank > 0:
        job += 1
        if tables.kind[job] == kind:
            rank -= 1
    return job


@njit(cache=True)
def _hash(
    tables: SearchTables,
    codes: Whole,
    remaining: Real,
    status: Whole,
    placed: Whole,
    step: int,
    label: Whole,
) -> np.int64:
    """Hash a state; sums make the order of what can be exchanged irrelevant.

    Servers of one class are told apart by nothing but their columns. A running job goes by its
    kind and its rank among the identical ones that run, by work left.
    """
    jobs = len(remaining)
    total: np.int64 = codes[jobs, 0] * np.int64(step)
    for job in range(jobs):
        kind = tables.kind[job]
        if status[job] == WAITING:
            total += codes[kind, 0]
        elif status[job] == RUNNING:
            rank = 0
            for other in range(jobs):
                if other != job and tables.kind[other] == kind and status[other] == RUNNING:
                    less = remaining[other] < remaining[job]
                    rank += less or (remaining[other] == remaining[job] and other < job)
            label[job] = _member(tables, kind, rank)
            share = np.int64(np.rint(remaining[job] / tables.iterations[job] * STEPS))
            total += _mixed(codes[label[job], 1] + share)
    for server in range(len(tables.capacity)):
        column = codes[jobs + 1, tables.server_class[server]]
        for job in range(jobs):
            if status[job] == RUNNING:
                count = tables.taken[placed[job], server]
                if count > 0:
                    column += codes[label[job], 1 + count]
        total += _mixed(column)
    return _mixed(total)


@njit(cache=True)
def is_dominated(
    tables: SearchTables,
    memo: Memo,
    is_makespan: bool,
    now: float,
    scale: float,
    remaining: Real,
    status: Whole,
    placed: Whole,
    done: float,
    label: Whole,
) -> bool:
    """Return True if a state was seen before at no greater value; else remember it.

    With all jobs arrived, what follows a state can follow it at any time. As long as one is yet to
    arrive, states are only equal at the same time, and ``scale`` says which times are the same.
    """
    step, value = 0, now
    if not is_makespan:
        value = done
    for job in range(len(remaining)):
        if status[job] != DONE and not is_makespan:
            value += tables.weight[job] * now
        if status[job] == WAITING and tables.release[job] > now:
            step = int(np.rint(now / scale * STEPS)) + 1
    first = int(_hash(tables, memo.codes[0], remaining, status, placed, step, label))
    second = int(_hash(tables, memo.codes[1], remaining, status, placed, step, label))
    if first == 0 and second == 0:
        second = 1
    base = (first & (len(memo.first) // WAYS - 1)) * WAYS
    free = base + (second & (WAYS - 1))
    is_new = True
    for at in range(base, base + WAYS):
        if memo.first[at] == first and memo.second[at] == second:
            if memo.value[at] <= value + ROUNDING * abs(value):
                return True
            free, is_new = at, False
            break
        if memo.first[at] == 0 and memo.second[at] == 0:
            free = at
            memo.used[0] += 1
            break
    if is_new:
        memo.first[free] = first
        memo.second[free] = second
    memo.value[free] = value
    return False


@njit(cache=True)
def _copy_entries(old: Memo, new: Memo) -> None:
    for at in range(len(old.first)):
        if old.first[at] == 0 and old.second[at] == 0:
            continue
        base = (old.first[at] & (len(new.first) // WAYS - 1)) * WAYS
        for free in range(base, base + WAYS):
            if new.first[free] == 0 and new.second[free] == 0:
                new.first[free], new.second[free] = old.first[at], old.second[at]
                new.value[free] = old.value[at]
                new.used[0] += 1
                break


def grown_memo(memo: Memo) -> Memo:
    """Return the same table with four times as many entries."""
    entries = 4 * len(memo.first)
    grown = Memo(
        np.zeros(entries, dtype=np.int64),
        np.zeros(entries, dtype=np.int64),
        np.zeros(entries),
        memo.codes,
        np.zeros(1, dtype=np.int64),
    )
    _copy_entries(memo, grown)
    return grown
