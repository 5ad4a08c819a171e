"""A policy of one's own in ``run`` and ``compare``, and what its mistakes look like."""

import pytest
from documentation import ROOT, blocks

MISTAKES = '''
from optsched.placement import FirstFit
from optsched import Placement


class Mistaken:
    """Starts jobs where they fit; at the first completion it makes one mistake."""

    def __init__(self, *, mistake: str) -> None:
        self.mistake = mistake

    def on_finish(self, job, state):
        self.done = job

    def schedule(self, state):
        if state.now_s > 0 and state.waiting:
            getattr(self, self.mistake)(next(iter(state.waiting)), state)
        for job in list(state.waiting):
            placement = FirstFit().offer(job, state.free, state)
            if placement is not None:
                state.start(job, placement)

    def unknown(self, job, state):
        state.start(self.done, Placement.of({0: 2}))

    def taken(self, job, state):
        state.start(job, Placement.of({0: 1, 1: 1}))

    def twice(self, job, state):
        state.start(job, Placement.of({0: 2}))
        state.start(job, Placement.of({0: 2}))

    def past(self, job, state):
        state.set_timer(state.now_s - 1.0, job)
'''

INSTANCE = """{"format": "optsched.instance/1", "name": "three",
 "cluster": {"servers": [{"id": "left", "gpus": 2}, {"id": "right", "gpus": 2}]},
 "jobs": [{"id": "a", "gpus": 2, "iterations": 4, "compute_s": 1.0},
          {"id": "b", "gpus": 2, "iterations": 9, "compute_s": 1.0},
          {"id": "c", "gpus": 2, "iterations": 5, "compute_s": 1.0}]}
"""


@pytest.fixture
def files(tmp_path):
    (code,) = blocks(ROOT / "docs" / "own-scheduler.md", "python")
    (tmp_path / "my.py").write_text(code)
    (tmp_path / "bad.py").write_text(MISTAKES)
    (tmp_path / "three.json").write_text(INSTANCE)
    return code


def test_the_example_of_the_documentation_runs_and_is_compared(optsched, files):
    assert len([line for line in files.splitlines() if line.strip()]) <= 20
    done = optsched("run", "forced-6x3-0", "-s", "my.py:LongestFirst", "--json")
    assert done.code == 0
    assert done.json["judgement"]["valid"] is True
    done = optsched(
        "compare", "forced-6x3-0", "-s", "my.py:LongestFirst,fifo", "--no-plot", "--json"
    )
    assert done.code == 0
    assert [row["scheduler"] for row in done.json["summary"]] == ["my.py:LongestFirst", "fifo"]


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        ("unknown", "at 4 s, job 'a': only a waiting job can start; this one is not waiting"),
        ("taken", "at 4 s, job 'c', server 'right': needs 1 free GPUs, got 0"),
        ("twice", "at 4 s, job 'c': only a waiting job can start; this one runs already"),
        ("past", "at 4 s, job 'c': a timer must be after now, got 3 s"),
    ],
)
@pytest.mark.parametrize("command", ["run", "compare"])
def test_a_mistake_names_job_server_time_and_rule(optsched, files, command, mistake, says):
    done = optsched(command, "three.json", "-s", f"bad.py:Mistaken:mistake={mistake}")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {says}\n"
