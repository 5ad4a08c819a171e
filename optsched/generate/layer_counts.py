"""What layers of neural networks hold and compute: parameters and multiply-adds, counted."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LayerCount", "convolution", "linear"]


@dataclass(frozen=True, slots=True)
class LayerCount:
    """One layer.

    Parameters
    ----------
    name
        Its name in the network.
    parameters
        Trained parameters, those of a normalisation that follows included.
    multiply_adds
        Multiplications with an addition in the forward pass of one sample; the rest (activations,
        normalisations, pooling) is not counted, being small beside them.
    """

    name: str
    parameters: int
    multiply_adds: int


def convolution(
    name: str,
    inputs: int,
    outputs: int,
    kernel: int,
    size: int,
    *,
    groups: int = 1,
    bias: bool = False,
    norm: bool = True,
) -> LayerCount:
    """Count a square convolution.

    Parameters
    ----------
    name
        Name of the layer.
    inputs, outputs
        Channels.
    kernel
        Width of the kernel.
    size
        Width of the output.
    groups
        Groups of channels; as many as there are channels if depthwise.
    bias
        Whether there is a bias for each output channel.
    norm
        Whether a batch normalisation follows, with scale and shift for each output channel.

    Examples
    --------
    >>> convolution("conv1", 3, 64, 7, 112)
    LayerCount(name='conv1', parameters=9536, multiply_adds=118013952)
    """
    weights = kernel * kernel * (inputs // groups) * outputs
    parameters = weights + outputs * bias + 2 * outputs * norm
    return LayerCount(name, parameters, weights * size * size)


def linear(
    name: str, inputs: int, outputs: int, *, positions: int = 1, norm: int = 0, tied: bool = False
) -> LayerCount:
    """Count a fully connected layer with bias.

    Parameters
    ----------
    name
        Name of the layer.
    inputs, outputs
        Features.
    positions
        How often it is applied to one sample, such as once for each token.
    norm
        Features of a layer normalisation that follows, with scale and shift for each; 0 if none.
    tied
        True if the weights are those of another layer, which counts them.

    Examples
    --------
    >>> linear("fc", 512, 1000)
    LayerCount(name='fc', parameters=513000, multiply_adds=512000)
    """
    weights = inputs * outputs
    parameters = outputs + 2 * norm + (0 if tied else weights)
    return LayerCount(name, parameters, weights * positions)
