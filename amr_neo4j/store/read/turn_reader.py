"""Conversations as recall sees them: turns in the place of events. Every read is of one user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from math import inf
from typing import Any

from amr_neo4j.domain.episode import spoken_text
from amr_neo4j.domain.event import Channel, Edge, Event, Turn, said_id
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.read.read_cache import Admit, ReadCache, Spoke, admit_all, embedded

# How many times as many hits are asked for where too few of them lie in a timed scope.
_MORE = 4
# Of two who talk each says half: what somebody said last, and no more, may bear on a question that names them.
_LATEST_SAID = 20
# Of how many users what was read is kept.
_USERS = 64


class TurnReader:
    """An EventReader of turns: node_ids are `said_id`s, NEXT is their temporal channel, a session is their video."""

    def __init__(self, database: Database, *, language: str, admit: Admit = admit_all) -> None:
        """admit: as EventReader's."""
        self._database = database
        self._admit = admit
        self._index = "episode_text" if language == "en" else "plain_episode_text"
        self._views: dict[tuple[str, str], ReadCache] = {}

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """(node_id, BM25 score), best first; nothing for a text without a word."""
        queries = full_text.queries(text, full_text.turn_tokens(scope))
        found = dict(hit for query in queries for hit in self._hits(query, scope, limit))
        return sorted(found.items(), key=lambda hit: (-hit[1], -hit[0]))[:limit]

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """The turns just before and just after; they know no other channel."""
        if Channel.TEMPORAL not in channels:
            return []
        if not _is_of_user(scope):
            return list({(edge.src, edge.dst): edge for _, edge in self._beside(node_ids, scope)}.values())

        def read(unknown: list[int]) -> dict[int, list[Spoke]]:
            found: dict[int, list[Spoke]] = {}
            for node_id, edge in self._beside(unknown, scope):
                found.setdefault(node_id, []).append(Spoke(edge, (edge.src, edge.dst), ""))
            return found

        return list({spoke.identity: spoke.edge for spoke in self._view(scope).spokes(node_ids, read)}.values())

    def _beside(self, node_ids: Sequence[int], scope: Scope) -> list[tuple[int, Edge]]:
        """Each turn of these with each of its edges, one that joins two of them twice."""
        rows = self._one("turns_beside", scope, vector_ids=[said_id(node_id) for node_id in node_ids])
        return [
            (said_id(of), Edge(said_id(src), said_id(dst), Channel.TEMPORAL, {"time_gap": gap}))
            for of, src, dst, gap in rows
        ]

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """The turns with these ids, in the order of the ids; those out of scope are left out."""
        view = self._view(scope)
        as_of = view.changes
        found = {e.node_id: e for e in view.events(node_ids)} if _is_of_user(scope) else {}
        asked = [said_id(node_id) for node_id in node_ids if node_id not in found]
        rows = self._one("turns", scope, vector_ids=asked) if asked else []
        new = {said_id(row[0]): _event_of(scope.group_id, row) for row in rows}
        view.keep_events(new, as_of)
        found |= new
        return [found[node_id] for node_id in node_ids if node_id in found]

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """None: nobody uses a thing in a conversation."""
        return []

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the last turns that somebody says, latest first: never many, but where the scope names them."""
        most = limit if person_id in scope.persons else min(limit, _LATEST_SAID)
        found = self._one("turns_by_actor", scope, person_id=person_id, limit=most)
        return [said_id(vector_id) for vector_id in found]

    def vocabulary(self, scope: Scope) -> Names:
        """Who talks in the conversations of the scope's user."""
        row = self._view(scope).catch_up()
        self._admit(embedded(row))
        same: dict[str, tuple[str, ...]] = {}
        for speaker, person in sorted(row["same"]):
            same[speaker] = (*same.get(speaker, ()), person)
        return Names(frozenset(row["people"]), same=same)

    def known(self, names: Names, scope: Scope) -> Names:
        """Those of the names who say something in the scope."""
        return Names(frozenset(self._one("speakers_known", scope, names=sorted(names.persons))))

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """None, as by_object."""
        return []

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        """None: a turn knows by itself when it was said."""
        return {}

    def _hits(self, query: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """The best of a Lucene query in the scope. Times are no words, so more are asked for until it is full."""
        asked = limit
        while True:
            params = {"index": self._index, "query": query, "limit": asked}
            [row] = self._database.read("recall/turns_full_text", **params, **_parameters(scope))
            inside = [(said_id(vector_id), score) for vector_id, score in row["inside"]]
            if len(inside) >= limit or row["found"] < asked:
                return sorted(inside, key=lambda hit: (-hit[1], -hit[0]))[:limit]
            asked *= _MORE

    def _view(self, scope: Scope) -> ReadCache:
        """What is kept of a user's turns."""
        group_id, user_id = whose = scope.group_id, scope.user_id

        def news(since: int | None) -> Row:
            [row] = self._database.read("recall/speakers", group_id=group_id, user_id=user_id, since=since)
            return row | {"touched": row["touched"] and [said_id(vector_id) for vector_id in row["touched"]]}

        if whose not in self._views:
            if len(self._views) >= _USERS:
                self._views.clear()
            self._views[whose] = ReadCache(news)
        return self._views[whose]

    def _one(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """The one list that a statement returns."""
        [row] = self._database.read(f"recall/{name}", **params, **_parameters(scope))
        [found] = row.values()
        return found


def _is_of_user(scope: Scope) -> bool:
    """Whether no more than the user bounds it."""
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
        "known_at": scope.known_at,
    }


def _clock(moment: Moment | None, otherwise: float) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else otherwise


def _event_of(group_id: str, columns: Sequence[Any]) -> Event:
    """A turn from what recall/turns collects. It has a moment, but no seconds of a video."""
    vector_id, episode_id, session_id, turn, turn_id, actor, content, shown, seconds, microsecond, offset = columns
    said = datetime.fromtimestamp(seconds, timezone(timedelta(seconds=offset))) + timedelta(microseconds=microsecond)
    return Event(
        said_id(vector_id),
        group_id,
        session_id,
        (),
        turn,
        0.0,
        0.0,
        spoken_text(actor, content, shown),
        persons=(actor,),
        at=said,
        turn=Turn(episode_id, session_id, turn, turn_id, actor),
    )
