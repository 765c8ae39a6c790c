"""Recall@10 without a key, on one real Neo4j: what share of the gold evidence is among the first ten events.

    python -m benchmarks.recall_quality epic   ../shared/data/epic   --uri bolt://127.0.0.1:7687 [--password ...]
    python -m benchmarks.recall_quality locomo ../shared/data/locomo --uri bolt://127.0.0.1:7687 [--every 4]

epic: questions_dev.jsonl, or the files that --questions names (benchmarks/epic_questions.py makes fresh ones), over
all records, question_para in its own scope; locomo: categories 1 to 4, a group per conversation, a session as a video
and a turn as a clip. Beside `search` and the evidence of `ask` stand the full-text index alone (BM25), the dense
index alone and neo4j-graphrag's HybridRetriever (benchmarks/hybrid.py; it takes the extra graphrag), asked in the
same run in turns. The weights of recall/fusion.yaml were taken from LoCoMo, those of recall/channels.yaml's `carries`
were set while looking at epic's dev questions. Give it a database of its own: the hybrid's full text ranks over all
that a database holds.

Times are of a question's text until its events are there, embedding included. The hybrid's is of its first ten nodes
out of everything, in one query, as it comes; the others look in the question's scope alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

import neo4j

from amr_neo4j.domain.recall import Scope
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from benchmarks.hybrid import Hybrid, hybrid
from examples.epic_kitchens.convert import convert, read

TOP = 10
TURN_SEC = 10.0
Line = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question with the ids of its evidence. videos, participant: where it looks."""

    text: str
    gold: frozenset[str]
    kind: str
    videos: tuple[str, ...] = ()


def epic(folder: Path, questions: Sequence[Path] = ()) -> Iterator[tuple[list[Line], list[Asked]]]:
    """All records, and the questions of these files, or else the dev questions."""
    lines = list(convert(read(folder / "events.jsonl.gz")))
    videos: dict[str, list[str]] = defaultdict(list)
    for video in sorted({line["video_id"] for line in lines}):
        videos[video.split("_")[0]].append(video)
    files = questions or [folder / "questions_dev.jsonl"]
    found = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    yield lines, [_of_epic(question, videos) for question in found]


def _of_epic(question: Line, videos: dict[str, list[str]]) -> Asked:
    scope = question["scope"]
    named = [scope["video"]] if scope["video"] else videos.get(scope["participant"], [])
    return Asked(question["question_para"], frozenset(question["gold"]), question["type"], tuple(named))


def locomo(folder: Path) -> Iterator[tuple[list[Line], list[Asked]]]:
    """Each conversation with its questions."""
    for talk in json.loads(gzip.decompress((folder / "locomo_dev.json.gz").read_bytes())):
        questions = [q for q in talk["qa"] if q["category"] != 5 and q["evidence"]]
        yield (
            list(_turns(talk["conversation"])),
            [Asked(q["question"], frozenset(q["evidence"]), f"category {q['category']}") for q in questions],
        )


