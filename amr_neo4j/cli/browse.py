"""amr lifecycle, videos and stats: what memory holds."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, print_fields, print_section, print_table, say, span, spent
from amr_neo4j.domain.timestamps import clock

app = App()

Row = dict[str, Any]
ObjectName = Annotated[str, typer.Argument(metavar="OBJECT", help="Its name, in any form.")]


@app.command(epilog="Examples:  amr lifecycle keys   |   amr --group demo lifecycle 'red mug' --json")
def lifecycle(ctx: typer.Context, name: ObjectName, as_json: Json = False) -> None:
    """Tell what happened to an object, in order of time.

    Who did what, where, and the state before and after.
    """
    with options(ctx).open() as memory:
        give(memory.lifecycle(name), as_json, _show_lifecycle)


@app.command(epilog="Examples:  amr videos   |   amr videos --json")
def videos(ctx: typer.Context, as_json: Json = False) -> None:
    """List the videos in memory."""
    with options(ctx).open() as memory:
        give(memory.videos(), as_json, _show_videos)


@app.command(epilog="Examples:  amr stats   |   amr --group demo stats --json")
def stats(ctx: typer.Context, as_json: Json = False) -> None:
    """Count what memory holds."""
    with options(ctx).open() as memory:
        give({"group": memory.group_id} | memory.stats(), as_json, _show_stats)


def _show_lifecycle(rows: list[Row]) -> None:
    columns = ["place", "video", "time", "at", "verb", "actor", "from", "to", "where", "event", "summary"]
    shown = [name for name in columns if name != "at" or any(row["at"] for row in rows)]
    print_table(shown, [[_life(row)[name] for name in shown] for row in rows])


def _life(row: Row) -> Row:
    return {
        "place": row["place"],
        "video": row["video_id"],
        "time": span(row["time_start"], row["time_end"]),
        "at": row["at"],
        "verb": row["verb"],
        "actor": row["actor"],
        "from": row["from_state"],
        "to": row["to_state"],
        "where": row["spatial_relation"] or row["spatial_description"],
        "event": row["node_id"],
        "summary": row["summary_text"],
    }


def _show_videos(rows: list[Row]) -> None:
    if not rows:
        say("no video in memory yet; amr ingest takes them in")
        return
    columns = ["video", "length", "clips", "events", "recorded at", "place", "file"]
    print_table(columns, [_video(row) for row in rows])


def _video(row: Row) -> list[Any]:
    length = clock(row["duration_s"] or row["seen_until"])
    return [row["video_id"], length, *(row[name] for name in ("clips", "events", "recorded_at", "place", "uri"))]


def _show_stats(row: Row) -> None:
    counts = {name: value for name, value in row.items() if name not in ("channels", "models", "failed", "skipped")}
    lost = {f"{name} clips": row[name] for name in ("failed", "skipped") if row[name]}
    print_fields(counts | lost | row["channels"])
    paid = [_model(model) for model in row["models"] if model["calls"]]
    columns = ["analyser", "model", "clips", "video", "took", "an hour of video: tokens in", "out", "$"]
    print_section("models", columns, paid)


def _model(row: Row) -> list[Any]:
    facts = [row[name] for name in ("analyser", "model", "clips")]
    hour, digits = row["per_hour"], {"tokens_in": 0, "tokens_out": 0, "cost_usd": 2}
    hourly = [f"{hour[name]:,.{n}f}" if hour else "" for name, n in digits.items()]
    return [*facts, clock(row["video_seconds"]), spent(row), *hourly]
