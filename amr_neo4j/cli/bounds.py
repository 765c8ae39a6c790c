"""The options that bound what a question looks in."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from amr_neo4j.domain.recall import Bounds, Moment

_CLOCK = "write it like 2026-03-01T09:00:00+01:00"
_LIKE = "seconds, mm:ss or 2026-03-01T09:00:00+01:00"


def wall_clock(text: str) -> datetime:
    """A time as ISO 8601 writes it, with its offset from UTC."""
    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise typer.BadParameter(f"{text} is no time; {_CLOCK}") from error
    if time.tzinfo is None:
        raise typer.BadParameter(f"{text} lacks its offset from UTC; {_CLOCK}")
    return time


def moment(text: str) -> Moment:
    """Seconds of a video, as a number or as [hh:]mm:ss, or wall clock."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if re.fullmatch(r"(\d+:)?\d+:\d+(\.\d+)?", text):
        *larger, seconds = text.split(":")
        minutes = sum(int(part) * 60**power for power, part in enumerate(reversed(larger)))
        return 60 * minutes + float(seconds)
    return wall_clock(text)


Persons = Annotated[
    list[str] | None, typer.Option("--person", metavar="NAME", help="Look in what involves this person alone.")
]
Since = Annotated[
    str | None, typer.Option(metavar="TIME", parser=moment, help=f"Look in what had not ended before; {_LIKE}.")
]
Until = Annotated[str | None, typer.Option(metavar="TIME", parser=moment, help="Look in what had begun by then.")]
AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", parser=moment, help="Answer as one could at that moment.")
]
KnownAt = Annotated[
    datetime | None,
    typer.Option("--known-at", metavar="TIME", parser=wall_clock, help="Answer by what memory had learnt by then."),
]


User = Annotated[str, typer.Option(metavar="NAME", help="Whose conversations to look in too; AMR_USER unless given.")]
Sessions = Annotated[
    list[str] | None,
    typer.Option("--session", metavar="ID", help="Look in this conversation alone; may be repeated."),
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
    """The options as Memory takes them. since, until, as_of: what `moment` made of what was typed."""
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
