"""Lower bounds: what no schedule can beat, and for whom they hold."""

from optsched.bounds.door import BOUNDS, EFFORTS, BoundEntry, Effort, all_bounds, bound
from optsched.bounds.workload import Workload

__all__ = ["BOUNDS", "EFFORTS", "BoundEntry", "Effort", "Workload", "all_bounds", "bound"]
