"""The schedulers of the study of Dally: its variants and baselines, all with leases of an hour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from optsched.study.specification import make_scheduler

__all__ = ["DALLY", "DALLY_SCHEDULERS", "PUBLISHED_BASELINES", "named_specs", "with_lease"]

#: What the others are held against.
DALLY = "dally"
LEASE_S = 3600

#: Name in tables, and the scheduler. ``tiresias`` and ``gandiva`` are as in the simulator of
#: Dally's authors, ``tiresias-queues`` is as in its own paper; wide jobs of ``gandiva-nearest``
#: take the nearest GPUs. What ends in ``tiered`` takes the nearest GPUs that are free, where the
#: same without it waits for the fewest machines, whatever their racks. What begins with ``ours`` is
#: Dally with a change of ours.
DALLY_SCHEDULERS: Mapping[str, str] = {
    DALLY: f"dally:lease_s={LEASE_S}",
    "dally-manual": f"dally:lease_s={LEASE_S},variant=manual",
    "dally-no-wait": f"dally:lease_s={LEASE_S},variant=no-wait",
    "dally-consolidated": f"dally:lease_s={LEASE_S},variant=fully-consolidated",
    "dally-no-preemption": f"dally:lease_s={LEASE_S},variant=no-preemption",
    "ours-relative": f"dally:lease_s={LEASE_S},sensitivity=best",
    "ours-best-fit": f"dally:lease_s={LEASE_S},fit=best",
    "tiresias": f"tiresias:thresholds=none,lease_s={LEASE_S},"
    "skewed=alexnet/vgg11/mobilenet-v3-large,others=tiers,fit=first",
    "tiresias-queues": "tiresias",
    "gandiva": f"gandiva:lease_s={LEASE_S},spread=any",
    "gandiva-nearest": f"gandiva:lease_s={LEASE_S}",
    "themis": f"themis:lease_s={LEASE_S}",
    "las": "las",
    "las-leases": f"las:thresholds=none,lease_s={LEASE_S}",
    "srtf": "srtf",
    "qssf": "qssf",
    "qssf-oracle": "qssf:predictor=oracle",
    "philly": "philly",
    "delay": "delay",
    "fifo": "fifo",
    "fifo-backfill": "fifo-backfill",
    "sjf": "sjf",
    "srtf-tiered": "srtf:placement=tiered",
    "las-leases-tiered": f"las:thresholds=none,lease_s={LEASE_S},placement=tiered",
    "fifo-backfill-tiered": "fifo-backfill:placement=tiered",
    "sjf-tiered": "sjf:placement=tiered",
}
#: The baselines that the paper names, and its variant that consolidates whatever it costs.
PUBLISHED_BASELINES = ("tiresias", "gandiva", "dally-consolidated")

_LEASE = re.compile(r"(?<=[:,])lease_s=([0-9.e+]+)(?=,|$)")


def named_specs(asked: Iterable[str] | None = None) -> dict[str, str]:
    """Return name and scheduler of those asked for, all of the study if none are.

    Parameters
    ----------
    asked
        Names of the study, or schedulers as everywhere, which are their own names.

    Raises
    ------
    UnknownNameError
        If a scheduler does not exist.
    SchedulerSpecError
        If it cannot be made, or there is none.

    Examples
    --------
    >>> named_specs(["fifo", "sjf:placement=tiered"])
    {'fifo': 'fifo', 'sjf:placement=tiered': 'sjf:placement=tiered'}
    """
    if asked is None:
        return dict(DALLY_SCHEDULERS)
    listed = {name: DALLY_SCHEDULERS.get(name, name) for name in asked}
    for spec in listed.values():
        make_scheduler(spec)
    return listed


def with_lease(spec: str, factor: float) -> str:
    """Return a scheduler whose lease, if it has one, is so many times longer.

    Examples
    --------
    >>> with_lease("dally:lease_s=3600,variant=manual", 1.01), with_lease("fifo", 1.01)
    ('dally:lease_s=3636.0,variant=manual', 'fifo')
    """
    if factor == 1.0:
        return spec
    return _LEASE.sub(lambda found: f"lease_s={float(found[1]) * factor!r}", spec)
