"""The one judge: what a schedule is worth, or which rules it breaks."""

from optsched.judge.replay import replay

__all__ = ["replay"]
