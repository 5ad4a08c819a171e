"""Workload files: what is wrong with one is told by its key."""

import pytest

from optsched.core.errors import FileFormatError
from optsched.generate import load_workload

GOOD = """format = "optsched.workload/1"
title = "mine"
jobs = 60
servers = 4
gpus_per_server = 4
confidence = 0.95

[[demands]]
gpus = 1
share = [1.0, 0.9, 1.0]

[[durations]]
gpus = [1]
jobs = 60
law = "weibull"
range_s = [1.0, 100.0]
weights = [[1.0, 1.0, 1.0]]
scales_s = [[10.0, 9.0, 11.0]]
shapes = [[0.5, 0.4, 0.6]]
ks_distance = [0.1, 0.1, 0.2]
ks_by_chance = 0.17

[arrivals]
rate_per_s = [0.01, 0.009, 0.011]
start_s = 0.0
ks_distance = [0.1, 0.1, 0.2]
ks_by_chance = 0.17

[source]
all = "made up"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('optsched.workload/1"', 'optsched.workload/2"', "format: expected"),
        ("jobs = 60\nservers", "jobs = 0\nservers", "jobs: expected a whole number of at least 1"),
        ("share = [1.0", "share = [0.5", "demands: expected shares that add up to 1, got 0.5"),
        ("share = [1.0", "share = [2.0", "demands[0].share: expected [value, low, high]"),
        ("share = [1.0, 0.9, 1.0]", "share = 1.0", "demands[0].share: expected [value, low"),
        ("gpus = [1]", "gpus = [2]", "durations: expected each demand in one class"),
        ("gpus = [1]", "gpus = 1", "durations[0].gpus: expected a list of demands"),
        ('"weibull"', '"weibul"', "durations[0].law: expected one of lognormal, weibull"),
        ("scales_s", "scale_s", "did you mean 'scales_s'"),
        ("scales_s = [[10.0", "scales_s = [[0.0", "scales_s: expected numbers above 0"),
        ("[1.0, 100.0]", "[100.0, 1.0]", "range_s: expected a least duration above 0"),
        ("[1.0, 100.0]", "[1e30, 1e31]", "range_s: expected durations that the law can have"),
        ("[[0.5, 0.4, 0.6]]", "[[nan, 0.4, 0.6]]", "shapes: expected [value, low, high]"),
        ("rate_per_s = [0.01", "rate_per_s = [0.0", "rate_per_s: expected a rate above 0"),
        ("start_s = 0.0", "start_s = 1e9", "start_s: expected seconds within a week"),
        ("start_s = 0.0", "start_s = 0.0\nhours = [[1, 1, 1]]", "hours: expected 24 times"),
        ("start_s = 0.0", "start_s = 0.0\nday_spread = 9.0\nday_memory = 0", "at most 5, got 9"),
        ("start_s = 0.0", "start_s = 0.0\nday_spread = 1\nday_memory = 1", "a number below 1"),
        ("start_s = 0.0", "start_s = 0.0\nday_spread = 1", "day_memory: expected a number"),
        ("[source]", "[sources]", "did you mean 'source'"),
    ],
)
def test_files_that_are_wrong_name_the_key(tmp_path, old, new, message):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    assert load_workload(path).class_of(1).law.name == "weibull-1"
    assert GOOD.count(old) == 1
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(FileFormatError) as caught:
        load_workload(path)
    assert message in str(caught.value)
