"""How the files of the instances that ship with the package are written.

``python -m optsched.files.shipped`` writes them anew from their generators.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from optsched.core.data_files import data_directory
from optsched.core.instance import Instance
from optsched.files.instance_file import save_instance
from optsched.files.library import HAND_MADE, LIBRARY
from optsched.files.names import drawn_name
from optsched.generate import generate, interior_start, waiting_pays

__all__ = ["shipped_instances", "write_shipped_instances"]


def shipped_instances() -> Iterator[Instance]:
    """Make every shipped instance from its generator.

    Examples
    --------
    >>> next(shipped_instances()).name
    'waiting-pays'
    """
    for family, names in LIBRARY.items():
        if family == HAND_MADE:
            yield from (waiting_pays(), interior_start())
            continue
        for name in names:
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
