"""Recall@10 without a key, on one real Neo4j: what share of the gold evidence is among the first ten events.

    python -m benchmarks.recall_quality epic   ../shared/data/epic   --uri bolt://127.0.0.1:7687 [--password ...]
    python -m benchmarks.recall_quality locomo ../shared/data/locomo --uri bolt://127.0.0.1:7687 [--every 4]

epic: questions_dev.jsonl (question_para, in its own scope) over all records; locomo: categories 1 to 4, a group per
conversation, a session as a video and a turn as a clip. Beside `search` and the evidence of `ask` stand the full-text
index alone (BM25) and the dense index alone, asked in the same run. The weights of recall/fusion.yaml were taken from
LoCoMo, those of recall/channels.yaml's `carries` were set while looking at epic's dev questions.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

from amr_neo4j.domain.recall import Scope
from amr_neo4j.memory import Memory
from amr_neo4j.settings import Settings, load
from examples.epic_kitchens.convert import convert, read

TOP = 10
TURN_SEC = 10.0
NAMES = ("bm25", "dense", "search", "ask")
Line = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question with the ids of its evidence. videos, participant: where it looks."""

    text: str
    gold: frozenset[str]
    kind: str
    videos: tuple[str, ...] = ()


def epic(folder: Path) -> Iterator[tuple[list[Line], list[Asked]]]:
    """All records, and the dev questions."""
    lines = list(convert(read(folder / "events.jsonl.gz")))
    videos: dict[str, list[str]] = defaultdict(list)
    for video in sorted({line["video_id"] for line in lines}):
        videos[video.split("_")[0]].append(video)
    found = [json.loads(line) for line in (folder / "questions_dev.jsonl").read_text("utf-8").splitlines()]
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


def measure(
    memory: Memory, names: dict[int, str], asked: Sequence[Asked]
) -> Iterator[tuple[str, list[float], float]]:
    """(kind, recall@10 by NAMES, seconds that search took) of each question."""
    for question in asked:
        scope = Scope(memory.group_id, question.videos)
        [vector] = memory._embedder.embed([question.text])
        begin = time.perf_counter()
        hits = memory.search(question.text, videos=question.videos, limit=TOP)
        seconds = time.perf_counter() - begin
        found = [
            [node_id for node_id, _ in memory._reader.full_text(question.text, scope, TOP)],
            [node_id for node_id, _ in memory._index.search(vector, TOP, scope)],
            [hit.event.node_id for hit in hits],
            [hit.event.node_id for hit in memory.ask(question.text, videos=question.videos).evidence[:TOP]],
        ]
        gold = question.gold
        yield question.kind, [len(gold & {names[i] for i in ids}) / len(gold) for ids in found], seconds


def ingested(memory: Memory, lines: Sequence[Line]) -> dict[int, str]:
    """node_id -> the id that the data set has for it."""
    names: dict[int, str] = {}
    told = {(line["video_id"], line["clip_id"]): line["analysis"]["events"] for line in lines}

    def watch(progress: Any) -> None:
        events = told[progress.receipt.video_id, progress.receipt.clip_id]
        in_order = sorted(events, key=lambda event: (event["time_start"], event["time_end"]))
        names.update(zip(progress.receipt.node_ids, (e["local_event_id"] for e in in_order), strict=True))

    memory.ingest_lines([json.dumps(line) for line in lines], watch=watch)
    return names


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=["epic", "locomo"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    parser.add_argument("--every", type=int, default=1, help="ask every n-th question alone")
    given = parser.parse_args()
    rows: dict[str, list[list[float]]] = defaultdict(list)
    took: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        settings = load(neo4j_uri=given.uri, neo4j_password=given.password, data_dir=Path(scratch))
        for number, (lines, asked) in enumerate({"epic": epic, "locomo": locomo}[given.data](given.folder)):
            with Memory.open(_of_group(settings, f"quality-{given.data}-{number}-{time.time_ns()}")) as memory:
                for kind, shares, seconds in measure(memory, ingested(memory, lines), asked[:: given.every]):
                    rows[kind].append(shares)
                    rows["all"].append(shares)
                    took.append(seconds)
    print(f"{'':22}{'n':>5}" + "".join(f"{name:>9}" for name in NAMES))
    for kind, found in sorted(rows.items(), key=lambda row: (row[0] == "all", row[0])):
        print(f"{kind:22}{len(found):5}" + "".join(f"{mean(of):9.3f}" for of in zip(*found, strict=True)))
    cuts = quantiles(took, n=20)
    print(f"search took {cuts[9] * 1e3:.0f} ms (p50), {cuts[18] * 1e3:.0f} ms (p95)")


def _of_group(settings: Settings, group: str) -> Settings:
    return settings.model_copy(update={"group": group})


if __name__ == "__main__":
    main()
