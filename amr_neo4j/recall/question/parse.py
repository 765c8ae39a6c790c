"""Read a question by rules: its type, what it names, what answer it wants and at which end of time."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache

from amr_neo4j.domain.recall import Question
from amr_neo4j.errors import InputError
from amr_neo4j.language.en.content import content_words
from amr_neo4j.language.en.naming import named_in
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.questions import type_question
from amr_neo4j.recall.question.parsed import AnswerType, Clause, Order, ParsedQuestion
from amr_neo4j.recall.question.spelling import respellings, respelt
from amr_neo4j.recall.question.time_expressions import span_in
from amr_neo4j.tables import Table, load

MAX_CHARACTERS = 2000
# How many objects "the mug" stands for, where memory knows a red one and a blue one.
MOST_OF_A_KIND = 8


def cleaned(text: str) -> str:
    """The text in one line. Raises InputError: nothing in it to look for, or too much to be a question."""
    text = " ".join(text.split())
    if not re.search(r"[^\W_]", text):
        raise InputError("an empty question", hint='ask in words, as in: amr ask "Where are the keys?"')
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"a question of {len(text):,} characters, where {MAX_CHARACTERS:,} is the most",
            hint="ask one thing at a time",
        )
    return text


def classify(text: str, persons: Collection[str], objects: Collection[str]) -> ParsedQuestion:
    """What a question asks. persons, objects: the identities that memory knows. Raises InputError."""
    text = cleaned(text)
    slips = respellings(text, persons, objects)
    parsed = _read(respelt(text, slips), persons, objects)
    return replace(parsed, respellings=tuple(slips))


def _read(text: str, persons: Collection[str], objects: Collection[str]) -> ParsedQuestion:
    whole = _clause(text, persons, objects)
    question = Question(text, type_question(text), whole.persons, whole.objects)
    timeless, span = span_in(text)
    timeless, nth = _nth(timeless)
    parts = _parts(timeless)
    if span and parts.texts[1] and not span_in(_parts(text).texts[0])[1]:
        span = None  # "after the bell rang on Tuesday" is no question about Tuesday alone
    main, reference, until = (
        whole if part == text else _clause(part, whole.persons, whole.objects) for part in parts.texts
    )
    if not reference.words:
        return ParsedQuestion(
            question, _answer_type(text), main if main.text else whole, parts.order, nth=nth, span=span
        )
    return ParsedQuestion(
        question,
        _answer_type(parts.texts[0]),
        _resolved(main, reference),
        parts.order,
        _resolved(reference, main),
        until=(until if until.objects else _resolved(until, reference)) if until.words else None,
        nth=nth,
        span=span,
    )


def _clause(text: str, persons: Collection[str], objects: Collection[str]) -> Clause:
    if not text:
        return Clause(text)
    named = named_in(text, persons, objects)
    known = {form for name in named.objects for form in name.split()}
    # "The clip" is vague, unless memory knows one.
    words = tuple(replace(word, vague=word.vague and word.forms.isdisjoint(known)) for word in content_words(text))
    kinds = {object_key(word.word) for word in words if word.names and word.forms.isdisjoint(known)}
    of_kind = sorted(name for name in objects if " " in name and name.split()[-1] in kinds)
    return Clause(text, words, named.persons, (*named.objects, *of_kind[:MOST_OF_A_KIND]))


def _answer_type(text: str) -> AnswerType:
    return next(
        (answer_type for answer_type, pattern in _asking().aims.items() if pattern.search(text)), AnswerType.EVENT
    )


@dataclass(frozen=True)
class _Parts:
    """What is asked, the event that this counts from, and the one up to which; empty where there is none."""

    texts: tuple[str, str, str]
    order: Order | None


def _parts(text: str) -> _Parts:
    asking = _asking()
    between = next((found for pattern in asking.between if (found := pattern.search(text))), None)
    if between and all(content_words(between[end]) for end in ("reference", "until")):
        return _Parts(_stripped(between["main"], between["reference"], between["until"]), Order.BETWEEN)
    found = asking.leading.match(text) or asking.trailing.match(text)
    if found and content_words(found["reference"]):
        order = next(order for order, words in asking.relations.items() if words.fullmatch(found["relation"]))
        if (
            order is Order.DURING
            and _answer_type(found["main"]) is AnswerType.MOMENT
            and not _clause(found["main"], (), ()).tells
        ):
            return _Parts(_stripped(found["reference"], "", ""), None)  # "what time was it when the bell rang"
        return _Parts(_stripped(found["main"], found["reference"], ""), order)
    order = next((order for order, words in asking.ends.items() if words.search(text)), None)
    return _Parts(_stripped(asking.lead.sub("", text), "", ""), order)


def _stripped(main: str, reference: str, until: str) -> tuple[str, str, str]:
    return main.strip(), reference.strip(" ?!."), until.strip(" ?!.")


def _nth(text: str) -> tuple[str, int]:
    """The text without the words for which of several times is meant, and its number; 0 where none is."""
    found = _asking().nth.search(text)
    if not found:
        return text, 0
    named = found["nth"].casefold()
    digits = re.match(r"\d+", named)
    number = int(digits[0]) if digits else _asking().numerals[named]
    return " ".join((text[: found.start()] + text[found.end() :]).split()), number


def _resolved(clause: Clause, other: Clause) -> Clause:
    """A clause with a pronoun is also about what the other names ("the keys ... before Anna took them").

    One that says "did it again" is about what the other says was done, too.
    """
    if not _asking().pronouns.search(clause.text):
        return clause
    meant = other.telling if _asking().same_deed.search(clause.text) else other.names
    added = [word for word in meant if word not in clause.words]
    return replace(
        clause,
        text=" ".join([clause.text, *(word.word for word in added)]),
        words=(*clause.words, *added),
        persons=clause.persons or other.persons,
        objects=clause.objects or other.objects,
    )


class AskingTable(Table):
    """asking.yaml, whose head says what its keys mean."""

    aims: dict[str, str]
    relations: dict[str, str]
    nearness: str
    between: tuple[str, ...]
    nth: str
    numerals: dict[str, int]
    lead: str
    ends: dict[str, str]
    same_deed: str
    pronouns: str


@dataclass(frozen=True)
class _Asking:
    aims: dict[AnswerType, re.Pattern[str]]
    relations: dict[Order, re.Pattern[str]]
    ends: dict[Order, re.Pattern[str]]
    between: tuple[re.Pattern[str], ...]
    nth: re.Pattern[str]
    numerals: dict[str, int]
    lead: re.Pattern[str]
    same_deed: re.Pattern[str]
    pronouns: re.Pattern[str]
    leading: re.Pattern[str]
    trailing: re.Pattern[str]


@cache
def _asking() -> _Asking:
    table = load("amr_neo4j.language.en", "asking.yaml", AskingTable)
    relation = f"(?P<relation>{'|'.join(table.relations.values())})"
    return _Asking(
        aims={AnswerType[name]: _pattern(words) for name, words in table.aims.items()},
        relations={Order[name]: _pattern(words) for name, words in table.relations.items()},
        ends={Order[name]: _pattern(words) for name, words in table.ends.items()},
        between=tuple(map(_pattern, table.between)),
        nth=_pattern(table.nth.replace("{nth}", "|".join([*table.numerals, r"\d+(st|nd|rd|th)"]))),
        numerals=table.numerals,
        lead=_pattern(table.lead),
        same_deed=_pattern(table.same_deed),
        pronouns=_pattern(table.pronouns),
        leading=_pattern(rf"{relation}\s(?P<reference>[^,]+),\s*(?P<main>.+)$"),
        trailing=_pattern(rf"(?P<main>.+?)(\b({table.nearness}) )?\b{relation}\s(?P<reference>.*\w.*)$"),
    )


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace(" |", "|"), re.IGNORECASE)
