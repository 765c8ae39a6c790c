"""Reads conversations for recall and presents turns as events. Every read is limited to one user."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from math import inf
from threading import Lock
from typing import Any, NamedTuple

from amr_neo4j.domain.episode import spoken_text
from amr_neo4j.domain.event import Channel, Edge, Event, Turn, said_id
from amr_neo4j.domain.mention import Stated
from amr_neo4j.domain.ports import EventReader, Names, StatedRelations
from amr_neo4j.domain.recall import Margin, Moment, Scope
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database, Row, whole
from amr_neo4j.store.read.read_cache import Admit, EdgeRow, ReadCache, admit_all, embedded
from amr_neo4j.store.read.similar_names import require_sessions

# A speaker says much of a conversation. So a question that merely names them gets only their latest turns.
_LATEST_TURNS = 20
# The most users that have a read cache at a time.
_MAX_USERS = 64


class TurnEventReader(EventReader, StatedRelations):
    """An EventReader whose events are turns of conversations.

    A turn has a negative node_id (`said_id` of its vector_id), its session takes the place of the video, and NEXT is
    the temporal channel. There are no other channels and no objects. Thread-safe.
    """

    def __init__(self, database: Database, *, language: str, admit: Admit = admit_all) -> None:
        """admit: as in EventReader."""
        self._database = database
        self._admit = admit
        self._index = "amr_episode_text" if language == "en" else "amr_plain_episode_text"
        self._caches: dict[tuple[str, str], ReadCache] = {}
        self._names: dict[tuple[str, str], Names] = {}
        self._lock = Lock()

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Return at most `limit` of (node_id, BM25 score), best first; none for a text without a word."""
        queries = full_text.queries(text, full_text.turn_tokens(scope))
        found = dict(hit for query in queries for hit in self._hits(query, scope, limit))
        # node_ids of turns are negative: of equal scores, the earlier turn comes first.
        return sorted(found.items(), key=lambda hit: (-hit[1], -hit[0]))[:limit]

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Return the edges to the previous and next turns; there is no other channel."""
        if Channel.TEMPORAL not in channels:
            return []
        if _filters_by_user_only(scope):
            rows = self._cache(scope).incident_edges(node_ids, lambda missing: self._adjacent(missing, scope))
        else:
            rows = [row for of_turn in self._adjacent(node_ids, scope).values() for row in of_turn]
        return [
            Edge(src, dst, Channel(channel), {"time_gap": gap}) for src, dst, channel, gap, _ in dict.fromkeys(rows)
        ]

    def _adjacent(self, node_ids: Sequence[int], scope: Scope) -> dict[int, list[EdgeRow]]:
        """Return {node_id: edges of the turn}. An edge between two of these turns comes twice."""
        rows = self._one("adjacent_turns", scope, vector_ids=[said_id(node_id) for node_id in node_ids])
        found: dict[int, list[EdgeRow]] = {}
        for of, src, dst, gap in whole(rows, 1, 2):
            edge = (said_id(src), said_id(dst), Channel.TEMPORAL.value, gap, "")
            found.setdefault(said_id(of), []).append(edge)
        return found

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """Return the turns with these ids, in the order of the ids; those out of scope are left out."""
        cache = self._cache(scope)
        as_of = cache.changes
        found = {e.node_id: e for e in cache.events(node_ids)} if _filters_by_user_only(scope) else {}
        missing = [said_id(node_id) for node_id in node_ids if node_id not in found]
        rows = self._one("turns", scope, vector_ids=missing) if missing else []
        new = {event.node_id: event for event in _events_of(scope.group_id, rows)}
        cache.keep_events(new, as_of)
        found |= new
        return [found[node_id] for node_id in node_ids if node_id in found]

    def around(self, events: Sequence[Event], margin: Margin, scope: Scope) -> list[Event]:
        """Return the turns of the same sessions, as many before and after each turn as the margin says."""
        spans = [
            {"session_id": turn.session_id, "first": turn.number - margin.turns, "last": turn.number + margin.turns}
            for turn in (event.turn for event in events)
            if turn
        ]
        rows = self._one("turns_around", scope, spans=spans)
        return _events_of(scope.group_id, rows)

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of a speaker's turns, latest first: at most 20, unless the scope names the speaker.

        None for anybody. As of the last `vocabulary` if cached.
        """
        most = limit if person_id in scope.persons else min(limit, _LATEST_TURNS)

        def read() -> list[int]:
            found = self._one("turns_by_actor", scope, person_id=person_id, limit=most)
            return [said_id(vector_id) for vector_id in found]

        return self._cache(scope).listed((person_id, most), read) if _filters_by_user_only(scope) else read()

    def vocabulary(self, scope: Scope) -> Names:
        """Return the speakers in the conversations of the scope's user. same: who they are in videos."""
        row = self._cache(scope).catch_up()
        self._admit(embedded(row))
        same: dict[str, tuple[str, ...]] = {}
        pairs: list[list[str]] = whole(row["same"], 0, 1)
        for speaker, person in sorted(pairs):
            same[speaker] = (*same.get(speaker, ()), person)
        names = Names(frozenset(row["people"]) - {None}, same=same)
        # Clearing everything is enough: a user who asks again costs one read.
        if len(self._names) >= _MAX_USERS:
            self._names.clear()
        self._names[scope.group_id, scope.user_id] = names
        return names

    def last_vocabulary(self, scope: Scope) -> Names | None:
        """Return what `vocabulary` returned last for the scope's user, without reading; None before that."""
        return self._names.get((scope.group_id, scope.user_id))

    def require_sessions(self, scope: Scope) -> None:
        """Check that the scope's user has its sessions. Raises NotInMemory: one is not there."""
        require_sessions(self._database, scope.group_id, scope.user_id, scope.session_ids)

    def known(self, names: Names, scope: Scope) -> Names:
        """Return the names of those who say something in the scope."""
        return Names(frozenset(self._one("speakers_in_scope", scope, names=sorted(names.persons))))

    def about(self, texts: Sequence[str], scope: Scope) -> list[Stated]:
        """As domain.ports.StatedRelations."""
        if not texts or not scope.has_turns:
            return []
        rows = self._one("stated", scope, texts=list(texts))
        return [
            Stated(said_id(vector_id), kind, source, target)
            for vector_id, kind, source, target in whole(rows, *range(4))
        ]

    def _hits(self, query: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Return the best hits of a Lucene query in the scope."""

        def fetch(fetched: int) -> tuple[int, list[tuple[int, float]]]:
            params = {"index": self._index, "query": query, "limit": fetched}
            [row] = self._database.read("recall/turns_full_text", **params, **_parameters(scope))
            return row["found"], [(said_id(vector_id), score) for vector_id, score in whole(row["inside"], 0)]

        return sorted(full_text.widened(fetch, limit), key=lambda hit: (-hit[1], -hit[0]))[:limit]

    def _cache(self, scope: Scope) -> ReadCache:
        """Return the cache of the scope's user; a new one if there is none."""
        group_id, user_id = key = scope.group_id, scope.user_id

        def changes_since(since: int | None) -> Row:
            [row] = self._database.read("recall/speakers", group_id=group_id, user_id=user_id, since=since)
            return row | {"touched": row["touched"] and [said_id(vector_id) for vector_id in row["touched"]]}

        with self._lock:
            if key not in self._caches:
                if len(self._caches) >= _MAX_USERS:
                    self._caches.clear()
                self._caches[key] = ReadCache(changes_since)
            return self._caches[key]

    def _one(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """Return the one list that a statement returns."""
        [row] = self._database.read(f"recall/{name}", **params, **_parameters(scope))
        [found] = row.values()
        return found


def _filters_by_user_only(scope: Scope) -> bool:
    """Return whether the scope filters by nothing but the user."""
    return scope == Scope(scope.group_id, scope.video_ids, user_id=scope.user_id)


def _parameters(scope: Scope) -> dict[str, Any]:
    return {
        "group_id": scope.group_id,
        "user_id": scope.user_id,
        "session_ids": list(scope.session_ids),
        "persons": list(scope.persons),
        "since": _clock(scope.since, -inf),
        "until": _clock(scope.until, inf),
        "as_of": _clock(scope.as_of, inf),
        "ranges": scope.epoch_ranges,
        "known_at": scope.known_at,
    }


def _clock(moment: Moment | None, otherwise: float) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else otherwise


class _TurnRow(NamedTuple):
    """The columns of recall/turns, in their order (decision 0109)."""

    vector_id: int
    episode_id: str
    session_id: str
    turn: int
    turn_id: str
    actor: str
    content: str
    continues: bool | None
    begun: str | None
    ended: str | None
    shown: str
    seconds: int
    microsecond: int
    offset: int


# The columns of a turn that may be null.
_OPTIONAL = {"continues", "begun", "ended"}
_OF_TURN = [place for place, name in enumerate(_TurnRow._fields) if name not in _OPTIONAL]


def _events_of(group_id: str, rows: Iterable[list[Any]]) -> list[Event]:
    return [_event_of(group_id, _TurnRow(*columns)) for columns in whole(rows, *_OF_TURN)]


def _event_of(group_id: str, row: _TurnRow) -> Event:
    """Return a turn as an event. It has a wall-clock time, but no seconds of a video."""
    zone = timezone(timedelta(seconds=row.offset))
    said = datetime.fromtimestamp(row.seconds, zone) + timedelta(microseconds=row.microsecond)
    content = " ".join(part for part in (row.begun, row.content, row.ended) if part)
    return Event(
        node_id=said_id(row.vector_id),
        group_id=group_id,
        video_id=row.session_id,
        clip_ids=(),
        ordinal=row.turn,
        time_start=0.0,
        time_end=0.0,
        summary_text=spoken_text(row.actor, content, row.shown),
        persons=(row.actor,),
        at=said,
        turn=Turn(row.episode_id, row.session_id, row.turn, row.turn_id, row.actor, continues=bool(row.continues)),
    )
