"""amr videos, persons, objects, groups, stats, counts, lifecycle and analytics: lists of what memory holds."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from amr_neo4j.cli.options import AsOf, Cursor, Json, KnownAt, at_most, options
from amr_neo4j.cli.printing import (
    WHEN,
    give,
    note,
    print_fields,
    print_json,
    print_section,
    print_table,
    span,
    spent,
    when,
)
from amr_neo4j.cli.typer_app import App
from amr_neo4j.domain.plain import fields_of, picked
from amr_neo4j.domain.timestamps import clock

if TYPE_CHECKING:
    from amr_neo4j.domain.arguments import CountedBy as ByWhat
    from amr_neo4j.domain.views import (
        AnalyticsRow,
        Count,
        GroupView,
        KnownObject,
        KnownPerson,
        LifecycleStep,
        ModelUsage,
        Stats,
        VideoView,
    )

app = App()
Rows = Annotated[int, at_most("rows")]
ObjectName = Annotated[str, typer.Argument(metavar="OBJECT", help="Its name, in any form.")]
CountedBy = Annotated[
    str, typer.Argument(metavar="BY", help="What to count by: person, object, place or day.", show_default=False)
]
Query = Annotated[str | None, typer.Argument(metavar="NAME", help="Query to run; without it, all are listed.")]
Param = Annotated[
    list[str] | None, typer.Option(metavar="K=V", help="Override the default of a parameter; may be repeated.")
]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


@app.command()
def lifecycle(
    ctx: typer.Context,
    name: ObjectName,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Annotated[int, at_most("steps")] = 1000,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """List what happened to an object, in order of time.

    Who did what, where, and the state before and after.

    Examples:
      amr lifecycle keys
      amr --group demo lifecycle 'red mug' --json
    """
    with options(ctx).open() as memory:
        page: dict[str, Any] = {"limit": limit, "cursor": cursor}
        give(memory.lifecycle(name, as_of=as_of, known_at=known_at, **page), as_json, _show_lifecycle)


@app.command()
def videos(
    ctx: typer.Context,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Rows = 1000,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """List the videos in memory.

    Examples:
      amr videos
      amr videos --known-at 2026-03-01T12:00:00+01:00 --json
    """
    with options(ctx).open() as memory:
        give(memory.videos(limit, as_of=as_of, known_at=known_at, cursor=cursor), as_json, _show_videos)


@app.command()
def groups(ctx: typer.Context, limit: Rows = 1000, cursor: Cursor = "", as_json: Json = False) -> None:
    """List the groups of the database with counts. To use one, pass --group NAME.

    Examples:
      amr groups
      amr groups --json
    """
    with options(ctx).open() as memory:
        give(memory.groups(limit=limit, cursor=cursor), as_json, _show_groups)


Begins = Annotated[str, typer.Option("--begins", metavar="TEXT", help="Only those whose names begin like this.")]


@app.command()
def persons(
    ctx: typer.Context,
    begins: Begins = "",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Rows = 1000,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """List the persons, most seen first, and where each was seen last.

    Examples:
      amr persons
      amr persons --as-of 2026-03-04T18:00+01:00 --json
    """
    with options(ctx).open() as memory:
        found = memory.known_persons(limit, begins=begins, as_of=as_of, known_at=known_at, cursor=cursor)
        give(found, as_json, _show_persons)


@app.command()
def objects(
    ctx: typer.Context,
    begins: Begins = "",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Rows = 1000,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """List the objects, most used first, with their state and where each was seen last.

    Examples:
      amr objects
      amr objects --as-of 2026-03-04T18:00+01:00 --json
    """
    with options(ctx).open() as memory:
        found = memory.known_objects(limit, begins=begins, as_of=as_of, known_at=known_at, cursor=cursor)
        give(found, as_json, _show_objects)


@app.command()
def counts(
    ctx: typer.Context,
    by: CountedBy,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Rows = 50,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Count the events by person, object, place or day, the most first; days in their order.

    Examples:
      amr counts person
      amr counts day --as-of 2026-03-04T18:00+01:00 --json
    """
    with options(ctx).open() as memory:
        what = cast("ByWhat", by)  # checked by Memory
        found = memory.counts(what, as_of=as_of, known_at=known_at, limit=limit, cursor=cursor)
    give(found, as_json, lambda rows: _show_counts(by, rows))


@app.command()
def stats(ctx: typer.Context, as_json: Json = False) -> None:
    """Count what the group holds, and what model calls cost.

    Examples:
      amr stats
      amr --group demo stats --json
    """
    with options(ctx).open() as memory:
        found = memory.stats()
    if as_json:
        print_json({"group": memory.group_id} | fields_of(found))
    else:
        _show_stats(memory.group_id, found)


@app.command(short_help="Run a predefined query, such as who met whom.")
def analytics(
    ctx: typer.Context,
    name: Query = None,
    param: Param = None,
    limit: Rows = 1000,
    cursor: Cursor = "",
    as_csv: AsCsv = False,
    as_json: Json = False,
) -> None:
    """Run a predefined query: hand-overs, who met whom, what was left open or on, busiest times.

    Each is a file of cypher/analytics/, which can also be pasted into Neo4j Browser.

    Examples:
      amr analytics
      amr analytics hand_overs --csv
      amr --group demo analytics object_timeline --param object=keys
    """
    if as_csv and as_json:
        raise typer.BadParameter("give either --csv or --json")
    if param and not name:
        raise typer.BadParameter("--param requires NAME")
    if cursor and not name:
        raise typer.BadParameter("--cursor requires NAME")
    params: dict[str, Any] = {"limit": limit, "cursor": cursor, **dict(map(_pair, param or ()))}
    rows = _analysed(ctx, name, params) if name else _analyses()
    give(rows, as_json, _print_csv if as_csv else _show_rows)
    if not as_csv and not name:
        note("to run one: amr analytics NAME; with other values than those it takes: --param object=keys")


