"""Split the text of a question into clauses: what is asked, and the events that time is counted from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from amr_neo4j.language.languages import Language
from amr_neo4j.language.questions import AskingPatterns
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import AnswerType, Order

# How many objects "the mug" may name, where memory knows a red one and a blue one.
MOST_OF_A_KIND = 8


def make_clause(text: str, persons: Collection[str], objects: Collection[str], language: Language) -> Clause:
    """A text as a clause. persons, objects: the identities that it may name."""
    if not text:
        return Clause(text, language=language)
    named = language.named_in(text, persons, objects)
    known = {form for name in named.objects for form in name.split()}
    # "The clip" is vague, unless memory knows one.
    words = tuple(
        replace(word, vague=word.vague and word.forms.isdisjoint(known)) for word in language.content_words(text)
    )
    kinds = {language.object_key(word.word) for word in words if word.names and word.forms.isdisjoint(known)}
    of_kind = sorted(name for name in objects if " " in name and name.split()[-1] in kinds)
    things = (*named.objects, *of_kind[:MOST_OF_A_KIND])
    return Clause(text, words, named.persons, things, language=language)


def answer_type_of(text: str, patterns: AskingPatterns) -> AnswerType:
    """The type of the answer that a text asks for."""
    types = patterns.answer_types
    return next((AnswerType[name] for name, pattern in types.items() if pattern.search(text)), AnswerType.EVENT)


class ClauseTexts(NamedTuple):
    """What is asked, the event that it counts from, and the event up to which; empty where there is none."""

    main: str
    reference: str = ""
    until: str = ""


def split(text: str, language: Language) -> tuple[ClauseTexts, Order | None]:
    """The texts of the clauses, and the order that the question asks for."""
    patterns, content_words = language.asking, language.content_words
    between = next((found for pattern in patterns.between if (found := pattern.search(text))), None)
    if between and all(content_words(between[end]) for end in ("reference", "until")):
        return _stripped(between["main"], between["reference"], between["until"]), Order.BETWEEN
    found = patterns.leading.match(text) or patterns.trailing.match(text)
    if found and content_words(found["reference"]):
        order = next(Order[name] for name, words in patterns.relations.items() if words.fullmatch(found["relation"]))
        if (
            order is Order.DURING
            and answer_type_of(found["main"], patterns) is AnswerType.MOMENT
            and not make_clause(found["main"], (), (), language).is_specific
        ):
            return _stripped(found["reference"]), None  # "what time was it when the bell rang"
        return _stripped(found["main"], found["reference"]), order
    order = next((Order[name] for name, words in patterns.ends.items() if words.search(text)), None)
    return _stripped(patterns.lead.sub("", text)), order


def _stripped(main: str, reference: str = "", until: str = "") -> ClauseTexts:
    return ClauseTexts(main.strip(), reference.strip(" ?!."), until.strip(" ?!."))


def resolved(clause: Clause, other: Clause) -> Clause:
    """A clause with a pronoun is also about what the other names ("the keys ... before Anna took them").

    "Did it again" also repeats the action of the other.
    """
    patterns = clause.language.asking
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
