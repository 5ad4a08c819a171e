"""Seeded generators of instances, by name."""

from optsched.generate.hand import interior_start, waiting_pays
from optsched.generate.paper import paper_160
from optsched.generate.reference import reference_a, reference_f
from optsched.generate.registry import GENERATORS, GeneratorEntry, generate, parsed_parameters
from optsched.generate.small import forced, light, tight

__all__ = [
    "GENERATORS",
    "GeneratorEntry",
    "forced",
    "generate",
    "interior_start",
    "light",
    "paper_160",
    "parsed_parameters",
    "reference_a",
    "reference_f",
    "tight",
    "waiting_pays",
]
