"""Print results to standard output, as text or JSON; everything else goes to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

import typer

from amr_neo4j.domain.page import Page
from amr_neo4j.domain.plain import plain
from amr_neo4j.domain.timestamps import clock

if TYPE_CHECKING:
    from amr_neo4j.domain.chat import Usage
    from amr_neo4j.domain.event import Event
    from amr_neo4j.domain.views import ClipView, ModelUsage, Said

T = TypeVar("T")

# Invisible characters that some scripts and emoji require.
_JOINERS = "\u200c\u200d"
# _NARROWEST: a text that is cut keeps at least this many characters. _BETWEEN: spaces between two columns of a table.
_NARROWEST, _BETWEEN = 24, 2
# The column of a table with the wall clock times of events.
WHEN = "when"
# Wide enough to keep each row of a piped table on one line.
_PIPED_WIDTH = 1000


def give(value: T, as_json: bool, show: Callable[[T], None]) -> None:
    """Print the result of a command as JSON, or as text by `show` with a note of how to get the next page, if any."""
    page = _page(value)
    for line in page.notes if page is not None else ():
        note(line)
    if as_json:
        print_json(value)
        return
    show(value)
    if page is not None and page.next:
        note(f"{len(page)} of {page.total}; for more: --cursor {page.next}")


def _page(value: object) -> Page[Any] | None:
    return cast(Page[Any], value) if isinstance(value, Page) else None


def print_json(value: Any) -> None:
    """Print one JSON value: dataclasses as objects, times as ISO 8601, paths and masked secrets as text."""
    typer.echo(json.dumps(value, default=plain, indent=2))


def print_json_line(value: Any) -> None:
    """Print one JSON value on one line, as `print_json`."""
    typer.echo(json.dumps(value, default=plain))


def say(line: str = "") -> None:
    """Print a line of the result."""
    # Texts come from videos, models and other people, so they may hold control characters.
    typer.echo(one_line(line))


def say_on(words: str) -> None:
    """Print a part of a line, without a line break."""
    typer.echo(one_line(words), nl=False)


def note(line: str) -> None:
    """Print a line to standard error; above the progress bar if one is shown."""
    typer.echo(one_line(line), file=sys.stderr)  # err=True would bypass the stream that rich substitutes


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, cut: str = "", empty: str = "") -> None:
    """Print a table. On a narrow terminal the widest columns wrap. Nothing is truncated except the column `cut`.

    A column "when" is left out if no row has a wall clock time.
    cut: the last column, which gets the width that the others leave.
    empty: what to say if there are no rows.
    """
    if empty and not rows:
        say(empty)
        return
    if WHEN in columns and not any(row[columns.index(WHEN)] for row in rows):
        at = columns.index(WHEN)
        columns, rows = _without(columns, at), [_without(row, at) for row in rows]
    from rich.console import Console
    from rich.table import Column, Table

    width = None if sys.stdout.isatty() else _PIPED_WIDTH
    console = Console(markup=False, highlight=False, emoji=False, width=width)
    heads = [Column(name, overflow="fold") for name in columns]
    table = Table(*heads, box=None, pad_edge=False, header_style="bold")
    cells = [[cell(value) for value in row] for row in rows]
    if cut:
        _cut_last(columns, cells, console.width)
    for row in cells:
        table.add_row(*row)
    # Captured, so that the spaces at the ends of the lines can be removed.
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        typer.echo(line.rstrip())


def _without(row: Sequence[T], at: int) -> Sequence[T]:
    return [*row[:at], *row[at + 1 :]]


def _cut_last(columns: Sequence[str], rows: Sequence[list[str]], width: int) -> None:
    """Cut the last cell of each row to the width that the other cells leave."""
    others = zip(columns[:-1], *(row[:-1] for row in rows), strict=True)
    most = max(_NARROWEST, width - sum(max(map(len, column)) + _BETWEEN for column in others))
    for row in rows:
        row[-1] = row[-1] if len(row[-1]) <= most else f"{row[-1][: most - 1]}…"


def print_fields(fields: Mapping[str, Any]) -> None:
    """Print name and value, one per line; empty values are left out."""
    shown = {name: cell(value) for name, value in fields.items() if value not in (None, "", [], ())}
    width = max(map(len, shown), default=0)
    for name, value in shown.items():
        say(f"  {name:<{width}}  {value}")


def print_section(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a title and a table, if there are rows."""
    if rows:
        say(title)
        print_table(columns, rows)


def count(number: int, noun: str) -> str:
    """Format a number of things, such as 1 turn, 2 turns, 0 analyses."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def span(start: float, end: float) -> str:
    """Format a span of seconds of a video, such as 0:05-0:12."""
    return f"{clock(start)}-{clock(end)}"


def print_transcript(said: Iterable[Said]) -> None:
    """Print words with their times and speakers, one turn a line."""
    for each in said:
        say(f"{span(each.time_start, each.time_end)}  {each.speaker + ': ' if each.speaker else ''}{each.utterance}")


def event_place(event: Event) -> str:
    """Format which event it is and where, such as event 3, kitchen 0:05-0:12; for a turn, its number and session."""
    if turn := event.turn:
        return f"turn {turn.number} of {turn.session_id}"  # its text begins with the speaker
    return f"event {event.node_id}, {event.video_id} {span(event.time_start, event.time_end)}"


def spent(usage: Usage | ClipView | ModelUsage) -> str:
    """Format usage of models: number of calls, tokens and price."""
    cost = usage.cost_usd or 0.0
    price = f"${cost:.4f}"
    if usage.unpriced:
        price = f"{price} and {count(usage.unpriced, 'call')} of unknown price" if cost else "price unknown"
    calls = count(usage.calls or 0, "call")
    return f"{calls}, {usage.tokens_in or 0:,} tokens in, {usage.tokens_out or 0:,} out, {price}"


def when(moment: datetime | None) -> str:
    """Format a wall clock time with its day, such as Sun 2026-03-01 09:00:11; empty if it is unknown."""
    return f"{moment:%a %Y-%m-%d %H:%M:%S}" if moment else ""


def local(moment: datetime) -> datetime:
    """Return the moment in the time zone of this machine."""
    return moment.astimezone()


def cell(value: Any) -> str:
    """Format a value on one line."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(cell(part) for part in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return one_line(str(value))


def one_line(text: str) -> str:
    """Replace line breaks and control characters, which could steer a terminal, by spaces."""
    return "".join(letter if letter.isprintable() or letter in _JOINERS else " " for letter in text)
