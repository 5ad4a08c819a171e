"""Profiles and fabrics that ship: the published numbers, and files that are wrong."""

import math

import pytest

from optsched.contention import fabric_names, load_fabric, load_profile, profile_names
from optsched.contention.fabrics import fabric_text, fabric_title
from optsched.contention.model_files import read_model
from optsched.core.cluster import Cluster, Fabric
from optsched.core.errors import FileFormatError, UnknownNameError

PROFILE = """title = "Mine"
gradient_bytes = 4e6
compute_s = 0.3
[source]
all = "measured"
"""
LAYER = """[[layers]]
name = "{name}"
forward_s = 0.1
input_gradient_s = 0.0
weight_gradient_s = 0.05
allreduce_bytes = 2e6
"""


@pytest.mark.parametrize(
    ("name", "megabytes", "milliseconds", "batch"),
    [
        ("vgg16", 526.4, 36 + 54, 16),
        ("resnet50", 99.2, 25 + 37, 16),
        ("inception-v3", 103.0, 35 + 52, 16),
        ("lstm-ptb", 251.8, 32 + 47, 64),
    ],
)
def test_the_measured_networks_of_wang_et_al(name, megabytes, milliseconds, batch):
    profile = load_profile(name)
    assert profile.gradient_bytes == pytest.approx(megabytes * 1e6)
    assert profile.compute_s == pytest.approx(milliseconds / 1e3)
    assert profile.batch == batch


def test_every_profile_says_where_its_values_are_from():
    for name in profile_names():
        profile = load_profile(name)
        assert {"gradient_bytes", "compute_s"} <= set(profile.source), name
        if profile.layers:
            assert "layers" in profile.source


def test_the_two_ethernets_have_the_published_constants():
    ten, one = load_fabric("10gbe"), load_fabric("1gbe")
    # b and η in ms a megabyte: 0.856 and 0.235, 7.8125 and 0.7.
    assert 1e9 / ten.inter_bytes_per_s == pytest.approx(0.856)
    assert ten.degradation == pytest.approx(0.235 / 0.856)
    assert ten.latency_s == 6.69e-4
    assert 1e9 / one.inter_bytes_per_s == pytest.approx(7.8125)
    assert one.degradation == pytest.approx(0.7 / 7.8125)


def test_every_fabric_can_be_used_and_says_where_its_values_are_from():
    for name in fabric_names():
        fabric = load_fabric(name)
        assert Cluster.uniform(2, 8, fabric=fabric).fabric is fabric
        assert fabric_title(name)
        table = read_model("fabric", "fabric", name)
        sources = set(table.table("source").values)
        assert set(table.values) - {"title", "source"} <= sources


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'resnet50'"):
        load_profile("resnet-50")
    with pytest.raises(UnknownNameError, match="did you mean '10gbe'"):
        load_fabric("10gb")


@pytest.fixture
def write(tmp_path):
    def write_text(text):
        path = tmp_path / "mine.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_text


def test_a_profile_of_ones_own(write):
    profile = load_profile(write(PROFILE + LAYER.format(name="a") + LAYER.format(name="b")))
    assert (profile.name, profile.title, profile.batch) == ("mine", "Mine", None)
    assert [layer.name for layer in profile.layers] == ["a", "b"]
    assert profile.layers[0].compute_s == pytest.approx(0.15)
    assert profile.layers[0].parameters is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            PROFILE.replace("compute_s", "compute"),
            "compute: expected one of the keys .*_s'",
        ),
        (PROFILE.replace("0.3", "-1"), "compute_s: expected a number of at least 0, got -1"),
        (PROFILE.replace("0.3", "nan"), "compute_s: expected a number of at least 0, got nan"),
        (PROFILE.replace("0.3", '"fast"'), "compute_s: expected a number .*, got 'fast'"),
        (PROFILE.replace("0.3", "true"), "compute_s: expected a number .*, got True"),
        (PROFILE.replace("4e6", "[1]"), "gradient_bytes: expected a number .*, got a list"),
        (PROFILE.replace('title = "Mine"', ""), "title: expected a text, got nothing"),
        (PROFILE.split("[source]")[0], r"source: expected a table \[source\], got nothing"),
        (PROFILE.replace('"measured"', "3"), "source.all: expected a text, got 3"),
        ("batch = 1.5\n" + PROFILE, "batch: expected a whole number of at least 0, got 1.5"),
        ("layers = 3\n" + PROFILE, r"layers: expected tables \[\[layers\]\], got 3"),
        (
            PROFILE.replace("0.3", "0.15") + LAYER,
            "gradient_bytes: expected the sum of the layers' bytes",
        ),
        (PROFILE + LAYER.format(name="a") * 2, r"layers\[1\].name: expected a name of its own"),
        (PROFILE + LAYER.replace("forward_s = 0.1", ""), r"layers\[0\].forward_s: expected a num"),
        ("forward_s = 0.1\nbackward_s = 0.1\n" + PROFILE, "the sum of forward_s and backward_s"),
        ("a = ", "expected TOML, got something else"),
        (b"\xff", "expected text in UTF-8"),
    ],
)
def test_profiles_that_are_wrong(write, text, complaint):
    path = write(text)
    with pytest.raises(FileFormatError, match=complaint) as caught:
        load_profile(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_the_total_of_times_is_checked_too(write):
    text = PROFILE.replace("0.3", "0.4") + LAYER.format(name="a") + LAYER.format(name="b")
    with pytest.raises(FileFormatError, match=r"compute_s: expected the sum of the layers' times"):
        load_profile(write(text))


def test_missing_file(tmp_path):
    with pytest.raises(FileFormatError, match="expected a network profile, got No such file"):
        load_profile(tmp_path / "none.toml")


def test_a_fabric_written_is_the_fabric_read(write):
    fabric = Fabric(
        inter_bytes_per_s=1e9 / 3, reduce_bytes_per_s=7e10, degradation=0.1 + 0.2, latency_s=1e-5
    )
    text = fabric_text(fabric, title='mine "and" yours', source={"all": "measured\n\x7f"})
    path = write(text)
    assert load_fabric(path) == fabric
    assert fabric_title(path) == 'mine "and" yours'
    assert load_fabric(path).intra_bytes_per_s == math.inf


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("inter_bytes_per_s = 0\n", "inter_bytes_per_s: expected a rate above 0, got 0"),
        ("inter_bytes_per_s = inf\n", "inter_bytes_per_s: expected a number of at least 0"),
        ("alpha = 1\n", "alpha: expected one of the keys title, intra_bytes_per_s"),
        ("degradation = -0.1\n", "degradation: expected a number of at least 0"),
    ],
)
def test_fabrics_that_are_wrong(write, text, complaint):
    with pytest.raises(FileFormatError, match=complaint):
        load_fabric(write(f'title = "x"\n{text}[source]\nall = "x"\n'))
