"""What every language offers: words and their forms, identities, verbs, questions, statements, sentences, answers.

A language is a folder beside this file, found by its code (registry.py). docs/languages.md says how to add one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal, Protocol

from amr_neo4j.domain.event import Action, Edge, Event
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.tables import AnyTable

Moves = Literal["to_place", "to_actor", "to_other"]

HOLDING = ("inside", "on top of")
"""Spatial relations in which the other thing holds the first."""


@dataclass(frozen=True)
class Deed:
    """What a summary says is done: by whom, to which thing and where, each as written, empty where not stated."""

    actor: str
    verb: str
    object: str
    where: str


@dataclass(frozen=True)
class ContentWord:
    """A word as written (casefolded) and the base forms it may have.

    names: it names a thing or a person, as "umbrella" does in "the blue umbrella" and "blue" does not.
    acts: it says what is done, as "dry" does in "who dried it" and not in "the dry towel".
    vague: it may be said of anything ("the person", "in the morning"). moves: a vague verb of coming or going.
    describes_person: it says of what sex or age a person is, for which there are other words ("lady", "kid").
    """

    word: str
    forms: frozenset[str]
    names: bool = False
    acts: bool = False
    vague: bool = False
    describes_person: bool = False
    moves: bool = False


@dataclass(frozen=True)
class PersonKey:
    """person_id: casefolded words joined by "_". is_name: a name means the same person in every video."""

    person_id: str
    is_name: bool


@dataclass(frozen=True)
class KnownNames:
    """Person ids and object keys, in the order in which a text names them."""

    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Transition:
    """What a verb does to its object.

    kind: the dimension of state it touches ("open", "place" ...); states of different kinds are independent.
    from_state: what it needs, None for anything. to_state: what it leaves, None where it changes nothing.
    moves: to_place (the spatial relation names the new place), to_actor, to_other, or None (it stays where it is).
    """

    lemma: str
    from_state: str | None = None
    to_state: str | None = None
    kind: str | None = None
    moves: Moves | None = None


@dataclass(frozen=True)
class NamedMention:
    """Words of a sentence and the type of thing they name (PERSON, LOCATION ...).

    A pronoun has the type of what it refers to.
    """

    type: str
    text: str


@dataclass(frozen=True)
class StatedRelation:
    """A relation that one sentence states. content: the words of the statement; confidence: 0 to 1."""

    type: str
    source: NamedMention
    target: NamedMention
    content: str
    confidence: float


@dataclass(frozen=True)
class SpatialRelation:
    """Where a thing is beside another. relation: its name in the language's table; landmark: its words."""

    thing: str
    relation: str
    landmark: str


@dataclass(frozen=True)
class Position:
    """Where a thing is in the picture.

    of: its class. part: of the picture, "left", "middle" or "right". neighbours: (spatial relation, class).
    alone: whether nothing else of its class was in view.
    """

    of: str
    part: str
    neighbours: tuple[tuple[str, str], ...] = ()
    alone: bool = True

    @property
    def holders(self) -> tuple[tuple[str, str], ...]:
        """The neighbours that it is in or on."""
        return tuple(each for each in self.neighbours if each[0] in HOLDING)


