"""The data that ships with the package is found, however the package was installed."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from optsched.core import data_files
from optsched.core.data_files import data_directory

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("models", "instances")
PRINT_DIRECTORIES = """
from optsched.core.data_files import data_directory
for kind in ("models", "instances"):
    print(data_directory(kind))
"""


def shipped_files(directory):
    """The paths below a folder, without what an editor or an interpreter may leave there."""
    return {
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_file() and path.parent.name != "__pycache__" and not path.name.startswith(".")
    }


def run_python(python, code, *options):
    """Run code away from the checkout, so that only an installed package is importable."""
    done = subprocess.run(
        [str(python), *options, "-c", code],
        cwd=Path(python).parent,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.splitlines()]


def build_wheel(directory, target="wheel"):
    """Build in this environment, without a network; `wheel:editable` is what `pip -e` installs."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(directory)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = directory.glob("*.whl")
    return wheel


@pytest.mark.parametrize("kind", KINDS)
def test_data_is_found_complete(kind):
    assert shipped_files(data_directory(kind)) == shipped_files(ROOT / kind)


def test_wheel_carries_package_types_and_data(tmp_path):
    with zipfile.ZipFile(build_wheel(tmp_path)) as wheel:
        names = set(wheel.namelist())
        wheel.extractall(tmp_path / "site")

    expected = {
        f"optsched/_data/{kind}/{name}" for kind in KINDS for name in shipped_files(ROOT / kind)
    }
    expected |= {f"optsched/{name}" for name in shipped_files(ROOT / "optsched")}
    packaged = {name for name in names if not name.startswith("optsched-")}
    assert packaged == expected
    assert "optsched/py.typed" in names

    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}){PRINT_DIRECTORIES}"
    found = run_python(sys.executable, code, "-I")
    assert found == [tmp_path / "site" / "optsched" / "_data" / kind for kind in KINDS]


def test_editable_wheel_points_at_the_checkout_and_its_copy_of_the_data_is_not_read(tmp_path):
    site = tmp_path / "site"
    with zipfile.ZipFile(build_wheel(tmp_path, "wheel:editable")) as wheel:
        wheel.extractall(site)
    assert (site / "optsched" / "_data").is_dir(), "the stale copy that this test is about"

    code = f"""
import site, sys
before = list(sys.path)
site.addsitedir({str(site)!r})
sys.path[:] = [path for path in sys.path if path not in before] + before{PRINT_DIRECTORIES}"""
    assert run_python(sys.executable, code, "-I") == [ROOT / kind for kind in KINDS]


def test_data_left_in_the_package_of_a_checkout_is_not_read(tmp_path, monkeypatch):
    package = tmp_path / "optsched"
    for kind in KINDS:
        (package / "_data" / kind).mkdir(parents=True)
        (tmp_path / kind).mkdir()
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "optsched"\n')
    monkeypatch.setattr(data_files, "_PACKAGE", package)

    assert [data_directory(kind) for kind in KINDS] == [tmp_path / kind for kind in KINDS]


@pytest.mark.parametrize(
    "pyproject",
    [
        '[project]\nname = "another"\n',
        '[tool.poetry]\nname = "optsched"\n',
        'project = "optsched"\n',
        "not TOML",
        None,
    ],
)
def test_a_copy_inside_another_project_reads_its_own_data(tmp_path, monkeypatch, pyproject):
    package = tmp_path / "optsched"
    for kind in KINDS:
        (package / "_data" / kind).mkdir(parents=True)
        (tmp_path / kind).mkdir()
    if pyproject is not None:
        (tmp_path / "pyproject.toml").write_text(pyproject)
    monkeypatch.setattr(data_files, "_PACKAGE", package)

    assert [data_directory(kind) for kind in KINDS] == [package / "_data" / kind for kind in KINDS]


@pytest.mark.parametrize(
    ("pyproject", "place", "next_step"),
    [
        ('[project]\nname = "optsched"\n', "models", "restore it from version control"),
        ("", "optsched/_data/models", "install optsched again"),
    ],
)
def test_missing_data_is_an_error_that_says_where_and_what_next(
    tmp_path, monkeypatch, pyproject, place, next_step
):
    (tmp_path / "pyproject.toml").write_text(pyproject)
    monkeypatch.setattr(data_files, "_PACKAGE", tmp_path / "optsched")

    with pytest.raises(FileNotFoundError) as error:
        data_directory("models")
    assert str(error.value) == (
        f"The models that ship with optsched were looked for in {tmp_path / place}, "
        f"which is not a directory; {next_step}."
    )


@pytest.mark.parametrize("editable", [False, True], ids=["wheel", "editable"])
def test_pip_installs_a_package_that_finds_its_data(tmp_path, editable):
    venv.create(tmp_path / "venv", with_pip=True)
    (python,) = (tmp_path / "venv").glob("*/python")
    (site,) = run_python(python, "import sysconfig; print(sysconfig.get_path('purelib'))")
    # The dependencies, and hatchling for the editable install, come from this environment.
    (site / "zz_dependencies.pth").write_text(
        "\n".join(entry for entry in sys.path if entry.endswith("-packages")) + "\n"
    )
    source = ["-e", str(ROOT)] if editable else [str(build_wheel(tmp_path))]
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--ignore-installed"]
    subprocess.run([python, "-m", "pip", "install", *options, *source], check=True)

    expected = ROOT if editable else site / "optsched" / "_data"
    assert run_python(python, PRINT_DIRECTORIES, "-I") == [expected / kind for kind in KINDS]
    assert next((tmp_path / "venv").glob("*/optsched"), None), "the command was not installed"
