"""Tells how far from optimal a GPU-cluster scheduler is.

Everything public is here, and loaded when it is first used: importing this package is cheap.
"""

from importlib import import_module, metadata
from typing import Any

# What is public, and where it is. The types are in __init__.pyi.
_HOME = {
    "Bound": "core.result",
    "Cluster": "core.cluster",
    "Comparison": "study",
    "Decision": "core.schedule",
    "Fabric": "core.cluster",
    "Instance": "core.instance",
    "Job": "core.jobs",
    "Jobs": "core.jobs",
    "Judgement": "core.result",
    "KnownResult": "files",
    "OptschedError": "core.errors",
    "Placement": "core.placement",
    "PolicyError": "core.errors",
    "RateModel": "core.rate_model",
    "Result": "core.result",
    "Schedule": "core.schedule",
    "Segment": "core.schedule",
    "Server": "core.cluster",
    "Status": "core.result",
    "all_bounds": "bounds",
    "bound": "bounds",
    "compare": "study",
    "explain": "study",
    "known": "files",
    "load": "files",
    "load_schedule": "files",
    "load_trace": "traces",
    "plot_gantt": "plot",
    "plot_ratios": "plot",
    "rate_functions": "contention",
    "replay": "judge",
    "run": "study",
    "save_figure": "plot",
    "save_instance": "files",
    "save_schedule": "files",
    "simulate": "sim",
    "solve": "exact",
    "verify": "judge",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return metadata.version("optsched")
    if name in _HOME:
        value = getattr(import_module(f"optsched.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'optsched' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