@dataclass(frozen=True)
class Observation:
    """Something that a camera recorded, as a sentence needs it. Fields that do not apply are empty.

    verb: one of enter, leave, approach, stay, stay beside, pick up, put down, have, appear, disappear, move, cross;
    of the whole picture cut, darken, overexpose, camera moves.
    actor: the description of who does it. thing: the class of what it is done to, or of what moves by itself.
    person: the description of whom it is done to. side: where the thing was for the actor: "front", "behind", "left"
    or "right". origin, goal, stop: parts or edges of the picture ("foreground", "background") that somebody comes
    from, moves to, comes to rest at. pace: "slowly" or "fast". perhaps: the names among these that are in doubt, with
    their certainty (0 to 1).
    """

    verb: str
    actor: str = ""
    thing: str = ""
    person: str = ""
    position: Position | None = None
    side: str = ""
    origin: str = ""
    goal: str = ""
    stop: str = ""
    pace: str = ""
    perhaps: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Attribute:
    """Something that a question may ask of a thing: its colour, its price, the reason for it.

    asked: finds it in a question; stated: finds it in a text. optional: a text may imply it: what it
    lists answers "how many". within: at most so many words from the word for the thing; anywhere for None. proper: it
    is a name, and not that of a person who is there. needed: an event that does not state it is no answer.
    """

    name: str
    asked: re.Pattern[str]
    stated: re.Pattern[str]
    optional: bool = False
    within: int | None = None
    proper: bool = False
    needed: bool = False


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A number, an amount, a date or a time that a text states. words: as written.

    value: comparable with others of its kind; of a time the date or the time, in words. start, end: where it stands
    in the text.
    """

    kind: str
    words: str
    value: str
    start: int
    end: int


COLOUR = "colour"
"""The name of the attribute, in the table of every language."""


@dataclass(frozen=True)
class ReportedWords:
    """Words of a question, and words of the local analyser's reports that may mean the same.

    worn: of garments, of which a report tells the colour alone.
    """

    said: frozenset[str]
    reported: tuple[str, ...]
    worn: bool


@dataclass(frozen=True)
class AskingPatterns:
    """How a question says what answer it wants, and which of the matching events it means: compiled patterns.

    answer_types, relations, ends: by the names of recall's AnswerType and Order, in the order in which they apply.
    between: groups main, reference, until. leading, trailing: groups main, relation, reference.
    nth: group nth, a number in digits or one of the numerals. lead: the words that only introduce a question.
    of_assistant: words that ask for what the assistant said. of_speaker: those about who asks. of_saying: those that
    ask when something was said. asked, question_line: that a question was asked, and how a line looks that asks one.
    category: of what kind the answer is ("which bay"). attributes: the first one asked for counts. current_value,
    changed: that a question asks for a value, and that it asks for no present one. being_there: that somebody is at
    a place. arriving: that somebody comes in. of_state: that how long something was so is asked, and not how long a
    deed took.
    """

    answer_types: dict[str, re.Pattern[str]]
    relations: dict[str, re.Pattern[str]]
    ends: dict[str, re.Pattern[str]]
    between: tuple[re.Pattern[str], ...]
    nth: re.Pattern[str]
    numerals: dict[str, int]
    lead: re.Pattern[str]
    same_action: re.Pattern[str]
    pronouns: re.Pattern[str]
    of_assistant: re.Pattern[str]
    of_speaker: re.Pattern[str]
    of_saying: re.Pattern[str]
    asked: re.Pattern[str]
    question_line: re.Pattern[str]
    category: re.Pattern[str]
    attributes: tuple[Attribute, ...]
    current_value: re.Pattern[str]
    changed: re.Pattern[str]
    being_there: re.Pattern[str]
    arriving: re.Pattern[str]
    of_state: re.Pattern[str]
    clothes_stated: re.Pattern[str]
    denied: re.Pattern[str]
    anybody: re.Pattern[str]
    counted: re.Pattern[str]
    others: re.Pattern[str]
    perceived: re.Pattern[str]
    as_reported: tuple[ReportedWords, ...]
    before_worn_colour: re.Pattern[str]
    all_clothes: tuple[str, ...]
    in_part: re.Pattern[str]
    leading: re.Pattern[str]
    trailing: re.Pattern[str]

    @cached_property
    def worn(self) -> frozenset[str]:
        """Words for what is worn, those of the local analyser among them; some are verbs too."""
        return frozenset(word for row in self.as_reported if row.worn for word in (*row.said, *row.reported))

    def is_colour(self, word: str) -> bool:
        """Whether a word is that of a colour."""
        return any(each.name == COLOUR and each.stated.fullmatch(word) for each in self.attributes)

    def asks(self, question: str, line: str) -> bool:
        """Whether the question is about something that was asked, and the line asks."""
        return bool(self.asked.search(question) and self.question_line.search(line))

    def asks_for_a_current_value(self, question: str) -> bool:
        """Whether a question asks for a value that holds until another one is stated."""
        return bool(self.current_value.search(question)) and not self.changed.search(question)

    def without_occurrence_number(self, text: str) -> tuple[str, int]:
        """The text without the words that say which of several times is meant, and that number; 0 for none."""
        found = self.nth.search(text)
        if not found:
            return text, 0
        named = found["nth"].casefold()
        digits = re.match(r"\d+", named)
        number = int(digits[0]) if digits else self.numerals[named]
        return " ".join((text[: found.start()] + text[found.end() :]).split()), number


@dataclass(frozen=True)
class NamedDay:
    """The parts of a date that a text names. weekday: Monday is 0. None: not named."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None


