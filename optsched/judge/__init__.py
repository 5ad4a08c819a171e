"""The one judge: what a schedule is worth, or which rules it breaks."""

from optsched.judge.replay import replay
from optsched.judge.verify import verify

__all__ = ["replay", "verify"]
