"""Composed clips as the parameters of ingest/commit_clips."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement, MergedEvent, Use
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
        "video": _video(video),
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
            "characters": _json([person.model_dump() for person in analysis.characters]),
            "speaker_turns": _json([turn.model_dump() for turn in analysis.speaker_turns]),
            "analyser": source.analyser,
            "model": source.model,
            "notes": list(source.notes),
        },
        "events": [
            _event(clip, event, vectors[i].tobytes(), plain_text=plain_text) for i, event in enumerate(clip.events)
        ],
    }


def merged_row(clip: ComposedClip, merged: MergedEvent, parts: Sequence[int], *, plain_text: bool) -> Row:
    """What ingest/commit_merged takes. clip: the one that completes it; parts: node_ids of all it is made of."""
    row = _event(clip, merged.event, merged.vector.tobytes(), plain_text=plain_text)
    row["props"]["clip_ids"] = list(merged.clip_ids)
    return row | {"parts": list(parts), "longest": lasting(clip.source.video, merged.event)}


def _video(video: Video) -> Row:
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
