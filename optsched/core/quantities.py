"""How quantities read in tables and messages; files and JSON keep every digit."""

from __future__ import annotations

__all__ = ["number_text"]


def number_text(value: float) -> str:
    """Return a number with six significant digits, thousands apart and never in powers of ten.

    Examples
    --------
    >>> number_text(25.5), number_text(14.093921), number_text(1134278.4), number_text(0.0)
    ('25.5', '14.0939', '1,134,278', '0')
    """
    if abs(value) < 1e-4:
        return f"{value:.6g}"
    return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:,.6g}"
