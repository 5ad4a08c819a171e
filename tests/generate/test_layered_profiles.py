"""Parameters as published, to the last one, and files that are what the code computes."""

import pytest

from optsched.contention import load_profile, profile_names
from optsched.core.data_files import data_directory
from optsched.generate.architectures import ARCHITECTURES, bert_large
from optsched.generate.layer_counts import convolution, linear
from optsched.generate.layered_profiles import layered_profile, main, profile_text

#: Parameters as torchvision and transformers count them, and the multiply-adds of a forward pass
#: (10⁹) as the papers or torchvision's documentation give them.
PUBLISHED = {
    "alexnet": (61_100_840, 0.71),
    "vgg11": (132_863_336, 7.61),
    "resnet18": (11_689_512, 1.81),
    "resnet50-layered": (25_557_032, 4.09),
    "mobilenet-v3-large": (5_483_032, 0.217),
    "bert-large": (336_226_108, None),
}


def test_every_architecture_is_held_against_published_counts():
    assert set(PUBLISHED) == set(ARCHITECTURES)


@pytest.mark.parametrize(("name", "published"), PUBLISHED.items())
def test_published_counts(name, published):
    parameters, billions = published
    layers = ARCHITECTURES[name].layers()
    assert sum(layer.parameters for layer in layers) == parameters
    if billions is not None:
        counted = sum(layer.multiply_adds for layer in layers) / 1e9
        assert counted == pytest.approx(billions, rel=0.01)


def test_bert_computes_two_passes_per_parameter_and_token():
    # Six multiply-adds a parameter and token in a training step is the usual estimate; of these
    # two thirds are backward, so a forward pass takes one for each weight of the blocks.
    blocks = [layer for layer in bert_large(tokens=128) if layer.name.startswith("block")]
    weights = 24 * 12 * 1024**2
    attention = 24 * 2 * 128 * 1024
    counted = sum(layer.multiply_adds for layer in blocks)
    assert counted == 128 * (weights + attention)


def test_layers_by_hand():
    # 3 × 3 kernels from 16 to 32 channels on 10 × 10 pixels.
    layer = convolution("c", 16, 32, 3, 10, bias=True, norm=True)
    assert (layer.parameters, layer.multiply_adds) == (4608 + 32 + 64, 460_800)
    depthwise = convolution("d", 16, 16, 3, 10, groups=16, norm=False)
    assert (depthwise.parameters, depthwise.multiply_adds) == (144, 14_400)
    tied = linear("t", 10, 20, positions=5, norm=20, tied=True)
    assert (tied.parameters, tied.multiply_adds) == (20 + 40, 1000)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_times_are_in_proportion_to_multiply_adds_and_add_up(name):
    profile, counts = layered_profile(name), ARCHITECTURES[name].layers()
    assert sum(layer.compute_s for layer in profile.layers) == pytest.approx(
        ARCHITECTURES[name].compute_s, rel=1e-7
    )
    assert profile.layers[0].input_gradient_s == 0.0
    rates = [
        layer.forward_s / count.multiply_adds
        for layer, count in zip(profile.layers, counts, strict=True)
        if count.multiply_adds
    ]
    assert max(rates) == pytest.approx(min(rates), rel=1e-6)
    for layer in profile.layers[1:]:
        assert layer.forward_s == layer.weight_gradient_s == layer.input_gradient_s
        assert layer.allreduce_bytes == 4 * layer.parameters > 0


def test_alexnet_splits_as_it_was_measured():
    # 27 ms forward and 53 ms backward were measured; the split here comes from counting.
    profile = layered_profile("alexnet")
    assert profile.forward_s == pytest.approx(0.027, rel=0.05)
    assert profile.backward_s == pytest.approx(0.053, rel=0.05)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_files_are_what_the_code_computes(name):
    computed = layered_profile(name)
    path = data_directory("models") / "dnn" / f"{name}.toml"
    assert path.read_text(encoding="utf-8") == profile_text(computed)
    assert load_profile(name) == computed


def test_writing_them_all(tmp_path, capsys):
    main(str(tmp_path))
    assert {path.stem for path in tmp_path.iterdir()} == set(ARCHITECTURES)
    assert set(ARCHITECTURES) <= set(profile_names())
    assert "alexnet.toml" in capsys.readouterr().out
