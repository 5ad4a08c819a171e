"""Whatever a file holds, it is loaded or refused with a FileFormatError, never anything else."""

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from optsched.core.errors import FileFormatError
from optsched.files import instance_text, load_instance, load_schedule, load_schedule_document
from optsched.files.json_places import scan_json
from optsched.generate import waiting_pays

VALID = instance_text(waiting_pays())
SCHEDULE = """{"format": "optsched.schedule/1",
 "instance": {"name": "waiting-pays", "sha256": "%s"},
 "segments": [{"job": "a", "start_s": 0.0, "end_s": 10.5, "gpus": {"s0": 2, "s1": 1}}]}
"""

thorough = settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def is_handled(tmp_path):
    def check(content, *, load=load_instance):
        path = tmp_path / "a.json"
        path.write_bytes(content)
        try:
            load(path)
        except FileFormatError as error:
            for line in str(error).splitlines():
                assert line.isprintable()
                assert "a.json:" in line
                line.encode("utf-8")

    return check


snippets = st.sampled_from(
    [
        *'{}[]",:-+.eE0123456789tfn\\/#\n\t \0',
        *("NaN", "Infinity", "-Infinity", "1e999", "-1e400", "1e-400", "null", "true", "[]", "{}"),
        *("9" * 20, "9" * 400, "9" * 5000, "-0", "-0.0", "[" * 500, '{"a":' * 500, "\ufeff", "é"),
        *(r"\ud800", r"\ud83d\ude00", r"\u0000", '"gpus"', '"count": 1000000000', '"id": "s1"'),
        *('"duration_s": 1', '"slot_s": 1e-9', '"fixed"', '"profile": "../x"', '"rate_model"'),
    ]
)
edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.one_of(snippets, st.text(max_size=3))),
    min_size=1,
    max_size=4,
)


def edited(text, changes):
    for where, length, new in changes:
        start = int(where * len(text))
        text = text[:start] + new + text[start + length :]
    return text


@thorough
@given(changes=edits)
def test_mutated_text(is_handled, changes):
    is_handled(edited(VALID, changes).encode("utf-8", "surrogatepass"))


@thorough
@given(changes=edits)
def test_mutated_schedule(is_handled, changes):
    text = edited(SCHEDULE % ("0" * 64), changes).encode("utf-8", "surrogatepass")
    is_handled(text, load=load_schedule_document)
    is_handled(text, load=lambda path: load_schedule(path, waiting_pays()))


@thorough
@given(position=st.integers(0, len(VALID) - 1), new=st.binary(max_size=4), length=st.integers(0, 4))
def test_mutated_bytes(is_handled, position, new, length):
    content = VALID.encode()
    is_handled(content[:position] + new + content[position + length :])


@thorough
@given(content=st.binary(max_size=60))
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"\xff")
def test_random_bytes(is_handled, content):
    is_handled(content)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from([0, -1, 1, 2**53, 2**63, 10**30, 1e-300, 1e300, "ring", "fixed", "s1", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
places = st.sampled_from(
    [
        *[(key,) for key in ("name", "rate_model", "cluster", "jobs", "slot_s", "restart_s")],
        *[("rate_model", key) for key in ("name", "contention_weight", "server_overhead_s", "x")],
        *[("cluster", key) for key in ("fabric", "servers")],
        *[("cluster", "fabric", key) for key in ("inter_bytes_per_s", "degradation", "latency_s")],
        *[("cluster", "servers", 0), ("jobs", 0), ("jobs", 1)],
        *[("cluster", "servers", 0, key) for key in ("id", "count", "gpus", "inter_bytes_per_s")],
        *[("jobs", 0, key) for key in ("id", "gpus", "iterations", "compute_s", "gradient_bytes")],
        *[("jobs", 1, key) for key in ("duration_s", "profile", "server_overhead_s", "weight")],
        *[("metadata",), ("metadata", "gpus"), ("description",), ("restart_s_per_gpu",)],
    ]
)


def is_entry(container, key):
    if isinstance(container, list):
        return key in range(len(container))
    return isinstance(container, dict) and isinstance(key, str)


@thorough
@given(changes=st.lists(st.tuples(places, values), min_size=1, max_size=4))
def test_wrong_values_in_right_places(is_handled, changes):
    whole = json.loads(VALID) | {"metadata": {}}
    for path, value in changes:
        container = whole
        for part in path[:-1]:
            try:
                container = container[part]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if is_entry(container, path[-1]):
                container[path[-1]] = value
    is_handled(json.dumps(whole).encode())


@thorough
@given(value=values)
def test_any_json(is_handled, value):
    is_handled(json.dumps(value).encode())
    is_handled(json.dumps({"format": "optsched.instance/1", "jobs": value}).encode())


@thorough
@given(changes=edits)
def test_the_scanner_and_the_parser_agree_on_what_is_json(changes):
    text = edited(VALID, changes)
    try:
        json.loads(text)
        is_json = True
    except json.JSONDecodeError:
        is_json = False
    except (RecursionError, ValueError):
        return
    fatal = [fault for fault in scan_json(text).faults if fault.is_fatal]
    if any("nesting" in fault.expected or "surrogate" in fault.got for fault in fatal):
        return
    assert is_json == (not fatal)
