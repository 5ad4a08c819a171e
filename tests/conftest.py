"""Fixtures that several test packages share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Every run draws the same examples, on any machine and however slow it is.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def traces_directory():
    """The folder of real traces: OPTSCHED_TRACES, else ../shared/traces beside the repository."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "traces"
    directory = Path(os.environ.get("OPTSCHED_TRACES") or beside)
    if not directory.is_dir():
        pytest.skip(
            f"REAL TRACES ABSENT: {directory} is not a folder, so nothing was tested on real "
            "traces; set OPTSCHED_TRACES to the folder that has them"
        )
    return directory
