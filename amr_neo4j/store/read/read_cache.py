"""What is kept from question to question: names, and the events and edges that were read before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from amr_neo4j.domain.event import Edge, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.persons.aliases import PersonAliases, read_merged

# How many events are kept once read, about 1.5 kB each, and the edges of how many, about 1 kB each.
_EVENTS_KEPT = 30_000
_EDGES_KEPT = 30_000


# Told with every reading of a group's names what embedded it, None where nothing was taken in: (model, dimension).
Admit = Callable[["tuple[str, int] | None"], None]


def admit_all(embedded: tuple[str, int] | None) -> None:
    """Whatever the group."""


def embedded(row: Row) -> tuple[str, int] | None:
    """What a row's column of that name says."""
    return next(((model, dim) for model, dim in row["embedded"]), None)


class Spoke(NamedTuple):
    """An edge as one of its ends has it. identity: the same at both ends. video_id: of the other end."""

    edge: Edge
    identity: tuple[object, ...]
    video_id: str


class ReadCache:
    """The events and edges that were read, kept up to date by what was written since.

    Ids are handed out in the order of commits, so that what is new is found without reading the rest; and an edge
    comes or goes only with a new event that is tied to both its ends. What rewrites events otherwise says so on their
    group (rewritten), and then all is read anew. Several threads may use it.
    """

    def __init__(self, news: Callable[[int | None], Row]) -> None:
        """news: what came with the events from an id on (None: all there is): next, the id that the next will have;
        rewritten; touched, the earlier events that they are tied to, None where these are too many to tell.
        """
        self._news = news
        self._lock = Lock()
        self._changes = 0
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._next: int | None = None
        self._rewritten = 0
        self._events: dict[int, Event] = {}
        self._spokes: dict[int, tuple[Spoke, ...]] = {}

    def catch_up(self) -> Row:
        """Let go of what changed since; returns the news."""
        since = self._next
        row = self._news(since)
        with self._lock:
            if since is not None and self._is_another(row, since):
                self._begin_anew()
                row = self._news(None)
            for node_id in row["touched"] or ():
                self._spokes.pop(node_id, None)
            self._changes += row["next"] != since
            self._next, self._rewritten = max(row["next"], self._next or 0), row["rewritten"]
        return row

    def _is_another(self, row: Row, since: int) -> bool:
        return row["rewritten"] != self._rewritten or row["next"] < since or row["touched"] is None

    def events(self, node_ids: Iterable[int]) -> list[Event]:
        """Those of the events that are kept."""
        return [self._events[node_id] for node_id in node_ids if node_id in self._events]

    @property
    def changes(self) -> int:
        """How often something came or was written anew, as far as is known."""
        return self._changes

    def keep_events(self, events: Mapping[int, Event], as_of: int) -> None:
        """A question reads hundreds of which many were read for the last one. as_of: the changes before the reading.

        What was read before a commit that another thread has seen since may be no event any more.
        """
        with self._lock:
            if as_of != self._changes:
                return
            if len(self._events) + len(events) > _EVENTS_KEPT:
                self._events.clear()
            self._events.update(events)

    def spokes(self, node_ids: Sequence[int], read: Callable[[list[int]], Mapping[int, list[Spoke]]]) -> list[Spoke]:
        """Every edge of these events. read: asks the graph for those of the events that are not kept."""
        found = {node_id: kept for node_id in node_ids if (kept := self._spokes.get(node_id)) is not None}
        if unknown := [node_id for node_id in node_ids if node_id not in found]:
            then = self._changes
            of = read(unknown)
            new = {node_id: tuple(of.get(node_id, ())) for node_id in unknown}
            found |= new
            with self._lock:
                # What was read before a commit that another thread has seen since would be kept for good.
                if then == self._changes:
                    self._keep_spokes(new)
        return [spoke for node_id in node_ids for spoke in found[node_id]]

    def _keep_spokes(self, new: Mapping[int, tuple[Spoke, ...]]) -> None:
        if len(self._spokes) + len(new) > _EDGES_KEPT:
            self._spokes.clear()
        self._spokes.update(new)


class GroupCache(ReadCache):
    """Of the videos of a group, with its names."""

    def __init__(self, database: Database, group_id: str, admit: Admit = admit_all) -> None:
        def news(since: int | None) -> Row:
            if since is None:
                [row] = database.read("recall/vocabulary", group_id=group_id)
            else:
                [row] = database.read("recall/news", group_id=group_id, since=since)
            return row

        super().__init__(news)
        self._database, self._group_id = database, group_id
        self._admit = admit

    def _begin_anew(self) -> None:
        super()._begin_anew()
        self._names = Names()
        self.merged = PersonAliases()

    def names(self) -> Names:
        """Those of every event written by now; the same object while nothing came to them. Raises what admit does."""
        row = self.catch_up()
        self._admit(embedded(row))
        new = Names(frozenset(row["people"]), frozenset(row["objects"]))
        with self._lock:
            if row["merges"] != self.merged.version:
                self._let_go_of_merged()
            if not (new.persons <= self._names.persons and new.objects <= self._names.objects):
                persons, objects = self._names.persons | new.persons, self._names.objects | new.objects
                self._names = Names(persons, objects, self._names.same)
            return self._names

    def _let_go_of_merged(self) -> None:
        """Edges follow whom they are about."""
        self.merged = read_merged(self._database.read, self._group_id)
        self._names = replace(self._names, same=self.merged.same())
        self._spokes.clear()
        self._changes += 1
