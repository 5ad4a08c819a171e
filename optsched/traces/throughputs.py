"""Gavel's measured throughputs: iterations a second by kind of GPU, network and gang."""

from __future__ import annotations

import ast
import gzip
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from optsched.core.errors import TraceError, UnknownNameError

__all__ = ["Throughputs"]

#: Files of this name are looked for beside a trace.
USUAL_NAMES = ("simulation_throughputs.json", "simulation_throughputs.json.gz")


@dataclass(frozen=True, slots=True)
class Throughputs:
    """Steps a second of a whole gang that has its GPUs to itself, on one kind of GPU.

    Parameters
    ----------
    path
        The file.
    worker
        The kind of GPU.
    steps_per_s
        (job type, GPUs) to steps a second; 0 means that the job does not fit.
    """

    path: Path
    worker: str
    steps_per_s: Mapping[tuple[str, int], float]

    @classmethod
    def beside(cls, trace: Path, *, path: str | None, worker: str) -> Throughputs:
        """Read the file named, or the one of the usual name beside a trace.

        Raises
        ------
        TraceError
            If there is no such file, or it cannot be read as throughputs.
        """
        if path is not None:
            return cls.read(path, worker=worker)
        for name in USUAL_NAMES:
            if (usual := trace.parent / name).is_file():
                return cls.read(usual, worker=worker)
        raise TraceError(
            f"{trace}: expected a file with throughputs, which durations come from, got none "
            f"beside it ({' or '.join(USUAL_NAMES)}); name one: --option throughputs=FILE"
        )

    @classmethod
    def read(cls, path: str | Path, *, worker: str = "v100") -> Throughputs:
        """Read ``{worker: {"('JOB TYPE', GPUS)": {"null": steps_per_s, …}}}``, plain or gzip.

        Raises
        ------
        TraceError
            If the file cannot be read as throughputs.
        UnknownNameError
            If there is no such kind of GPU.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w") as file:
        ...     _ = file.write('''{"v100": {"('A3C', 1)": {"null": 4.0}}}''')
        ...     file.flush()
        ...     Throughputs.read(file.name).steps_per_s
        {('A3C', 1): 4.0}
        """
        path = Path(path)
        document = _document(path)
        if not isinstance(document, dict) or not document:
            raise _error(path, "an object of kinds of GPU", type(document).__name__)
        if worker not in document:
            raise UnknownNameError("worker", worker, document, f"({path})")
        rates: dict[tuple[str, int], float] = {}
        entries = document[worker]
        if not isinstance(entries, dict):
            raise _error(path, f"an object of job types for {worker}", type(entries).__name__)
        for text, entry in entries.items():
            key = _key(path, text)
            if key in rates:
                raise _error(path, "each job type once", text)
            # The key is this word, not JSON's null; lists are throughputs of jobs that share GPUs.
            alone = entry.get("null") if isinstance(entry, dict) else None
            if isinstance(alone, bool) or not isinstance(alone, int | float):
                raise _error(path, f"a number under 'null' of {text}", repr(alone)[:60])
            if not (0 <= alone < math.inf):
                raise _error(path, f"a throughput of at least 0 of {text}", repr(alone))
            rates[key] = float(alone)
        return cls(path, worker, rates)


def _key(path: Path, text: str) -> tuple[str, int]:
    try:
        key = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        key = None
    match key:
        case (str(job_type), int(gpus)) if isinstance(key, tuple):
            return job_type, gpus
    raise _error(path, "keys like \"('A3C', 1)\"", text[:60])


def _document(path: Path) -> object:
    try:
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        return json.loads(data)
    except FileNotFoundError:
        raise _error(path, "a file with throughputs", "no such file") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise _error(path, "a file that can be read", str(problem)) from None
    except (ValueError, RecursionError) as problem:
        raise _error(path, "JSON", str(problem)) from None


def _error(path: Path, expected: str, got: str) -> TraceError:
    return TraceError(f"{path}: expected {expected}, got {got}; check the option throughputs")
