"""amr show: one event, clip, video, person or object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.options import AsOf, Cursor, Json, KnownAt, at_most, chosen, moment, options, time_option
from amr_neo4j.cli.printing import (
    WHEN,
    cell,
    give,
    note,
    print_fields,
    print_section,
    print_transcript,
    say,
    span,
    spent,
    when,
)
from amr_neo4j.cli.typer_app import App
from amr_neo4j.domain.timestamps import clock

if TYPE_CHECKING:
    from amr_neo4j import Memory
    from amr_neo4j.domain.event import Event
    from amr_neo4j.domain.views import (
        ClipEvent,
        ClipView,
        EdgeView,
        EventView,
        ObjectEvent,
        ObjectView,
        PersonEvent,
        PersonView,
        UseView,
        VideoView,
    )

app = App(name="show", help="Show an event, a clip, a video, a person or an object.", no_args_is_help=True)

# Edges of one channel that are shown. A person of a busy event may be tied to fifty others.
_EDGES_SHOWN = 5

EventId = Annotated[int, typer.Argument(metavar="ID", help="Number of the event, as in answers.")]
ClipId = Annotated[str, typer.Argument(metavar="ID", help="Id of the clip within its video.")]
OfVideo = Annotated[str | None, typer.Option("--video", metavar="ID", help="Video of the clip. Default: any.")]
VideoId = Annotated[str, typer.Argument(metavar="ID", help="Id of the video: amr videos.")]
PersonName = Annotated[str, typer.Argument(metavar="NAME", help="A name, a description or an id.")]
ObjectName = Annotated[str, typer.Argument(metavar="NAME", help="Its name, in any form.")]
Picture = Annotated[
    Path | None, typer.Option("--picture", metavar="FILE", help="Write a picture of the event, .jpg or .png.")
]
ClipFile = Annotated[
    Path | None,
    typer.Option("--clip", metavar="FILE", help="Write a clip of the event, .mp4, with a second before and after."),
]
Play = Annotated[bool, typer.Option("--play", help="Play the clip of the event in a window.")]
AtSecond = Annotated[
    float | None,
    typer.Option(
        "--second",
        metavar="SECONDS",
        min=0.0,
        help="Take the picture at this second of the video. Default: the middle of the event.",
    ),
]
Events = Annotated[int, at_most("events")]
EventsOfEach = Annotated[int, typer.Option("--events", metavar="N", min=1, help="Number of events of each, at most.")]
SinceSecond = Annotated[
    Any, time_option("--since", "Only events that end then or later: seconds, or mm:ss.", parser=moment)
]
UntilSecond = Annotated[
    Any, time_option("--until", "Only events that start then or earlier: seconds, or mm:ss.", parser=moment)
]
Transcript = Annotated[bool, typer.Option("--transcript", help="Only what is said, with who says it.")]
Vector = Annotated[bool, typer.Option("--vector", help="Also its text embedding, with --json.")]


@app.command()
def event(
    ctx: typer.Context,
    node_id: EventId,
    picture: Picture = None,
    clip: ClipFile = None,
    play: Play = False,
    at: AtSecond = None,
    vector: Vector = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Show an event: persons, objects, and edges to other events.

    --picture, --clip and --play are cut from the source file; exits with code 66 if that is gone or was replaced.
    The picture has a box around who and what is meant, where the analysis says where they are.

    Examples:
      amr show event 17
      amr show event 17 --json --vector
      amr show event 17 --picture door.jpg --clip door.mp4
      amr show event 17 --play
    """
    with options(ctx).open() as memory:
        found = memory.event(node_id, vector=vector, as_of=as_of, known_at=known_at)
        if picture:
            memory.save_picture(node_id, picture, second=at)
            note(f"wrote {picture}")
        if clip:
            memory.save_clip(node_id, clip)
            note(f"wrote {clip}")
        if play:
            _play(memory, found)
    give(found, as_json, _show_event)


def _play(memory: Memory, event: EventView) -> None:
    from amr_neo4j.media.excerpts import play

    with TemporaryDirectory(prefix="amr-play-") as folder:
        clip = Path(folder) / f"event-{event.node_id}.mp4"
        memory.save_clip(event.node_id, clip)
        play(clip, f"event {event.node_id}: {event.summary_text}")


