"""Questions about days and hours over two weeks of three cameras, made by a seeded script.

    python -m benchmarks.days [--questions FILE.jsonl] [--zone Europe/Berlin] [--counts]

The weeks are those of 12 to 25 October 2026; summer time ends in the last night. A question has its moment (as_of),
its subject, and the ranges in which an answer may lie, as local times. It is right if every cited event is of the
subject and within a range. If there is no such event, it is right to claim nothing.
Needs a database (NEO4J_URI) and writes to a group of its own, which it forgets.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Answer
from amr_neo4j.settings import Settings

QUESTIONS = Path(__file__).with_suffix(".jsonl")
SEED = 19
FIRST = datetime(2026, 10, 12)
DAYS = 14
# Openings of answers that only offer the nearest event.
DOUBTS = ("Memory may", "Memory does not", "Memory knows no", "Memory tells of no", "Nothing", "Perhaps", "As far")


@dataclass(frozen=True)
class Seen:
    """Something that a camera saw. at: local time; fold 1 is the second 2:30 of the night in which clocks go back."""

    camera: str
    at: datetime
    who: str
    summary: str
    verb: str
    thing: str


def weeks() -> list[Seen]:
    """Return everything that the cameras saw, in order."""
    draw = random.Random(SEED)
    seen: list[Seen] = []

    def at(day: int, clock: str, camera: str, who: str, does: str, verb: str, thing: str, *, fold: int = 0) -> None:
        hour, minute = map(int, clock.split(":"))
        moment = datetime(2026, 10, day, hour, minute, fold=fold)
        seen.append(Seen(camera, moment, who, f"{who} {does}.", verb, thing))

    for n in range(DAYS):
        day = FIRST + timedelta(days=n)
        if day.weekday() < 5:
            at(day.day, "7:40", "driveway", "Jonas", "drives the red car out of the driveway", "drive", "red car")
            at(day.day, "17:45", "driveway", "Jonas", "parks the red car in the driveway", "park", "red car")
            letters = f"{draw.randint(11, 12)}:{draw.randint(10, 59)}"
            at(day.day, letters, "front_door", "The postman", "puts letters into the letterbox", "put", "letters")
        if draw.random() < 0.5:
            cat = f"{draw.choice([9, 13, 19])}:{draw.randint(10, 59)}"
            at(day.day, cat, "garden", "A grey cat", "sits on the wall", "sit", "wall")
    for day, clock in ((13, "10:20"), (16, "14:05"), (21, "11:30"), (23, "16:10")):
        courier = "A courier in a yellow jacket"
        at(day, clock, "front_door", courier, "leaves a parcel on the doorstep", "leave", "parcel")
    for day, clock in ((13, "18:00"), (16, "18:10"), (21, "18:05"), (24, "9:15")):
        at(day, clock, "front_door", "Lea", "carries a parcel into the house", "carry", "parcel")
    for day, clock in ((14, "16:00"), (17, "11:00"), (20, "23:30"), (22, "6:30"), (24, "15:00")):
        at(day, clock, "garden", "A brown dog", "runs across the lawn", "run", "lawn")
    for day, clock, fold in ((12, "23:10", 0), (15, "2:40", 0), (19, "4:15", 0), (24, "22:50", 0), (25, "2:30", 1)):
        at(day, clock, "garden", "A fox", "digs under the hedge", "dig", "hedge", fold=fold)
    for day, clock in ((13, "10:15"), (20, "9:00"), (25, "14:20")):
        at(day, clock, "driveway", "A white van", "stops in the driveway", "stop", "driveway")
    for day, clock in ((18, "10:00"), (24, "10:00"), (25, "9:00")):
        at(day, clock, "garden", "Lea", "waters the roses", "water", "roses")
    for day in (15, 22):
        at(day, "9:30", "garden", "The gardener", "mows the lawn", "mow", "lawn")
    for day, clock in ((12, "19:00"), (18, "15:30"), (23, "20:15"), (25, "11:00")):
        at(day, clock, "front_door", "Mara", "rings the bell", "ring", "bell")
    at(21, "1:20", "front_door", "A masked man", "tries the door handle", "try", "door handle")
    return sorted(seen, key=lambda each: (each.at, each.at.fold))


def lines(seen: list[Seen], zone: ZoneInfo) -> list[dict[str, Any]]:
    """Return the analyses of the clips as JSON lines: a video per camera and day, dated with the zone's offset."""
    made: list[dict[str, Any]] = []
    for each in seen:
        midnight = each.at.replace(hour=0, minute=0, fold=0, tzinfo=zone)
        # Subtracted in UTC, because the clock is set back in the last night.
        begun = (each.at.replace(tzinfo=zone).astimezone(UTC) - midnight.astimezone(UTC)).total_seconds()
        made.append(
            {
                "video_id": f"{each.camera}-{each.at:%m%d}",
                "clip_id": f"{begun:.0f}",
                "t_start": begun,
                "t_end": begun + 20,
                "recorded_at": midnight.isoformat(),
                "analysis": {
                    "clip_summary": each.summary,
                    "characters": [{"local_character_id": "C1", "name_or_description": each.who}],
                    "events": [
                        {
                            "time_start": 2,
                            "time_end": 12,
                            "summary": each.summary,
                            "actors": ["C1"],
                            "objects": [{"name": each.thing}],
                            "actions": [{"actor": "C1", "verb": each.verb, "object": each.thing}],
                        }
                    ],
                },
            }
        )
    return made


