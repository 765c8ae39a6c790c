"""Writes facts: those that turns state, corrections by hand. Also the queue of what waits for an embedding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from amr_neo4j.domain.belief import FactLink, FactTurn, FactView, ShownFact
from amr_neo4j.domain.episode import Episode, Session, embedded_text
from amr_neo4j.domain.fact import EmbeddingState, FactChange, Hinted, Triple, WaitingText, fact_id
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Citation
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.store.database import Database, Row, Run, Scoped, natively, of_fact
from amr_neo4j.store.full_text import turn_text
from amr_neo4j.store.read.admission import embedder_mismatch

# Each time a fact is stated again, its weight moves this share of the way to 1 (specification 001, reinforcement):
# 0.5 becomes 0.65.
_REINFORCEMENT = 0.3


def commit_facts(run: Run, episodes: Sequence[Episode], now: datetime) -> None:
    """Write the facts that episodes of one user state or take back.

    run: of the transaction that wrote the episodes, so that facts never exist without their episodes.
    """
    rows = [
        change_row(change, episode.session, actor_id=episode.actor_id, episode_id=episode.episode_id)
        for episode in episodes
        for change in episode.changes
    ]
    if not rows:
        return
    session = episodes[0].session
    commit_rows(run, session.group_id, session.user_id, rows=rows, now=now)


def commit_rows(run: Run, group_id: str, user_id: str, *, rows: Sequence[dict[str, Any]], now: datetime) -> None:
    """Write rows of `change_row`, in this order: a later row may take back what an earlier one states.

    A single-valued relation such as lives_in keeps one active fact: a pinned one, else the one that was stated last.
    """
    whose = {"group_id": group_id, "user_id": user_id}
    for part in _settled_apart(rows):
        numbered = [{**row, "number": number} for number, row in enumerate(part)]
        run("facts/commit_facts", **whose, rows=numbered, reinforcement=_REINFORCEMENT, now=now)
        slots = {(row["subject"], row["relation"]) for row in part if not row["retracted"]}
        if single := sorted(slot for slot in slots if relation_kind(slot[1]).single):
            named = [
                {"subject": subject, "relation": relation, "detail": relation_kind(relation).detail or None}
                for subject, relation in single
            ]
            run("facts/settle_slots", **whose, slots=named, now=now)


def _settled_apart(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Split rows before each that takes back a single value stated earlier in its part.

    That value has to replace the ones before it first, or they would be believed again once it is taken back.
    """
    parts, stated = [list[dict[str, Any]]()], set[tuple[str, str]]()
    for row in rows:
        slot = (row["subject"], row["relation"])
        if not row["retracted"]:
            stated.add(slot)
        elif slot in stated and relation_kind(slot[1]).single:
            parts.append([])
            stated.clear()
        parts[-1].append(row)
    return parts


def change_row(change: FactChange, session: Session, *, actor_id: str, episode_id: str) -> dict[str, Any]:
    """Return a change of a fact as a row of facts/commit_facts.

    session, actor_id, episode_id: of the turn that states it.
    """
    kind = relation_kind(change.triple.relation)
    return {
        "episode_id": episode_id,
        "fact_id": fact_id(change.triple),
        **change.triple._asdict(),
        **picked(change, "text", "language", "said", "confidence", "retracted", "forgotten", "strength"),
        **picked(change, "ends", "live"),
        "single": kind.single,
        "detail": kind.detail or None,
        "session_id": session.session_id,
        "scope_text": turn_text(session, actor_id),
    }


# A fact that a person restores gets at least this confidence. Otherwise the next nightly run would give it up again.
_RESTORED_CONFIDENCE = 0.5


class FactHand:
    """Changes to single facts of one user that a person makes by hand."""

    def __init__(self, database: Database, group_id: str, user_id: str, now: Callable[[], datetime]) -> None:
        self._facts = Scoped(database, group_id=group_id, user_id=user_id)
        self._now = now

    def find(self, prefix: str, limit: int = 2) -> list[FactView]:
        """Return at most `limit` facts whose id begins with `prefix`."""
        rows = self._facts.read("facts/find_facts", prefix=prefix, limit=limit)
        return [_fact_view(row) for row in rows]

    def pin(self, name: str, *, pinned: bool) -> None:
        """Pin a fact, so that nothing changes or retires it, or remove the pin. name: its fact_id."""
        self._facts.write("facts/pin", fact_id=name, pinned=pinned, now=self._now())

    def restore(self, name: str) -> bool:
        """Make a fact active again. Returns False if it is unknown or was not retired. name: its fact_id."""
        params = {"fact_id": name, "confidence": _RESTORED_CONFIDENCE, "now": self._now()}
        return bool(self._facts.write("facts/restore", **params))

    def correct(self, name: str, triple: Triple, text: str) -> str:
        """Replace a fact by one with another object. Returns the fact_id of the new one. name: the old fact_id."""
        # The old fact stays, archived and tied to the new one, so that its history can be shown.
        now, corrected = self._now(), fact_id(triple)
        params = {"fact_id": name, "corrected": corrected, "object": triple.object, "text": text}
        self._facts.write("facts/correct", **params, said=now.timestamp(), now=now)
        return corrected