@dataclass(frozen=True)
class NamedTime:
    """A time range that a text names. since, until: marks as written, empty where open; equal for a single moment.

    rest: the text without it. part: the words for the part of a day that it names ("in the morning").
    """

    rest: str
    since: str = ""
    until: str = ""
    day: NamedDay | None = None
    part: str = ""


class SentenceForms(Protocol):
    """Forms of words and sentences."""

    def sentence(self, text: str) -> str:
        """With a capital at its start and a full stop at its end, unless it ends otherwise."""
        ...

    def with_article(self, noun: str) -> str:
        """With its indefinite article: "an umbrella"."""
        ...

    def joined(self, items: Sequence[str], conjunction: str = ..., *, separator: str = ...) -> str:
        """ "a", "a and b", "a, b and c"; empty for nothing. conjunction: a word of the language."""
        ...

    def counted(self, noun: str, number: int) -> str:
        """ "a bottle", "two bottles"."""
        ...

    def times(self, count: int) -> str:
        """ "never", "once", "twice", "3 times"."""
        ...

    def third_person(self, lemma: str) -> str:
        """ "pick up" -> "picks up"."""
        ...

    def past(self, lemma: str) -> str:
        """ "pick up" -> "picked up"."""
        ...

    def past_participle(self, lemma: str) -> str:
        """ "take" -> "taken"."""
        ...

    def gerund(self, lemma: str) -> str:
        """ "put down" -> "putting down"."""
        ...


class SceneSentences(Protocol):
    """What was seen and heard in a clip, in words."""

    @property
    def hand(self) -> str:
        """The description of an actor of whom only a hand is seen."""
        ...

    @property
    def comes(self) -> frozenset[str]:
        """The verbs by which somebody comes into view."""
        ...

    @property
    def goes(self) -> frozenset[str]:
        """The verbs by which somebody goes out of view."""
        ...

    @property
    def stays(self) -> str:
        """The verb of somebody at rest."""
        ...

    @property
    def someone(self) -> str:
        """The name of an unknown speaker."""
        ...

    def observed(self, what: Observation) -> str:
        """The sentence for one observation."""
        ...

    def spatial_relation(self, what: Observation) -> str:
        """The spatial relation of an action: its course, or where the thing was; the actor's side comes first."""
        ...

    def position(self, where: Position) -> str:
        """Where a thing is, as seen by the camera."""
        ...

    def in_view(self, there: Sequence[tuple[str, str]], perhaps: Mapping[str, float]) -> str:
        """What is in view, as a sentence. there: (description or class, part of the picture), at least one.

        perhaps: the names among them that are in doubt, with their certainty (0 to 1).
        """
        ...

    def clothed_person(self, upper: str, lower: str) -> str:
        """The description of a person by the colours of the clothes; a colour is empty where it is not known."""
        ...

    def coloured(self, thing: str, colour: str) -> str:
        """A thing with its colour, one of perception's: "red car"; the thing alone where the colour is empty."""
        ...

    def verb_by_itself(self, verb: str) -> str:
        """The verb of what a thing does by itself, where the verb given says what somebody does to it: what leaves
        the picture was not left there.
        """
        ...

    def unnamed(self, size: str, colour: str) -> str:
        """What moves and has no class: "something large and dark". size: "small", "large" or empty; colour: one of
        perception's, or empty.
        """
        ...

    def text_named(self, words: str) -> str:
        """The name of text that is in view, as of a thing."""
        ...

    def text_in_view(self, lines: Sequence[tuple[str, str]]) -> str:
        """Which text is in view, as a sentence. lines: (its words, part of the picture), at least one."""
        ...

    def detected(self, name: str, zones: Sequence[str], certainty: float | None, plate: str) -> str:
        """That somebody or something was seen in zones of a camera, as a sentence. plate: its number, or empty."""
        ...

    def together(self, whats: Sequence[Observation]) -> str:
        """The sentence for what several do: "Two people enter: ..." whats: of one verb and one kind, at least two."""
        ...

    def speak(self, names: Sequence[str], *, unknown: bool) -> str:
        """That these people speak, as a sentence; empty where nobody does. unknown: and an unknown speaker."""
        ...

    def says(self, names: Sequence[str], words: str) -> str:
        """What these people say, as a summary. names: at least one."""
        ...

    def more_events(self, number: int) -> str:
        """That so many more events follow, as a sentence; empty for none."""
        ...

    def nothing_happens(self, in_view: str) -> str:
        """That nothing happens. in_view: the sentence that says what is in view, empty for nothing."""
        ...


