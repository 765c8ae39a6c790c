# pyright: basic
"""Sentence transformers for English on onnxruntime, without torch and without a key: E5, the default, and MiniLM."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from pathlib import Path
from threading import Lock

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from amr_neo4j.domain.ports import Vectors

MAX_TOKENS = 256
BATCH = 32
# Texts times their longest. onnxruntime keeps the memory of the largest batch: 70 MB, of 32 long texts 300 MB.
BATCH_TOKENS = 2048
# Enough for MAX_TOKENS of any language; the tokenizer reads all it is given, and truncates then.
MAX_CHARACTERS = 16_384
FEW_TEXTS = 4
# Tokens of the longest text that takes less time beside others of its length than alone.
SHORT = 32
# Tokens of a batch of such texts: what a core computes for as many stays in its cache.
SHARED_TOKENS = 192


class _Transformer:
    """The Embedder port over an installed model folder. Thread-safe. Texts are truncated to 256 tokens."""

    dim = 384
    prefix = ""

    def __init__(self, folder: Path, threads: int = 0, graph: str = "model.onnx", *, alone: bool = False) -> None:
        """threads: used to compute one batch; 0 leaves it to onnxruntime, which uses every core. With 1 a core
        computes a batch of its own, so many that are small take less time.

        graph: the file of the folder to run. alone: embed each text by itself. Where activations have 8 bits, their
        scale is that of the batch: a text's vector would depend on the others.
        """
        self._most = 1 if alone else BATCH
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._folder, self._graph, self._threads = folder, graph, threads
        self._sessions = dict[str, onnxruntime.InferenceSession]()
        self._loading = Lock()

    @property
    def _session(self) -> onnxruntime.InferenceSession:
        """Of the graph for one text, or for all."""
        return self._loaded(self._graph)

    def _loaded(self, graph: str) -> onnxruntime.InferenceSession:
        """Loaded with the first text: who only asks embeds with another graph than who writes.

        A cached_property has no lock from Python 3.12 on, so threads would load the same graph several times.
        """
        with self._loading:
            if graph not in self._sessions:
                self._sessions[graph] = self._load(graph)
            return self._sessions[graph]

    def _load(self, graph: str) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        # Spinning threads take cores from a database on the same machine: a question took four times as long.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(self._folder / graph), options, providers=["CPUExecutionProvider"])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), 384) float32, rows of length 1."""
        encodings = self._encode([self.prefix + text[:MAX_CHARACTERS] for text in texts])
        vectors = np.empty((len(encodings), self.dim), np.float32)

        def fill(rows: Sequence[int]) -> None:
            vectors[rows] = self._forward([encodings[row] for row in rows])

        batches = self._batches([len(encoding) for encoding in encodings])
        if self._threads == 1 and len(texts) > FEW_TEXTS:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(fill, batches))
        else:
            for rows in batches:
                fill(rows)
        return vectors

    def _encode(self, texts: list[str]) -> list[Encoding]:
        """Few texts are encoded one by one: starting the tokenizer's threads would take longer."""
        if len(texts) > FEW_TEXTS:
            return self._tokenizer.encode_batch(texts)
        return list(map(self._tokenizer.encode, texts))

    def _batches(self, lengths: Sequence[int]) -> Iterable[Sequence[int]]:
        return _similar(lengths, self._most)

    def _forward(self, encodings: Sequence[Encoding]) -> Vectors:
        longest = max(len(encoding) for encoding in encodings)
        ids = np.zeros((len(encodings), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding)] = encoding.ids
            mask[row, : len(encoding)] = 1
        return np.asarray(self._session.run(["embeddings"], {"ids": ids, "mask": mask})[0])


class MiniLM(_Transformer):
    """all-MiniLM-L6-v2: the default before E5; groups that were made with it keep it.

    unrelated: measured on LoCoMo with 3,048 questions to one of the four wrong conversations and 762 to the right
    one. The best turn is below it for 51 % of the former and 0.3 % of the latter. 11 % of the turns that hold the
    answer are below it too, so it must not be used to drop single hits.
    alike: measured on EPIC-KITCHENS with pairs of different narrations of a video within 2 s. Above it are 78 % of
    the pairs with the same verb and noun, 38 % with the same noun, 4 % with the same verb, 1.5 % with neither.
    """

    model = "all-MiniLM-L6-v2"
    unrelated = 0.36
    alike = 0.85


class E5(_Transformer):
    """e5-small-v2, with weights of 8 bits: finds more of the evidence in conversations than MiniLM (decision 0104).

    unrelated: measured as for MiniLM. The best turn is below it for 47 % of the questions to a wrong conversation and
    0.1 % of those to the right one.
    alike: measured as for MiniLM. Above it are 53 % of the pairs with the same verb and noun, 17 % with the same
    noun, 16 % with the same verb, 0.7 % with neither.
    """

    model = "e5-small-v2"
    unrelated = 0.3
    alike = 0.8

    def __init__(self, folder: Path, *, asks: bool = False) -> None:
        """asks: embed questions, which E5 tells from the texts that may answer them by the word before."""
        super().__init__(folder, threads=1)
        self.prefix = "query: " if asks else "passage: "

    @property
    def _batch_session(self) -> onnxruntime.InferenceSession:
        """For texts of the same length, which get the vectors that they get alone."""
        return self._loaded("several.onnx")

    def _batches(self, lengths: Sequence[int]) -> Iterable[Sequence[int]]:
        return _equal(lengths) if len(lengths) > FEW_TEXTS else ([row] for row in range(len(lengths)))

    def _forward(self, encodings: Sequence[Encoding]) -> Vectors:
        session = self._batch_session if len(encodings) > 1 else self._session
        ids = np.array([encoding.ids for encoding in encodings], np.int64)
        return np.asarray(session.run(["embeddings"], {"ids": ids})[0])


def _similar(lengths: Sequence[int], most: int = BATCH) -> Iterator[list[int]]:
    """Row numbers in batches of similar text lengths, at most so many, to minimise padding."""
    rows: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if len(rows) == most or (rows and (len(rows) + 1) * lengths[row] > BATCH_TOKENS):
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows


def _equal(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Row numbers in batches of one length, the longest first; long texts gain nothing from others and stay alone."""
    of_length = defaultdict[int, list[int]](list)
    for row, length in enumerate(lengths):
        of_length[length].append(row)
    for length, rows in sorted(of_length.items(), reverse=True):
        most = SHARED_TOKENS // length if length <= SHORT else 1
        batches = ceil(len(rows) / most)
        yield from (rows[first::batches] for first in range(batches))
