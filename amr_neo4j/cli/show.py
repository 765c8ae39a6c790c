"""amr show: one event, clip, video, person or object."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, print_fields, print_section, say, span, spent
from amr_neo4j.domain.timestamps import clock

app = App(help="Show an event, a clip, a video, a person or an object.", no_args_is_help=True)

Row = dict[str, Any]
EventId = Annotated[int, typer.Argument(metavar="ID", help="The event's number.")]
ClipId = Annotated[str, typer.Argument(metavar="ID", help="The clip's id within its video.")]
OfVideo = Annotated[str | None, typer.Option("--video", metavar="ID", help="Of this video; of all unless given.")]
VideoId = Annotated[str, typer.Argument(metavar="ID", help="The video's id; amr videos lists them.")]
PersonName = Annotated[str, typer.Argument(metavar="NAME", help="A name, a description or an id.")]
ObjectName = Annotated[str, typer.Argument(metavar="NAME", help="Its name, in any form.")]
Limit = Annotated[int, typer.Option(metavar="N", min=1, help="At most so many of its events.")]


@app.command(epilog="Examples:  amr show event 17   |   amr show event 17 --json")
def event(ctx: typer.Context, node_id: EventId, as_json: Json = False) -> None:
    """Show an event: who took part, what was done with which object, and its edges to other events."""
    with options(ctx).open() as memory:
        give(memory.event(node_id), as_json, _show_event)


@app.command(epilog="Examples:  amr show clip 000000000-000010000   |   amr show clip c3 --video kitchen --json")
def clip(ctx: typer.Context, clip_id: ClipId, video: OfVideo = None, as_json: Json = False) -> None:
    """Show a clip's receipt: what became of it, which analyser saw it, what it took, what was repaired, its events.

    Of one that failed: why, and what the model replied.
    """
    with options(ctx).open() as memory:
        give(memory.clips(clip_id, video), as_json, _show_clips)


@app.command(epilog="Examples:  amr show video kitchen   |   amr show video kitchen --json")
def video(ctx: typer.Context, video_id: VideoId, as_json: Json = False) -> None:
    """Show what is known of a video."""
    with options(ctx).open() as memory:
        give(memory.video(video_id), as_json, _show_video)


@app.command(epilog="Examples:  amr show person Anna   |   amr show person 'woman in a red coat' --limit 5 --json")
def person(ctx: typer.Context, name: PersonName, limit: Limit = 50, as_json: Json = False) -> None:
    """Show a person with the events they take part in."""
    with options(ctx).open() as memory:
        give(memory.persons(name, limit), as_json, _show_persons)


@app.command("object", epilog="Examples:  amr show object keys   |   amr show object 'red mug' --limit 5 --json")
def thing(ctx: typer.Context, name: ObjectName, limit: Limit = 50, as_json: Json = False) -> None:
    """Show an object with the events that have to do with it."""
    with options(ctx).open() as memory:
        give(memory.objects(name, limit), as_json, _show_objects)


def _show_event(row: Row) -> None:
    say(f"event {row['node_id']}, {row['video_id']} {span(row['time_start'], row['time_end'])}")
    say(f"  {row['summary_text']}")
    print_fields({"at": row["at"], "scene": row["scene_type"], "clips": row["clip_ids"], "file": row["uri"]})
    print_fields({"made of": row["made_of"], "merged into": row["merged_into"]})
    people = [[part["person"], part["role"]] for part in row["people"]]
    edges = [[edge["src"], edge["dst"], edge["channel"], edge["subject"], _gap(edge)] for edge in row["edges"]]
    for line in row["dialogue_snippets"]:
        say(f'  "{line}"')
    print_section("people", ["person", "role"], people)
    print_section("objects", ["object", "verb", "actor", "state", "where"], [_use(use) for use in row["uses"]])
    print_section("edges", ["from", "to", "channel", "about", "gap"], edges)


def _show_clips(rows: list[Row]) -> None:
    for row in rows:
        say(f"clip {row['clip_id']}, {row['video_id']} {span(row['t_start'], row['t_end'])}, {row['status']}")
        if row["clip_summary"]:
            say(f"  {row['clip_summary']}")
        analyser = " ".join(part for part in (row["analyser"], row["model"]) if part)
        facts = {"analyser": analyser, "committed": row["committed_at"], "repaired": row["notes"]}
        failed = {"failed": row["failed_at"], "attempts": row["failed_at"] and row["attempts"], "error": row["error"]}
        took = {"took": spent(row) if row["calls"] else ""}
        print_fields(facts | failed | took | {"file": row["uri"], "sha256": row["content_sha256"]})
        events = [[e["node_id"], span(e["time_start"], e["time_end"]), e["summary_text"]] for e in row["events"]]
        print_section("events", ["event", "time", "summary"], events)
        if row["raw_reply"]:
            say("what the model replied:")
            for line in row["raw_reply"].splitlines():
                say(f"  {line}")


def _show_video(row: Row) -> None:
    say(f"video {row['video_id']}")
    facts = {"file": row["uri"], "length": clock(row["duration_s"] or row["seen_until"])}
    if row["width"] and row["fps"]:
        facts["picture"] = f"{row['width']} x {row['height']}, {row['fps']:g} frames a second"
    counts = {name: row[name] for name in ("place", "clips", "events")} | {"failed clips": row["failed"] or None}
    print_fields(facts | {"recorded at": row["recorded_at"]} | counts)


def _show_persons(rows: list[Row]) -> None:
    for row in rows:
        video = f" of video {row['scope']}" if row["scope"] else ""
        events = [[*_event(e), ", ".join(e["roles"]), e["summary_text"]] for e in row["events"]]
        also = f", also {', '.join(row['also'])}" if row["also"] else ""
        title = f"person {row['person_id']}{video}{also}, {row['times']} times"
        print_section(title, ["event", "video", "time", "role", "summary"], events)


def _show_objects(rows: list[Row]) -> None:
    for row in rows:
        events = [[*_event(e), e["verb"], e["to_state"], e["summary_text"]] for e in row["events"]]
        title = f"object {row['name']} in {row['place']}, {row['times']} times"
        print_section(title, ["event", "video", "time", "verb", "then", "summary"], events)


def _event(row: Row) -> list[Any]:
    return [row["node_id"], row["video_id"], span(row["time_start"], row["time_end"])]


def _use(use: Row) -> list[Any]:
    states = " -> ".join(state for state in (use["from_state"], use["to_state"]) if state)
    return [use["object"], use["verb"], use["actor"], states, use["spatial_relation"] or use["spatial_description"]]


def _gap(edge: Row) -> str:
    return f"{edge['time_gap']:g} s" if edge["time_gap"] is not None else ""
