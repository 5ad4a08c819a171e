import pytest

from optsched.core.errors import FileFormatError
from optsched.files import instance_text, load_instance

VGG16 = """title = "VGG16"
gradient_bytes = 526.4e6
compute_s = 0.09
batch = 16
[source]
all = "measured"
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    directory = tmp_path / "models"
    (directory / "dnn").mkdir(parents=True)
    monkeypatch.setattr("optsched.contention.model_files.data_directory", lambda kind: directory)
    (directory / "dnn" / "vgg16.toml").write_text(VGG16)
    return directory / "dnn"


def load(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    return load_instance(tmp_path / "a.json")


def test_a_profile_fills_what_is_absent(models, tmp_path, make):
    jobs = [
        {"id": "both", "gpus": 2, "iterations": 5, "profile": "vgg16"},
        {"id": "one", "gpus": 2, "iterations": 5, "profile": "vgg16", "compute_s": 0.5},
        {"id": "zero", "gpus": 2, "iterations": 5, "profile": "vgg16", "gradient_bytes": 0},
    ]
    instance = load(tmp_path, make(jobs=jobs))
    assert instance.jobs.gradient_bytes.tolist() == [526.4e6, 526.4e6, 0.0]
    assert instance.jobs.compute_s.tolist() == [0.09, 0.5, 0.09]
    assert instance.jobs.profiles == ("vgg16",) * 3
    # What was resolved is stored, so that a change of the profile changes no saved instance.
    (models / "vgg16.toml").write_text(VGG16.replace("0.09", "1.0"))
    again = load(tmp_path, instance_text(instance))
    assert list(again.jobs) == list(instance.jobs)


def test_an_unknown_profile_is_refused_with_the_known_ones(models, errors_of, make):
    jobs = [
        {"id": "a", "gpus": 2, "iterations": 5, "profile": "vgg19"},
        {"id": "b", "gpus": 2, "iterations": 5, "profile": "../vgg16"},
    ]
    lines = errors_of(make(jobs=jobs))
    assert "jobs[0].profile: expected one of the profiles vgg16, got 'vgg19'" in lines[1]
    assert "did you mean 'vgg16'?" in lines[1]
    assert "jobs[1].profile: expected one of the profiles vgg16, got '../vgg16'" in lines[2]


def test_a_profile_that_fills_nothing_is_a_note(models, tmp_path, make, make_job):
    jobs = [make_job(profile="of-our-own", gradient_bytes=1e6)]
    assert load(tmp_path, make(jobs=jobs)).jobs.profiles == ("of-our-own",)


def test_no_profiles_at_all_is_said(models, errors_of, make):
    (models / "vgg16.toml").unlink()
    (line,) = errors_of(make(jobs=[{"id": "a", "gpus": 2, "iterations": 5, "profile": "vgg16"}]))
    assert "expected a known profile, got 'vgg16'; give gradient_bytes and compute_s" in line


def test_a_path_is_no_name(models, errors_of, make):
    path = models / "vgg16.toml"
    (line,) = errors_of(make(jobs=[{"id": "a", "gpus": 2, "iterations": 5, "profile": str(path)}]))
    assert "expected one of the profiles vgg16, got" in line


def test_a_broken_profile_is_an_error_of_its_own_file(models, tmp_path, make):
    (models / "vgg16.toml").write_text(VGG16.replace("0.09", "nan"))
    jobs = [{"id": "a", "gpus": 2, "iterations": 5, "profile": "vgg16"}]
    with pytest.raises(FileFormatError, match=r"vgg16\.toml: compute_s: expected a number of at l"):
        load(tmp_path, make(jobs=jobs))


def test_the_profiles_that_ship_can_be_named(tmp_path, make):
    jobs = [{"id": "a", "gpus": 2, "iterations": 5, "profile": "bert-large"}]
    loaded = load(tmp_path, make(jobs=jobs)).jobs[0]
    assert (loaded.gradient_bytes, loaded.compute_s) == (4.0 * 336_226_108, 0.373134)
