"""Fabrics by name: measured or rated networks, each value with its source."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from optsched.contention.model_files import ModelTable, model_names, read_model
from optsched.core.cluster import Fabric

__all__ = ["fabric_names", "fabric_text", "fabric_title", "load_fabric"]

_RATES = (
    "intra_bytes_per_s",
    "inter_bytes_per_s",
    "uplink_bytes_per_s",
    "reduce_bytes_per_s",
)
_NUMBERS = (*_RATES, "degradation", "latency_s")


def fabric_names() -> list[str]:
    """Return the names of the fabrics that ship with the package.

    Examples
    --------
    >>> fabric_names()
    ['10gbe', '1gbe', 'nvswitch-infiniband']
    """
    return model_names("fabric")


def load_fabric(name: str | Path) -> Fabric:
    """Return a fabric by name, or from a ``.toml`` file such as ``optsched calibrate`` writes.

    Rates that a file does not give are infinite, and its degradation and latency 0.

    Raises
    ------
    UnknownNameError
        If there is none of this name; the message offers the nearest.
    FileFormatError
        If its file is wrong; the message names the key.

    Examples
    --------
    >>> round(load_fabric("10gbe").degradation, 4)
    0.2745
    """
    table = _read(name)
    for key in _RATES:
        if table.values.get(key) == 0:
            raise table.error(key, "a rate above 0", "0")
    values = {key: table.amount(key) for key in _NUMBERS if key in table}
    return Fabric(
        intra_bytes_per_s=values.get("intra_bytes_per_s", math.inf),
        inter_bytes_per_s=values.get("inter_bytes_per_s", math.inf),
        uplink_bytes_per_s=values.get("uplink_bytes_per_s", math.inf),
        reduce_bytes_per_s=values.get("reduce_bytes_per_s", math.inf),
        degradation=values.get("degradation", 0.0),
        latency_s=values.get("latency_s", 0.0),
    )


def fabric_title(name: str | Path) -> str:
    """Return what a fabric is, in a line."""
    return _read(name).text("title")


def fabric_text(fabric: Fabric, *, title: str, source: Mapping[str, str]) -> str:
    """Return a fabric as TOML that :func:`load_fabric` reads back to the last bit.

    Parameters
    ----------
    fabric
        The fabric; infinite rates are left out.
    title
        What it is, in a line.
    source
        Where its values are from, by key.

    Examples
    --------
    >>> print(fabric_text(Fabric(inter_bytes_per_s=1e9), title="mine", source={"all": "measured"}))
    title = "mine"
    inter_bytes_per_s = 1000000000.0
    degradation = 0.0
    latency_s = 0.0
    <BLANKLINE>
    [source]
    all = "measured"
    <BLANKLINE>
    """
    lines = [f"title = {_toml(title)}"]
    for key in _NUMBERS:
        value = getattr(fabric, key)
        if math.isfinite(value):
            lines.append(f"{key} = {float(value)!r}")
    lines += ["", "[source]"]
    lines += [f"{key} = {_toml(text)}" for key, text in source.items()]
    return "\n".join(lines) + "\n"


def _read(name: str | Path) -> ModelTable:
    table = read_model("fabric", "fabric", name)
    table.check_keys(("title", *_NUMBERS, "source"))
    source = table.table("source")
    for key in source.values:
        source.text(key)
    return table


def _toml(text: str) -> str:
    # A JSON string is a TOML one, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
