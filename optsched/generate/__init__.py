"""Seeded generators of instances, by name."""

from optsched.generate.colouring import colouring
from optsched.generate.dally import dally_500
from optsched.generate.hand import interior_start, waiting_pays
from optsched.generate.never_wait_bad import never_wait_bad
from optsched.generate.packing_bad import packing_bad
from optsched.generate.paper import paper_160
from optsched.generate.poisson import poisson
from optsched.generate.reference import reference_a, reference_f
from optsched.generate.registry import GENERATORS, GeneratorEntry, generate, parsed_parameters
from optsched.generate.small import forced, light, tight
from optsched.generate.spreading_bad import spreading_bad

__all__ = [
    "GENERATORS",
    "GeneratorEntry",
    "colouring",
    "dally_500",
    "forced",
    "generate",
    "interior_start",
    "light",
    "never_wait_bad",
    "packing_bad",
    "paper_160",
    "parsed_parameters",
    "poisson",
    "reference_a",
    "reference_f",
    "spreading_bad",
    "tight",
    "waiting_pays",
]
