"""Writes facts: what turns state, what people put right or delete, and the queue of facts without a vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from amr_neo4j.domain.belief import FactLink, FactTurn, FactView
from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.fact import EmbeddingState, FactChange, Triple, WaitingFact, fact_id
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Citation
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.store.database import Database, Row, Run, native
from amr_neo4j.store.full_text import turn_text
from amr_neo4j.store.read.admission import embedder_mismatch

# Of the distance to 1 that a fact's weight covers each time it is stated (specification 001, reinforcement).
_REINFORCEMENT = 0.3


def commit_facts(run: Run, episodes: Sequence[Episode], now: datetime) -> None:
    """Write what episodes of one user state and take back. run: of the transaction that has written the episodes."""
    rows = [row for episode in episodes for row in _change_rows(episode)]
    if not rows:
        return
    session = episodes[0].session
    commit_rows(run, session.group_id, session.user_id, rows=rows, now=now)


def commit_rows(run: Run, group_id: str, user_id: str, *, rows: Sequence[dict[str, Any]], now: datetime) -> None:
    """Write rows of `change_row`, in their order."""
    whose = {"group_id": group_id, "user_id": user_id}
    numbered = [{**row, "number": number} for number, row in enumerate(rows)]
    run("facts/commit_facts", **whose, rows=numbered, reinforcement=_REINFORCEMENT, now=now)
    slots = {(row["subject"], row["relation"]) for row in rows if not row["retracted"]}
    if single := sorted(slot for slot in slots if relation_kind(slot[1]).single):
        named = [{"subject": subject, "relation": relation} for subject, relation in single]
        run("facts/settle_slots", **whose, slots=named, now=now)


def change_row(change: FactChange, session: Session, *, actor_id: str, episode_id: str) -> dict[str, Any]:
    """A change of a fact as a row for the graph. session, actor_id, episode_id: of the turn that states it."""
    return {
        "episode_id": episode_id,
        "fact_id": fact_id(change.triple),
        "subject": change.triple.subject,
        "relation": change.triple.relation,
        "object": change.triple.object,
        "text": change.text,
        "language": change.language,
        "said": change.said,
        "confidence": change.confidence,
        "retracted": change.retracted,
        "single": relation_kind(change.triple.relation).single,
        "session_id": session.session_id,
        "scope_text": turn_text(session, actor_id),
    }


def _change_rows(episode: Episode) -> list[dict[str, Any]]:
    said = {"actor_id": episode.actor_id, "episode_id": episode.episode_id}
    return [change_row(change, episode.session, **said) for change in episode.changes]


# A fact that is believed again has this confidence at least, so that the next run does not give it up again.
_RESTORED_CONFIDENCE = 0.5


class FactHand:
    """Single facts of one user."""

    def __init__(self, database: Database, group_id: str, user_id: str, now: Callable[[], datetime]) -> None:
        self._database = database
        self._whose = {"group_id": group_id, "user_id": user_id}
        self._now = now

    def find(self, prefix: str, limit: int = 2) -> list[FactView]:
        """Facts whose id begins so."""
        rows = self._database.read("facts/find_facts", **self._whose, prefix=prefix, limit=limit)
        return [_fact_view(row) for row in rows]

    def pin(self, name: str, *, pinned: bool) -> None:
        """Keep a fact as it is, or no longer. name: its fact_id."""
        self._database.write("facts/pin", **self._whose, fact_id=name, pinned=pinned, now=self._now())

    def restore(self, name: str) -> bool:
        """Believe a fact again; returns whether it was not believed."""
        params = {"fact_id": name, "confidence": _RESTORED_CONFIDENCE, "now": self._now()}
        return bool(self._database.write("facts/restore", **self._whose, **params))

    def correct(self, name: str, triple: Triple, text: str) -> str:
        """Put this triple in a fact's place; returns its fact_id."""
        now, corrected = self._now(), fact_id(triple)
        params = {"fact_id": name, "corrected": corrected, "object": triple.object, "text": text}
        self._database.write("facts/correct", **self._whose, **params, said=now.timestamp(), now=now)
        return corrected


