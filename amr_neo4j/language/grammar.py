"""The grammar of answers, in English: every sentence, clause and word form that an answer contains."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from amr_neo4j.domain.event import Action, Channel, Edge, Event
from amr_neo4j.domain.timestamps import clock, lasting
from amr_neo4j.language.en.content import all_forms, words_of
from amr_neo4j.language.en.identities import object_key, person_key
from amr_neo4j.language.en.sentences import joined, number_words, past_participle, times
from amr_neo4j.language.values import StatedValue

_ARTICLES = ("a ", "an ", "the ")
_DETERMINERS = ("his", "her", "the", "their")
_CALENDAR_WORDS = frozenset({"day", "date", "weekday"})
_PRESENT_TENSE = frozenset({"has", "have", "is", "are"})
_NO_PLURAL = ("ss", "us", "is")
# These name a state only as a question's last word: anything may be "on the table".
_STATES_AT_THE_END = ("on", "off")
_STAYING = frozenset({"stay", "remain"})
_SOURCE_PREPOSITIONS = ("from", "of")
_BESIDE = {"before": "before that, ", "after": "after that, ", "during": "about then, "}
_IN_DOUBT = re.compile(r"\bperhaps\b([^()]*)\(\.\d+\)", re.IGNORECASE)
_AS_SEEN = "as seen by the camera"
_FOR_ACTOR = r"in front of them|behind them|on their (left|right)|with them"
_OF_ACTOR = rf"\b(stays beside|picks up|puts down|approaches|moves|has) .*({_FOR_ACTOR})(\.$| \()"
_AS_WATCHED = re.compile(rf"{_AS_SEEN}|^The (picture|camera)\b|^Text in view:|\(\.\d\d\)|{_OF_ACTOR}")
_NOT_FOUND = "not found in memory"


class Grammar:
    """Every sentence, clause and word form of an answer.

    Methods that return a clause leave out its capital and its full stop; `cited` adds both.
    """

    # What a question asks for

    def asks_for_a_date(self, question: str) -> bool:
        """Whether the question names a unit of the calendar."""
        return not _CALENDAR_WORDS.isdisjoint(words_of(question))

    def asks_about_the_present(self, question: str) -> bool:
        """Whether the question is in the present tense ("how long has the lamp been on")."""
        return not _PRESENT_TENSE.isdisjoint(words_of(question))

    def state_words(self, question: str) -> frozenset[str]:
        """The words that may name a state ("was the stove on"); none where it asks what somebody did."""
        words = words_of(question)
        if "did" in words and _STAYING.isdisjoint(words):
            return frozenset()
        return frozenset(form for word in words if word not in _STATES_AT_THE_END for form in all_forms(word)).union(
            words[-1:]
        )

    def is_source(self, preposition: str) -> bool:
        """Whether it ties a thing to the place that it was taken from."""
        return preposition in _SOURCE_PREPOSITIONS

    # Sentences

    def cited(self, clause: str, citation: str) -> str:
        """A clause as a sentence that ends with its citation."""
        return f"{clause[:1].upper()}{clause[1:]} {citation}."

    def not_found(self, missing_words: Sequence[str] = (), *, in_time_span: bool = False) -> str:
        """Reports that nothing answers the question. missing_words: its words that memory does not have."""
        reason = f": it knows nothing of {_quoted(missing_words)}" if missing_words else ""
        return f"Nothing in memory fits{' that time' if in_time_span else ''}{reason}."

    def attribute_not_stated(self, attribute: str) -> str:
        """Reports that memory does not have an attribute of what it knows."""
        return f"Nothing in memory states the {attribute}."

    def in_doubt(self, missing_words: Sequence[str] = (), attribute: str = "") -> str:
        """Caveat: the closest event follows, which may not answer.

        missing_words: those that memory does not have; attribute: what it does not state.
        """
        if missing_words:
            return f"Memory knows nothing of {_quoted(missing_words)}; the nearest is this."
        if attribute:
            return f"Memory does not state the {attribute}; the nearest is this."
        return "Memory may not hold the answer; the nearest is this."

    def no_occurrence(self) -> str:
        """Reports that it never happened; the closest event follows."""
        return "Memory tells of no such time; the nearest is this."

    def fewer_occurrences(self, number: int) -> str:
        """Reports that it happened fewer than `number` times; the times that it did follow."""
        return f"Memory tells of no time number {number}."

    def guessed_name(self, word: str, thing: str) -> str:
        """Caveat: memory has no such name; a similar object is used."""
        return f"Memory knows no “{word}”, only something near: the {thing}."

    def worn_as_reported(self, word: str) -> str:
        """Caveat: reports tell the colours of clothes, and not that they are such a garment."""
        return f"Reports tell the colours of clothes and not whether it is a “{word}”."

    def words_not_found(self, words: Sequence[str]) -> str:
        """Caveat: the event found has none of these words of the question; it follows as the closest."""
        return f"Nothing found says {_quoted(words)}; the nearest is this."

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        """Reports that memory does not state what is asked; the closest event follows.

        words: those of the question that it does not bear out.
        """
        what = f"the {attribute}" if attribute else f"this with {_quoted(words)}" if words else "this"
        return f"Nothing in memory states {what}; the nearest is this."

    # Events

    def when(self, event: Event) -> str:
        """ "at 00:12:31 of kitchen_morning"; "on 8 May 2023 at 13:56 UTC+02:00" for a turn."""
        return _when(event)

    def believed_at(self, fact: str, event: Event) -> str:
        """ "You live in Berlin, said on 10 November 2026 at 20:01 UTC+01:00"."""
        return f"{fact}, {'said' if event.turn else 'seen'} {_when(event)}"

    def hardly_believed(self) -> str:
        """Caveat: a fact follows that was hedged, or that was said long ago and not again."""
        return "As far as memory knows:"

    def stated_at(self, source: str, relation: str, target: str, event: Event) -> str:
        """ "George Orwell wrote Animal Farm, on 1 January 2024 at 10:00 UTC". relation: "WROTE"."""
        return f"{source} {relation.replace('_', ' ').casefold()} {target}, {_when(event)}"

    def summary(self, event: Event) -> str:
        """The event's summary as a clause."""
        return _summary(event)

    def event_at(self, event: Event, line: str = "") -> str:
        """When and what happened. line: of the event's dialogue, to add in brackets."""
        return f"{_when(event)}: {_summary(event)}" + (f" ({line})" if line else "")

    def turn_at(self, event: Event, speaker: str, words: str) -> str:
        """When a turn of a conversation was spoken, by whom, and its words."""
        return f"{_when(event)} {speaker} said: “{words}”"

    def stated_moment(self, time: StatedValue, event: Event, speaker: str, words: str) -> str:
        """ "7 May 2023 (“yesterday”): on 8 May 2023 at 13:56 UTC Caroline said: “...”"."""
        said = "" if time.words == time.value else f" (“{time.words}”)"
        return f"{time.value}{said}: {self.turn_at(event, speaker, words)}"

    def moment(self, event: Event, *, date_asked: bool) -> str:
        """The moment of an event, by wall clock and calendar where they are known, and its summary."""
        return f"{_moment(event, date_asked)}: {_summary(event)}"

    # People

    def person_name(self, name: str) -> str:
        """A person within a sentence: a name as it is, a description with its article."""
        return name if person_key(name).is_name or name.casefold().startswith(_ARTICLES) else f"the {name}"

    def people_at(self, names: Sequence[str], event: Event) -> str:
        """Who it was, when and what happened."""
        return f"{joined(names)}, {_when(event)}: {_summary(event)}"

    def said_at(self, speaker: str, words: str, event: Event) -> str:
        """Who said what, and when. speaker: empty where unknown."""
        return f"{speaker or 'somebody'} said, {_when(event)}: “{words}”"

    # Changes of things

    def change_at(self, action: Action, lemma: str, actor: str, event: Event, *, last: bool = False) -> str:
        """ "the keys were last put down on the hook, by Anna, at 00:12:31 of kitchen_morning".

        lemma: the action's verb in its base form. actor: as `person_name` gives it; empty where unknown.
        """
        verb = " ".join(filter(None, ["last" if last else "", past_participle(lemma), action.spatial_relation]))
        by = f", by {actor}" if actor else ""
        return f"{_with_the(action.object)} {_was(action.object)} {verb}{by}, {_when(event, action)}"

    def described_at(self, thing: str, where: str, event: Event) -> str:
        """ "the phone was to the left of the mug, at 00:12:31 of kitchen_morning"."""
        return f"{_with_the(thing)} {_was(thing)} {where.rstrip('. ')}, {_when(event)}"

    def with_place_unknown(self, clause: str, thing: str) -> str:
        """Adds that no later event states where the thing was put."""
        pronoun = "they were" if _is_plural(thing) else "it was"
        return f"{clause}. Nothing later says where {pronoun} put"

    def last_stated_place(self, clause: str) -> str:
        """The latest change that states a place; it follows one that states none."""
        return f"nothing says where; before that {clause}"

    def earlier_moves(self, count: int, clause: str) -> str:
        """The first move listed, after `count` that are not."""
        return f"{count} moves before; then {clause}"

    # What is in view

    def seen(self, clause: str, *, doubted: bool) -> str:
        """That it was seen, or perhaps was; the event follows."""
        return f"{'perhaps' if doubted else 'yes'}: {clause}"

    def absence_unproven(self) -> str:
        """That what memory does not tell of may have been there all the same."""
        return "It knows only what was recognised, so this does not say that there was none."

    def as_recognised(self, clause: str) -> str:
        """That a count is of what was recognised, which may be too many or too few."""
        return f"as far as was recognised, {clause}"

    def counted_in_view(self, at_once: int, by_looks: int, in_all: int, clause: str) -> str:
        """How many were seen at once at least, in the event that follows.

        in_all: of whom one may be counted as two, or 0. by_looks: without those who look like another.
        """
        if in_all <= at_once:
            return f"at least {number_words(at_once)} at once: {clause}"
        guess = f"by their looks perhaps {number_words(by_looks)}, " if at_once < by_looks < in_all else ""
        most = (
            f"{guess}at most {number_words(in_all)} of those recognised (who are never in view together may be one)"
        )
        return f"at least {number_words(at_once)} at once, {most}: {clause}"

    def counted_by_looks(self, count: int, persons: int, clause: str) -> str:
        """How often it was done, by how many that look different; the first time follows."""
        return f"perhaps {number_words(persons)} by their looks, {times(count)} in all: {clause}"

    # How often and how long

    def counted(self, count: int, clause: str) -> str:
        """How often; the first time follows."""
        return f"{times(count)}: {clause}"

    def total_duration(self, seconds: float, count: int, clause: str) -> str:
        """How long `count` events last in all; the first of them follows."""
        return f"{lasting(seconds)}{f' in all, {times(count)}' if count > 1 else ''}: {clause}"

    def in_view_for(self, seconds: float, clause: str, *, has_ended: bool) -> str:
        """How long somebody was in view; the event follows by which they came. has_ended: they were seen to go."""
        return f"{'' if has_ended else 'at least '}{lasting(seconds)} in view: {clause}"

    def goes_on(self, clause: str, until: float) -> str:
        """An event, and up to which second of the video it goes on."""
        return f"{clause}, which goes on until {clock(until)}"

    def looks_untold(self, words: Sequence[str]) -> str:
        """Caveat: reports tell no sex or age. words: those of the question for one."""
        return f"Reports tell no sex or age, so {_quoted(words)} is left open."

    def interval(self, seconds: float | None, clause: str) -> str:
        """How long a state lasted; the change that began it follows. seconds: None where unknown."""
        return f"{lasting(seconds)}: {clause}" if seconds is not None else f"nobody knows how long: {clause}"

    def unended_interval(self, clause: str) -> str:
        """Reports that a state has no known end; the change that began it follows."""
        return f"nothing later says that it ended; {clause}"

    def intervals(self, lengths: Sequence[float], clause: str, unknown: int = 0) -> str:
        """How long a state lasted in all and each time; the first time follows. lengths: in seconds.

        unknown: how many times it lasted nobody knows how long.
        """
        each = (
            f", {times(len(lengths))} from {lasting(min(lengths))} to {lasting(max(lengths))}" if lengths[1:] else ""
        )
        more = f", and {times(unknown)} more for an unknown time" if unknown else ""
        return f"{lasting(sum(lengths))}{' in all' if each else ''}{each}{more}; first and last {clause}"

    def elapsed(self, seconds: float, clause: str) -> str:
        """How much time passed after the end of an event."""
        return f"{lasting(seconds)} from the end of this: {clause}"

    # One of several

    def first(self, clause: str) -> str:
        """The first of many."""
        return f"first {clause}"

    def last(self, clause: str) -> str:
        """The last of many."""
        return f"last {clause}"

    def first_of_many(self, count: int, shown: int, clause: str) -> str:
        """The first event of `count`, of which `shown` are listed."""
        return f"{count} events, of which the first {shown}: {clause}"

    def most_telling(self, count: int, shown: int, clause: str) -> str:
        """The first event of `shown` that tell most, of `count`."""
        return f"{count} events, of which these {shown} tell most: {clause}"

    def until(self, clause: str) -> str:
        """The event that ends a stretch of time."""
        return f"until, {clause}"

    def beside(self, relation: str, clause: str) -> str:
        """An event by its relation to the one stated before it. relation: before, after or during; else unchanged."""
        return _BESIDE.get(relation, "") + clause

    # The path to an event

    def is_as_watched(self, text: str) -> bool:
        """Whether a summary is a report of the local analyser, which knows only what it can see."""
        return bool(_AS_WATCHED.search(text))

    def without_viewer(self, text: str) -> str:
        """A report of the local analyser without the words that say that a camera saw it."""
        return text.replace(_AS_SEEN, "")

    def part_in_view(self, part: str, way: str) -> str:
        """A part of the picture as a report of the local analyser names it. way: the preposition of the question."""
        part, way = part.casefold(), way.casefold()
        return f"{way} the {part}" if way in ("from", "to") else f"the {part}"

    def things_in_doubt(self, text: str) -> list[str]:
        """What a summary names as what may be there only: "a dog" in "perhaps a dog (.41)"."""
        return [found[1].strip() for found in _IN_DOUBT.finditer(text)]

    def says_perhaps(self, clause: str) -> bool:
        """Whether a clause says of itself that it may not be so."""
        return "perhaps" in words_of(clause)

    def perhaps(self, clause: str) -> str:
        """A clause as one that may not be so."""
        return f"perhaps {clause}"

    def is_in_doubt(self, text: str) -> bool:
        """Whether a summary names somebody or something as what may be there only: "perhaps a person (.52)"."""
        return bool(_IN_DOUBT.search(text))

    def path_place(self, node_id: int, event: Event | None) -> str:
        """An event of a path: "event 3 (00:00:12 of kitchen)", "turn 4 of session_2". event: None where not known."""
        if event and event.turn:
            return f"turn {event.turn.number} of {event.turn.session_id}"
        return f"event {node_id}" + (f" ({clock(event.time_start)} of {event.video_id})" if event else "")

    def path_step(self, edge: Edge, *, forwards: bool, spoken: bool = False) -> str:
        """What links one event of a path to the next: "the key (take), later".

        forwards: in the edge's direction. spoken: from one turn of a conversation to another.
        """
        payload = edge.payload
        if edge.channel is Channel.TEMPORAL and spoken:
            return "next turn" if forwards else "the turn before"
        if edge.channel is Channel.TEMPORAL:
            return "next in the video" if forwards else "just before in the video"
        when = "later" if forwards else "earlier"
        if edge.channel is Channel.ENTITY_JUMP:
            return f"{str(payload.get('person', 'the same person')).replace('_', ' ')}, {when}"
        if edge.channel is Channel.OBJECT_LIFECYCLE:
            verb = f" ({payload['verb']})" if payload.get("verb") else ""
            return f"the {payload.get('object', 'same object')}{verb}, {when}"
        return f"{payload.get('subject', 'the same')}, heard and seen"

    # With a chat model

    def evidence_line(self, event: Event, lines: Sequence[str], places: Sequence[str] = ()) -> str:
        """An event as a model reads it: its summary, lines of its dialogue, and places of its things."""
        spoken = f" | spoken: {' | '.join(lines)}" if lines else ""
        return event.summary_text + spoken + (f" | places: {'; '.join(places)}" if places else "")

    def is_not_found(self, text: str) -> bool:
        """Whether a model's reply states that memory has no answer, in the words that its prompt asks for."""
        return text.casefold().strip(" .!\"'“”*") == _NOT_FOUND

    def model_skipped(self, role: str, reason: str) -> str:
        """Note: a model failed and its stage went by the rules."""
        return f"the {role} model was done without: {reason}"

    def citation_removed(self, citation: str) -> str:
        """Note: a model cited what it was not shown."""
        return f"removed a citation that the context does not hold: {citation}"

    def claim_removed(self, claim: str) -> str:
        """Note: a model claimed something without a citation."""
        return f"removed a claim that rests on nothing: {claim}"

    def answer_unsupported(self) -> str:
        """Note: nothing that a model answered rests on the evidence, so that the rules answered."""
        return "nothing in the model's answer rests on the evidence; answered by rules instead"

    def answer_interrupted(self, reason: str) -> str:
        """Note: the model failed in the middle of its answer."""
        return f"the answer broke off: {reason}"

    def answer_truncated(self, reason: str) -> str:
        """Note: the model's answer reached its limit."""
        return f"the answer was cut short: {reason}"

    # How the question was read

    def respelled_name(self, word: str, taken_as: str) -> str:
        """That a word of the question was taken for another spelling."""
        return f"Memory knows no “{word}”, taken as {taken_as}."

    def replaced(self, citation: str, since: datetime) -> str:
        """That the answer replaced what was said before, and since when. citation: of that turn, with its words."""
        return f"Since {since.day} {since:%B %Y} this replaces {citation}."

    def stated_before(self, citation: str) -> str:
        """That another value was stated before. citation: of that turn, with its words."""
        return f"Before that it was {citation}."

    def no_recording_dates(self) -> str:
        """Note: the day that the question names was ignored."""
        return "no recording knows its date: the day in the question is left out"

    def time_left_out(self, words: str) -> str:
        """Caveat: no recording tells the time of day that the question names."""
        return f"Memory knows no time of day of these recordings: “{words}” is left out."

    def unknown_video_named(self, video: str) -> str:
        """Note: the text model named a video outside the scope."""
        return f"the text model names a video that is not there to look in: {video}"

    def video_not_in_question(self, video: str) -> str:
        """Note: the text model named a video that the question does not."""
        return f"the text model names a video that the question does not: {video}"

    def seconds_not_in_question(self, times: Sequence[float]) -> str:
        """Note: the text model named times that the question does not."""
        return f"the text model names seconds that the question does not: {', '.join(map(str, times))}"


