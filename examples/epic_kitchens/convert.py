"""EPIC-KITCHENS records (actions, sounds, notes as JSON lines) to clip lines that `amr ingest` takes.

    python examples/epic_kitchens/convert.py events.jsonl.gz | amr --group epic ingest -

The data set is not part of this project (CC BY-NC 4.0). A record holds kind, participant, video, start, stop (seconds
of the video) and at (wall clock; taken as UTC, the data set gives no offset), and by kind: verb, noun, nouns,
narration; sound, heard; text. A participant's kitchen is the place. A clip owns the records that start in it.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

CLIP_SEC = 10.0

Record = dict[str, Any]


def read(path: Path) -> Iterator[Record]:
    """The records of a file, plain or gzipped."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def convert(records: Iterable[Record]) -> Iterator[Record]:
    """Clip lines, video by video, in order of time."""
    videos: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        videos[record["video"]].append(record)
    for name in sorted(videos):
        in_order = sorted(videos[name], key=lambda record: (record["start"], record["stop"], record["id"]))
        recorded_at = _start_of(in_order[0])
        for number, clip in groupby(in_order, key=lambda record: int(record["start"] // CLIP_SEC)):
            yield _line(name, recorded_at, number, list(clip))


def _start_of(record: Record) -> str:
    at = datetime.fromisoformat(record["at"]).replace(tzinfo=UTC)
    return (at - timedelta(seconds=int(record["start"]))).isoformat()


def _line(video: str, recorded_at: str, number: int, records: list[Record]) -> Record:
    participant = records[0]["participant"]
    analysis = {
        "clip_summary": "; ".join(_summary(record) for record in records),
        "scene_type": "kitchen",
        "characters": [{"local_character_id": "C1", "role": "other", "name_or_description": participant}],
        "events": [_event(record) for record in records],
    }
    return {
        "video_id": video,
        "clip_id": f"{number:05d}",
        "t_start": number * CLIP_SEC,
        "t_end": (number + 1) * CLIP_SEC,
        "place": participant,
        "recorded_at": recorded_at,
        "time_base": "video",
        "analysis": analysis,
    }


def _event(record: Record) -> Record:
    event = {
        "local_event_id": record["id"],
        "time_start": record["start"],
        "time_end": max(record["start"], record["stop"]),
        "summary": _summary(record),
    }
    if record["kind"] != "action":
        return event | ({"heard": True} if record["kind"] == "sound" else {})
    action = {"actor": "C1", "verb": in_plain_words(record["verb"]), "object": in_plain_words(record["noun"])}
    return event | {
        "actors": ["C1"],
        "objects": [{"name": in_plain_words(noun)} for noun in record["nouns"]],
        "actions": [action | {"spatial_relation": _where(record)}],
    }


def _summary(record: Record) -> str:
    if record["kind"] == "action":
        return record["narration"]
    return record["text"] if record["kind"] == "note" else f"{record['heard']} ({record['sound']})"


def _where(record: Record) -> str:
    """What a narration says after its object: "put plates in cupboard" -> "in cupboard"."""
    _, found, rest = record["narration"].partition(record["noun"].split(":")[0])
    return re.sub(r"^(e?s\b)?[\s.,]*", "", rest) if found else ""


def in_plain_words(words: str) -> str:
    """The data set's names in plain words: "put-down" -> "put down", "board:chopping" -> "chopping board"."""
    head, _, rest = words.partition(":")
    return " ".join([*rest.split(":"), head]).replace("-", " ").strip()


if __name__ == "__main__":
    for line in convert(read(Path(sys.argv[1]))):
        print(json.dumps(line, ensure_ascii=False))
