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
from amr_neo4j.store.database import Database
from amr_neo4j.store.group_view import Admit, admit_all, embedded

# How many times as many hits are asked for where too few of them lie in a timed scope.
_MORE = 4
# Of two who talk each says half: what somebody said last, and no more, may bear on a question that names them.
_LATEST_SAID = 20
# How many turns are kept once read, about 1 kB each.
_KEPT = 30_000


class TurnReader:
    """An EventReader of turns: node_ids are `said_id`s, NEXT is their temporal channel, a session is their video."""

    def __init__(self, database: Database, *, language: str, admit: Admit = admit_all) -> None:
        """admit: as EventReader's."""
        self._database = database
        self._admit = admit
        self._index = "episode_text" if language == "en" else "plain_episode_text"
        self._turns: dict[tuple[str, str, int], Event] = {}

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """(node_id, BM25 score), best first; nothing for a text without a word."""
        queries = full_text.queries(text, full_text.turn_tokens(scope))
        found = dict(hit for query in queries for hit in self._hits(query, scope, limit))
        return sorted(found.items(), key=lambda hit: (-hit[1], -hit[0]))[:limit]

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """The turns just before and just after; they know no other channel."""
        if Channel.TEMPORAL not in channels:
            return []
        edges = self._one("turns_beside", scope, vector_ids=[said_id(node_id) for node_id in node_ids])
        return [Edge(said_id(a), said_id(b), Channel.TEMPORAL, {"time_gap": gap}) for a, b, gap in edges]

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """The turns with these ids, in the order of the ids; those out of scope are left out."""
        whose = (scope.group_id, scope.user_id)
        found = self._known(node_ids, scope)
        asked = [said_id(node_id) for node_id in node_ids if node_id not in found]
        rows = self._one("turns", scope, vector_ids=asked) if asked else []
        found |= {said_id(row[0]): _event_of(scope.group_id, row) for row in rows}
        if len(self._turns) + len(found) > _KEPT:
            self._turns.clear()
        self._turns |= {(*whose, node_id): event for node_id, event in found.items()}
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
        [row] = self._database.read("recall/speakers", group_id=scope.group_id, user_id=scope.user_id)
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

    def forget(self) -> None:
        """What was kept of what is read from now on: something was taken out of the graph."""
        self._turns.clear()

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

    def _known(self, node_ids: Sequence[int], scope: Scope) -> dict[int, Event]:
        """Those of the turns that are kept, where no more than the user bounds the scope."""
        if scope != Scope(scope.group_id, scope.video_ids, user_id=scope.user_id):
            return {}
        whose = (scope.group_id, scope.user_id)
        return {i: self._turns[(*whose, i)] for i in node_ids if (*whose, i) in self._turns}

    def _one(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """The one list that a statement returns."""
        [row] = self._database.read(f"recall/{name}", **params, **_parameters(scope))
        [found] = row.values()
        return found


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
