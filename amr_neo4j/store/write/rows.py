"""Composed clips as the parameters of ingest/commit_clips."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from amr_neo4j.domain.analysis import Character
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.event import Action, ComposedClip, EventDraft, Involvement, MergedEvent, Use
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.video import Video
from amr_neo4j.store.full_text import scope_text
from amr_neo4j.store.keys import chain_key, clock_start, lasting, person_chain, position
from amr_neo4j.store.persons.aliases import Identity, PersonAliases

Row = dict[str, Any]
Sense = Literal["seen", "heard"]


def clip_row(number: int, clip: ComposedClip, vectors: Vectors, merged: PersonAliases, *, plain_text: bool) -> Row:
    """One clip; vectors: (its events, dim). merged: who is somebody else by now."""
    source = clip.source
    video, analysis = source.video, source.analysis
    return {
        "number": number,
        "key": {"group_id": video.group_id, "video_id": video.video_id, "clip_id": source.clip.clip_id},
        "video": video_row(video),
        "longest": max((lasting(video, event) for event in clip.events), default=0),
        "heard": any(event.heard for event in clip.events),
        "voices": any("heard" in _senses(event, PersonAliases()).values() for event in clip.events),
        "clip": {
            "t_start": source.clip.t_start,
            "t_end": source.clip.t_end,
            "uri": source.clip.uri,
            "uri_offset": source.clip.uri_offset,
            "content_sha256": source.content_sha256,
            "clip_summary": analysis.clip_summary,
            "scene_type": analysis.scene_type,
            "characters": _json([_character(person) for person in analysis.characters]),
            "speaker_turns": _json([turn.model_dump() for turn in analysis.speaker_turns]),
            "analyser": source.analyser,
            "model": source.model,
            "notes": list(source.notes),
            # What was wrong at an earlier attempt.
            "error": None,
            "raw_reply": None,
            "failed_at": None,
        },
        "usage": usage_row(source.usage),
        "events": [
            _event(clip, event, vectors[i].tobytes(), merged, plain_text=plain_text)
            for i, event in enumerate(clip.events)
        ],
    }


def merged_row(
    clip: ComposedClip, event: MergedEvent, parts: Sequence[int], merged: PersonAliases, *, plain_text: bool
) -> Row:
    """What ingest/commit_merged takes. clip: the one that completes it; parts: node_ids of all it is made of."""
    row = _event(clip, event.event, event.vector.tobytes(), merged, plain_text=plain_text)
    row["props"]["clip_ids"] = list(event.clip_ids)
    return row | {"parts": list(parts), "longest": lasting(clip.source.video, event.event)}


def _character(person: Character) -> Row:
    """Without the id that nobody gave: what was stored before there were such ids stays as it is told."""
    return {name: value for name, value in person.model_dump().items() if value or name != "person_id"}


def video_row(video: Video) -> Row:
    """What is kept of a video when its first clip comes."""
    return {
        "uri": video.uri,
        "fingerprint": video.fingerprint,
        "duration_s": video.duration_s,
        "fps": video.fps,
        "width": video.width,
        "height": video.height,
        "recorded_at": video.recorded_at,
        "place": video.home,
    }


def usage_row(usage: Usage) -> Row:
    """What adds up on a clip over all attempts."""
    counted = ("calls", "unpriced", "tokens_in", "tokens_out", "cost_usd")
    return {name: getattr(usage, name) for name in counted}


def _event(clip: ComposedClip, event: EventDraft, vector: bytes, merged: PersonAliases, *, plain_text: bool) -> Row:
    video = clip.source.video
    senses = _senses(event, merged)
    return {
        "props": {
            "group_id": video.group_id,
            "video_id": video.video_id,
            "clip_id": clip.source.clip.clip_id,
            "clip_ids": [clip.source.clip.clip_id],
            "ordinal": event.ordinal,
            "time_start": event.time_start,
            "time_end": event.time_end,
            "clock_start": clock_start(video, event.time_start),
            "position": position(video, clip.source.clip, event),
            "at": event.at,
            "summary_text": event.summary_text,
            "dialogue_snippets": list(event.dialogue_snippets),
            "persons": list(event.persons),
            "objects": list(event.objects),
            "scene_type": event.scene_type,
            "actions": _json([_action(action) for action in event.actions]),
            "scope_text": scope_text(video, [merged.who(_identity(part)) for part in event.involvements]),
            "heard": event.heard,
        },
        "place": video.home,
        "plain_text": plain_text,
        "vector": vector,
        "involvements": [_involvement(video, part, merged, senses) for part in event.involvements],
        "uses": [_use(video, use, _actors(event, merged)) for use in event.uses],
    }


def _involvement(video: Video, part: Involvement, merged: PersonAliases, senses: Mapping[Identity, Sense]) -> Row:
    """told: who it was said to be, whoever that is by now."""
    scope, person_id = who = merged.who(_identity(part))
    sense = senses.get(who)
    return {
        "role": part.role,
        "told": list(_identity(part)),
        "scope": scope,
        "person_id": person_id,
        "key": person_chain(video, who),
        "sense": sense if _shows(part, sense) else None,
        "evidence": part.evidence,
        "confidence": part.confidence,
    }


def _senses(event: EventDraft, merged: PersonAliases) -> dict[Identity, Sense]:
    """Who is seen in an event, and who is only heard: a voice, or somebody who acts in what is a sound."""
    seen = {merged.who(_identity(part)) for part in event.involvements if part.role == "actor" and not event.heard}
    there = {merged.who(_identity(part)) for part in event.involvements if part.role != "mentioned"}
    return {who: "seen" if who in seen else "heard" for who in there}


def _shows(part: Involvement, sense: Sense | None) -> bool:
    """Whether it is this part that tells: who is seen acting may speak too."""
    return part.role == "actor" or (part.role == "speaker" and sense == "heard")


def _actors(event: EventDraft, merged: PersonAliases) -> dict[str, str]:
    """person_id as told -> as it is by now, of all who act."""
    acting = (_identity(part) for part in event.involvements if part.role == "actor")
    return {told[1]: merged.who(told)[1] for told in acting}


def _identity(part: Involvement) -> Identity:
    return part.scope, part.person_id


def _use(video: Video, use: Use, actors: Mapping[str, str]) -> Row:
    props = asdict(use)
    name, told = props.pop("name"), props["actor"]
    actor = actors.get(told, told)
    now = {"actor": actor, "told_actor": told if told != actor else None}
    return {"name": name, "props": props | now | {"key": chain_key(video.group_id, *video.timeline, name)}}


def _action(action: Action) -> Row:
    """Without a time that is its event's: what was stored before there were such times stays as it is told."""
    return {name: value for name, value in asdict(action).items() if value is not None}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
