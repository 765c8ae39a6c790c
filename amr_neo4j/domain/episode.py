"""Episodes: raw input of conversations (specification 004, section 1), and the receipts for them."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple, Self

from amr_neo4j.domain.fact import SPEAKER, FactChange, Triple
from amr_neo4j.domain.prompt_injection import suspected_injection
from amr_neo4j.domain.speakers import Speakers

# An error message shows at most this many characters of a content.
_CHARACTERS_SHOWN = 80
# An id or a name has at most this many characters, so that a key of three fits into the 8 KB of a Neo4j index entry.
LONGEST_NAME = 500
# In characters.
LONGEST_TURN = 1_000_000
# Surrogates. Reading with "surrogateescape" turns bytes that are not UTF-8 into them.
_NO_TEXT = re.compile("[\ud800-\udfff]")
DEFAULT_ACTOR = "user"
"""The actor of a turn that does not name one."""
EpisodeType = Literal["message", "text", "JSON"]


def unfit(text: str) -> str:
    """Return why a text cannot be stored; empty if it can."""
    if "\x00" in text:
        return "holds a NUL character"
    return "holds bytes that are no UTF-8 text" if _NO_TEXT.search(text) else ""


def fit(text: str) -> str:
    """Return the text. Raises ValueError if it cannot be stored."""
    if why := unfit(text):
        raise ValueError(why)
    return text


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC), in which "é" is one character, however it was typed."""
    return unicodedata.normalize("NFC", text)


def named(text: str) -> str:
    """Return the name of a group, user or person as it is stored.

    Accents are composed (NFC): "é" and "e" + accent are the same name.

    Raises ValueError if it cannot be stored.
    """
    return composed(fit(text))


def shown_text(content: str, shown: str) -> str:
    """Return the content with the caption of a shared picture: "Look [shows a dog]"."""
    return f"{content} [shows {shown}]" if shown else content


def spoken_text(actor: str, content: str, shown: str) -> str:
    """Return the shown content after the speaker's name: "Anna: Look [shows a dog]"."""
    return f"{actor}: {shown_text(content, shown)}"


def embedded_text(actor: str, content: str, shown: str) -> str:
    """Return the text of a turn that is embedded: its words, after the speaker's name if they have one.

    "user: " and "assistant: " are left out: the shorter a turn, the more of its vector they would be, so that
    "user: ok" would be near everything that is asked about the user.
    """
    is_named = Speakers().subject(actor, "") not in (SPEAKER, "")
    return spoken_text(actor, content, shown) if is_named else shown_text(content, shown)


class LastSaid(NamedTuple):
    """The last turn of a session: who said it, what, and its number in the session."""

    actor_id: str
    content: str
    turn: int


@dataclass(frozen=True)
class Session:
    """A conversation of one user. Raises ValueError: a part of its key is empty or too long."""

    group_id: str
    user_id: str
    session_id: str

    def __post_init__(self) -> None:
        for name in ("group_id", "user_id", "session_id"):
            value: str = getattr(self, name)
            why = "has no name" if not value.strip() else unfit(value)
            if len(value) > LONGEST_NAME:
                why = f"has more than {LONGEST_NAME} characters"
            if why:
                raise ValueError(f"the {name.removesuffix('_id')} {why}")


