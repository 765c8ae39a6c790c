"""Parse a question: correct its spelling, find what it names, split it into clauses, type it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Question, QuestionType
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import AnswerType, Order, ParsedQuestion
from amr_neo4j.recall.question.spelling import respellings, respelt
from amr_neo4j.recall.question.split import answer_type_of, make_clause, resolved, split
from amr_neo4j.recall.question.time_expressions import TimeSpan, time_span_in
from amr_neo4j.recall.question.vocabulary import Respelling

MAX_CHARACTERS = 2000


@dataclass(frozen=True)
class Typing:
    """The type of a question, and what a model found named in it beside what the rules find."""

    type: QuestionType
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    videos: tuple[str, ...] = ()
    span: TimeSpan | None = None


def cleaned(text: str) -> str:
    """The text in one line. Raises InputError: no word in it, or too long for a question."""
    text = " ".join(text.split())
    if not re.search(r"[^\W_]", text):
        raise InputError("the question is empty", hint='write it in words, like: amr ask "Where are the keys?"')
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"a question of {len(text):,} characters, where {MAX_CHARACTERS:,} is the most",
            hint="ask one thing at a time",
        )
    return text


def parse_question(
    text: str,
    names: Names,
    language: Language,
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
    full, corrections, names = _corrected(cleaned(text), names, language, in_scope)
    typing = by_model(full.text, names) or Typing(language.type_question(full.text))
    persons = [*full.persons, *typing.persons]
    parts = _parts_of(full, names)
    return ParsedQuestion(
        Question(
            full.text,
            typing.type,
            _unique([*persons, *_aliases(persons, names)]),
            _unique([*full.objects, *typing.objects]),
        ),
        parts.answer_type,
        replace(full, aliases=_aliases(full.persons, names)),
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
    text: str, names: Names, language: Language, in_scope: Callable[[Names], Names]
) -> tuple[Clause, tuple[Respelling, ...], Names]:
    """The text as a clause, spelled as memory spells it; the corrections; the names less those out of scope.

    The scope is asked only about names that the text holds. A name that it does not know may have hidden another,
    or have been a correction, so the text is read again without it.
    """
    while True:
        corrections = respellings(text, names.persons, names.objects, language)
        full = make_clause(respelt(text, corrections), names.persons, names.objects, language)
        held = Names(frozenset(full.persons), frozenset(full.objects))
        unknown = held - in_scope(held) if held else held
        if not unknown:
            return full, tuple(corrections), names
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


def _parts_of(full: Clause, names: Names) -> _Parts:
    language = full.language
    patterns, times = language.asking, language.time_expressions
    timeless, span = time_span_in(full.text, times)
    timeless, nth = patterns.without_occurrence_number(timeless)
    texts, order = split(timeless, language)
    if span and not span.part and texts.reference and not time_span_in(split(full.text, language)[0].main, times)[1]:
        span = None  # "after the bell rang on Tuesday" is no question about Tuesday alone

    def clause(text: str) -> Clause:
        found = full if text == full.text else make_clause(text, full.persons, full.objects, language)
        return replace(found, aliases=_aliases(found.persons, names))

    main, reference, until = map(clause, texts)
    if not reference.words:
        main = main if main.text else clause(full.text)
        return _Parts(answer_type_of(full.text, patterns), main, order, nth, span)
    return _Parts(
        answer_type_of(texts.main, patterns),
        resolved(main, reference),
        order,
        nth,
        span,
        resolved(reference, main),
        (until if until.objects else resolved(until, reference)) if until.words else None,
    )


def _aliases(persons: Iterable[str], names: Names) -> tuple[str, ...]:
    return tuple(alias for person in persons for alias in names.same.get(person, ()))


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
