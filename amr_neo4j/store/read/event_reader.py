"""The graph as recall sees it. Every read is scoped: the scope's parameters are added here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import product
from typing import Any

from amr_neo4j.domain.event import Action, Channel, Edge, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database
from amr_neo4j.store.read import chains
from amr_neo4j.store.read.read_cache import Admit, GroupCache, Spoke, admit_all
from amr_neo4j.store.scoping import parameters

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# How many times as many hits are asked for where too few of them lie in a timed scope.
_MORE = 4
# Beyond, a chain for each video costs more than passing what lies outside of them.
_CHAINED = 100
# The full-text indexes of events, and of those that were merged into others.
_TEXTS = ("event_text", "superseded_text")
_PLAIN_TEXTS = ("plain_text", "plain_superseded_text")
# What recall/neighbours and recall/edges tell of an edge, in its order.
_PAYLOAD = (
    "time_gap",
    "person",
    "object",
    "verb",
    "actor",
    "from_state",
    "to_state",
    "spatial_relation",
    "kind",
    "subject",
    "evidence",
    "overlap",
    "confidence",
)


class EventReader:
    """Reads events, their neighbours and who and what they are about."""

    def __init__(self, database: Database, *, language: str, admit: Admit = admit_all) -> None:
        """admit: raises where the group that is asked for cannot be read; asked with its vocabulary, in one trip."""
        self._database = database
        self._admit = admit
        self._present, self._past = _TEXTS if language == "en" else _PLAIN_TEXTS
        self._views: dict[str, GroupCache] = {}
        # Neither a video's place nor its clock ever changes.
        self._videos: dict[tuple[str, str], Video] = {}

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """(node_id, BM25 score), best first; nothing for a text without a word."""
        people = self._people(scope)
        if scope.persons and not people:
            return []
        queries = full_text.queries(text, full_text.event_tokens(scope, people))
        indexes = [self._present, self._past] if scope.known_at else [self._present]
        asked = product(indexes, queries)
        found = dict(hit for index, query in asked for hit in self._hits(index, query, scope, limit))
        return sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Every edge of these channels that touches one of the events, in either direction.

        As they were when the vocabulary was last read, or later.
        """
        if _is_by_time_or_person(scope):
            names = [channel.value for channel in channels]
            edges = self._read("neighbours", scope, node_ids=list(node_ids), channels=names)
            return [Edge(src, dst, Channel(channel), _payload(values)) for src, dst, channel, values in edges]

        def read(unknown: list[int]) -> dict[int, list[Spoke]]:
            found: dict[int, list[Spoke]] = {}
            for node_id, *columns in self._read("edges", scope, node_ids=unknown):
                found.setdefault(node_id, []).append(_spoke_of(node_id, *columns))
            return found

        spokes = self._view(scope.group_id).spokes(node_ids, read)
        inside = (s for s in spokes if not scope.video_ids or s.video_id in scope.video_ids)
        return list({s.identity: s.edge for s in inside if s.edge.channel in channels}.values())

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """The events with these ids, in the order of the ids; those out of scope are left out."""
        known, as_of = self._known(node_ids, scope), self._view(scope.group_id).changes
        asked = [node_id for node_id in node_ids if node_id not in known]
        statements = ("events", "past_events") if scope.known_at else ("events",)
        read = [row for name in statements for row in self._read(name, scope, node_ids=asked)] if asked else ()
        new = {event.node_id: event for event in map(_event_of, read)}
        if scope.known_at is None:  # what was known once may be superseded by now
            self._view(scope.group_id).keep_events(new, as_of)
        found = known | new
        return [found[node_id] for node_id in node_ids if node_id in found]

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that use the object, latest first."""
        if videos := self._chained(scope):
            return self._read("by_object_in_videos", scope, chains=chains.of_object(name, videos), limit=limit)
        return self._read("by_object", scope, name=name, limit=limit)

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that involve the person, latest first."""
        if videos := self._chained(scope):
            chained = self._chains_of_person(person_id, videos, scope)
            return self._read("by_person_in_videos", scope, chains=chained, limit=limit)
        return self._read("by_person", scope, person_id=person_id, limit=limit)

    def vocabulary(self, scope: Scope) -> Names:
        """What the people and objects of the scope's group are called."""
        return self._view(scope.group_id).names()

    def meant(self, group_id: str, person_id: str) -> list[str]:
        """Who is meant where somebody is called so: it, and whoever that is by now."""
        view = self._view(group_id)
        view.names()  # learns of what was merged since
        return view.merged.meant(person_id)

    def known(self, names: Names, scope: Scope) -> Names:
        """Those of the names that an event of the scope knows."""
        merged = self._view(scope.group_id).merged
        meant = {who: merged.meant(who) for who in names.persons}
        asked = sorted({now for those in meant.values() for now in those})
        people, objects = self._known_names(asked, sorted(names.objects), scope)
        return Names(frozenset(who for who in meant if not set(people).isdisjoint(meant[who])), frozenset(objects))

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """node_ids of the events in which something is done to one of the objects, latest first.

        states: of those that leave it in one of these; empty for whatever is done.
        """
        return self._read("life", scope, names=list(objects), states=list(states), limit=limit)

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        """The videos of a scope by their ids: when each was recorded, with the offset from UTC, and its place."""
        unknown = [video_id for video_id in scope.video_ids if (scope.group_id, video_id) not in self._videos]
        if unknown or not scope.video_ids:
            for video_id, place, at, offset in self._read("recordings", replace(scope, video_ids=tuple(unknown))):
                video = Video(scope.group_id, video_id, recorded_at=_in_zone(at, offset), place=place)
                self._videos[scope.group_id, video_id] = video
        known = {
            video_id: video for (group_id, video_id), video in self._videos.items() if group_id == scope.group_id
        }
        return {i: known[i] for i in scope.video_ids if i in known} if scope.video_ids else known

    def _known_names(self, people: list[str], things: list[str], scope: Scope) -> list[Any]:
        videos = self._chained(scope)
        if not videos:
            return self._record("known", scope, names=people, things=things)
        of_people = [chain for name in people for chain in self._chains_of_person(name, videos, scope)]
        of_things = [chain for name in things for chain in chains.of_object(name, videos)]
        return self._record("known_in_videos", scope, people=of_people, things=of_things)

    def _chains_of_person(self, person_id: str, videos: Sequence[Video], scope: Scope) -> list[chains.Chain]:
        return chains.of_person(person_id, videos, self._view(scope.group_id).merged.scopes(person_id))

    def _chained(self, scope: Scope) -> list[Video]:
        """The videos of a scope that names few; none where it names none or many, or asks what was known once.

        What others took the place of since stands in no chain any more.
        """
        if scope.known_at is not None or not 0 < len(scope.video_ids) <= _CHAINED:
            return []
        return list(self.recordings(scope).values())

    def _hits(self, index: str, query: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """The best of a Lucene query in the scope. Times are no words, so more are asked for until it is full."""
        asked = limit
        while True:
            found, inside = self._record("full_text", scope, index=index, query=query, limit=asked)
            if len(inside) >= limit or found < asked:
                return [(node_id, score) for node_id, score in sorted(inside, key=_best_first)[:limit]]
            asked *= _MORE

    def _people(self, scope: Scope) -> list[tuple[str, str]]:
        """(scope, person_id) of the people that a scope names and memory knows."""
        if not scope.persons:
            return []
        rows = self._database.read("recall/person_scopes", group_id=scope.group_id, persons=list(scope.persons))
        return [(row["scope"], row["person_id"]) for row in rows]

    def _known(self, node_ids: Sequence[int], scope: Scope) -> dict[int, Event]:
        """Those of the events that are kept and in the scope; none where only the graph knows what it bounds."""
        if _is_by_time_or_person(scope):
            return {}
        kept = self._view(scope.group_id).events(node_ids)
        return {e.node_id: e for e in kept if not scope.video_ids or e.video_id in scope.video_ids}

    def _view(self, group_id: str) -> GroupCache:
        if group_id not in self._views:
            self._views[group_id] = GroupCache(self._database, group_id, self._admit)
        return self._views[group_id]

    def _read(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """The one list that a statement returns: a driver takes 50 us for each record, however little is in it."""
        [found] = self._record(name, scope, **params)
        return found

    def _record(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """The columns of the one record that a statement returns."""
        [row] = self._database.read(f"recall/{name}", **params, **parameters(scope))
        return list(row.values())


def _is_by_time_or_person(scope: Scope) -> bool:
    """Whether more bounds it than group and videos (an event has no user)."""
    return replace(scope, user_id="", session_ids=()) != Scope(scope.group_id, scope.video_ids)


def _spoke_of(node_id: int, video_id: str, src: int, dst: int, channel: str, values: list[Any]) -> Spoke:
    edge = Edge(src, dst, Channel(channel), _payload(values))
    return Spoke(edge, (src, dst, channel, *values), video_id)


def _best_first(hit: Sequence[Any]) -> tuple[float, int]:
    return -hit[1], hit[0]


def _event_of(columns: Sequence[Any]) -> Event:
    """An event from what recall/events collects."""
    (
        node_id,
        group_id,
        video_id,
        clip_ids,
        ordinal,
        time_start,
        time_end,
        summary_text,
        dialogue_snippets,
        persons,
        objects,
        scene_type,
        actions,
        at_seconds,
        at_microsecond,
        uri,
        heard,
    ) = columns
    return Event(
        node_id,
        group_id,
        video_id,
        tuple(clip_ids),
        ordinal,
        time_start,
        time_end,
        summary_text,
        tuple(dialogue_snippets),
        tuple(persons),
        tuple(objects),
        scene_type,
        tuple(Action(**action) for action in json.loads(actions)),
        _at(at_seconds, at_microsecond),
        uri,
        heard,
    )


def _at(seconds: int | None, microsecond: int | None) -> datetime | None:
    """Told in numbers: the driver takes 0.2 ms to make a datetime, and a question reads hundreds."""
    if seconds is None or microsecond is None:
        return None
    return _EPOCH + timedelta(seconds=seconds, microseconds=microsecond)


def _in_zone(seconds: int | None, offset: int | None) -> datetime | None:
    if seconds is None or offset is None:
        return None
    return datetime.fromtimestamp(seconds, timezone(timedelta(seconds=offset)))


def _payload(values: Sequence[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(_PAYLOAD, values, strict=True) if value is not None}
