"""A trace of any size is read in the memory of its jobs, not of its text."""

import json
import os
import subprocess
import sys
import threading

import pytest

MEGABYTES = 200
LOAD = """
import json, resource, sys
from optsched.traces import load_trace

def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

load_trace(sys.argv[1], format=sys.argv[3])
before = peak_mb()
report = load_trace(sys.argv[2], format=sys.argv[3], virtual_cluster="kept").report
print(json.dumps([before, peak_mb(), report.rows_read, report.rows_kept]))
"""


def helios_rows():
    yield (
        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
        "queue\n"
    )
    # Each block has one job that is kept.
    block = "".join(
        f"%d{i:03},u,{'kept' if i == 0 else 'other'},1,4,1,COMPLETED,2020-06-09 18:00:00,"
        "2020-06-09 18:00:05,2020-06-09 19:00:05,3600,5\n"
        for i in range(1000)
    )
    for number in range(MEGABYTES * 1_000_000 // len(block)):
        yield block.replace("%d", str(number))


def philly_jobs():
    detail = [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]
    attempt = {"start_time": "2017-10-07 01:00:30", "end_time": "2017-10-07 02:00:30"}
    job = {
        "status": "Pass",
        "submitted_time": "2017-10-07 01:00:00",
        "attempts": [dict(attempt, detail=detail)] * 3,
    }
    # The whole list is one line.
    yield "["
    blocks = MEGABYTES * 1_000_000 // (1000 * len(json.dumps(job)))
    for number in range(blocks):
        texts = [
            json.dumps(job | {"jobid": f"{number}-{i}", "vc": "other" if i else "kept"})
            for i in range(1000)
        ]
        yield ", ".join(texts) + ("" if number == blocks - 1 else ", ")
    yield "]"


def feed(path, pieces, counted):
    with path.open("w") as pipe:
        for piece in pieces:
            counted.append(len(piece))
            pipe.write(piece)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are in kilobytes and pipes are files")
@pytest.mark.parametrize(("name", "pieces"), [("helios", helios_rows), ("philly-log", philly_jobs)])
def test_a_large_file_by_way_of_a_pipe(tmp_path, samples, name, pieces):
    small, pipe = tmp_path / "small", tmp_path / "pipe"
    small.write_text(samples[name][0])
    os.mkfifo(pipe)
    counted = []
    writer = threading.Thread(target=feed, args=(pipe, pieces(), counted), daemon=True)
    writer.start()
    command = [sys.executable, "-c", LOAD, str(small), str(pipe), name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    writer.join(timeout=10)
    before_mb, peak_mb, rows_read, rows_kept = json.loads(done.stdout)
    assert sum(counted) > 0.9 * MEGABYTES * 1_000_000
    assert rows_read == 1000 * rows_kept > 100_000
    # A thousandth of the rows is kept, and two pieces of text; far below a tenth of the file.
    assert peak_mb - before_mb < 20
