"""A made-up week of three people, two of whom wear a camera, and questions about it: benchmarks/week.yaml.

    python -m benchmarks.week [--half 1] [--show]

Each scene is seen by the camera of everyone with one who is there, with captions a few seconds apart: those of the
scene, in which the wearer is "I", and others that a seeded script draws. Half 2 of the questions is put aside: it is
only scored, and --show does not print it. A question is asked by a wearer at its moment. Printed for search: in how
many questions an event of a right scene is among the first 1, 5 and 10; for ask: how many answers are right, doubted,
declined and wrong. An answer is right if it cites scenes that it may rest on and its text has what it must say; where
memory has none, it is right to claim nothing.
Needs a database (NEO4J_URI) and writes to a group of its own, which it forgets.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from amr_neo4j import Memory
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Answer
from benchmarks.days import DOUBTS

SEED = 46
ZONE = ZoneInfo("Europe/Berlin")
# Captions that are drawn between two lines of a scene.
BETWEEN = range(1, 5)
LINE_SEC = 4
CLIP_SEC = 60
Line = tuple[float, str, str]


def moment(words: str) -> datetime:
    """Return a moment of the week: "4 08:00"."""
    day, clock = words.split()
    hour, minute = map(int, clock.split(":"))
    return datetime(2026, 5, int(day), hour, minute, tzinfo=ZONE)


def worded(line: str, wearer: str) -> str:
    """Return a caption as the camera of the wearer has it: "Nora take(s) a cup" is "I take a cup" to Nora."""
    is_me = line.startswith(f"{wearer} ")
    line = re.sub(r"(\w+?)(y?)\((\w+)\)", lambda m: m[1] + m[2] if is_me else _third(m[1] + m[2], m[3]), line)
    return re.sub(rf"(?<!^)\b{wearer}\b", "me", re.sub(rf"^{wearer}\b", "I", line))


def _third(verb: str, ending: str) -> str:
    return verb.removesuffix("y") + ending if ending == "ies" else verb + ending


def scene(table: dict[str, Any], row: Sequence[Any], wearer: str, draw: random.Random) -> Iterator[Line]:
    """Yield (second of the scene, speaker or empty, caption or words), as the camera of the wearer has them."""
    _, kind, who, *further = row
    people = who.split()
    slots = {"<a>": people[0], "<b>": people[1] if len(people) > 1 else "", "<thing>": further[0] if further else ""}
    others = [each for each in people if each != wearer]
    at = 0.0
    for line in [*table["scenes"][kind], *(further[1] if len(further) > 1 else [])]:
        for between in draw.sample(table["between"], draw.choice(BETWEEN)):
            if others or "<b>" not in between:
                yield at, "", worded(between.replace("<b>", others[0] if others else ""), wearer)
                at += LINE_SEC
        filled = re.sub(r"<\w+>", lambda slot: slots[slot[0]], line)
        speaker, colon, words = filled.partition(": ")
        yield (at, speaker, words) if colon else (at, "", worded(filled, wearer))
        at += LINE_SEC


def clips(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the analyses of the clips as JSON lines: a video per wearer and day."""
    draw = random.Random(SEED)
    for row in table["schedule"]:
        begun = moment(row[0])
        midnight = begun.replace(hour=0, minute=0)
        for wearer in table["wearers"]:
            if wearer not in row[2].split():
                continue
            start = (begun - midnight).total_seconds()
            of_clip: dict[int, list[Line]] = {}
            for at, speaker, words in scene(table, row, wearer, draw):
                of_clip.setdefault(int(at // CLIP_SEC), []).append((start + at, speaker, words))
            for number, lines in of_clip.items():
                yield _clip(f"{wearer.lower()}-{begun:%d}", wearer, midnight, start + number * CLIP_SEC, lines)


def _clip(video_id: str, wearer: str, midnight: datetime, start: float, lines: Sequence[Line]) -> dict[str, Any]:
    seen = [
        {"time_start": at, "time_end": at + 3, "summary": words, "actors": [wearer] if words.startswith("I ") else []}
        for at, speaker, words in lines
        if not speaker
    ]
    said = [
        {"speaker_id": speaker, "utterance": words, "time_start": at, "time_end": at + 3}
        for at, speaker, words in lines
        if speaker
    ]
    return {
        "video_id": video_id,
        "clip_id": f"{video_id}-{start:.0f}",
        "t_start": start,
        "t_end": start + CLIP_SEC,
        "time_base": "video",
        "recorded_at": midnight.isoformat(),
        "wearer": wearer,
        "analysis": {"clip_summary": "", "scene_type": "daily life", "events": seen, "speaker_turns": said},
    }


def is_of(event: Event, moments: Sequence[str]) -> bool:
    """Return whether an event lies in one of the scenes that begin at these moments."""
    begun = [(event.at - moment(each)).total_seconds() for each in moments if event.at]
    # The longest scene takes four minutes, and none begins sooner after another in the same room.
    return any(0 <= seconds < 300 for seconds in begun)


def verdict(memory: Memory, answer: Answer, says: str, moments: Sequence[str]) -> str:
    """Return right, doubted, declined or wrong."""
    claims = answer.found and not answer.text.startswith(DOUBTS)
    if not moments:
        return "wrong" if claims else "right"
    if not answer.found:
        return "declined"
    cited = [memory.cited(citation) for citation in answer.citations]
    is_right = bool(cited) and is_of(cited[0], moments) and re.search(says, answer.text)
    return "right" if is_right else "wrong" if claims else "doubted"


def main() -> None:
    """Ask the questions of a half and print the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", type=int, choices=(1, 2), default=1)
    parser.add_argument("--show", action="store_true", help="print what was not right, of the first half alone")
    given = parser.parse_args()
    table = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())
    questions = table["questions"]
    random.Random(SEED).shuffle(questions)
    asked = questions[given.half - 1 :: 2]
    counts: Counter[str] = Counter()
    ranks: list[int] = []
    group = f"week_{random.SystemRandom().randrange(10**9)}"
    with (
        Memory.open(group=group, timezone=ZONE.key) as memory,
        tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file,
    ):
        file.write("\n".join(map(json.dumps, clips(table))))
        file.flush()
        memory.ingest(file.name)
    for wearer in table["wearers"]:
        with Memory.open(group=group, timezone=ZONE.key, wearer=wearer) as memory:
            for who, at, question, says, moments in asked:
                if who != wearer:
                    continue
                answer = memory.ask(question, as_of=moment(at))
                found = verdict(memory, answer, says, moments)
                counts[("answerable " if moments else "unanswerable ") + found] += 1
                if moments:
                    hits = [hit.event for hit in memory.search(question, as_of=moment(at), limit=10, all=True)]
                    ranks.append(next((n for n, event in enumerate(hits, 1) if is_of(event, moments)), 99))
                if given.show and given.half == 1 and found != "right":
                    print(f"{found} | {who} {at} | {question} | {ranks[-1]} | {answer.text[:300]}", flush=True)
    with Memory.open(group=group) as memory:
        memory.forget_group()
    print("search", " ".join(f"@{k} {sum(rank <= k for rank in ranks)}" for k in (1, 5, 10)), "of", len(ranks))
    for found, count in sorted(counts.items()):
        print(found, count)


if __name__ == "__main__":
    main()
