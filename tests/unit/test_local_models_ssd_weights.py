"""The TensorFlow.js conversion, operator by operator, against a convolution written from TensorFlow's definition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [local] is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the extra [local] is not installed")

from onnx import TensorProto, helper  # noqa: E402

from amr_neo4j import settings  # noqa: E402
from amr_neo4j.errors import InputError, ModelMissing  # noqa: E402
from amr_neo4j.local_models import registry  # noqa: E402
from amr_neo4j.local_models.onnx_graph import GraphBuilder  # noqa: E402
from amr_neo4j.local_models.ssd_weights import TfjsGraph, read_graph, translate  # noqa: E402

RANDOM = np.random.default_rng(7)
HALF = 0.02  # the error that storing the kernels as float16 may cause in a sum of 27 products


def _run(op: str, image: np.ndarray, *constants: np.ndarray, **attributes: Any) -> np.ndarray:
    """The output of the converted operator for an image (1, height, width, channels), channels last."""
    names = [f"constant_{number}" for number in range(len(constants))]
    nodes = {name: {"name": name, "op": "Const", "input": []} for name in names}
    nodes["result"] = {"name": "result", "op": op, "input": ["image", *names], "attr": attributes}
    builder = GraphBuilder()
    first = builder.node("Transpose", "image", perm=[0, 3, 1, 2])
    graph = TfjsGraph(nodes, dict(zip(names, constants, strict=True)))
    value = translate(graph, {"image": first}, ["result"], builder)["result"]
    shape = helper.make_tensor_value_info("image", TensorProto.FLOAT, list(image.shape))
    model = builder.model([shape], {"result": builder.node("Transpose", value, perm=[0, 2, 3, 1])})
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"image": image})[0]


def _convolve(image: np.ndarray, kernel: np.ndarray, stride: int) -> np.ndarray:
    """SAME in TensorFlow, channels last: ceil(size / stride) cells, the odd row of padding at the end."""
    size, reach = image.shape[1], kernel.shape[0]
    cells = -(-size // stride)
    padding = max((cells - 1) * stride + reach - size, 0)
    before = padding // 2
    padded = np.pad(image[0], ((before, padding - before), (before, padding - before), (0, 0)))
    result = np.empty((1, cells, cells, kernel.shape[3]), np.float32)
    for row, column in np.ndindex(cells, cells):
        window = padded[row * stride : row * stride + reach, column * stride : column * stride + reach]
        result[0, row, column] = np.einsum("hwc,hwco->o", window, kernel)
    return result


def _conv_attributes(stride: int) -> dict[str, Any]:
    steps = {"list": {"i": ["1", str(stride), str(stride), "1"]}}
    return {"strides": steps, "dilations": {"list": {"i": ["1", "1", "1", "1"]}}, "padding": {"s": list(b"SAME")}}


def _image(size: int = 5, channels: int = 3) -> np.ndarray:
    return RANDOM.standard_normal((1, size, size, channels), np.float32)


@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.parametrize("stride", [1, 2])
def test_conv2d(size: int, stride: int) -> None:
    image, kernel = _image(size), RANDOM.standard_normal((3, 3, 3, 4), np.float32)
    np.testing.assert_allclose(
        _run("Conv2D", image, kernel, **_conv_attributes(stride)), _convolve(image, kernel, stride), atol=HALF
    )


@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise_conv2d(size: int, stride: int) -> None:
    image, kernel = _image(size), RANDOM.standard_normal((3, 3, 3, 1), np.float32)
    alone = [_convolve(image[..., [i]], kernel[:, :, [i]], stride) for i in range(3)]
    result = _run("DepthwiseConv2dNative", image, kernel, **_conv_attributes(stride))
    np.testing.assert_allclose(result, np.concatenate(alone, axis=3), atol=HALF)


def test_fused_batch_norm() -> None:
    image, (scale, shift, mean, variance) = _image(), RANDOM.random((4, 3), np.float32)
    expected = (image - mean) / np.sqrt(variance + 0.001) * scale + shift
    result = _run("FusedBatchNorm", image, scale, shift, mean, variance, epsilon={"f": 0.001})
    np.testing.assert_allclose(result, expected, atol=1e-5)


def test_relu6() -> None:
    image = 5 * _image()
    np.testing.assert_array_equal(_run("Relu6", image), np.clip(image, 0, 6))


@pytest.mark.parametrize(
    ("op", "expected"), [("Add", np.add), ("AddN", np.add), ("BiasAdd", np.add), ("Mul", np.multiply)]
)
def test_a_constant_per_channel(op: str, expected: np.ufunc) -> None:
    image, per_channel = _image(), RANDOM.random(3, np.float32)
    np.testing.assert_allclose(_run(op, image, per_channel), expected(image, per_channel), atol=1e-6)


def test_an_operator_without_a_conversion_is_named() -> None:
    with pytest.raises(InputError, match="operator ResizeBilinear of result"):
        _run("ResizeBilinear", _image())


def test_weights_of_another_length_are_refused(tmp_path: Path) -> None:
    group = {"paths": ["shard"], "weights": [{"name": "w", "shape": [2, 2], "dtype": "float32"}]}
    (tmp_path / "model.json").write_text(json.dumps({"modelTopology": {"node": []}, "weightsManifest": [group]}))
    (tmp_path / "shard").write_bytes(bytes(17))
    with pytest.raises(InputError, match="should have 16 bytes, the files have 17"):
        read_graph(tmp_path / "model.json")


def test_the_installed_detector_has_the_shapes_it_promises() -> None:
    try:
        folder = registry.model_dir(settings.load(), "ssdlite")
    except ModelMissing as error:
        pytest.skip(str(error))
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    boxes, scores = session.run(["boxes", "scores"], {"input": np.zeros((1, 300, 300, 3), np.float32)})
    anchors = np.load(folder / "anchors.npy")
    assert (boxes.shape, scores.shape, anchors.shape) == ((1, 1917, 4), (1, 1917, 91), (1917, 4))
    assert 0 <= scores.min() <= scores.max() <= 1
    assert (anchors[:, 2:] > anchors[:, :2]).all()
