"""Lines of finished runs survive a process that is killed."""

import pytest

from optsched.core.errors import FileFormatError
from optsched.study.run_log import appending, read_lines


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.jsonl"


def test_no_file_is_no_runs(path):
    assert read_lines(path) == []


def test_each_line_is_on_the_disk_when_it_is_written(path):
    with appending(path) as append:
        append({"a": 1})
        assert path.read_text() == '{"a": 1}\n'
        append({"name": "8×8×8"})
    assert read_lines(path) == [{"a": 1}, {"name": "8×8×8"}]


@pytest.mark.parametrize("half", ['{"a": 2', '{"a": 2}', "{"])
def test_a_last_line_without_an_end_is_cut_off(path, half):
    path.write_text(f'{{"a": 1}}\n{half}')
    assert read_lines(path) == [{"a": 1}]
    with appending(path) as append:
        append({"a": 3})
    assert path.read_text() == '{"a": 1}\n{"a": 3}\n'


@pytest.mark.parametrize("line", ["nonsense", "[1]", ""])
def test_another_line_that_is_no_run_is_told_with_its_number(path, line):
    path.write_text(f'{{"a": 1}}\n{line}\n{{"a": 2}}\n')
    with pytest.raises(FileFormatError, match=r"runs\.jsonl:2: expected a JSON object"):
        read_lines(path)


def test_bytes_that_are_no_text(path):
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(FileFormatError, match="UTF-8"):
        read_lines(path)
