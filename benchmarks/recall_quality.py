"""Recall@10 without a key, on one real Neo4j: what share of the gold evidence is among the first ten events.

    python -m benchmarks.recall_quality epic   ../shared/data/epic   --uri bolt://127.0.0.1:7687 [--password ...]
    python -m benchmarks.recall_quality locomo ../shared/data/locomo --uri bolt://127.0.0.1:7687 [--every 4]

epic: questions_dev.jsonl, or the files that --questions names (benchmarks/epic_questions.py makes fresh ones), over
all records. Each is asked as question_para, in its own scope. locomo: categories 1 to 4. All conversations are in one
group, each a user's, and every question is asked as its user. Beside `search` and the evidence of `ask`, the same run
asks the full-text index alone (BM25), the dense index alone and neo4j-graphrag's HybridRetriever
(benchmarks/hybrid.py; it needs the extra graphrag), in turns. The weights of recall/rank/fusion.yaml were chosen on
LoCoMo; `carries` of recall/rank/channels.yaml was set while looking at epic's dev questions. Give it a database of
its own, because the hybrid's full-text index ranks over all that a database holds.

Times are from a question's text to its events, embedding included. The hybrid's is that of one query for its first
ten nodes out of everything; the others look only in the question's scope.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

import neo4j

from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.event import said_id
from amr_neo4j.domain.recall import Scope
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from benchmarks.hybrid import TURNS, Hybrid, hybrid
from examples.epic_kitchens.convert import convert, read

TOP = 10
Line = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question with the ids of its evidence. videos, user: where it looks."""

    text: str
    gold: frozenset[str]
    kind: str
    videos: tuple[str, ...] = ()
    user: str = ""


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


def locomo(folder: Path) -> Iterator[tuple[Line, list[Asked]]]:
    """Each conversation with its questions."""
    for talk in json.loads(gzip.decompress((folder / "locomo_dev.json.gz").read_bytes())):
        questions = [q for q in talk["qa"] if q["category"] != 5 and q["evidence"]]
        yield talk, [Asked(q["question"], frozenset(q["evidence"]), f"category {q['category']}") for q in questions]


@dataclass(frozen=True)
class Stored:
    """What the data set calls an event or a turn, and its video or user."""

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

    def where(asked: Asked) -> Bounds:
        return {"videos": asked.videos, "user_id": asked.user}

    def bm25(asked: Asked) -> list[int]:
        sources = memory._parts.asking().sources(memory.group_id, where(asked))
        scope, reader = sources.scope, sources.reader
        return [i for i, _ in reader.full_text(asked.text, scope, TOP)]

    def dense(asked: Asked) -> list[int]:
        sources = memory._parts.asking().sources(memory.group_id, where(asked))
        scope, index, embedder = sources.scope, sources.index, sources.embedder
        [vector] = embedder.embed([asked.text])
        index.catch_up()
        return [i for i, _ in index.search(vector, TOP, scope)]

    def search(asked: Asked) -> list[int]:
        return [hit.event.node_id for hit in memory.search(asked.text, limit=TOP, all=True, **where(asked))]

    def ask(asked: Asked) -> list[int]:
        return [hit.event.node_id for hit in memory.ask(asked.text, **where(asked)).evidence[:TOP]]

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
        places = asked.videos or tuple(filter(None, [asked.user]))
        there = {i for i, event in stored.items() if not places or event.video in places}
        ids["hybrid"] = theirs.within(asked.text, there, TOP)
        shares = {
            name: len(asked.gold & {stored[i].name for i in some}) / len(asked.gold) for name, some in ids.items()
        }
        yield Measured(asked.kind, shares, seconds)


def ingested(memory: Memory, lines: Sequence[Line]) -> dict[int, Stored]:
    """The events of these lines by node_id."""
    stored: dict[int, Stored] = {}
    clips = {(line["video_id"], line["clip_id"]): line["analysis"]["events"] for line in lines}

    def watch(progress: Any) -> None:
        video = progress.receipt.video_id
        events = clips[video, progress.receipt.clip_id]
        in_order = sorted(events, key=lambda event: (event["time_start"], event["time_end"]))
        names = (Stored(event["local_event_id"], video) for event in in_order)
        stored.update(zip(progress.receipt.node_ids, names, strict=True))

    memory.ingest_lines([json.dumps(line) for line in lines], watch=watch)
    return stored


def said(memory: Memory, talk: Line, user: str) -> dict[int, Stored]:
    """The turns of a conversation, taken in as a user's, by node_id."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "talk.json"
        file.write_text(json.dumps(talk), encoding="utf-8")
        report = memory.import_chat(file, user_id=user)
    if report.rejected:
        raise SystemExit(f"rejected: {report.errors}")
    everything = Scope(memory.group_id, user_id=user)
    turns = (
        turn for row in memory.sessions(user_id=user) for turn in memory.conversation(row.session_id, user_id=user)
    )
    ids = [said_id(turn.vector_id) for turn in turns]
    events = memory._parts.turns.events(ids, everything)
    return {event.node_id: Stored(event.turn.turn_id, user) for event in events if event.turn}


def of_epic(memory: Memory, driver: neo4j.Driver, given: argparse.Namespace) -> Iterator[Measured]:
    """All records in one group."""
    for lines, asked in epic(given.folder, given.questions):
        stored = ingested(memory, lines)
        with hybrid(driver, memory) as theirs:
            yield from measure(memory, theirs, stored, asked[:: given.every])


def of_locomo(memory: Memory, driver: neo4j.Driver, given: argparse.Namespace) -> Iterator[Measured]:
    """All conversations in one group, each a user's."""
    stored: dict[int, Stored] = {}
    questions: list[Asked] = []
    for number, (talk, asked) in enumerate(locomo(given.folder)):
        stored |= said(memory, talk, f"user-{number}")
        questions += [replace(one, user=f"user-{number}") for one in asked[:: given.every]]
    with hybrid(driver, memory, TURNS) as theirs:
        yield from measure(memory, theirs, stored, questions)


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
    auth = ("neo4j", given.password)
    with tempfile.TemporaryDirectory() as scratch, neo4j.GraphDatabase.driver(given.uri, auth=auth) as driver:
        group = f"quality-{given.data}-{time.time_ns()}"
        where = {"neo4j_uri": given.uri, "neo4j_password": given.password}
        with Memory.open(load(**where, data_dir=Path(scratch), group=group)) as memory:
            found = list((of_epic if given.data == "epic" else of_locomo)(memory, driver, given))
    show(found)


if __name__ == "__main__":
    main()
