"""Captions of one deed are one occasion: how often, on which days, and the last time, which is not now."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, _composed

DAY = datetime(2026, 3, 2, 8, tzinfo=ZoneInfo("Europe/Berlin"))
# Seconds from DAY of captions that Jake waters the basil: three in the morning, one in the evening, two the next day.
WATERED = [0, 40, 200, 36_000, 86_400, 86_500]


def graph(deed: str = "waters the basil") -> FakeGraph:
    """A caption of the deed for each, by seconds from DAY, in a film a day; and one of something else before each."""
    lines: list[str] = []
    for number, second in enumerate(WATERED):
        day, start = divmod(second, 86_400)
        captions = [("Jake cleans the window.", start), (f"Jake {deed}.", start + 5)]
        events = [
            {"time_start": at, "time_end": at + 4, "summary": text, "actors": [], "objects": []}
            for text, at in captions
        ]
        clip = {
            "video_id": f"day{day}",
            "clip_id": f"c{number}",
            "t_start": start,
            "t_end": start + 10,
            "time_base": "video",
            "recorded_at": (DAY + timedelta(days=day)).isoformat(),
            "analysis": {"clip_summary": "", "events": events},
        }
        lines.append(json.dumps(clip))
    return FakeGraph(_composed(lines, "test"), HashedWords())


def answered(question: str, second: float, found: FakeGraph | None = None) -> str:
    """The answer to a question that is asked so many seconds after DAY."""
    found, now = found or graph(), (DAY + timedelta(seconds=second)).astimezone(UTC)
    sources = Sources(Scope("test", as_of=now), found, found, HashedWords(), ENGLISH, now=now, zone=DAY.tzinfo)
    return ask(question, sources).text


@pytest.mark.parametrize(
    "question", ["How often did Jake water the basil?", "On which days did Jake water the basil?"]
)
def test_captions_that_follow_one_another_are_one_occasion(question: str) -> None:
    text = answered(question, 90_000)
    assert text.startswith("3 times, on Monday 2 March (twice) and Tuesday 3 March (once): ")


@pytest.mark.parametrize(("second", "last"), [(36_100, "08:03:25"), (37_000, "18:00:05"), (86_600, "18:00:05")])
def test_the_last_time_is_not_the_one_that_is_going_on(second: float, last: str) -> None:
    assert last in answered("When did Jake last water the basil?", second)


@pytest.mark.parametrize(
    ("deed", "question"),
    [
        ("leaves the house", "How often did Jake leave the house?"),
        ("rings the bell", "How many times did Jake ring the bell?"),
        ("opens the window", "How often was the window opened?"),
    ],
)
def test_what_is_done_in_a_moment_is_counted_each_time(deed: str, question: str) -> None:
    assert answered(question, 90_000, graph(deed)).startswith("6 times, on ")


def test_what_was_done_in_a_moment_is_over() -> None:
    assert "18:00:05" in answered("When did Jake last leave the house?", 36_100, graph("leaves the house"))


def test_the_nth_time_may_be_one_of_the_captions_of_an_occasion() -> None:
    # There are three occasions and six captions.
    assert "18:00:05" in answered("When did Jake water the basil the fourth time?", 90_000, graph())


@pytest.mark.parametrize("deed", ["waters the basil again", "waters the basil once more"])
def test_again_begins_another_occasion(deed: str) -> None:
    assert answered("How often did Jake water the basil?", 90_000, graph(deed)).startswith("6 times, on ")