class Words(Protocol):
    """Words of a text and their forms."""

    def words_of(self, text: str) -> list[str]:
        """The words of a text in order, casefolded, without a possessive ending."""
        ...

    def is_word(self, word: str) -> bool:
        """Whether the dictionary has the word, as any part of speech."""
        ...

    def forms(self, word: str) -> frozenset[str]:
        """The word and every base form it may be an inflection of."""
        ...

    def all_forms(self, text: str) -> frozenset[str]:
        """Every form of every word of a text."""
        ...

    def phrasal_verbs(self, text: str) -> frozenset[str]:
        """The verbs that say the same as the phrasal verbs of a text: "leave", "exit" for "goes out"."""
        ...

    def content_words(self, text: str) -> tuple[ContentWord, ...]:
        """The words that are not function words, each once, in order."""
        ...

    def has_function_words(self, text: str) -> bool:
        """Whether any word is a function word of this language."""
        ...

    def owners(self, text: str) -> list[str]:
        """The words for those to whom something belongs: "boy" in "the boy's bag"."""
        ...

    def kin(self, word: str) -> frozenset[str]:
        """The words that may tell of the same: verbs of its class, kinds of what it names; none of its own forms."""
        ...

    def says_more(self, verb: str) -> bool:
        """Whether a verb says more than the state that it leaves a thing in, as "steal" does."""
        ...

    def gist(self, text: str, telling: Collection[str]) -> str:
        """The words of `telling` in a text, each with the particles behind it."""
        ...

    def preposition_of(self, text: str, thing: frozenset[str]) -> str:
        """The preposition between a text and a thing, given by its forms; empty where there is none."""
        ...

    def sentences(self, text: str) -> list[str]:
        """The sentences of a text; lines end sentences."""
        ...

    def sentences_in(self, text: str) -> int:
        """How many sentences a summary has."""
        ...

    def quoted_sentences(self, text: str) -> list[str]:
        """The sentences of a text; a full stop within quotation marks ends none."""
        ...


class Identities(Protocol):
    """The identities of persons and objects."""

    def object_key(self, name: str) -> str:
        """The identity of an object within its place: casefolded, singular, without article or owner."""
        ...

    def person_key(self, name_or_description: str) -> PersonKey:
        """The identity of a person, by name or description. Never empty."""
        ...

    def short_id(self, words: str) -> str:
        """Words in the form of an id; empty where they hold neither letter nor digit."""
        ...

    def is_unknown(self, words: str) -> bool:
        """Whether the words say that the person is not known: "unknown", "N/A"."""
        ...

    def is_indistinct(self, words: str) -> bool:
        """Whether the words fit anybody: "unknown", "the speaker"."""
        ...

    def mentioned_names(self, text: str, known: Iterable[str] = ...) -> list[str]:
        """Names of persons in a text, as written, each once, in order. known: names and ids that count anywhere."""
        ...

    def named_in(self, text: str, persons: Collection[str], objects: Collection[str]) -> KnownNames:
        """Those of the known person ids and object keys that a text names; of overlapping ones the longest."""
        ...


