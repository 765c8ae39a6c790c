"""Mentions: words in a turn that name something, and relations that turns state between them.

See specification 004, section 2.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from amr_neo4j.domain.episode import Episode, Session


@dataclass(frozen=True)
class Mention:
    """Words of a turn that name something. They are not resolved to a person or object.

    Words that a turn repeats with the same type are one mention.
    turn: the number of the turn in the session, from 0.
    type: what the words name, for example PERSON.
    text: the words as written.
    id: unique among the user's mentions.
    start, end: the characters of the turn's content that are its text, where it first stands there; None for what the
        turn does not write: the speaker of "I", and what an imported document adds.
    valid_at: when the turn was said.
    created_at: when memory learnt of it.
    Raises ValueError: type or text is empty.
    """

    session: Session
    turn: int
    type: str
    text: str
    episode_id: str
    valid_at: datetime
    id: str = ""
    created_at: datetime | None = None
    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        if not (self.type.strip() and self.text.strip()):
            raise ValueError("a mention has a type and a text")

    @property
    def own_id(self) -> str:
        """An id made from session, turn, type and text. It is the same wherever it is made."""
        return _id("mention", self.session.session_id, self.turn, self.type, self.text)


@dataclass(frozen=True)
class Relation:
    """A statement of a turn about two mentions, which were made in that turn or earlier in the session.

    content: the statement in words; may be empty.
    confidence: 0 to 1; None if unknown.
    turn, episode_id, valid_at: those of the turn that states it. valid_at is not the time that it speaks about.
    Raises ValueError: the mentions are from two sessions or from a later turn, or the confidence is out of range.
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
        """An id made from the turn, the two mentions and the type."""
        return _id("edge", self.turn, self.source.own_id, self.target.own_id, self.type)


@dataclass(frozen=True)
class Window:
    """A turn and the turns just before it, oldest first, with the mentions of those earlier turns."""

    episodes: tuple[Episode, ...]
    mentions: tuple[Mention, ...] = ()

    @property
    def now(self) -> Episode:
        """The turn that is being read: the last one."""
        return self.episodes[-1]


@dataclass(frozen=True)
class Extracted:
    """The mentions and relations of one turn.

    refused: statements of a model that were dropped, with the reasons.
    """

    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Written:
    """What a commit wrote. facts: the number of facts that were stated."""

    episode_ids: frozenset[str]
    facts: int = 0


@dataclass(frozen=True)
class Stated:
    """A relation as recall sees it.

    node_id: the node_id of the turn that states it.
    source, target: the words of the two mentions.
    """

    node_id: int
    type: str
    source: str
    target: str


@dataclass(frozen=True)
class NameWords:
    """Words that show a name, in lower case: first names, and titles that a name follows.

    A title that has a capital here is a title only if it is written so: "Me Roy", but not "me".
    """

    first_names: frozenset[str]
    titles: frozenset[str]


def whole_words(pattern: str, text: str, kind: str, names: NameWords, *, folded: str = "") -> re.Match[str] | None:
    """Return the first place where a pattern matches whole words that can name something of this kind.

    A person's name is not half of a hyphenated one: "Ann" is not in "Ann-Kathrin" ("Berlin" is in "Berlin-Mitte", and
    "Anna" in "Anna-Party").
    folded: the text in lower case, of the same length, if the pattern is to match that.
    """
    for found in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", folded or text):
        if kind != "PERSON" or not _is_half(text, *found.span(), names):
            return found
    return None


_BEFORE_HYPHEN = re.compile(r"(\w+)[-‐‑]$")
_AFTER_HYPHEN = re.compile(r"[-‐‑](\w+)")
_WORD_BEFORE = re.compile(r"(\w+)\.?\s+(?:\w+[-‐‑])?$")


def _is_half(text: str, start: int, end: int, names: NameWords) -> bool:
    """Return whether a hyphen joins a name with a first name, or with any word with a capital after a name or title.

    Not reached: a double surname with nothing before it ("Müller-Lüdenscheidt kam") and rare first names, whose
    halves count as the person. Two persons ("the Anna-Ben match") look like a double name and are not mentioned.
    """
    left = text[max(0, start - 80) : start]
    others = [word[1] for word in (_BEFORE_HYPHEN.search(left), _AFTER_HYPHEN.match(text, end)) if word]
    word_before = _WORD_BEFORE.search(left)
    word = word_before[1] if word_before else ""
    surname = word.casefold() in names.first_names or not names.titles.isdisjoint({word, word.casefold()})
    return any(other.casefold() in names.first_names or (surname and other[0].isupper()) for other in others)


def mention_in(episode: Episode, kind: str, text: str, *, mention_id: str = "") -> Mention:
    """Return a mention in this episode, which must have its place in the session."""
    of = (episode.session, placed(episode), kind, text, episode.episode_id, episode.valid_at, mention_id)
    # Where it also stands alone, that is the place, not a hyphenated word ("Ann-Kathrin met Ann").
    word = rf"(?<!\w){re.escape(text)}(?!\w)"
    found = re.search(rf"(?<![-‐‑]){word}(?![-‐‑]\w)", episode.content) or re.search(word, episode.content)
    return Mention(*of, start=found.start(), end=found.end()) if found else Mention(*of)


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
    """Return a relation that this episode states."""
    turn = placed(episode)
    return Relation(
        source=source,
        target=target,
        type=kind,
        turn=turn,
        episode_id=episode.episode_id,
        valid_at=episode.valid_at,
        content=content,
        confidence=confidence,
        id=relation_id,
    )


def placed(episode: Episode) -> int:
    """Return the turn number of an episode. Raises ValueError if it is not in the graph yet."""
    if episode.turn is None:
        raise ValueError(f"{episode.episode_id} has no place in its session yet")
    return episode.turn


def _id(what: str, *key: object) -> str:
    # JSON keeps the parts apart: ("a", "bc") and ("ab", "c") get different ids.
    return f"{what}_{sha256(json.dumps(key, ensure_ascii=False).encode()).hexdigest()[:16]}"
