"""Parses a question: corrects its spelling, finds what it names, splits it into clauses, and finds its type."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Question, QuestionType
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import Language, is_first_name
from amr_neo4j.language.nouns import Gloss
from amr_neo4j.language.questions import AskingPatterns
from amr_neo4j.language.time_expressions import NamedDays, NamedTime
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.question.places import UNTRANSLATED, without_places
from amr_neo4j.recall.question.spelling import Respelling, respellings, respelt

MAX_CHARACTERS = 2000
# "The mug" may name several objects, if memory knows a red mug and a blue mug: at most this many.
MOST_OF_A_KIND = 8
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Typing:
    """The type of a question, and what a model found named in it in addition to what the rules find."""

    type: QuestionType
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    videos: tuple[str, ...] = ()
    span: NamedTime | None = None


def as_typed(words: str, question: str) -> str:
    """Return words of a question as it spells them. They are compared in lower case, with "ss" for "ß"."""
    typed = {word.casefold(): word for word in _WORD.findall(question)}
    return _WORD.sub(lambda word: typed.get(word[0].casefold(), word[0]), words)


def cleaned(text: str) -> str:
    """Return the text on one line. Raises InputError if it has no word, or it is too long for a question."""
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
    *,
    gloss: Gloss = UNTRANSLATED,
    in_scope: Callable[[Names], Names] = lambda names: names,
    by_model: Callable[[str, Names], Typing | None] = lambda text, names: None,
) -> ParsedQuestion:
    """Parse a question. It is parsed once, and later stages do not parse it again.

    Two things are added later: synonyms, because they come from the first retrieved events
    (ParsedQuestion.with_synonyms), and the meaning of its time span in memory (retrieve/time_scope.py).

    names: the persons and objects that memory knows.
    gloss: how the text was translated, if it was.
    in_scope: returns those of some names that the scope of the question has.
    by_model: types the question (model_parse.type_by_model); if it returns None, rules do.
    Raises InputError: the text is not a question.
    """
    asked = language.asking.with_numbers(cleaned(text), names.persons)
    how_long, is_longest = language.asking.as_how_long(asked)
    usual, is_habit = language.asking.without_habit(how_long)
    elsewhere, places = without_places(usual, names, language, gloss)
    elsewhere, setting = without_setting(elsewhere, language)
    full, respellings_made, names = _corrected(elsewhere, names, language, in_scope)
    if setting:
        full = resolved(full, make_clause(setting, names.persons, names.objects, language))
    typing = by_model(full.text, names) or Typing(language.type_question(full.text))
    persons = [*full.persons, *typing.persons]
    question = Question(
        full.text,
        typing.type,
        _unique([*persons, *_aliases(persons, names)]),
        _unique([*full.objects, *typing.objects]),
    )
    parsed = _in_clauses(question, full, names)
    is_habit = is_habit and Trait.OF_HABIT in parsed.traits and _tells_a_deed(parsed)
    if is_habit and parsed.order in (None, Order.LAST) and not parsed.reference:
        parsed = replace(parsed, answer_type=AnswerType.HABIT, usual=parsed.answer_type, order=None)
    if places or is_habit or setting or is_longest:
        parsed = replace(parsed, question=replace(question, text=asked), places=places, longest=is_longest)
    return replace(parsed, span=parsed.span or typing.span, respellings=respellings_made, videos=typing.videos)


def _tells_a_deed(parsed: ParsedQuestion) -> bool:
    """Return whether a question names a deed. "What does Anna usually do?" and "Is it always open?" name none."""
    is_state = parsed.answer_type is AnswerType.EVENT and parsed.language.asking.of_state.search(parsed.main.text)
    names = parsed.main.name_parts
    words = [word for word in parsed.main.specific_words if word.word not in names]
    # "What am I usually doing on the second floor?" names no deed whose occasions could be counted.
    of_any = parsed.answer_type is AnswerType.EVENT and not any(word.acts for word in words)
    return not (is_state or of_any) and bool(words)


def without_setting(text: str, language: Language) -> tuple[str, str]:
    """Split off what is said before a question: "Now I'm here, who sat here before?" -> ("who sat ...", "I'm here").

    Nothing is split off unless the two are of different times, nor if the question counts time from what is said.
    """
    patterns = language.asking
    said = patterns.setting.match(text)
    if not said:
        return text, ""
    question, verb = text[said.end() :].strip(), said["verb"].casefold()
    is_told = verb in patterns.auxiliaries or any(
        word.acts and word.word == verb for word in language.content_words(said["told"])
    )
    differs = patterns.now.search(said[0]) or patterns.then.search(question)
    is_whole = make_clause(question, (), (), language).is_specific or patterns.pronouns.search(question)
    splits = is_told and differs and is_whole and not patterns.follows.search(question)
    return (question, said["told"]) if splits else (text, "")


def _corrected(
    text: str, names: Names, language: Language, in_scope: Callable[[Names], Names]
) -> tuple[Clause, tuple[Respelling, ...], Names]:
    """Return (the text as a clause, in memory's spelling; the corrections; the names without those out of scope).

    Only the names in the text are looked up in the scope, because a lookup of every name would be slow. A name that
    is out of scope may have been a wrong correction, or have hidden another name, so the text is then read again
    without it.
    """
    while True:
        corrections = respellings(text, names.persons, names.objects, language)
        full = make_clause(respelt(text, corrections), names.persons, names.objects, language)
        held = Names(frozenset(full.persons), frozenset(full.objects))
        unknown = held - in_scope(held) if held else held
        if not unknown:
            return full, tuple(corrections), names
        names -= unknown


def _in_clauses(question: Question, full: Clause, names: Names) -> ParsedQuestion:
    """Split a question into its clauses. full: the whole question as one clause."""
    language = full.language
    patterns = language.asking
    timeless, span = language.time_in(full.text)
    about = patterns.spoken_about.search(full.text)
    if span and about and full.text.startswith(span.words, about.end()):
        timeless, span = full.text, None
    timeless, nth_visitor = patterns.without_visitor_number(timeless)
    without_time = timeless
    # After the time span, because "at the second hour" is a time and not an nth occurrence.
    timeless, nth = patterns.without_occurrence_number(timeless)
    either = patterns.either.match(timeless)
    texts, order = split(timeless, language)
    if either:
        texts, order = ClauseTexts(either["main"].strip()), Order.LAST if either["last"] else Order.FIRST
    is_last = bool(patterns.ends[Order.LAST.name].search(texts.reference))
    of_reference: NamedTime | None = None
    of_main = bool(span) and language.time_in(split(full.text, language)[0].main)[1]
    if span and not span.part and texts.reference and not (of_main or is_last):
        # "What happened after the bell rang on Tuesday": what happened may be of Wednesday.
        span, of_reference = None, span

    def clause(text: str) -> Clause:
        found = full if text == full.text else make_clause(text, full.persons, full.objects, language)
        return replace(found, aliases=_aliases(found.persons, names))

    main, reference, until = map(clause, texts)
    # No event has the words for a time: they must not count as missing.
    whole = clause(without_time) if without_time else replace(full, aliases=_aliases(full.persons, names))
    if not reference.words:
        # "What happened before?" has a relation but no event to count from.
        main = main if main.text else clause(full.text)
        answer_type = AnswerType.SEQUENCE if either else answer_type_of(full.text, patterns)
        two = (clause(either["one"]), clause(either["other"])) if either else ()
        parsed = ParsedQuestion(
            question, answer_type, whole, main, order, nth=nth, nth_visitor=nth_visitor, span=span, either=two
        )
        return _of_now(parsed)
    if until.words:  # "between Anna taking the cup and putting it back": "it" is the cup of the reference
        until = until if until.objects else resolved(until, reference)
    return ParsedQuestion(
        question=question,
        answer_type=answer_type_of(texts.main, patterns),
        whole=whole,
        main=resolved(main, reference),
        order=order,
        reference=resolved(reference, main),
        until=until if until.words else None,
        nth=nth,
        nth_visitor=nth_visitor,
        span=span,
        reference_span=of_reference,
    )


def _of_now(parsed: ParsedQuestion) -> ParsedQuestion:
    """Return "Is anybody there now?" with now as its time.

    The word stays in the text, since it also asks for the latest event.
    """
    now = parsed.language.asking.of_now.search(parsed.question.text)
    if not now or parsed.span or not parsed.is_of_the_moment:
        return parsed
    return replace(parsed, span=NamedTime(words=now["now"], days=NamedDays("now")))


def _aliases(persons: Iterable[str], names: Names) -> tuple[str, ...]:
    return tuple(alias for person in persons for alias in names.same.get(person, ()))


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def make_clause(text: str, persons: Collection[str], objects: Collection[str], language: Language) -> Clause:
    """Make a clause from a text. persons, objects: the identities that it may name."""
    if not text:
        return Clause(text, language=language)
    asked = language.asking.of_all.search(text)
    if medium := asked and (asked["videos"] or asked["showing"]):
        # "Which films show a dog?" names no film that somebody watches.
        objects = frozenset(objects) - {language.object_key(medium)}
    named = language.named_in(text, persons, objects)
    known = {form for name in named.objects for form in name.split()}
    # "The clip" is vague, unless memory knows an object of that name.
    words = tuple(
        replace(word, vague=word.vague and word.forms.isdisjoint(known))
        for word in language.content_words(_without_capitals(text, named.persons, language))
    )
    # "The mug" names no object of memory by itself, but it is the last word of "red mug" and "blue mug".
    kinds = {language.object_key(word.word) for word in words if word.names and word.forms.isdisjoint(known)}
    known_things = frozenset(objects)
    of_kind = sorted({name for kind in kinds for name in _by_kind(known_things, language).get(kind, ())})
    things = (*named.objects, *of_kind[:MOST_OF_A_KIND])
    return Clause(text, words, named.persons, things, language=language)


# Cached, because memory may know thousands of objects. The few that one question names are keys as well.
@lru_cache(maxsize=64)
def _by_kind(objects: frozenset[str], language: Language) -> Mapping[str, Sequence[str]]:
    """Return {key of the last word of a name: the objects with such names of several words}.

    "The lemons" and "the basket" may both mean the "basket of lemons".
    """
    found = defaultdict[str, list[str]](list)
    for name in objects:
        parts = language.told_in_english(name).split(" of ") if " " in name else []
        for part in filter(None, parts):
            found[language.object_key(part.split()[-1])].append(name)
    return found


def _without_capitals(text: str, persons: Iterable[str], language: Language) -> str:
    """Return the text with words of the dictionary in lower case, except in the names of these persons.

    In "Who Opened the box on Earth Day?", "Opened" and "Earth" are no names. First names such as "Max" keep their
    capital.
    """
    parts = {part for person in persons for part in person.split("_")}
    for word in {word for name in language.mentioned_names(text) for word in name.split()}:
        plain = word.casefold()
        if plain not in parts and language.is_word(plain) and not is_first_name(plain):
            text = re.sub(rf"\b{re.escape(word)}\b", word.lower(), text)
    return text


def answer_type_of(text: str, patterns: AskingPatterns) -> AnswerType:
    """Return the type of the answer that a text asks for."""
    types = patterns.answer_types
    return next((AnswerType[name] for name, pattern in types.items() if pattern.search(text)), AnswerType.EVENT)


def asks_type(question: str, language: Language) -> AnswerType:
    """Return the type of the answer that a whole question asks for."""
    return answer_type_of(split(without_setting(question, language)[0], language)[0].main, language.asking)


class ClauseTexts(NamedTuple):
    """The texts of three clauses: the question itself, the event at which a time begins, the event at which it ends.

    A text is empty if the question has no such clause.
    """

    main: str
    reference: str = ""
    until: str = ""


def split(text: str, language: Language) -> tuple[ClauseTexts, Order | None]:
    """Return the texts of the clauses, and the order that the question asks for."""
    patterns, content_words = language.asking, language.content_words
    # "Between" is tried first: its two clauses may contain "before" or "after" themselves.
    between = next((found for pattern in patterns.between if (found := pattern.search(text))), None)
    if between and all(content_words(between[end]) for end in ("reference", "until")):
        return _stripped(between["main"], between["reference"], between["until"]), Order.BETWEEN
    # Its words stay in the reference: they say which of several times is meant.
    last = next((found for pattern in patterns.at_last_time if (found := pattern.match(text))), None)
    if last and make_clause(last["reference"], (), (), language).is_specific:
        return _stripped(last["main"], last["reference"]), Order.DURING
    # Leading: "After the bell rang, who came in?". Trailing: "Who came in after the bell rang?".
    found = patterns.leading.match(text) or patterns.trailing.match(text)
    if found and content_words(found["reference"]):
        order = next(Order[name] for name, words in patterns.relations.items() if words.fullmatch(found["relation"]))
        if (
            order is Order.DURING
            and answer_type_of(found["main"], patterns) is AnswerType.MOMENT
            and not make_clause(found["main"], (), (), language).is_specific
        ):
            # "What time was it when the bell rang" asks for the time of the reference itself.
            return _stripped(found["reference"]), None
        return _stripped(found["main"], found["reference"]), order
    order = next((Order[name] for name, words in patterns.ends.items() if words.search(text)), None)
    return _stripped(patterns.lead.sub("", text)), order


def _stripped(main: str, reference: str = "", until: str = "") -> ClauseTexts:
    return ClauseTexts(main.strip(), reference.strip(" ?!."), until.strip(" ?!."))


def resolved(clause: Clause, other: Clause) -> Clause:
    """Resolve a pronoun of a clause by what the other clause names ("the keys ... before Anna took them").

    Without a pronoun the clause is returned as it is. "Did it again" also takes the action of the other clause.
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
