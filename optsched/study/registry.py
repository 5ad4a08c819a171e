"""The schedulers by name, loaded only when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["SCHEDULERS", "SchedulerEntry"]


@dataclass(frozen=True, slots=True)
class SchedulerEntry:
    """One scheduler of the registry.

    Parameters
    ----------
    kind
        ``planner`` (offline, knows all jobs) or ``policy`` (online).
    target
        Where its class is: ``module:object``.
    summary
        Its rule in one sentence.
    is_random
        True if its schedule depends on the seed.
    """

    kind: Literal["planner", "policy"]
    target: str
    summary: str
    is_random: bool = False

    def load(self) -> Callable[..., Any]:
        """Import the class."""
        module, name = self.target.split(":")
        loaded: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return loaded


SCHEDULERS: dict[str, SchedulerEntry] = {
    "sjf-bco": SchedulerEntry(
        "planner",
        "optsched.planners.sjf_bco:SjfBco",
        "smallest demand first, small jobs packed, large ones on the least busy servers",
    ),
    "list-scheduling": SchedulerEntry(
        "planner",
        "optsched.planners.list_scheduling:ListScheduling",
        "file order, the GPUs with the least work so far",
    ),
    "first-fit": SchedulerEntry(
        "planner",
        "optsched.planners.first_fit:FirstFitPlanner",
        "file order, the first GPUs whose work allows it",
    ),
    "random": SchedulerEntry(
        "planner",
        "optsched.planners.random_gpus:RandomGpus",
        "file order, random GPUs",
        is_random=True,
    ),
    "annealing": SchedulerEntry(
        "planner",
        "optsched.planners.annealing:Annealing",
        "simulated annealing of the order of jobs and their servers, towards one objective",
        is_random=True,
    ),
    "fifo": SchedulerEntry(
        "policy", "optsched.policies.fifo:Fifo", "order of arrival, strictly head of line"
    ),
    "fifo-backfill": SchedulerEntry(
        "policy",
        "optsched.policies.fifo:FifoBackfill",
        "order of arrival, passing over what does not fit",
    ),
    "sjf": SchedulerEntry(
        "policy", "optsched.policies.sjf:Sjf", "shortest job first, passing over what does not fit"
    ),
    "fewest-gpus": SchedulerEntry(
        "policy",
        "optsched.policies.fewest_gpus:FewestGpus",
        "fewest GPUs first, passing over what does not fit",
    ),
    "longest-first": SchedulerEntry(
        "policy",
        "optsched.policies.longest_first:LongestFirst",
        "longest job first, wide ones a little earlier, for the makespan",
    ),
    "srtf": SchedulerEntry(
        "policy", "optsched.policies.srtf:Srtf", "least time left first, stopping those with more"
    ),
    "las": SchedulerEntry(
        "policy",
        "optsched.policies.las:Las",
        "least attained service first: queues, or leases with thresholds=none",
    ),
    "tiresias": SchedulerEntry(
        "policy",
        "optsched.policies.tiresias:Tiresias",
        "queues by GPU-seconds served, skewed models kept together",
    ),
    "delay": SchedulerEntry(
        "policy",
        "optsched.policies.delay:Delay",
        "delay scheduling: decline far GPUs for a while, the next job is asked",
    ),
    "dally": SchedulerEntry(
        "policy",
        "optsched.policies.dally:Dally",
        "leases to the jobs the network slowed most, near GPUs insisted on for tuned times",
    ),
    "gandiva": SchedulerEntry(
        "policy",
        "optsched.policies.gandiva:Gandiva",
        "time slices in turn, machines kept for one demand, jobs moved closer",
    ),
    "gavel-fifo": SchedulerEntry(
        "policy",
        "optsched.policies.gavel_fifo:GavelFifo",
        "rounds of a held set that is refreshed in order of arrival",
    ),
    "qssf": SchedulerEntry(
        "policy",
        "optsched.policies.qssf:Qssf",
        "least predicted GPU time first, strictly head of line",
    ),
    "philly": SchedulerEntry(
        "policy",
        "optsched.policies.philly:Philly",
        "order of arrival, asking for less locality round by round",
    ),
    "themis": SchedulerEntry(
        "policy",
        "optsched.policies.themis:Themis",
        "leases to the job farthest behind its fair share",
    ),
}
