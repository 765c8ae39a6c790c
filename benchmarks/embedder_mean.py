"""The mean vector of many texts under an embedder, part of which is taken away; of multilingual-e5 also of questions.

    python -m benchmarks.embedder_mean e5 > amr_neo4j/local_models/e5_mean.txt
    python -m benchmarks.embedder_mean multilingual-e5 > amr_neo4j/local_models/multilingual_e5_mean.txt

The embedder is the installed one: what was taken away is added again. The texts are the project's own, of kinds that
count equally. Of e5: statements of tests/gold/dev, as people type them, and paragraphs of docs. Of multilingual-e5:
fewer statements, in each of five languages; and for questions, those of tests/gold/reminding.jsonl in each of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from amr_neo4j import settings
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.local_models.bert_graph import PART, mean_of_texts
from amr_neo4j.model_roles import LOCAL_EMBEDDERS
from amr_neo4j.wiring.embedder import open_embedder

ROOT = Path(__file__).parents[1]
LEAST_CHARACTERS, MOST_CHARACTERS = 80, 500
LANGUAGES = ("en", "de", "fr", "es", "it")


def statements(language: str) -> Iterator[str]:
    """Every second statement of a language that the rules were written by."""
    for file in sorted((ROOT / "tests" / "gold" / "dev").glob(f"{language}*.jsonl")):
        yield from (json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()[::2])


def questions(language: str) -> Iterator[str]:
    """Every second question of a language, as a user asks in a conversation."""
    rows = map(json.loads, (ROOT / "tests" / "gold" / "reminding.jsonl").read_text("utf-8").splitlines())
    asked = (question["text"] for row in rows if row["lang"] == language for question in row.get("questions", ()))
    yield from list(dict.fromkeys(asked))[::2]


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


def mean(embedder: Embedder, kinds: Iterable[Iterable[str]], taken: np.ndarray) -> np.ndarray:
    """Return the mean of the means of kinds of texts, (384,). taken: what the embedder takes away."""
    return np.mean([uncentred(embedder.embed(list(texts)), taken).mean(axis=0) for texts in kinds], axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("embedder", choices=LOCAL_EMBEDDERS)
    name = parser.parse_args().embedder
    embedder, taken = open_embedder(settings.load(embedder=name)), PART * mean_of_texts(name)
    if name == "e5":
        found = mean(embedder, [statements("en"), paragraphs()], taken)
    else:
        every_tenth = (list(statements(language))[::5] for language in LANGUAGES)
        of_passages = mean(embedder, every_tenth, taken[:, 0])
        found = np.stack([of_passages, mean(embedder.asking(), map(questions, LANGUAGES), taken[:, 1])], axis=1)
    np.savetxt(sys.stdout, found, fmt="%.6f")


if __name__ == "__main__":
    main()
