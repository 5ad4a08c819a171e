"""What is kept of a schedule that is better than a bound of its own class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optsched.study.compare import ViolatedBoundError

__all__ = ["save_violation"]


def save_violation(error: ViolatedBoundError) -> Path:
    """Write instance, schedule and bound to a folder of the working directory and return it."""
    import json

    from optsched.core.document import instance_sha256
    from optsched.files import save_instance, save_schedule
    from optsched.report import plain

    folder = Path(f"bound-violation-{instance_sha256(error.instance)[:12]}")
    folder.mkdir(exist_ok=True)
    save_instance(error.instance, folder / "instance.json")
    assert error.result.schedule is not None
    save_schedule(
        error.instance, error.result.schedule, folder / "schedule.json", result=error.result
    )
    text = json.dumps(plain(error.bound), indent=2)
    (folder / "bound.json").write_text(text + "\n", encoding="utf-8")
    return folder
