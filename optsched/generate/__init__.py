"""Seeded generators of instances, by name."""

from optsched.generate.colouring import colouring
from optsched.generate.dally import dally_500
from optsched.generate.fit_workload import fit_workload
from optsched.generate.fitted import draw_workload, fitted
from optsched.generate.hand import interior_start, waiting_pays
from optsched.generate.never_wait_bad import never_wait_bad
from optsched.generate.packing_bad import packing_bad
from optsched.generate.paper import paper_160
from optsched.generate.poisson import poisson
from optsched.generate.reference import reference_a, reference_f
from optsched.generate.registry import GENERATORS, GeneratorEntry, generate, parsed_parameters
from optsched.generate.small import contended, forced, light, racks, tight
from optsched.generate.spreading_bad import spreading_bad
from optsched.generate.tiered_small import tiered_small
from optsched.generate.workload import Workload
from optsched.generate.workload_file import load_workload, workload_names, workload_text

__all__ = [
    "GENERATORS",
    "GeneratorEntry",
    "Workload",
    "colouring",
    "contended",
    "dally_500",
    "draw_workload",
    "fit_workload",
    "fitted",
    "forced",
    "generate",
    "interior_start",
    "light",
    "load_workload",
    "never_wait_bad",
    "packing_bad",
    "paper_160",
    "parsed_parameters",
    "poisson",
    "racks",
    "reference_a",
    "reference_f",
    "spreading_bad",
    "tiered_small",
    "tight",
    "waiting_pays",
    "workload_names",
    "workload_text",
]
