"""Which rows of a trace are wanted: those of a window of time, or a sample of them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from optsched.core.errors import TraceError
from optsched.traces.fields import RowFault, parse_seconds, parse_timestamp_s

__all__ = ["Selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows to use, told while the file is read, so that the others take no memory.

    Parameters
    ----------
    from_s, to_s
        Submissions to use, as the trace counts them: from ``from_s`` on, before ``to_s``; None is
        no limit.
    sample
        Share of the rows to use, above 0 and up to 1. Each row that is otherwise usable is drawn
        on its own.
    seed
        Seed of the draw.

    Raises
    ------
    TraceError
        If the sample is no share, or the window holds no time.

    Examples
    --------
    >>> Selection(from_s=60.0).reason_against(30.0, draws=Selection().draws())
    'submission is before the window, as asked'
    """

    from_s: float | None = None
    to_s: float | None = None
    sample: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.sample <= 1:
            raise TraceError(
                f"sample: expected a share above 0 and up to 1, got {self.sample!r}; 0.1 takes "
                "about every tenth row"
            )
        if self.from_s is not None and self.to_s is not None and self.from_s >= self.to_s:
            raise TraceError(
                f"expected a window that ends after it starts, got {self.from_s!r} s to "
                f"{self.to_s!r} s; change from or to (--from, --to)"
            )

    @classmethod
    def of(
        cls,
        *,
        times_are_dates: bool,
        start: str | float | None = None,
        end: str | float | None = None,
        sample: float = 1.0,
        seed: int = 0,
    ) -> Selection:
        """Read a window as the user gives it: dates for a trace with dates, else seconds.

        Raises
        ------
        TraceError
            If a time is of the other kind, or cannot be read at all.

        Examples
        --------
        >>> Selection.of(times_are_dates=True, start="1970-01-02").from_s
        86400.0
        """
        parse = parse_timestamp_s if times_are_dates else parse_seconds
        times: list[float | None] = []
        for name, value in (("from", start), ("to", end)):
            try:
                times.append(None if value is None else parse(str(value)))
            except RowFault:
                kind = (
                    "a date such as 2017-10-08 or 2017-10-08T12:00, for the trace has dates"
                    if times_are_dates
                    else "seconds as the trace counts them, for it has no dates"
                )
                raise TraceError(f"{name}: expected {kind}, got {value!r}") from None
        return cls(times[0], times[1], sample, seed)

    def draws(self) -> random.Random:
        """Return the stream that decides about the sample, from its start."""
        return random.Random(f"sample/{self.seed}")

    def reason_against(self, submit_s: float, *, draws: random.Random) -> str:
        """Return why a row is not wanted, or nothing if it is."""
        if self.from_s is not None and submit_s < self.from_s:
            return "submission is before the window, as asked"
        if self.to_s is not None and submit_s >= self.to_s:
            return "submission is after the window, as asked"
        if self.sample < 1 and draws.random() >= self.sample:
            return "not drawn for the sample, as asked"
        return ""
