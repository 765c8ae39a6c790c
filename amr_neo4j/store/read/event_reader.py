"""Reads events for recall. Every read is scoped: only this module turns a scope of events into parameters."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from itertools import accumulate, product
from math import inf
from threading import Lock
from typing import Any

from amr_neo4j.domain.event import TEXT_LISTS, Action, Channel, Cue, Edge, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Margin, Scope
from amr_neo4j.domain.scene import Companion, Company, SceneMatch
from amr_neo4j.domain.video import Video
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database, Row, whole
from amr_neo4j.store.keys import chain_key, first_position
from amr_neo4j.store.person_aliases import PersonAliases
from amr_neo4j.store.read.read_cache import Admit, EdgeRow, GroupCache, admit_all

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# For `_best_of_all`: the trust that a group begins with, and the most that it can have. A success adds one, a failure
# takes one away; at 0 the shortcut is no longer tried for the group.
_TRUST, _MOST_TRUST = 3, 10
# If a scope names more videos, reading one chain per video costs more than skipping the events of other videos.
_MAX_CHAINED_VIDEOS = 100
# The full-text indexes of events, of superseded events, and of scenes.
_TEXTS = ("amr_event_text", "amr_superseded_text", "amr_scene_text")
_PLAIN_TEXTS = ("amr_plain_text", "amr_plain_superseded_text", "amr_plain_scene_text")
# No recording is longer: 30 years.
_LONGEST_S = 1e9
# The properties of an edge in recall/channels, in this order. Paths are worded with them.
_PAYLOAD = ("person", "object", "verb", "subject")
_OPEN = {"since": -inf, "until": inf, "as_of": inf}
_CHANNELS = {channel.value: channel for channel in Channel}


class EventReader:
    """Reads events, their neighbours, people and objects. Thread-safe."""

    def __init__(self, database: Database, *, language: str, admit: Admit = admit_all) -> None:
        """admit: called with (model, dimension) of the group whenever its vocabulary is read; may raise."""
        self._database = database
        self._admit = admit
        self._present, self._past, self._scenes = _TEXTS if language == "en" else _PLAIN_TEXTS
        self._caches: dict[str, GroupCache] = {}
        # Held while a cache or a video is added, so that no thread iterates over what another one changes.
        self._lock = Lock()
        # By (group_id, video_id). Place and start time of a video change only if it is forgotten and taken in again.
        # That clears the cache of its group, which is noticed by `clearings`.
        self._videos: dict[tuple[str, str], Video] = {}
        self._clearings: dict[str, int] = {}
        # Trust by group_id: see _best_of_all.
        self._trust: dict[str, int] = {}

    def warm_up(self, group_id: str) -> None:
        """Read the names and run the other statements with nothing to find, so that the server plans them all."""
        scope = Scope(group_id)
        self.vocabulary(scope)
        self.vocabulary(scope)  # the second call runs another statement: recall/changes_since
        self.full_text("ready", scope, 1)
        self.scenes("ready", scope, 1)
        self._database.read("recall/ahead", group_id=group_id, node_ids=[], best=[])
        for name in ("events", "edges"):
            self._read(name, scope, node_ids=[])
        self._read("by_object", scope, name="", limit=1)
        self._read("by_person", scope, person_id="", limit=1)
        self.life([""], [], scope, 1)

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Return at most `limit` of (node_id, BM25 score), best first; none for a text without a word."""
        if not (scope.video_ids or _filters_more_than_videos(scope)):
            found = self._best_of_all(text, scope, limit)
            if found is not None:
                return found
        people = self._people(scope)
        if scope.persons and not people:
            return []
        queries = full_text.queries(text, full_text.event_tokens(scope, people))
        # Superseded events have an index of their own, and only a question with known_at may see them.
        indexes = [self._present, self._past] if scope.known_at else [self._present]
        pairs = product(indexes, queries)
        found = dict(hit for index, query in pairs for hit in self._hits(index, query, scope, limit))
        return sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]

    def scenes(self, text: str, scope: Scope, limit: int) -> list[SceneMatch]:
        """Return the scenes that have words of a text, with their BM25 scores, by video, level and start.

        limit: how many of the best are looked at. Those that were not over by the scope's as_of are left out.
        """
        if scope.known_at:  # scenes are only those of the current events
            return []
        found: set[SceneMatch] = set()
        for query in full_text.queries(text, full_text.event_tokens(scope)):
            rows = self._read("scenes", scope, index=self._scenes, query=query, limit=limit)
            found.update(SceneMatch(*row) for row in whole(rows, *range(5)))
        return sorted(found)

    def company(self, node_id: int, scope: Scope) -> Company | None:
        """Return who is in the scene of an event; None if it is in none, or with known_at."""
        rows = (
            self._database.read("recall/company", node_id=node_id, **_parameters(scope)) if not scope.known_at else ()
        )
        for row in rows:
            present, others = whole(row["present"], *range(5)), whole(row["others"], 0, 1)
            return Company(tuple(Companion(*each) for each in present), tuple((one, name) for one, name in others))
        return None

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Return every edge of these channels that touches one of the events, in either direction.

        Edges may come from the cache, which is as of the last call of `vocabulary`.
        """
        if not _is_cached(scope):
            names = [channel.value for channel in channels]
            edges = self._read("neighbours", scope, node_ids=list(node_ids), channels=names)
            return [_edge(src, dst, channel, *values) for src, dst, channel, values in whole(edges, 0, 1)]

        def read(missing: list[int]) -> dict[int, list[EdgeRow]]:
            return _by_event(self._read("edges", scope, node_ids=missing))

        holds = _holds(scope)
        found: dict[tuple[Any, ...], None] = {}  # as an ordered set: an edge between two of the events comes twice
        for row in self._cache(scope.group_id).incident_edges(node_ids, read):
            edge, other_end = row[:-4], row[-4:]
            if edge[2] in channels and holds(*other_end):
                found[edge] = None
        return [_edge(*row) for row in found]

    def read_ahead(self, node_ids: Sequence[int], best: Sequence[int], scope: Scope) -> None:
        """Read into the cache, in one round trip, what a question will need.

        That is the events, all edges of the `best` of them, and the events next in time to these.
        Does nothing if all of it is cached, or if the cache cannot apply the scope's filters.
        """
        if not _is_cached(scope):
            return
        # The neighbours in time of the best events are wanted too. Cached edges already name some of them; the
        # statement returns the others as `beside`.
        cache = self._cache(scope.group_id)
        as_of, wanted = cache.changes, [*node_ids, *cache.beside(best)]
        cached = {event.node_id for event in cache.events(wanted)}
        events = list(dict.fromkeys(node_id for node_id in wanted if node_id not in cached))
        unlinked = cache.without_edges(best)
        if not (events or unlinked):
            return
        [found] = self._database.read("recall/ahead", group_id=scope.group_id, node_ids=events, best=unlinked)
        edges = _by_event(found["edges"])
        read = _events_of([*found["events"], *found["beside"]], cache.aliases)
        cache.keep_events({event.node_id: event for event in read}, as_of)
        cache.keep_edges({node_id: edges.get(node_id, ()) for node_id in unlinked}, as_of)

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """Return the events with these ids, in the order of the ids. Those out of scope are left out."""
        cache = self._cache(scope.group_id)
        if not _is_cached(scope):
            statements = ("events", "past_events") if scope.known_at else ("events",)
            rows = [row for name in statements for row in self._read(name, scope, node_ids=list(node_ids))]
            found = {event.node_id: event for event in _events_of(rows, cache.aliases)}
            return [found[node_id] for node_id in node_ids if node_id in found]
        as_of, found = cache.changes, {event.node_id: event for event in cache.events(node_ids)}
        if missing := [node_id for node_id in node_ids if node_id not in found]:
            rows = self._read("events", Scope(scope.group_id), node_ids=missing)
            new = {event.node_id: event for event in _events_of(rows, cache.aliases)}
            cache.keep_events(new, as_of)
            found |= new
        holds = _holds(scope)
        return [event for node_id in node_ids if (event := found.get(node_id)) and holds(*_place_of(event))]

    def around(self, events: Sequence[Event], margin: Margin, scope: Scope) -> list[Event]:
        """Return the events of the same videos that overlap these ones or the margin before and after them."""
        spans = [
            {"video_id": e.video_id, "since": e.time_start - margin.before_s, "until": e.time_end + margin.after_s}
            for e in events
        ]
        statements = ("around", "past_around") if scope.known_at else ("around",)
        rows = (row for name in statements for row in self._read(name, scope, spans=spans))
        return _events_of(rows, self._cache(scope.group_id).aliases)

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of events that use the object, latest first. As of the last `vocabulary` if cached."""
        return self._listed(("object", name, limit), scope, lambda: self._by_object(name, scope, limit))

    def _by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        if videos := self._chained_videos(scope):
            return self._read("by_object_in_videos", scope, chains=_chains_of_object(name, videos), limit=limit)
        return self._read("by_object", scope, name=name, limit=limit)

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of events that involve the person, latest first. Cached as in `by_object`.

        person_id: empty for anybody.
        """
        return self._listed(("person", person_id, limit), scope, lambda: self._by_person(person_id, scope, limit))

    def _by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        if not person_id:
            return self._read("by_anybody", scope, limit=limit)
        if videos := self._chained_videos(scope):
            chained = self._chains_of_person(person_id, videos, scope)
            return self._read("by_person_in_videos", scope, chains=chained, limit=limit)
        return self._read("by_person", scope, person_id=person_id, limit=limit)

    def vocabulary(self, scope: Scope) -> Names:
        """Return the names of the people and objects of the scope's group, and brings the cache up to date.

        Questions call this, so that they see everything that was committed by then.
        """
        return self._cache(scope.group_id).names()

    def last_vocabulary(self, scope: Scope) -> Names | None:
        """Return what `vocabulary` returned last, without reading; None before that."""
        return self._cache(scope.group_id).last_names

    def aliases_of(self, group_id: str, person_id: str) -> list[str]:
        """Return the id itself and the ids of the persons it was merged into."""
        cache = self._cache(group_id)
        cache.names()  # brings the aliases up to date
        return cache.aliases.ids_of(person_id)

    def known(self, names: Names, scope: Scope) -> Names:
        """Return the names that occur in the scope. A merged person occurs if the one they were merged into does."""
        aliases = self._cache(scope.group_id).aliases
        ids = {person: aliases.ids_of(person) for person in names.persons}
        wanted = sorted({person_id for each in ids.values() for person_id in each})
        # Events carry the current id of a merged person, so its alias occurs if that id does.
        people, objects = self._names_in_scope(wanted, sorted(names.objects), scope)
        persons = frozenset(person for person in ids if not set(people).isdisjoint(ids[person]))
        return Names(persons, frozenset(objects))

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of events in which something is done to one of the objects, latest first.

        As of the last `vocabulary` if cached.

        states: only events that leave the object in one of these states; empty for any.
        """
        named = {"names": list(objects), "states": list(states), "limit": limit}
        key = ("life", *objects, None, *states, limit)
        return self._listed(key, scope, lambda: self._read("object_changes", scope, **named))

    def _listed(self, key: Hashable, scope: Scope, read: Callable[[], list[int]]) -> list[int]:
        """Return the result of a look-up, from the cache if that can apply the scope's filters."""
        if not _is_cached(scope):
            return read()
        return self._cache(scope.group_id).listed((key, replace(scope, user_id="", session_ids=())), read)

    def cues(self, node_ids: Sequence[int], scope: Scope) -> Mapping[int, Sequence[Cue]]:
        """Return {node_id: what was said in the clips of the event, in order}. Events out of scope are left out."""
        rows = self._read("cues", scope, node_ids=list(node_ids))
        return {node_id: [cue for text in clips for cue in _cues(text)] for node_id, clips in whole(rows, 0)}

    def videos_at(self, places: Sequence[str], scope: Scope) -> list[str]:
        """Return the ids of the scope's videos that have one of these names, or whose place has."""
        return self._read("videos_at", scope, places=list(places))

    def videos_showing(self, scene_types: Sequence[str], scope: Scope) -> list[str]:
        """Return the ids of the scope's videos with a clip of one of some types of scene."""
        return self._read("videos_showing", scope, scene_types=list(scene_types))

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        """Return {video_id: video} of the videos in a scope, with place, length, time zone and start time.

        A scope without videos reads all of the group. Videos that a scope names are kept, and read only once.
        """
        self._drop_videos(scope.group_id)
        unknown = [video_id for video_id in scope.video_ids if (scope.group_id, video_id) not in self._videos]
        if unknown or not scope.video_ids:
            rows = self._read("recordings", replace(scope, video_ids=tuple(unknown)))
            for video_id, place, at, offset, duration_s, zone, wearer in whole(rows, 0, 1):
                begun = _in_zone(at, offset)
                video = Video(
                    scope.group_id,
                    video_id,
                    duration_s=_length(duration_s),
                    recorded_at=begun,
                    place=place,
                    timezone=zone or "",
                    wearer=wearer or "",
                )
                with self._lock:
                    self._videos[scope.group_id, video_id] = video
        with self._lock:
            videos = list(self._videos.items())
        known = {video_id: video for (group_id, video_id), video in videos if group_id == scope.group_id}
        return {i: known[i] for i in scope.video_ids if i in known} if scope.video_ids else known

    def lengths(self, video_ids: Sequence[str], scope: Scope) -> Mapping[str, float]:
        """Return {video_id: end of its last clip in seconds}."""
        return dict(whole(self._read("lengths", replace(scope, video_ids=tuple(video_ids))), 0, 1))

    def _drop_videos(self, group_id: str) -> None:
        """Drop the kept videos of a group if its cache was cleared since they were read."""
        clearings = self._cache(group_id).clearings
        with self._lock:
            if self._clearings.get(group_id, 0) != clearings:
                self._clearings[group_id] = clearings
                self._videos = {key: video for key, video in self._videos.items() if key[0] != group_id}

    def _names_in_scope(self, people: list[str], things: list[str], scope: Scope) -> list[Any]:
        """Return [person_ids, object names]: those of the given ones that occur in the scope."""
        videos = self._chained_videos(scope)
        if not videos:
            return self._record("names_in_scope", scope, names=people, things=things)
        of_people = [chain for name in people for chain in self._chains_of_person(name, videos, scope)]
        of_things = [chain for name in things for chain in _chains_of_object(name, videos)]
        return self._record("names_in_videos", scope, people=of_people, things=of_things)

    def _chains_of_person(self, person_id: str, videos: Sequence[Video], scope: Scope) -> list[Row]:
        """Return the chains in these videos that may belong to a person_id.

        The id may stand for a named person of the group (scope ""), for a described person of a video (scope: the
        video), or for a person of another video into whom others were merged.
        """
        merged_into = self._cache(scope.group_id).aliases.scopes(person_id)
        found: list[Row] = []
        for video in videos:
            for of_scope in sorted({"", video.video_id} | merged_into):
                key = chain_key(video.group_id, *video.timeline, of_scope, person_id)
                found.append(_chain(person_id, video, key))
        return found

    def _chained_videos(self, scope: Scope) -> list[Video]:
        """Return the videos of a scope that is read chain by chain: one that names 1 to _MAX_CHAINED_VIDEOS videos.

        Returns [] for other scopes, and for one with known_at: it includes superseded events, which are in no chain.
        """
        if scope.known_at is not None or not 0 < len(scope.video_ids) <= _MAX_CHAINED_VIDEOS:
            return []
        return list(self.recordings(scope).values())

    def _best_of_all(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]] | None:
        """A shortcut for a scope without filters: search all groups, and use the hits if all belong to this group.

        Returns None if they do not; then the caller must search with the group's token. Lucene needs half the time
        without a token. A group that is a small part of the graph loses its trust after a few failures.

        Fewer hits than the limit do not mean that there are no more: Neo4j leaves out those whose node was deleted a
        moment ago. So hits suffice only if there are some and all of them belong to the group.
        """
        group, trust = scope.group_id, self._trust.get(scope.group_id, _TRUST)
        if not trust:
            return None
        query = next(full_text.queries(text, ()), None)
        if query is None:
            return []
        # Without the group's token, the statement's condition on group_id alone keeps other groups' events out.
        found, hits = self._record("full_text", scope, index=self._present, query=query, limit=limit)
        inside = whole(hits, 0)
        suffices = 0 < found == len(inside)
        if found == limit:
            self._trust[group] = min(trust + 1, _MOST_TRUST) if suffices else trust - 1
        return [(node_id, score) for node_id, score in sorted(inside, key=_best_first)] if suffices else None

    def _hits(self, index: str, query: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Return the best hits of a Lucene query in the scope."""

        def fetch(fetched: int) -> tuple[int, list[Any]]:
            found, inside = self._record("full_text", scope, index=index, query=query, limit=fetched)
            return found, whole(inside, 0)

        inside = full_text.widened(fetch, limit)
        return [(node_id, score) for node_id, score in sorted(inside, key=_best_first)[:limit]]

    def _people(self, scope: Scope) -> list[tuple[str, str]]:
        """Return (scope, person_id) of the people that the scope names and the group has."""
        if not scope.persons:
            return []
        rows = self._database.read("recall/person_scopes", group_id=scope.group_id, persons=list(scope.persons))
        return [(row["scope"], row["person_id"]) for row in whole(rows, "scope", "person_id")]

    def _cache(self, group_id: str) -> GroupCache:
        with self._lock:
            if group_id not in self._caches:
                self._caches[group_id] = GroupCache(self._database, group_id, self._admit)
            return self._caches[group_id]

    def _read(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """Return the one list that a statement returns. One, because the driver takes 50 µs per record."""
        [found] = self._record(name, scope, **params)
        return found

    def _record(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """Return the columns of the one record that a statement returns."""
        [row] = self._database.read(f"recall/{name}", **params, **_parameters(scope))
        return list(row.values())


def _chains_of_object(name: str, videos: Iterable[Video]) -> list[Row]:
    return [_chain(name, video, chain_key(video.group_id, *video.timeline, name)) for video in videos]


def _chain(name: str, video: Video, key: str) -> Row:
    """Return the part of a chain that lies in one video, as the *_in_videos statements take it.

    Chains are for scopes that name videos. There, reading a person's events in the whole group, latest first, would
    be slow: somebody who is in every recording may have a hundred thousand later events to pass.
    """
    return {"name": name, "key": key, "video_id": video.video_id, "start": first_position(video)}


def _is_cached(scope: Scope) -> bool:
    """Whether the cache can apply the scope's filters: it has no persons, and only current events."""
    return not scope.persons and scope.known_at is None


# Cached, because a question asks this of its few scopes again and again.
@lru_cache(maxsize=1024)
def _filters_more_than_videos(scope: Scope) -> bool:
    """Whether the scope filters by more than group and videos. User and sessions do not count: events have none."""
    return replace(scope, user_id="", session_ids=()) != Scope(scope.group_id, scope.video_ids)


def _place_of(event: Event) -> tuple[str, float, float, float | None]:
    """Return (video_id, time_start, time_end, start by the wall clock in seconds since 1970, None if unknown)."""
    return event.video_id, event.time_start, event.time_end, event.at.timestamp() if event.at else None


@lru_cache(maxsize=64)
def _holds(scope: Scope) -> Callable[[str, float, float, float | None], bool]:
    """Return a function (video_id, time_start, time_end, clock_start) -> whether the scope holds such an event.

    The conditions are those of the section `events` of recall/scope, for a scope that `_is_cached`.

    clock_start: its start by the wall clock in seconds since 1970; None if that is unknown.
    """
    bounds = _parameters(scope)
    seconds, clock, video_ids = bounds["seconds"], bounds["clock"], frozenset(scope.video_ids)
    if not _filters_more_than_videos(scope):
        return lambda video_id, _start, _end, _clock: not video_ids or video_id in video_ids
    ranges = sorted(clock["ranges"]) if clock else []
    begins = [begin for begin, _ in ranges]
    # Up to each range, the latest end. So one search finds whether any range overlaps.
    ends = list(accumulate((end for _, end in ranges), max))

    def holds(video_id: str, start: float, end: float, clock_start: float | None) -> bool:
        if video_ids and video_id not in video_ids:
            return False
        if not (end >= seconds["since"] and start <= seconds["until"] and end <= seconds["as_of"]):
            return False
        if clock is None:
            return True
        if clock_start is None:
            return False
        clock_end = clock_start + end - start
        if not (clock_start <= clock["until"] and clock["since"] <= clock_end <= clock["as_of"]):
            return False
        earlier = bisect_right(begins, clock_end)
        return not begins or (earlier > 0 and ends[earlier - 1] >= clock_start)

    return holds


def _parameters(scope: Scope) -> dict[str, Any]:
    """Return the parameters of every statement that includes the section `events` of recall/scope.

    Empty lists do not filter.

    seconds: bounds in seconds of the video.
    clock: bounds in epoch seconds, or None if the scope has no wall-clock bound; with one, events without a wall
        clock are out of scope.
    latest: no event of the scope starts later, in epoch seconds if its wall clock is known and else in seconds of its
        video.
    """
    moments = {"since": scope.since, "until": scope.until, "as_of": scope.as_of}
    clock = {name: moment.timestamp() for name, moment in moments.items() if isinstance(moment, datetime)}
    seconds = {name: float(m) for name, m in moments.items() if m is not None and not isinstance(m, datetime)}
    ranges = scope.epoch_ranges
    ends = [clock[name] for name in ("until", "as_of") if name in clock]
    ends += [max(until for _, until in ranges)] if ranges else []
    return {
        "group_id": scope.group_id,
        "video_ids": list(scope.video_ids),
        "persons": list(scope.persons),
        "seconds": _OPEN | seconds,
        "clock": _OPEN | clock | {"ranges": ranges} if clock or ranges else None,
        "latest": min(ends, default=inf),
        "known_at": scope.known_at,
    }


def _by_event(rows: Sequence[list[Any]]) -> dict[int, list[EdgeRow]]:
    """Return {node_id: its edges} from the rows of recall/edges."""
    found: dict[int, list[EdgeRow]] = {}
    for node_id, src, dst, channel, values, *other_end in whole(rows, *range(8)):
        found.setdefault(node_id, []).append((src, dst, channel, *values, *other_end))
    return found


def _edge(src: int, dst: int, channel: str, *values: Any) -> Edge:
    return Edge(src, dst, _CHANNELS[channel], _payload(values))


def _best_first(hit: Sequence[Any]) -> tuple[float, int]:
    node_id, score = hit
    return -score, node_id


def _event_columns() -> Iterator[str]:
    """Yield the columns of recall/events in their order: the fields of an event, without those that answers add."""
    for each in fields(Event):
        if each.name == "at":  # comes as numbers: see _at
            yield from ("at_seconds", "at_microsecond")
        elif each.name not in ("place", "turn"):
            yield each.name


# The driver reads a list faster than a map (decision 0109).
EVENT_COLUMNS = tuple(_event_columns())
# The columns of an event that are never null: all up to the actions.
_OF_EVENT = range(EVENT_COLUMNS.index("actions") + 1)


def _events_of(rows: Iterable[list[Any]], aliases: PersonAliases) -> list[Event]:
    found = (_event_of(dict(zip(EVENT_COLUMNS, columns, strict=True))) for columns in whole(rows, *_OF_EVENT))
    return [aliases.renamed(event) for event in found]


def _event_of(row: dict[str, Any]) -> Event:
    row["at"] = _at(row.pop("at_seconds"), row.pop("at_microsecond"))
    row["actions"] = _actions(row["actions"])
    for name in ("clip_ids", *TEXT_LISTS):
        row[name] = tuple(row[name])
    return Event(**row)


@lru_cache(maxsize=10_000)
def _actions(actions: str) -> tuple[Action, ...]:
    """Return the actions of an event from its JSON property. Cached, because many events have equal actions."""
    return tuple(Action(**action) for action in json.loads(actions))


def _cues(speaker_turns: str) -> list[Cue]:
    """Return what was said in a clip, from its JSON property."""
    turns: list[dict[str, Any]] = json.loads(speaker_turns)
    return [Cue(turn["utterance"], turn["time_start"], turn["time_end"]) for turn in turns]


def _at(seconds: int | None, microsecond: int | None) -> datetime | None:
    """Return the UTC time of an event. It comes as numbers: the driver takes 0.2 ms to make a datetime."""
    if seconds is None or microsecond is None:
        return None
    return _EPOCH + timedelta(seconds=seconds, microseconds=microsecond)


def _in_zone(seconds: int | None, offset: int | None) -> datetime | None:
    if seconds is None or offset is None:
        return None
    return datetime.fromtimestamp(seconds, timezone(timedelta(seconds=offset)))


def _length(stored: Any) -> float | None:
    """Return the length of a video in seconds; None if it is damaged: times are counted from it."""
    is_number = isinstance(stored, int | float) and not isinstance(stored, bool)
    return stored if is_number and 0 <= stored <= _LONGEST_S else None


def _payload(values: Sequence[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(_PAYLOAD, values, strict=True) if value is not None}
