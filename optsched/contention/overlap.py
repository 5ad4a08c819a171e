"""One iteration of data-parallel training, layer by layer: all-reduces behind the backward pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from optsched.contention.collectives import AllReduceCost
from optsched.contention.profiles import Layer

__all__ = ["LayerTimes"]


@dataclass(frozen=True, slots=True)
class LayerTimes:
    """What the overlap needs of a network, in the order in which it is used.

    The backward pass goes from the last layer to the first. Once a layer has the gradient of its
    weights, the all-reduce of that gradient may begin; the pass goes on with the gradient of the
    layer's input meanwhile. There is one all-reduce a layer (no fusion of small ones), and one
    runs at a time, first come, first served. The forward pass of the next iteration uses the first
    layer first, whose gradient is the last to be exchanged: so it begins when all is exchanged.

    Parameters
    ----------
    forward_s
        Time of the whole forward pass.
    backward
        Of each layer, the last one first: time of the gradient of its weights, time of the gradient
        of its input, bytes that it exchanges.

    Notes
    -----
    Source: the workload format of ASTRA-sim as the simulator of Sharma et al. (arXiv 2401.16492)
    uses it, in the closed form that ``docs/model.md`` gives.

    Examples
    --------
    Two layers that compute 1 s in each pass and exchange 1 byte in 3 s. The last layer's all-reduce
    runs from 3 to 6 s, the first one's, ready at 5 s, from 6 to 9 s; all computing is done at 6 s.

    >>> layers = [Layer(name, 1.0, 1.0, 1.0, allreduce_bytes=1.0) for name in ("a", "b")]
    >>> times = LayerTimes.of(layers)
    >>> times.iteration_time_s(AllReduceCost(seconds_per_byte=3.0, latency_s=0.0))
    9.0
    >>> round(times.efficiency(AllReduceCost(seconds_per_byte=3.0, latency_s=0.0)), 4)
    0.6667
    """

    forward_s: float
    backward: tuple[tuple[float, float, float], ...]

    @classmethod
    def of(cls, layers: Iterable[Layer], *, scale: float = 1.0) -> LayerTimes:
        """Take the times of layers, in forward order, times a factor."""
        rows = list(layers)
        forward_s = 0.0
        for layer in rows:
            forward_s += scale * layer.forward_s
        backward = tuple(
            (
                scale * layer.weight_gradient_s,
                scale * layer.input_gradient_s,
                layer.allreduce_bytes,
            )
            for layer in reversed(rows)
        )
        return cls(forward_s, backward)

    @property
    def compute_s(self) -> float:
        """Time of an iteration that exchanges nothing, or all of it behind its computing."""
        return self._pass(None)[0]

    def iteration_time_s(self, cost: AllReduceCost) -> float:
        """Return the time of an iteration, from one forward pass to the next."""
        computed_s, exchanged_s = self._pass(cost)
        return max(computed_s, exchanged_s)

    def efficiency(self, cost: AllReduceCost) -> float:
        """Return the share of an iteration that is computing: above 0, and 1 if nothing shows.

        It falls, or stays, where ``cost`` grows in either part: all operations of the pass are sums
        and maxima, which are monotone under rounding too.
        """
        computed_s, exchanged_s = self._pass(cost)
        if exchanged_s <= computed_s:
            return 1.0
        return computed_s / exchanged_s

    def _pass(self, cost: AllReduceCost | None) -> tuple[float, float]:
        """Return when all is computed, and when all is exchanged."""
        now_s, free_s = self.forward_s, 0.0
        for weight_gradient_s, input_gradient_s, size in self.backward:
            now_s += weight_gradient_s
            # A layer without parameters has nothing to exchange, not even a latency.
            if cost is not None and size > 0:
                free_s = max(now_s, free_s) + cost.time_s(size)
            now_s += input_gradient_s
        return now_s, free_s
