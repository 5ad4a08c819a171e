"""The instances that ship with the package: which they are, and how their files are written.

``python -m optsched.files.shipped`` writes them anew from their generators.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from optsched.core.data_files import data_directory
from optsched.core.instance import Instance
from optsched.files.instance_file import save_instance
from optsched.files.names import drawn_name
from optsched.generate import generate, interior_start, waiting_pays

__all__ = ["DRAWN", "shipped_instances", "write_shipped_instances"]

#: Shipped instances that a generator yields.
DRAWN = (
    *(f"forced-{jobs}x3-{seed}" for jobs in (4, 5, 6) for seed in range(3)),
    *(f"tight-6x3-{seed}" for seed in range(3)),
    *(f"light-6x3-{seed}" for seed in range(3)),
    *(f"paper-160x{servers}-0" for servers in (6, 10, 14, 20)),
    "physical-160x14-0",
    "reference-a-160x14-0",
    "reference-f-160x14-0",
    "never-wait-bad-6x3",
    "never-wait-bad-5x4",
    "packing-bad-4x7",
    "packing-bad-8x15",
    "spreading-bad-6x4",
    "colouring-complete-3x3-0",
    "colouring-cycle-5x5-0",
)


def shipped_instances() -> Iterator[Instance]:
    """Make every shipped instance from its generator.

    Examples
    --------
    >>> next(shipped_instances()).name
    'waiting-pays'
    """
    yield waiting_pays()
    yield interior_start()
    for name in DRAWN:
        draw = drawn_name(name)
        assert draw is not None
        yield generate(draw.generator, draw.parameters)


def write_shipped_instances(directory: Path) -> list[Path]:
    """Write every shipped instance to its file and return the files."""
    paths = []
    for instance in shipped_instances():
        path = directory / f"{instance.name}.json"
        save_instance(instance, path)
        paths.append(path)
    return paths


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else data_directory("instances")
    for written in write_shipped_instances(target):
        print(written)
