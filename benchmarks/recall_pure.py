"""Recall without a database: what share of the gold evidence is among an answer's first ten events, by question type.

    python -m benchmarks.recall_pure ../shared/data/epic

Records go in as ready analyses, a clip each, into the in-memory graph of the tests; the embedder is the settings'.
Beside it stands search alone: the same rankings fused, without the walk, the groups and the choice.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

from amr_neo4j.clients.embedders import open_embedder
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.domain.recall import Scope
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.settings import load
from tests.unit.fake_graph import FakeGraph, graph_of_lines

Record = dict[str, Any]
TOP = 10


def main(folder: Path, embedder: Embedder) -> None:
    """Print recall@10 of ask and of search, and how long ask took, for each type of question and for all."""
    events = [json.loads(line) for line in gzip.decompress((folder / "events.jsonl.gz").read_bytes()).splitlines()]
    questions = [json.loads(line) for line in (folder / "questions_dev.jsonl").read_text("utf-8").splitlines()]
    rows = defaultdict(list)
    for who, asked in _by_participant(questions).items():
        graph = graph_of_lines(_lines(events, who), embedder)
        for question in asked:
            row = _measure(question, graph, embedder)
            for name in (question["type"], f"  {question['subtype']}", "all"):
                rows[name].append(row)
    for name in sorted(rows, key=lambda name: (name == "all", name.strip() not in rows, name)):
        asked, found, seconds = zip(*rows[name], strict=True)
        took = f"{median(seconds) * 1e3:.0f} ms"
        print(f"{name:20} {len(asked):4}  ask {mean(asked):.3f}  search {mean(found):.3f}  {took}")


def _measure(question: Record, graph: FakeGraph, embedder: Embedder) -> tuple[float, float, float]:
    video = question["scope"]["video"]
    scope = Scope("test", (video,) if video else ())
    ids = {node_id: event.clip_ids[0] for node_id, event in graph.stored.items()}
    begin = time.perf_counter()
    answer = ask(question["question_para"], scope, graph, graph, embedder)
    seconds = time.perf_counter() - begin
    hits = search(question["question_para"], scope, graph, graph, embedder)
    gold = set(question["gold"])
    asked = len(gold & {ids[hit.event.node_id] for hit in answer.evidence[:TOP]}) / len(gold)
    return asked, len(gold & {ids[hit.event.node_id] for hit in hits[:TOP]}) / len(gold), seconds


def _by_participant(questions: Iterable[Record]) -> dict[str | None, list[Record]]:
    grouped = defaultdict(list)
    for question in questions:
        grouped[question["scope"]["participant"]].append(question)
    return grouped


def _lines(events: Iterable[Record], participant: str | None) -> Iterator[str]:
    """Each record as a clip of one event; of one participant, or of all."""
    for record in sorted(events, key=lambda e: (e["video"], e["start"], e["id"])):
        if participant in (None, record["participant"]):
            yield json.dumps(_clip(record))


def _clip(record: Record) -> Record:
    stop = max(record["stop"], record["start"] + 0.01)
    event = {"time_start": 0, "time_end": stop - record["start"], **_told(record)}
    return {
        "video_id": record["video"],
        "clip_id": record["id"],
        "t_start": record["start"],
        "t_end": stop,
        "analysis": {"clip_summary": "", "scene_type": "kitchen", "events": [event]},
    }


def _told(record: Record) -> Record:
    who = record["participant"]
    if record["kind"] == "sound":
        return {"summary": f"A sound of {record['heard']} is heard ({record['sound']})."}
    if record["kind"] == "note":
        return {"summary": f"{who} notes: {record['text']}"}
    verb = record["verb"].replace("-", " ")
    actions = [{"actor": who, "verb": verb, "object": noun} for noun in record["nouns"]]
    objects = [{"name": noun} for noun in record["nouns"]]
    return {"summary": f"{who}: {record['narration']}", "actors": [who], "objects": objects, "actions": actions}


if __name__ == "__main__":
    main(Path(sys.argv[1]), open_embedder(load()))
