"""The search of SJF-BCO laid open: the makespan for every κ, λ and θ that it tries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from optsched.core.instance import Instance
from optsched.planners import SjfBco

__all__ = ["DEFAULT_FACTORS", "SearchRow", "sjf_bco_search"]

#: λ of figure 7 of Yu et al. 2022.
DEFAULT_FACTORS = (1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, slots=True)
class SearchRow:
    """One schedule of the search.

    Parameters
    ----------
    instance
        Name of the instance.
    capacity_factor
        λ, how many times its GPUs the servers have that a large job chooses from.
    kappa
        κ, the largest demand that is packed.
    cap_s
        θ, the most estimated work of a GPU in seconds.
    makespan_s
        Makespan in seconds; None if the cap was too tight for any schedule.
    """

    instance: str
    capacity_factor: float
    kappa: int
    cap_s: float
    makespan_s: float | None


def sjf_bco_search(
    instance: Instance,
    *,
    factors: Sequence[float] = DEFAULT_FACTORS,
    parameters: dict[str, Any] | None = None,
) -> list[SearchRow]:
    """Run SJF-BCO for each λ and return every schedule it built.

    Parameters
    ----------
    instance
        The instance.
    factors
        The values of λ.
    parameters
        Further parameters of :class:`~optsched.planners.SjfBco`.

    Examples
    --------
    >>> from optsched.generate import waiting_pays
    >>> rows = sjf_bco_search(waiting_pays(), factors=[1.0])
    >>> sorted({row.kappa for row in rows}), min(row.makespan_s for row in rows if row.makespan_s)
    ([1, 3], 25.5)
    """
    return list(_rows(instance, factors, parameters or {}))


def _rows(
    instance: Instance, factors: Sequence[float], parameters: dict[str, Any]
) -> Iterable[SearchRow]:
    for factor in factors:
        plan = SjfBco(**{**parameters, "capacity_factor": factor}).plan(instance)
        steps = plan.details["search"]
        assert isinstance(steps, list)
        for step in steps:
            yield SearchRow(instance.name, factor, step["kappa"], step["cap_s"], step["makespan_s"])
