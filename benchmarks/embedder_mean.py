"""The mean vector of many texts under E5, which its graph takes away: prints amr_neo4j/local_models/e5_mean.txt.

    python -m benchmarks.embedder_mean FOLDER > amr_neo4j/local_models/e5_mean.txt

FOLDER holds e5-small-v2-q.onnx and its tokenizer.json. The texts are the project's own, of two kinds that count
equally: English statements of tests/gold/dev, as people type them, and paragraphs of docs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from amr_neo4j.embedders.e5 import MAX_TOKENS
from amr_neo4j.onnx_session import onnxruntime

ROOT = Path(__file__).parents[1]
LEAST_CHARACTERS, MOST_CHARACTERS = 80, 500


def statements() -> Iterator[str]:
    """Every second English statement that the rules were written by."""
    for file in sorted((ROOT / "tests" / "gold" / "dev").glob("en*.jsonl")):
        yield from (json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()[::2])


def paragraphs() -> Iterator[str]:
    """Prose of the documentation."""
    for file in sorted((ROOT / "docs").glob("*.md")):
        for part in file.read_text("utf-8").split("\n\n"):
            text = " ".join(part.split())
            if len(text) > LEAST_CHARACTERS and not text.startswith(("|", "#", "`", "-", "*")):
                yield text[:MOST_CHARACTERS]


def mean(folder: Path, texts: Sequence[str]) -> np.ndarray:
    """The mean unit vector of the texts as passages, each embedded by itself, (384,)."""
    session = onnxruntime.InferenceSession(str(folder / "e5-small-v2-q.onnx"), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    rows = []
    for text in texts:
        ids = np.array([tokenizer.encode(f"passage: {text}").ids])
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        summed = np.asarray(session.run(None, given)[0])[0].sum(axis=0)
        rows.append(summed / np.linalg.norm(summed))
    return np.mean(rows, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    kinds = [mean(folder, list(texts)) for texts in (statements(), paragraphs())]
    np.savetxt(sys.stdout, np.mean(kinds, axis=0), fmt="%.6f")


if __name__ == "__main__":
    main()