class Verbs(Protocol):
    """What verbs do to their objects."""

    def known_verbs(self) -> tuple[Transition, ...]:
        """Every verb of the table."""
        ...

    def transition(self, verb: str, thing: str = ..., where: str | None = ...) -> Transition | None:
        """What a verb, in any form, does to an object; None for an unknown verb. where: the words for the place."""
        ...

    def states_meant(self, change: Transition) -> tuple[str, ...]:
        """The states that a question with this verb asks for."""
        ...

    def deeds_in(self, text: str) -> list[Deed]:
        """What a summary says is done, in its order; no deed where that is not plain to see."""
        ...

    def lemma(self, verb: str) -> str:
        """The verb's base form with its particle: "picks up" -> "pick up". Unknown words stay."""
        ...


class SpatialRelations(Protocol):
    """Where one thing is beside another, by the words for it."""

    def spatial_relations(self, thing: str, description: str) -> list[SpatialRelation]:
        """What a description states of a thing, and of the landmarks in it ("on the book, which is on the desk")."""
        ...

    def opposite_relation(self, relation: str) -> str:
        """The same relation seen from the other thing; empty where there is no word for it."""
        ...

    def relation_is(self, stated: str, asked: str) -> bool:
        """Whether a stated relation answers a question for another one."""
        ...


class Statements(Protocol):
    """What sentences of a conversation mention and state."""

    @property
    def rules_version(self) -> int:
        """The version of the rules, kept with what they extract."""
        ...

    def is_pronoun(self, text: str) -> bool:
        """Whether a text refers to something without naming it."""
        ...

    def is_first_person(self, pronoun: str) -> bool:
        """Whether a pronoun refers to the speaker."""
        ...

    def own_name(self, text: str) -> str:
        """What follows "my name is" in a text; empty where nobody gives their name."""
        ...

    def stated_relations(self, sentence: str) -> list[StatedRelation]:
        """The relations that a sentence states. Questions, conditions and denials state none."""
        ...

    def named_mentions(self, sentence: str, known: tuple[str, ...] = ...) -> list[NamedMention]:
        """What a sentence names beside its statements. known: names of persons that count anywhere."""
        ...


class TimeExpressions(Protocol):
    """Times as people write them. A mark names a second, a minute or a time of day: "10:00", "7 pm", "second 90"."""

    def time_in(self, text: str) -> NamedTime | None:
        """The time range that a text names, by the clock, the calendar or both; None where it names none."""
        ...

    def is_of_video(self, mark: str) -> bool:
        """Whether a mark can only name a second or a minute of a video."""
        ...

    def is_twelve_hour(self, mark: str) -> bool:
        """Whether a mark can only be a time of day."""
        ...

    def readings(self, mark: str) -> tuple[str, ...]:
        """The times of day that a mark may mean; the mark itself where it is plain."""
        ...

    def names_part(self, name: str, words: str) -> bool:
        """Whether a name, as that of a recording, has a word for the part of day that some words name."""
        ...

    def seconds_of_day(self, mark: str, *, end: bool = ...) -> float:
        """Seconds from midnight. end: the last of those that the mark covers, as 10:30 covers a whole minute."""
        ...

    def seconds_of_video(self, mark: str, *, end: bool = ...) -> float | None:
        """Seconds of a video. end: the last that the mark covers. None for an empty mark."""
        ...

    def second_mark(self, second: int) -> str:
        """A second of a video as a mark."""
        ...

    def seconds_in(self, text: str) -> Iterator[float]:
        """Every second of a video that a number in the text may mean."""
        ...


