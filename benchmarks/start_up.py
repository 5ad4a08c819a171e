"""How long a user waits before anything happens: importing optsched, and its --help.

Run: python benchmarks/start_up.py
Each figure is the median wall time of several fresh interpreters, beside that of an empty one in
the same run. Targets: import below 0.15 s, --help below 0.4 s.
"""

from __future__ import annotations

import platform
import statistics
import subprocess
import sys
import time

REPETITIONS = 15
CASES = {
    "empty interpreter": ["-c", "pass"],
    "import optsched": ["-c", "import optsched"],
    "import optsched; optsched.Instance": ["-c", "import optsched; optsched.Instance"],
    "optsched --help": ["-m", "optsched.cli.main", "--help"],
    "optsched list objectives": ["-m", "optsched.cli.main", "list", "objectives"],
}


def median_seconds(arguments: list[str]) -> float:
    """Return the median wall time of a fresh interpreter with these arguments."""
    times = []
    for _ in range(REPETITIONS + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])  # the first one fills the file cache


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, median of {REPETITIONS} runs, wall seconds")
    for name, arguments in CASES.items():
        print(f"{name:<36} {median_seconds(arguments):.3f}")


if __name__ == "__main__":
    main()
