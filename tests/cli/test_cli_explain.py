"""``explain``: tables, one job, and demands that cannot be met."""

import json
import math

import pytest

INSTANCE = {
    "format": "optsched.instance/1",
    "name": "too-much",
    "rate_model": {"name": "ring"},
    "cluster": {"servers": [{"count": 2, "gpus": 2}]},
    "jobs": [
        {"id": "a", "gpus": 9, "iterations": 10, "compute_s": 0.05},
        {"id": "b", "gpus": 3, "iterations": 10, "compute_s": 0.05},
    ],
}


def test_a_table_of_all_jobs(optsched):
    done = optsched("explain", "waiting-pays", "--scheduler", "fifo")
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines() if line.strip()]
    # By hand: 10 iterations of 0.05 + 1 s alone, and 1.5 s more in each for the other job.
    assert ["a", "3", "25.5", "0.5", "10", "15"] in rows
    assert ["all", "2", "51", "1", "20", "30"] in rows
    assert "waiting" not in done.out.splitlines()[2]


def test_the_worst_of_many_jobs(optsched):
    done = optsched("explain", "small-6x3", "-s", "sjf", "--most", 2)
    assert "parts of the JCT, longest 2 of 6 jobs" in done.out
    assert len([line for line in done.out.splitlines() if line.startswith(" j")]) == 3


def test_one_job_and_its_neighbours(optsched):
    optsched("solve", "waiting-pays", "-o", "best.json")
    late = {}
    for name in "ab":
        document = optsched("explain", "waiting-pays", "best.json", "--job", name, "--json").json
        parts = document["parts"]
        assert math.fsum(parts.values()) == document["jct_s"]
        if document["start_s"] > 0:
            late = document
    (blocker,) = late["waited_for"]
    assert (blocker["seconds"], blocker["gpus"], blocker["made_way"]) == (10.5, 3, True)
    assert late["parts"]["waiting_s"] == 10.5 and late["shared_with"] == []
    text = optsched("explain", "waiting-pays", "best.json", "--job", late["id"]).out
    assert (
        f"GPUs were held by {blocker['job']} (10.5 s, 3 GPUs, it started when this ended)" in text
    )
    assert "10.5 s   50.0%  waiting before its first start" in text
    text = optsched("explain", "waiting-pays", "-s", "fifo", "--job", "a").out
    assert "it shared links with b (25.5 s, s1)" in text
    assert "15 s   58.8%  more of them since others shared its links" in text


def test_json_of_all_jobs(optsched):
    document = optsched("explain", "small-6x3", "-s", "srtf", "--json").json
    assert document["instance"] == "forced-6x3-0" and len(document["jobs"]) == 6
    for part, total in document["totals"].items():
        assert total == pytest.approx(sum(job["parts"][part] for job in document["jobs"]))


def test_slots_are_a_part_of_their_own(optsched):
    # ⌊1.5 / 1.05⌋ = 1 iteration of 1.05 s in each of ten slots.
    optsched("solve", "waiting-pays", "--slot-s", 1.5, "-o", "slots.json")
    done = optsched("explain", "waiting-pays", "slots.json", "--slot-s", 1.5, "--json")
    for job in done.json["jobs"]:
        assert job["parts"]["rounding_s"] == pytest.approx(4.5)


def test_a_demand_above_the_cluster(optsched, tmp_path):
    (tmp_path / "much.json").write_text(json.dumps(INSTANCE))
    done = optsched("explain", "much.json")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "no schedule can exist: 1 demand cannot be met\n"
        "  jobs[0].gpus: expected at most 4, the GPUs of the whole cluster, got 9\n"
    )
    assert optsched("explain", "much.json", "--json").json["unmet"][0].startswith("jobs[0].gpus")


def test_a_job_that_stalls_on_every_placement(optsched, tmp_path):
    # 20 s an iteration on two servers, in slots of 1 s; the job fits on no single server.
    document = INSTANCE | {
        "slot_s": 1.0,
        "cluster": {
            "fabric": {"inter_bytes_per_s": 1.0, "uplink_bytes_per_s": 0.01},
            "servers": [
                {"id": "a", "gpus": 1, "rack": "left"},
                {"id": "b", "gpus": 1, "rack": "right"},
            ],
        },
        "jobs": [{"id": "j", "gpus": 2, "iterations": 1, "gradient_bytes": 0.5, "compute_s": 0.1}],
    }
    (tmp_path / "stalls.json").write_text(json.dumps(document))
    solved = optsched("solve", "stalls.json")
    assert solved.code == 1 and "optsched explain stalls.json" in solved.err
    done = optsched("explain", "stalls.json")
    assert done.code == 1
    # 2 · 0.5 · ½ / 0.01 s for the gradients, and 0.1 s to compute.
    assert "job 'j', 2 GPUs: its shortest iteration on the only placement takes 50.1 s" in done.out


def test_what_is_wrong_otherwise_is_an_error(optsched, tmp_path):
    broken = INSTANCE | {"jobs": [*INSTANCE["jobs"], {"id": "c", "gpus": -1, "iterations": 1}]}
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    assert optsched("explain", "broken.json").code == 2
    assert optsched("explain", "no-such-instance").code == 2
    unknown = optsched("explain", "waiting-pays", "--job", "c")
    assert unknown.code == 2 and "no job is called 'c'; known: a, b" in unknown.err
    optsched("solve", "waiting-pays", "-o", "best.json")
    both = optsched("explain", "waiting-pays", "best.json", "-s", "fifo")
    assert both.code == 2 and "not both" in both.err
    other = optsched("explain", "small-6x3", "best.json")
    assert other.code == 2 and "made for another instance" in other.err
