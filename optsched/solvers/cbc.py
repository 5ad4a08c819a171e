"""Hand a written program to CBC, a program of its own, and read its solution and its log."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from optsched.core.errors import SolverMissingError
from optsched.solvers.answers import ProgramAnswer, ProgramLimits, ProgramWatch
from optsched.solvers.highs import SolutionStatus
from optsched.solvers.stopping import Stop

__all__ = ["find_cbc", "run_cbc"]

#: Seconds between two looks at CBC; short ones for a start, most models are small.
FIRST_LOOK_S, MOST_LOOK_S = 0.002, 0.05
#: CBC looks at its clock now and then only; after so much more than its limit it is stopped.
GRACE_S, GRACE_SHARE = 2.0, 0.1
#: Seconds from the request to stop to the end by force.
PATIENCE_S = 2.0

NUMBER = r"([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)"
#: Lines of the log with a lower bound: of the root's relaxation, on the way, and at the end.
BOUND = re.compile(
    rf"^Continuous objective value is {NUMBER}|^Cbc0010I .*best possible {NUMBER}"
    rf"|^Cbc0005I .*best possible {NUMBER}|^Lower bound:\s+{NUMBER}",
    re.MULTILINE,
)
NODES = re.compile(r"^Enumerated nodes:\s+([0-9]+)", re.MULTILINE)
REMEDY = (
    "PuLP 3 brings it for most systems; otherwise put cbc on the path or pip install 'pulp[cbc]' "
    "(500 MB); or use HiGHS"
)


def find_cbc() -> str:
    """Return the path of CBC: the one that comes with PuLP, or the one on the path.

    Raises
    ------
    SolverMissingError
        If there is none.
    """
    for path in (_bundled(), _boxed(), shutil.which("cbc")):
        if path is not None and os.access(path, os.X_OK):
            return os.path.abspath(path)
    raise SolverMissingError(f"CBC is not installed; {REMEDY}")


def _bundled() -> str | None:
    """Return the path within PuLP 3."""
    try:
        from pulp.apis import coin_api
    except ImportError:
        return None
    path = getattr(coin_api, "pulp_cbc_path", None)
    return None if path is None else str(path)


def _boxed() -> str | None:
    """Return the path within the package that PuLP 4 takes it from."""
    try:
        import cbcbox  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    return str(cbcbox.cbc_bin_path())


def run_cbc(
    path: Path,
    count: int,
    limits: ProgramLimits,
    watch: ProgramWatch,
    start: Sequence[float] | None,
    stop: Stop,
) -> ProgramAnswer:
    """Solve an ``.mps`` file whose variables are called X0000000 and so on.

    PuLP's own call of CBC leaves it running after an interrupt, takes a directory with a blank in
    its name for two arguments, and drops the log with the bound.

    Parameters
    ----------
    path
        The file; further files are written beside it.
    count
        The number of its variables.
    limits, watch, start
        As :func:`~optsched.solvers.solve_program` has them.
    stop
        Notes the signals meanwhile.
    """
    directory = path.parent
    command = [find_cbc(), path.name, *_options(limits)]
    if start is not None:
        (directory / "start.sol").write_text(_start_text(start), encoding="ascii")
        command += ["-mipstart", "start.sol"]
    command += ["-solve", "-printingOptions", "all", "-solution", "found.sol", "-quit"]
    log = directory / "cbc.log"
    stopped_by = _run(command, directory, log, limits.time_limit_s, watch, stop)
    text = log.read_text(encoding="utf-8", errors="replace")
    bound = _bound(text)
    nodes = NODES.search(text)
    count_nodes = int(nodes.group(1)) if nodes else 0
    found = directory / "found.sol"
    if not found.exists():
        # Ended by force before it could write anything.
        return ProgramAnswer("limit", None, bound, (), count_nodes, stopped_by or "solver")
    status, value, values = _read_solution(found.read_text(encoding="ascii"), count)
    if status == "optimal" and value is not None:
        bound = value
    elif status == "infeasible":
        bound = float("inf")
    elif status == "unbounded":
        bound = float("-inf")
    if values and watch.on_solution is not None:
        watch.on_solution(values)
    if status != "limit":
        stopped_by = ""
    elif not stopped_by:
        stopped_by = _stop_in(text)
    return ProgramAnswer(status, value, bound, values, count_nodes, stopped_by)


def _options(limits: ProgramLimits) -> list[str]:
    options = ["-timeMode", "elapsed", "-randomSeed", str(limits.seed % 10**6 + 1)]
    options += ["-randomCbcSeed", str(limits.seed % 10**6 + 1)]
    if limits.time_limit_s is not None:
        options += ["-sec", f"{max(0.0, limits.time_limit_s):.3f}"]
    if limits.most_nodes is not None:
        options += ["-maxNodes", str(limits.most_nodes)]
    if limits.threads > 1:
        options += ["-threads", str(limits.threads)]
    return options


def _run(
    command: Sequence[str],
    directory: Path,
    log: Path,
    time_limit_s: float | None,
    watch: ProgramWatch,
    stop: Stop,
) -> str:
    """Run CBC to its end, or stop it; return what stopped it, empty if it ended by itself."""
    deadline = float("inf")
    if time_limit_s is not None:
        deadline = time.monotonic() + time_limit_s + max(GRACE_S, GRACE_SHARE * time_limit_s)
    with log.open("wb") as sink:
        try:
            # A session of its own: an interrupt at the terminal is passed on once, by us.
            child = subprocess.Popen(
                command,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise SolverMissingError(f"CBC does not run ({error}); {REMEDY}") from error
        try:
            stopped_by = _wait(child, log, deadline, watch, stop)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    if child.returncode != 0 and not stopped_by:
        last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        raise SolverMissingError(
            f"CBC ended with code {child.returncode}: {''.join(last) or 'without a word'}; {REMEDY}"
        )
    return stopped_by


def _wait(
    child: subprocess.Popen[bytes], log: Path, deadline: float, watch: ProgramWatch, stop: Stop
) -> str:
    """Wait for CBC while looking for reasons to stop it."""
    look_s, best, read = FIRST_LOOK_S, float("-inf"), 0
    while True:
        try:
            child.wait(look_s)
            return ""
        except subprocess.TimeoutExpired:
            look_s = min(2 * look_s, MOST_LOOK_S)
        if stop.is_asked or (watch.should_stop is not None and watch.should_stop()):
            _end(child, stop)
            return "interrupt"
        if time.monotonic() >= deadline:
            _end(child, stop)
            return "time limit"
        if watch.on_bound is not None and (size := log.stat().st_size) > read:
            read = size
            bound = _bound(log.read_text(encoding="utf-8", errors="replace"))
            if bound > best:
                best = bound
                watch.on_bound(bound)


def _end(child: subprocess.Popen[bytes], stop: Stop) -> None:
    """Ask CBC to stop, which it does with its best solution; a second interrupt is less patient."""
    child.send_signal(signal.SIGINT)
    before, until = stop.interrupts, time.monotonic() + PATIENCE_S
    while child.poll() is None and time.monotonic() < until and stop.interrupts == before:
        time.sleep(MOST_LOOK_S)


def _bound(log: str) -> float:
    """Return the best lower bound in a log, −∞ if it has none."""
    printed = [next(filter(None, match.groups())) for match in BOUND.finditer(log)]
    found = [_rounded_down(text) for text in printed]
    # CBC writes 1e50 for "none yet".
    return max((bound for bound in found if abs(bound) < 1e30), default=float("-inf"))


def _rounded_down(text: str) -> float:
    """Return the least number that may be printed like this; CBC rounds to some digits.

    Examples
    --------
    >>> _rounded_down("10.333"), _rounded_down("10")
    (10.3325, 9.99995)
    """
    digits, _, exponent = text.partition("e")
    _, _, decimals = digits.partition(".")
    if decimals:
        return float(text) - 0.5 * 10.0 ** (int(exponent or 0) - len(decimals))
    return float(text) - 5e-6 * abs(float(text))


def _stop_in(log: str) -> str:
    if "Result - Stopped on time limit" in log:
        return "time limit"
    if "Result - Stopped on node limit" in log:
        return "node limit"
    return "interrupt" if "Result - User ctrl-cuser ctrl-c" in log else "solver"


def _start_text(start: Sequence[float]) -> str:
    lines = ["Stopped on time - objective value 0"]
    lines += [f"{number:7d} X{number:07d} {value:.15g} 0" for number, value in enumerate(start)]
    return "\n".join(lines) + "\n"


def _read_solution(text: str, count: int) -> tuple[SolutionStatus, float | None, list[float]]:
    """Return the status, the objective and the values in a file that CBC wrote.

    Its first line names what was proven and the objective; then, with all printed, come the rows
    and the variables, each with its number, name and value, after ``**`` where it is infeasible.
    """
    head, *lines = text.splitlines() or [""]
    if head.startswith("Unbounded"):
        return "unbounded", None, []
    if head.startswith(("Infeasible", "Integer infeasible")):
        return "infeasible", None, []
    status: SolutionStatus = "optimal" if head.startswith("Optimal") else "limit"
    # "(no integer solution - continuous used)"
    if "no integer solution" in head:
        return status, None, []
    value = float(head.split()[-1])
    if abs(value) >= 1e49:
        return status, None, []
    values = [0.0] * count
    for line in lines:
        words = line.removeprefix("**").split()
        if len(words) >= 3 and words[1].startswith("X"):
            values[int(words[1][1:])] = float(words[2])
    return status, value, values
