"""The options that limit a question to a part of memory."""

from __future__ import annotations

import re
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.domain.timestamps import storable
from amr_neo4j.errors import InputError

if TYPE_CHECKING:
    from amr_neo4j.domain.arguments import Bounds
    from amr_neo4j.domain.recall import Moment

_CLOCK = "write it like 2026-03-01T09:00:00+01:00"
_FORMATS = "Seconds of the video, mm:ss, or a time like 2026-03-01T09:00:00+01:00."


def wall_clock(text: str) -> datetime:
    """Parse an ISO 8601 time with UTC offset. Raises typer.BadParameter; InputError: the graph cannot store it."""
    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise typer.BadParameter(f"{text} is not a valid time; {_CLOCK}") from error
    if time.tzinfo is None:
        raise typer.BadParameter(f"{text} has no UTC offset; {_CLOCK}")
    try:
        return storable(time)
    except ValueError as error:
        raise InputError(f"the time {text} {error}", hint=_CLOCK) from error


def moment(text: str) -> Moment:
    """Parse seconds of a video, as a number or [hh:]mm:ss, or a wall clock time. Raises typer.BadParameter."""
    if not re.fullmatch(r"(\d+:)?(\d+:)?\d+(\.\d+)?", text):
        return wall_clock(text)
    parts = [float(part) for part in text.split(":")]
    seconds = sum(part * 60.0**power for power, part in enumerate(reversed(parts)))
    if not isfinite(seconds):
        raise InputError(f"{text[:40]}... is not a point in time", hint="write seconds of the video, or mm:ss")
    return seconds


Persons = Annotated[
    list[str] | None,
    typer.Option("--person", metavar="NAME", help="Search only events with this person; may be repeated."),
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", parser=moment, help=f"Search only events that end at this time or later. {_FORMATS}"
    ),
]
Until = Annotated[
    str | None,
    typer.Option(metavar="TIME", parser=moment, help="Search only events that start at this time or earlier."),
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="TIME", parser=moment, help="Ignore what happened or was said after this time."),
]
KnownAt = Annotated[
    datetime | None,
    typer.Option("--known-at", metavar="TIME", parser=wall_clock, help="Ignore what memory learnt after this time."),
]


User = Annotated[str, typer.Option(metavar="NAME", help="Also search this user's conversations. Default: AMR_USER.")]
Sessions = Annotated[
    list[str] | None,
    typer.Option("--session", metavar="ID", help="Search only this conversation; may be repeated."),
]


def bounds(
    video: list[str] | None,
    person: list[str] | None,
    since: Any,
    until: Any,
    as_of: Any,
    known_at: datetime | None,
    *,
    user: str,
    sessions: list[str] | None,
) -> Bounds:
    """Return the options as Memory takes them. since, until, as_of: as parsed by `moment`."""
    return {
        "user_id": user,
        "sessions": sessions or (),
        "videos": video or (),
        "persons": person or (),
        "since": since,
        "until": until,
        "as_of": as_of,
        "known_at": known_at,
    }
