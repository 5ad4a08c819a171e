"""Problems of a file with their places, as one error that lists them all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from optsched.core.checks import MAX_PROBLEMS_PER_RULE
from optsched.core.errors import FileFormatError, Path, Problem
from optsched.files.json_places import Lines, Place, scan_json
from optsched.files.json_tokens import Fault, printable

__all__ = [
    "ABSENT",
    "ALL_FINITE",
    "FROM_TEXT",
    "FileProblemsError",
    "PlacedProblem",
    "is_about_key",
    "placed_problems",
    "text_problem",
]

#: Stands for a ``got`` that is to be read from the file's text.
FROM_TEXT = ""
#: What was found in place of a key that has to be there.
ABSENT = "nothing"
#: Of values whose keys are free; the faults of the text name the one that is not.
ALL_FINITE = "values that are finite"

_LONGEST = 40
_DIGITS = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True)
class PlacedProblem:
    """A problem and where it is; line and column count from 1, None if the file is no text."""

    file: str
    line: int | None
    column: int | None
    problem: Problem

    def text(self) -> str:
        """Return ``file:line:column: path: expected X, got Y; remedy``."""
        places = [self.file]
        if self.line is not None:
            places += [str(self.line), str(self.column)]
        return printable(f"{':'.join(places)}: {self.problem.text()}")


class FileProblemsError(FileFormatError):
    """A file cannot be used; ``problems`` holds all reasons in the order of the file."""

    def __init__(self, problems: Sequence[PlacedProblem]) -> None:
        self.problems = tuple(problems)
        lines = [problem.text() for problem in self.problems]
        if len(lines) > 1:
            lines.insert(0, f"{self.problems[0].file}: {len(lines)} problems")
        super().__init__("\n".join(lines))


def text_problem(
    file: str, expected: str, got: str, remedy: str = "", *, place: tuple[int, int] | None = None
) -> FileProblemsError:
    """Return the error for a file of which only one thing can be said."""
    line, column = (None, None) if place is None else place
    problem = Problem((), expected, got, remedy)
    return FileProblemsError([PlacedProblem(file, line, column, problem)])


def placed_problems(
    file: str, text: str, problems: Sequence[Problem], *, has_faults: bool = True
) -> list[PlacedProblem]:
    """Return problems, and the faults of the text itself, in the order of the text.

    A problem about something absent stands at what should hold it. At most
    ``MAX_PROBLEMS_PER_RULE`` are kept of a kind; the last then says how many more there are.

    Parameters
    ----------
    file, text
        The file, and what it says.
    problems
        What is wrong with what it says; those of a kind in the order of the text.
    has_faults
        False if the text is known to have no faults, so that a part of it may be enough.
    """
    kept = [problem for _, problem in _capped([(0, problem) for problem in problems])]
    wanted = {
        problem.path[:end]
        for problem in kept
        for end in range(len(problem.path) + (problem.got != ABSENT))
    }
    scan = scan_json(text, wanted, is_partial=not has_faults)
    faulty = {fault.path for fault in scan.faults if fault.is_value}
    rows = _capped([(fault.offset, _fault_problem(fault)) for fault in scan.faults])
    last_path: Path = ()
    last_offset = 0
    for problem in kept:
        if problem.path in faulty or (problem.expected == ALL_FINITE and faulty):
            continue
        found = _nearest(scan.places, problem.path)
        # What speaks of a whole list after a problem inside it sums up: it stays behind that one.
        is_summary = last_path != problem.path and _is_within(last_path, problem.path)
        if not is_summary:
            last_path, last_offset = problem.path, _offset(problem, found)
        rows.append((last_offset, _with_got(problem, found, text)))
    rows.sort(key=lambda row: row[0])
    lines = Lines(text)
    return [PlacedProblem(file, *lines.place(offset), problem) for offset, problem in rows]


def is_about_key(problem: Problem) -> bool:
    """Return True if a problem is a key that should not be there, not what it stands for."""
    key = problem.path[-1] if problem.path else None
    return isinstance(key, str) and problem.got in (repr(key), f'"{key}"')


def _fault_problem(fault: Fault) -> Problem:
    return Problem(fault.path, fault.expected, fault.got, fault.remedy)


def _capped(rows: Sequence[tuple[int, Problem]]) -> list[tuple[int, Problem]]:
    """Keep the first problems of each kind and say of the rest how many they are."""
    rules = [_rule(problem) for _, problem in rows]
    totals = Counter(rules)
    seen: Counter[tuple[Path, str]] = Counter()
    kept: list[tuple[int, Problem]] = []
    for (offset, problem), rule in zip(rows, rules, strict=True):
        seen[rule] += 1
        if seen[rule] > MAX_PROBLEMS_PER_RULE:
            continue
        kept.append((offset, problem))
        more = totals[rule] - MAX_PROBLEMS_PER_RULE
        if seen[rule] == MAX_PROBLEMS_PER_RULE and more > 0:
            got = f"{more:,} more that are not"
            expected = f"every {rule[0][-1] if rule[0] else 'value'} to be right"
            kept.append(
                (offset, Problem(problem.path[: _last_number(problem.path)], expected, got))
            )
    return kept


def _rule(problem: Problem) -> tuple[Path, str]:
    """Return what problems of one kind have in common: keys without positions, and the rule."""
    # Digits in a rule are those of the case at hand, such as the place of an earlier id.
    expected = _DIGITS.sub("", problem.expected)
    return tuple(part for part in problem.path if isinstance(part, str)), expected


def _last_number(path: Path) -> int:
    numbers = [position for position, part in enumerate(path) if isinstance(part, int)]
    return numbers[-1] if numbers else max(len(path) - 1, 0)


def _is_within(path: Path, container: Path) -> bool:
    return path[: len(container)] == container


def _nearest(places: dict[Path, Place], path: Path) -> tuple[Path, Place | None]:
    for end in range(len(path), -1, -1):
        if path[:end] in places:
            return path[:end], places[path[:end]]
    return (), None


def _offset(problem: Problem, found: tuple[Path, Place | None]) -> int:
    path, place = found
    if place is None:
        return 0
    is_key = path == problem.path and is_about_key(problem)
    return place.key if is_key and place.key is not None else place.start


def _with_got(problem: Problem, found: tuple[Path, Place | None], text: str) -> Problem:
    """Return the problem with what the text says in place of ``FROM_TEXT``."""
    if problem.got != FROM_TEXT:
        return problem
    place = found[1]
    if place is None or found[0] != problem.path:
        return replace(problem, got=ABSENT)
    got = text[place.start : min(place.end, place.start + _LONGEST)]
    if got.startswith("{"):
        got = "an object"
    elif got.startswith("["):
        got = "a list"
    elif place.end - place.start > _LONGEST:
        got += "..."
    return replace(problem, got=got)
