"""Composed clips as the parameters of ingest/commit_clips."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from amr_neo4j.domain.analysis import Character
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.video import Video
from amr_neo4j.store.full_text import scope_text
from amr_neo4j.store.keys import chain_key, clock_start, lasting, position

Row = dict[str, Any]


def clip_row(number: int, clip: ComposedClip, vectors: Vectors, *, plain_text: bool) -> Row:
    """One clip; vectors: (its events, dim)."""
    source = clip.source
    video, analysis = source.video, source.analysis
    return {
        "number": number,
        "key": {"group_id": video.group_id, "video_id": video.video_id, "clip_id": source.clip.clip_id},
        "video": video_row(video),
        "longest": max((lasting(video, event) for event in clip.events), default=0),
        "heard": any(event.heard for event in clip.events),
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
            _event(clip, event, vectors[i].tobytes(), plain_text=plain_text) for i, event in enumerate(clip.events)
        ],
    }


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


def _event(clip: ComposedClip, event: EventDraft, vector: bytes, *, plain_text: bool) -> Row:
    video = clip.source.video
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
            "actions": _json([asdict(action) for action in event.actions]),
            "scope_text": scope_text(video, event),
            "heard": event.heard,
        },
        "place": video.home,
        "plain_text": plain_text,
        "vector": vector,
        "involvements": [_involvement(video, part) for part in event.involvements],
        "uses": [_use(video, use) for use in event.uses],
    }


def _involvement(video: Video, part: Involvement) -> Row:
    key = chain_key(video.group_id, *video.timeline, part.scope, part.person_id)
    return asdict(part) | {"key": key}


def _use(video: Video, use: Use) -> Row:
    props = asdict(use)
    name = props.pop("name")
    return {"name": name, "props": props | {"key": chain_key(video.group_id, *video.timeline, name)}}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
