"""The local embedders, without torch and without a key: E5 for English and for many languages, on onnxruntime."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from math import ceil
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.embedders.unigram import BREAK, START, Unigram
from amr_neo4j.four_bits import unpacked
from amr_neo4j.onnx_session import open_session

PASSAGE, QUESTION = "passage: ", "query: "
"""E5 was trained to tell passages from questions by a prefix."""
MAX_TOKENS = 256
# Enough for MAX_TOKENS in any language. Longer texts are cut first, because the tokenizer would read all of a text
# before it truncates it.
MAX_CHARACTERS = 16_384
# Up to this many texts are embedded one by one, because starting threads for them would take longer.
FEW_TEXTS = 4
# Up to this length (in tokens), a text takes less time in a batch of texts of the same length than alone.
SHORT = 32
# The most tokens of such a batch: the activations of this many fit into the cache of a core.
SHARED_TOKENS = 192


class E5(Embedder):
    """Implements the Embedder port for English, with an installed model folder (decision 0104). Thread-safe.

    The weights have 8 bits. Texts are truncated to 256 tokens.

    unrelated: measured on LoCoMo, with 762 questions to the right conversation and 3,048 to wrong ones. The best turn
        is below it for 0.1 % of the former and 47 % of the latter. Turns that hold the answer may be below it too, so
        it must not be used to drop single hits.
    alike: measured on EPIC-KITCHENS, with pairs of different narrations of a video within 2 s. Above it are 53 % of
        the pairs with the same verb and noun, 17 % of those with the same noun, 16 % with the same verb, and 0.7 %
        with neither.
    """

    model = "e5-small-v2"
    dim = 384
    unrelated = 0.3
    alike = 0.8
    _several = "several.onnx"

    def __init__(self, folder: Path) -> None:
        self._prefix = PASSAGE
        self._folder = folder
        self._sessions = dict[str, Any]()
        self._loading = Lock()
        self._open_tokenizer(folder / "tokenizer.json")

    def _open_tokenizer(self, file: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(file))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)  # pyright: ignore[reportUnknownMemberType]

    def asking(self) -> E5:
        """See Embedder. Both share the loaded model."""
        asks = copy(self)
        asks._prefix = QUESTION
        return asks

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 of shape (len(texts), 384), with rows of length 1.

        The vector of a text does not depend on the other texts.
        """
        # The tokenizers refuse lone surrogates, which a message may have.
        read = [(self._prefix + text[:MAX_CHARACTERS]).encode("utf-8", "replace").decode() for text in texts]
        tokens = self._tokens(read)
        vectors = np.empty((len(tokens), self.dim), np.float32)

        def fill(rows: Sequence[int]) -> None:
            vectors[rows] = self._forward([tokens[row] for row in rows])

        if len(texts) <= FEW_TEXTS:
            for row in range(len(tokens)):
                fill([row])
            return vectors
        # Each core computes its own batch, because a session uses a single thread.
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(fill, batches(list(map(len, tokens)))))
        return vectors

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        """Return the ids of the tokens of texts, at most MAX_TOKENS of each."""
        if len(texts) > FEW_TEXTS:
            return [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        return [self._tokenizer.encode(text).ids for text in texts]

    def _forward(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        """Return the vectors of texts, which all have the same number of tokens."""
        session = self._session(self._several if len(tokens) > 1 else "model.onnx")
        inputs = self._inputs(np.array(tokens, np.int64))
        return np.asarray(session.run(["embeddings"], inputs)[0])

    def _inputs(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """Return the inputs of the graphs. ids: of tokens, (texts, tokens)."""
        return {"ids": ids}

    def _session(self, graph: str) -> Any:
        """Return the session of a graph file. It is loaded when first used."""
        # A program that only asks questions never loads several.onnx.
        with self._loading:
            if graph not in self._sessions:
                self._sessions[graph] = open_session(self._folder / graph)
            return self._sessions[graph]


class MultilingualE5(E5):
    """Implements the Embedder port for about a hundred languages, with an installed model folder. Thread-safe.

    The weights have 4 bits. Texts are truncated to 256 tokens.

    unrelated: measured as for E5, with 231 questions of LoCoMo, and with 110 queries in five languages to
        conversations of tests/gold. In the right conversation, the best turn is below it for no question of LoCoMo
        and for one query; in a wrong one, for 24 % of LoCoMo's questions. Of the turns that hold the answer, 2 % are
        below it in LoCoMo and 11 % in tests/gold.
    alike: measured as for E5. Above it are 50 % of the pairs with the same verb and noun, 25 % of those with the same
        noun, 8 % with the same verb, and 0.6 % with neither.
    """

    model = "multilingual-e5-small"
    unrelated = 0.28
    alike = 0.8
    _several = "model.onnx"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        # Only the words in use, of 250,000, are read from the disk.
        self._words = np.load(folder / "words.npy", mmap_mode="r")
        self._taken = dict[str, np.ndarray](zip((PASSAGE, QUESTION), np.load(folder / "taken.npy"), strict=True))
        self._characters = str.maketrans(json.loads((folder / "characters.json").read_text(encoding="utf-8")))

    def _open_tokenizer(self, file: Path) -> None:
        self._unigram = Unigram.read(file)

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        composed = (unicodedata.normalize("NFC", text).translate(self._characters) for text in texts)
        pieces = (self._unigram.tokens(re.sub(" {2,}", " ", text)).ids for text in composed)
        return [[START, *ids[: MAX_TOKENS - 2], BREAK] for ids in pieces]

    def _inputs(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        return {"words": unpacked(self._words[ids]), "taken": self._taken[self._prefix]}


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the row numbers in batches of texts of one length, the longest texts first.

    A long text is a batch of its own, because it gains nothing from others.
    """
    of_length = defaultdict[int, list[int]](list)
    for row, length in enumerate(lengths):
        of_length[length].append(row)
    for length, rows in sorted(of_length.items(), reverse=True):
        most = SHARED_TOKENS // length if length <= SHORT else 1
        count = ceil(len(rows) / most)
        yield from (rows[first::count] for first in range(count))
