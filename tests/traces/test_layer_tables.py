"""Layer tables of Dally's simulator: the published sums, and tables that are wrong."""

import pytest

from optsched.contention import load_profile
from optsched.core.errors import TraceError
from optsched.traces import profile_from_layer_csv

HEADER = "layer,forward_ns,input_grad_ns,weight_grad_ns,allreduce_bytes\n"


@pytest.fixture
def write(tmp_path):
    def write_text(text, name="net_B32.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write_text


def test_times_are_scaled_nanoseconds(write):
    profile = profile_from_layer_csv(write(HEADER + "a,1,2,3,100\nb,10,20,30,50\n"), scale=2e6)
    assert [layer.forward_s for layer in profile.layers] == pytest.approx([0.002, 0.02])
    assert profile.compute_s == pytest.approx(66 * 0.002)
    assert profile.forward_s + profile.backward_s == pytest.approx(profile.compute_s)
    assert (profile.gradient_bytes, profile.batch, profile.name) == (150.0, 32, "net_B32")


def test_a_name_without_batch(write):
    assert profile_from_layer_csv(write(HEADER + "a,1,2,3,4\n", "net.csv")).batch is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("layer,forward\n", ":1: expected the columns layer,forward_ns,.*rename or reorder"),
        (HEADER, ":1: expected rows below the header, got none"),
        (HEADER + "a,1,2,3,4\na,1,2,3,4\n", ":3: layer: expected a name of its own, got 'a'"),
        (HEADER + "a,1,x,3,4\n", ":2: input_grad_ns: expected a number of at least 0, got 'x'"),
        (HEADER + "a,1,2,3,-4\nb,1,2,3\n", "allreduce_bytes: .*\n.*:3: the row has not the 5"),
        (HEADER + "a,1,2,nan,1_0\n", "weight_grad_ns: .*\n.*:2: allreduce_bytes: "),
    ],
)
def test_tables_that_are_wrong(write, text, complaint):
    with pytest.raises(TraceError, match=complaint):
        profile_from_layer_csv(write(text))


def test_scale_has_to_be_a_factor(write):
    for scale in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(TraceError, match="scale: expected a number above 0"):
            profile_from_layer_csv(write(HEADER + "a,1,2,3,4\n"), scale=scale)


@pytest.mark.parametrize(
    ("name", "layers", "scale", "milliseconds", "gradient_bytes", "ours"),
    [
        ("alexnet_B512", 8, 0.0199, 1.207, 244_361_984, "alexnet"),
        ("BERT-large_B256", 66, 0.0001121, 1.711, 562_044_928, None),
        ("mobilenet_v3_B512", 52, 0.00639, 0.063, 9_870_144, None),
        ("resnet18_B512", 21, 0.001223, 0.180, 46_715_648, "resnet18"),
        ("resnet50_B512", 54, 0.033950, 11.823, 102_011_648, None),
        ("vgg11_B256", 11, 0.01549, 3.837, 531_405_568, "vgg11"),
    ],
)
def test_real_tables(traces_directory, name, layers, scale, milliseconds, gradient_bytes, ours):
    path = traces_directory / "dally" / "dnn" / f"{name}.csv"
    profile = profile_from_layer_csv(path, scale=scale)
    assert len(profile.layers) == layers
    assert profile.gradient_bytes == gradient_bytes
    assert profile.compute_s * 1e3 == pytest.approx(milliseconds, abs=6e-4)
    assert profile.batch == int(name.rpartition("B")[2])
    if ours is not None:
        # The tables leave out biases and normalisations; our counts have them.
        counted = load_profile(ours)
        assert len(counted.layers) == layers
        assert counted.gradient_bytes == pytest.approx(gradient_bytes, rel=1e-3)
