"""Seconds and memory of one run over many facts of one user, on a real Neo4j; vectors are made, and stored already.

    NEO4J_URI=... NEO4J_PASSWORD=... python -m benchmarks.facts_scale [--facts 1000 10000 100000]

Half of the facts are about the user, the rest about a thousand others; one of ten is said in other words too.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from amr_neo4j import Memory
from amr_neo4j.domain.fact import Triple, fact_id
from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.settings import load

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
DIM = 384
SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
    "yu",
    "za",
    "bre",
    "cla",
    "dri",
]
_WRITE = """
UNWIND $rows AS row
CREATE (f:Fact {group_id: $group_id, user_id: 'anna', fact_id: row.fact_id})
SET f += row.props, f.last_updated = datetime(row.at), f.valid_at = datetime(row.at), f.created_at = datetime(),
    f.updated = datetime()
CREATE (m:Embedding {kind: 'fact', owner: toString(row.props.vector_id), model: 'made', data: row.data})
SET m.group_id = $group_id, m.dim = $dim, m.seq = $seq + row.props.vector_id
"""


class Made(Embedder):
    """Vectors without a model: two texts of the same words are near, others are not."""

    model, dim, unrelated, alike = "made", DIM, 0.5, 0.85

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As domain/ports.py, Embedder."""
        rows = np.zeros((len(texts), DIM), np.float32)
        for row, text in enumerate(texts):
            seed = sum(hash_word(word) for word in text.removeprefix("the ").split())
            rows[row] = np.random.default_rng(seed).normal(size=DIM)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def hash_word(word: str) -> int:
    """A number for a word, the same in every process."""
    return int.from_bytes(word.encode(), "big") % 1_000_003


def rows(number: int, first: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Facts as rows for _WRITE. first: the first free vector_id."""
    chance, topics = np.random.default_rng(seed), np.random.default_rng(7).normal(size=(500, DIM))
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    before: tuple[str, Any, Any] | None = None
    for n in range(number):
        subject = "you" if n % 2 else f"person {n % 1000}"
        if n % 10 == 1 and before:
            subject, words, vector = before[0], f"the {before[1]}", before[2] + 0.01 * chance.normal(size=DIM)
        else:
            words = "".join(chance.choice(SYLLABLES, 3)) + " " + "".join(SYLLABLES[n // 24**k % 24] for k in range(4))
            own = chance.normal(size=DIM)
            vector = 0.7 * topics[n % 500] + 0.7 * own / np.linalg.norm(own)
        before = subject, words, vector
        triple = Triple(subject, "likes", words)
        unit = (vector / np.linalg.norm(vector)).astype(np.float32)
        at = MARCH - timedelta(days=int(chance.integers(0, 60)))
        props = {
            "subject": subject, "relation": "likes", "object": words, "text": f"{subject} likes {words}",
            "confidence": 0.7, "weight": 0.7, "evidence_count": 1, "status": "active", "said": at.timestamp(),
            "language": "en", "session_id": "s", "vector_id": first + n,
        }  # fmt: skip
        yield {"fact_id": fact_id(triple), "props": props, "at": at.isoformat(), "data": unit.tobytes()}


def measure(number: int) -> str:
    """One line: how long a first and a second run take."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load(group=f"scale-{uuid4()}", data_dir=Path(folder))
        with Memory.open(settings) as memory:
            memory._parts.embedder.use(Made())
            database, part = memory._parts.database, list[dict[str, Any]]()
            [[first]] = database.driver.execute_query(
                "MATCH (f:Fact) RETURN coalesce(max(f.vector_id), -1) + 1"
            ).records
            params = {"group_id": memory.group_id, "dim": DIM, "seq": int(time.time() * 1000)}
            for row in rows(number, first):
                part.append(row)
                if len(part) == 2000:
                    database.driver.execute_query(_WRITE, rows=part, **params)
                    part = []
            database.driver.execute_query(_WRITE, rows=part, **params)
            taken: list[float] = []
            counts: list[dict[str, int]] = []
            for night in range(2):
                start = time.perf_counter()
                report = memory.consolidate(user_id="anna", at=MARCH + timedelta(days=night))
                taken.append(time.perf_counter() - start)
                counts.append(dict(report.counts))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{number:>7} facts: {taken[0]:.1f} s, the night after {taken[1]:.1f} s, {megabytes:.0f} MB, {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, nargs="+", default=[1000, 10_000, 100_000])
    for number in parser.parse_args().facts:
        print(measure(number), flush=True)


if __name__ == "__main__":
    main()
