"""Experiments: run a scheduler on an instance, compare schedulers on many."""

from optsched.study.compare import compare
from optsched.study.comparison import Comparison, RunRow, SummaryRow
from optsched.study.explain import Explanation, explain
from optsched.study.registry import SCHEDULERS, SchedulerEntry
from optsched.study.run import run
from optsched.study.specification import make_scheduler, split_schedulers

__all__ = [
    "SCHEDULERS",
    "Comparison",
    "Explanation",
    "RunRow",
    "SchedulerEntry",
    "SummaryRow",
    "compare",
    "explain",
    "make_scheduler",
    "run",
    "split_schedulers",
]