def _fact_view(row: Row) -> FactView:
    parts: dict[str, Any] = {name: native(value) for name, value in row.items()}
    triple = Triple(parts.pop("subject"), parts.pop("relation"), parts.pop("object"))
    turns = [FactTurn(**{k: native(v) for k, v in turn.items()}) for turn in parts.pop("turns")]
    links = [FactLink(**{k: native(v) for k, v in link.items()}) for link in parts.pop("links")]
    events = tuple(Citation(*event) for event in parts.pop("events"))
    return FactView(triple=triple, turns=tuple(turns), links=tuple(links), events=events, **parts)


def count_use(database: Database, group_id: str, user_id: str, *, counts: Mapping[str, int], now: datetime) -> None:
    """Add to the counts of a user; nothing for one without turns. counts: by name, all of turn_reader/metrics.USE."""
    database.write("facts/count_use", group_id=group_id, user_id=user_id, counts=dict(counts), now=now)


_SHOWN = 20


class FactQueue:
    """The queue of one group. Moments are seconds since 1970."""

    def __init__(self, database: Database, group_id: str, now: Callable[[], datetime]) -> None:
        self._database = database
        self._group_id = group_id
        self._now = now

    def due(self, now: float, limit: int) -> list[WaitingFact]:
        """At most `limit` facts that may be tried by now, those that wait longest first."""
        rows = self._database.read("facts/embed_due", group_id=self._group_id, now=now, limit=limit)
        return [WaitingFact(row["user_id"], row["fact_id"], row["text"], row["attempts"]) for row in rows]

    def next_at(self) -> float | None:
        """When the next fact may be tried; None where none waits."""
        [row] = self._database.read("facts/embed_next", group_id=self._group_id)
        return row["at"]

    def state(self) -> EmbeddingState:
        """How many wait and how many were given up, with some reasons."""
        [row] = self._database.read("facts/embed_state", group_id=self._group_id, limit=_SHOWN)
        reasons = tuple((user, text, why) for user, text, why in row["reasons"])
        return EmbeddingState(row["waiting"], row["failed"], reasons)

    def commit(self, facts: Sequence[WaitingFact], vectors: Vectors, model: str) -> None:
        """Write their embeddings, shape (len(facts), dim). Raises EmbedderMismatch."""
        rows = [_waiting_row(fact) | {"data": vector.tobytes()} for fact, vector in zip(facts, vectors, strict=True)]
        dim = int(vectors.shape[1])
        whose = {"group_id": self._group_id, "model": model, "dim": dim}
        [row] = self._database.write("facts/embed_commit", **whose, rows=rows, now=self._now())
        if not row["fits"]:
            raise embedder_mismatch(self._group_id, (row["model"], row["dim"]), (model, dim))

    def postpone(self, facts: Sequence[WaitingFact], attempts: int, after: float | None, error: str) -> None:
        """Have them tried again from `after` on, or give them up where that is None."""
        self._database.write(
            "facts/embed_postpone",
            group_id=self._group_id,
            rows=[_waiting_row(fact) for fact in facts],
            attempts=attempts,
            after=after,
            error=error if after is None else None,
        )

    def queue_missing(self) -> int:
        """Queue facts that have no embedding and do not wait; returns their number."""
        return self._database.write("facts/embed_missing", group_id=self._group_id)[0]["facts"]

    def retry(self) -> int:
        """Queue facts again that were given up; returns their number."""
        return self._database.write("facts/embed_again", group_id=self._group_id)[0]["facts"]


def _waiting_row(fact: WaitingFact) -> dict[str, object]:
    return {"user_id": fact.user_id, "fact_id": fact.fact_id, "text": fact.text}
