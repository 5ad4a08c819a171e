"""What a loader is: how it knows its format, and how it reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self

from optsched.core.cluster import Cluster
from optsched.traces.cluster_shape import ClusterShape
from optsched.traces.collect import JobCollector
from optsched.traces.rows import TraceText

__all__ = ["BaseFormat", "TraceFormat"]


class TraceFormat(Protocol):
    """A loader, as :data:`optsched.traces.LOADERS` holds it.

    A format need not be CSV: :meth:`recognise` and :meth:`read` get the text of the file.
    """

    @property
    def name(self) -> str:
        """Name of the format, for ``--format`` and reports."""

    @property
    def description(self) -> str:
        """One line on where such files come from."""

    @property
    def default_cluster(self) -> ClusterShape:
        """The cluster it is run on unless the user names another."""

    @property
    def options(self) -> Mapping[str, str]:
        """What its reader can be told besides: option to a line that describes it."""

    @property
    def times_are_dates(self) -> bool:
        """True if submissions are dates, which are read as Unix seconds."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a report on such a file should say."""

    def configured(self, options: Mapping[str, str]) -> TraceFormat:
        """Return the format with these options taken into account."""

    def stated_cluster(self, options: Mapping[str, str]) -> Cluster | ClusterShape | None:
        """Return the cluster that a file named by an option tells, or its default shape."""

    def recognise(self, first_line: str) -> int:
        """Return how many signs of this format the first line has; 0 if it is another one."""

    def expectation(self, first_line: str) -> tuple[int, str, str]:
        """Return how near the line is to this format, what it should be, and what to change."""

    def read(self, text: TraceText, jobs: JobCollector, options: Mapping[str, str]) -> None:
        """Hand every row of the trace to ``jobs``.

        Raises
        ------
        TraceError
            If the text cannot be read as this format at all.
        """


@dataclass(frozen=True, kw_only=True)
class BaseFormat:
    """What most formats have in common; see :class:`TraceFormat`."""

    name: str
    description: str
    default_cluster: ClusterShape
    times_are_dates: bool = False
    notes: tuple[str, ...] = ()

    @property
    def options(self) -> Mapping[str, str]:
        """No option."""
        return {}

    def configured(self, options: Mapping[str, str]) -> Self:
        """Return the format as it is: no option changes it."""
        return self

    def stated_cluster(self, options: Mapping[str, str]) -> Cluster | ClusterShape | None:
        """Return None: no option names a file that tells the cluster."""
        return None
