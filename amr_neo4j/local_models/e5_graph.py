"""Builds the graphs of e5-small-v2 (Wang et al. 2022) from the published one, once, when the model is installed.

The model is BERT (Devlin et al. 2018) with weights of 8 bits. Activations have 8 bits too, with a scale per text.
These steps are added at the end: the mean of the tokens, scaled to length 1; minus part of the mean of many texts;
scaled to length 1 again. E5's vectors lie in a narrow cone. Without subtracting the mean, even unrelated texts have a
cosine of .7, and thresholds mean little (Mu and Viswanath 2018, "All-but-the-Top").

model.onnx    one text: input `ids` (1, tokens) int64; output `embeddings` (1, 384) float32
several.onnx  several texts with the same number of tokens: `ids` (texts, tokens), `embeddings` (texts, 384)

onnxruntime has one operator that quantises activations and multiplies them, but it uses one scale for all texts. In
several.onnx each text has a scale of its own, so that its vector equals the one from model.onnx. The weights (21 MB)
are read once for all texts; a short text alone spends most of its time waiting for them.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import BinaryIO

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

from amr_neo4j.local_models.onnx_graph import GraphBuilder

SOURCE = "e5-small-v2-q.onnx"
MEAN = "e5_mean.txt"
WEIGHTS = "weights.bin"
LARGE = 1024  # bytes; larger constants are kept in WEIGHTS
# How much of the mean is subtracted. At .8, unrelated texts have cosines below .3. From .8 to 1, ranking is the same.
PART = 0.8
HEAD_WIDTH = 32
EPSILON = 1e-12
# The middle of the values of a byte, and how many steps lie between its lowest and its highest.
_MIDDLE, _STEPS = 128, 255
_CONTRIBUTED = "com.microsoft"


def convert(sources: Path, folder: Path) -> None:
    """Write model.onnx and several.onnx, and weights.bin, which has the weights of both."""
    published = onnx.load(sources / SOURCE).graph  # pyright: ignore[reportUnknownMemberType]
    places: dict[bytes, int] = {}
    with (folder / WEIGHTS).open("wb") as weights:
        for name, encoder in (("model.onnx", _Encoder), ("several.onnx", _BatchEncoder)):
            model = encoder(published).model()
            _move_weights(model, weights, places)
            onnx.save(model, folder / name)  # pyright: ignore[reportUnknownMemberType]


def mean_of_texts() -> np.ndarray:
    """Return the mean vector of many texts, shape (384,). It was made by benchmarks/embedder_mean.py."""
    with resources.files("amr_neo4j.local_models").joinpath(MEAN).open(encoding="utf-8") as lines:
        return np.loadtxt(lines, dtype=np.float32)


def _move_weights(model: onnx.ModelProto, file: BinaryIO, places: dict[bytes, int]) -> None:
    """Write the large constants to the file, from which they are read faster.

    places: {value: its offset} of those that are in the file already, so that both graphs share them.
    """
    for tensor in model.graph.initializer:
        value = tensor.raw_data
        if len(value) >= LARGE:
            if value not in places:
                places[value] = file.tell()
                file.write(value)
            set_external_data(tensor, WEIGHTS, offset=places[value], length=len(value))
            tensor.ClearField("raw_data")


class _Encoder:
    """Builds the graph for one text. Activations have the shape (texts, tokens, width)."""

    def __init__(self, published: onnx.GraphProto) -> None:
        self._builder = GraphBuilder()
        self._values = {each.name: numpy_helper.to_array(each) for each in published.initializer}
        # The exporter chose the names of the weights. Only the operator that uses them is named after its layer.
        self._weights = {node.name: node.input[1] for node in published.node if node.op_type == "MatMulInteger"}
        self._width = len(self._values["embeddings.LayerNorm.weight"])
        self._layers = sum(name.endswith("/query/MatMul_quant") for name in self._weights)
        self._shape = self._builder.node("Shape", "ids")
        self._length = self._builder.node("Slice", self._shape, self._numbers(1), self._numbers(2))

    def model(self) -> onnx.ModelProto:
        hidden = self._embedded()
        for layer in range(self._layers):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden)
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])
        return self._builder.model([ids], {"embeddings": self._centred_mean(hidden)})

    def _embedded(self) -> str:
        """Add the embeddings of words, token type (always the first) and positions, summed and normalised."""
        node, numbers = self._builder.node, self._numbers
        positions = node("Slice", self._table("position_embeddings"), numbers(0), self._length, numbers(0))
        types = node("Gather", self._table("token_type_embeddings"), self._scalar(0, np.int64))
        words = node("Gather", self._stored("embeddings.word_embeddings.weight_quantized"), "ids")
        summed = node("Add", node("Add", self._floats("word_embeddings", words), types), positions)
        return self._normalised("embeddings.LayerNorm", summed)

    def _layer(self, prefix: str, hidden: str) -> str:
        node = self._builder.node
        attended = self._linear([prefix + "attention.output.dense"], self._attention(prefix, hidden))
        hidden = self._normalised(prefix + "attention.output.LayerNorm", node("Add", attended, hidden))
        wide = node("Gelu", self._linear([prefix + "intermediate.dense"], hidden), domain=_CONTRIBUTED)
        narrow = self._linear([prefix + "output.dense"], wide)
        return self._normalised(prefix + "output.LayerNorm", node("Add", narrow, hidden))

    def _attention(self, prefix: str, hidden: str) -> str:
        """Add self-attention. Nothing is masked, because the texts of a batch have the same number of tokens."""
        node = self._builder.node
        parts = self._linear([f"{prefix}attention.self.{part}" for part in ("query", "key", "value")], hidden)
        per_head = self._per_text(3, self._width // HEAD_WIDTH, HEAD_WIDTH)
        heads = node("Transpose", node("Reshape", parts, per_head), perm=[2, 0, 3, 1, 4])
        query, key, value = (node("Gather", heads, self._scalar(part, np.int64), axis=0) for part in range(3))
        scores = node("FusedMatMul", query, key, transB=1, alpha=HEAD_WIDTH**-0.5, domain=_CONTRIBUTED)
        mixed = node("MatMul", node("Softmax", scores, axis=-1), value)
        return node("Reshape", node("Transpose", mixed, perm=[0, 2, 1, 3]), self._per_text(self._width))

    def _linear(self, names: list[str], activations: str) -> str:
        """Add linear layers with the same input, computed as one. Their outputs are beside one another."""
        weights, scales, biases = self._layer_values(names)
        constant = self._builder.constant
        inputs = (constant(weights, np.int8), constant(scales), "", constant(biases))
        return self._builder.node("DynamicQuantizeMatMul", activations, *inputs, domain=_CONTRIBUTED)

    def _layer_values(self, names: list[str]) -> list[np.ndarray]:
        """Return [weights, scales, biases] of linear layers with the same input, each beside one another."""
        rows: list[tuple[np.ndarray, ...]] = []
        for name in names:
            stored = self._weights["/" + name.replace(".", "/").replace("/layer/", "/layer.") + "/MatMul_quant"]
            scales = self._values[stored.removesuffix("_quantized") + "_scale"]
            rows.append((self._values[stored], scales, self._values[name + ".bias"]))
        return [np.concatenate(each, axis=-1) for each in zip(*rows, strict=True)]

    def _centred_mean(self, hidden: str) -> str:
        node = self._builder.node
        total = node("MatMul", node("Expand", self._builder.constant(1), self._length), hidden)
        unit = node("LpNormalization", total, axis=-1, p=2)
        centred = node("Sub", unit, self._builder.constant(PART * mean_of_texts()))
        return node("LpNormalization", centred, axis=-1, p=2)

    def _normalised(self, name: str, rows: str) -> str:
        scale, shift = self._stored(name + ".weight"), self._stored(name + ".bias")
        return self._builder.node("LayerNormalization", rows, scale, shift, axis=-1, epsilon=EPSILON)

    def _table(self, name: str) -> str:
        return self._floats(name, self._stored(f"embeddings.{name}.weight_quantized"))

    def _floats(self, name: str, values: str) -> str:
        scale, zero = (self._stored(f"embeddings.{name}.weight_{part}") for part in ("scale", "zero_point"))
        return self._builder.node("DequantizeLinear", values, scale, zero)

    def _per_text(self, *rest: int) -> str:
        """Return the shape (texts, tokens, *rest)."""
        return self._builder.node("Concat", self._shape, self._numbers(*rest), axis=0)

    def _stored(self, name: str) -> str:
        value = self._values[name]
        return self._builder.constant(value, value.dtype.type)

    def _scalar(self, value: float, dtype: type[np.generic] = np.float32) -> str:
        return self._builder.constant(value, dtype)

    def _numbers(self, *values: int) -> str:
        return self._builder.constant(values, np.int64)


class _BatchEncoder(_Encoder):
    """Builds the graph for several texts. The activations of each text are quantised with a scale of its own."""

    def _linear(self, names: list[str], activations: str) -> str:
        """Do the same as DynamicQuantizeMatMul, but correct for the zero point of each text after the product."""
        weights, scales, biases = self._layer_values(names)
        node, constant = self._builder.node, self._builder.constant
        quantised, scale, zero = self._quantised(activations, len(weights))
        # The products are whole numbers below 2 ** 24, which float32 holds exactly.
        product = node(
            "MatMulIntegerToFloat",
            quantised,
            constant(weights, np.int8),
            constant(1),
            constant(np.ones_like(scales)),
            constant(_MIDDLE, np.uint8),
            domain=_CONTRIBUTED,
        )
        off = node("Mul", node("Sub", zero, constant(_MIDDLE)), constant(weights.sum(axis=0, dtype=np.int64)))
        scaled = node("Mul", node("Sub", product, off), node("Mul", scale, constant(scales)))
        return node("Add", scaled, constant(biases))

    def _quantised(self, activations: str, width: int) -> tuple[str, str, str]:
        """Do the same as DynamicQuantizeLinear, for each text by itself.

        Return (quantised activations, scales, zero points); the last two are float32 of shape (texts, 1, 1).
        """
        node, constant = self._builder.node, self._builder.constant
        flat = node("Reshape", activations, self._numbers(0, -1))
        least = node("Min", node("ReduceMin", flat, self._numbers(-1), keepdims=0), constant(0))
        most = node("Max", node("ReduceMax", flat, self._numbers(-1), keepdims=0), constant(0))
        scale = node("Div", node("Sub", most, least), constant(_STEPS))
        zero = node("Round", node("Neg", node("Div", least, scale)))
        quantised = node("QuantizeLinear", flat, scale, node("Cast", zero, to=TensorProto.UINT8), axis=0)
        scale, zero = (node("Unsqueeze", each, self._numbers(1, 2)) for each in (scale, zero))
        return node("Reshape", quantised, self._per_text(width)), scale, zero
