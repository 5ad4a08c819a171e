"""CPU time and memory of reading a trace far larger than what is kept of it.

Run: python benchmarks/large_trace.py [--gigabytes 5]
A log in Helios' format comes through a named pipe, so that nothing of it is on disk. A thousandth
of its rows are of the virtual cluster asked for. Memory is the peak above what imports take.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from fresh_process import Stopwatch, in_fresh_process, peak_mb

from optsched.traces import load_trace

HEADER = (
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
)
ROW = (
    "{block}{row:03},u,{cluster},1,4,1,COMPLETED,2020-06-09 18:00:00,2020-06-09 18:00:05,"
    "2020-06-09 19:00:05,3600,5\n"
)


def blocks(size_bytes: float) -> Iterator[bytes]:
    """Yield a header and a thousand rows at a time; the first of each thousand is kept."""
    yield HEADER.encode()
    rows = [
        ROW.format(block="BLOCK", row=row, cluster="other" if row else "kept")
        for row in range(1000)
    ]
    block = "".join(rows).encode()
    written, number = 0, 0
    while written < size_bytes:
        number += 1
        text = block.replace(b"BLOCK", b"%d" % number)
        written += len(text)
        yield text


def load(path: str) -> tuple[float, float, int, int]:
    """Return CPU seconds, megabytes, and rows read and kept."""
    before_mb, watch = peak_mb(), Stopwatch()
    report = load_trace(path, format="helios", virtual_cluster="kept").report
    return watch.lap(), peak_mb() - before_mb, report.rows_read, report.rows_kept


def main() -> None:
    """Write into the pipe and print what reading took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, default=1.0)
    gigabytes = parser.parse_args().gigabytes
    if not 0.001 <= gigabytes < float("inf"):
        parser.error(f"--gigabytes is a number of at least 0.001, got {gigabytes:g}")
    size_bytes = gigabytes * 1e9
    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder) / "cluster_log.csv"
        os.mkfifo(pipe)

        def feed() -> None:
            with pipe.open("wb") as file:
                for block in blocks(size_bytes):
                    file.write(block)

        threading.Thread(target=feed, daemon=True).start()
        cpu_s, used_mb, rows_read, rows_kept = in_fresh_process(load, str(pipe))
    print(
        f"Python {platform.python_version()}: {size_bytes / 1e9:g} GB, {rows_read:,} rows, "
        f"{rows_kept:,} kept: {cpu_s:.1f} CPU s ({cpu_s / rows_read * 1e6:.2f} µs a row), "
        f"peak {used_mb:.0f} MB above imports"
    )


if __name__ == "__main__":
    main()
