"""The dense index against size: build, load, search, recall, memory.

    python -m benchmarks.dense_index ../shared/data/epic [10000 100000 1000000]

The vectors lie as real ones do: each is a real text's, one of 3,835 narrations of kitchens or of 4,000 pairs of them
joined, plus 0.3 of another narration's, plus noise of length 0.1. The questions are real ones, asked of the same
kitchens, so that they lie where questions do: at a cosine of 0.5 to the nearest event, not among the events.
Exact is the same index kept flat. Every figure comes from a process of its own; resident memory is over and above
what it takes to import the index and hold the questions.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from math import nan
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from amr_neo4j.domain.ports import StoredVector, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors.faiss_index import FLAT_UP_TO, FaissIndex

PAIRS, NEAREST, ASKED = 4000, 50, 200
VIDEO, PAGE = 200, 5000
Figures = dict[str, Any]


class Source:
    """A VectorSource of `size` vectors in videos of 200 events, three in four of group g. spent: seconds it took."""

    def __init__(self, folder: Path, size: int) -> None:
        base = np.load(folder / "base.npz")
        self.narrations, self.texts, self.questions = base["narrations"], base["texts"], base["questions"]
        self.size, self.spent = size, 0.0

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        begin = time.perf_counter()
        last = min(seq + limit, self.size)
        page = [self._stored(seq + n, row) for n, row in enumerate(self._rows(seq, max(0, last - seq)))]
        self.spent += time.perf_counter() - begin
        return page

    def _rows(self, seed: int, count: int) -> Vectors:
        random, dim = np.random.default_rng(seed), self.texts.shape[1]
        rows = self.texts[random.integers(len(self.texts), size=count)]
        rows = rows + 0.3 * self.narrations[random.integers(len(self.narrations), size=count)]
        rows += random.normal(scale=0.1 / dim**0.5, size=(count, dim))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def _stored(self, n: int, row: Vectors) -> StoredVector:
        start = n % VIDEO * 3.0
        return StoredVector(n, n, "g" if n % 4 else "h", f"v{n // VIDEO}", row.tobytes(), start, start + 3, nan, n)


def exact(folder: Path, size: int) -> Figures:
    """Brute force at any size; keeps the ten nearest as the reference for the others."""
    source, index = _index(folder, size, flat_up_to=size)
    index.catch_up()
    asked = source.questions if size <= 100_000 else source.questions[:50]
    found = [[node_id for node_id, _ in index.search(question, 10, Scope("g"))] for question in source.questions]
    (folder / "nearest.json").write_text(json.dumps(found))
    return _times("exact", lambda question: index.search(question, NEAREST, Scope("g")), asked)


def build(folder: Path, size: int) -> Figures:
    """Build from an empty index. The longest page is the one at which the cells are trained."""
    source, index = _index(folder, size)
    pages = list(_pages(index, source))
    begin = time.perf_counter()
    index.save()
    saved = time.perf_counter() - begin
    file_mb = sum(path.stat().st_size for path in folder.glob("*.index.npz")) / 2**20
    figures = {"build_s": sum(pages), "longest_page_s": max(pages), "save_s": saved, "file_mb": file_mb}
    return figures | {"build_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def use(folder: Path, size: int) -> Figures:
    """Opened from what was saved."""
    before = _resident_mb()
    begin = time.perf_counter()
    source, index = _index(folder, size)
    opened = time.perf_counter() - begin
    figures: Figures = {"load_s": opened, "resident_mb": _resident_mb() - before}
    nearest = json.loads((folder / "nearest.json").read_text())
    found = [{node_id for node_id, _ in index.search(question, 10, Scope("g"))} for question in source.questions]
    figures["recall@10"] = float(
        np.mean([len(ids & set(best)) / 10 for ids, best in zip(found, nearest, strict=True)])
    )
    moments = iter(range(10**6))
    fresh = lambda: Scope("g", as_of=300.0 + next(moments))  # noqa: E731 - a scope that was not asked before
    some = np.random.default_rng(1).choice(size, 500, replace=False).tolist()
    figures |= _times("search", lambda question: index.search(question, NEAREST, Scope("g")), source.questions)
    figures |= _times("fresh", lambda question: index.search(question, NEAREST, fresh()), source.questions)
    figures |= _times("video", lambda q: index.search(q, NEAREST, Scope("g", ("v1",))), source.questions)
    figures |= _times("among", lambda q: index.search(q, NEAREST, Scope("g"), some), source.questions)
    return figures | _times("similarities", lambda q: index.similarities(q[np.newaxis], some), source.questions)


def _index(folder: Path, size: int, flat_up_to: int = FLAT_UP_TO) -> tuple[Source, FaissIndex]:
    source = Source(folder, size)
    path = folder / f"{size}.index.npz"
    return source, FaissIndex(source, "m", source.texts.shape[1], path=path, flat_up_to=flat_up_to)


def _pages(index: FaissIndex, source: Source) -> Iterator[float]:
    """The seconds that each page took, without those that it took to make the page."""
    whole = source.size
    for source.size in range(PAGE, whole + PAGE, PAGE):
        begin = time.perf_counter() - source.spent
        index.catch_up()
        yield time.perf_counter() - source.spent - begin


def _times(name: str, ask: Callable[[Vectors], object], questions: Vectors) -> Figures:
    """Median and 95th percentile in ms, by the clock and of processor time (others may use the processor, too)."""
    took: list[tuple[float, float]] = []
    for question in questions[:ASKED]:
        begin, used = time.perf_counter(), time.process_time()
        ask(question)
        took.append((1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - used)))
    clock, processor = (quantiles(times, n=20) for times in zip(*took, strict=True))
    return {f"{name}_ms": [clock[9], clock[18]], f"{name}_cpu_ms": [processor[9], processor[18]]}


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def prepare(data: Path, folder: Path) -> None:
    """Embed the narrations, the pairs and the questions with the settings' embedder."""
    from amr_neo4j.settings import load  # noqa: PLC0415
    from amr_neo4j.wiring.embedder import open_embedder  # noqa: PLC0415 - heavy, and no part of what is measured

    embed, random = open_embedder(load()).embed, np.random.default_rng(0)
    records = [json.loads(line) for line in gzip.decompress((data / "events.jsonl.gz").read_bytes()).splitlines()]
    asked = [json.loads(line) for line in (data / "questions_dev.jsonl").read_text("utf-8").splitlines()]
    narrated = sorted({record["narration"] for record in records if record.get("narration")})
    pairs = [f"{narrated[one]}. {narrated[other]}" for one, other in random.integers(len(narrated), size=(PAIRS, 2))]
    narrations, questions = embed(narrated), embed([record["question_para"] for record in asked])
    texts = np.concatenate([narrations, embed(pairs)])
    np.savez(folder / "base.npz", narrations=narrations, texts=texts, questions=questions)


def main(data: Path, sizes: list[int]) -> None:
    with TemporaryDirectory() as name:
        prepare(data, Path(name))
        for size in sizes:
            print(f"\n{size:,} vectors")
            for part in ("exact", "build", "use"):
                command = [sys.executable, "-m", "benchmarks.dense_index", "--here", part, name, str(size)]
                figures = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
                for figure, value in figures.items():
                    values = value if isinstance(value, list) else [value]
                    print(f"  {figure:16} {' / '.join(f'{v:10.3f}' for v in values)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        measure = {"exact": exact, "build": build, "use": use}[sys.argv[2]]
        print(json.dumps(measure(Path(sys.argv[3]), int(sys.argv[4]))))
    else:
        main(Path(sys.argv[1]), [int(size) for size in sys.argv[2:]] or [10_000, 100_000, 1_000_000])
