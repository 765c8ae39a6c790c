"""Questions about days and hours over two weeks of three cameras, made by a seeded script: benchmarks/days.yaml.

    python -m benchmarks.days [--half 1] [--zone Europe/Berlin] [--show]

The weeks are those of 16 to 29 March 2026; summer time begins in the last night. Half 2 is put aside: it is only
scored, and --show does not print it. A question is right if every event that its answer cites is of the subject and
within a range, and its text has what it must say. If there is no such event, it is right to claim nothing.
Needs a database (NEO4J_URI) and writes to a group of its own, which it forgets.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Answer

QUESTIONS = Path(__file__).with_suffix(".yaml")
SEED = 20
DAYS = range(16, 30)
MONTH = datetime(2026, 3, 1)
# Openings of answers that only offer the nearest event.
DOUBTS = ("Memory may", "Memory does not", "Memory knows no", "Memory tells of no", "Nothing", "Perhaps", "As far")
# Camera, who, summary, verb, object and moments: day and clock.
SIGHTINGS = [
    ("porch", "A courier in a purple vest", "puts a parcel on the porch", "put", "parcel",
     "17 11:05, 19 15:40, 24 09:50, 27 17:30"),
    ("porch", "Nadia", "carries a parcel inside", "carry", "parcel", "17 18:25, 19 18:30, 24 18:22, 28 09:10"),
    ("porch", "Greta", "rings the doorbell", "ring", "doorbell", "16 19:10, 22 15:00, 26 20:40, 29 11:15"),
    ("porch", "Two guests", "arrive with flowers", "arrive", "flowers", "27 19:00"),
    ("porch", "A stranger in a hood", "looks through the window", "look", "window", "23 02:20"),
    ("yard", "Viktor", "washes the green car", "wash", "green car", "21 14:00, 28 10:30"),
    ("yard", "The window cleaner", "cleans the windows", "clean", "windows", "17 14:00, 24 14:00"),
    ("yard", "Ben", "plays football", "play", "football", "21 15:00, 22 11:00, 25 16:30"),
    ("yard", "A hedgehog", "eats from the bowl", "eat", "bowl",
     "16 23:30, 20 03:10, 24 01:05, 28 22:15, 29 04:00"),
    ("street", "A black dog", "runs along the fence", "run", "fence", "18 08:00, 20 22:45, 25 11:30, 28 16:10"),
]  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """Something that a camera saw. at: local time."""

    camera: str
    at: datetime
    who: str
    summary: str
    verb: str
    thing: str


def moment(day: int, clock: str) -> datetime:
    """Return a local time; "30:00" is 6:00 of the day after."""
    hour, minute = map(int, clock.split(":"))
    return MONTH + timedelta(days=day - 1, hours=hour, minutes=minute)


def weeks() -> list[Seen]:
    """Return everything that the cameras saw, in order."""
    draw = random.Random(SEED)
    rows = list(SIGHTINGS)
    for day in DAYS:
        if moment(day, "0:00").weekday() < 5:
            out, back = f"{day} 7:{draw.randint(10, 40)}", f"{day} 18:{draw.randint(10, 20)}"
            rows.append(("yard", "Nadia", "rides the blue bicycle out of the yard", "ride", "blue bicycle", out))
            rows.append(("yard", "Nadia", "pushes the blue bicycle into the shed", "push", "blue bicycle", back))
        stops = f"{day} {draw.choice([6, 9, 16, 21])}:{draw.randint(10, 59)}"
        if draw.random() < 0.5:
            rows.append(("street", "A silver car", "stops in front of the house", "stop", "house", stops))
        naps = f"{day} {draw.choice([10, 13, 17])}:{draw.randint(10, 59)}"
        if draw.random() < 0.4:
            rows.append(("street", "A tabby cat", "sits on the car roof", "sit", "car roof", naps))
    seen = [
        Seen(camera, moment(int(day), clock), who, f"{who} {does}.", verb, thing)
        for camera, who, does, verb, thing, moments in rows
        for day, clock in (each.split() for each in moments.split(", "))
    ]
    return sorted(seen, key=lambda each: each.at)


def lines(seen: list[Seen], zone: ZoneInfo) -> list[dict[str, Any]]:
    """Return the analyses of the clips as JSON lines: a video per camera and day, dated with the zone's offset."""
    made: list[dict[str, Any]] = []
    for each in seen:
        midnight = each.at.replace(hour=0, minute=0, tzinfo=zone)
        # Subtracted in UTC, because the clock is set forward in the last night.
        begun = (each.at.replace(tzinfo=zone).astimezone(UTC) - midnight.astimezone(UTC)).total_seconds()
        event = {
            "time_start": 2,
            "time_end": 12,
            "summary": each.summary,
            "actors": ["C1"],
            "objects": [{"name": each.thing}],
            "actions": [{"actor": "C1", "verb": each.verb, "object": each.thing}],
        }
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
                    "events": [event],
                },
            }
        )
    return made


