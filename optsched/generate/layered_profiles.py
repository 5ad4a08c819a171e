"""Profiles with layers, computed from architectures: ``python -m`` this module writes them."""

from __future__ import annotations

import sys
from pathlib import Path

from optsched.contention.profiles import Layer, Profile
from optsched.generate.architectures import ARCHITECTURES

__all__ = ["layered_profile", "profile_text"]

#: Gradients are exchanged in single precision.
BYTES_PER_PARAMETER = 4


def layered_profile(name: str) -> Profile:
    """Compute a profile from a published architecture.

    Each layer takes as long as its multiply-adds: once forward, once for the gradient of its
    input (but for the first layer, whose input needs none), once for that of its weights. All
    are scaled so that an iteration takes the published time.

    Parameters
    ----------
    name
        Name in :data:`optsched.generate.architectures.ARCHITECTURES`.

    Notes
    -----
    Layers that move much memory for few multiply-adds, such as depthwise convolutions, take longer
    than this says.

    Examples
    --------
    >>> profile = layered_profile("resnet18")
    >>> profile.gradient_bytes, profile.compute_s
    (46758048.0, 0.184877)
    """
    architecture = ARCHITECTURES[name]
    counts = architecture.layers()
    passes = [2] + [3] * (len(counts) - 1)
    total = sum(n * layer.multiply_adds for n, layer in zip(passes, counts, strict=True))
    seconds = architecture.compute_s / total
    layers = tuple(
        Layer(
            name=layer.name,
            forward_s=_rounded(seconds * layer.multiply_adds),
            input_gradient_s=_rounded(seconds * layer.multiply_adds * (n - 2)),
            weight_gradient_s=_rounded(seconds * layer.multiply_adds),
            allreduce_bytes=float(BYTES_PER_PARAMETER * layer.parameters),
            parameters=layer.parameters,
        )
        for n, layer in zip(passes, counts, strict=True)
    )
    parameters = sum(layer.parameters for layer in counts)
    forward = _rounded(sum(layer.forward_s for layer in layers))
    return Profile(
        name=name,
        title=architecture.title,
        gradient_bytes=float(BYTES_PER_PARAMETER * parameters),
        compute_s=architecture.compute_s,
        forward_s=forward,
        backward_s=_rounded(architecture.compute_s - forward),
        batch=architecture.batch,
        source={
            "gradient_bytes": f"{parameters:,} parameters of {BYTES_PER_PARAMETER} bytes, counted "
            f"from {architecture.design}",
            "compute_s": architecture.timing,
            "layers": "times in proportion to multiply-adds, scaled to compute_s",
        },
        layers=layers,
    )


def profile_text(profile: Profile) -> str:
    """Return a profile as the TOML that :func:`optsched.contention.profiles.load_profile` reads."""
    lines = [
        "# Written by python -m optsched.generate.layered_profiles; change the architecture there.",
        f'title = "{profile.title}"',
        f"gradient_bytes = {profile.gradient_bytes!r}",
        f"compute_s = {profile.compute_s!r}",
        f"forward_s = {profile.forward_s!r}",
        f"backward_s = {profile.backward_s!r}",
        f"batch = {profile.batch}",
        "",
        "[source]",
        *(f'{key} = "{text}"' for key, text in profile.source.items()),
    ]
    for layer in profile.layers:
        lines += [
            "",
            "[[layers]]",
            f'name = "{layer.name}"',
            f"forward_s = {layer.forward_s!r}",
            f"input_gradient_s = {layer.input_gradient_s!r}",
            f"weight_gradient_s = {layer.weight_gradient_s!r}",
            f"parameters = {layer.parameters}",
            f"allreduce_bytes = {layer.allreduce_bytes!r}",
        ]
    return "\n".join(lines) + "\n"


def _rounded(seconds: float) -> float:
    """Keep nine digits, more than any clock gives, so that the files can be read."""
    return float(f"{seconds:.9g}")


def main(directory: str) -> None:
    """Write the profiles of all architectures into a folder."""
    for name in ARCHITECTURES:
        path = Path(directory) / f"{name}.toml"
        path.write_text(profile_text(layered_profile(name)), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
