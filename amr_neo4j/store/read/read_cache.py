"""Caches of names, events and edges, kept between questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from amr_neo4j.domain.event import Channel, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.person_aliases import PersonAliases, read_aliases

# Cached events (about 1.5 kB each), and events whose edges are cached (about 1 kB each).
_MAX_EVENTS = 30_000
_MAX_WITH_EDGES = 30_000
# Names that belong to videos, and are joined as they are.
_OF_VIDEOS = ("places", "videos", "wearers", "scene_types")
# The most look-ups that are cached, and the most ids of each.
_MAX_LISTS, _LONGEST_LIST = 1000, 1000

# Called with (model, dimension) of a group's embeddings whenever its names are read; with None for an empty group. It
# raises to stop the read.
Admit = Callable[["tuple[str, int] | None"], None]


def admit_all(embedded: tuple[str, int] | None) -> None:
    """Accepts every group."""


def embedded(row: Row) -> tuple[str, int] | None:
    """Return (model, dimension) from the column `embedded` of a row."""
    return next(((model, dim) for model, dim in row["embedded"]), None)


# An edge as seen from one of its ends: source, target, channel, its values, and last of the other end the video, the
# start and the end in that, and the start by the wall clock.
# It is a flat tuple of plain values, because tens of thousands are kept: Python's garbage collector visits every
# object that holds others, and its pauses made some first questions slow.
EdgeRow = tuple[Any, ...]


class ReadCache:
    """Events and edges that were read, kept up to date (decision 0040). Thread-safe.

    Ids are assigned in the order of commits, so everything new has an id from the last known one on:
    - A new edge has a new event at one of its ends.
    - An edge that is deleted when events are added is named by a new event: its property `unlinked` lists both ends.
    - Every other change of events increases `rewritten` of the group, and that clears the cache.
    Look-ups are kept only until anything new is committed.
    """

    def __init__(self, changes_since: Callable[[int | None], Row]) -> None:
        """changes_since: reads what changed from an id on; None for everything.

        Its row has `next` (the next free id), `rewritten` (a number that differs after a rewrite) and `touched` (ids
        of earlier events that gained or lost an edge; None if there are too many to list).
        """
        self._changes_since = changes_since
        self._lock = Lock()
        self._changes = 0
        self.clearings = 0
        self._clear()

    def _clear(self) -> None:
        self._next: int | None = None
        self._rewritten = 0
        self._events: dict[int, Event] = {}
        self._edges: dict[int, tuple[EdgeRow, ...]] = {}
        self._lists: dict[Hashable, tuple[int, ...]] = {}

    def catch_up(self) -> Row:
        """Drop from the cache what changed since the last call. Returns the row of changes."""
        since = self._next
        row = self._changes_since(since)
        with self._lock:
            is_stale = since is not None and self._is_stale(row, since)
            if is_stale:
                self._clear()
                self.clearings += 1
                row = self._changes_since(None)
            for node_id in row["touched"] or ():
                self._edges.pop(node_id, None)
                # A turn that was cut in two has the words of its second half, too, once that is there.
                self._events.pop(node_id, None)
            if is_stale or row["next"] != since:
                self._changes += 1
                self._lists.clear()
            # Two threads may catch up at once: the one that read less must not set _next back.
            self._next, self._rewritten = max(row["next"], self._next or 0), row["rewritten"]
        return row

    def _is_stale(self, row: Row, since: int) -> bool:
        """Return whether the whole cache may be wrong. A next id below `since` comes from another database."""
        return row["rewritten"] != self._rewritten or row["next"] < since or row["touched"] is None

    def events(self, node_ids: Iterable[int]) -> list[Event]:
        """Return the cached ones of these events."""
        # Looked up once each: another thread may drop an event between two look-ups.
        found = (self._events.get(node_id) for node_id in node_ids)
        return [event for event in found if event]

    @property
    def changes(self) -> int:
        """Number of changes noticed so far."""
        return self._changes

    def keep_events(self, events: Mapping[int, Event], as_of: int) -> None:
        """Add events to the cache. as_of: the value of `changes` before they were read.

        If another thread has noticed a commit since, they are not added: that commit may have superseded them.
        """
        with self._lock:
            if as_of != self._changes:
                return
            # When it is full, it starts over: that is simpler than tracking what was used last.
            if len(self._events) + len(events) > _MAX_EVENTS:
                self._events.clear()
            self._events.update(events)

    def listed(self, key: Hashable, read: Callable[[], list[int]]) -> list[int]:
        """Return the node_ids of a look-up, which are cached until the next change. read: reads them if needed."""
        if (kept := self._lists.get(key)) is not None:
            return list(kept)
        as_of, found = self._changes, read()
        with self._lock:
            if as_of == self._changes and len(found) <= _LONGEST_LIST:
                if len(self._lists) >= _MAX_LISTS:
                    self._lists.clear()
                self._lists[key] = tuple(found)
        return found

    def without_edges(self, node_ids: Iterable[int]) -> list[int]:
        """Return the events whose edges are not cached."""
        return [node_id for node_id in node_ids if node_id not in self._edges]

    def beside(self, node_ids: Iterable[int]) -> list[int]:
        """Return the events next in time to these, by the cached edges."""
        found: list[int] = []
        for node_id in node_ids:
            for src, dst, channel, *_ in self._edges.get(node_id, ()):
                if channel == Channel.TEMPORAL:
                    found += src, dst
        return found

    def keep_edges(self, edges: Mapping[int, Sequence[EdgeRow]], as_of: int) -> None:
        """Add events with all of their edges. as_of: the value of `changes` before they were read.

        If another thread has noticed a commit since, they are not added: edges from before it would never be updated.
        """
        with self._lock:
            if as_of != self._changes:
                return
            if len(self._edges) + len(edges) > _MAX_WITH_EDGES:
                self._edges.clear()
            self._edges.update({node_id: tuple(of_event) for node_id, of_event in edges.items()})

    def incident_edges(
        self, node_ids: Sequence[int], read: Callable[[list[int]], Mapping[int, list[EdgeRow]]]
    ) -> list[EdgeRow]:
        """Return every edge of these events. read: reads the edges of those events that are not cached."""
        found = {node_id: cached for node_id in node_ids if (cached := self._edges.get(node_id)) is not None}
        if missing := [node_id for node_id in node_ids if node_id not in found]:
            as_of = self._changes
            edges = read(missing)
            new = {node_id: tuple(edges.get(node_id, ())) for node_id in missing}
            found |= new
            self.keep_edges(new, as_of)
        return [edge for node_id in node_ids for edge in found[node_id]]


class GroupCache(ReadCache):
    """The cache of a group's events and edges, with its names and person aliases."""

    def __init__(self, database: Database, group_id: str, admit: Admit = admit_all) -> None:
        def changes_since(since: int | None) -> Row:
            if since is None:
                [row] = database.read("recall/vocabulary", group_id=group_id)
            else:
                [row] = database.read("recall/changes_since", group_id=group_id, since=since)
            return row

        super().__init__(changes_since)
        self._database, self._group_id = database, group_id
        self._admit = admit

    def _clear(self) -> None:
        super()._clear()
        self._names = Names()
        self.last_names: Names | None = None
        self.aliases = PersonAliases()

    def names(self) -> Names:
        """Return the names in all events so far, and the same object while they are unchanged.

        Raises what `admit` raises.
        """
        row = self.catch_up()
        self._admit(embedded(row))
        # Of a node that another transaction deletes in the meantime, the name is null.
        people, objects, *others = (frozenset(row[name]) - {None} for name in ("people", "objects", *_OF_VIDEOS))
        new = Names(people, objects, **dict(zip(_OF_VIDEOS, others, strict=True)))
        with self._lock:
            if row["merges"] != self.aliases.version:
                self._read_aliases()
            old = self._names
            is_known = new.persons <= old.persons and new.objects <= old.objects
            if not (is_known and all(getattr(new, name) <= getattr(old, name) for name in _OF_VIDEOS)):
                of_videos = {name: getattr(old, name) | getattr(new, name) for name in _OF_VIDEOS}
                self._names = Names(old.persons | new.persons, old.objects | new.objects, old.same, **of_videos)
            self.last_names = self._names
            return self._names

    def _read_aliases(self) -> None:
        """Read the merged persons again. Cached edges and look-ups are dropped, since a merge moves both; and events,
        since a split renames whom they tell of. No event may have named those whom a person named by hand.
        """
        self.aliases = read_aliases(self._database.read, self._group_id)
        persons = self._names.persons.union(now for _, now in self.aliases.into.values())
        self._names = replace(self._names, persons=persons, same=self.aliases.same())
        self._edges.clear()
        self._lists.clear()
        self._events.clear()
        self._changes += 1
