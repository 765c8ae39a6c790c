"""The mean vector of many texts under an embedder, which its graph takes away.

    python -m benchmarks.embedder_mean e5 > amr_neo4j/local_models/e5_mean.txt
    python -m benchmarks.embedder_mean multilingual-e5 > amr_neo4j/local_models/multilingual_e5_mean.txt

The embedder is the installed one: what was taken away is added again. The texts are the project's own, of kinds that
count equally: statements of tests/gold/dev, as people type them (for multilingual-e5 those of five languages, a kind
each), and paragraphs of docs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from amr_neo4j import settings
from amr_neo4j.local_models.bert_graph import PART, mean_of_texts
from amr_neo4j.wiring.embedder import open_embedder

ROOT = Path(__file__).parents[1]
LEAST_CHARACTERS, MOST_CHARACTERS = 80, 500
LANGUAGES = {"e5": ("en",), "multilingual-e5": ("en", "de", "fr", "es", "it")}


def statements(language: str) -> Iterator[str]:
    """Every second statement of a language that the rules were written by."""
    for file in sorted((ROOT / "tests" / "gold" / "dev").glob(f"{language}*.jsonl")):
        yield from (json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()[::2])


def paragraphs() -> Iterator[str]:
    """Prose of the documentation."""
    for file in sorted((ROOT / "docs").glob("*.md")):
        for part in file.read_text("utf-8").split("\n\n"):
            text = " ".join(part.split())
            if len(text) > LEAST_CHARACTERS and not text.startswith(("|", "#", "`", "-", "*")):
                yield text[:MOST_CHARACTERS]


def uncentred(vectors: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Return the unit vectors of which `taken` was taken away before they were scaled to length 1, (texts, 384)."""
    along = vectors @ taken
    length = -along + np.sqrt(along**2 - taken @ taken + 1)
    return taken + length[:, None] * vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedder", choices=LANGUAGES)
    name = parser.parse_args().embedder
    embedder, taken = open_embedder(settings.load(embedder=name)), PART * mean_of_texts(name)
    kinds = [*map(statements, LANGUAGES[name]), paragraphs()]
    means = [uncentred(embedder.embed(list(texts)), taken).mean(axis=0) for texts in kinds]
    np.savetxt(sys.stdout, np.mean(means, axis=0), fmt="%.6f")


if __name__ == "__main__":
    main()
