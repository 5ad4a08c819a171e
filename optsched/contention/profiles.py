"""Network profiles: what one iteration of a known network computes and exchanges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from optsched.contention.model_files import ModelTable, model_names, read_model

__all__ = ["Layer", "Profile", "load_profile", "profile_names"]

_KEYS = (
    "title",
    "gradient_bytes",
    "compute_s",
    "forward_s",
    "backward_s",
    "batch",
    "source",
    "layers",
)
_LAYER_KEYS = (
    "name",
    "forward_s",
    "input_gradient_s",
    "weight_gradient_s",
    "parameters",
    "allreduce_bytes",
)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of a network, in forward order.

    Parameters
    ----------
    name
        Its name, unlike that of any other layer of the network.
    forward_s
        Time of its forward pass.
    input_gradient_s
        Time to find the gradient of its input, which the layer before needs.
    weight_gradient_s
        Time to find the gradient of its weights, which the all-reduce needs.
    allreduce_bytes
        Bytes of that gradient.
    parameters
        Trained parameters; None if only their bytes are known.
    """

    name: str
    forward_s: float
    input_gradient_s: float
    weight_gradient_s: float
    allreduce_bytes: float
    parameters: int | None = None

    @property
    def compute_s(self) -> float:
        """Time of all three."""
        return self.forward_s + self.input_gradient_s + self.weight_gradient_s


@dataclass(frozen=True, slots=True)
class Profile:
    """What one iteration of a network exchanges and how long it computes, on one GPU.

    Parameters
    ----------
    name
        Name of the profile, as instance files give it.
    title
        Name of the network, as people write it.
    gradient_bytes
        Bytes of gradients that an iteration exchanges (m).
    compute_s
        Forward and backward time of an iteration at ``batch`` (Δ).
    forward_s, backward_s
        The two parts of ``compute_s``; None if they are not known apart.
    batch
        Samples per GPU and iteration; None if not known.
    source
        Key to where its value is from.
    layers
        The layers in forward order; empty if they are not known.
    """

    name: str
    title: str
    gradient_bytes: float
    compute_s: float
    forward_s: float | None = None
    backward_s: float | None = None
    batch: int | None = None
    source: Mapping[str, str] = field(default_factory=dict)
    layers: tuple[Layer, ...] = ()


def profile_names() -> list[str]:
    """Return the names of the profiles that ship with the package.

    Examples
    --------
    >>> "vgg16" in profile_names()
    True
    """
    return model_names("dnn")


def load_profile(name: str | Path) -> Profile:
    """Return a profile by name, or from a ``.toml`` file of one's own.

    Raises
    ------
    UnknownNameError
        If there is none of this name; the message offers the nearest.
    FileFormatError
        If its file is wrong; the message names the key.

    Examples
    --------
    >>> profile = load_profile("alexnet")
    >>> len(profile.layers), sum(layer.parameters for layer in profile.layers)
    (8, 61100840)
    """
    table = read_model("dnn", "network profile", name)
    table.check_keys(_KEYS)
    source = table.table("source")
    layers = tuple(_layer(row) for row in table.tables("layers"))
    profile = Profile(
        name=table.path.stem,
        title=table.text("title"),
        gradient_bytes=table.amount("gradient_bytes"),
        compute_s=table.amount("compute_s"),
        forward_s=table.amount("forward_s") if "forward_s" in table else None,
        backward_s=table.amount("backward_s") if "backward_s" in table else None,
        batch=table.count("batch") if "batch" in table else None,
        source={key: source.text(key) for key in source.values},
        layers=layers,
    )
    _check_sums(table, profile)
    return profile


def _layer(row: ModelTable) -> Layer:
    row.check_keys(_LAYER_KEYS)
    return Layer(
        name=row.text("name"),
        forward_s=row.amount("forward_s"),
        input_gradient_s=row.amount("input_gradient_s"),
        weight_gradient_s=row.amount("weight_gradient_s"),
        allreduce_bytes=row.amount("allreduce_bytes"),
        parameters=row.count("parameters") if "parameters" in row else None,
    )


def _check_sums(table: ModelTable, profile: Profile) -> None:
    """Raise a FileFormatError if the layers, or the two passes, are not what the whole says."""
    names = [layer.name for layer in profile.layers]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise table.error(f"layers[{position}].name", "a name of its own", repr(name))
    totals = []
    if profile.forward_s is not None and profile.backward_s is not None:
        both = profile.forward_s + profile.backward_s
        totals.append(("forward_s and backward_s", "compute_s", both, profile.compute_s))
    if profile.layers:
        seconds = sum(layer.compute_s for layer in profile.layers)
        size = sum(layer.allreduce_bytes for layer in profile.layers)
        totals.append(("the layers' times", "compute_s", seconds, profile.compute_s))
        totals.append(("the layers' bytes", "gradient_bytes", size, profile.gradient_bytes))
    for what, key, total, whole in totals:
        if abs(total - whole) > 1e-6 * whole:
            raise table.error(key, f"the sum of {what}, {total:.9g}", f"{whole:.9g}")