def spans(words: str) -> list[tuple[datetime, datetime]]:
    """Return the ranges that a row of the questions names: "23-25", "28 18:00-30:00" or, each day, "22:00-30:00"."""
    days, _, hours = words.rpartition(" ") if ":" in words else (words, "", "0:00-24:00")
    first, _, last = days.partition("-")
    # A night that began before the first day counts, too.
    each_day = range(int(first), int(last or first) + 1) if days else range(DAYS.start - 1, DAYS.stop)
    since, until = hours.split("-")
    return [(moment(day, since), moment(day, until)) for day in each_day]


def expected(about: str, ranges: list[str], seen: list[Seen], asked: datetime, zone: ZoneInfo) -> set[int]:
    """Return the moments of the events before a question that answer it, as seconds since 1970."""
    meant = [span for words in ranges for span in spans(words)]
    return {
        round(each.at.replace(tzinfo=zone).timestamp())
        for each in seen
        if re.search(about, f"{each.summary} {each.camera}")
        and any(since <= each.at < end for since, end in meant)
        and each.at < asked
    }


def verdict(answer: Answer, right: set[int], further: Mapping[str, Any]) -> str:
    """Return right, declined, doubted or wrong. further: the `count`, and what the answer `says`, where given."""
    doubted = not answer.found or answer.text.startswith(DOUBTS)
    if not right:
        return "right" if doubted else "wrong"
    evidence = {hit.event.node_id: hit.event.at for hit in answer.evidence}
    moments = [evidence.get(each.node_id) for each in answer.citations]
    cited = {round(at.timestamp()) - 2 for at in moments if at}
    if answer.found and cited and cited <= right:
        count = further.get("count")
        text = answer.text if "says" in further else answer.text.lower()
        says = further.get("says", {None: "", 1: "^once", 2: "^(twice|2)"}.get(count, rf"^{count}\b"))
        if re.search(says, text):
            return "right"
    return "declined" if not answer.found else "doubted" if doubted else "wrong"


def main() -> None:
    """Ask the questions of a half and print the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", type=int, choices=(1, 2), default=1)
    parser.add_argument("--zone", default="Europe/Berlin", type=ZoneInfo)
    parser.add_argument("--show", action="store_true", help="print what was not right, of the first half alone")
    given = parser.parse_args()
    seen, zone = weeks(), given.zone
    questions = yaml.safe_load(QUESTIONS.read_text())
    random.Random(SEED).shuffle(questions)
    halves = questions[::2], questions[1::2]
    counts: Counter[tuple[str, str]] = Counter()
    group = f"days_{random.SystemRandom().randrange(10**9)}"
    with Memory.open(group=group, timezone=zone.key) as memory:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("\n".join(map(json.dumps, lines(seen, zone))))
            file.flush()
            memory.ingest(file.name)
        for question, as_of, about, ranges, *further in halves[given.half - 1]:
            day, clock = as_of.split("T")
            asked = moment(int(day), clock)
            right = expected(about, ranges, seen, asked, zone)
            answer = memory.ask(question, as_of=asked.replace(tzinfo=zone))
            found = verdict(answer, right, further[0] if further else {})
            counts[("answerable" if right else "unanswerable", found)] += 1
            if given.show and given.half == 1 and found != "right":
                print(f"{found} | {question} | {len(right)} fit | {answer.text[:300]}", flush=True)
        memory.forget_group()
    for (kind, found), count in sorted(counts.items()):
        print(kind, found, count)


if __name__ == "__main__":
    main()
