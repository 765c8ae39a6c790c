"""Parse a question: correct its spelling, find what it names, split it into clauses, type it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Question
from amr_neo4j.errors import InputError
from amr_neo4j.language.en.asking import asking_patterns, without_occurrence_number
from amr_neo4j.language.en.content import content_words
from amr_neo4j.language.en.naming import named_in
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.questions import type_question
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.model_parse import Typing
from amr_neo4j.recall.question.parsed import AnswerType, Order, ParsedQuestion
from amr_neo4j.recall.question.spelling import respellings, respelt
from amr_neo4j.recall.question.time_expressions import TimeSpan, time_span_in
from amr_neo4j.recall.question.vocabulary import Respelling

MAX_CHARACTERS = 2000
# How many objects "the mug" may name, where memory knows a red one and a blue one.
MOST_OF_A_KIND = 8


def cleaned(text: str) -> str:
    """The text in one line. Raises InputError: no word in it, or too long for a question."""
    text = " ".join(text.split())
    if not re.search(r"[^\W_]", text):
        raise InputError("an empty question", hint='ask in words, as in: amr ask "Where are the keys?"')
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"a question of {len(text):,} characters, where {MAX_CHARACTERS:,} is the most",
            hint="ask one thing at a time",
        )
    return text


def parse_question(
    text: str,
    names: Names,
    in_scope: Callable[[Names], Names] = lambda names: names,
    by_model: Callable[[str, Names], Typing | None] = lambda text, names: None,
) -> ParsedQuestion:
    """The question, parsed once: no later stage changes it.

    One exception: synonyms are looked for in the retrieved events, so the pipeline adds them after a first retrieval
    (ParsedQuestion.with_synonyms).

    names: the persons and objects that memory knows. in_scope: those of some names that the scope of the question
    knows. by_model: types the question (model_parse.type_by_model); rules do where it returns None. Raises
    InputError: no question.
    """
    text, corrections, names = _corrected(cleaned(text), names, in_scope)
    whole = _clause(text, names.persons, names.objects)
    typing = by_model(text, names) or Typing(type_question(text))
    persons = [*whole.persons, *typing.persons]
    parts = _parts_of(whole, names)
    return ParsedQuestion(
        Question(
            text,
            typing.type,
            _unique([*persons, *_aliases(persons, names)]),
            _unique([*whole.objects, *typing.objects]),
        ),
        parts.answer_type,
        parts.main,
        parts.order,
        parts.reference,
        until=parts.until,
        nth=parts.nth,
        span=parts.span or typing.span,
        respellings=corrections,
        videos=typing.videos,
    )


def _corrected(
    text: str, names: Names, in_scope: Callable[[Names], Names]
) -> tuple[str, tuple[Respelling, ...], Names]:
    """The text spelled as memory spells it, the corrections, and the names less those that the scope does not know.

    The scope is asked only about names that the text holds. A name that it does not know may have hidden another,
    or have been a correction, so the text is read again without it.
    """
    while True:
        corrections = respellings(text, names.persons, names.objects)
        respelled = respelt(text, corrections)
        whole = _clause(respelled, names.persons, names.objects)
        held = Names(frozenset(whole.persons), frozenset(whole.objects))
        unknown = held - in_scope(held) if held else held
        if not unknown:
            return respelled, tuple(corrections), names
        names -= unknown


@dataclass(frozen=True)
class _Parts:
    """What the parts of a question's text say; the fields are those of ParsedQuestion."""

    answer_type: AnswerType
    main: Clause
    order: Order | None
    nth: int
    span: TimeSpan | None
    reference: Clause | None = None
    until: Clause | None = None


def _parts_of(whole: Clause, names: Names) -> _Parts:
    timeless, span = time_span_in(whole.text)
    timeless, nth = without_occurrence_number(timeless)
    texts, order = _split(timeless)
    if span and texts.reference and not time_span_in(_split(whole.text)[0].main)[1]:
        span = None  # "after the bell rang on Tuesday" is no question about Tuesday alone

    def clause(text: str) -> Clause:
        found = whole if text == whole.text else _clause(text, whole.persons, whole.objects)
        return replace(found, aliases=_aliases(found.persons, names))

    main, reference, until = map(clause, texts)
    if not reference.words:
        return _Parts(_answer_type(whole.text), main if main.text else clause(whole.text), order, nth, span)
    return _Parts(
        _answer_type(texts.main),
        _resolved(main, reference),
        order,
        nth,
        span,
        _resolved(reference, main),
        (until if until.objects else _resolved(until, reference)) if until.words else None,
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


def _aliases(persons: Iterable[str], names: Names) -> tuple[str, ...]:
    return tuple(alias for person in persons for alias in names.same.get(person, ()))


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def _answer_type(text: str) -> AnswerType:
    patterns = asking_patterns().answer_types
    return next((AnswerType[name] for name, pattern in patterns.items() if pattern.search(text)), AnswerType.EVENT)


class _Texts(NamedTuple):
    """What is asked, the event that it counts from, and the event up to which; empty where there is none."""

    main: str
    reference: str = ""
    until: str = ""


def _split(text: str) -> tuple[_Texts, Order | None]:
    """The texts of the clauses, and the order that the question asks for."""
    patterns = asking_patterns()
    between = next((found for pattern in patterns.between if (found := pattern.search(text))), None)
    if between and all(content_words(between[end]) for end in ("reference", "until")):
        return _stripped(between["main"], between["reference"], between["until"]), Order.BETWEEN
    found = patterns.leading.match(text) or patterns.trailing.match(text)
    if found and content_words(found["reference"]):
        order = next(Order[name] for name, words in patterns.relations.items() if words.fullmatch(found["relation"]))
        if (
            order is Order.DURING
            and _answer_type(found["main"]) is AnswerType.MOMENT
            and not _clause(found["main"], (), ()).is_specific
        ):
            return _stripped(found["reference"]), None  # "what time was it when the bell rang"
        return _stripped(found["main"], found["reference"]), order
    order = next((Order[name] for name, words in patterns.ends.items() if words.search(text)), None)
    return _stripped(patterns.lead.sub("", text)), order


def _stripped(main: str, reference: str = "", until: str = "") -> _Texts:
    return _Texts(main.strip(), reference.strip(" ?!."), until.strip(" ?!."))


def _resolved(clause: Clause, other: Clause) -> Clause:
    """A clause with a pronoun is also about what the other names ("the keys ... before Anna took them").

    "Did it again" also repeats the action of the other.
    """
    patterns = asking_patterns()
    if not patterns.pronouns.search(clause.text):
        return clause
    meant = other.specific_words if patterns.same_action.search(clause.text) else other.names
    added = [word for word in meant if word not in clause.words]
    return replace(
        clause,
        text=" ".join([clause.text, *(word.word for word in added)]),
        words=(*clause.words, *added),
        persons=clause.persons or other.persons,
        objects=clause.objects or other.objects,
        aliases=clause.aliases if clause.persons else other.aliases,
    )
