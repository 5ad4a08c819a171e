"""Classes of jobs by the GPUs they ask for, few enough to have a colour each."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["demand_classes"]

#: As many classes as there are hues that are told apart without a doubt.
MOST_CLASSES = 7


def demand_classes(gpus: Sequence[int]) -> tuple[list[str], list[int]]:
    """Return names of classes, from the smallest demand on, and the class of each job.

    Every demand is a class if there are at most 7 of them; otherwise classes reach from one power
    of two to the next, and the seventh takes all the rest.

    Parameters
    ----------
    gpus
        GPUs of each job.

    Examples
    --------
    >>> demand_classes([4, 1, 4])
    (['1 GPU', '4 GPUs'], [1, 0, 1])
    >>> demand_classes([1, 2, 3, 4, 5, 6, 7, 8])[0]
    ['1 GPU', '2 GPUs', '3–4 GPUs', '5–8 GPUs']
    """
    demands = sorted(set(gpus))
    if len(demands) <= MOST_CLASSES:
        names = [f"{demand} GPU{'s' * (demand != 1)}" for demand in demands]
        position = {demand: index for index, demand in enumerate(demands)}
        return names, [position[demand] for demand in gpus]
    exponent_of = [min((demand - 1).bit_length(), MOST_CLASSES - 1) for demand in gpus]
    exponents = sorted(set(exponent_of))
    names = [_range_name(exponent) for exponent in exponents]
    return names, [exponents.index(exponent) for exponent in exponent_of]


def _range_name(exponent: int) -> str:
    if exponent <= 1:
        return "2 GPUs" if exponent else "1 GPU"
    low = 2 ** (exponent - 1) + 1
    return f"> {low - 1} GPUs" if exponent == MOST_CLASSES - 1 else f"{low}–{2**exponent} GPUs"
