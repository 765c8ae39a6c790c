"""Answers without a key in fifteen small settings that nothing was made for: tests/worlds.

    python -m benchmarks.worlds [--worlds car_park lab ...] [--show]

Each world goes into a new group of the database in use (NEO4J_URI, else the local one). Printed for each: search, the
share of answerable questions with their evidence among the first 1 and 5 events; ask, how many answers are right (of
these behind a caveat), wrong without a word of doubt, wrong behind a caveat, declined; how many of the unanswerable
questions are declined, answered behind a caveat, answered without.
An answer is right when its text matches all of a question's `says` and none of its
`never`, citations left out.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Answer
from amr_neo4j.memory import Memory

WORLDS = Path(__file__).parents[1] / "tests" / "worlds"
NAMES = (
    "car_park",
    "lab",
    "farm",
    "school_play",
    "airport",
    "clinic",
    "warehouse",
    "wedding",
    "bakery",
    "ferry",
    "ward",
    "site",
    "family",
    "depot",
    "office",
)
Question = dict[str, Any]
Span = tuple[str, float, float]

_CITATION = re.compile(r"\[(?:event|turn) [^\]]*\]")
_CAVEAT = re.compile(r"^(?:Memory|Nothing)\b")


def spans(world: str) -> dict[str, Span]:
    """local_event_id -> video and seconds."""
    lines = map(json.loads, (WORLDS / f"{world}.analyses.jsonl").read_text("utf-8").splitlines())
    return {
        event["local_event_id"]: (line["video_id"], event["time_start"], event["time_end"])
        for line in lines
        for event in line["analysis"]["events"]
    }


def questions(world: str) -> list[Question]:
    """The questions of a world, in their order."""
    return [json.loads(line) for line in (WORLDS / f"{world}.questions.jsonl").read_text("utf-8").splitlines()]


def asked_at(world: str) -> datetime:
    """The evening of the last day of a world, on which its questions are asked."""
    lines = map(json.loads, (WORLDS / f"{world}.analyses.jsonl").read_text("utf-8").splitlines())
    return max(datetime.fromisoformat(line["recorded_at"]) for line in lines).replace(hour=22, minute=0)


def verdict(question: Question, answer: Answer) -> str:
    """right, wrong, doubtful (wrong behind a caveat) or declined."""
    if not answer.found:
        return "declined"
    if says(question, answer):
        return "right"
    return "doubtful" if has_caveat(answer) else "wrong"


def says(question: Question, answer: Answer) -> bool:
    """Whether the text of an answer has all that it must say, and nothing that it must not."""
    text = _CITATION.sub("", answer.text)
    said = question["says"] and all(re.search(pattern, text, re.I) for pattern in question["says"])
    return bool(said) and not any(re.search(pattern, text.strip(" ."), re.I) for pattern in question["never"])


def has_caveat(answer: Answer) -> bool:
    """Whether an answer begins with a doubt."""
    return bool(_CAVEAT.search(answer.text))


def rank(gold: Sequence[Span], found: Sequence[Event]) -> int:
    """The place of the first event that overlaps the evidence, from 1; 99 for none."""
    for place, event in enumerate(found, 1):
        if any(v == event.video_id and event.time_start < e and event.time_end > s for v, s, e in gold):
            return place
    return 99


def measure(world: str, show: bool) -> Counter[str]:
    """The counts of one world; its lines are printed."""
    counts: Counter[str] = Counter()
    with Memory.open(group=f"world-{world}-{time.time_ns()}") as memory:
        memory.ingest(WORLDS / f"{world}.analyses.jsonl")
        where, evening = spans(world), asked_at(world)
        for question in questions(world):
            answer = memory.ask(question["question"], as_of=evening)
            found = [hit.event for hit in memory.search(question["question"], limit=5, all=True, as_of=evening)]
            answerable = bool(question["evidence"])
            judged = verdict(question, answer)
            counts[("" if answerable else "un ") + judged] += 1
            counts["caveat"] += judged == "right" and has_caveat(answer)
            place = rank([where[name] for name in question["evidence"]], found) if answerable else 0
            counts.update({"@1": answerable and place == 1, "@5": answerable and place <= 5, "n": answerable})
            if show:
                print(f"{question['id']} {judged:9}{place:3} {question['question']}\n     {answer.text}")
    print(line(world, counts), flush=True)
    return counts


def line(name: str, counts: Counter[str]) -> str:
    """A row of figures."""
    n = counts["n"]
    found = f"{name:12} evidence @1 {counts['@1'] / n:.3f} @5 {counts['@5'] / n:.3f}"
    answers = f"of {n}: right {counts['right']} ({counts['caveat']}), wrong {counts['wrong']}"
    untold = f"doubtful {counts['doubtful']}, declined {counts['declined']}"
    odd = f"declined {counts['un declined']}, doubtful {counts['un doubtful']}, answered {counts['un wrong']}"
    return f"{found}; {answers}, {untold}; unanswerable: {odd}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", nargs="+", default=list(NAMES), choices=NAMES)
    parser.add_argument("--show", action="store_true", help="print every question with its answer")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    for world in given.worlds:
        total.update(measure(world, given.show))
    print(line("all", total))


if __name__ == "__main__":
    main()
