"""The embedder for English: e5-small-v2 on onnxruntime, without torch and without a key."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from math import ceil
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer

from amr_neo4j.domain.ports import Vectors

# onnxruntime has no types. Imported by name, it is Any to the type checker.
onnxruntime = import_module("onnxruntime")
MAX_TOKENS = 256
# Enough for MAX_TOKENS of any language. The tokenizer reads a whole text before it truncates.
MAX_CHARACTERS = 16_384
# Up to this many texts are embedded one by one, because starting threads for them would take longer.
FEW_TEXTS = 4
# Up to this length (in tokens) a text takes less time in a batch of its length than alone.
SHORT = 32
# Tokens of such a batch: the activations of as many fit into the cache of a core.
SHARED_TOKENS = 192


class E5:
    """The Embedder port over an installed model folder (decision 0104). Thread-safe. The weights have 8 bits.

    Texts are truncated to 256 tokens.

    unrelated: measured on LoCoMo with 3,048 questions to one of the four wrong conversations and 762 to the right
    one. The best turn is below it for 47 % of the former and 0.1 % of the latter. Turns that hold the answer are
    below it too, so it must not be used to drop single hits.
    alike: measured on EPIC-KITCHENS with pairs of different narrations of a video within 2 s. Above it are 53 % of
    the pairs with the same verb and noun, 17 % with the same noun, 16 % with the same verb, 0.7 % with neither.
    """

    model = "e5-small-v2"
    dim = 384
    unrelated = 0.3
    alike = 0.8

    def __init__(self, folder: Path, *, asks: bool = False) -> None:
        """asks: embed questions. E5 was trained to tell them from passages by a prefix."""
        self._prefix = "query: " if asks else "passage: "
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)  # pyright: ignore[reportUnknownMemberType]
        self._folder = folder
        self._sessions = dict[str, Any]()
        self._loading = Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), 384) float32, rows of length 1. A text's vector does not depend on the others."""
        encodings = self._encode([self._prefix + text[:MAX_CHARACTERS] for text in texts])
        vectors = np.empty((len(encodings), self.dim), np.float32)

        def fill(rows: Sequence[int]) -> None:
            vectors[rows] = self._forward([encodings[row] for row in rows])

        if len(texts) <= FEW_TEXTS:
            for row in range(len(encodings)):
                fill([row])
            return vectors
        # Each core computes a batch of its own.
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(fill, batches([len(encoding) for encoding in encodings])))
        return vectors

    def _encode(self, texts: list[str]) -> list[Encoding]:
        if len(texts) > FEW_TEXTS:
            return self._tokenizer.encode_batch(texts)
        return list(map(self._tokenizer.encode, texts))

    def _forward(self, encodings: Sequence[Encoding]) -> Vectors:
        """The vectors of encodings of one length."""
        session = self._session("several.onnx" if len(encodings) > 1 else "model.onnx")
        ids = np.array([encoding.ids for encoding in encodings], np.int64)
        return np.asarray(session.run(["embeddings"], {"ids": ids})[0])

    def _session(self, graph: str) -> Any:
        """The session of a graph file, loaded when first used: a program that only asks never loads several.onnx."""
        with self._loading:
            if graph not in self._sessions:
                self._sessions[graph] = self._load(graph)
            return self._sessions[graph]

    def _load(self, graph: str) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # Spinning threads take cores from a database on the same machine: a question took four times as long.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(self._folder / graph), options, providers=["CPUExecutionProvider"])


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Row numbers in batches of one length, the longest first. Long texts gain nothing from others and stay alone."""
    of_length = defaultdict[int, list[int]](list)
    for row, length in enumerate(lengths):
        of_length[length].append(row)
    for length, rows in sorted(of_length.items(), reverse=True):
        most = SHARED_TOKENS // length if length <= SHORT else 1
        count = ceil(len(rows) / most)
        yield from (rows[first::count] for first in range(count))
