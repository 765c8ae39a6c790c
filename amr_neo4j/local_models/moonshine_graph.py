"""Rebuilds Moonshine's graphs for fast decoding, once, when the model is installed.

The package has them in onnxruntime's own format. Its 8-bit weights are turned into floats again at every step, which
takes nine tenths of the time, and its decoder holds two graphs: one for the first token, one for the others. Here one
graph does every step, and what all steps read of the sound is computed once, by the encoder. The weights stay 8-bit,
with a scale for each 32 of them.

encoder.onnx   input  `input_values` (1, samples) float32: sound of 16 kHz, from -1 to 1
               output `present.N.encoder.key`, `.value` (1, 8, frames, 52) float32 for each layer N
decoder.onnx   inputs `input_ids` (1, 1) int64, `past_key_values.N.encoder.key`, `.value` as above,
                      `past_key_values.N.decoder.key`, `.value` (1, 8, tokens so far, 52) float32
               output `logits` (1, 1, tokens) float32; `present.N.decoder.key`, `.value`;
                      `attention` (8, 8, frames) float32: for each layer and head, what the step looked at
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from amr_neo4j.errors import InputError
from amr_neo4j.local_models.ort_format import read_ort

LAYERS, HEADS, WIDTH = 8, 8, 52
_OPSET, _IR_VERSION = 14, 9
_CONTRIBUTED = "com.microsoft"
_BLOCK = 32
# onnxruntime also rounds what it multiplies with to 8 bits. With floats a step takes twenty times as long.
_EIGHT_BITS = 4
_PROJECTION = re.compile(r"layers\.(\d+)/encoder_attn/([kv])_proj/MatMul")
_CROSS = re.compile(r"present\.\d+\.encoder\.")


def convert(sources: Path, folder: Path) -> None:
    """Write encoder.onnx and decoder.onnx. Raises InputError: the graphs have another form."""
    encoder, merged = (read_ort(sources / f"{name}.ort") for name in ("encoder_model", "decoder_model_merged"))
    *shared, branches = merged.node
    parts = {attribute.name: attribute.g for attribute in branches.attribute}
    if set(parts) != {"then_branch", "else_branch"}:
        raise InputError("this Moonshine decoder has another form")
    encoded = _encoder(encoder, merged, parts["else_branch"], shared=shared)
    decoded = _decoder(merged, parts["then_branch"], shared=shared)
    onnx.save(encoded, folder / "encoder.onnx")  # pyright: ignore[reportUnknownMemberType]
    onnx.save(decoded, folder / "decoder.onnx")  # pyright: ignore[reportUnknownMemberType]


def _encoder(
    encoder: GraphProto, merged: GraphProto, first: GraphProto, *, shared: Sequence[NodeProto]
) -> onnx.ModelProto:
    """Return the encoder with the keys and values that each layer of the decoder computes from its output.

    The graph of the first step takes their shape from its tokens. Here it is fixed.
    """
    nodes = [*encoder.node, helper.make_node("Identity", ["last_hidden_state"], ["encoder_hidden_states"]), *shared]
    shape = numpy_helper.from_array(np.array([1, -1, HEADS, WIDTH], np.int64), "shape_of_heads")
    outputs: list[str] = []
    for node in first.node:
        for layer, kind in _PROJECTION.findall(node.name):
            outputs.append(f"present.{layer}.encoder.{'key' if kind == 'k' else 'value'}")
            split = f"{outputs[-1]}.split"
            nodes += [node, helper.make_node("Reshape", [node.output[0], "shape_of_heads"], [split])]
            nodes.append(helper.make_node("Transpose", [split], [outputs[-1]], perm=[0, 2, 1, 3]))
    if len(outputs) != 2 * LAYERS:
        raise InputError("this Moonshine decoder has another form")
    constants = [*encoder.initializer, *merged.initializer, shape]
    return _model(nodes, constants, {"input_values": TensorProto.FLOAT}, outputs)


def _decoder(merged: GraphProto, later: GraphProto, *, shared: Sequence[NodeProto]) -> onnx.ModelProto:
    """Return the decoder of the later steps, with its attention to the sound as one more output."""
    looks = [node.output[0] for node in later.node if node.op_type == "Softmax" and "encoder_attn" in node.name]
    axis = numpy_helper.from_array(np.array([2], np.int64), "axis_of_tokens")
    attention = [
        helper.make_node("Concat", looks, ["attention_of_layers"], axis=0),
        helper.make_node("Squeeze", ["attention_of_layers", "axis_of_tokens"], ["attention"]),
    ]
    nodes = [*shared, *later.node, *attention]
    all_inputs = {name for node in nodes for name in node.input}
    given = {name for name in all_inputs if name.startswith("past_key_values.")}
    inputs = {"input_ids": TensorProto.INT64} | dict.fromkeys(sorted(given), TensorProto.FLOAT)
    outputs = [output.name for output in later.output if not _CROSS.match(output.name)]
    return _model(nodes, [*merged.initializer, *later.initializer, axis], inputs, [*outputs, "attention"])


def _model(
    nodes: Sequence[NodeProto], constants: Sequence[TensorProto], inputs: Mapping[str, int], outputs: Sequence[str]
) -> onnx.ModelProto:
    """Return a model of these nodes with 8-bit products, without what its outputs do not need."""
    weights = _Weights(nodes, constants)
    nodes = _needed([made for node in nodes for made in weights.in_8_bits(node)], outputs)
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, kind, None) for name, kind in inputs.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [each for each in [*constants, *weights.made] if each.name in used],
    )
    operators = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIBUTED, 1)]
    return helper.make_model(graph, opset_imports=operators, ir_version=_IR_VERSION)


def _needed(nodes: Sequence[NodeProto], outputs: Iterable[str]) -> list[NodeProto]:
    """Return the nodes that these outputs need, in their order, in which each node follows its inputs."""
    used, kept = set(outputs), list[NodeProto]()
    for node in reversed(nodes):
        if used & set(node.output):
            used |= set(node.input)
            kept.append(node)
    return kept[::-1]


class _Weights:
    """The weights of a graph. They have 8 bits, and nodes turn them into floats: q * scale + offset.

    made: the constants of the nodes that `in_8_bits` returned.
    """

    def __init__(self, nodes: Sequence[NodeProto], constants: Sequence[TensorProto]) -> None:
        self._makers = {name: node for node in nodes for name in node.output}
        self._constants = {each.name: each for each in constants}
        self.made: list[TensorProto] = []

    def in_8_bits(self, node: NodeProto) -> list[NodeProto]:
        """Return what to put in place of a node: a product by 8-bit weights, a look-up among them, or the node."""
        if node.op_type == "MatMul":
            weights = self._floats(node.input[1])
            return [node] if weights is None else [self._product(node, weights)]
        if node.op_type == "Gather" and node.input[0] in self._makers:
            return self._look_up(node)
        return [node]

    def _product(self, node: NodeProto, weights: npt.NDArray[np.float32]) -> NodeProto:
        rows, columns = weights.shape
        blocks = weights.T.reshape(columns, rows // _BLOCK, _BLOCK)
        scales = np.maximum(np.abs(blocks).max(axis=2) / 127, 1e-12)
        levels = np.rint(blocks / scales[:, :, None]) + 128
        names = [f"{node.output[0]}.levels", f"{node.output[0]}.scales"]
        self.made.append(numpy_helper.from_array(levels.astype(np.uint8), names[0]))
        self.made.append(numpy_helper.from_array(scales.astype(np.float32), names[1]))
        how: dict[str, Any] = {
            "K": rows,
            "N": columns,
            "bits": 8,
            "block_size": _BLOCK,
            "accuracy_level": _EIGHT_BITS,
        }
        return helper.make_node(
            "MatMulNBits", [node.input[0], *names], list(node.output), node.name, domain=_CONTRIBUTED, **how
        )

    def _look_up(self, node: NodeProto) -> list[NodeProto]:
        """Return nodes that look up the rows first and then turn only these rows into floats."""
        chain, source = list[NodeProto](), node.input[0]
        while source in self._makers:
            chain.append(self._makers[source])
            source = chain[-1].input[0]
        if self._floats(node.input[0]) is None:
            return [node]
        name = node.output[0]
        made = [helper.make_node("Gather", [source, node.input[1]], [f"{name}.{len(chain)}"])]
        for left in range(len(chain) - 1, -1, -1):
            taken = NodeProto()
            taken.CopyFrom(chain[left])
            taken.input[0], taken.output[0] = f"{name}.{left + 1}", f"{name}.{left}" if left else name
            made.append(taken)
        return made

    def _floats(self, name: str) -> npt.NDArray[np.float32] | None:
        """Return the weights as floats; None if the value depends on an input of the graph."""
        if name in self._constants:
            return numpy_helper.to_array(self._constants[name]).astype(np.float32)
        node = self._makers.get(name)
        if node is None or node.op_type not in ("Cast", "Mul", "Add", "Transpose"):
            return None
        values = [self._floats(each) for each in node.input]
        if any(value is None for value in values):
            return None
        first, *others = (value for value in values if value is not None)
        if node.op_type == "Transpose":
            return first.T
        if node.op_type == "Mul":
            return first * others[0]
        return first + others[0] if others else first
