"""A BERT of one layer with random weights, exported and quantised as the published graph of e5-small-v2 is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer, models, pre_tokenizers

from amr_neo4j.local_models import e5_graph

WIDTH, WIDER, HEADS = 384, 64, 12
WORDS, LONGEST = 40, 16
LAYER = "encoder.layer.0."


def write_embedder(folder: Path) -> None:
    """Write the graph as published, the graphs that are made of it, and a tokenizer whose words are w1, w2, ..."""
    _write_published(folder / e5_graph.SOURCE)
    e5_graph.convert(folder, folder)
    words = {"[UNK]": 0, **{f"w{number}": number for number in range(1, WORDS)}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))


def _write_published(path: Path) -> None:
    """Write the graph: inputs input_ids, attention_mask and token_type_ids, output last_hidden_state."""
    made = _Export(np.random.default_rng(0))
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in names]
    output = helper.make_tensor_value_info(made.encoded(), TensorProto.FLOAT, ["texts", "tokens", WIDTH])
    graph = helper.make_graph(made.nodes, "bert", inputs, [output], made.values)
    opsets = [helper.make_opsetid("", 17)]
    full = path.with_name("full.onnx")
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), full)
    quantize_dynamic(full, path, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)


class _Export:
    def __init__(self, random: np.random.Generator) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.values: list[TensorProto] = []
        self._random = random

    def encoded(self) -> str:
        """Padding is not masked: no text here has any."""
        hidden = self._normalised("embeddings.LayerNorm", self._embedded())
        attended = self._linear(LAYER + "attention.output.dense", self._attention(hidden), WIDTH, WIDTH)
        hidden = self._normalised(LAYER + "attention.output.LayerNorm", self._node("Add", attended, hidden))
        wide = self._gelu(self._linear(LAYER + "intermediate.dense", hidden, WIDTH, WIDER))
        narrow = self._linear(LAYER + "output.dense", wide, WIDER, WIDTH)
        return self._normalised(LAYER + "output.LayerNorm", self._node("Add", narrow, hidden))

    def _embedded(self) -> str:
        counts = {"word": (WORDS, "input_ids"), "token_type": (2, "token_type_ids"), "position": (LONGEST, "places")}
        ones = self._node("Mul", "input_ids", self._value("none", np.array(0)))
        one = self._node("Add", ones, self._value("one", np.array(1)))
        after = self._node("CumSum", one, self._value("axis", np.array(1)))
        self._node("Sub", after, "one", named="places")
        rows = [
            self._node("Gather", self._weights(f"embeddings.{name}_embeddings.weight", count, WIDTH), ids)
            for name, (count, ids) in counts.items()
        ]
        return self._node("Add", self._node("Add", rows[0], rows[1]), rows[2])

    def _attention(self, hidden: str) -> str:
        query, key, value = (
            self._node("Transpose", self._per_head(hidden, part), perm=order)
            for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        root = self._value("root", np.array(np.sqrt(WIDTH / HEADS), np.float32))
        scores = self._node("Softmax", self._node("Div", self._node("MatMul", query, key), root), axis=-1)
        mixed = self._node("Transpose", self._node("MatMul", scores, value), perm=[0, 2, 1, 3])
        return self._node("Reshape", mixed, self._value("flat", np.array([0, 0, WIDTH])))

    def _per_head(self, hidden: str, part: str) -> str:
        rows = self._linear(f"{LAYER}attention.self.{part}", hidden, WIDTH, WIDTH)
        return self._node("Reshape", rows, self._value(f"heads_{part}", np.array([0, 0, HEADS, WIDTH // HEADS])))

    def _gelu(self, rows: str) -> str:
        part = self._node("Erf", self._node("Div", rows, self._value("two", np.array(np.sqrt(2), np.float32))))
        more = self._node("Add", part, self._value("unit", np.array(1, np.float32)))
        return self._node("Mul", self._node("Mul", rows, more), self._value("half", np.array(0.5, np.float32)))

    def _linear(self, name: str, rows: str, width: int, wanted: int) -> str:
        weights = self._weights(f"onnx::MatMul_{len(self.nodes)}", width, wanted)
        path = "/" + name.replace(".", "/").replace("layer/0", "layer.0")
        product = self._node("MatMul", rows, weights, name=path + "/MatMul")
        return self._node("Add", self._weights(name + ".bias", wanted), product)

    def _normalised(self, name: str, rows: str) -> str:
        scale, shift = self._weights(name + ".weight", WIDTH), self._weights(name + ".bias", WIDTH)
        return self._node("LayerNormalization", rows, scale, shift, axis=-1, epsilon=1e-12)

    def _weights(self, name: str, *shape: int) -> str:
        return self._value(name, self._random.normal(size=shape).astype(np.float32) / 8)

    def _value(self, name: str, value: np.ndarray) -> str:
        self.values.append(numpy_helper.from_array(value, name))
        return name

    def _node(self, op: str, *inputs: str, named: str = "", **attributes: Any) -> str:
        output = named or f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], **attributes))
        return output