class Grammar(Protocol):
    """Every sentence, clause and word form of an answer.

    Functions that return a clause leave out its capital and its full stop; `cited` adds both.
    """

    def asks_for_a_date(self, question: str) -> bool:
        """Whether the question names a unit of the calendar."""
        ...

    def asks_about_the_present(self, question: str) -> bool:
        """Whether the question is in the present tense ("how long has the lamp been on")."""
        ...

    def state_words(self, question: str) -> frozenset[str]:
        """The words that may name a state ("was the stove on"); none where it asks what somebody did."""
        ...

    def is_source(self, preposition: str) -> bool:
        """Whether it ties a thing to the place that it was taken from."""
        ...

    def cited(self, clause: str, citation: str) -> str:
        """A clause as a sentence that ends with its citation."""
        ...

    def not_found(self, missing_words: Sequence[str] = ..., *, in_time_span: bool = ...) -> str:
        """Reports that nothing answers the question. missing_words: its words that memory does not have."""
        ...

    def attribute_not_stated(self, attribute: str) -> str:
        """Reports that memory does not have an attribute of what it knows."""
        ...

    def in_doubt(self, missing_words: Sequence[str] = ..., attribute: str = ...) -> str:
        """Caveat: the closest event follows, which may not answer.

        missing_words: those that memory does not have; attribute: what it does not state.
        """
        ...

    def no_occurrence(self) -> str:
        """Reports that it never happened; the closest event follows."""
        ...

    def fewer_occurrences(self, number: int) -> str:
        """Reports that it happened fewer than `number` times; the times that it did follow."""
        ...

    def worn_as_reported(self, word: str) -> str:
        """Caveat: reports tell the colours of clothes, and not that they are such a garment."""
        ...

    def guessed_name(self, word: str, thing: str) -> str:
        """Caveat: memory has no such name; a similar object is used."""
        ...

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        """Reports that memory does not state what is asked; the closest event follows.

        words: those of the question that it does not bear out; attribute: what is asked of a thing.
        """
        ...

    def words_not_found(self, words: Sequence[str]) -> str:
        """Caveat: the event found has none of these words of the question; it follows as the closest."""
        ...

    def when(self, event: Event) -> str:
        """When an event was, as the clauses about it say it."""
        ...

    def summary(self, event: Event) -> str:
        """The event's summary as a clause."""
        ...

    def event_at(self, event: Event, line: str = ...) -> str:
        """When and what happened. line: of the event's dialogue, to add in brackets."""
        ...

    def turn_at(self, event: Event, speaker: str, words: str) -> str:
        """When a turn of a conversation was spoken, by whom, and its words."""
        ...

    def stated_moment(self, time: StatedValue, event: Event, speaker: str, words: str) -> str:
        """When something was or is by what a turn says of it; and the turn."""
        ...

    def believed_at(self, fact: str, event: Event) -> str:
        """A fact as a clause, and when what it rests on was said or seen."""
        ...

    def hardly_believed(self) -> str:
        """Caveat: a fact follows that was hedged, or that was said long ago and not again."""
        ...

    def stated_at(self, source: str, relation: str, target: str, event: Event) -> str:
        """What a turn states of two mentions, and when. relation: its type in the graph, "ALSO_KNOWN_AS"."""
        ...

    def moment(self, event: Event, *, date_asked: bool) -> str:
        """The moment of an event, by wall clock and calendar where they are known, and its summary."""
        ...

    def person_name(self, name: str) -> str:
        """A person within a sentence: a name as it is, a description with its article."""
        ...

    def people_at(self, names: Sequence[str], event: Event) -> str:
        """Who it was, when and what happened."""
        ...

    def said_at(self, speaker: str, words: str, event: Event) -> str:
        """Who said what, and when. speaker: empty where unknown."""
        ...

    def change_at(self, action: Action, lemma: str, actor: str, event: Event, *, last: bool = ...) -> str:
        """ "the keys were last put down on the hook, by Anna, at 00:12:31 of kitchen_morning".

        lemma: the action's verb in its base form. actor: as `person_name` gives it; empty where unknown.
        """
        ...

    def described_at(self, thing: str, where: str, event: Event) -> str:
        """ "the phone was to the left of the mug, at 00:12:31 of kitchen_morning"."""
        ...

    def with_place_unknown(self, clause: str, thing: str) -> str:
        """Adds that no later event states where the thing was put."""
        ...

    def last_stated_place(self, clause: str) -> str:
        """The latest change that states a place; it follows one that states none."""
        ...

    def earlier_moves(self, count: int, clause: str) -> str:
        """The first move listed, after `count` that are not."""
        ...

    def counted(self, count: int, clause: str) -> str:
        """How often; the first time follows."""
        ...

    def total_duration(self, seconds: float, count: int, clause: str) -> str:
        """How long `count` events last in all; the first of them follows."""
        ...

    def interval(self, seconds: float | None, clause: str) -> str:
        """How long a state lasted; the change that began it follows. seconds: None where unknown."""
        ...

    def unended_interval(self, clause: str) -> str:
        """Reports that a state has no known end; the change that began it follows."""
        ...

    def intervals(self, lengths: Sequence[float], clause: str, unknown: int = ...) -> str:
        """How long a state lasted in all and each time; the first time follows. lengths: in seconds.

        unknown: how many times it lasted nobody knows how long.
        """
        ...

    def elapsed(self, seconds: float, clause: str) -> str:
        """How much time passed after the end of an event."""
        ...

    def first(self, clause: str) -> str:
        """The first of many."""
        ...

    def last(self, clause: str) -> str:
        """The last of many."""
        ...

    def first_of_many(self, count: int, shown: int, clause: str) -> str:
        """The first event of `count`, of which `shown` are listed."""
        ...

    def until(self, clause: str) -> str:
        """The event that ends a stretch of time."""
        ...

    def beside(self, relation: str, clause: str) -> str:
        """An event by its relation to the one stated before it. relation: before, after or during; else unchanged."""
        ...

    def is_as_watched(self, text: str) -> bool:
        """Whether a summary is a report of the local analyser, which knows only what it can see."""
        ...

    def without_viewer(self, text: str) -> str:
        """A report of the local analyser without the words that say that a camera saw it."""
        ...

    def part_in_view(self, part: str, way: str) -> str:
        """A part of the picture as a report of the local analyser names it. way: the preposition of the question."""
        ...

    def things_in_doubt(self, text: str) -> list[str]:
        """What a summary names as what may be there only: "a dog" in "perhaps a dog (.41)"."""
        ...

    def says_perhaps(self, clause: str) -> bool:
        """Whether a clause says of itself that it may not be so."""
        ...

    def perhaps(self, clause: str) -> str:
        """A clause as one that may not be so."""
        ...

    def seen(self, clause: str, *, doubted: bool) -> str:
        """That it was seen, or perhaps was; the event follows."""
        ...

    def absence_unproven(self) -> str:
        """That what memory does not tell of may have been there all the same."""
        ...

    def most_telling(self, count: int, shown: int, clause: str) -> str:
        """The first event of `shown` that tell most, of `count`."""
        ...

    def as_recognised(self, clause: str) -> str:
        """That a count is of what was recognised, which may be too many or too few."""
        ...

    def in_view_for(self, seconds: float, clause: str, *, has_ended: bool) -> str:
        """How long somebody was in view; the event by which they came follows. has_ended: their going was seen."""
        ...

    def goes_on(self, clause: str, until: float) -> str:
        """An event, and up to which second of the video it goes on."""
        ...

    def looks_untold(self, words: Sequence[str]) -> str:
        """Caveat: reports tell no sex or age. words: those of the question for one."""
        ...

    def counted_in_view(self, at_once: int, by_looks: int, in_all: int, clause: str) -> str:
        """How many were seen at once at least, in the event that follows. in_all: different people, or 0."""
        ...

    def counted_by_looks(self, count: int, persons: int, clause: str) -> str:
        """How often it was done, by how many that look different; the first time follows."""
        ...

    def is_in_doubt(self, text: str) -> bool:
        """Whether a summary names somebody or something as what may be there only."""
        ...

    def path_place(self, node_id: int, event: Event | None) -> str:
        """An event of a path: "event 3 (00:00:12 of kitchen)", "turn 4 of session_2". event: None where not known."""
        ...

    def path_step(self, edge: Edge, *, forwards: bool, spoken: bool = ...) -> str:
        """What links one event of a path to the next: "the key (take), later".

        forwards: in the edge's direction. spoken: from one turn of a conversation to another.
        """
        ...

    def evidence_line(self, event: Event, lines: Sequence[str], places: Sequence[str] = ...) -> str:
        """An event as a model reads it: its summary, lines of its dialogue, and places of its things."""
        ...

    def is_not_found(self, text: str) -> bool:
        """Whether a model's reply states that memory has no answer, in the words that its prompt asks for."""
        ...

    def model_skipped(self, role: str, reason: str) -> str:
        """Note: a model failed and its stage went by the rules."""
        ...

    def citation_removed(self, citation: str) -> str:
        """Note: a model cited what it was not shown."""
        ...

    def claim_removed(self, claim: str) -> str:
        """Note: a model claimed something without a citation."""
        ...

    def answer_unsupported(self) -> str:
        """Note: nothing that a model answered rests on the evidence, so that the rules answered."""
        ...

    def answer_interrupted(self, reason: str) -> str:
        """Note: the model failed in the middle of its answer."""
        ...

    def answer_truncated(self, reason: str) -> str:
        """Note: the model's answer reached its limit."""
        ...

    def respelled_name(self, word: str, taken_as: str) -> str:
        """That a word of the question was taken for another spelling."""
        ...

    def replaced(self, citation: str, since: datetime) -> str:
        """That the answer replaced what was said before, and since when. citation: of that turn, with its words."""
        ...

    def stated_before(self, citation: str) -> str:
        """That another value was stated before. citation: of that turn, with its words."""
        ...

    def no_recording_dates(self) -> str:
        """Note: the day that the question names was ignored."""
        ...

    def time_left_out(self, words: str) -> str:
        """Caveat: no recording tells the time of day that the question names."""
        ...

    def unknown_video_named(self, video: str) -> str:
        """Note: the text model named a video outside the scope."""
        ...

    def video_not_in_question(self, video: str) -> str:
        """Note: the text model named a video that the question does not."""
        ...

    def seconds_not_in_question(self, times: Sequence[float]) -> str:
        """Note: the text model named times that the question does not."""
        ...