def _turns(talk: Line) -> Iterator[Line]:
    for session in filter(re.compile(r"session_\d+").fullmatch, talk):
        said = datetime.strptime(talk[f"{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=timezone.utc)
        for place, turn in enumerate(talk[session]):
            shown = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            summary = f"{turn['speaker']}: {turn.get('text', '')}{shown}"
            event = {"time_start": 0, "time_end": TURN_SEC, "summary": summary, "actors": [turn["speaker"]]}
            yield {
                "video_id": session,
                "clip_id": turn["dia_id"],
                "t_start": place * TURN_SEC,
                "t_end": (place + 1) * TURN_SEC,
                "recorded_at": said.isoformat(),
                "analysis": {"clip_summary": "", "events": [event | {"local_event_id": turn["dia_id"]}]},
            }


@dataclass(frozen=True)
class Stored:
    """What the data set calls an event, and its video."""

    name: str
    video: str


@dataclass(frozen=True)
class Measured:
    """Of one question and by retriever: recall@10, and seconds."""

    kind: str
    shares: dict[str, float]
    seconds: dict[str, float]


Finder = Callable[[Asked], list[int]]


def finders(memory: Memory, theirs: Hybrid) -> dict[str, Finder]:
    """By retriever what finds the first node_ids for a question, best first."""

    def bm25(asked: Asked) -> list[int]:
        return [i for i, _ in memory._reader.full_text(asked.text, Scope(memory.group_id, asked.videos), TOP)]

    def dense(asked: Asked) -> list[int]:
        [vector] = memory._embedder.embed([asked.text])
        memory._index.catch_up()
        return [i for i, _ in memory._index.search(vector, TOP, Scope(memory.group_id, asked.videos))]

    def search(asked: Asked) -> list[int]:
        return [hit.event.node_id for hit in memory.search(asked.text, videos=asked.videos, limit=TOP)]

    def ask(asked: Asked) -> list[int]:
        return [hit.event.node_id for hit in memory.ask(asked.text, videos=asked.videos).evidence[:TOP]]

    hybrid = lambda asked: theirs.first(asked.text, TOP)  # noqa: E731
    return {"bm25": bm25, "dense": dense, "hybrid": hybrid, "search": search, "ask": ask}


def measure(
    memory: Memory, theirs: Hybrid, stored: Mapping[int, Stored], questions: Sequence[Asked]
) -> Iterator[Measured]:
    """Every retriever on every question."""
    found = finders(memory, theirs)
    for finder in found.values():
        finder(questions[0])  # what is loaded at first use is not measured
    for number, asked in enumerate(questions):
        turn = number % len(found)
        ids, seconds = dict[str, list[int]](), dict[str, float]()
        for name in [*found, *found][turn : turn + len(found)]:
            begin = time.perf_counter()
            ids[name] = found[name](asked)
            seconds[name] = time.perf_counter() - begin
        there = {i for i, event in stored.items() if not asked.videos or event.video in asked.videos}
        ids["hybrid"] = theirs.within(asked.text, there, TOP)
        shares = {
            name: len(asked.gold & {stored[i].name for i in some}) / len(asked.gold) for name, some in ids.items()
        }
        yield Measured(asked.kind, shares, seconds)


def ingested(memory: Memory, lines: Sequence[Line]) -> dict[int, Stored]:
    """The events of these lines by node_id."""
    stored: dict[int, Stored] = {}
    told = {(line["video_id"], line["clip_id"]): line["analysis"]["events"] for line in lines}

    def watch(progress: Any) -> None:
        video = progress.receipt.video_id
        events = told[video, progress.receipt.clip_id]
        in_order = sorted(events, key=lambda event: (event["time_start"], event["time_end"]))
        names = (Stored(event["local_event_id"], video) for event in in_order)
        stored.update(zip(progress.receipt.node_ids, names, strict=True))

    memory.ingest_lines([json.dumps(line) for line in lines], watch=watch)
    return stored


def show(found: Sequence[Measured]) -> None:
    """Recall by kind of question, then the times."""
    names = list(found[0].shares)
    print(f"{'recall@10':22}{'n':>5}" + "".join(f"{name:>9}" for name in names))
    for kind in [*sorted({one.kind for one in found}), "all"]:
        some = [one.shares for one in found if kind in (one.kind, "all")]
        print(f"{kind:22}{len(some):5}" + "".join(f"{mean(of[name] for of in some):9.3f}" for name in names))
    times = {name: quantiles((one.seconds[name] for one in found), n=20) for name in names}
    for cut, place in (("p50", 9), ("p95", 18)):
        took = {name: of[place] * 1e3 for name, of in times.items()}
        ratio = f"   search/hybrid {took['search'] / took['hybrid']:.2f}"
        print(f"{f'ms, {cut}':27}" + "".join(f"{took[name]:9.1f}" for name in names) + ratio)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=["epic", "locomo"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    parser.add_argument("--every", type=int, default=1, help="ask every n-th question alone")
    parser.add_argument("--questions", type=Path, nargs="+", default=[], help="files of questions about epic")
    given = parser.parse_args()
    data = epic(given.folder, given.questions) if given.data == "epic" else locomo(given.folder)
    found: list[Measured] = []
    auth = ("neo4j", given.password)
    with tempfile.TemporaryDirectory() as scratch, neo4j.GraphDatabase.driver(given.uri, auth=auth) as driver:
        settings = load(neo4j_uri=given.uri, neo4j_password=given.password, data_dir=Path(scratch))
        for number, (lines, asked) in enumerate(data):
            group = f"quality-{given.data}-{number}-{time.time_ns()}"
            with Memory.open(settings.model_copy(update={"group": group})) as memory:
                stored = ingested(memory, lines)
                with hybrid(driver, memory) as theirs:
                    found += measure(memory, theirs, stored, asked[:: given.every])
    show(found)


if __name__ == "__main__":
    main()
