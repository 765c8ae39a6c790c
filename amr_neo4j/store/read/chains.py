"""Chains of events by identity within videos: what the graph seeks where a scope names its videos.

The latest of a person in the whole group are the wrong end to begin at there: whoever is in every recording has to be
passed a hundred thousand times before the recording that is asked about comes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from amr_neo4j.domain.video import Video
from amr_neo4j.store.keys import begins, chain_key

Chain = dict[str, Any]


def of_person(person_id: str, videos: Iterable[Video], scopes: Iterable[str] = ()) -> list[Chain]:
    """name, key, video_id and start (where its positions begin), for the group's own name and the video's.

    scopes: others in which a person of this id is one that somebody was merged into.
    """
    others = set(scopes)
    return [
        _chain(person_id, video, chain_key(video.group_id, *video.timeline, scope, person_id))
        for video in videos
        for scope in sorted({"", video.video_id} | others)
    ]


def of_object(name: str, videos: Iterable[Video]) -> list[Chain]:
    """As of_person."""
    return [_chain(name, video, chain_key(video.group_id, *video.timeline, name)) for video in videos]


def _chain(name: str, video: Video, key: str) -> Chain:
    return {"name": name, "key": key, "video_id": video.video_id, "start": begins(video)}