class Language(Words, Identities, Verbs, SpatialRelations, Statements, Protocol):
    """A language: its words, identities, verbs, relations in space, statements, and the sentences written in it."""

    @property
    def code(self) -> str:
        """Its ISO 639 code, the name of its folder."""
        ...

    @property
    def sentence_forms(self) -> SentenceForms:
        """Forms of words and sentences."""
        ...

    @property
    def scenes(self) -> SceneSentences:
        """Sentences about what was seen and heard in a clip."""
        ...

    @property
    def grammar(self) -> Grammar:
        """The sentences of answers."""
        ...

    @property
    def asking(self) -> AskingPatterns:
        """Patterns for what a question asks for."""
        ...

    @property
    def time_expressions(self) -> TimeExpressions:
        """Times as questions write them."""
        ...

    def number(self, word: str) -> int | None:
        """The number that a numeral stands for, in digits or as a word; None where it is none."""
        ...

    def values_stated(self, text: str) -> list[StatedValue]:
        """The numbers, amounts, dates and times that a text states, in its order."""
        ...

    def times_stated(self, text: str, said_at: datetime | None) -> list[StatedValue]:
        """The times that a text states, in its order, reckoned from when it was said; without that, plain dates."""
        ...

    def type_question(self, text: str) -> QuestionType:
        """The type of a question; General where no rule fits."""
        ...

    def table(self, name: str, model: type[AnyTable]) -> AnyTable:
        """A YAML table of the language's folder: "asking.yaml", "time_expressions.yaml"."""
        ...