def _fact_view(row: Row) -> FactView:
    lists: Row = {
        "turns": tuple(FactTurn(**natively(turn)) for turn in row["turns"]),
        "links": tuple(FactLink(**natively(link)) for link in row["links"]),
        "events": tuple(Citation(*event) for event in row["events"]),
    }
    return FactView(**of_fact(row) | lists)


def count_use(
    database: Database,
    now: Callable[[], datetime],
    *whose: str,
    counts: Mapping[str, int],
    shown: Sequence[ShownFact],
) -> None:
    """Add to a user's counts of how replies used memory, and note the facts that were shown.

    whose: (group_id, user_id). Does nothing for a user without turns.
    counts: {name: number to add}, with the names in live_chat/metrics.py.
    """
    group_id, user_id = whose
    params = {"counts": dict(counts), "facts": [fact._asdict() for fact in shown]}
    database.write("facts/count_use", group_id=group_id, user_id=user_id, now=now(), **params)


def note_hints(database: Database, group_id: str, user_id: str, hints: Mapping[str, Hinted]) -> list[str]:
    """Store which facts and quoted turns were hints for turns. Returns the episode_ids of those turns that the graph
    has.

    hints: {episode_id: its hints}.
    """
    rows = [{"episode_id": name, "hinted": list(hinted)} for name, hinted in hints.items()]
    found = database.write("conversations/note_hints", group_id=group_id, user_id=user_id, rows=rows)
    return [row["episode_id"] for row in found]


# Facts, and as many turns, whose errors `state` lists.
_ERRORS_LISTED = 20


class EmbeddingQueue:
    """The facts and turns of one group that wait for an embedding. Moments are seconds since 1970."""

    def __init__(self, database: Database, group_id: str, now: Callable[[], datetime]) -> None:
        self._group_id, self._queue = group_id, Scoped(database, group_id=group_id)
        self._now = now

    def due(self, now: float, limit: int) -> list[WaitingText]:
        """Return at most `limit` facts and turns that may be embedded by now, those that wait longest first."""
        rows = self._queue.read("facts/embed_due", now=now, limit=limit)
        return [_waiting(row) for row in rows]

    def next_at(self) -> float | None:
        """Return when the next one may be tried; None if none waits."""
        [row] = self._queue.read("facts/embed_next")
        return row["at"]

    def state(self) -> EmbeddingState:
        """Return how many wait and how many were given up, with the errors of some."""
        [row] = self._queue.read("facts/embed_state", limit=_ERRORS_LISTED)
        reasons = tuple((user, text, why) for user, text, why in row["reasons"])
        return EmbeddingState(row["waiting"], row["failed"], reasons)

    def commit(self, texts: Sequence[WaitingText], vectors: Vectors, model: str) -> None:
        """Write the embeddings of facts and turns and remove these from the queue. vectors: (len(texts), dim).

        A fact whose text has changed since stays in the queue. Raises EmbedderMismatch.
        """
        dim = int(vectors.shape[1])
        by = {"model": model, "dim": dim}
        for name, is_turn in (("facts/embed_commit", False), ("facts/embed_turns", True)):
            found = [(text, vector) for text, vector in zip(texts, vectors, strict=True) if text.is_turn == is_turn]
            if not found:
                continue
            rows = [_waiting_row(text) | {"data": vector.tobytes()} for text, vector in found]
            [row] = self._queue.write(name, **by, rows=rows, now=self._now())
            if not row["fits"] and row["model"]:  # without a model the group was forgotten in the meantime
                raise embedder_mismatch(self._group_id, (row["model"], row["dim"]), (model, dim))

    def postpone(self, texts: Sequence[WaitingText], attempts: int, after: float | None, error: str) -> None:
        """Have them tried again from `after` on; None gives them up, with this error."""
        self._queue.write(
            "facts/embed_postpone",
            rows=[_waiting_row(text) for text in texts],
            attempts=attempts,
            after=after,
            error=error if after is None else None,
        )

    def queue_missing(self) -> int:
        """Queue facts that have no embedding and are not in the queue, such as those written in Neo4j Browser.

        Returns their number.
        """
        return self._queue.write("facts/embed_missing")[0]["facts"]

    def retry(self) -> int:
        """Queue again what was given up. Returns how many that is."""
        return self._queue.write("facts/embed_again")[0]["queued"]


def _waiting(row: Row) -> WaitingText:
    text = embedded_text(row["actor"], row["text"], row["shown"] or "") if row["is_turn"] else row["text"]
    return WaitingText(row["user_id"], row["id"], text, row["attempts"], row["is_turn"])


def _waiting_row(text: WaitingText) -> dict[str, object]:
    return {"user_id": text.user_id, "id": text.id, "text": text.text, "is_turn": text.is_turn}
