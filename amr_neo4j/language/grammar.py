"""Writes the sentences of answers from a table per language. What models are shown and notes about them are English.

What an analysis says is quoted as it is written there, in its own language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType
from typing import Literal, assert_never

from pydantic import Field

from amr_neo4j.domain.episode import DEFAULT_ACTOR
from amr_neo4j.domain.event import Action, Channel, Edge, Event, speaker_and_words
from amr_neo4j.domain.timestamps import clock, lasting
from amr_neo4j.domain.video import Video
from amr_neo4j.language.en.content import words_of
from amr_neo4j.language.values import StatedValue
from amr_neo4j.tables import Table

_IN_DOUBT = re.compile(r"\bperhaps\b([^()]*)\(\.\d+\)", re.IGNORECASE)
_AS_SEEN = "as seen by the camera"
_FOR_ACTOR = r"in front of them|behind them|on their (left|right)|with them"
_OF_ACTOR = rf"\b(stays beside|picks up|puts down|approaches|moves|has) .*({_FOR_ACTOR})(\.$| \()"
_AS_WATCHED = re.compile(rf"{_AS_SEEN}|^The (picture|camera)\b|^Text in view:|\(\.\d\d\)|{_OF_ACTOR}")
_UNITS = {"d": 86400, "h": 3600, "min": 60}
"""{unit of time: seconds}"""
_NOT_FOUND = "not found in memory"

# An answer about the films themselves names at most this many.
MOST_FILMS = 10


Sentence = Literal[
    "absence", "around", "as_noticed", "attribute_not_stated", "by_words", "earlier_moves", "fewer_occurrences",
    "first", "first_of_many", "first_plans", "hardly_believed", "in_pictures", "last", "last_place", "latest_days",
    "most_telling", "no_film", "no_occurrence", "page_also", "page_around", "page_confidence", "page_footer",
    "page_found", "page_no_clip", "page_no_picture", "page_of", "page_path", "page_unwalked", "perhaps", "recognised",
    "unended", "until", "you",
]  # fmt: skip
"""The sentences of answers.yaml that need no more than their slots filled."""


class AnswerTable(Table):
    """answers.yaml: the sentences and clauses of answers.

    months: the names of the months.
    first_day: how the first of a month is written; else "1".
    weekdays: the names of the days, Monday first.
    ago_units: {unit (d, h, min, s): (singular, plural)}, written after the words of `ago`.
    units: what days_counted counts in: {"night": (singular, plural)}. Both are the plural where the sentence begins
        with it ("Nächte: 3"). The English plurals are also what a question may name (DAYS in asking.yaml).
    sentences: {name: text with slots}. The languages other than English have the same names and slots. A sentence
        named ..._of quotes words of the question; one named ..._then is for a question with a time. own_turn is for a
        turn whose speaker has no name but the default.
    function: words of a question that do not say what is asked for.
    telling: words that count as `generic` in bullets.yaml but do say what is asked for: "tempo" also means the
        weather.
    aside: phrases whose words count only if there are no others, such as "wie viel Uhr" (a watch is "Uhr", too).
    """

    months: tuple[str, ...]
    first_day: str = "1"
    weekdays: tuple[str, ...]
    ago_units: dict[str, tuple[str, str]] = Field(default_factory=dict[str, tuple[str, str]])
    sentences: dict[str, str]
    units: dict[str, tuple[str, str]]
    function: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    aside: re.Pattern[str] | None = None


class Grammar:
    """Writes every sentence and clause of an answer from the table of a language.

    A method that returns a clause leaves out the capital and the full stop; `cited` adds both.
    """

    def __init__(self, table: AnswerTable, code: str = "en") -> None:
        """code: of the language of the table."""
        self._table = table
        self.code = code

    @property
    def units(self) -> Mapping[str, tuple[str, str]]:
        """What a question may count in, as in "on how many nights": {"night": (one of them, several of them)}."""
        return self._table.units

    # Sentences

    def cited(self, clause: str, citation: str) -> str:
        """Return a clause as a sentence that ends with its citation."""
        return f"{clause[:1].upper()}{clause[1:]} {citation}."

    def quoted(self, word: str) -> str:
        """Return a word of the question as the sentences quote it."""
        return self._say("quoted", word=word)

    def not_found(self, missing_words: Sequence[str] = (), *, in_time_span: bool = False) -> str:
        """Report that nothing answers the question. missing_words: words of it that memory does not have."""
        # Memory may have these words of another time.
        if in_time_span:
            return self._say("not_found_then")
        return self._say_of("not_found", missing_words)

    def in_doubt(self, missing_words: Sequence[str] = (), attribute: str = "") -> str:
        """Warn that the event that follows is only the closest, and may not answer the question.

        missing_words: words of the question that memory does not have.
        attribute: what memory does not state.
        """
        return self._say_of("in_doubt", missing_words)

    def guessed_name(self, word: str, thing: str) -> str:
        """Warn that memory has no such name, so that a similar object was used."""
        return self._say("guessed_name", word=self.quoted(word), thing=thing)

    def worn_as_reported(self, word: str) -> str:
        """Warn that reports state the colours of clothes, but not what garments they are."""
        return self._say("worn_as_reported", word=self.quoted(word))

    def words_not_found(self, words: Sequence[str]) -> str:
        """Warn that the event found has none of these words of the question.

        The event itself follows this warning, as the closest one.
        """
        return self._say("words_not_found", words=self._or(words))

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        """Report that memory does not state what is asked. The closest event follows.

        words: words of the question that the event does not support.
        """
        return self._say_of("not_stated", words)

    # Events

    def when(self, event: Event) -> str:
        """Return text such as "at 00:12:31 of kitchen_morning"; "on 8 May 2023 at 13:56 UTC+02:00" for a turn."""
        if event.turn and event.at:
            return self._say("when", time=f"{event.at:%H:%M %Z}", **self._day(event.at))
        return self._say("at", clock=clock(event.time_start), video=event.video_id)

    def corrected(self, fact: str, event: Event) -> str:
        """Return text that says that a fact was corrected by hand, and when the corrected statement was made."""
        return self._say("fact_corrected", fact=fact, when=self.when(event))

    def believed_at(self, fact: str, event: Event, words: str = "") -> str:
        """Return text such as "You live in Berlin, said on 10 November 2026 at 20:01 UTC+01:00: “I live in Berlin”".

        words: of the turn that stated it; empty if they are not to be shown. The time of the turn is not the time of
            what it tells, which only its own words say.
        """
        said = "fact_seen"
        if event.turn:
            said = "fact_said" if words else "fact_told"
        return self._say(said, fact=fact, when=self.when(event), words=words)

    def summary(self, event: Event) -> str:
        """Return the event's summary as a clause."""
        return event.summary_text.rstrip(". ")

    def event_at(self, event: Event, line: str = "") -> str:
        """Return when and what happened; of a turn, when it was said, by whom, and its words.

        line: a line of the event's dialogue, to add in brackets.
        """
        if event.turn:
            return self.turn_at(event, *spoken(event))
        told = self._say("event", when=self.when(event), summary=self.summary(event))
        return self._say("line", event=told, line=line) if line else told

    def turn_at(self, event: Event, speaker: str, words: str) -> str:
        """Return when a turn was spoken, by whom, and its words."""
        said = "own_turn" if speaker == DEFAULT_ACTOR else "turn"
        return self._say(said, when=self.when(event), speaker=speaker, words=words)

    def stated_moment(self, time: StatedValue, event: Event) -> str:
        """Return text such as "7 May 2023 (“yesterday”): on 8 May 2023 at 13:56 UTC Caroline said: “...”"."""
        return f"{time.words}: {self.event_at(event)}"

    def moment(self, event: Event, *, date_asked: bool, asked_at: datetime | None = None) -> str:
        """Return the moment of an event and its summary, by wall clock and calendar if they are known.

        asked_at: the moment of the question. It also says how long before the event was.
        """
        summary = self.summary(event)
        if event.at is None:
            name = "day_not_known" if date_asked else "event"
            return self._say(name, when=self.when(event), summary=summary)
        ago = f", {self.ago(event, asked_at)}" if asked_at else ""
        name = "moment_of_turn" if event.turn else "moment"
        when = {"when": self.when(event), "time": f"{event.at:%H:%M:%S %Z}", **self._day(event.at)}
        return self._say(name, ago=ago, summary=summary, **when)

    def ago(self, event: Event, asked_at: datetime) -> str:
        """Return how long before a moment an event was ("about two hours ago"); empty if its time is not known."""
        if event.at is None:
            return ""
        seconds = (asked_at - event.at).total_seconds()
        unit, size = next(((unit, size) for unit, size in _UNITS.items() if seconds >= size), ("s", 1))
        count = round(seconds / size)
        return self._say("ago", span=f"{count} {self._table.ago_units.get(unit, (unit, unit))[count != 1]}")

    def states_date(self, text: str, day: date) -> bool:
        """Return whether a text has the date of a day as the sentences write it: "4. Mai 2026"."""
        named = self._day(day)
        return bool(re.search(rf"\b{named['day']}\W.{{0,3}}{named['month']}.{{1,4}}{named['year']}\b", text))

    def when_dated(self, event: Event) -> str:
        """Return when an event was, by the calendar: "on Friday 23 October 2026 at 20:15 CEST (...)"."""
        if event.at is None:
            return self.when(event)
        where = {"clock": clock(event.time_start), "video": event.video_id}
        return self._say("dated", time=f"{event.at:%H:%M %Z}", **where, **self._day(event.at))

    # People

    def person_name(self, name: str) -> str:
        """Return a person as a sentence names them: a name as it is, a description with its article."""
        return name

    def people_at(self, names: Sequence[str], event: Event) -> str:
        """Return who it was, when and what happened."""
        return f"{self._and(names)}, {self.event_at(event)}"

    def company(
        self,
        present: Sequence[tuple[str, float, float]],
        event: Event,
        besides: Sequence[tuple[str, float, float]] = (),
    ) -> str:
        """Return who was there in the scene of an event: (name, from, to), in seconds of the video.

        besides: those who are in the scene, but not near the event.
        """
        names, others, at = self._spans(present), self._spans(besides), self.event_at(event)
        if others:
            return self._say("company_and_besides", names=names, others=others, at=at)
        return self._say("company", names=names, at=at) if names else self._say("alone", at=at)

    def _spans(self, persons: Sequence[tuple[str, float, float]]) -> str:
        """Return who was there from when to when: (name, from, to) each."""
        said = [self._say("span_of", name=each, since=clock(since), until=clock(to)) for each, since, to in persons]
        return self._and(said)

    def not_in_company(self, names: Sequence[str], event: Event) -> str:
        """Return who is in other scenes of the video, but not in that of an event."""
        name = "not_in_company" if names else "all_in_company"
        return self._say(name, names=self._and(names), at=self.event_at(event))

    def said_at(self, speaker: str, words: str, event: Event, *, to: str = "") -> str:
        """Return who said what, and when.

        speaker: empty if unknown.
        to: the words of the question it replies to.
        """
        said = self._say("spoke", speaker=speaker or self._say("somebody"), words=words, when=self.when(event))
        return self._say("replied", to=to, said=said) if to else said

    # Changes of things

    def change_at(self, action: Action, lemma: str, actor: str, event: Event, *, last: bool = False) -> str:
        """Return text such as "the keys were last put down on the hook, by Anna, at 00:12:31 of kitchen_morning".

        lemma: the action's verb in its base form.
        actor: the actor's name as `person_name` returns it; empty if unknown.
        """
        summary, where = self.summary(event), action.spatial_relation
        lacks = where and where.casefold() not in summary.casefold()
        told = self.event_at(event, f"{action.object}: {where}" if lacks else "")
        return self.say("last", clause=told) if last else told

    def described_at(self, thing: str, where: str, event: Event) -> str:
        """Return text such as "the phone was to the left of the mug, at 00:12:31 of kitchen_morning"."""
        return self._say("place", thing=thing, where=where.rstrip(". "), when=self.when(event))

    def with_place_unknown(self, clause: str, thing: str) -> str:
        """Add that no later event states where the thing was put."""
        return self._say("place_unknown", clause=clause)

    # What is in view

    def seen(self, clause: str, *, doubted: bool) -> str:
        """Say that it was seen, or perhaps was. The event follows."""
        return self._say("seen_perhaps" if doubted else "seen", clause=clause)

    def counted_in_view(self, at_once: int, by_looks: int, in_all: int, clause: str) -> str:
        """Say how many people were seen at once at least, in the event that follows.

        in_all: how many were recognised in all, where one person may be counted as two; 0 if things are counted.
        by_looks: the same, with people who look alike counted once.
        """
        name = "at_once_most" if in_all > at_once else "at_once"
        return self._say(name, least=at_once, most=in_all, clause=clause)

    def counted_visits(self, at_once: int, different: int, visits: int, clause: str) -> str:
        """Say how many there are at least, and in how many visits they were seen. The first visit follows.

        different: how many are known to be different, because they have names.
        """
        least = max(at_once, different)
        return self._say("visits_many" if visits > least else "visits", least=least, visits=visits, clause=clause)

    def counted_by_name(self, persons: int, visits: int, clause: str) -> str:
        """Say how many people with names there were, and in how many visits. The first visit follows."""
        return self._say("by_name", count=persons, clause=clause)

    def counted_by_looks(self, count: int, persons: int, clause: str) -> str:
        """Say how often it was done, and by how many people who look different. The first time follows."""
        return self._say("by_looks", times=self._times(count), persons=persons, clause=clause)

    # How often and how long

    def counted(self, count: int, clause: str, days: Mapping[date, int] = MappingProxyType({})) -> str:
        """Say how often, and on which days if there are several. The first time follows.

        days: {day: how often}, as far as the days are known.
        """
        return self._counted_on(self._times(count), clause, days)

    def days_counted(self, count: int, clause: str, days: Mapping[date, int], *, unit: str = "day") -> str:
        """Say on how many days, nights or weekends, or how often if no day is known; otherwise as `counted`."""
        if not days:
            return self.counted(count, clause)
        number = self._say("days_counted", unit=self._table.units[unit][len(days) != 1], count=len(days))
        return self._counted_on(number, clause, days)

    def _counted_on(self, number: str, clause: str, days: Mapping[date, int]) -> str:
        on_day = "counted_day_once" if set(days.values()) == {1} else "counted_day"
        on = [self._say(on_day, times=self._times(often), **self._day(day)) for day, often in days.items()]
        name = "counted_on" if on[1:] else "counted"
        return self._say(name, times=number, days=self._and(on), clause=clause)

    def habit(self, answer: str, number: int, *, occasions: int, days: int, usual: bool, clause: str) -> str:
        """Say on how many of the occasions it was so, and on how many days. The first of these occasions follows.

        answer: who, what or when it is; empty if the question asks whether.
        usual: it is so on at least half of several occasions.
        """
        name = "habit" if usual else "habit_rare"
        if occasions == 1:
            name = "habit_once"
        on = ""
        if days:
            on = self._say("on_day" if days == 1 else "on_days", count=days)
        told = self._say(name, number=number, occasions=occasions, on=on, clause=clause)
        return self._say("habit_of", answer=answer, habit=told) if answer else told

    def hour(self, hour: int) -> str:
        """Return an hour of the day as a stretch of time: "between 08:00 and 09:00"."""
        return self._say("hour", since=f"{hour:02}:00", until=f"{(hour + 1) % 24:02}:00")

    def total_duration(self, seconds: float, count: int, clause: str) -> str:
        """Say how long `count` events last in all. The first of them follows."""
        name = "total_of" if count > 1 else "total"
        return self._say(name, span=lasting(seconds), times=self._times(count), clause=clause)

    def in_view_for(self, seconds: float, clause: str, *, is_whole: bool) -> str:
        """Say how long somebody was in view. The event in which they came follows.

        is_whole: they were seen to come and to leave; if not, the time is a lower bound.
        """
        return self._say("in_view" if is_whole else "in_view_least", span=lasting(seconds), clause=clause)

    def goes_on(self, clause: str, until: float) -> str:
        """Return an event with the second of the video until which it goes on."""
        return self._say("goes_on", clause=clause, clock=clock(until))

    def looks_untold(self, words: Sequence[str]) -> str:
        """Warn that reports state no sex or age. words: the words of the question for a sex or an age."""
        return self._say("looks_untold", words=self._or(words))

    def interval(self, seconds: float | None, clause: str) -> str:
        """Say how long a state lasted. The change that began it follows.

        seconds: None if unknown.
        """
        if seconds is None:
            return self._say("interval_unknown", clause=clause)
        return self._say("interval", span=lasting(seconds), clause=clause)

    def intervals(self, lengths: Sequence[float], clause: str, unknown: int = 0) -> str:
        """Say how long a state lasted in all and each time. The first time follows.

        lengths: the seconds of each time.
        unknown: how many more times it lasted for an unknown length.
        """
        if not lengths[1:]:
            return self.interval(sum(lengths), clause)
        spans = {"span": lasting(sum(lengths)), "least": lasting(min(lengths)), "most": lasting(max(lengths))}
        return self._say("intervals", times=self._times(len(lengths)), **spans, clause=clause)

    def elapsed(self, seconds: float, clause: str) -> str:
        """Say how much time passed after the end of an event."""
        return self._say("elapsed", span=lasting(seconds), clause=clause)

    # One of several

    def films(self, videos: Sequence[Video], *, of: str) -> str:
        """Say how many films there are, how long they last, or when they were recorded.

        videos: at least one.
        of: "number", "length" or "span".
        """
        said = [self._film(video, of=of) for video in videos[:MOST_FILMS]]
        if len(videos) == 1 and of != "number":
            return f"{said[0]}."
        return self._say("films", count=len(videos), films="; ".join(said))

    def _film(self, video: Video, *, of: str) -> str:
        begun, length = video.recorded_at, video.duration_s
        if of == "span":
            if begun is None:
                return self._say("film_span_unknown", video=video.video_id)
            return self._say("film_span", video=video.video_id, time=f"{begun:%H:%M:%S %Z}", **self._day(begun))
        if length is None:
            return self._say("film_unknown", video=video.video_id)
        return self._say("film", video=video.video_id, span=lasting(length))

    def beside(self, relation: str, clause: str) -> str:
        """Return an event with its relation to the one stated before it.

        relation: "before", "after" or "during"; with any other the clause is unchanged.
        """
        return self._say(relation, clause=clause) if relation in ("before", "after", "during") else clause

    # Reports of the local analyser, and the path to an event

    def is_report(self, text: str) -> bool:
        """Return whether a summary is a report of the local analyser, which knows only what it can see."""
        return bool(_AS_WATCHED.search(text))

    def without_viewer(self, text: str) -> str:
        """Return a report of the local analyser without "as seen by the camera"."""
        return text.replace(_AS_SEEN, "")

    def part_in_view(self, part: str, way: str) -> str:
        """Return a part of the picture as reports of the local analyser name it.

        way: the question's preposition.
        """
        part, way = part.casefold(), way.casefold()
        return f"{way} the {part}" if way in ("from", "to") else f"the {part}"

    def things_in_doubt(self, text: str) -> list[str]:
        """Return what a summary names with a doubt: ["a dog"] for "perhaps a dog (.41)"."""
        return [found[1].strip() for found in _IN_DOUBT.finditer(text)]

    def says_perhaps(self, clause: str) -> bool:
        """Return whether a clause already says "perhaps"."""
        return "perhaps" in words_of(clause)

    def is_in_doubt(self, text: str) -> bool:
        """Return whether a summary names somebody or something with a doubt: "perhaps a person (.52)"."""
        return bool(_IN_DOUBT.search(text))

    def path_place(self, node_id: int, event: Event | None) -> str:
        """Return an event of a path: "event 3 (00:00:12 of kitchen)", "turn 4 of session_2".

        event: None if it was not read; only its number is written then.
        """
        if event and event.turn:
            return f"turn {event.turn.number} of {event.turn.session_id}"
        return f"event {node_id}" + (f" ({clock(event.time_start)} of {event.video_id})" if event else "")

    def path_step(self, edge: Edge, *, forwards: bool, spoken: bool = False) -> str:
        """Return what links one event of a path to the next: "the key (take), later".

        forwards: the step follows the edge's direction.
        spoken: the step goes from turn to turn of a conversation.
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
        if edge.channel is Channel.CROSS_MODAL:
            perhaps = "perhaps " if payload.get("evidence") in ("in_view", "alone") else ""
            return f"{perhaps}{payload.get('subject', 'the same')}, heard and seen"
        assert_never(edge.channel)

    # With a chat model

    def evidence_line(self, event: Event, lines: Sequence[str], places: Sequence[str] = ()) -> str:
        """Return an event as models and people read it: summary, lines of its dialogue, and places of its things."""
        spoken = f" | {self._say('spoken', lines=' | '.join(lines))}" if lines else ""
        where = f" | {self._say('places', places='; '.join(places))}" if places else ""
        return f"{event.summary_text}{spoken}{where}"

    def stretch_heading(self, event: Event) -> str:
        """Return the heading of a stretch of film or talk that begins with an event: where and on which day it is."""
        if event.at is None:
            return f"{event.video_id}:"
        zone = "" if event.turn else f"{event.at: %Z}"
        day = self._day(event.at)
        return f"{event.video_id}, {day['weekday']} {day['day']} {day['month']} {day['year']}{zone}:"

    def clock_of(self, event: Event) -> str:
        """Return when an event was, before its text under a heading: "12:31:05 "."""
        return f"{event.at:%H:%M:%S} " if event.at else f"{clock(event.time_start)} "

    def is_not_found(self, text: str) -> bool:
        """Return whether a model's reply says that memory has no answer, in the words that its prompt asks for."""
        return text.casefold().strip(" .!\"'“”*") == _NOT_FOUND

    def model_skipped(self, role: str, reason: str) -> str:
        """Note that a model failed, so that rules did its stage."""
        return f"the {role} model was done without: {reason}"

    def citation_removed(self, citation: str) -> str:
        """Note that a model cited what it was not shown."""
        return f"removed a citation that the context does not hold: {citation}"

    def claim_removed(self, claim: str) -> str:
        """Note that a model claimed something without a citation."""
        return f"removed a claim that rests on nothing: {claim}"

    def answer_unsupported(self) -> str:
        """Note that nothing in a model's answer rests on the evidence, so that the rules answered."""
        return "nothing in the model's answer rests on the evidence; answered by rules instead"

    def answer_interrupted(self, reason: str) -> str:
        """Note that the model failed in the middle of its answer."""
        return f"the answer broke off: {reason}"

    def answer_truncated(self, reason: str) -> str:
        """Note that the model's answer reached its length limit."""
        return f"the answer was cut short: {reason}"

    # How the question was read

    def respelled_name(self, word: str, taken_as: str) -> str:
        """Say that a word of the question was read as another spelling of a known name."""
        return self._say("respelled", word=self.quoted(word), taken_as=taken_as)

    def replaced(self, event: Event, citation: str, since: datetime) -> str:
        """Say what the answer replaced, and since when.

        The older turn is named by its moment and citation. Its words would read as if they still held.
        """
        return self._say("replaced", when=self.when(event), before=citation, **self._day(since))

    def stated_before(self, event: Event, citation: str) -> str:
        """Say that an older turn stated another value."""
        return self._say("stated_before", when=self.when(event), before=citation)

    def time_left_out(self, words: str, *, of_film: bool = False) -> str:
        """Warn that a time in the question was ignored, because no recording has a date or a time of day.

        of_film: because the end of several films may be meant.
        """
        return self._say("several_ends" if of_film else "no_dates", words=self.quoted(words))

    def time_not_understood(self, words: str) -> str:
        """Warn that a time in the question has no meaning here and was ignored."""
        return self._say("no_time", words=self.quoted(words))

    def last_time_before(self, clause: str) -> str:
        """Name the last event before the time that the question names, because there is none in that time."""
        return self._say("last_before", clause=clause[:1].lower() + clause[1:])

    def unknown_video_named(self, video: str) -> str:
        """Note that the text model named a video outside the scope."""
        return f"the text model names a video that is not there to look in: {video}"

    def video_not_in_question(self, video: str) -> str:
        """Note that the text model named a video that the question does not name."""
        return f"the text model names a video that the question does not: {video}"

    def seconds_not_in_question(self, times: Sequence[float]) -> str:
        """Note that the text model named times that the question does not name."""
        return f"the text model names seconds that the question does not: {', '.join(map(str, times))}"

    def say(self, sentence: Sentence, /, **slots: object) -> str:
        """Return a sentence of the table. slots: what stands in its slots."""
        return self._say(sentence, **slots)

    def _say(self, sentence: str, /, **slots: object) -> str:
        return self._table.sentences[sentence].format(**slots)

    def _say_of(self, sentence: str, words: Sequence[str]) -> str:
        """Return the sentence, or the one that names these words of the question."""
        return self._say(f"{sentence}_of", words=self._or(words)) if words else self._say(sentence)

    def _and(self, items: Sequence[str]) -> str:
        *most, last = items or [""]
        return f"{', '.join(most)}{self._say('listed_and')}{last}" if most else last

    def _or(self, words: Sequence[str]) -> str:
        return self._say("listed_or").join(map(self.quoted, dict.fromkeys(words)))

    def _times(self, count: int) -> str:
        return self._say({0: "never", 1: "once", 2: "twice"}.get(count, "times"), count=count)

    def _day(self, at: date) -> dict[str, str | int]:
        """Return the slots of a date."""
        month, weekday = self._table.months[at.month - 1], self._table.weekdays[at.weekday()]
        day = self._table.first_day if at.day == 1 else at.day
        return {"day": day, "month": month, "year": at.year, "weekday": weekday}


def spoken(event: Event) -> tuple[str, str]:
    """Return (speaker, words) of a turn, whose summary is "user: I live in Berlin."."""
    return speaker_and_words(event.summary_text.rstrip(". "))
