"""Writes episodes in the order they were accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

from amr_neo4j.domain.episode import (
    Episode,
    EpisodeOutcome,
    EpisodeReceipt,
    LastSaid,
    Session,
    forgotten_group_key,
    forgotten_key,
)
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.store.database import Database, Row, Run, in_parts
from amr_neo4j.store.full_text import turn_text
from amr_neo4j.store.read.admission import embedder_mismatch
from amr_neo4j.store.write.facts import commit_facts

# Episodes per transaction.
AT_ONCE = 250


class EpisodeWriter:
    """Writes episodes with their embeddings. A returned receipt means that the episode is durably stored."""

    def __init__(self, database: Database, *, language: str, now: Callable[[], datetime]) -> None:
        self._database = database
        self._language = language
        self._now = now

    def commit(
        self, episodes: Sequence[Episode], vectors: Sequence[Vectors | None], embedded_by: tuple[str, int]
    ) -> list[EpisodeReceipt]:
        """Write episodes and return one receipt per episode, in order.

        An episode that exists with equal content is "unchanged"; with other content, "rejected". An episode with the
        same intake_id comes from the same call, whoever wrote it, and is "committed".

        vectors: one per episode; one without a vector waits for it in the queue.
        embedded_by: (model, dimension).
        Raises EmbedderMismatch: the group was embedded with another model. Nothing of this call is written then.
        """
        receipts: list[EpisodeReceipt] = []
        for start, end in pairwise(_cuts(episodes)):
            for part in in_parts(range(start, end), partial(self._commit, episodes, vectors, embedded_by)):
                receipts += part
        return receipts

    def unchanged(self, episodes: Sequence[Episode]) -> list[EpisodeReceipt | None]:
        """Return a receipt, as `commit` does, for each episode stored with equal content; None for the others."""
        sessions = {(episode.session.group_id, episode.session.user_id) for episode in episodes}
        known: dict[tuple[str, ...], tuple[int, str]] = {}
        for group_id, user_id in sessions:
            ids = [e.episode_id for e in episodes if (e.session.group_id, e.session.user_id) == (group_id, user_id)]
            params = {"group_id": group_id, "user_id": user_id, "episode_ids": ids}
            [row] = self._database.read("conversations/known_episodes", **params)
            known |= {(group_id, user_id, *key): (turn, intake) for *key, turn, intake in row["episodes"]}
        return [_unchanged(episode, known) for episode in episodes]

    def last_said(self, sessions: Sequence[Session]) -> dict[Session, LastSaid]:
        """Return {session: its last turn}, as far as the graph has them."""
        found: dict[Session, LastSaid] = {}
        for group_id, user_id in {(session.group_id, session.user_id) for session in sessions}:
            whose = {"group_id": group_id, "user_id": user_id}
            ids = [each.session_id for each in sessions if (each.group_id, each.user_id) == (group_id, user_id)]
            for row in self._database.read("conversations/last_said", **whose, session_ids=ids):
                session = Session(group_id, user_id, row["session_id"])
                found[session] = LastSaid(row["actor_id"], row["content"], row["turn"])
        return found

    def _commit(
        self,
        all_episodes: Sequence[Episode],
        all_vectors: Sequence[Vectors | None],
        embedded_by: tuple[str, int],
        part: Sequence[int],
    ) -> list[EpisodeReceipt]:
        """Write a part of the episodes in one transaction. part: their indices, one after another."""
        episodes, vectors = all_episodes[part[0] : part[-1] + 1], all_vectors[part[0] : part[-1] + 1]
        session, (model, dim) = episodes[0].session, embedded_by
        props = {"embedding_model": model, "embedding_dim": dim, "languages": [self._language]}
        params = {
            "group": {"group_id": session.group_id, "props": props},
            "user_id": session.user_id,
            "model": model,
            "dim": dim,
            "episodes": [self._row(n, e, vectors[n]) for n, e in enumerate(episodes)],
            "now": self._now(),
        }
        # A transaction of two statements takes more round trips, so only episodes with facts pay for it.
        if any(episode.changes for episode in episodes):
            result = self._database.in_transaction(lambda run: _commit_with_facts(run, episodes, params))
        else:
            [result] = self._database.write("conversations/commit_episodes", **params)
        if not result["fits"]:
            raise embedder_mismatch(session.group_id, (result["model"], result["dim"]), embedded_by)
        return [_receipt(e, found) for e, found in zip(episodes, result["episodes"], strict=True)]

    def _row(self, number: int, episode: Episode, vector: Vectors | None) -> dict[str, Any]:
        """Return an episode as a row. Its time goes as text: the driver takes 20 µs and more to send a datetime."""
        user_id, session_id = episode.session.user_id, episode.session.session_id
        return {
            "number": number,
            "episode_id": episode.episode_id,
            "session_id": episode.session.session_id,
            "turn": episode.turn,
            "props": _props(episode),
            "valid_at": episode.valid_at.isoformat(),
            "vector": None if vector is None else vector.tobytes(),
            "plain_text": self._language != "en",
            "accepted_ms": int((episode.accepted or self._now().timestamp()) * 1000),
            "forgotten_keys": [
                forgotten_key(user_id),
                forgotten_key(user_id, session_id),
                forgotten_key(user_id, episode_id=episode.episode_id),
                forgotten_group_key(episode.session.group_id),
            ],
        }


def _commit_with_facts(run: Run, episodes: Sequence[Episode], params: dict[str, Any]) -> Row:
    """Write the episodes, then the facts that the new ones state: a repeated one must not count as evidence twice."""
    [result] = run("conversations/commit_episodes", **params)
    if result["fits"]:
        found = zip(episodes, result["episodes"], strict=True)
        new = [episode for episode, there in found if _is_new(there)]
        commit_facts(run, new, params["now"])
    return result


def _props(episode: Episode) -> dict[str, Any]:
    return {
        **picked(episode, "type", "actor", "actor_id", "content", "shown", "turn_id", "content_sha256"),
        "metadata": json.dumps(dict(episode.metadata), ensure_ascii=False),
        "clock": episode.valid_at.timestamp(),  # valid_at as a number, by which scopes filter
        "intake_id": episode.intake_id or None,
        "continues": episode.continues or None,
        "scope_text": turn_text(episode.session, episode.actor_id),
    }


def _cuts(episodes: Sequence[Episode]) -> list[int]:
    """Return the indices at which to cut the episodes into batches, with 0 and the number of episodes.

    A batch holds one user's episodes, at most AT_ONCE, without a repeated id or turn number. The statement gives turn
    numbers to unnumbered episodes after all numbered ones of the batch. So a numbered episode that follows an
    unnumbered one of its session starts a new batch: otherwise the order of the two would be swapped.
    """
    cuts = [0]
    seen: set[object] = set()
    for index, episode in enumerate(episodes):
        session = episode.session
        user = (session.group_id, session.user_id)
        unnumbered = (session.session_id, None)
        keys: set[object] = {(episode.episode_id,)}
        if episode.turn is not None:
            keys |= {(session.session_id, episode.turn), unnumbered}
        if index - cuts[-1] >= AT_ONCE or not seen.isdisjoint(keys) or (seen and user not in seen):
            cuts.append(index)
            seen = set()
        seen |= {user, *keys} - {unnumbered}
        if episode.turn is None:
            seen.add(unnumbered)
    return [*cuts, len(episodes)] if episodes else []


def _unchanged(episode: Episode, known: Mapping[tuple[str, ...], tuple[int, str]]) -> EpisodeReceipt | None:
    session = episode.session
    key = (session.group_id, session.user_id, episode.episode_id, session.session_id, episode.content_sha256)
    if key not in known:
        return None
    turn, intake_id = known[key]
    return EpisodeReceipt(session.session_id, episode.episode_id, _outcome(episode, intake_id), turn)


def _is_new(found: Mapping[str, Any]) -> bool:
    return found["sha"] is None and found["taken"] is None and not found["forgotten"]


def _outcome(episode: Episode, intake_id: str | None) -> EpisodeOutcome:
    """Return the outcome for an episode that the graph has. intake_id: the stored one; None for older episodes."""
    return "committed" if episode.intake_id and episode.intake_id == intake_id else "unchanged"


def _receipt(episode: Episode, found: Mapping[str, Any]) -> EpisodeReceipt:
    """Return the receipt of an episode.

    found: what the graph had before. sha is the content hash of the episode with this id, None if it is new; taken is
        the id of another episode that has its turn number.
    """
    session_id, episode_id = episode.session.session_id, episode.episode_id
    if found["forgotten"] and found["sha"] is None:
        error = f"{episode_id} was forgotten after it was taken in"
        return EpisodeReceipt(session_id, episode_id, "rejected", error=error, is_forgotten=True)
    if _is_new(found):
        return EpisodeReceipt(session_id, episode_id, "committed", found["turn"])
    if (found["sha"], found["session_id"]) == (episode.content_sha256, session_id):
        return EpisodeReceipt(session_id, episode_id, _outcome(episode, found["intake_id"]), found["turn"])
    if found["taken"] is not None:
        error = f"turn {episode.turn} of session {session_id} is {found['taken']}; give {episode_id} another turn"
    else:
        error = episode.conflict_with(found["session_id"], found["content"])
    return EpisodeReceipt(session_id, episode_id, "rejected", error=error)
