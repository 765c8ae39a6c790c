"""How long recall takes by how much memory holds, beside neo4j-graphrag's HybridRetriever in the same run. No model.

    python -m benchmarks.recall_speed ../shared/data/epic --uri bolt://127.0.0.1:7687 [--password ...]
        [--sizes 1000,10000,100000] [--group NAME] [--scratch FOLDER] [--no-hybrid | --keep-hybrid]

One group grows from size to size: all records of EPIC-KITCHENS, then the same kitchens again in further years. At
each size the events a second of the growth are printed (vectors from a cache), then every question is asked once
that was not asked before (`first`, after `warm_up` and five others), then once more (`again`: the events it needs
were read before). The questions are the dev set's, without their scope: all of the group is searched. If a named
group exists and holds enough, it is measured as it is; --scratch names a folder that keeps its dense index, too.
--keep-hybrid leaves HybridRetriever's vectors and index for the next run, because a million take minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import mean, quantiles
from uuid import uuid4

import neo4j

from amr_neo4j.domain.recall import Answer
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.json_lines import analysed, read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from amr_neo4j.wiring.embedder import open_embedder
from benchmarks.embedding_cache import CachedEmbedder
from benchmarks.hybrid import hybrid
from benchmarks.recall_quality import Line
from benchmarks.years import years
from examples.epic_kitchens.convert import convert, read

TOP = 10


def grow(memory: Memory, lines: Iterator[Line], size: int, cache: Path) -> None:
    """Take in lines until the group holds about so many events."""
    there = memory.stats().events

    def wanted() -> Iterator[str]:
        held = there
        while held < size:
            line = next(lines)
            held += len(line["analysis"]["events"])
            yield json.dumps(line)

    embedder = CachedEmbedder(open_embedder(memory.settings), cache)
    begin = time.perf_counter()
    clips = analysed(read_lines(wanted(), group_id=memory.group_id))
    for receipt in ingest(clips, Committer(memory._parts.writer(), embedder, ENGLISH), clips_per_transaction=8):
        if receipt.outcome == "rejected":
            raise SystemExit(f"rejected: {receipt.error}")
    added, took = memory.stats().events - there, time.perf_counter() - begin
    if added > 0:
        print(f"{there + added:9,}  ingest {added / took:9.0f} events/s over {added:,}", flush=True)


def timed(ask: Callable[[str], object], questions: Iterable[str], note: Callable[[object], None]) -> list[float]:
    """Seconds of each question."""
    took: list[float] = []
    for question in questions:
        begin = time.perf_counter()
        found = ask(question)
        took.append(time.perf_counter() - begin)
        note(found)
    return took


def percentiles(took: Sequence[float]) -> str:
    """p50 and p95 in ms."""
    cuts = quantiles(took, n=20)
    return f"{cuts[9] * 1e3:7.1f} {cuts[18] * 1e3:7.1f}"


def measure(memory: Memory, questions: Sequence[str], driver: neo4j.Driver | None, keep: bool = False) -> None:
    """Print the rows of one size. keep: what HybridRetriever needs, for the next run."""
    stages: dict[str, list[float]] = defaultdict(list)

    def note(found: object) -> None:
        if isinstance(found, Answer) and found.trace:
            for stage, seconds in found.trace.stages.items():
                stages[stage].append(seconds)

    size, half = memory.stats().events, len(questions) // 2
    memory.warm_up()
    [first] = timed(memory.search, questions[:1], note)
    print(f"{size:9,}  the first question of the program, after warm_up: {first * 1e3:.0f} ms", flush=True)
    for question in questions[1:5]:
        memory.ask(question)
    searched = timed(memory.search, questions[5:half], note)
    asked = timed(memory.ask, questions[half:], note)
    rows = {"search, first": searched, "ask, first": asked}
    rows["search, again"] = timed(memory.search, questions[5:half], note)
    rows["ask, again"] = timed(memory.ask, questions[half:], note)
    with hybrid(driver, memory, keep=keep) if driver else nullcontext() as beside:
        if beside:
            for question in questions[:5]:
                beside.first(question, TOP)
            rows["HybridRetriever"] = timed(lambda text: beside.first(text, TOP), questions[5:half], note)
    for name, took in rows.items():
        ratio = f"  {mean(took) / mean(rows['HybridRetriever']):.2f} of Hybrid" if driver else ""
        print(f"{size:9,}  {name:16} {percentiles(took)}{ratio}   (load {os.getloadavg()[0]:.1f})", flush=True)
    print(
        " " * 11 + "ask: " + ", ".join(f"{stage} {mean(s) * 1e3:.1f}" for stage, s in stages.items()) + " ms",
        flush=True,
    )


def main() -> None:
    """Print the curve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--group", default=f"speed-{uuid4().hex[:8]}")
    parser.add_argument("--scratch", type=Path, help="keeps the dense index and the vectors of texts between runs")
    beside = parser.add_mutually_exclusive_group()
    beside.add_argument("--no-hybrid", action="store_true")
    beside.add_argument("--keep-hybrid", action="store_true")
    given = parser.parse_args()
    os.environ.pop("OPENBLAS_CORETYPE", None)
    asked = [json.loads(line) for line in (given.folder / "questions_dev.jsonl").read_text("utf-8").splitlines()]
    questions = list(dict.fromkeys(question["question_para"] for question in asked))
    lines = years(list(convert(read(given.folder / "events.jsonl.gz"))))
    print(f"   events                      p50     p95 ms   ({len(questions)} questions)", flush=True)
    with nullcontext(given.scratch) if given.scratch else tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        settings = load(neo4j_uri=given.uri, neo4j_password=given.password, group=given.group, data_dir=scratch)
        driver = None
        if not given.no_hybrid:
            driver = neo4j.GraphDatabase.driver(given.uri, auth=("neo4j", given.password))
        with Memory.open(settings) as memory, driver or nullcontext():
            for size in map(int, given.sizes.split(",")):
                grow(memory, lines, size, scratch / "cache.sqlite")
                measure(memory, questions, driver, given.keep_hybrid)


if __name__ == "__main__":
    main()
