"""What is no JSON, or not the JSON that is wanted."""

import pytest

from optsched.core.errors import FileFormatError
from optsched.files import load_instance

GOOD = """{
  "format": "optsched.instance/1",
  "name": "two",
  "cluster": {"servers": [{"count": 2, "gpus": 4}]},
  "jobs": [
    {"id": "a", "gpus": 2, "iterations": 10, "compute_s": 0.5},
    {"id": "b", "gpus": 3, "iterations": 20, "compute_s": 0.25}
  ]
}
"""


def test_the_good_text_is_good(tmp_path):
    (tmp_path / "a.json").write_text(GOOD)
    assert load_instance(tmp_path / "a.json").jobs.gpus.tolist() == [2, 3]
    assert load_instance(str(tmp_path / "a.json")).name == "two"


def test_a_missing_file_is_named_with_the_nearest(tmp_path):
    (tmp_path / "paper.json").write_text(GOOD)
    with pytest.raises(FileFormatError) as error:
        load_instance(tmp_path / "papr.json")
    assert "papr.json: expected an instance file, got no file of this name" in str(error.value)
    assert "did you mean" in str(error.value)
    assert "paper.json" in str(error.value)
    with pytest.raises(FileFormatError, match="check the path"):
        load_instance(tmp_path / "no" / "such.json")


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(FileFormatError, match=r"got a directory; name a file in it"):
        load_instance(tmp_path)


def test_an_impossible_path_is_an_error_of_the_same_kind(tmp_path):
    for name in ("a\0b.json", "x" * 5000):
        with pytest.raises(FileFormatError, match="an instance file that can be read"):
            load_instance(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "a.json:1:1: expected an instance file, got an empty file"),
        (" \n\t", "a.json:1:1: expected an instance file, got an empty file"),
        (b"\x7fELF\x00\x01", "a.json:1:5: expected an instance file in UTF-8, got a binary file"),
        (b"\x1f\x8b\x08", "a.json:1:1: expected an instance file in UTF-8, got a gzip archive"),
        ("{}".encode("utf-16"), "text in UTF-16; save it as UTF-8"),
        (
            b'{\n"n\xc3\xa9": "\xe9"}',
            "a.json:2:8: expected an instance file in UTF-8, got the byte",
        ),
        (b'\xef\xbb\xbf{"n": "\xff"}', "a.json:1:8: "),
        ("[1, 2]", "a.json:1:1: expected an instance file, an object {...}, got a list"),
        ('"text"', 'an object {...}, got "text"'),
        ("12", "an object {...}, got 12"),
        ("null", "an object {...}, got null"),
        ("hello", "a.json:1:1: expected a value, got hello; text stands in double quotes"),
    ],
)
def test_other_content(errors_of, content, message):
    lines = errors_of(content)
    assert len(lines) == 1
    assert message in lines[0]


@pytest.mark.parametrize(
    "content",
    [
        "job_id,num_gpu,submit_time,duration\n1,2,0,30\n",
        '"id";"gpus";"duration"\n1;2;3\n',
        "id\tgpus\tduration\n1\t2\t3\n",
        "\n1,2,3\n4,5,6\n",
        "; Version: 2.2\n; Computer: x\n  1 0 3 4\n",
    ],
)
def test_a_table_is_known_for_a_trace(errors_of, content):
    (line,) = errors_of(content, name="jobs.csv")
    assert "which looks like a trace" in line
    assert "`optsched convert jobs.csv -o instance.json`" in line


def test_a_byte_order_mark_is_accepted_and_not_counted(tmp_path, errors_of):
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load_instance(path).name == "two"
    (line,) = errors_of(b'\xef\xbb\xbf{"format": 3}')
    assert line.startswith("a.json:1:12: format: ")


def test_windows_line_ends_are_counted_as_one(errors_of):
    text = GOOD.replace('"gpus": 3', '"gpus": "3"').replace("\n", "\r\n")
    (line,) = errors_of(text.encode())
    assert line.startswith('a.json:7:25: jobs[1].gpus: expected a whole number, got "3"')


def test_columns_are_characters_not_bytes(errors_of):
    (line,) = errors_of(GOOD.replace('{"id": "b"', '{"id": "bäö€😀"').replace("20", "0"))
    assert line.startswith("a.json:7:46: jobs[1].iterations: ")


