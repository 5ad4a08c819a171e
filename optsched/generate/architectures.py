"""Published architectures as data, layer by layer: the profiles of ``models/dnn`` with layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from optsched.generate.layer_counts import LayerCount, convolution, linear

__all__ = ["ARCHITECTURES", "Architecture"]

Layers = tuple[LayerCount, ...]


@dataclass(frozen=True, slots=True)
class Architecture:
    """A network, and a published time of its iteration.

    Parameters
    ----------
    title
        Name of the network.
    layers
        Builds its layers in forward order.
    design
        Where the architecture is published.
    compute_s
        Forward and backward time of one iteration at ``batch`` on one GPU.
    batch
        Samples in an iteration.
    timing
        Where the time is from.
    """

    title: str
    layers: Callable[[], Layers]
    design: str
    compute_s: float
    batch: int
    timing: str


def alexnet() -> Layers:
    """Count AlexNet in its one-column form for images of 224 × 224 pixels."""
    convolutions = ((3, 64, 11, 55), (64, 192, 5, 27), (192, 384, 3, 13), (384, 256, 3, 13))
    return (
        *(
            convolution(f"conv{i + 1}", *shape, bias=True, norm=False)
            for i, shape in enumerate((*convolutions, (256, 256, 3, 13)))
        ),
        linear("fc6", 256 * 6 * 6, 4096),
        linear("fc7", 4096, 4096),
        linear("fc8", 4096, 1000),
    )


def vgg11() -> Layers:
    """Count configuration A of the VGG paper, for images of 224 × 224 pixels."""
    widths = ((64, 224), (128, 112), (256, 56), (256, 56), (512, 28), (512, 28), (512, 14))
    layers, inputs = [], 3
    for position, (outputs, size) in enumerate((*widths, (512, 14))):
        name = f"conv{position + 1}"
        layers.append(convolution(name, inputs, outputs, 3, size, bias=True, norm=False))
        inputs = outputs
    fully = ((512 * 7 * 7, 4096), (4096, 4096), (4096, 1000))
    return (*layers, *(linear(f"fc{9 + i}", *shape) for i, shape in enumerate(fully)))


def resnet18() -> Layers:
    """Count ResNet-18 for images of 224 × 224 pixels."""
    layers = [convolution("conv1", 3, 64, 7, 112)]
    inputs = 64
    for stage, (outputs, size) in enumerate(((64, 56), (128, 28), (256, 14), (512, 7)), start=1):
        for block in range(2):
            name = f"layer{stage}.{block}"
            layers.append(convolution(f"{name}.conv1", inputs, outputs, 3, size))
            layers.append(convolution(f"{name}.conv2", outputs, outputs, 3, size))
            if inputs != outputs:
                layers.append(convolution(f"{name}.downsample", inputs, outputs, 1, size))
            inputs = outputs
    return (*layers, linear("fc", 512, 1000))


def resnet50() -> Layers:
    """Count ResNet-50 for images of 224 × 224 pixels, striding in the 3 × 3 convolutions."""
    layers = [convolution("conv1", 3, 64, 7, 112)]
    inputs, size = 64, 56
    stages = ((3, 64, 56), (4, 128, 28), (6, 256, 14), (3, 512, 7))
    for stage, (blocks, width, smaller) in enumerate(stages, start=1):
        outputs = 4 * width
        for block in range(blocks):
            name = f"layer{stage}.{block}"
            layers.append(convolution(f"{name}.conv1", inputs, width, 1, size))
            layers.append(convolution(f"{name}.conv2", width, width, 3, smaller))
            layers.append(convolution(f"{name}.conv3", width, outputs, 1, smaller))
            if inputs != outputs:
                layers.append(convolution(f"{name}.downsample", inputs, outputs, 1, smaller))
            inputs, size = outputs, smaller
    return (*layers, linear("fc", 2048, 1000))


#: Kernel, expanded channels, outputs, width of the output, squeeze and excitation or not:
#: table 1 of the MobileNetV3 paper.
MOBILENET_V3_LARGE_BLOCKS = (
    (3, 16, 16, 112, False),
    (3, 64, 24, 56, False),
    (3, 72, 24, 56, False),
    (5, 72, 40, 28, True),
    (5, 120, 40, 28, True),
    (5, 120, 40, 28, True),
    (3, 240, 80, 14, False),
    (3, 200, 80, 14, False),
    (3, 184, 80, 14, False),
    (3, 184, 80, 14, False),
    (3, 480, 112, 14, True),
    (3, 672, 112, 14, True),
    (5, 672, 160, 7, True),
    (5, 960, 160, 7, True),
    (5, 960, 160, 7, True),
)


def mobilenet_v3_large() -> Layers:
    """Count MobileNetV3-Large for images of 224 × 224 pixels."""
    layers = [convolution("stem", 3, 16, 3, 112)]
    inputs, size = 16, 112
    for position, (kernel, expanded, outputs, smaller, squeezes) in enumerate(
        MOBILENET_V3_LARGE_BLOCKS, start=1
    ):
        name = f"block{position}"
        if expanded != inputs:
            layers.append(convolution(f"{name}.expand", inputs, expanded, 1, size))
        depthwise = f"{name}.depthwise"
        layers.append(convolution(depthwise, expanded, expanded, kernel, smaller, groups=expanded))
        if squeezes:
            squeezed = multiple_of_8(expanded / 4)
            layers.append(linear(f"{name}.squeeze", expanded, squeezed))
            layers.append(linear(f"{name}.excite", squeezed, expanded))
        layers.append(convolution(f"{name}.project", expanded, outputs, 1, smaller))
        inputs, size = outputs, smaller
    head = (linear("fc1", 960, 1280), linear("fc2", 1280, 1000))
    return (*layers, convolution("last", 160, 960, 1, 7), *head)


def multiple_of_8(channels: float) -> int:
    """Round to a multiple of 8, and up if more than a tenth would be lost, as MobileNets do.

    Examples
    --------
    >>> multiple_of_8(18), multiple_of_8(30), multiple_of_8(10)
    (24, 32, 16)
    """
    near = max(8, int(channels + 4) // 8 * 8)
    return near + 8 if near < 0.9 * channels else near


def bert_large(tokens: int = 128) -> Layers:
    """Count BERT-large with both heads of its pre-training, on sequences of ``tokens`` tokens."""
    width, inner, words, blocks = 1024, 4096, 30522, 24
    tables = (words + 512 + 2) * width + 2 * width
    layers = [LayerCount("embeddings", tables, 0)]
    for block in range(blocks):
        name = f"block{block}"
        attention = linear(f"{name}.query_key_value", width, 3 * width, positions=tokens)
        # Scores of all pairs of tokens, and the sums that they weight, have no parameters.
        pairs = 2 * tokens * tokens * width
        layers += [
            LayerCount(attention.name, attention.parameters, attention.multiply_adds + pairs),
            linear(f"{name}.attention_output", width, width, positions=tokens, norm=width),
            linear(f"{name}.intermediate", width, inner, positions=tokens),
            linear(f"{name}.output", inner, width, positions=tokens, norm=width),
        ]
    return (
        *layers,
        linear("pooler", width, width),
        linear("masked_words.transform", width, width, positions=tokens, norm=width),
        # The word embeddings serve again as its weights, and are exchanged once, with these.
        linear("masked_words.decoder", width, words, positions=tokens, tied=True),
        linear("next_sentence", width, 2),
    )


TIMM = (
    "github.com/huggingface/pytorch-image-models, "
    "results/benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv, {model}: {ms} ms a training step at "
    "batch 512, mixed precision, one GeForce RTX 3090"
)

#: Name of the profile to the network it is of.
ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {
        "alexnet": Architecture(
            "AlexNet",
            alexnet,
            "Krizhevsky 2014 (arXiv 1404.5997), one column",
            0.081,
            128,
            "github.com/soumith/convnet-benchmarks, AlexNet (One Weird Trick paper), "
            "CuDNN[R4]-fp32 (Torch): 81 ms at batch 128 (27 forward, 53 backward), one Titan X",
        ),
        "vgg11": Architecture(
            "VGG11",
            vgg11,
            "Simonyan and Zisserman 2015 (arXiv 1409.1556), configuration A",
            0.619706,
            512,
            TIMM.format(model="vgg11", ms=619.706),
        ),
        "resnet18": Architecture(
            "ResNet18",
            resnet18,
            "He, Zhang, Ren, Sun 2016 (arXiv 1512.03385)",
            0.184877,
            512,
            TIMM.format(model="resnet18", ms=184.877),
        ),
        # The profile resnet50 has other measured totals, and no layers.
        "resnet50-layered": Architecture(
            "ResNet50, layer by layer",
            resnet50,
            "He, Zhang, Ren, Sun 2016 (arXiv 1512.03385)",
            0.618983,
            512,
            TIMM.format(model="resnet50", ms=618.983),
        ),
        "mobilenet-v3-large": Architecture(
            "MobileNetV3-Large",
            mobilenet_v3_large,
            "Howard et al. 2019 (arXiv 1905.02244), table 1",
            0.235344,
            512,
            TIMM.format(model="mobilenetv3_large_100", ms=235.344),
        ),
        "bert-large": Architecture(
            "BERT-large, pre-training on sequences of 128 tokens",
            bert_large,
            "Devlin, Chang, Lee, Toutanova 2019 (arXiv 1810.04805)",
            0.373134,
            64,
            "github.com/NVIDIA/DeepLearningExamples, PyTorch/LanguageModeling/BERT, README of "
            "March 2020: 171.52 sequences/s at batch 64, mixed precision, one V100 32G of a DGX-1",
        ),
    }
)
