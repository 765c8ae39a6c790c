"""Builds graphs of BERT encoders (Devlin et al. 2018): those of the embedders, and of the reader of turns.

The vector of a text is the mean of its tokens, scaled to length 1; minus part of the mean of many texts; scaled to
length 1 again. E5's vectors lie in a narrow cone. Without subtracting the mean, even unrelated texts have a cosine of
.7, and thresholds mean little (Mu and Viswanath 2018, "All-but-the-Top").

Weights have 8 bits, or 4 in blocks. With 8, activations have 8 bits too, with a scale per text. onnxruntime has one
operator that quantises activations and multiplies them, but it uses one scale for all texts. BatchEncoder has a scale
for each text, so that its vector does not depend on the others. The weights (21 MB) are read once for all texts; a
short text alone spends most of its time waiting for them. With 4, each block of a token has a scale of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto
from onnx.external_data_helper import set_external_data

from amr_neo4j.four_bits import BLOCK, parts
from amr_neo4j.local_models.onnx_graph import GraphBuilder

WIDTH, HEADS = 384, 12
# How much of the mean is subtracted. At .8, unrelated texts have cosines below .3. From .8 to 1, ranking is the same.
PART = 0.8
WEIGHTS = "weights.bin"
_LARGE = 1024  # bytes; larger constants are kept in WEIGHTS
_EPSILON = 1e-12
# The middle of the values of a byte, and how many steps lie between its lowest and its highest.
_MIDDLE, _STEPS = 128, 255
# Activations are quantised to 8 bits. With more, vectors are the same to three digits and take twice as long.
_EIGHT_BITS = 4
_CONTRIBUTED = "com.microsoft"


class Linear(NamedTuple):
    """A linear layer. weights: int8, (inputs, outputs); scales and biases: float32, (outputs)."""

    weights: np.ndarray
    scales: np.ndarray
    biases: np.ndarray


class Blocks(NamedTuple):
    """A linear layer with weights of 4 bits. rows: blocks as four_bits.py reads them, uint8, (outputs, bytes)."""

    rows: np.ndarray
    biases: np.ndarray


class Norm(NamedTuple):
    """The normalisation of a layer. scale and shift: float32, (width)."""

    scale: np.ndarray
    shift: np.ndarray


class Layer(NamedTuple):
    """A layer of the encoder. attention: query, key and value beside one another."""

    attention: Linear | Blocks
    attended: Linear | Blocks
    attended_norm: Norm
    wide: Linear | Blocks
    narrow: Linear | Blocks
    norm: Norm


def quantised(weights: np.ndarray, biases: np.ndarray) -> Linear:
    """Return a linear layer with weights of 8 bits. weights: float32, (outputs, inputs)."""
    scales = np.abs(weights).max(axis=1) / 127
    return Linear(np.asarray(np.round(weights.T / scales), np.int8), scales, biases)


def mean_of_texts(embedder: str) -> np.ndarray:
    """Return the mean vector of many texts, shape (384,). If there is one for questions, too: both, shape (384, 2).

    It was made by benchmarks/embedder_mean.py.
    """
    file = resources.files("amr_neo4j.local_models").joinpath(f"{embedder.replace('-', '_')}_mean.txt")
    with file.open(encoding="utf-8") as lines:
        return np.loadtxt(lines, dtype=np.float32)


def write_graphs(models: Mapping[str, onnx.ModelProto], folder: Path) -> None:
    """Write each model to its file in `folder`. Their large constants share one weights.bin.

    models: {file name: model}.
    """
    places: dict[bytes, int] = {}
    with (folder / WEIGHTS).open("wb") as weights:
        for name, model in models.items():
            _move_weights(model, weights, places)
            onnx.save(model, folder / name)  # pyright: ignore[reportUnknownMemberType]


def _move_weights(model: onnx.ModelProto, file: BinaryIO, places: dict[bytes, int]) -> None:
    """Write the large constants to the file, from which they are read faster.

    places: {value: its offset} of those that are in the file already, so that all graphs share them.
    """
    for tensor in model.graph.initializer:
        value = tensor.raw_data
        if len(value) >= _LARGE:
            if value not in places:
                places[value] = file.tell()
                file.write(value)
            set_external_data(tensor, WEIGHTS, offset=places[value], length=len(value))
            tensor.ClearField("raw_data")


class Encoder(GraphBuilder):
    """A graph for one text. Activations have the shape (texts, tokens, width)."""

    def numbers(self, *values: int) -> str:
        """Add a constant list of whole numbers."""
        return self.constant(values, np.int64)

    def positions(self, table: str, length: str) -> str:
        """Add the first rows of a table. length: the number of tokens, of shape (1)."""
        return self.node("Slice", table, self.numbers(0), length, self.numbers(0))

    def encoded(self, embedded: str, norm: Norm, layers: Sequence[Layer], *, segments: str = "") -> str:
        """Add the layers of the encoder. embedded: sums of embeddings; segments: added when they are normalised."""
        hidden = self.normalised(embedded, norm)
        hidden = self.node("Add", hidden, segments) if segments else hidden
        for layer in layers:
            attended = self._linear(layer.attended, self._attention(layer.attention, hidden))
            hidden = self.normalised(self.node("Add", attended, hidden), layer.attended_norm)
            wide = self.node("Gelu", self._linear(layer.wide, hidden), domain=_CONTRIBUTED)
            hidden = self.normalised(self.node("Add", self._linear(layer.narrow, wide), hidden), layer.norm)
        return hidden

    def centred_mean(self, hidden: str, length: str, taken: str) -> str:
        """Add the vectors of the texts, less what is taken away: PART of a mean vector."""
        total = self.node("MatMul", self.node("Expand", self.constant(1), length), hidden)
        unit = self.node("LpNormalization", total, axis=-1, p=2)
        centred = self.node("Sub", unit, taken)
        return self.node("LpNormalization", centred, axis=-1, p=2)

    def normalised(self, rows: str, norm: Norm) -> str:
        """Add a normalisation of each token."""
        scale, shift = self.constant(norm.scale), self.constant(norm.shift)
        return self.node("LayerNormalization", rows, scale, shift, axis=-1, epsilon=_EPSILON)

    def _attention(self, linear: Linear | Blocks, hidden: str) -> str:
        """Add self-attention. Nothing is masked, because the texts of a batch have the same number of tokens."""
        node = self.node
        parts = node("Reshape", self._linear(linear, hidden), self.numbers(0, 0, 3, HEADS, WIDTH // HEADS))
        heads = node("Transpose", parts, perm=[2, 0, 3, 1, 4])
        query, key, value = (node("Gather", heads, self.constant(part, np.int64), axis=0) for part in range(3))
        scores = node("FusedMatMul", query, key, transB=1, alpha=(WIDTH // HEADS) ** -0.5, domain=_CONTRIBUTED)
        mixed = node("MatMul", node("Softmax", scores, axis=-1), value)
        return node("Reshape", node("Transpose", mixed, perm=[0, 2, 1, 3]), self.numbers(0, 0, WIDTH))

    def _linear(self, linear: Linear | Blocks, activations: str) -> str:
        if isinstance(linear, Blocks):
            return self._of_blocks(linear, activations)
        return self._of_bytes(linear, activations)

    def _of_blocks(self, linear: Blocks, activations: str) -> str:
        scales, numbers = parts(linear.rows)
        outputs, inputs = numbers.shape
        # MatMulNBits packs two adjacent values into a byte and, like the format of the weights, subtracts 8.
        packed = (numbers[:, ::2] | numbers[:, 1::2] << 4).reshape(outputs, -1, BLOCK // 2)
        given = (self.constant(packed, np.uint8), self.constant(scales.ravel()), "", "", self.constant(linear.biases))
        form = {"K": inputs, "N": outputs, "bits": 4, "block_size": BLOCK, "accuracy_level": _EIGHT_BITS}
        return self.node("MatMulNBits", activations, *given, **form, domain=_CONTRIBUTED)

    def _of_bytes(self, linear: Linear, activations: str) -> str:
        inputs = (self.constant(linear.weights, np.int8), self.constant(linear.scales), "")
        biases = self.constant(linear.biases)
        return self.node("DynamicQuantizeMatMul", activations, *inputs, biases, domain=_CONTRIBUTED)


class BatchEncoder(Encoder):
    """A graph for several texts. The activations of each text are quantised with a scale of its own."""

    def _of_bytes(self, linear: Linear, activations: str) -> str:
        """Do the same as DynamicQuantizeMatMul, but correct for the zero point of each text after the product."""
        node, constant, weights = self.node, self.constant, linear.weights
        activations, scale, zero = self._quantised(activations, len(weights))
        # The products are whole numbers below 2 ** 24, which float32 holds exactly.
        product = node(
            "MatMulIntegerToFloat",
            activations,
            constant(weights, np.int8),
            constant(1),
            constant(np.ones_like(linear.scales)),
            constant(_MIDDLE, np.uint8),
            domain=_CONTRIBUTED,
        )
        off = node("Mul", node("Sub", zero, constant(_MIDDLE)), constant(weights.sum(axis=0, dtype=np.int64)))
        scaled = node("Mul", node("Sub", product, off), node("Mul", scale, constant(linear.scales)))
        return node("Add", scaled, constant(linear.biases))

    def _quantised(self, activations: str, width: int) -> tuple[str, str, str]:
        """Do the same as DynamicQuantizeLinear, for each text by itself.

        Return (quantised activations, scales, zero points); the last two are float32 of shape (texts, 1, 1).
        """
        node, constant = self.node, self.constant
        flat = node("Reshape", activations, self.numbers(0, -1))
        least = node("Min", node("ReduceMin", flat, self.numbers(-1), keepdims=0), constant(0))
        most = node("Max", node("ReduceMax", flat, self.numbers(-1), keepdims=0), constant(0))
        scale = node("Div", node("Sub", most, least), constant(_STEPS))
        zero = node("Round", node("Neg", node("Div", least, scale)))
        whole = node("QuantizeLinear", flat, scale, node("Cast", zero, to=TensorProto.UINT8), axis=0)
        scale, zero = (node("Unsqueeze", each, self.numbers(1, 2)) for each in (scale, zero))
        return node("Reshape", whole, self.numbers(0, -1, width)), scale, zero
