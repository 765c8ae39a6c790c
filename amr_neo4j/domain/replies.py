"""The shapes of the JSON replies that prompts ask chat models for. Strict: no unknown keys, no 1.7 for an integer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from amr_neo4j import tables
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.domain.written_numbers import Share, written_number

# Limits of the numbers in a reply: _Number refers to something that the prompt numbered, from 1.
# _Seconds must be a time that the graph can store.
_Number = Annotated[int, Field(ge=1, le=1_000_000)]
_Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
# A type of one or a few words: PERSON, ALSO_KNOWN_AS, "works at".
_TYPE = r"^[A-Za-z][A-Za-z _-]{0,39}$"


class Reply(BaseModel):
    """One JSON object. A number in quotes is refused, and so is an unknown key."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def letters_of(name: str) -> str:
    """Return the letters and digits of a name in lower case: "questiontype" for "Question_Type"."""
    return re.sub(r"[\W_]+", "", name.casefold())


class _StatedConfidence(tables.Table):
    """stated_confidence.yaml."""

    values: dict[float, frozenset[str]]


@cache
def _confidence_words() -> dict[str, float]:
    table = tables.load("amr_neo4j.domain", "stated_confidence.yaml", _StatedConfidence)
    return {word: value for value, words in table.values.items() for word in words}


_IN_WORDS = BeforeValidator(
    lambda value: (
        _confidence_words().get(_plain(value).removesuffix("_confidence"), value) if isinstance(value, str) else value
    )
)


def _plain(value: str) -> str:
    return re.sub(r"[\W_]+", "_", value.casefold()).strip("_")


def _one_of(*names: str) -> BeforeValidator:
    """Take one of these names in any case, and with spaces, hyphens or nothing for its underscores."""
    by_letters = {letters_of(name): name for name in names}
    return BeforeValidator(
        lambda value: by_letters.get(letters_of(value), value) if isinstance(value, str) else value
    )


# How a fact's relation is written: works_at.
_Relation = Annotated[
    str,
    Field(pattern=r"^[a-z][a-z_]{0,39}$"),
    BeforeValidator(lambda value: _plain(value) if isinstance(value, str) else value),
]


_TYPE_KEY = re.compile(r"type|category|kind|typ|art|fragetyp|tipo|catégorie|categoria", re.IGNORECASE)


class TypedQuestion(Reply):
    """What a question is after and what it names, in its own words (prompt: typing).

    time_start, time_end: seconds of the video, where the question names a moment or a span of it.
    when: any other words of time ("on Monday", "yesterday evening").
    """

    question_type: Annotated[QuestionType, _one_of(*QuestionType)]
    persons: list[str] = Field(default_factory=list[str])
    objects: list[str] = Field(default_factory=list[str])
    videos: list[str] = Field(default_factory=list[str])
    time_start: _Seconds | None = None
    time_end: _Seconds | None = None
    when: str = ""
    reason: str = ""

    @model_validator(mode="before")
    @classmethod
    def _with_known_keys(cls, reply: Any) -> Any:
        return _with_key(reply, "question_type", _TYPE_KEY)


class TranscribedTurn(Reply):
    """A sentence. time_start, time_end: seconds from the start of the sound."""

    speaker: str = Field(default="", max_length=500)
    words: str
    time_start: _Seconds
    time_end: _Seconds


class Transcript(Reply):
    """What is said in a sound (prompt: transcribe)."""

    turns: list[TranscribedTurn]


_RELEVANCE_KEY = re.compile(
    r"(relevance|score|rating)(_?(score|rating))?|bewertung|relevanz|pertinence|puntuaci[oó]n|relevancia|punteggio|rilevanza",
    re.IGNORECASE,
)
# Also in the language of the question.
_GROUP_KEY = re.compile(r"(group_?)?(id|number|no|index)|gruppe|groupe|grupo|gruppo", re.IGNORECASE)


