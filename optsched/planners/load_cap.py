"""The search for the load cap θ (Yu et al. 2022, algorithm 1 and section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["CapSearch", "Trial", "caps_to_sweep", "search_cap"]

CapMode = Literal["bisect", "feasible", "sweep"]
CapSearch = Callable[[float], float | None]

#: Where time is continuous the bisection ends at this share of the horizon.
RELATIVE_PRECISION = 1e-3
SWEEP_STEPS = 24


@dataclass(frozen=True, slots=True)
class Trial:
    """One cap that was tried, and the makespan it gave; None if it was too tight."""

    cap_s: float
    makespan_s: float | None


def search_cap(
    makespan_under: CapSearch,
    *,
    horizon_s: float,
    slot_s: float | None,
    mode: CapMode = "bisect",
) -> list[Trial]:
    """Try load caps in search of the least makespan, and return all trials in order.

    The makespan is not monotone in the cap: a loose one may be worse than a tight one, and a very
    tight one admits no schedule. ``bisect`` is the paper's rule: go down if the makespan improved
    strictly on the best so far, which starts at the horizon, and up otherwise. ``feasible`` goes
    up only if there was no schedule. ``sweep`` tries a grid of caps. If none of these finds a
    schedule, the horizon itself is tried.

    Parameters
    ----------
    makespan_under
        Makespan under a cap in seconds, or None.
    horizon_s
        The highest cap (T).
    slot_s
        Caps are whole slots if given, else they are told apart to a thousandth of the horizon.
    mode
        See above.

    Examples
    --------
    >>> trials = search_cap(lambda cap: 7.0 if cap >= 3 else None, horizon_s=8, slot_s=1.0)
    >>> [(trial.cap_s, trial.makespan_s) for trial in trials]
    [(4.0, 7.0), (2.0, None), (3.0, 7.0)]
    """
    trials: list[Trial] = []

    def attempt(cap_s: float) -> float | None:
        makespan_s = makespan_under(cap_s)
        trials.append(Trial(cap_s, makespan_s))
        return makespan_s

    if mode == "sweep":
        for cap_s in caps_to_sweep(horizon_s, slot_s):
            attempt(cap_s)
    else:
        step_s = RELATIVE_PRECISION * horizon_s if slot_s is None else slot_s
        low, high, best_s = 1, max(1, round(horizon_s / step_s)), horizon_s
        while low <= high:
            middle = (low + high) // 2
            makespan_s = attempt(middle * step_s)
            is_better = makespan_s is not None and makespan_s < best_s
            if makespan_s is not None and is_better:
                best_s = makespan_s
            go_down = is_better if mode == "bisect" else makespan_s is not None
            low, high = (low, middle - 1) if go_down else (middle + 1, high)
    if all(trial.makespan_s is None and trial.cap_s != horizon_s for trial in trials):
        attempt(horizon_s)
    return trials


def caps_to_sweep(horizon_s: float, slot_s: float | None) -> Iterator[float]:
    """Yield caps from the horizon down to a hundredth of it, in equal ratios.

    Examples
    --------
    >>> caps = list(caps_to_sweep(100.0, None))
    >>> len(caps), caps[0], round(caps[-1], 6)
    (24, 100.0, 1.0)
    """
    last: float | None = None
    for step in range(SWEEP_STEPS):
        cap_s = horizon_s * 0.01 ** (step / (SWEEP_STEPS - 1))
        if slot_s is not None:
            cap_s = max(1, round(cap_s / slot_s)) * slot_s
        if cap_s != last:
            yield cap_s
        last = cap_s
