import json

import pytest

from optsched.core.errors import FileFormatError
from optsched.files import load_instance


@pytest.fixture
def errors_of(tmp_path):
    """Write a text to a file, load it, and return the lines of the error without the folder."""

    def errors(content, *, name="a.json", load=load_instance):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(FileFormatError) as error:
            load(path)
        return str(error.value).replace(f"{tmp_path}/", "").splitlines()

    return errors


def document(jobs=None, servers=None, **others):
    """Return a small instance document with some parts replaced."""
    whole = {
        "format": "optsched.instance/1",
        "name": "small",
        "rate_model": {"name": "ring"},
        "cluster": {
            "fabric": {"inter_bytes_per_s": 1e9},
            "servers": [{"count": 2, "gpus": 4}] if servers is None else servers,
        },
        "jobs": [job()] if jobs is None else jobs,
    }
    return json.dumps(whole | others)


def job(name="a", **others):
    return {"id": name, "gpus": 2, "iterations": 10, "compute_s": 0.5} | others


@pytest.fixture
def make():
    return document


@pytest.fixture
def make_job():
    return job
