"""The parsed question, which every later stage takes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from amr_neo4j.domain.recall import Moment, Question
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import forms_of
from amr_neo4j.language.questions import Attribute
from amr_neo4j.language.time_expressions import NamedTime
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.clause import Clause, Synonym
from amr_neo4j.recall.question.spelling import Respelling

# Vectors and scores are kept in mappings by the text of a clause. This key stands for the whole question; no clause
# has it, because the text of a clause is never empty.
WHOLE = ""
# (from, until). None: open.
TimeRange = tuple[Moment | None, Moment | None]


class Order(StrEnum):
    """Which of the matching events is meant. Before, after, during and between count from other events."""

    FIRST = "first"
    LAST = "last"
    BEFORE = "before"
    AFTER = "after"
    DURING = "during"
    BETWEEN = "between"


@dataclass(frozen=True)
class ParsedQuestion:
    """A parsed question.

    whole: the whole question as one clause.
    main: what is asked.
    order: which of the matching events is meant, or on which side of `reference` it lies.
    reference: the event that `order` counts from ("the bell rang").
    until: the second event of a question for what lies between two events.
    either: the two clauses of a question which of two came first.
    usual: the type of what is usual: PERSON in "who usually cooks", whose answer_type is HABIT.
    nth: which of several times is meant, from 1; 0 for any; -2 for the one before the last.
    nth_visitor: which of several people is meant, in the order in which they came, from 2; 0 for any.
    longest: the longest of what a question for a duration asks for ("who stayed longest").
    span: the time range that it names.
    reference_span, reference_ranges: the time of `reference` ("after the bell rang on Tuesday"), and what it means.
    videos, places: the videos, and the places of videos, that it names. Only these are searched.
    told: words that footage in another language may have for what is asked.
    guesses, respellings: substitutions that may be wrong; the answer states them.
    ranges: each (from, until) that the span means in memory, in order: several for "at night". Only events in one of
        them answer.
    dated: whether the time that it names may be of several days, so that times in the answer need their date.
    asked_at: when it is asked, in the time zone whose days are meant; None if unknown.
    time_left_out: words for a time that memory does not know. The answer states that they were ignored.
    askers: the persons of films whom "I" means; empty if it may be one of several, or if the question may
        mean somebody else. None if the question does not say "I".
    """

    question: Question
    answer_type: AnswerType
    whole: Clause
    main: Clause
    order: Order | None = None
    reference: Clause | None = None
    guesses: tuple[Synonym, ...] = ()
    until: Clause | None = None
    nth: int = 0
    nth_visitor: int = 0
    longest: bool = False
    span: NamedTime | None = None
    reference_span: NamedTime | None = None
    reference_ranges: tuple[TimeRange, ...] = ()
    respellings: tuple[Respelling, ...] = ()
    videos: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    ranges: tuple[TimeRange, ...] = ()
    time_left_out: str = ""
    asked_at: datetime | None = None
    dated: bool = False
    told: tuple[str, ...] = ()
    usual: AnswerType = AnswerType.EVENT
    either: tuple[Clause, ...] = ()
    askers: frozenset[str] | None = None

    @property
    def language(self) -> Language:
        """The language of the question and its answer."""
        return self.main.language

    @property
    def traits(self) -> Trait:
        """The traits of its answer type."""
        return self.answer_type.traits

    @property
    def within(self) -> TimeRange:
        """(from, until) of all ranges together; (None, None) if no time is named."""
        return (self.ranges[0][0], self.ranges[-1][1]) if self.ranges else (None, None)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Its clauses. Those that time is counted from come first, because a search starts there."""
        return tuple(clause for clause in (self.reference, self.until, self.main) if clause)

    @cached_property
    def search_clauses(self) -> tuple[Clause, ...]:
        """The clauses that are specific enough to search for; the main one if none is."""
        return tuple(clause for clause in self.clauses if clause.is_specific) or (self.main,)

    @property
    def embedding_texts(self) -> dict[str, str]:
        """{clause text or WHOLE: the text to embed, which is compared with events}.

        If each event answers the question alone, a clause is reduced to its key phrase, because an event's text has
        no other words. If the surroundings count, the other words describe them and are kept.
        """
        alone = Trait.ALONE in self.traits
        texts = {clause.text: clause.key_phrase if alone else clause.text for clause in self.clauses}
        return {WHOLE: self.question.text, **texts}

    @property
    def turn_embedding_texts(self) -> dict[str, str]:
        """The same mapping for comparison with turns of conversations.

        The names of persons are left out: a turn rarely names its speaker. On LoCoMo's turns recall@10 is .786
        without the names and .767 with them.
        """
        return {WHOLE: self.question.text, **{clause.text: clause.text_without_persons for clause in self.clauses}}

    @property
    def asks_for_assistant(self) -> bool:
        """Whether it asks for what the assistant said ("What did you recommend?")."""
        return bool(self.language.asking.of_assistant.search(self.question.text))

    @cached_property
    def attribute(self) -> Attribute | None:
        """The attribute of a thing that it asks for, such as its colour or price; None if it asks for none.

        "What did Anna say about the price?" asks for what was said, and for no price.
        """
        asking, text = self.language.asking, self.question.text
        about = asking.said_about.search(text)
        rest = about.end() if about else 0
        return next((attribute for attribute in asking.attributes if attribute.asked.search(text, rest)), None)

    @cached_property
    def attribute_words(self) -> frozenset[str]:
        """The words that ask for the attribute: the first and the last word of the pattern's match.

        Between them stands the thing, as in "what is the dog's name".
        """
        if not self.attribute:
            return frozenset()
        asking = [self.language.words_of(asked[0]) for asked in self.attribute.asked.finditer(self.question.text)]
        return frozenset(word for words in asking for word in (words if len(words) <= 2 else [words[0], words[-1]]))

    @cached_property
    def denied_forms(self) -> frozenset[str]:
        """The forms of what it asks not to be so: of "open" in "Who did not open it?"; empty if it denies nothing.

        "I don't know who did it", "Ben did it, didn't he?" and "Didn't Ben do it?" deny nothing.
        """
        asking, language = self.language.asking, self.language
        text = asking.tag.sub("", asking.frame.sub("", self.main.text))
        is_yes_or_no = Trait.YES_OR_NO in self.traits
        is_open = not is_yes_or_no or asking.asks_for_what.search(text) or asking.anybody.search(text)
        found: set[str] = set()
        for sign, forms in language.denied_in(asking.denied_in_form.sub("", text)):
            # "Did Ben not open the door?" is answered by whether he did.
            if is_open or not (sign == "not" or sign.endswith("t")):
                is_of_thing = asking.of_thing_denied.fullmatch(sign)
                found |= {sign, *(forms if is_of_thing else self.main.verb_forms or forms_of(self.main.words))}
        return frozenset(found)

    @cached_property
    def excepted(self) -> frozenset[str]:
        """The persons whom it leaves out: "Who besides Ben opened the door?"."""
        found = self.language.asking.excepted.search(self.main.text)
        names = {*self.language.words_of(found["who"])} if found else set[str]()
        return frozenset(
            who for who in (*self.main.persons, *self.main.aliases) if not names.isdisjoint(who.split("_"))
        )

    @cached_property
    def type_words(self) -> frozenset[str]:
        """The words by which it asks for what a film shows ("wear", "in the film"). No event needs to have them."""
        if self.answer_type not in (AnswerType.CLOTHING, AnswerType.OVERVIEW):
            return frozenset()
        # Which film it is may stand between its words: "what is the kitchen film about".
        asks = self.language.asking.answer_types[self.answer_type.name].search
        found = asks(self.question.text) or asks(self.whole.text)
        words = self.language.words_of(found[0]) if found else []
        return frozenset(words if self.answer_type is AnswerType.OVERVIEW else [*words[:1], *words[-1:]])

    @property
    def asks_for_all(self) -> bool:
        """Whether it asks for every event that fits, or in a time range, and not for a certain one."""
        if self.answer_type is not AnswerType.EVENT:
            return False
        if not self.main.is_specific and ((self.span and not (self.reference or self.order)) or self.until):
            return True
        is_list = bool(self.language.asking.of_all.search(self.question.text))
        return is_list and not self.order and bool(self.main.is_specific or self.main.persons)

    @property
    def asks_for_videos(self) -> bool:
        """Whether it asks in which videos something is, or which show it: the first event of each answers."""
        found = self.language.asking.of_all.search(self.question.text)
        return bool(found and (found["videos"] or found["showing"]))

    @cached_property
    def anybody(self) -> Clause:
        """What is asked, whoever does it."""
        named = self.main.name_parts
        return replace(
            self.main, words=tuple(w for w in self.main.words if w.word not in named), persons=(), aliases=()
        )

    @property
    def is_aggregate(self) -> bool:
        """Whether the answer needs every event about its subject, and not only the best-ranked ones."""
        numbered = self.nth or self.nth_visitor
        return Trait.OVER_ALL in self.traits or bool(numbered or self.until) or self.asks_for_all

    @cached_property
    def asks_for_several(self) -> bool:
        """Whether talk of several days may answer it together: it asks how many, how often or in which order."""
        return self.language.asks_for_several(self.question.text)

    @property
    def type_in_talk(self) -> AnswerType:
        """The answer type if a turn is the best match: what turns tell in words is only counted for "on how many"."""
        _, says_on = self.language.asking.unit_counted(self.question.text)
        counts = Trait.FIGURE in self.traits and says_on
        return self.usual if Trait.TOLD in self.traits and not counts else self.answer_type

    @property
    def is_about_now(self) -> bool:
        """Whether the latest event answers: a question where things are, or who has them, is about the present."""
        has = self.answer_type is AnswerType.PERSON and self.main.objects and not self.main.action_words
        return bool(has and not self.asks_who_is_there) or Trait.LATEST in self.traits

    @cached_property
    def asks_deed(self) -> bool:
        """Whether it asks for something that was done, which no plan, wish or possibility answers."""
        text, language = self.question.text, self.language
        is_of_past = language.plans.asks_deed(text) or language.asking.of_past.search(text)
        return bool(is_of_past) and self.answer_type is not AnswerType.SPEECH

    @cached_property
    def asks_for_sound(self) -> bool:
        """Whether it asks what is heard ("What could be heard while Ben cooked?"), which no mere sight answers."""
        is_of_events = self.answer_type is AnswerType.EVENT
        return is_of_events and bool(self.language.asking.of_sound.search(self.main.text))

    @property
    def is_of_future(self) -> bool:
        """Whether it asks about the future. "What will Ben do after he opens the door?" does not: a film shows it."""
        return not self.reference and bool(self.language.asking.of_future.search(self.question.text))

    @property
    def asks_who_is_there(self) -> bool:
        """Whether it asks who is at a place ("Who is at the door?")."""
        return self.answer_type is AnswerType.PERSON and bool(self.language.asking.being_there.search(self.main.text))

    @property
    def asks_for_people(self) -> bool:
        """Whether people are asked for: who it was, whether anybody was there, or how many people there were."""
        anybody = self.language.asking.anybody.search(self.main.text)
        return bool(anybody) or self.answer_type in (AnswerType.PERSON, AnswerType.COMPANY)

    @property
    def is_of_the_moment(self) -> bool:
        """Whether it asks what is being done, or who is there, and so can only be answered by that very moment.

        Where a thing is, and how it is, follows from its last change, however long ago.
        """
        asking, text = self.language.asking, self.main.text
        if self.answer_type in (AnswerType.PRESENCE, AnswerType.HEADCOUNT):
            return bool(asking.anybody.search(text))
        is_deed = self.answer_type is AnswerType.EVENT and asking.going_on.search(text)
        return bool(is_deed) or self.asks_who_is_there or self.answer_type is AnswerType.OVERVIEW

    @property
    def is_of_a_state(self) -> bool:
        """Whether it asks how something was at a certain time. Events before that time can answer this."""
        may_last = Trait.LASTING in self.traits or self.answer_type is AnswerType.PERSON
        return may_last and self.is_about_now and not self.main.action_words

    def with_synonyms(self, synonyms: Collection[Synonym]) -> ParsedQuestion:
        """Return the question with synonyms added to each of its clauses."""
        parsed = replace(
            self,
            whole=self.whole.with_synonyms(synonyms),
            main=self.main.with_synonyms(synonyms),
            reference=self.reference and self.reference.with_synonyms(synonyms),
            until=self.until and self.until.with_synonyms(synonyms),
            guesses=tuple(synonym for synonym in synonyms if synonym.guessed),
        )
        # Question.objects is what the ranking by names reads, so it must have the new objects too.
        in_clauses = (name for clause in parsed.clauses for name in clause.objects)
        # The model that types the question may name objects that no clause does.
        objects = tuple(dict.fromkeys([*in_clauses, *self.question.objects]))
        return replace(parsed, question=replace(self.question, objects=objects))
