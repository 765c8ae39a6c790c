"""Conversations: how fast turns go in, and how long a search takes beside a million of other people's. No model.

    python -m benchmarks.conversation_speed ingest  ../shared/data/locomo --uri bolt://127.0.0.1:7687 [--password ...]
    python -m benchmarks.conversation_speed million ../shared/data/locomo --uri ... [--turns 1000000] [--users 1000]

ingest: LoCoMo's turns through the writer with vectors made beforehand, then all of it through `import_chat` with the
embedder and the spool, then the same again. million: LoCoMo's turns under many users, each with turns and vectors of
their own (those of the embedded turn, moved a little), and one user with only 500. Then questions are asked as that
user and as others, at several sizes. Questions are LoCoMo's own; the times include embedding them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import uuid4

import numpy as np

from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from amr_neo4j.store.write.episode_writer import EpisodeWriter
from tests.support.chat_files import read_chat

SMALL_USER = 500
PAGE = 250
ASKED = 150


def talks(folder: Path) -> list[dict[str, Any]]:
    """LoCoMo's conversations."""
    return json.loads(gzip.decompress((folder / "locomo_dev.json.gz").read_bytes()))


def turns_of(talk: dict[str, Any], group_id: str, user_id: str) -> list[Episode]:
    """A conversation as a user's episodes."""
    now = datetime.now(UTC)
    turns = read_chat(json.dumps(talk), "talk")
    return [one_episode(one.turn, Session(group_id, user_id, one.session_id), now, ENGLISH) for one in turns]


def embedded(memory: Memory, episodes: Sequence[Episode]) -> Vectors:
    """Their vectors."""
    return memory._parts.embedder().embed([episode.embedded for episode in episodes])


def rate(name: str, turns: int, seconds: float) -> None:
    """Print turns a second."""
    print(f"{name:40} {turns:7,} turns {seconds:8.1f} s {turns / seconds:8.0f}/s  (load {os.getloadavg()[0]:.1f})")


def ingest(memory: Memory, folder: Path) -> None:
    """Print the rates."""
    found = talks(folder)
    writer = writer_of(memory)
    said = [turns_of(talk, memory.group_id, f"vectors-{n}") for n, talk in enumerate(found)]
    vectors = [embedded(memory, turns) for turns in said]
    # statements are planned at first use
    embedder = memory._parts.embedder()
    embedded_by = (embedder.model, embedder.dim)
    writer.commit(said[0][:PAGE], list(vectors[0][:PAGE]), embedded_by)
    begin = time.perf_counter()
    for turns, of in zip(said[1:], vectors[1:], strict=True):
        writer.commit(turns, list(of), embedded_by)
    rate("graph alone, vectors supplied", sum(map(len, said[1:])), time.perf_counter() - begin)
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("keyless: spool, embedder, graph", "the same again"):
            begin, count = time.perf_counter(), 0
            for n, talk in enumerate(found):
                file = Path(scratch) / f"{n}.json"
                file.write_text(json.dumps(talk), encoding="utf-8")
                report = memory.import_chat(file, user_id=f"keyless-{n}")
                count += report.committed + report.unchanged
            rate(name, count, time.perf_counter() - begin)


def writer_of(memory: Memory) -> EpisodeWriter:
    """A writer to the memory's graph."""
    return EpisodeWriter(memory._parts.database, language="en", now=lambda: datetime.now(UTC))


def million(memory: Memory, folder: Path, turns: int, users: int) -> None:
    """Print the times of searches by how much there is."""
    found = talks(folder)
    questions = [q["question"] for talk in found for q in talk["qa"]][:: max(1, 700 // ASKED)][:ASKED]
    if memory._parts.browse.group():
        asked(memory, questions, turns, users)
        return
    base = [(talk, turns_of(talk, memory.group_id, "base")) for talk in found]
    vectors = [embedded(memory, episodes) for _, episodes in base]
    everything = [
        (e, v) for (_, episodes), of in zip(base, vectors, strict=True) for e, v in zip(episodes, of, strict=True)
    ]
    writer, random, embedder = writer_of(memory), np.random.default_rng(1), memory._parts.embedder()
    sizes = iter([turns // 100, turns // 10, turns])
    there, target = 0, next(sizes)
    begin = time.perf_counter()
    for number in range(users):
        most = SMALL_USER if number == 0 else turns // users
        for page, of in pages(islice(cycle(everything), number * 37, number * 37 + most), f"user-{number}"):
            writer.commit(page, list(moved(of, random)), (embedder.model, embedder.dim))
            there += len(page)
        if there >= target or number == users - 1:
            rate(f"{there:,} turns of {number + 1} users", there, time.perf_counter() - begin)
            asked(memory, questions, there, number + 1)
            target = next(sizes, turns * 2)


def pages(turns: Iterator[tuple[Episode, Any]], user_id: str) -> Iterator[tuple[list[Episode], Vectors]]:
    """The turns as those of a user, a page at a time."""
    count = 0
    while page := list(islice(turns, PAGE)):
        said = [
            Episode(
                Session(e.session.group_id, user_id, e.session.session_id),
                f"ep-{count + n}",
                e.type,
                e.actor,
                e.actor_id,
                e.content,
                e.valid_at,
                shown=e.shown,
                turn_id=e.turn_id,
                content_sha256=e.content_sha256,
            )
            for n, (e, _) in enumerate(page)
        ]
        count += len(page)
        yield said, np.array([vector for _, vector in page], np.float32)


def moved(vectors: Vectors, random: np.random.Generator) -> Vectors:
    """Each a little elsewhere, of length 1."""
    noisy = vectors + random.normal(0, 0.01, vectors.shape).astype(np.float32)
    return noisy / np.linalg.norm(noisy, axis=1, keepdims=True)


def asked(memory: Memory, questions: Sequence[str], there: int, users: int) -> None:
    """Search as the user with few turns, and as others in turns."""
    memory.search(questions[0], user_id="user-0")
    for name, user in (
        ("a user of 500 turns", lambda n: "user-0"),
        ("users in turns", lambda n: f"user-{n % users}"),
    ):
        took: list[float] = []
        for number, question in enumerate(questions):
            begin = time.perf_counter()
            memory.search(question, user_id=user(number))
            took.append(time.perf_counter() - begin)
        cuts = quantiles(took, n=20)
        load_now = f"(load {os.getloadavg()[0]:.1f})"
        print(f"{there:9,}  {name:20} p50 {cuts[9] * 1e3:6.1f}  p95 {cuts[18] * 1e3:6.1f} ms  {load_now}", flush=True)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["ingest", "million"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--group", default=f"talk-{uuid4().hex[:8]}", help="one that is there is measured as it is")
    given = parser.parse_args()
    os.environ.pop("OPENBLAS_CORETYPE", None)
    with tempfile.TemporaryDirectory() as scratch:
        where = {"neo4j_uri": given.uri, "neo4j_password": given.password}
        settings = load(**where, group=given.group, data_dir=Path(scratch))
        with Memory.open(settings) as memory:
            if given.what == "ingest":
                ingest(memory, given.folder)
            else:
                million(memory, given.folder, given.turns, given.users)


if __name__ == "__main__":
    main()
