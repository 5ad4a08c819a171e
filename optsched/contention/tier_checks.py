"""What can be wrong with an instance of the rate model ``tiered``."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from optsched.contention.profiles import profile_names
from optsched.contention.tier_layers import COMPUTE_SCALE, LAYERS, layers_from_text
from optsched.core.checks import FABRIC_RATES, MAX_PROBLEMS_PER_RULE
from optsched.core.errors import Problem, suggest
from optsched.core.instance import Instance
from optsched.core.rate_model import PARAMETER_DEFAULTS, Parameter, RateModel

__all__ = ["job_problems", "parameter_problems"]


def parameter_problems(model: RateModel) -> list[Problem]:
    """Return what is wrong with the parameters."""
    problems = [
        problem for name, value in model.parameters for problem in _parameter_problems(name, value)
    ]
    # Which networks a parameter may speak of rests on those that the parameters describe.
    known = {*profile_names(), *_described(model)}
    for name, _ in model.parameters:
        profile = name.removeprefix(COMPUTE_SCALE)
        if name.startswith(COMPUTE_SCALE) and profile not in known:
            problems.append(_unknown_profile(("rate_model", name), profile, known))
    return problems


def job_problems(instance: Instance) -> list[Problem]:
    """Return the jobs that spread over GPUs without a known profile, and what is not used."""
    jobs = instance.jobs
    known = {*profile_names(), *_described(instance.rate_model)}
    bad = [
        job
        for job in np.flatnonzero(jobs.gpus > 1).tolist()
        if jobs.profiles[job] is None or jobs.profiles[job] not in known
    ]
    problems = [
        _unknown_profile(("jobs", job, "profile"), jobs.profiles[job], known)
        for job in bad[:MAX_PROBLEMS_PER_RULE]
    ]
    if len(bad) > MAX_PROBLEMS_PER_RULE:
        more = f"{len(bad) - MAX_PROBLEMS_PER_RULE:,} more that are not"
        problems.append(Problem(("jobs",), "every profile to be known", more))
    fabric = instance.cluster.fabric
    for name in FABRIC_RATES:
        rate = getattr(fabric, name)
        if math.isfinite(rate):
            problems.append(
                Problem(
                    ("cluster", "fabric", name),
                    "no rates of the fabric with the rate model 'tiered', which has its own",
                    f"{rate!r}",
                    "it is not used",
                    is_warning=True,
                )
            )
    return problems


def _described(model: RateModel) -> set[str]:
    return {name.removeprefix(LAYERS) for name in model.mapping if name.startswith(LAYERS)}


def _parameter_problems(name: str, value: Parameter) -> Iterator[Problem]:
    path = ("rate_model", name)
    if name.startswith(LAYERS):
        if not isinstance(value, str):
            yield Problem(path, "a text with the layers of a network", repr(value))
            return
        try:
            layers_from_text(value)
        except ValueError as error:
            expected, _, got = str(error).partition(", got ")
            yield Problem(path, expected, got)
        return
    if name.startswith(COMPUTE_SCALE):
        if not _is_number(value) or not 0 < float(value) < math.inf:
            yield Problem(path, "a number above 0", repr(value))
        return
    known = PARAMETER_DEFAULTS["tiered"]
    if name not in known:
        near = suggest(name, known)
        remedy = f"did you mean {near!r}?" if near else ""
        expected = f"one of {', '.join(known)}, {LAYERS}PROFILE, {COMPUTE_SCALE}PROFILE"
        yield Problem(path, expected, repr(name), remedy)
    elif isinstance(known[name], bool):
        if not isinstance(value, bool):
            yield Problem(path, "true or false", repr(value))
    elif not _is_number(value):
        yield Problem(path, "a number", repr(value))
    elif name == "group_gpus":
        if not (float(value) >= 1 and float(value).is_integer()):
            yield Problem(path, "a whole number of at least 1", repr(value))
    elif name.endswith("_bytes_per_s"):
        if not 0 < float(value) < math.inf:
            yield Problem(path, "a number above 0", repr(value))
    elif not 0 <= float(value) < math.inf:
        yield Problem(path, "a number of at least 0", repr(value))


def _unknown_profile(path: tuple[str | int, ...], got: str | None, known: set[str]) -> Problem:
    expected = f"one of the profiles {', '.join(sorted(known))}"
    near = suggest(got, known) if got else None
    remedy = f"did you mean {near!r}?" if near else f"describe it in rate_model {LAYERS}NAME"
    return Problem(path, expected, "nothing" if got is None else repr(got), remedy)


def _is_number(value: Parameter) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
