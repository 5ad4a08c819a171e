"""The layers of the networks that the rate model ``tiered`` knows: shipped, or written out."""

from __future__ import annotations

import math
from collections.abc import Iterable

from optsched.contention.overlap import LayerTimes
from optsched.contention.profiles import Layer, load_profile, profile_names
from optsched.core.rate_model import RateModel

__all__ = ["COMPUTE_SCALE", "LAYERS", "layer_times", "layers_from_text", "layers_of", "layers_text"]

#: Parameters ``layers.NAME`` and ``compute_scale.NAME`` speak of the profile NAME.
LAYERS = "layers."
COMPUTE_SCALE = "compute_scale."


def layers_text(layers: Iterable[Layer]) -> str:
    """Return layers as the text of a parameter ``layers.NAME``.

    Of each layer, in forward order: forward time, time of the gradient of its input, time of that
    of its weights, all in seconds, and the bytes that it all-reduces; layers parted by semicolons.

    Examples
    --------
    >>> layers_text([Layer("a", 0.1, 0.0, 0.1, 4e6), Layer("b", 0.2, 0.2, 0.2, 8e6)])
    '0.1 0.0 0.1 4000000.0; 0.2 0.2 0.2 8000000.0'
    """
    return "; ".join(
        " ".join(
            repr(float(value))
            for value in (
                layer.forward_s,
                layer.input_gradient_s,
                layer.weight_gradient_s,
                layer.allreduce_bytes,
            )
        )
        for layer in layers
    )


def layers_from_text(text: str) -> tuple[Layer, ...]:
    """Read what :func:`layers_text` writes; layers are named by their position.

    Raises
    ------
    ValueError
        If it is not of this form; the message says what was expected, and where.

    Examples
    --------
    >>> [layer.allreduce_bytes for layer in layers_from_text("0.1 0 0.1 4e6; 0.2 0.2 0.2 8e6")]
    [4000000.0, 8000000.0]
    """
    layers = []
    for position, piece in enumerate(text.split(";")):
        numbers = [_amount(word) for word in piece.split()]
        if len(numbers) != 4 or not all(0 <= number < math.inf for number in numbers):
            raise ValueError(
                "four numbers of at least 0 for each layer (forward, input gradient and weight "
                f"gradient in seconds, bytes), got {piece.strip()!r} for layer {position + 1}"
            )
        forward_s, input_gradient_s, weight_gradient_s, size = numbers
        name = f"layer{position + 1}"
        layers.append(Layer(name, forward_s, input_gradient_s, weight_gradient_s, size))
    if not sum(layer.compute_s for layer in layers) > 0:
        raise ValueError("layers that take some time to compute, got none")
    return tuple(layers)


def layers_of(model: RateModel, profile: str) -> tuple[Layer, ...] | None:
    """Return the layers by which a rate model knows a profile; None if it does not.

    A shipped profile of which only the totals are known counts as one layer, so that nothing of its
    all-reduce runs behind its computing.

    Examples
    --------
    >>> model = RateModel.of("tiered", **{"layers.mine": "0.1 0 0.1 4e6"})
    >>> len(layers_of(model, "mine")), len(layers_of(model, "resnet18"))
    (1, 21)
    >>> layers_of(model, "yours") is None
    True
    """
    text = model.mapping.get(LAYERS + profile)
    if text is not None:
        return layers_from_text(str(text))
    if profile not in profile_names():
        return None
    shipped = load_profile(profile)
    if shipped.layers:
        return shipped.layers
    forward_s = shipped.forward_s or 0.0
    backward_s = shipped.compute_s - forward_s
    return (Layer("all", forward_s, 0.0, backward_s, shipped.gradient_bytes),)


def layer_times(model: RateModel, profile: str) -> LayerTimes | None:
    """Return the layers of a profile at the rate model's compute scale; None if it is unknown."""
    layers = layers_of(model, profile)
    if layers is None:
        return None
    scale = float(model.mapping.get(COMPUTE_SCALE + profile, 1.0))
    return LayerTimes.of(layers, scale=scale)


def _amount(word: str) -> float:
    try:
        return math.nan if "_" in word else float(word)
    except ValueError:
        return math.nan
