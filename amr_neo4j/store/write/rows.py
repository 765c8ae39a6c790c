"""Turns composed clips into the rows of the statements that write them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Literal

import numpy as np

from amr_neo4j.domain.analysis import Character
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.event import (
    PLAIN_VALUES,
    TEXT_LISTS,
    Action,
    ComposedClip,
    EventDraft,
    Involvement,
    MergedEvent,
    RecentEvent,
    Use,
)
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.store.database import Row
from amr_neo4j.store.full_text import scope_text
from amr_neo4j.store.keys import chain_key, clock_start, duration_us, person_chain, position
from amr_neo4j.store.person_aliases import Identity, PersonAliases

Sense = Literal["seen", "heard"]

TITLE_LENGTH = 40
"""Event.title has at most this many characters before the ellipsis."""


def video_of(group_id: str, row: Row) -> Video:
    """Return a video with what decides its timeline: place and start time."""
    recorded_at = row["recorded_at"].to_native() if row["recorded_at"] else None
    return Video(group_id, row["video_id"], place=row["place"], recorded_at=recorded_at)


def clip_row(number: int, clip: ComposedClip, *, vectors: Vectors, aliases: PersonAliases) -> Row:
    """Return one clip with its events as a row. The events get their node_ids later, under the writers' lock.

    number: index of the clip in its transaction.
    vectors: (events of the clip, dim).
    aliases: the group's merged persons.
    """
    source = clip.source
    video, analysis = source.video, source.analysis
    events = [
        _event(clip, event, vector=vectors[i].tobytes(), aliases=aliases) for i, event in enumerate(clip.events)
    ]
    return {
        "number": number,
        "video_id": video.video_id,
        "clip_id": source.clip.clip_id,
        "video": video_row(video),
        "longest": max((duration_us(event["props"]["position"]) for event in events), default=0),
        "heard": any(event.heard for event in clip.events),
        # Without aliases, so that the flag does not depend on which persons happen to be merged now.
        "voices": any("heard" in _senses(video, event, PersonAliases()).values() for event in clip.events),
        "receipt": {
            **stretch_row(source.clip),
            **picked(source, "content_sha256", "analyser", "model", "received_at", "analysed_at"),
            "events": len(clip.events),
            "damaged": None,
            **picked(analysis, "clip_summary", "scene_type"),
            "characters": _json([_character(person) for person in analysis.characters]),
            "speaker_turns": _json([turn.model_dump() for turn in analysis.speaker_turns]),
            "notes": list(source.notes),
            "tracked": source.tracked.model_dump_json(exclude_defaults=True) if source.tracked else None,
            # Cleared, because an earlier attempt at this clip may have failed.
            "error": None,
            "raw_reply": None,
            "failed_at": None,
        },
        "usage": usage_row(source.usage),
        "events": events,
    }


def merged_row(clip: ComposedClip, merged: Sequence[MergedEvent], aliases: PersonAliases) -> Row:
    """Return merged events as a row: further events of the stored clip that completes them."""
    events: list[Row] = []
    for each in merged:
        row = _event(clip, each.event, vector=each.vector.tobytes(), aliases=aliases)
        row["props"]["clip_ids"] = list(each.clip_ids)
        events.append(row)
    source = clip.source
    return {
        "video_id": source.video.video_id,
        "clip_id": source.clip.clip_id,
        "video": {},
        "longest": max(duration_us(event["props"]["position"]) for event in events),
        "heard": any(each.event.heard for each in merged),
        "voices": any("heard" in _senses(source.video, each.event, PersonAliases()).values() for each in merged),
        "receipt": None,
        "usage": usage_row(Usage()),
        "events": events,
    }


def _character(person: Character) -> Row:
    """Return a character as stored in the receipt. An empty person_id is left out."""
    return {name: value for name, value in person.model_dump().items() if value or name != "person_id"}


def video_row(video: Video) -> Row:
    """Return the properties of a video, written with its first clip."""
    return {
        **picked(video, "uri", "fingerprint", "duration_s", "fps", "width", "height", "recorded_at"),
        **{name: text or None for name, text in picked(video, "dated_by", "timezone", "wearer").items()},
        "place": video.home,
        "file_key": next(iter(video.file_keys), None),
    }


def stretch_row(clip: Clip) -> Row:
    """Return the properties of a clip itself, which its receipt has whether it is stored or failed."""
    return picked(clip, "t_start", "t_end", "uri", "uri_offset") | {"fingerprint": clip.fingerprint or None}


def usage_row(usage: Usage) -> Row:
    """Return the counters of a clip. The statement adds them up over all attempts to analyse it."""
    return picked(usage, "calls", "unpriced", "tokens_in", "tokens_out", "cost_usd")


def title(summary: str) -> str:
    """Return the summary, cut at a space to TITLE_LENGTH characters: the caption of an event in Neo4j Browser."""
    if len(summary) <= TITLE_LENGTH:
        return summary
    head = summary[: TITLE_LENGTH + 1].rpartition(" ")[0]
    return f"{head or summary[:TITLE_LENGTH]}…"


def _event(clip: ComposedClip, event: EventDraft, *, vector: bytes, aliases: PersonAliases) -> Row:
    """Return an event as a row: its properties, its persons (`involvements`) and its objects (`uses`)."""
    video = clip.source.video
    senses, actors = _senses(video, event, aliases), _actors(video, event, aliases)
    props = {
        "group_id": video.group_id,
        "video_id": video.video_id,
        "clip_id": clip.source.clip.clip_id,
        "clip_ids": [clip.source.clip.clip_id],  # a merged event gets all of its clips (merged_row)
        **picked(event, *PLAIN_VALUES),
        "clock_start": clock_start(video, event.time_start),
        "position": position(video, clip.source.clip, event),
        "title": title(event.summary_text),
        **{name: list(words) for name, words in picked(event, *TEXT_LISTS).items()},
        "actions": _json([_action(action) for action in event.actions]) if event.actions else "[]",
        # With the current persons: a merged person is found under the one that it is now.
        "scope_text": scope_text(
            video, [aliases.resolve(part.identity, video.video_id) for part in event.involvements]
        ),
        "boxes": _json([box.model_dump(exclude_none=True) for box in event.boxes]) if event.boxes else None,
        # Null, which is not stored, because few events are derived.
        "derived": event.derived or None,
    }
    # Copied to every relationship of the event: chains are found by an index on key and position.
    own = {"group_id": video.group_id, "position": props["position"], "at": props["clock_start"]}
    return {
        "props": props,
        "at": event.at,
        "place": video.home,
        "vector": vector,
        "involvements": [
            _involvement(video, part, aliases=aliases, senses=senses, own=own)
            | {"voice": list(clip.source.voices.get(part.name, ())) or None}
            for part in event.involvements
        ],
        "uses": [_use(video, use, actors=actors, own=own) for use in event.uses],
    }


def recent_event(row: Row) -> RecentEvent:
    """Return a stored event as merging needs it: the reverse of `_event`, which writes it.

    row: of `ingest/recent_events`; the vector as float32 bytes. Boxes are left out: a merged event has none.
    """
    plain: Row = {name: row[name] for name in PLAIN_VALUES if name in row}
    texts: Row = {name: tuple(row.get(name) or ()) for name in TEXT_LISTS}
    event = EventDraft(
        **plain,
        **texts,
        actions=tuple(Action(**action) for action in json.loads(row["actions"])),
        at=row["at"].to_native().astimezone(UTC) if "at" in row else None,
        involvements=tuple(Involvement(**part) for part in row["involvements"]),
        uses=tuple(Use(**use) for use in row["uses"]),
    )
    return RecentEvent(row["node_id"], tuple(row["clip_ids"]), event, np.frombuffer(row["vector"], np.float32))


def _involvement(
    video: Video, part: Involvement, *, aliases: PersonAliases, senses: Mapping[Identity, Sense], own: Row
) -> Row:
    """Return a person's part in an event. stated: the identity that the analysis gave, before any merge.

    `seen` and `heard` name the person within one video, because voices are tied to sights of the same video only.
    """
    scope, person_id = who = aliases.resolve(part.identity, video.video_id)
    sense = senses.get(who)
    sense = sense if _counts(part, sense) else None
    key = person_chain(video, who)
    return {
        "scope": scope,
        "person_id": person_id,
        "name": part.name or part.person_id.replace("_", " "),
        "props": {
            **own,
            "role": part.role,
            "stated": list(part.identity),
            "person_id": person_id,
            "key": key,
            "seen": f"{key}@{video.video_id}" if sense == "seen" else None,
            "heard": f"{key}@{video.video_id}" if sense == "heard" else None,
            "evidence": part.evidence,
            "confidence": part.confidence,
        },
    }


def _senses(video: Video, event: EventDraft, aliases: PersonAliases) -> dict[Identity, Sense]:
    """Return who is seen in an event and who is only heard.

    An actor is seen, unless the event is a sound. Speakers, and actors of a sound, are heard.
    """
    who = [(part.role, aliases.resolve(part.identity, video.video_id)) for part in event.involvements]
    seen = {person for role, person in who if role == "actor" and not event.heard}
    there = {person for role, person in who if role != "mentioned"}
    return {person: "seen" if person in seen else "heard" for person in there}


def _counts(part: Involvement, sense: Sense | None) -> bool:
    """Return whether this part carries the person's `seen` or `heard` property.

    Somebody who is seen acting may also be a speaker of the event. Then only the part as actor carries it.
    """
    return part.role == "actor" or (part.role == "speaker" and sense == "heard")


def _actors(video: Video, event: EventDraft, aliases: PersonAliases) -> dict[str, str]:
    """Return {stated person_id: current person_id} of the actors."""
    acting = (part.identity for part in event.involvements if part.role == "actor")
    return {stated[1]: aliases.resolve(stated, video.video_id)[1] for stated in acting}


def _use(video: Video, use: Use, *, actors: Mapping[str, str], own: Row) -> Row:
    """Return what happened to one object in an event.

    words: how the analysis writes the object; None if unknown, as for events that were read back from the graph.
    """
    actor = actors.get(use.actor, use.actor)
    return {
        "name": use.name,
        "words": use.words or None,
        "props": {
            **own,
            **{name: value for name, value in vars(use).items() if name != "words"},
            "actor": actor,
            # Set only if that person was merged into another, so that an undo can restore it.
            "stated_actor": use.actor if use.actor != actor else None,
            "key": chain_key(video.group_id, *video.timeline, use.name),
        },
    }


def _action(action: Action) -> Row:
    """Return an action as stored with its event. An unknown time is left out."""
    return {name: value for name, value in vars(action).items() if name != "time" or value is not None}


_json = json.JSONEncoder(ensure_ascii=False).encode