def _with_key(reply: Any, name: str, other: re.Pattern[str]) -> Any:
    """Return an object with this key, if it has a single other one that means the same."""
    if not isinstance(reply, dict):
        return reply
    given = cast(dict[str, Any], reply)
    if name in given:
        return given
    found = [key for key in given if other.fullmatch(key)]
    if len(found) != 1:
        return given
    # In the order of the reply: the key stays where it was.
    return {name if key == found[0] else key: value for key, value in given.items()}


class GroupScore(Reply):
    """How relevant one group is. group: its number in the prompt, from 1."""

    group: _Number
    score: float = Field(ge=0, le=1, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _with_known_keys(cls, reply: Any) -> Any:
        return _with_key(_with_key(reply, "score", _RELEVANCE_KEY), "group", _GROUP_KEY)


class Relevance(Reply):
    """A score for each group (prompt: relevance).

    If one is above 10, all are per cent; if one is above 1 and all are whole numbers, all are tenths.
    """

    scores: list[GroupScore]

    @model_validator(mode="before")
    @classmethod
    def _under_its_key(cls, reply: Any) -> Any:
        """Take {"1": 0.9, "2": 0.1} for the scores themselves."""
        return {"scores": reply} if _by_group(reply) else reply

    @field_validator("scores", mode="before")
    @classmethod
    def _from_0_to_1(cls, scores: Any) -> Any:
        items = _numbered(scores)
        given = [item["score"] for item in items or () if _is_number(item.get("score"))]
        plain = [score for score in given if not isinstance(score, Share)]
        # Without all scores their scale is unknown. What is wrong with the others is reported by the fields.
        if items is None or len(given) < len(items) or max(plain, default=0) <= 1:
            return scores if items is None else items
        if max(plain) <= 10 and not all(float(score).is_integer() for score in plain):
            raise ValueError("each score should be less than or equal to 1")
        scale = 100 if max(plain) > 10 else 10
        return [
            item | {"score": item["score"] / (1 if isinstance(item["score"], Share) else scale)} for item in items
        ]


def _numbered(scores: Any) -> list[dict[str, Any]] | None:
    """Return [{"group": 1, "score": 0.9}] also for {"1": 0.9}, and for [0.9], the scores of the groups in order.

    Scores that are written as text become numbers. None for anything else.
    """
    if (by_group := _by_group(scores)) is not None:
        items = [
            {"group": group, **(cast(Any, score) if isinstance(score, dict) else {"score": score})}
            for group, score in by_group.items()
        ]
    elif not isinstance(scores, list):
        return None
    else:
        given = cast(list[Any], scores)
        in_order = all(_is_number(_score(each)) for each in given)
        items = [{"group": n, "score": each} for n, each in enumerate(given, 1)] if in_order else given
        if not all(isinstance(item, dict) for item in items):
            return None
    items = [_with_key(item, "score", _RELEVANCE_KEY) for item in items]
    return [item | {"score": _score(item["score"])} if "score" in item else item for item in items]


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that a score may be; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e6


# "0.9 (it names the keys)", "0.9 - relevant"
_EXPLAINED = re.compile(r"\s+(?:[(–—]|-\s)(?!\s*(?:\d|out of|of|von|sur|de|di|su|/)).*$", re.DOTALL)
_WITH_COMMA = re.compile(r"(\d+),(\d+)")  # a score of "1,000" is one


def _score(value: Any) -> Any:
    """Return the number that a text stands for, with an explanation or without; other values as they are."""
    if not isinstance(value, str):
        return value
    number = written_number(_WITH_COMMA.sub(r"\1.\2", _EXPLAINED.sub("", value)))
    if number is None:
        return value
    return float(number) if type(number) is int else number


_GROUP_NUMBER = re.compile(r"(?:group|gruppe|groupe|grupo|gruppo)?[ _#]*(\d+)", re.IGNORECASE)


def _by_group(scores: Any) -> dict[int, Any] | None:
    """Return {number of a group: score} of an object whose keys are "1", "Group 1" or "Gruppe 1"; None for others."""
    if not isinstance(scores, dict):
        return None
    given = cast(dict[str, Any], scores)
    named = {key: _GROUP_NUMBER.fullmatch(key.strip()) for key in given}
    return {int(found[1]): given[key] for key, found in named.items() if found} if all(named.values()) else None


# Keys that models write beside or in place of those of the prompt.
_CLAIM_KEY = re.compile(r"text|claim|statement|sentence|answer", re.IGNORECASE)
_ID_KEY = re.compile(
    r"((supporting|source|cited)_?)?events?|((supporting|source|cited|evidence)_?)?(event_?)?ids?", re.IGNORECASE
)
_SOURCE_KEY = re.compile(
    r"citations?|cited|sources?|(supporting_?)?evidence|references?|refs?|quellen?|belege?|preuves?|fuentes?|pruebas?"
    r"|evidencias?|font[ei]|prov[ae]",
    re.IGNORECASE,
)
_TURN_KEY = re.compile(r"((supporting|source|cited)_?)?turns?", re.IGNORECASE)
_FROM_TO = re.compile(r"#?\d+\s*[-–]\s*#?\d+")
# Keys of a reply that say where a turn was spoken. They may come with its number.
_SPOKEN_IN_KEY = re.compile(r"session(_?id)?|speaker|actor", re.IGNORECASE)


class AnswerClaim(Reply):
    """A claim of an answer (prompt: answer). events: the citations of what it rests on, as the context has them.

    Citations under several keys ("events" and "sources") count together.
    """

    text: str
    events: list[str] = Field(default_factory=list[str])

    @model_validator(mode="before")
    @classmethod
    def _with_known_keys(cls, claim: Any) -> Any:
        if not isinstance(claim, dict):
            return claim
        given = cast(dict[str, Any], claim)
        texts = [key for key in given if _CLAIM_KEY.fullmatch(key)]
        read = [*texts, *(key for key in given if _cites(key) or _SPOKEN_IN_KEY.fullmatch(key))]
        others = {key: value for key, value in given.items() if key not in read}
        cited = list(dict.fromkeys(_cited("", given)))
        if texts:
            others["text"] = given.get("text", given[texts[0]])
        return others | {"events": cited}


def _cites(key: str) -> bool:
    return any(known.fullmatch(key) for known in (_ID_KEY, _SOURCE_KEY, _TURN_KEY))


def _cited(key: str, value: Any) -> Iterator[str]:
    """Yield the citations of a key's value: "event 61", 61, ["event 61"], [{"event": 61, "video": "home"}], and for
    a turn {"turn": 4, "session": "session_2"}. A claim is such an object too.

    A number alone counts only under a key for events or ids: under "sources" it may be their count.
    """
    if isinstance(value, dict):
        named = cast(dict[str, Any], value)
        spoken_in = [str(held) for inner, held in named.items() if _SPOKEN_IN_KEY.fullmatch(inner) and held]
        for inner, held in named.items():
            for each in _cited(inner, held) if _cites(inner) else ():
                yield ", ".join([each, *spoken_in]) if each.casefold().startswith("turn") else each
    elif isinstance(value, list):
        yield from (each for inner in cast(list[Any], value) for each in _cited(key, inner))
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        said = str(int(value) if isinstance(value, float) and value.is_integer() else value)
        if _TURN_KEY.fullmatch(key) and re.match(r"\s*#?\d", said):
            yield f"turns {said.strip()}"
        elif _ID_KEY.fullmatch(key) and _FROM_TO.fullmatch(said.strip()):
            yield f"events {said.strip()}"
        elif _ID_KEY.fullmatch(key) or not said.strip().isdecimal():
            yield said


class AnswerReply(Reply):
    """An answer, or that the context holds none (prompt: answer)."""

    claims: list[AnswerClaim] = Field(default_factory=list[AnswerClaim])
    answerable: bool = True

    @field_validator("claims", mode="before")
    @classmethod
    def _in_order(cls, claims: Any) -> Any:
        """Take {"1": {...}, "2": {...}} for the claims in order."""
        if not isinstance(claims, dict):
            return claims
        numbered = cast(dict[str, Any], claims)
        if not numbered or not all(map(str.isdecimal, numbered)):
            return cast(Any, claims)
        given = [numbered[key] for key in sorted(numbered, key=int)]
        return [{"text": claim} if isinstance(claim, str) else claim for claim in given if claim]


class PlaceOf(Reply):
    """Where one thing is. number: in the prompt, from 1."""

    number: _Number
    spatial_description: str = Field(max_length=500)


class Places(Reply):
    """Where things are that an analysis left without a place (prompt: places)."""

    places: list[PlaceOf]


class MergedSummary(Reply):
    """What several events tell together (prompt: merged)."""

    summary: str = Field(min_length=1, max_length=1000, pattern=r"\S")


class SceneSummary(MergedSummary):
    """What some minutes of a video are about (prompt: scene)."""


class NamedThing(Reply):
    """Words of the last turn that name something (prompt: mentions). type: one word, such as PERSON."""

    text: str = Field(min_length=1, max_length=200)
    type: str = Field(pattern=_TYPE)


_LISTED_MENTION = re.compile(r"turn (\d{1,9})[:,] (.+?)(?: \([A-Za-z_ -]+\))?", re.IGNORECASE)


class Pointer(Reply):
    """A mention of the window: the number of its turn, and its words.

    Words alone have no turn. They point at the only turn that mentions them. "turn 0: Anna (PERSON)" is read as well.
    """

    turn: int | None = Field(ge=0, le=1_000_000_000)
    text: str

    @model_validator(mode="before")
    @classmethod
    def _of_words(cls, reply: Any) -> Any:
        if not isinstance(reply, str):
            return reply
        # As the prompt lists what earlier turns mention.
        listed = _LISTED_MENTION.fullmatch(reply.strip())
        return {"turn": int(listed[1]), "text": listed[2]} if listed else {"turn": None, "text": reply}


class Statement(Reply):
    """What the last turn states of two mentions (prompt: mentions)."""

    type: str = Field(pattern=_TYPE)
    source: Pointer
    target: Pointer
    description: str = Field("", max_length=500)
    confidence: Annotated[float, _IN_WORDS] = Field(ge=0, le=1, allow_inf_nan=False)


class Statements(Reply):
    """What the last turn mentions and states (prompt: mentions)."""

    mentions: list[NamedThing]
    relations: list[Statement]


class ShortId(Reply):
    """The id of one person of the clip (prompt: persons). ingest/identify.py decides what to do with the id."""

    local_character_id: str
    person_id: str = Field(min_length=1, max_length=60)


class ShortIds(Reply):
    """An id for each person that was asked about (prompt: persons)."""

    persons: list[ShortId]


class RefinedAction(Reply):
    """Who did what to which thing, where (prompt: actions). actor: as in the prompt."""

    actor: str
    verb: str = Field(min_length=1, max_length=200)
    object: str = Field(default="", max_length=500)
    spatial_relation: str = ""


class ActionsOfEvent(Reply):
    """All the actions of one event. event: its number in the prompt."""

    event: _Number
    actions: list[RefinedAction]


class RefinedActions(Reply):
    """The actions of the events that were asked about (prompt: actions)."""

    events: list[ActionsOfEvent]


class EventSummary(Reply):
    """event: its number in the prompt.

    persons: the names and roles of people who are mentioned and do not act.
    """

    event: _Number
    summary: str = Field(min_length=1)
    persons: list[str] = Field(default_factory=list[str])


class Summaries(Reply):
    """A summary of each event (prompt: summary)."""

    summaries: list[EventSummary]


_START_KEY = re.compile(r"(time_?)?(start|begin|from)(_?(time|seconds?|sec))?", re.IGNORECASE)
_END_KEY = re.compile(r"(time_?)?(end|to|until)(_?(time|seconds?|sec))?", re.IGNORECASE)


class PathReply(Reply):
    """A stretch of the video that a model wants to see; seconds of the video, not checked yet (prompt: explore).

    score: how promising it is, 0 to 1; 0 if the model gives no order.
    """

    id: str = ""
    strategy: str = ""
    start_s: float
    end_s: float
    score: float = 0.0

    @model_validator(mode="before")
    @classmethod
    def _with_known_keys(cls, reply: Any) -> Any:
        return _with_key(_with_key(reply, "start_s", _START_KEY), "end_s", _END_KEY)


_DECISION_KEY = re.compile(r"(next_?)?(action|step)", re.IGNORECASE)
_PATHS_KEY = re.compile(r"((next|new|sub)_?)?paths", re.IGNORECASE)
_DIRECT_ANSWER_KEY = re.compile(r"(final_?)?answer|response|antwort|réponse|respuesta|risposta", re.IGNORECASE)


class PathDecision(Reply):
    """What a model decides at a path, or before the first one (prompt: explore, specification 003)."""

    decision: Annotated[
        Literal["answer", "expand", "terminate", "discard"], _one_of("answer", "expand", "terminate", "discard")
    ]
    rationale: str = ""
    proposed_paths: list[PathReply] = Field(default_factory=list[PathReply])
    direct_answer: str = ""
    confidence: Annotated[float | None, _IN_WORDS] = None

    @model_validator(mode="before")
    @classmethod
    def _with_known_keys(cls, reply: Any) -> Any:
        reply = _with_key(_with_key(reply, "decision", _DECISION_KEY), "proposed_paths", _PATHS_KEY)
        renamed = _with_key(reply, "direct_answer", _DIRECT_ANSWER_KEY)
        if not isinstance(renamed, dict):
            return reply
        # What is no text is left as it stands, for repair to drop: it knows the keys that were written.
        given = cast(dict[str, Any], renamed)
        return given if isinstance(given.get("direct_answer"), str) else reply


class Verdict(Reply):
    """How the facts of one cluster relate to each other (prompt: facts_alike).

    cluster: its number in the prompt, from 1.
    stands: if facts contradict each other, the number of the one that holds; None if that is unknown.
    """

    cluster: _Number
    decision: Annotated[
        Literal["MERGE", "KEEP_BOTH", "CONTRADICTION"], _one_of("MERGE", "KEEP_BOTH", "CONTRADICTION")
    ]
    stands: _Number | None = None


class Verdicts(Reply):
    """A decision for each cluster (prompt: facts_alike)."""

    decisions: list[Verdict]


class TopicFact(Reply):
    """A fact of the person who speaks (prompt: facts_of_topics).

    turns: numbers of the turns that support it.
    """

    turns: list[_Number] = Field(min_length=1, max_length=50)
    relation: _Relation
    object: str = Field(min_length=1, max_length=200, pattern=r"\S")
    text: str = Field(min_length=1, max_length=300, pattern=r"\S")


class TopicFacts(Reply):
    """What the turns of some topics state (prompt: facts_of_topics)."""

    facts: list[TopicFact]


class EventFact(Reply):
    """A fact that events show (prompt: facts_of_events). events: numbers of the events that support it."""

    events: list[_Number] = Field(min_length=2, max_length=50)
    subject: str = Field(min_length=1, max_length=100, pattern=r"\S")
    relation: _Relation
    object: str = Field(min_length=1, max_length=200, pattern=r"\S")
    text: str = Field(min_length=1, max_length=300, pattern=r"\S")


class EventFacts(Reply):
    """What the events of some topics show (prompt: facts_of_events)."""

    facts: list[EventFact]
