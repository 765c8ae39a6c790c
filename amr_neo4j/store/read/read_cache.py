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
# Cached look-ups, and the most ids of one.
_MAX_LISTS, _LONGEST_LIST = 1000, 1000

# Called at each read of a group's names with its embedding (model, dimension); None for an empty group. May raise.
Admit = Callable[["tuple[str, int] | None"], None]


def admit_all(embedded: tuple[str, int] | None) -> None:
    """Accepts every group."""


def embedded(row: Row) -> tuple[str, int] | None:
    """Returns (model, dimension) from the column `embedded` of a row."""
    return next(((model, dim) for model, dim in row["embedded"]), None)


# An edge seen from one of its ends: source, target, channel, its values, and last the video of the other end. Values
# alone, because Python's collector looks at every object that holds others, and tens of thousands are kept.
EdgeRow = tuple[Any, ...]


class ReadCache:
    """Events and edges that were read, kept up to date.

    Ids are assigned in the order of commits, so new events are found without reading the rest. An edge comes with a
    new event at one of its ends, and goes with one that names both its ends in `unlinked`. Other changes of events
    increase `rewritten` of their group, which clears the cache. Look-ups are kept until anything new is committed.
    Thread-safe.
    """

    def __init__(self, changes_since: Callable[[int | None], Row]) -> None:
        """changes_since: reads what changed from an id on (None: everything).

        It returns next (the next id), rewritten (a number that is only compared), and touched (the earlier events
        that gained or lost an edge; None where there are too many).
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
        """Drop what changed since the last call; returns the changes."""
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
            if is_stale or row["next"] != since:
                self._changes += 1
                self._lists.clear()
            self._next, self._rewritten = max(row["next"], self._next or 0), row["rewritten"]
        return row

    def _is_stale(self, row: Row, since: int) -> bool:
        return row["rewritten"] != self._rewritten or row["next"] < since or row["touched"] is None

    def events(self, node_ids: Iterable[int]) -> list[Event]:
        """Returns those of the events that are cached."""
        return [self._events[node_id] for node_id in node_ids if node_id in self._events]

    @property
    def changes(self) -> int:
        """Number of changes noticed so far."""
        return self._changes

    def keep_events(self, events: Mapping[int, Event], as_of: int) -> None:
        """Add events to the cache. as_of: `changes` before they were read.

        Events read before a commit that another thread has noticed since are dropped: they may be superseded.
        """
        with self._lock:
            if as_of != self._changes:
                return
            if len(self._events) + len(events) > _MAX_EVENTS:
                self._events.clear()
            self._events.update(events)

    def listed(self, key: Hashable, read: Callable[[], list[int]]) -> list[int]:
        """Returns the node_ids of a look-up, kept until the next change. read: reads them."""
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
        """Returns those of the events whose edges are not cached."""
        return [node_id for node_id in node_ids if node_id not in self._edges]

    def beside(self, node_ids: Iterable[int]) -> list[int]:
        """Returns the events next in time to these, by the cached edges."""
        edges = (edge for node_id in node_ids for edge in self._edges.get(node_id, ()))
        return [end for src, dst, channel, *_ in edges if channel == Channel.TEMPORAL for end in (src, dst)]

    def keep_edges(self, edges: Mapping[int, Sequence[EdgeRow]], as_of: int) -> None:
        """Add events with every edge of theirs. as_of: `changes` before they were read.

        Edges read before a commit that another thread has noticed since would never be updated: they are dropped.
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
        """Returns every edge of these events. read: reads those of the events that are not cached."""
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
        """Returns the names in all events so far; the same object while unchanged. Raises what admit raises."""
        row = self.catch_up()
        self._admit(embedded(row))
        new = Names(frozenset(row["people"]), frozenset(row["objects"]))
        with self._lock:
            if row["merges"] != self.aliases.version:
                self._read_aliases()
            if not (new.persons <= self._names.persons and new.objects <= self._names.objects):
                persons, objects = self._names.persons | new.persons, self._names.objects | new.objects
                self._names = Names(persons, objects, self._names.same)
            self.last_names = self._names
            return self._names

    def _read_aliases(self) -> None:
        """After a merge of persons. Cached edges are dropped, because edges follow merged persons."""
        self.aliases = read_aliases(self._database.read, self._group_id)
        self._names = replace(self._names, same=self.aliases.same())
        self._edges.clear()
        self._lists.clear()
        self._changes += 1
