"""Builds the graphs of e5-small-v2 (Wang et al. 2022) from the published one, once, when the model is installed.

The published weights have 8 bits. They are taken as they are; see bert_graph.py for what is done with them.

model.onnx    one text: input `ids` (1, tokens) int64; output `embeddings` (1, 384) float32
several.onnx  several texts with the same number of tokens: `ids` (texts, tokens), `embeddings` (texts, 384)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from amr_neo4j.local_models.bert_graph import (
    PART,
    BatchEncoder,
    Encoder,
    Layer,
    Linear,
    Norm,
    mean_of_texts,
    write_graphs,
)

NAME = "e5"
SOURCE = "e5-small-v2-q.onnx"


def convert(sources: Path, folder: Path) -> None:
    """Write model.onnx and several.onnx, and weights.bin, which has the weights of both."""
    published = _Published(onnx.load(sources / SOURCE).graph)  # pyright: ignore[reportUnknownMemberType]
    graphs = {"model.onnx": _graph(published, Encoder()), "several.onnx": _graph(published, BatchEncoder())}
    write_graphs(graphs, folder)


class _Published:
    """The published graph. values: its weights by their names."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.values = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        # The exporter chose the names of the weights. Only the operator that uses them is named after its layer.
        self._weights = {node.name: node.input[1] for node in graph.node if node.op_type == "MatMulInteger"}

    def layers(self) -> list[Layer]:
        count = sum(name.endswith("/query/MatMul_quant") for name in self._weights)
        return [self._layer(f"encoder.layer.{number}.") for number in range(count)]

    def _layer(self, prefix: str) -> Layer:
        return Layer(
            attention=self._linear(*(f"{prefix}attention.self.{part}" for part in ("query", "key", "value"))),
            attended=self._linear(prefix + "attention.output.dense"),
            attended_norm=self.norm(prefix + "attention.output.LayerNorm"),
            wide=self._linear(prefix + "intermediate.dense"),
            narrow=self._linear(prefix + "output.dense"),
            norm=self.norm(prefix + "output.LayerNorm"),
        )

    def _linear(self, *names: str) -> Linear:
        """Return linear layers with the same input as one. Their outputs are beside one another."""
        rows: list[Linear] = []
        for name in names:
            stored = self._weights["/" + name.replace(".", "/").replace("/layer/", "/layer.") + "/MatMul_quant"]
            scales = self.values[stored.removesuffix("_quantized") + "_scale"]
            rows.append(Linear(self.values[stored], scales, self.values[name + ".bias"]))
        return Linear(*(np.concatenate(each, axis=-1) for each in zip(*rows, strict=True)))

    def norm(self, name: str) -> Norm:
        return Norm(self.values[name + ".weight"], self.values[name + ".bias"])


def _graph(published: _Published, graph: Encoder) -> onnx.ModelProto:
    def stored(name: str, part: str) -> str:
        value = published.values[f"embeddings.{name}_embeddings.weight_{part}"]
        return graph.constant(value, value.dtype.type)

    def floats(name: str, rows: str) -> str:
        return graph.node("DequantizeLinear", rows, stored(name, "scale"), stored(name, "zero_point"))

    length = graph.node("Slice", graph.node("Shape", "ids"), graph.numbers(1), graph.numbers(2))
    positions = graph.positions(floats("position", stored("position", "quantized")), length)
    types = graph.node("Gather", floats("token_type", stored("token_type", "quantized")), graph.constant(0, np.int64))
    words = floats("word", graph.node("Gather", stored("word", "quantized"), "ids"))
    summed = graph.node("Add", graph.node("Add", words, types), positions)
    hidden = graph.encoded(summed, published.norm("embeddings.LayerNorm"), published.layers())
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])
    taken = graph.constant(PART * mean_of_texts(NAME))
    return graph.model([ids], {"embeddings": graph.centred_mean(hidden, length, taken)})