def _quoted(words: Sequence[str]) -> str:
    return " or ".join(f"“{word}”" for word in dict.fromkeys(words))


def _when(event: Event, action: Action | None = None) -> str:
    """When an event was. action: one of the event's, to give the second of the action."""
    if event.turn and event.at:
        return f"on {event.at.day} {event.at:%B %Y} at {event.at:%H:%M %Z}"
    second = event.time_start if action is None or action.time is None else action.time
    return f"at {clock(second)} of {event.video_id}"


def _summary(event: Event) -> str:
    return event.summary_text.rstrip(". ")


def _moment(event: Event, date_asked: bool) -> str:
    at = event.at
    if at is None:
        return _when(event) + (" (its day is not known)" if date_asked else "")
    lead = "said on" if event.turn else f"{_when(event)},"
    return f"{lead} {at:%A} {at.day} {at:%B %Y}, {at:%H:%M:%S %Z}"


def _with_the(thing: str) -> str:
    return thing if next(iter(words_of(thing)), "") in _DETERMINERS else f"the {thing}"


def _was(thing: str) -> str:
    return "were" if _is_plural(thing) else "was"


def _is_plural(thing: str) -> bool:
    """By its last word: one that has another singular, or none ("scissors")."""
    word = words_of(thing)[-1]
    return object_key(word) != word or (word.endswith("s") and not word.endswith(_NO_PLURAL))
