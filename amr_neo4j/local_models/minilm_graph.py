# pyright: basic
"""Convert all-MiniLM-L6-v2 to an ONNX graph, once, when the model is installed.

BERT (Devlin et al. 2018) with 6 layers, then the mean of the tokens that are not padding (Sentence-BERT, Reimers
and Gurevych 2019), normalised to length 1. The weights stay in model.safetensors, which the graph refers to.

model.onnx      inputs `ids` and `mask` (texts, tokens) int64; output `embeddings` (texts, 384) float32
questions.onnx  the same with weights of 8 bits, made of model.onnx: for questions, which wait for their vector
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.external_data_helper import set_external_data
from onnxruntime.quantization import QuantType, quantize_dynamic

from amr_neo4j.local_models.onnx_graph import GraphBuilder

WEIGHTS = "model.safetensors"
QUESTIONS = "questions.onnx"
LAYERS, HEADS, WIDTH = 6, 12, 384
HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-12


def convert(sources: Path, folder: Path) -> None:
    """Write model.onnx beside model.safetensors."""
    (folder / "model.onnx").write_bytes(_Encoder(folder / WEIGHTS).model().SerializeToString())


def derive(folder: Path) -> None:
    """Write questions.onnx, atomically, unless it is there: weights int8 per channel, activations when it runs."""
    made = folder / QUESTIONS
    if made.exists():
        return
    with tempfile.TemporaryDirectory(prefix=".questions-", dir=folder) as scratch:
        written = Path(scratch) / QUESTIONS
        quantize_dynamic(folder / "model.onnx", written, per_channel=True, weight_type=QuantType.QInt8)
        written.replace(made)


class _Encoder:
    """Builds the graph. Between layers, the tokens of all texts are the rows of one matrix (texts * tokens, 384)."""

    def __init__(self, weights: Path) -> None:
        self._builder = GraphBuilder()
        self._header, self._data_start = _read_header(weights)
        shape = self._builder.node("Shape", "ids")
        self._per_text = self._joined(shape, [WIDTH])
        self._per_head = self._joined(shape, [HEADS, HEAD_WIDTH])
        self._flat = self._builder.constant([-1, WIDTH], np.int64)

    def model(self) -> onnx.ModelProto:
        node = self._builder.node
        mask = node("Cast", "mask", to=TensorProto.FLOAT)
        hidden = self._embedded()
        bias = self._attention_bias(mask)
        for layer in range(LAYERS):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden, bias)
        infos = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in ("ids", "mask")
        ]
        return self._builder.model(infos, {"embeddings": self._unit_mean(hidden, mask)})

    def _embedded(self) -> str:
        """Word, position and (always the first) token type, normalised."""
        node, constant = self._builder.node, self._builder.constant
        first, second, third = (constant([number], np.int64) for number in (0, 1, 2))
        length = node("Slice", node("Shape", "ids"), second, third)
        positions = node("Slice", self._weight("embeddings.position_embeddings.weight"), first, length, first)
        types = node("Gather", self._weight("embeddings.token_type_embeddings.weight"), first)
        words = node("Gather", self._weight("embeddings.word_embeddings.weight"), "ids")
        summed = node("Add", node("Add", words, positions), types)
        return self._normalised("embeddings.LayerNorm", node("Reshape", summed, self._flat))

    def _attention_bias(self, mask: str) -> str:
        """(texts, 1, 1, tokens): 0 for a token; for padding a number that softmax turns into 0."""
        node, constant = self._builder.node, self._builder.constant
        padding = node("Sub", constant(1), mask)
        return node("Unsqueeze", node("Mul", padding, constant(-1e9)), constant([1, 2], np.int64))

    def _layer(self, prefix: str, hidden: str, bias: str) -> str:
        node = self._builder.node
        attended = self._linear(prefix + "attention.output.dense", self._attention(prefix, hidden, bias))
        hidden = self._normalised(prefix + "attention.output.LayerNorm", node("Add", hidden, attended))
        widened = node("Gelu", self._linear(prefix + "intermediate.dense", hidden))
        narrowed = self._linear(prefix + "output.dense", widened)
        return self._normalised(prefix + "output.LayerNorm", node("Add", hidden, narrowed))

    def _attention(self, prefix: str, hidden: str, bias: str) -> str:
        node, constant = self._builder.node, self._builder.constant
        query = self._heads(prefix + "attention.self.query", hidden, [0, 2, 1, 3])
        key = self._heads(prefix + "attention.self.key", hidden, [0, 2, 3, 1])
        value = self._heads(prefix + "attention.self.value", hidden, [0, 2, 1, 3])
        scores = node("Mul", node("MatMul", query, key), constant(HEAD_WIDTH**-0.5))
        weights = node("Softmax", node("Add", scores, bias), axis=-1)
        mixed = node("Transpose", node("MatMul", weights, value), perm=[0, 2, 1, 3])
        return node("Reshape", mixed, self._flat)

    def _heads(self, name: str, hidden: str, order: list[int]) -> str:
        node = self._builder.node
        return node("Transpose", node("Reshape", self._linear(name, hidden), self._per_head), perm=order)

    def _unit_mean(self, hidden: str, mask: str) -> str:
        node, constant = self._builder.node, self._builder.constant
        tokens, last = constant([1], np.int64), constant([2], np.int64)
        kept = node("Mul", node("Reshape", hidden, self._per_text), node("Unsqueeze", mask, last))
        summed = node("ReduceSum", kept, tokens, keepdims=0)
        return node("Div", summed, node("ReduceL2", summed, tokens, keepdims=1))

    def _linear(self, name: str, rows: str) -> str:
        return self._builder.node(
            "Gemm", rows, self._weight(name + ".weight"), self._weight(name + ".bias"), transB=1
        )

    def _normalised(self, name: str, rows: str) -> str:
        scale, shift = self._weight(name + ".weight"), self._weight(name + ".bias")
        return self._builder.node("LayerNormalization", rows, scale, shift, axis=-1, epsilon=EPSILON)

    def _joined(self, shape: str, rest: list[int]) -> str:
        return self._builder.node("Concat", shape, self._builder.constant(rest, np.int64), axis=0)

    def _weight(self, name: str) -> str:
        """A constant stored in the file of weights."""
        entry = self._header[name]
        start, end = entry["data_offsets"]
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=entry["shape"], raw_data=b"")
        set_external_data(tensor, WEIGHTS, offset=self._data_start + start, length=end - start)
        return self._builder.stored(tensor)


def _read_header(path: Path) -> tuple[dict, int]:
    """Names, shapes and offsets of the tensors, and the offset of their data (the safetensors format)."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return json.loads(file.read(length)), 8 + length