@app.command()
def clip(
    ctx: typer.Context,
    clip_id: ClipId,
    video: OfVideo = None,
    limit: Annotated[int, at_most("clips")] = 100,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Show a clip: its status, analyser, cost, repairs and events.

    If it failed: the reason, and the model's reply.

    Examples:
      amr show clip 000000000-000010000
      amr show clip c3 --video kitchen --json
    """
    with options(ctx).open() as memory:
        found = memory.clips(clip_id, video, **chosen(ctx, "limit", "as_of", "known_at", "cursor"))
    give(found, as_json, _show_clips)


@app.command()
def video(
    ctx: typer.Context,
    video_id: VideoId,
    limit: Events = 1000,
    since: SinceSecond = None,
    until: UntilSecond = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    transcript: Transcript = False,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Show a video and list its events, with what is said in them, in order of time.

    Examples:
      amr show video kitchen
      amr show video kitchen --since 12:30 --until 14:00
      amr show video kitchen --transcript
    """
    asked: dict[str, Any] = chosen(ctx, "since", "until", "as_of", "known_at", "limit", "cursor")
    with options(ctx).open() as memory:
        if transcript:
            give(memory.transcript(video_id, **asked), as_json, print_transcript)
        else:
            give(memory.video(video_id, **asked), as_json, _show_video)


@app.command()
def around(
    ctx: typer.Context,
    node_id: EventId,
    before: Annotated[float, typer.Option("--before", metavar="SECONDS", min=0.0, help="Seconds before it.")] = 60.0,
    after: Annotated[float, typer.Option("--after", metavar="SECONDS", min=0.0, help="Seconds after it.")] = 60.0,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """List the events around an event of a video, with what is said in them, in order of time.

    Examples:
      amr show around 17
      amr show around 17 --before 300 --after 0
    """
    with options(ctx).open() as memory:
        found = memory.around(node_id, before_s=before, after_s=after, as_of=as_of, known_at=known_at)
    give(found, as_json, _show_events)


@app.command()
def person(
    ctx: typer.Context,
    name: PersonName,
    events: EventsOfEach = 50,
    limit: Annotated[int, at_most("persons")] = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Show a person and list the events with them.

    Examples:
      amr show person Anna
      amr show person 'woman in a red coat' --events 5 --json
    """
    with options(ctx).open() as memory:
        bounds: dict[str, Any] = {"events": events, "as_of": as_of, "known_at": known_at, "cursor": cursor}
        give(memory.persons(name, limit, **bounds), as_json, _show_persons)


@app.command("object")
def thing(
    ctx: typer.Context,
    name: ObjectName,
    events: EventsOfEach = 50,
    limit: Annotated[int, at_most("objects")] = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Show an object and list its events.

    Examples:
      amr show object keys
      amr show object 'red mug' --events 5 --json
    """
    with options(ctx).open() as memory:
        bounds: dict[str, Any] = {"events": events, "as_of": as_of, "known_at": known_at, "cursor": cursor}
        give(memory.objects(name, limit, **bounds), as_json, _show_objects)


def _show_event(event: EventView) -> None:
    say(f"event {event.node_id}, {event.video_id} {span(event.time_start, event.time_end)}")
    say(f"  {event.summary_text}")
    at = event.at and f"{event.at:%a} {cell(event.at)}"
    print_fields({"at": at, "scene": event.scene_type, "clips": event.clip_ids, "file": event.uri})
    print_fields({"made of": event.made_of, "merged into": event.merged_into})
    people = [[part.person, part.role] for part in event.people]
    by_channel: dict[str, list[EdgeView]] = {}
    for edge in event.edges:
        by_channel.setdefault(edge.channel, []).append(edge)
    shown = [edge for edges in by_channel.values() for edge in edges[:_EDGES_SHOWN]]
    edges = [[edge.src, edge.dst, edge.channel, edge.subject, _gap(edge)] for edge in shown]
    for line in event.dialogue_snippets:
        say(f'  "{line}"')
    print_section("people", ["person", "role"], people)
    print_section(
        "objects", ["object", "verb", "actor", "state", "where", "how sure"], [_use(use) for use in event.uses]
    )
    print_section("edges", ["from", "to", "channel", "about", "apart"], edges)
    for channel, of_channel in by_channel.items():
        if len(of_channel) > _EDGES_SHOWN:
            say(f"and {len(of_channel) - _EDGES_SHOWN} more {channel} edges: --json")
    _show_legend(event)


def _show_legend(event: EventView) -> None:
    """Explain the numbers that are shown."""
    lines = {
        "clips: milliseconds from the start, from-to": any(name[:9].isdigit() for name in event.clip_ids),
        "how sure: from 0 to 1, as (.65) in a text": any(use.confidence is not None for use in event.uses),
        "apart: from the end of one event to the start of the other": bool(event.edges),
    }
    if any(lines.values()):
        note("; ".join(line for line, is_shown in lines.items() if is_shown))


def _show_clips(clips: Sequence[ClipView]) -> None:
    for clip in clips:
        say(f"clip {clip.clip_id}, {clip.video_id} {span(clip.t_start, clip.t_end)}, {clip.status}")
        if clip.clip_summary:
            say(f"  {clip.clip_summary}")
        analyser = " ".join(part for part in (clip.analyser, clip.model) if part)
        facts = {"analyser": analyser, "committed": clip.committed_at, "repaired": clip.notes}
        failed = {"failed": clip.failed_at, "attempts": clip.failed_at and clip.attempts, "error": clip.error}
        took = {"took": spent(clip) if clip.calls else ""}
        print_fields(facts | failed | took | {"file": clip.uri, "sha256": clip.content_sha256})
        events = [[*_timed(e), e.summary_text] for e in clip.events]
        people = [[who.get("name_or_description"), who.get("role")] for who in clip.characters]
        print_section("characters", ["who", "role"], people)
        turns = [[turn.get("speaker_id"), turn.get("utterance")] for turn in clip.speaker_turns]
        print_section("speaker turns", ["speaker", "words"], turns)
        print_section("events", ["event", "time", WHEN, "summary"], events)
        if clip.raw_reply:
            say("what the model replied:")
            for line in clip.raw_reply.splitlines():
                say(f"  {line}")


def _show_video(video: VideoView) -> None:
    say(f"video {video.video_id}")
    facts: dict[str, Any] = {"file": video.uri, "length": clock(video.duration_s or video.seen_until)}
    if video.width and video.fps:
        facts["picture"] = f"{video.width} x {video.height}, {video.fps:g} frames a second"
    counts = {"place": video.place, "clips": video.clips, "events": video.events}
    print_fields(facts | {"recorded at": video.recorded_at} | counts | {"failed clips": video.failed or None})
    scenes = [[span(each.t_start, each.t_end), ", ".join(each.persons), each.summary_text] for each in video.scenes]
    print_section("scenes", ["time", "who", "summary"], scenes)
    _show_events(video.timeline)
    if video.next:
        note(f"for more events: --cursor {video.next}")


def _show_events(events: Sequence[ClipEvent | Event]) -> None:
    rows = [[*_timed(each), " ".join([each.summary_text, *_quoted(each)])] for each in events]
    print_section("events", ["event", "time", WHEN, "summary"], rows)


def _quoted(event: ClipEvent | Event) -> list[str]:
    from amr_neo4j.domain.event import lines_beside

    return [f'"{line}"' for line in lines_beside(event.summary_text, event.dialogue_snippets)]


def _note_more(events: int) -> None:
    if events > 0:
        note(f"and {events} more events; to see them, raise --limit")


def _show_persons(persons: Sequence[PersonView]) -> None:
    for person in persons:
        video = f" of video {person.scope}" if person.scope else ""
        events = [[*_event(e), ", ".join(e.roles), e.summary_text] for e in person.events]
        also = f", also {', '.join(person.also)}" if person.also else ""
        title = f"person {person.person_id}{video}{also}, {person.times} times"
        print_section(title, ["event", "video", "time", WHEN, "role", "summary"], events)
        _note_more(person.times - len(events))


def _show_objects(objects: Sequence[ObjectView]) -> None:
    for thing in objects:
        events = [[*_event(e), e.verb, e.to_state, e.summary_text] for e in thing.events]
        title = f"object {thing.name} in {thing.place}, {thing.times} times"
        print_section(title, ["event", "video", "time", WHEN, "verb", "then", "summary"], events)
        _note_more(thing.times - len(events))


def _event(event: PersonEvent | ObjectEvent) -> list[Any]:
    return [event.node_id, event.video_id, span(event.time_start, event.time_end), when(event.at)]


def _timed(event: ClipEvent | Event) -> list[Any]:
    return [event.node_id, span(event.time_start, event.time_end), when(event.at)]


def _use(use: UseView) -> list[Any]:
    states = " -> ".join(state for state in (use.from_state, use.to_state) if state)
    sure = "" if use.confidence is None else f"{use.confidence:.2f}"
    return [use.object, use.verb, use.actor, states, use.spatial_relation or use.spatial_description, sure]


def _gap(edge: EdgeView) -> str:
    return f"{edge.time_gap:g} s" if edge.time_gap is not None else ""
