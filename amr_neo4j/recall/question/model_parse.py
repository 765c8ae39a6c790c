"""What a typing model says a question names of videos and times, as far as the question's own words bear it out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from math import ceil, floor

from amr_neo4j.domain.replies import TypedQuestion
from amr_neo4j.recall.question.time_expressions import TimeSpan

_NUMBER = re.compile(r"(?P<clock>\d+(?::\d\d)+)|(?P<count>\d+(?:\.\d+)?)(?:\s*(?P<unit>[a-z]+))?")
_UNITS = {"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600, "hour": 3600, "hours": 3600}


def videos_stated(reply: TypedQuestion, text: str, known: Collection[str], notes: list[str]) -> tuple[str, ...]:
    """The videos to look in: those of the reply that the question names and that are known, by their ids."""
    by_name = {_plain(video): video for video in known}
    found: list[str] = []
    for name in reply.videos:
        video = by_name.get(_plain(name))
        if video is None:
            notes.append(f"the text model names a video that is not there to look in: {name}")
        elif f" {_plain(name)} " not in f" {_plain(text)} ":
            notes.append(f"the text model names a video that the question does not: {name}")
        else:
            found.append(video)
    return tuple(dict.fromkeys(found))


def span_stated(reply: TypedQuestion, text: str, notes: list[str]) -> TimeSpan | None:
    """The seconds of the video to look in; None where the reply has none, or others than the question's."""
    times = [time for time in (reply.time_start, reply.time_end) if time is not None]
    if not times:
        return None
    said = set(seconds_said(text))
    if not said.issuperset(times):
        notes.append(f"the text model names seconds that the question does not: {', '.join(map(str, times))}")
        return None
    since, until = reply.time_start, reply.time_end
    return TimeSpan(
        "" if since is None else f"second {floor(since)}",
        "" if until is None else f"second {ceil(until)}",
    )


def seconds_said(text: str) -> Iterator[float]:
    """Every second of a video that a number in the text may mean: "1:30" and "90" are 90, "minute 2" is 120."""
    minutes = "minute" in text.casefold()
    for found in _NUMBER.finditer(text.casefold()):
        if found["clock"]:
            seconds = 0.0
            for part in found["clock"].split(":"):
                seconds = seconds * 60 + int(part)
            yield seconds
        elif found["count"]:
            count = float(found["count"])
            yield count * _UNITS.get(found["unit"] or "", 1)
            if minutes:
                yield count * 60


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()
