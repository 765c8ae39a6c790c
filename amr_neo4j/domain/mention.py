"""Mentions: words that name something in one turn, and relations between them as stated (specification 004 2)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from amr_neo4j.domain.episode import Episode, Session


@dataclass(frozen=True)
class Mention:
    """Words of a turn that name something, once a turn; not resolved to who or what that is.

    turn: of the session, from 0. type: such as PERSON. text: as written. id: its own among the user's.
    valid_at: when the turn was said; created_at: when memory learnt it. Raises ValueError: no type or no text.
    """

    session: Session
    turn: int
    type: str
    text: str
    episode_id: str
    valid_at: datetime
    id: str = ""
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        if not (self.type.strip() and self.text.strip()):
            raise ValueError("a mention has a type and a text")

    @property
    def own_id(self) -> str:
        """An id that follows from its session, turn, type and text: the same wherever it is made."""
        return _id("mention", self.session.session_id, self.turn, self.type, self.text)


@dataclass(frozen=True)
class Relation:
    """What a turn states of two mentions of its session, made in that turn or before it.

    content: the statement in words, or "". confidence: 0 to 1; None where unknown.
    turn, episode_id, valid_at: of the turn that states it, whenever it is or was so. Raises ValueError: a mention of
    another session or of a later turn, or a confidence out of range.
    """

    source: Mention
    target: Mention
    type: str
    turn: int
    episode_id: str
    valid_at: datetime
    content: str = ""
    confidence: float | None = None
    id: str = ""
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.source.session != self.target.session:
            raise ValueError("a relation is between mentions of one session")
        if max(self.source.turn, self.target.turn) > self.turn:
            raise ValueError("a turn states nothing of a mention that comes later")
        if not self.type.strip() or not 0 <= (self.confidence or 0) <= 1:
            raise ValueError("a relation has a type, and a confidence from 0 to 1")

    @property
    def own_id(self) -> str:
        """An id that follows from the turn, the two mentions and the type."""
        return _id("edge", self.turn, self.source.own_id, self.target.own_id, self.type)


@dataclass(frozen=True)
class Window:
    """A turn with up to three before it, oldest first, and what those before it mention."""

    episodes: tuple[Episode, ...]
    mentions: tuple[Mention, ...] = ()

    @property
    def now(self) -> Episode:
        """The turn that is read."""
        return self.episodes[-1]


@dataclass(frozen=True)
class Extracted:
    """The mentions and relations of one turn. refused: a model's statements that were dropped, with the reason."""

    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Written:
    """What a commit wrote. facts: how many were stated or taken back."""

    episode_ids: frozenset[str]
    facts: int = 0


@dataclass(frozen=True)
class Stated:
    """A relation as recall has it. node_id: of the turn that states it; source, target: the words of its mentions."""

    node_id: int
    type: str
    source: str
    target: str


def mention_in(episode: Episode, kind: str, text: str, *, mention_id: str = "") -> Mention:
    """A mention of this episode, which has its place in its session."""
    return Mention(episode.session, placed(episode), kind, text, episode.episode_id, episode.valid_at, mention_id)


def stated_in(
    episode: Episode,
    source: Mention,
    target: Mention,
    *,
    kind: str,
    content: str = "",
    confidence: float | None = None,
    relation_id: str = "",
) -> Relation:
    """A relation that this episode states."""
    turn = placed(episode)
    return Relation(
        source, target, kind, turn, episode.episode_id, episode.valid_at, content, confidence, relation_id
    )


def placed(episode: Episode) -> int:
    """The turn of an episode that the graph has."""
    if episode.turn is None:
        raise ValueError(f"{episode.episode_id} has no place in its session yet")
    return episode.turn


def _id(what: str, *key: object) -> str:
    return f"{what}_{sha256(json.dumps(key, ensure_ascii=False).encode()).hexdigest()[:16]}"
