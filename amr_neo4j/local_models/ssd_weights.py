"""Converts SSDLite-MobileNetV2 (COCO) from a TensorFlow.js graph to ONNX, once, when the model is installed.

The installed folder:

model.onnx   input  `input`  (1, 300, 300, 3) float32: the frame resized to 300 x 300 (bilinear, aspect ratio not
                             kept), channels in the order R, G, B, each value / 127.5 - 1, so from -1 to 1
             output `boxes`  (1, 1917, 4) float32: offsets ty, tx, th, tw from the anchors
             output `scores` (1, 1917, 91) float32: from 0 to 1, independent per class; column 0 is the background,
                             column i the class with id i of COCO's 91 (person 1, bicycle 2, car 3, ...)
anchors.npy  (1917, 4) float32: ymin, xmin, ymax, xmax as fractions of the frame, in the order of the boxes

Decoding (SSD, Liu et al. 2016; scales 10, 10, 5, 5), with (ay, ax) an anchor's centre, (ah, aw) its height and width:

    cy = ty / 10 * ah + ay      h = exp(th / 5) * ah
    cx = tx / 10 * aw + ax      w = exp(tw / 5) * aw

Boxes overlap: the caller applies non-maximum suppression per class. The weights are stored as float16, which changes
scores by less than 0.005; in float32 the graph equals TensorFlow.js to 2e-5 (boxes) and 1e-6 (scores).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from amr_neo4j.errors import InputError
from amr_neo4j.local_models.onnx_graph import GraphBuilder

INPUT = "Preprocessor/sub"
ANCHORS = "Postprocessor/ExpandDims"
BOX_HEADS = [f"BoxPredictor_{scale}/BoxEncodingPredictor/BiasAdd" for scale in range(6)]
CLASS_HEADS = [f"BoxPredictor_{scale}/ClassPredictor/BiasAdd" for scale in range(6)]

Node = Mapping[str, Any]


@dataclass(frozen=True)
class TfjsGraph:
    """A TensorFlow.js graph model: its nodes by name, and the values of its constants by name."""

    nodes: Mapping[str, Node]
    weights: Mapping[str, np.ndarray]


def convert(sources: Path, folder: Path) -> None:
    """Write model.onnx and anchors.npy from model.json and its weight files."""
    graph = read_graph(sources / "model.json")
    onnx.save(_detector(graph), folder / "model.onnx")  # pyright: ignore[reportUnknownMemberType]
    np.save(folder / "anchors.npy", graph.weights[ANCHORS].reshape(-1, 4))


def read_graph(path: Path) -> TfjsGraph:
    """Read model.json and its weights. Raises InputError: the weights have another length than declared."""
    model = json.loads(path.read_text(encoding="utf-8"))
    weights: dict[str, np.ndarray] = {}
    for group in model["weightsManifest"]:
        data = b"".join((path.parent / shard).read_bytes() for shard in group["paths"])
        weights.update(_slices(group["weights"], data))
    return TfjsGraph({node["name"]: node for node in model["modelTopology"]["node"]}, weights)


def _slices(entries: list[Mapping[str, Any]], data: bytes) -> Iterator[tuple[str, np.ndarray]]:
    offset = 0
    for entry in entries:
        dtype, count = np.dtype(entry["dtype"]), math.prod(entry["shape"])
        yield entry["name"], np.frombuffer(data, dtype, count, offset).reshape(entry["shape"])
        offset += count * dtype.itemsize
    if offset != len(data):
        raise InputError(f"the weights should have {offset} bytes, the files have {len(data)}")


def _detector(graph: TfjsGraph) -> onnx.ModelProto:
    builder = GraphBuilder()
    image = builder.node("Transpose", "input", perm=[0, 3, 1, 2])
    values = translate(graph, {INPUT: image}, [*BOX_HEADS, *CLASS_HEADS], builder)
    boxes = _rows(builder, [values[head] for head in BOX_HEADS], 4)
    logits = _rows(builder, [values[head] for head in CLASS_HEADS], 91)
    shape = helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 300, 300, 3])
    return builder.model([shape], {"boxes": boxes, "scores": builder.node("Sigmoid", logits)})


def _rows(builder: GraphBuilder, heads: list[str], width: int) -> str:
    """Add the feature maps of all scales as rows: cell by cell, anchor by anchor."""
    shape = builder.constant([1, -1, width], np.int64)
    maps = [builder.node("Transpose", head, perm=[0, 2, 3, 1]) for head in heads]
    return builder.node("Concat", *(builder.node("Reshape", each, shape) for each in maps), axis=1)


def translate(
    graph: TfjsGraph, inputs: Mapping[str, str], outputs: list[str], builder: GraphBuilder
) -> dict[str, str]:
    """Translate the nodes between the inputs and the outputs to ONNX. Return {name in tfjs: name of the ONNX value}.

    TensorFlow has channels last, ONNX has them first. All intermediate values are (1, channels, height, width).
    inputs: {name in tfjs: name of the ONNX value}.
    Raises InputError: an operator is not supported.
    """
    values: dict[str, Any] = dict(inputs)
    for name in _in_order(graph, inputs, outputs):
        node = graph.nodes[name]
        if node["op"] == "Const":
            values[name] = graph.weights[name]
        elif node["op"] in _OPERATORS:
            values[name] = _OPERATORS[node["op"]](builder, node, *(values[each] for each in node["input"]))
        else:
            raise InputError(f"unsupported operator {node['op']} of {name}")
    return values


def _in_order(graph: TfjsGraph, inputs: Mapping[str, str], outputs: list[str]) -> Iterator[str]:
    """Yield the nodes that the outputs depend on, in topological order, without the inputs."""
    needs: dict[str, list[str]] = {}
    waiting = list(outputs)
    while waiting:
        name = waiting.pop()
        if name not in needs and name not in inputs:
            needs[name] = graph.nodes[name]["input"]
            waiting.extend(needs[name])
    return (name for name in TopologicalSorter(needs).static_order() if name not in inputs)


def _convolution(builder: GraphBuilder, node: Node, value: str, weight: np.ndarray) -> str:
    return _conv(builder, node, value, weight.transpose(3, 2, 0, 1), groups=1)


def _depthwise(builder: GraphBuilder, node: Node, value: str, weight: np.ndarray) -> str:
    height, width, channels, multiplier = weight.shape
    kernels = weight.transpose(2, 3, 0, 1).reshape(channels * multiplier, 1, height, width)
    return _conv(builder, node, value, kernels, groups=channels)


def _conv(builder: GraphBuilder, node: Node, value: str, kernels: np.ndarray, groups: int) -> str:
    padding = bytes(node["attr"]["padding"]["s"]).decode()
    return builder.node(
        "Conv",
        value,
        builder.halved(kernels),
        group=groups,
        strides=_height_width(node, "strides"),
        dilations=_height_width(node, "dilations"),
        auto_pad={"SAME": "SAME_UPPER", "VALID": "VALID"}[padding],
    )


def _height_width(node: Node, attribute: str) -> list[int]:
    return [int(step) for step in node["attr"][attribute]["list"]["i"][1:3]]


def _normalise(builder: GraphBuilder, node: Node, value: str, *statistics: np.ndarray) -> str:
    constants = [builder.constant(each) for each in statistics]
    return builder.node("BatchNormalization", value, *constants, epsilon=node["attr"]["epsilon"]["f"])


def _relu6(builder: GraphBuilder, node: Node, value: str) -> str:
    return builder.node("Clip", value, builder.constant(0), builder.constant(6))


def _elementwise(op: str, builder: GraphBuilder, node: Node, *operands: str | np.ndarray) -> str:
    return builder.node(op, *(_operand(builder, each) for each in operands))


def _operand(builder: GraphBuilder, operand: str | np.ndarray) -> str:
    """Return a value unchanged. A constant with a number per channel is reshaped to broadcast over the channels."""
    return operand if isinstance(operand, str) else builder.constant(operand.reshape(-1, 1, 1))


_OPERATORS: Mapping[str, Callable[..., str]] = {
    "Conv2D": _convolution,
    "DepthwiseConv2dNative": _depthwise,
    "FusedBatchNorm": _normalise,
    "Relu6": _relu6,
    "Add": partial(_elementwise, "Add"),
    "AddN": partial(_elementwise, "Sum"),
    "BiasAdd": partial(_elementwise, "Add"),
    "Mul": partial(_elementwise, "Mul"),
}
