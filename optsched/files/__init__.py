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
    "PlacedProblem",
    "catalogue_names",
    "describe_catalogue",
    "group_members",
    "group_names",
    "instance_text",
    "instance_warnings",
    "is_generator",
    "load",
    "load_instance",
    "load_schedule",
    "load_schedule_document",
    "save_instance",
    "save_schedule",
    "schedule_text",
]
