import json

from hypothesis import given
from hypothesis import strategies as st

from optsched.files.json_places import line_and_column, scan_json

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def paths_of(value, path=()):
    yield path, value
    entries = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, entry in entries:
        yield from paths_of(entry, (*path, key))


@given(value=values, indent=st.none() | st.integers(0, 3), is_ascii=st.booleans())
def test_every_value_is_found_where_it_stands(value, indent, is_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    everything = dict(paths_of(value))
    scan = scan_json(text, everything.keys())
    assert not [fault for fault in scan.faults if fault.is_fatal]
    assert scan.places.keys() == everything.keys()
    for path, place in scan.places.items():
        decoded, _ = json.JSONDecoder().raw_decode(text, place.start)
        assert decoded == everything[path]
        if path and isinstance(path[-1], str):
            assert place.key is not None
            assert json.JSONDecoder().raw_decode(text, place.key)[0] == path[-1]
        else:
            assert place.key is None


def test_lines_and_columns_count_from_one():
    text = '{\n  "a": 1,\r\n  "b": 2}'
    assert line_and_column(text, 0) == (1, 1)
    assert line_and_column(text, text.index("1")) == (2, 8)
    assert line_and_column(text, text.index("2")) == (3, 8)


def test_a_scan_for_places_alone_stops_early():
    text = '{"a": 1, "b": [2, '
    assert scan_json(text, {("a",)}, is_partial=True).faults == []
    assert scan_json(text, {("a",)}).faults[0].is_fatal


def test_doubled_keys_name_both_places():
    (fault,) = scan_json('{"a": {"b": 1,\n "b": 2}}').faults
    assert fault.path == ("a", "b")
    assert fault.offset == 16
    assert fault.got == 'the key "b" again, first on line 1, column 8'


def test_equal_keys_of_different_objects_are_no_fault():
    assert scan_json('[{"a": 1}, {"a": {"a": 1}}]').faults == []
