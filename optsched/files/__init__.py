"""Instance and schedule files, and the catalogue of instances by name."""

from optsched.files.catalogue import (
    CatalogueRow,
    catalogue_names,
    describe_catalogue,
    group_members,
    group_names,
    is_generator,
    load,
)
from optsched.files.instance_file import (
    instance_text,
    instance_warnings,
    load_instance,
    save_instance,
)
from optsched.files.known import (
    KnownResult,
    known,
    known_bounds,
    known_results,
    known_schedule,
    save_known,
)
from optsched.files.problems import FileProblemsError, PlacedProblem
from optsched.files.schedule_file import (
    load_schedule,
    load_schedule_document,
    save_schedule,
    schedule_text,
)

__all__ = [
    "CatalogueRow",
    "FileProblemsError",
    "KnownResult",
    "PlacedProblem",
    "catalogue_names",
    "describe_catalogue",
    "group_members",
    "group_names",
    "instance_text",
    "instance_warnings",
    "is_generator",
    "known",
    "known_bounds",
    "known_results",
    "known_schedule",
    "load",
    "load_instance",
    "load_schedule",
    "load_schedule_document",
    "save_instance",
    "save_known",
    "save_schedule",
    "schedule_text",
]
