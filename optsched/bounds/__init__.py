"""Lower bounds: what no schedule can beat, and for whom they hold."""

from optsched.bounds.door import (
    BOUNDS,
    EFFORTS,
    BoundEntry,
    BoundSurvey,
    Effort,
    all_bounds,
    bound,
    survey_bounds,
)
from optsched.bounds.effort import worthwhile_effort
from optsched.bounds.workload import Workload

__all__ = [
    "BOUNDS",
    "EFFORTS",
    "BoundEntry",
    "BoundSurvey",
    "Effort",
    "Workload",
    "all_bounds",
    "bound",
    "survey_bounds",
    "worthwhile_effort",
]
