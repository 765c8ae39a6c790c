"""The options of `amr` itself, and those that several commands share."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.printing import note
from amr_neo4j.domain.timestamps import storable
from amr_neo4j.errors import InputError

if TYPE_CHECKING:
    from amr_neo4j.domain.arguments import Bounds
    from amr_neo4j.domain.recall import Moment
    from amr_neo4j.memory import Memory
    from amr_neo4j.settings import Settings

_CLOCK = "write it like 2026-03-01T09:00:00+01:00"
_FORMATS = "Seconds of the video, mm:ss, or a time like 2026-03-01, 2026-03-01T09:00 or 2026-03-01T09:00:00+01:00."

Latest = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most this many, the latest.")]
Confirmed = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@dataclass
class Options:
    """The options of `amr` itself; None if not given. tell: prints lines for people."""

    group: str | None = None
    data_dir: Path | None = None
    config: Path | None = None
    as_json: bool = False
    verbose: bool = False
    server: str | None = None
    key: str | None = None
    tell: Callable[[str], None] = note

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that are settings, by the names of the settings."""
        return {"group": self.group, "data_dir": self.data_dir, "config": self.config}

    def settings(self, **arguments: Any) -> Settings:
        """Return the settings with these options. arguments: further settings, from options of the command."""
        from amr_neo4j.settings import load

        return load(**self.arguments, **arguments)

    def open(self, **arguments: Any) -> Memory:
        """Open the memory, or that of --server. arguments: further settings, from options of the command.

        Raises InputError: such settings with --server, which has its own.
        """
        if self.server:
            from amr_neo4j.server.client import Client

            if lost := [name for name, value in arguments.items() if value is not None]:
                raise InputError(f"a server takes no {', '.join(lost)}", hint="the settings of the server say it")
            settings = self.settings()
            # Without --group, the key says which group it is.
            group, user = self.group or "", settings.user
            return Client(self.server, self.key or "", group=group, user=user, settings=settings, notify=self.tell)
        from amr_neo4j.memory import Memory

        return Memory.open(self.settings(**arguments), notify=self.tell)


def options(ctx: typer.Context) -> Options:
    """Return the options of `amr` for the running command."""
    return ctx.ensure_object(Options)


@contextmanager
def terminated_as_interrupted() -> Generator[None]:
    """Within the block, treat SIGTERM, which service managers send, like Ctrl-C: what is in hand is completed."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def wall_clock(text: str) -> datetime:
    """Parse an ISO 8601 time; a date is its midnight. Raises typer.BadParameter."""
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise typer.BadParameter(f"{text} is not a valid time; {_CLOCK}") from error


# Any in the two callbacks: typer evaluates their annotations, and Moment is not imported at run time.
def _in_zone(ctx: typer.Context, time: Any) -> Any:
    """Return a time without UTC offset as one in the setting `timezone`. Raises InputError: no graph can store it."""
    if not isinstance(time, datetime):
        return time
    if time.tzinfo is None:
        time = time.replace(tzinfo=options(ctx).settings().zone)
    try:
        return storable(time)
    except ValueError as error:
        raise InputError(f"the time {time.isoformat()} {error}", hint=_CLOCK) from error


def with_offset(ctx: typer.Context, time: datetime | None) -> Any:
    """Refuse a time without UTC offset: what a camera's clock means is known where the camera is."""
    here = _in_zone(ctx, time)
    if time and time.tzinfo is None:
        raise typer.BadParameter(f"{time.isoformat()} has no UTC offset; write it like {here.isoformat()}")
    return here


def moment(text: str) -> Moment:
    """Parse seconds of a video, as a number or [hh:]mm:ss, or a wall clock time.

    Raises typer.BadParameter; InputError: too many seconds.
    """
    if not re.fullmatch(r"(\d+:)?(\d+:)?\d+(\.\d+)?", text):
        return wall_clock(text)
    parts = [float(part) for part in text.split(":")]
    seconds = sum(part * 60.0**power for power, part in enumerate(reversed(parts)))
    if not isfinite(seconds):
        raise InputError(f"{text[:40]}... is not a point in time", hint="write seconds of the video, or mm:ss")
    return seconds


def time_option(
    name: str,
    text: str,
    *,
    parser: Callable[[str], Moment] = wall_clock,
    callback: Callable[[typer.Context, Any], Any] = _in_zone,
) -> Any:
    """Return an option that takes a time.

    text: its help.
    parser: `moment` also takes seconds of the video.
    callback: `with_offset` refuses a time without UTC offset.
    """
    return typer.Option(name, metavar="TIME", parser=parser, callback=callback, help=text)


def at_most(things: str) -> Any:
    """Return the option --limit. things: what it counts, such as events."""
    return typer.Option("--limit", metavar="N", min=1, help=f"Number of {things}, at most.")


Cursor = Annotated[str, typer.Option("--cursor", metavar="CURSOR", help="Go on after the page that printed this.")]


def _or_of_amr(ctx: typer.Context, value: bool) -> bool:
    """Return whether --json is given here or before the command: `amr --json COMMAND` is `amr COMMAND --json`."""
    return value or options(ctx).as_json


Json = Annotated[bool, typer.Option("--json", help="Print JSON.", callback=_or_of_amr)]

# Where a question looks.
User = Annotated[str, typer.Option(metavar="NAME", help="Also search this user's conversations. Default: AMR_USER.")]
Sessions = Annotated[
    list[str] | None,
    typer.Option("--session", metavar="ID", help="Search only this conversation; may be repeated."),
]
Videos = Annotated[
    list[str] | None, typer.Option("--video", metavar="ID", help="Search only this video; may be repeated.")
]
Persons = Annotated[
    list[str] | None,
    typer.Option("--person", metavar="NAME", help="Search only events with this person; may be repeated."),
]
_SINCE = f"Search only events that end at this time or later. {_FORMATS}"
_UNTIL = "Search only events that start at this time or earlier."
# Any, because typer knows no Moment: the parser returns one, and a function that takes this type may pass it on.
Since = Annotated[Any, time_option("--since", _SINCE, parser=moment)]
Until = Annotated[Any, time_option("--until", _UNTIL, parser=moment)]
AsOf = Annotated[Any, time_option("--as-of", "Ignore what happened or was said after this time.", parser=moment)]
KnownAt = Annotated[datetime | None, time_option("--known-at", "Ignore what memory learnt after this time.")]


def chosen(ctx: typer.Context, *names: str) -> dict[str, Any]:
    """Return {name: value} of these parameters of the running command, which Memory takes by the same names."""
    return {name: ctx.params[name] for name in names}


def bounds(ctx: typer.Context) -> Bounds:
    """Return the bounds that the running command was given, in the form that Memory takes."""
    given = ctx.params
    return {
        "user_id": given["user"],
        "sessions": tuple(given["session"] or ()),
        "videos": tuple(given["video"] or ()),
        "persons": tuple(given["person"] or ()),
        "since": given["since"],
        "until": given["until"],
        "as_of": given["as_of"],
        "known_at": given["known_at"],
    }


# Whose conversations and facts a command is about.
OfUser = Annotated[
    str, typer.Option("--user", metavar="NAME", help="The user whose memory it is. Default: AMR_USER.")
]

# Options of the commands that forget.
DryRun = Annotated[bool, typer.Option("--dry-run", help="Count what would be forgotten; change nothing.")]
Scrub = Annotated[
    bool, typer.Option("--scrub", help="Also overwrite the words on the database's disk. Takes 20 seconds and more.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Confirm: what is forgotten cannot be restored.")]
