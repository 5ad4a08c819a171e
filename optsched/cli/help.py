"""Help texts from docstrings: paragraphs flow to any width, examples keep their lines."""

from __future__ import annotations

import inspect
from collections.abc import Callable

__all__ = ["help_text"]


def help_text(command: Callable[..., object]) -> str:
    """Return the help of a command, whose docstring may end in a section of examples.

    Examples
    --------
    >>> help_text(len)
    'Return the number of items in a container.'
    """
    text, _, examples = (inspect.getdoc(command) or "").partition("\n\nExamples\n--------\n")
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    if examples:
        # Flush left: whether an indentation is kept depends on what stands before it.
        lines = [line.strip() for line in examples.splitlines() if line.strip()]
        paragraphs.append("\n".join(["[bold]Examples[/]", *lines]))
    return "\n\n".join(paragraphs)
