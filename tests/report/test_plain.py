"""Results as plain data that JSON can hold."""

import json
import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from optsched.bounds import bound
from optsched.files import load
from optsched.report import plain
from optsched.study import run


class Colour(Enum):
    RED = "red"


@dataclass
class Pair:
    left: float
    right: object


def test_plain_values_stay_and_others_become_plain():
    value = {
        1: (True, None, "x", 2, 0.5, math.inf, Colour.RED),
        "array": np.array([[1.0, np.nan]]),
        "scalar": np.int64(3),
        "pair": Pair(-math.inf, [Path("a")]),
    }
    assert plain(value) == {
        "1": [True, None, "x", 2, 0.5, None, "red"],
        "array": [[1.0, None]],
        "scalar": 3,
        "pair": {"left": None, "right": ["a"]},
    }


def test_a_result_names_its_schedule_and_leaves_out_the_records():
    document = plain(run("waiting-pays", "sjf-bco"))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert set(document["schedule"]) == {"sha256", "segments"}
    assert document["schedule"]["segments"] == 2
    assert document["value"] == 25.5
    assert document["bound"] is document["gap"] is None
    assert document["judgement"]["valid"] is True
    assert document["judgement"]["class"] == "continuous, non-preemptive"
    assert "records" not in document["judgement"]


def test_a_bound_says_for_whom_it_holds():
    document = plain(bound(load("waiting-pays")))
    assert document["problem_class"] == "continuous, preemptive with migration"
    assert document["value"] == 10.5
