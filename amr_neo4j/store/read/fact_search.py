"""Reads the facts of one user for recall."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from amr_neo4j.domain.event import said_id
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.recall import Citation, Recalled, Scope, TurnCitation
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.browse import native
from amr_neo4j.store.read.read_cache import Admit, admit_all, embedded

# Lucene ranks before the status is known: the limit grows while too few of the hits are believed.
_GROWTH, _MOST_HITS = 4, 5000


class FactSearch:
    """The facts that a user's memory believes, by their numbers and by words."""

    def __init__(self, database: Database, group_id: str, user_id: str, admit: Admit = admit_all) -> None:
        """admit: called with the group's embedding model; may raise."""
        self._database = database
        self._whose = {"group_id": group_id, "user_id": user_id}
        self._required = full_text.turn_tokens(Scope(group_id, user_id=user_id))
        self._admit = admit

    def believed(self, vector_ids: Sequence[int], confidence: float) -> dict[int, Recalled]:
        """Those that are believed with more than `confidence`, by number."""
        params = {**self._whose, "vector_ids": list(vector_ids), "confidence": confidence}
        [row] = self._database.read("facts/recall_facts", **params)
        self._admit(embedded(row))
        return {columns[0]: _recalled(columns) for columns in row["facts"]}

    def unindexed_from(self) -> int | None:
        """From which number on facts may be missing in an index that catches up now; None: it will have all.

        Facts that wait for a vector have no number, and are missing too.
        """
        [row] = self._database.read("facts/recall_state", **self._whose)
        return row["next"] if row["waiting"] else None

    def by_words(self, text: str, limit: int, confidence: float, since: int | None = None) -> list[Recalled]:
        """At most `limit` that have words of a text, best first.

        since: only what an index may lack, as `unindexed_from` returns it; None: all.
        """
        params = {**self._whose, "confidence": confidence, "since": since}
        found: list[Recalled] = []
        for query in full_text.queries(text, self._required):
            fetched = limit
            while True:
                [row] = self._database.read("facts/recall_by_words", query=query, limit=fetched, **params)
                if len(row["facts"]) >= limit or row["found"] < fetched or fetched >= _MOST_HITS:
                    break
                fetched *= _GROWTH
            found += [_recalled(columns) for columns in row["facts"]]
        return found[:limit]

    def about(
        self,
        subjects: Sequence[str],
        relations: Sequence[str],
        confidence: float,
        limit: int,
        as_of: datetime | None = None,
    ) -> list[Recalled]:
        """At most `limit` that are of one of these subjects and one of these relations, the latest first.

        as_of: what turns had stated by then, also where it was replaced later.
        """
        slots = {"subjects": list(subjects), "relations": list(relations)}
        moment = {"as_of": as_of and as_of.timestamp()}
        params = {**self._whose, **slots, **moment, "confidence": confidence, "limit": limit}
        [row] = self._database.read("facts/facts_about", **params)
        return [_recalled(columns) for columns in row["facts"]]

    def turns_of_others(
        self, turns: Sequence[int], subjects: Sequence[str], relations: Sequence[str], roles: Sequence[str]
    ) -> set[int]:
        """Those of the turns, by node_id, that state one of these relations, and only of other subjects.

        roles: relations that state the name of their object ("sister").
        """
        ids = [said_id(node_id) for node_id in turns]
        slots = {"subjects": list(subjects), "relations": list(relations), "roles": list(roles)}
        [row] = self._database.read("facts/turns_of_others", **self._whose, **slots, vector_ids=ids)
        return {said_id(vector_id) for vector_id in row["turns"]}

    def outdated(self, vector_ids: Sequence[int]) -> set[int]:
        """Those of these turns whose facts were all replaced or taken back."""
        [row] = self._database.read("facts/facts_of_turns", **self._whose, vector_ids=list(vector_ids))
        return set(row["outdated"])


def _recalled(columns: Sequence[Any]) -> Recalled:
    _, subject, relation, named, text, confidence, at, turn, event = columns
    source = _latest(turn, event)
    return Recalled("fact", text, confidence, _moment(at), source, triple=Triple(subject, relation, named))


def _latest(turn: Sequence[Any] | None, event: Sequence[Any] | None) -> Citation | TurnCitation | None:
    """The later of the two; a turn where that is unknown."""
    if turn and (not event or event[0] is None or turn[0] is None or native(turn[0]) >= native(event[0])):
        _, vector_id, episode_id, session_id, number, turn_id, actor, said = turn
        return TurnCitation(said_id(vector_id), episode_id, session_id, number, turn_id, actor, _moment(said))
    return Citation(*event[1:]) if event else None


def _moment(value: Any) -> datetime | None:
    return None if value is None else native(value)
