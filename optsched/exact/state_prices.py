"""Prices of iterations at which no set of running jobs earns more than 1 a second."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optsched.bounds.covering import CoveringMaster
from optsched.bounds.dual_feasible import dual_feasible_functions
from optsched.exact.pricing_kernel import best_state
from optsched.exact.search_stack import new_stack
from optsched.exact.search_tables import SearchTables

__all__ = ["StatePrices"]

#: Rounds of column generation for one vector of prices.
MOST_ROUNDS = 60
#: Placements that one pricing may try: well under a second.
PRICING_BUDGET = 2_000_000
#: A column must be worth more than 1 by this share to be added.
WORTH_ADDING = 1e-9
#: Covers the rounding of sums of rates.
OUTWARD = 1e-12

Real = NDArray[np.float64]


class StatePrices:
    """Vectors of prices y ≥ 0 with ``Σ_j y_j r_j(c) ≤ 1`` for every state c of the cluster.

    A state is a set of running jobs with their placements, r_j(c) the true rate of job j in it, so
    contention, gangs and the shapes of the servers all count. For any work left R, at least
    ``Σ_j y_j R_j`` seconds pass until all is done: each second earns 1 at most. The best y for one
    R is the dual of the rate-configuration LP ``min Σ x, Σ_c r_j(c) x_c ≥ R_j``, but it holds for
    every other R too. So a few vectors serve all states of a search. Dual-feasible functions are
    the vectors ``F(G_j)/N`` times the best iteration time.

    Parameters
    ----------
    tables
        The instance.

    Examples
    --------
    Two jobs contend wherever they run, so taking turns is best, 10.5 s each:

    >>> from optsched.exact.search_tables import search_tables
    >>> from optsched.generate.hand import waiting_pays
    >>> tables = search_tables(waiting_pays(), [0, 1], objective="makespan").tables
    >>> prices = StatePrices(tables)
    >>> round(float((prices.vectors @ tables.iterations).max()), 9)
    10.5
    >>> prices.add(tables.iterations)
    True
    >>> round(float((prices.vectors @ tables.iterations).max()), 9)
    21.0
    """

    def __init__(self, tables: SearchTables) -> None:
        count = len(tables.gpus)
        self._tables = tables._replace(twin=np.full(count, -1, dtype=np.int64))
        self._stack = new_stack(self._tables)
        self._columns: list[Real] = []
        best_s = tables.duration / tables.iterations
        total = int(tables.capacity.sum())
        distinct, demand = np.unique(tables.gpus, return_inverse=True)
        sizes = [
            np.array(function.sizes, dtype=np.float64)[demand] / function.denominator / total
            for function in dual_feasible_functions(distinct, total)
        ]
        #: Dual-feasible sizes as shares of the cluster, shape (D, n).
        self.sizes: Real = np.unique(np.array(sizes), axis=0)
        vectors: NDArray[np.float64] = self.sizes * best_s
        #: The vectors, shape (K, n).
        self.vectors = vectors * (1.0 - OUTWARD)

    def add(self, remaining: Real) -> bool:
        """Add the vector that is best for some work left; return False if that took too long."""
        jobs = np.flatnonzero(remaining > 0)
        if len(jobs) == 0:
            return False
        scale = remaining[jobs]
        master = CoveringMaster(len(jobs))
        alone = self._tables.duration[jobs] / self._tables.iterations[jobs]
        own = [([at], [1.0 / (alone[at] * scale[at])]) for at in range(len(jobs))]
        known = [self._entries(column, jobs, scale) for column in self._columns]
        master.add(own + [entries for entries in known if entries[0]])
        for _ in range(MOST_ROUNDS):
            duals = master.duals()
            if duals is None:
                return False
            prices = np.zeros(len(remaining))
            prices[jobs] = duals / scale
            worth, rates = self._priced(prices)
            if worth <= 0.0:
                return False
            if worth <= 1.0 + WORTH_ADDING:
                break
            self._columns.append(rates)
            master.add([self._entries(rates, jobs, scale)])
        self.vectors = np.vstack([self.vectors, prices / worth * (1.0 - OUTWARD)])
        return True

    def _priced(self, prices: Real) -> tuple[float, Real]:
        tables = self._tables
        gain = prices * tables.iterations / (tables.duration * tables.gpus)
        order = np.argsort(-gain, kind="stable")
        order = order[prices[order] > 0].astype(np.int64)
        rates = np.zeros(len(prices))
        worth = best_state(tables, self._stack, prices, order, PRICING_BUDGET, rates)
        return float(worth), rates

    def _entries(
        self, rates: Real, jobs: NDArray[np.int64], scale: Real
    ) -> tuple[list[int], list[float]]:
        values = rates[jobs] / scale
        rows = np.flatnonzero(values)
        return rows.tolist(), values[rows].tolist()
