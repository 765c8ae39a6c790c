"""Questions about days and hours over two weeks of three cameras, made by a seeded script.

    python -m benchmarks.days [benchmarks/days.yaml] [--weeks march] [--half 1] [--zone Europe/Berlin] [--show]

The weeks stand in days_seen.yaml. Half 2 of the questions, drawn by a seed, is put aside: it is only scored, and
--show does not print it. Without --half, all are asked. A question is right if every event that its answer cites is
of the subject and within a range, and its text has what it must say. If there is no such event, it is right to claim
nothing. Needs a database (NEO4J_URI) and writes to a group of its own, which it forgets.
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
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Answer

QUESTIONS = Path(__file__).with_suffix(".yaml")
SEEN = Path(__file__).with_name("days_seen.yaml")
SEED = 20
# Openings of answers that only offer the nearest event.
DOUBTS = (
    "Memory may",
    "Memory does not",
    "Memory knows no",
    "No such event",
    "It happened fewer",
    "Nothing",
    "Perhaps",
    "As far",
)


@dataclass(frozen=True)
class Seen:
    """Something that a camera saw. at: local time."""

    camera: str
    at: datetime
    who: str
    summary: str
    verb: str
    thing: str


@dataclass(frozen=True)
class Fortnight:
    """Two weeks from days_seen.yaml, which documents the rows. begins: their first day."""

    begins: date
    zone: str
    seen: list[list[str]]
    drawn: list[list[Any]]

    def moment(self, day: int, clock: str) -> datetime:
        """Return a local time; "30:00" is 6:00 of the day after."""
        hour, minute = map(int, clock.split(":"))
        return datetime.combine(self.begins, time()) + timedelta(
            days=day - self.begins.day, hours=hour, minutes=minute
        )

    @property
    def days(self) -> range:
        """The days of the first month, counted on beyond its end."""
        return range(self.begins.day, self.begins.day + 14)

    def sightings(self) -> list[Seen]:
        """Return everything that the cameras saw, in order."""
        draw = random.Random(SEED)
        rows = list(self.seen)
        for day in self.days:
            for *row, drawn in self.drawn:
                if drawn.get("weekdays") and self.moment(day, "0:00").weekday() >= 5:
                    continue
                hours, share = drawn["hours"], drawn.get("share", 1)
                hour = draw.choice(hours) if len(hours) > 1 else hours[0]
                at = f"{day} {hour}:{draw.randint(*drawn['minutes'])}"
                if share == 1 or draw.random() < share:
                    rows.append([*row, at])
        seen = [
            Seen(camera, self.moment(int(day), clock), who, f"{who} {does}.", verb, thing)
            for camera, who, does, verb, thing, moments in rows
            for day, clock in (each.split() for each in moments.split(", "))
        ]
        return sorted(seen, key=lambda each: each.at)

    def spans(self, words: str) -> list[tuple[datetime, datetime]]:
        """Return the ranges that a row names: "23-25", "28 18:00-30:00" or, each day, "22:00-30:00"."""
        days, _, hours = words.rpartition(" ") if ":" in words else (words, "", "0:00-24:00")
        first, _, last = days.partition("-")
        # A night that began before the first day counts, too.
        each_day = range(int(first), int(last or first) + 1) if days else range(self.days.start - 1, self.days.stop)
        since, until = hours.split("-")
        return [(self.moment(day, since), self.moment(day, until)) for day in each_day]


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


def expected(
    about: str, meant: list[tuple[datetime, datetime]], seen: list[Seen], asked: datetime, zone: ZoneInfo
) -> set[int]:
    """Return the moments of the events before a question that answer it, as seconds since 1970."""
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
    parser.add_argument("questions", nargs="?", default=QUESTIONS, type=Path)
    parser.add_argument("--weeks", default="march", help="a fortnight of days_seen.yaml")
    parser.add_argument("--half", type=int, choices=(1, 2))
    parser.add_argument("--zone", help="of the cameras and the questions, instead of the fortnight's own")
    parser.add_argument("--show", action="store_true", help="print what was not right, of the first half alone")
    given = parser.parse_args()
    weeks = Fortnight(**yaml.safe_load(SEEN.read_text())[given.weeks])
    seen, zone = weeks.sightings(), ZoneInfo(given.zone or weeks.zone)
    questions = yaml.safe_load(given.questions.read_text())
    random.Random(SEED).shuffle(questions)
    asked_of = {None: questions, 1: questions[::2], 2: questions[1::2]}[given.half]
    counts: Counter[tuple[str, str]] = Counter()
    group = f"days_{random.SystemRandom().randrange(10**9)}"
    with Memory.open(group=group, timezone=zone.key) as memory:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("\n".join(map(json.dumps, lines(seen, zone))))
            file.flush()
            memory.ingest(file.name)
        for question, as_of, about, ranges, *further in asked_of:
            day, clock = as_of.split("T")
            asked = weeks.moment(int(day), clock)
            meant = [span for words in ranges for span in weeks.spans(words)]
            right = expected(about, meant, seen, asked, zone)
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
