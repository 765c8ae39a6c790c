"""Chains of events by identity within videos, for scopes that name their videos.

There, reading a person's events latest first in the whole group would be slow: a person of every recording may have a
hundred thousand later events to pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from amr_neo4j.domain.video import Video
from amr_neo4j.store.keys import chain_key, first_position

Chain = dict[str, Any]


def of_person(person_id: str, videos: Iterable[Video], scopes: Iterable[str] = ()) -> list[Chain]:
    """Returns name, key, video_id and start (a lower bound of positions), for the group's person and each video's.

    scopes: further ones with a person of this id that others were merged into.
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
    return {"name": name, "key": key, "video_id": video.video_id, "start": first_position(video)}