def _show_counts(by: str, rows: Sequence[Count]) -> None:
    listed = [[row.name, row.events, row.videos, when(row.first_at), when(row.last_at)] for row in rows]
    undated = "no event has a date; to say when a film starts: amr ingest FILE --recorded-at TIME"
    empty = undated if by == "day" else f"no {by}s yet"
    print_table([by, "events", "videos", "first", "last"], listed, empty=empty)


def _show_lifecycle(steps: Sequence[LifecycleStep]) -> None:
    columns = ["place", "video", "time", WHEN, "verb", "actor", "from", "to", "where", "event", "summary"]
    print_table(
        columns,
        [[_step(step)[name] for name in columns] for step in steps],
        cut="summary",
        empty="no move or change of it is recorded by then; amr search lists where it is seen or spoken of",
    )


def _step(step: LifecycleStep) -> dict[str, Any]:
    return {
        "place": step.place,
        "video": step.video_id,
        "time": span(step.time_start, step.time_end),
        WHEN: when(step.at),
        **picked(step, "verb", "actor"),
        "from": step.from_state,
        "to": step.to_state,
        "where": step.spatial_relation or step.spatial_description,
        "event": step.node_id,
        "summary": step.summary_text,
    }


def _show_groups(groups: Sequence[GroupView]) -> None:
    columns = ["group", "videos", "events", "users", "turns", "facts"]
    print_table(
        columns,
        [[g.group_id, g.videos, g.events, g.users, g.turns, g.facts] for g in groups],
        empty="no group holds anything yet; to take something in, run: amr ingest FILE",
    )


def _show_videos(videos: Sequence[VideoView]) -> None:
    columns = ["video", "length", "clips", "events", "recorded at", "place", "file"]
    print_table(
        columns, [_video(video) for video in videos], empty="no videos yet; to take some in, run: amr ingest FILE"
    )


def _video(video: VideoView) -> list[Any]:
    length = clock(video.duration_s or video.seen_until)
    return [video.video_id, length, video.clips, video.events, video.recorded_at, video.place, video.uri]


def _show_persons(persons: Sequence[KnownPerson]) -> None:
    columns = ["person", "known in", "also", "events", "videos", "last seen", "in", "event"]
    rows = [[p.person_id, p.scope or "every video", p.also, p.events, p.videos, *_last(p)] for p in persons]
    print_table(columns, rows, empty="no persons yet")
    if persons:
        note("known in: a name in every video, a description in the one it is of; also: who was merged into them")


def _show_objects(objects: Sequence[KnownObject]) -> None:
    columns = ["object", "place", "state", "events", "videos", "last seen", "in", "event"]
    print_table(
        columns, [[o.name, o.place, o.state, o.events, o.videos, *_last(o)] for o in objects], empty="no objects yet"
    )


def _last(known: KnownPerson | KnownObject) -> list[Any]:
    """Return [when, video, event] of the latest event. `when` is a wall clock time if one is known."""
    seen = when(known.last_at) or (None if known.last_time is None else clock(known.last_time))
    return [seen, known.last_video, known.last_event]


def _show_stats(group_id: str, stats: Stats) -> None:
    listed = ("videos", "clips", "events", "persons", "objects")
    said = {"conversations": stats.sessions, "turns": stats.turns, "facts": stats.facts}
    counts = {"group": group_id} | {name: getattr(stats, name) for name in listed}
    # print_fields leaves out None: that none was merged, failed or skipped is no news.
    counts |= {"merged events": stats.merged or None} | said
    lost = {"failed clips": stats.failed or None, "skipped clips": stats.skipped or None}
    print_fields(counts | lost | dict(stats.channels))
    paid = [_model(model) for model in stats.models if model.calls]
    columns = ["analyser", "model", "clips", "video", "took", "an hour of video: tokens in", "out", "$"]
    print_section("models", columns, paid)


def _model(used: ModelUsage) -> list[Any]:
    hour = used.per_hour
    hourly = [f"{hour.tokens_in:,.0f}", f"{hour.tokens_out:,.0f}", f"{hour.cost_usd:,.2f}"] if hour else ["", "", ""]
    return [used.analyser, used.model, used.clips, clock(used.video_seconds), spent(used), *hourly]


def _analysed(ctx: typer.Context, name: str, params: dict[str, Any]) -> Sequence[AnalyticsRow]:
    with options(ctx).open() as memory:
        return memory.analytics(name, **params)


def _analyses() -> list[AnalyticsRow]:
    from amr_neo4j.memory import Memory

    return [
        {"name": each.name, "takes": " ".join(f"{k}={v}" for k, v in each.params.items()), "tells": each.purpose}
        for each in Memory.analyses()
    ]


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE; write it like object=keys")
    return name, value


def _show_rows(rows: Sequence[AnalyticsRow]) -> None:
    columns = list(rows[0]) if rows else []
    print_table(columns, [list(row.values()) for row in rows], empty="no matches")


def _print_csv(rows: Sequence[AnalyticsRow]) -> None:
    """Print rows as CSV: times as ISO 8601, null as an empty field. Without rows there is no header."""
    writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else (), lineterminator="\n")
    if rows:
        writer.writeheader()
    writer.writerows({name: _csv(value) for name, value in row.items()} for row in rows)


def _csv(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