@pytest.mark.parametrize("length", range(1, len(GOOD.rstrip())))
def test_every_truncation_is_said_to_be_one(errors_of, length):
    (line,) = errors_of(GOOD[:length])
    assert "got the end of the file" in line or "cut short" in line or "expected a value" in line
    assert line.startswith("a.json:")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.25}\n", "0.25},\n", "8:3: expected another entry after the comma, got ']'; remove"),
        ("0.5},", "0.5}", "7:5: expected ',' or ']', got {; a comma is missing"),
        (
            '2, "iterations": 10',
            '2 "iterations": 10',
            "27: expected ',' or '}', got \"iterations\"",
        ),
        ('"name"', "'name'", "3:3: expected double quotes, got a single quote"),
        ('"name"', "name", "3:3: expected a value, got name; text stands in double quotes"),
        ('"name":', '"name"', "3:10: expected ':' after the key, got \"two\""),
        ("0.5}", "True}", "6:59: expected a value, got True; write true"),
        ("0.5}", ".5}", "6:59: expected a value, got .5; numbers are written as 0.5, 12 or 1e9"),
        ("0.5}", "007}", "6:59: expected a value, got 007; numbers are"),
        ("0.5}", "1_000}", "6:59: expected a value, got 1_000; numbers are"),
        ('"two"', '"tw\no"', "3:14: expected a closing quote, got a line break"),
        ('"two"', '"tw\x07o"', "3:14: expected a closing quote, got a control character"),
        ('"two"', r'"tw\o"', r"3:14: expected an escape such as \n or \u00e9, got"),
        ('"two"', r'"\ud800"', "3:11: expected whole characters, got half of a surrogate pair"),
        ('"two"', '"two', "3:16: expected a closing quote, got a line break"),
        ('"two",', '"two", // why', "3:18: expected a value or a key, got a comment; JSON has no"),
        ("  ]\n}\n", "  ]\n}}\n", "9:2: expected the end of the file, got }"),
        ("  ]\n}\n", "  )\n}\n", "8:3: expected a value, got )"),
        ("  ]\n}\n", "  }\n}\n", "8:3: expected ',' or ']', got }"),
        ("[{", "[,{", "4:27: expected a value, got ,"),
    ],
)
def test_syntax_errors_have_a_place_and_a_remedy(errors_of, old, new, message):
    assert old in GOOD
    lines = errors_of(GOOD.replace(old, new))
    assert len(lines) == 1
    assert message in lines[0]


def test_deep_nesting_is_refused_with_its_place(errors_of):
    for opening in ("[", '{"a":', '{"a":[ '):
        (line,) = errors_of(opening * 200_000)
        assert "expected at most 100 levels of nesting" in line
    deep = "[" * 3000 + "]" * 3000
    (line,) = errors_of(GOOD.replace('"two"', deep))
    # Ten characters of key, then level 2 (the object is level 1) opens at column 11.
    assert line.startswith("a.json:3:110: expected at most 100 levels")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"optsched.schedule/1"', "this is a schedule; give the instance it was made for"),
        ('"optsched.instance/2"', "this version of optsched cannot read it; use a newer one"),
        ('"instance"', 'got "instance"; write "optsched.instance/1"'),
        ("1", 'got 1; write "optsched.instance/1"'),
        ("null", 'got null; write "optsched.instance/1"'),
    ],
)
def test_another_format_is_all_that_is_said(errors_of, text, message):
    (line,) = errors_of(GOOD.replace('"optsched.instance/1"', text).replace('"gpus": 3', '"x": 3'))
    assert line.startswith('a.json:2:13: format: expected "optsched.instance/1"')
    assert message in line


def test_an_absent_format_is_said_beside_the_rest(errors_of):
    text = GOOD.replace('"format": "optsched.instance/1",', "").replace('"gpus": 3', '"gpus": 0')
    lines = errors_of(text)
    assert lines[0] == "a.json: 2 problems"
    assert lines[1].endswith('got nothing; add "format": "optsched.instance/1"')
    assert lines[2].startswith("a.json:7:25: jobs[1].gpus: ")
