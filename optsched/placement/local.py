"""Placements on one server, each made only once."""

from __future__ import annotations

from functools import lru_cache

from optsched.core.placement import Placement

__all__ = ["on_one_server"]


@lru_cache(maxsize=65_536)
def on_one_server(server: int, gpus: int) -> Placement:
    """Return the placement of ``gpus`` GPUs on one server.

    Examples
    --------
    >>> on_one_server(3, 2)
    Placement(servers=(3,), counts=(2,))
    """
    return Placement((server,), (gpus,))