def within(question: dict[str, Any], moment: datetime) -> bool:
    """Return whether a local time is in one of the question's ranges."""
    return any(since <= moment.isoformat(timespec="minutes") <= until for since, until in question["ranges"])


def expected(question: dict[str, Any], seen: list[Seen], zone: ZoneInfo) -> set[float]:
    """Return the moments of the events that answer a question, as seconds since 1970."""
    return {
        each.at.replace(tzinfo=zone).timestamp()
        for each in seen
        if question["about"].casefold() in f"{each.summary} {each.camera}".casefold() and within(question, each.at)
    }


def verdict(question: dict[str, Any], answer: Answer, right: set[float]) -> str:
    """Return right, declined, doubted or wrong."""
    doubted = not answer.found or answer.text.startswith(DOUBTS)
    if not right:
        return "right" if doubted else "wrong"
    cited = {
        round(hit.event.at.timestamp()) - 2
        for hit in answer.evidence
        if hit.event.at and hit.event.node_id in {each.node_id for each in answer.citations}
    }
    if answer.found and cited and cited <= right:
        count = question.get("count")
        numbers = {1: "once", 2: "twice"}
        if count is None or answer.text.lower().startswith(numbers.get(count, f"{count} times")):
            return "right"
    return "doubted" if doubted else "wrong"


def main() -> None:
    """Ask every question and print the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--zone", default="Europe/Berlin", type=ZoneInfo)
    parser.add_argument("--counts", action="store_true", help="print no question")
    given = parser.parse_args()
    seen, zone = weeks(), given.zone
    questions = [json.loads(line) for line in given.questions.read_text().splitlines()]
    counts: Counter[tuple[str, str]] = Counter()
    given_zone = {"timezone": zone.key} if "timezone" in Settings.model_fields else {}
    with Memory.open(group=f"days_{random.SystemRandom().randrange(10**9)}", **given_zone) as memory:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("\n".join(map(json.dumps, lines(seen, zone))))
            file.flush()
            memory.ingest(file.name)
        for question in questions:
            right = expected(question, seen, zone)
            as_of = datetime.fromisoformat(question["as_of"]).replace(tzinfo=zone)
            answer = memory.ask(question["q"], as_of=as_of)
            found = verdict(question, answer, right)
            counts[("answerable" if right else "unanswerable", found)] += 1
            if not given.counts and found != "right":
                print(f"{found} | {question['q']} | {len(right)} fit | {answer.text[:300]}")
        memory.forget_group()
    for (kind, found), count in sorted(counts.items()):
        print(kind, found, count)


if __name__ == "__main__":
    main()