@dataclass(frozen=True)
class Episode:
    """A turn of a conversation, a text or a piece of JSON, exactly as it came in. It never changes.

    actor: who said it, as written.
    actor_id: the person_id made of that.
    turn: its position in the session, from 0; None to append it.
    turn_id: the source's own id of the turn.
    shown: a description of a picture that was shared in the turn.
    valid_at: when it was said, with a UTC offset.
    created_at: when memory learnt of it.
    vector_id: its number in the graph; -1 until it is stored.
    content_sha256: a hash of the turn as the source gave it, to recognise repeats.
    intake_id: a random id of the call that took the turn in. With it the receipt is right, whichever process commits
        it.
    accepted: when this machine took it in, in epoch seconds.
    continues: it is the second half of the turn before, which was cut in two, as voice input does. None: decided when
        it is committed, since the turn before may have come earlier.
    changes: the facts that it states or takes back.
    """

    session: Session
    episode_id: str
    type: EpisodeType
    actor: str
    actor_id: str
    content: str
    valid_at: datetime
    turn: int | None = None
    turn_id: str = ""
    shown: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    content_sha256: str = ""
    created_at: datetime | None = None
    vector_id: int = -1
    # Not compared: they say how the turn came in and what was read from it, not what was said.
    intake_id: str = field(default="", compare=False)
    accepted: float = field(default=0.0, compare=False)
    continues: bool | None = field(default=None, compare=False)
    changes: tuple[FactChange, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.valid_at.tzinfo is None:
            raise ValueError("the time it was said needs an offset from UTC")

    @property
    def text(self) -> str:
        """The content with picture captions, for people and for the full-text index."""
        return shown_text(self.content, self.shown)

    @property
    def suspected_injection(self) -> bool:
        """Whether its words read like an instruction to a language model."""
        return suspected_injection(self.text)

    @property
    def embedded(self) -> str:
        """The text that is embedded: see `embedded_text`."""
        return embedded_text(self.actor, self.content, self.shown)

    def conflict(self, there: Episode) -> str:
        """Return the error message for an id that is in use, with both contents."""
        return self.conflict_with(there.session.session_id, there.content)

    def conflict_with(self, session_id: str, content: str) -> str:
        """Return the same as `conflict`, given the other episode's session and content."""
        here = self.session.session_id
        stored = f"episode {self.episode_id} is stored with other content: “{_short(content)}”"
        return f"{stored} in session {session_id}, “{_short(self.content)}” here in session {here}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CHARACTERS_SHOWN else f"{line[:_CHARACTERS_SHOWN]}…"


def content_hash(said: Mapping[str, Any]) -> str:
    """Return a hash of a turn as its source gave it. Keys with an empty value do not count."""
    # So a source that starts to send "shown": "" repeats the turns that it sent without the key.
    given = {name: value for name, value in said.items() if value not in (None, "", {}, [])}
    return hashlib.sha256(json.dumps(given, sort_keys=True, ensure_ascii=False, default=str).encode()).hexdigest()


def turn_episode_id(session_id: str, turn: int) -> str:
    """Return the episode id of a turn whose source gives none (specification 004, 1.d)."""
    return f"ep_turn_{session_id}_{turn}"


def forgotten_key(user_id: str, session_id: str | None = None, episode_id: str | None = None) -> str:
    """Return the key under which it is noted that a user, one of their sessions or a turn was forgotten: a hash.

    A turn is named without its session, since its id is unique among those of the user.
    """
    return _hashed(user_id, session_id or "", episode_id or "")


def forgotten_fact_key(user_id: str, subject: str, relation: str = "", object: str = "") -> str:
    """Return the key under which it is noted that facts of a user were forgotten. relation, object: "" for any."""
    return _hashed(user_id, "", "", subject, relation, object)


def forgotten_footage_key(group_id: str) -> str:
    """Return the key under which it is noted that footage of a group was forgotten, of whatever film or person."""
    return _hashed("", "", "", group_id, "footage")


def forgotten_group_key(group_id: str) -> str:
    """Return the key by which the graph notes that a group was forgotten.

    It is a hash, because the name is forgotten too.
    """
    return _hashed("", "", "", group_id)


def _hashed(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


EpisodeOutcome = Literal["committed", "accepted", "unchanged", "rejected"]


@dataclass(frozen=True)
class EpisodeReceipt:
    """What became of one episode.

    outcome: `accepted` means that it is in this machine's spool, and is committed once the database can be reached.
    turn: its position in the session, once it is in the graph.
    error: why it was rejected.
    is_forgotten: it was rejected because it was forgotten after it was taken in.
    """

    session_id: str
    episode_id: str
    outcome: EpisodeOutcome
    turn: int | None = None
    error: str = ""
    is_forgotten: bool = False


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A turn of a session that is opened again.

    is_recalled: False if its speaker asked memory to forget it.
    hinted: the facts and quoted turns that were hints for it, best first.
    """

    episode_id: str
    actor: str
    text: str
    is_recalled: bool = True
    hinted: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn of the user as a live conversation quotes it.

    said: in epoch seconds.
    states: its facts.
    """

    episode_id: str
    text: str
    said: float
    states: tuple[Triple, ...] = ()


@dataclass(frozen=True)
class Accepted:
    """The result of putting an episode into the spool.

    number: its place in the queue.
    is_new: whether it was not in the queue before.
    other: a queued episode with the same id and other content. If there is one, the new episode is not kept.
    """

    number: int
    is_new: bool = False
    other: Episode | None = None


@dataclass
class ChatReport:
    """What became of the episodes of one call. Each is counted once.

    episodes: the ids of all of them.
    errors: why some were rejected.
    """

    committed: int = 0
    accepted: int = 0
    unchanged: int = 0
    rejected: int = 0
    episodes: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    def add(self, receipts: Iterable[EpisodeReceipt]) -> None:
        """Count the receipts."""
        for receipt in receipts:
            setattr(self, receipt.outcome, getattr(self, receipt.outcome) + 1)
            self.episodes.append(receipt.episode_id)
            if receipt.error:
                self.errors.append(receipt.error)

    def add_all(self, other: ChatReport) -> None:
        """Add the counts of another report."""
        for name in ("committed", "accepted", "unchanged", "rejected"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.episodes += other.episodes
        self.errors += other.errors


@dataclass(frozen=True)
class Counts:
    """A dataclass with only numbers."""

    @classmethod
    def of(cls, counts: Counter[str]) -> Self:
        """Return those of the counts that have the name of a field."""
        return cls(**{f.name: counts[f.name] for f in fields(cls)})

    def and_also(self, *others: Self) -> Self:
        """Return the sum of all."""
        all_of = (self, *others)
        return replace(self, **{f.name: sum(getattr(each, f.name) for each in all_of) for f in fields(self)})


@dataclass(frozen=True)
class Forgotten(Counts):
    """How much was removed.

    mentions, relations, vectors, facts: how many of these the removed episodes had.
    sessions: how many became empty.
    waiting: how many turns were still in the spool.
    """

    episodes: int = 0
    mentions: int = 0
    relations: int = 0
    sessions: int = 0
    vectors: int = 0
    facts: int = 0
    waiting: int = 0
