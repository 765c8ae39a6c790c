"""Writes answers in English: every sentence, clause and word form that an answer contains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from types import MappingProxyType

from amr_neo4j.domain.event import Action, Channel, Edge, Event, speaker_and_words
from amr_neo4j.domain.timestamps import clock, lasting
from amr_neo4j.domain.video import Video
from amr_neo4j.language.en.content import all_forms, words_of
from amr_neo4j.language.en.identities import object_key, person_key
from amr_neo4j.language.en.sentences import ago_in_words, joined, number_words, past_participle, times
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
# What lies in or on a thing is moved with it.
_CARRYING_PREPOSITIONS = ("in", "on")
_BESIDE = {"before": "before that, ", "after": "after that, ", "during": "about then, "}
_IN_DOUBT = re.compile(r"\bperhaps\b([^()]*)\(\.\d+\)", re.IGNORECASE)
_AS_SEEN = "as seen by the camera"
_FOR_ACTOR = r"in front of them|behind them|on their (left|right)|with them"
_OF_ACTOR = rf"\b(stays beside|picks up|puts down|approaches|moves|has) .*({_FOR_ACTOR})(\.$| \()"
_AS_WATCHED = re.compile(rf"{_AS_SEEN}|^The (picture|camera)\b|^Text in view:|\(\.\d\d\)|{_OF_ACTOR}")
_NOT_FOUND = "not found in memory"

# An answer about the films themselves names at most this many.
MOST_FILMS = 10


class Grammar:
    """Writes every sentence, clause and word form of an answer.

    A method that returns a clause leaves out the capital and the full stop; `cited` adds both.
    """

    # What a question asks for

    def asks_for_a_date(self, question: str) -> bool:
        """Return whether the question names a unit of the calendar ("on which day")."""
        return not _CALENDAR_WORDS.isdisjoint(words_of(question))

    def asks_about_the_present(self, question: str) -> bool:
        """Return whether the question is in the present tense ("how long has the lamp been on")."""
        return not _PRESENT_TENSE.isdisjoint(words_of(question))

    def state_words(self, question: str) -> frozenset[str]:
        """Return the words that may name a state ("was the stove on"); none if it asks what somebody did."""
        words = words_of(question)
        # "How long did the door stay open" asks for a state in spite of "did".
        if "did" in words and _STAYING.isdisjoint(words):
            return frozenset()
        anywhere = [word for word in words if word not in _STATES_AT_THE_END]
        return frozenset(words[-1:]).union(*map(all_forms, anywhere))

    def is_source(self, preposition: str) -> bool:
        """Return whether a preposition names the place that a thing was taken from ("from the shelf")."""
        return preposition in _SOURCE_PREPOSITIONS

    def carries(self, preposition: str) -> bool:
        """Return whether a thing that is put somewhere is moved with what stands there ("in the folder")."""
        return preposition in _CARRYING_PREPOSITIONS

    # Sentences

    def cited(self, clause: str, citation: str) -> str:
        """Return a clause as a sentence that ends with its citation."""
        return f"{clause[:1].upper()}{clause[1:]} {citation}."

    def quoted(self, word: str) -> str:
        """Return a word of the question as the sentences quote it."""
        return f"“{word}”"

    def not_found(self, missing_words: Sequence[str] = (), *, in_time_span: bool = False) -> str:
        """Report that nothing answers the question. missing_words: words of it that memory does not have."""
        # Memory may have these words of another time.
        if in_time_span:
            return "Nothing in memory fits that time."
        reason = f": it knows nothing of {_quoted(missing_words)}" if missing_words else ""
        return f"Nothing in memory fits{reason}."

    def attribute_not_stated(self, attribute: str) -> str:
        """Report that memory states nothing about an attribute, such as a colour."""
        return f"Nothing in memory states the {attribute}."

    def in_doubt(self, missing_words: Sequence[str] = (), attribute: str = "") -> str:
        """Warn that the event that follows is only the closest, and may not answer the question.

        missing_words: words of the question that memory does not have.
        attribute: what memory does not state.
        """
        if missing_words:
            return f"Memory knows nothing of {_quoted(missing_words)}; the nearest is this."
        if attribute:
            return f"Memory does not state the {attribute}; the nearest is this."
        return "Memory may not hold the answer; the nearest is this."

    def no_occurrence(self) -> str:
        """Report that memory has no such event. The closest event follows."""
        return "No such event in memory; the nearest is this."

    def fewer_occurrences(self, number: int) -> str:
        """Report that it happened fewer than `number` times. The times that it did happen follow."""
        return f"It happened fewer than {number} times in memory."

    def guessed_name(self, word: str, thing: str) -> str:
        """Warn that memory has no such name, so that a similar object was used."""
        return f"Memory knows no “{word}”, only something near: the {thing}."

    def worn_as_reported(self, word: str) -> str:
        """Warn that reports state the colours of clothes, but not what garments they are."""
        return f"Reports state the colours of clothes, but not whether it is a “{word}”."

    def words_not_found(self, words: Sequence[str]) -> str:
        """Warn that the event found has none of these words of the question. It follows as the closest."""
        return f"Nothing found says {_quoted(words)}; the nearest is this."

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        """Report that memory does not state what is asked. The closest event follows.

        words: words of the question that the event does not support.
        """
        this = f"this with {_quoted(words)}" if words else "this"
        what = f"the {attribute}" if attribute else this
        return f"Nothing in memory states {what}; the nearest is this."

    # Events

    def when(self, event: Event) -> str:
        """Return text such as "at 00:12:31 of kitchen_morning"; "on 8 May 2023 at 13:56 UTC+02:00" for a turn."""
        return _when(event)

    def believed_at(self, fact: str, event: Event, words: str = "") -> str:
        """Return text such as "You live in Berlin, said on 10 November 2026 at 20:01 UTC+01:00: “I live in Berlin”".

        words: of the turn that stated it. The time of the turn is not the time of what it tells, which only its own
        words say.
        """
        return f"{fact}, said {_when(event)}: “{words}”" if event.turn else f"{fact}, seen {_when(event)}"

    def hardly_believed(self) -> str:
        """Warn that the fact that follows was hedged, or was said long ago and not since."""
        return "As far as memory knows:"

    def summary(self, event: Event) -> str:
        """Return the event's summary as a clause."""
        return _summary(event)

    def event_at(self, event: Event, line: str = "") -> str:
        """Return when and what happened; of a turn, when it was said, by whom, and its words.

        line: a line of the event's dialogue, to add in brackets.
        """
        if event.turn:
            return self.turn_at(event, *spoken(event))
        return f"{_when(event)}: {_summary(event)}" + (f" ({line})" if line else "")

    def turn_at(self, event: Event, speaker: str, words: str) -> str:
        """Return when a turn was spoken, by whom, and its words."""
        return f"{_when(event)} {speaker} said: “{words}”"

    def stated_moment(self, time: StatedValue, event: Event) -> str:
        """Return text such as "7 May 2023 (“yesterday”): on 8 May 2023 at 13:56 UTC Caroline said: “...”"."""
        said = "" if time.words == time.value else f" (“{time.words}”)"
        return f"{time.value}{said}: {self.event_at(event)}"

    def moment(self, event: Event, *, date_asked: bool, asked_at: datetime | None = None) -> str:
        """Return the moment of an event and its summary, by wall clock and calendar if they are known.

        asked_at: the moment of the question. It also says how long before the event was.
        """
        ago = f", {self.ago(event, asked_at)}" if asked_at else ""
        return f"{_moment(event, date_asked)}{ago if event.at else ''}: {_summary(event)}"

    def ago(self, event: Event, asked_at: datetime) -> str:
        """Return how long before a moment an event was ("about two hours ago"); empty if its time is not known."""
        return ago_in_words((asked_at - event.at).total_seconds()) if event.at else ""

    def when_dated(self, event: Event) -> str:
        """Return when an event was, by the calendar: "on Friday 23 October 2026 at 20:15 CEST (...)"."""
        at = event.at
        if at is None:
            return _when(event)
        return f"on {at:%A} {at.day} {at:%B %Y} at {at:%H:%M %Z} ({clock(event.time_start)} of {event.video_id})"

    # People

    def person_name(self, name: str) -> str:
        """Return a person as a sentence names them: a name as it is, a description with its article."""
        return name if person_key(name).is_name or name.casefold().startswith(_ARTICLES) else f"the {name}"

    def people_at(self, names: Sequence[str], event: Event) -> str:
        """Return who it was, when and what happened."""
        return f"{joined(names)}, {self.event_at(event)}"

    def company(self, present: Sequence[tuple[str, float, float]], event: Event) -> str:
        """Return who was there in the scene of an event: (name, from, to), in seconds of the video."""
        at = f"{_when(event)}: {_summary(event)}"
        if not present:
            return f"nobody else acts, speaks or is named in that scene, {at}"
        spans = [f"{name} ({clock(since)} to {clock(until)})" for name, since, until in present]
        return f"{joined(spans)}, {at}"

    def not_in_company(self, names: Sequence[str], event: Event) -> str:
        """Return who is in other scenes of the video, but not in that of an event."""
        at = f"{_when(event)}: {_summary(event)}"
        if not names:
            return f"everybody who is in other scenes of that day is in this one, {at}"
        are = "is" if len(names) == 1 else "are"
        return f"{joined(names)} {are} in other scenes of that day, and not in this one, {at}"

    def company_as_noticed(self) -> str:
        """Return the caveat of every answer about who was there."""
        return "Only who acts, speaks or is named in the scene counts; anybody else there is not known."

    def said_at(self, speaker: str, words: str, event: Event, *, to: str = "") -> str:
        """Return who said what, and when. speaker: empty if unknown. to: the words of the question it replies to."""
        said = f"{speaker or 'somebody'} said, {_when(event)}: “{words}”"
        return f"to “{to}” {said}" if to else said

    # Changes of things

    def change_at(self, action: Action, lemma: str, actor: str, event: Event, *, last: bool = False) -> str:
        """Return text such as "the keys were last put down on the hook, by Anna, at 00:12:31 of kitchen_morning".

        lemma: the action's verb in its base form.
        actor: the actor's name as `person_name` returns it; empty if unknown.
        """
        done = past_participle(lemma)
        # "put in" and "into the case" is "put into the case".
        if action.spatial_relation.startswith(f"{done.rpartition(' ')[2]}to "):
            done = done.rpartition(" ")[0]
        verb = " ".join(filter(None, ["last" if last else "", done, action.spatial_relation]))
        by = f", by {actor}" if actor else ""
        return f"{_with_the(action.object)} {_was(action.object)} {verb}{by}, {_when(event, action)}"

    def described_at(self, thing: str, where: str, event: Event) -> str:
        """Return text such as "the phone was to the left of the mug, at 00:12:31 of kitchen_morning"."""
        return f"{_with_the(thing)} {_was(thing)} {where.rstrip('. ')}, {_when(event)}"

    def with_place_unknown(self, clause: str, thing: str) -> str:
        """Add that no later event states where the thing was put."""
        pronoun = "they were" if _is_plural(thing) else "it was"
        return f"{clause}. Nothing later says where {pronoun} put"

    def last_stated_place(self, clause: str) -> str:
        """Return the latest change that states a place. It follows a later change that states none."""
        return f"nothing says where; before that {clause}"

    def earlier_moves(self, count: int, clause: str) -> str:
        """Return the first move that the answer lists, after `count` earlier ones that it leaves out."""
        return f"{count} moves before; then {clause}"

    # What is in view

    def seen(self, clause: str, *, doubted: bool) -> str:
        """Say that it was seen, or perhaps was. The event follows."""
        return f"{'perhaps' if doubted else 'yes'}: {clause}"

    def absence_unproven(self) -> str:
        """Say that something may have been there although memory does not have it."""
        return "It knows only what was recognised, so this does not say that there was none."

    def as_recognised(self, clause: str) -> str:
        """Say that a count covers only what was recognised, which may be too many or too few."""
        return f"as far as was recognised, {clause}"

    def counted_in_view(self, at_once: int, by_looks: int, in_all: int, clause: str) -> str:
        """Say how many people were seen at once at least, in the event that follows.

        in_all: how many were recognised in all, where one person may be counted as two; 0 if things are counted.
        by_looks: the same, with people who look alike counted once.
        """
        if in_all <= at_once:
            return f"at least {number_words(at_once)} at once: {clause}"
        guess = f"by their looks perhaps {number_words(by_looks)}, " if at_once < by_looks < in_all else ""
        most = (
            f"{guess}at most {number_words(in_all)} of those recognised (who are never in view together may be one)"
        )
        return f"at least {number_words(at_once)} at once, {most}: {clause}"

    def counted_visits(self, at_once: int, different: int, visits: int, clause: str) -> str:
        """Say how many there are at least, and in how many visits they were seen. The first visit follows.

        different: how many are known to be different, because they have names.
        """
        least = f"at least {number_words(max(at_once, different))}"
        how = " at once" if visits > 1 else ""
        if different > at_once:
            how = " different"
        if visits <= max(at_once, different):
            return f"{least}{how}: {clause}"
        return f"{least}{how}, in {number_words(visits)} visits, which may be of the same: {clause}"

    def counted_by_name(self, persons: int, visits: int, clause: str) -> str:
        """Say how many people with names there were, and in how many visits. The first visit follows."""
        often = f", in {number_words(visits)} visits" if visits > persons else ""
        return f"{number_words(persons)} by name{often}: {clause}"

    def counted_by_looks(self, count: int, persons: int, clause: str) -> str:
        """Say how often it was done, and by how many people who look different. The first time follows."""
        return f"perhaps {number_words(persons)} by their looks, {times(count)} in all: {clause}"

    # How often and how long

    def counted(
        self, count: int, clause: str, days: Mapping[date, int] = MappingProxyType({}), *, of_days: bool = False
    ) -> str:
        """Say how often, and on which days if there are several. The first time follows.

        days: {day: how often}, as far as the days are known. of_days: say on how many days, instead of how often.
        """
        once_each = set(days.values()) == {1}
        on = [
            f"{day:%A} {day.day} {day:%B}{'' if once_each else f' ({times(often)})'}" for day, often in days.items()
        ]
        often = f"{len(days)} day{'s' if on[1:] else ''}" if of_days and days else times(count)
        return f"{often}{f', on {joined(on)}' if on[1:] else ''}: {clause}"

    def habit(self, answer: str, number: int, *, occasions: int, days: int, usual: bool, clause: str) -> str:
        """Say on how many of the occasions it was so, and on how many days. The first of these occasions follows.

        answer: who, what or when it is; empty if the question asks whether.
        usual: it is so on at least half of several occasions.
        """
        if occasions == 1:
            how = "seen only once, which is no habit"
        else:
            on_days = f", on {days} day{'s' if days != 1 else ''}" if days else ""
            how = f"{number} of {occasions} occasions{on_days}{'' if usual else ', so rarely'}"
        return f"{answer + ' - ' if answer else ''}{how}: {clause}"

    def total_duration(self, seconds: float, count: int, clause: str) -> str:
        """Say how long `count` events last in all. The first of them follows."""
        return f"{lasting(seconds)}{f' in all, {times(count)}' if count > 1 else ''}: {clause}"

    def in_view_for(self, seconds: float, clause: str, *, has_ended: bool) -> str:
        """Say how long somebody was in view. The event in which they came follows.

        has_ended: they were seen to leave; if not, the time is a lower bound.
        """
        return f"{'' if has_ended else 'at least '}{lasting(seconds)} in view: {clause}"

    def goes_on(self, clause: str, until: float) -> str:
        """Return an event with the second of the video until which it goes on."""
        return f"{clause}, which goes on until {clock(until)}"

    def looks_untold(self, words: Sequence[str]) -> str:
        """Warn that reports state no sex or age. words: the words of the question for a sex or an age."""
        return f"Reports state no sex or age, so {_quoted(words)} is left open."

    def interval(self, seconds: float | None, clause: str) -> str:
        """Say how long a state lasted. The change that began it follows.

        seconds: None if unknown.
        """
        return f"{lasting(seconds)}: {clause}" if seconds is not None else f"nobody knows how long: {clause}"

    def unended_interval(self, clause: str) -> str:
        """Report that a state has no known end. The change that began it follows."""
        return f"nothing later says that it ended; {clause}"

    def intervals(self, lengths: Sequence[float], clause: str, unknown: int = 0) -> str:
        """Say how long a state lasted in all and each time. The first time follows.

        lengths: the seconds of each time.
        unknown: how many more times it lasted for an unknown length.
        """
        each = (
            f", {times(len(lengths))} from {lasting(min(lengths))} to {lasting(max(lengths))}" if lengths[1:] else ""
        )
        more = f", and {times(unknown)} more for an unknown time" if unknown else ""
        return f"{lasting(sum(lengths))}{' in all' if each else ''}{each}{more}; first and last {clause}"

    def elapsed(self, seconds: float, clause: str) -> str:
        """Say how much time passed after the end of an event."""
        return f"{lasting(seconds)} from the end of this: {clause}"

    # One of several

    def first(self, clause: str) -> str:
        """Mark a clause as the first of many."""
        return f"first {clause}"

    def last(self, clause: str) -> str:
        """Mark a clause as the last of many."""
        return f"last {clause}"

    def first_of_many(self, count: int, shown: int, clause: str) -> str:
        """Return the first event, and say that `shown` of `count` events are listed."""
        return f"{count} events, of which the first {shown}: {clause}"

    def most_telling(self, count: int, shown: int, clause: str) -> str:
        """Return the first event, and say that the `shown` most telling of `count` events are listed."""
        return f"{count} events, of which these {shown} tell most: {clause}"

    def films(self, videos: Sequence[Video], *, of: str) -> str:
        """Say how many films there are, how long they last, or when they were recorded.

        videos: at least one.
        of: "number", "length" or "span".
        """
        said = [self._film(video, of=of) for video in videos[:MOST_FILMS]]
        more = f" and {len(videos) - MOST_FILMS} more" if len(videos) > MOST_FILMS else ""
        if of != "span" and len(videos) == 1:
            return f"{'One video: ' if of == 'number' else ''}{said[0]}."
        seconds = [video.duration_s for video in videos if video.duration_s is not None]
        in_all = f", {lasting(sum(seconds))} in all" if len(seconds) == len(videos) else ""
        count = "" if of == "span" else f"{len(videos)} videos{in_all}: "
        return f"{count}{'; '.join(said)}{more}."

    def _film(self, video: Video, *, of: str) -> str:
        begun, length = video.recorded_at, video.duration_s
        if of != "span":
            return (
                f"{video.video_id}, {lasting(length)}"
                if length is not None
                else f"{video.video_id}, of unknown length"
            )
        if begun is None:
            return f"when {video.video_id} was recorded is not known"
        until = f" to {begun + timedelta(seconds=length):%H:%M:%S}" if length is not None else ""
        return f"{video.video_id}: {begun:%A} {begun.day} {begun:%B %Y} from {begun:%H:%M:%S}{until} {begun:%Z}"

    def until(self, clause: str) -> str:
        """Return the event that ends a stretch of time."""
        return f"until, {clause}"

    def beside(self, relation: str, clause: str) -> str:
        """Return an event with its relation to the one stated before it.

        relation: "before", "after" or "during"; with any other the clause is unchanged.
        """
        return _BESIDE.get(relation, "") + clause

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

    def perhaps(self, clause: str) -> str:
        """Return a clause with "perhaps" before it."""
        return f"perhaps {clause}"

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
        perhaps = "perhaps " if payload.get("evidence") in ("in_view", "alone") else ""
        return f"{perhaps}{payload.get('subject', 'the same')}, heard and seen"

    # With a chat model

    def evidence_line(self, event: Event, lines: Sequence[str], places: Sequence[str] = ()) -> str:
        """Return an event as a model reads it: its summary, lines of its dialogue, and the places of its things."""
        spoken = f" | spoken: {' | '.join(lines)}" if lines else ""
        return event.summary_text + spoken + (f" | places: {'; '.join(places)}" if places else "")

    def stretch_heading(self, event: Event) -> str:
        """Return the heading of a stretch of film or talk that begins with an event: where and on which day it is."""
        if event.at is None:
            return f"{event.video_id}:"
        zone = "" if event.turn else f"{event.at: %Z}"
        return f"{event.video_id}, {event.at:%A} {event.at.day} {event.at:%B %Y}{zone}:"

    def clock_of(self, event: Event) -> str:
        """Return when an event was, before its text under a heading: "12:31:05 "."""
        return f"{event.at:%H:%M:%S} " if event.at else f"{clock(event.time_start)} "

    def is_not_found(self, text: str) -> bool:
        """Return whether a model's reply says that memory has no answer, in the words that its prompt asks for."""
        return text.casefold().strip(" .!\"'“”*") == _NOT_FOUND

    def model_skipped(self, role: str, reason: str) -> str:
        """Note that a model failed, so that rules did its stage."""
        return f"the {role} model was done without: {reason}"

    def found_by_words(self, reason: str) -> str:
        """Note that dense search was away."""
        return f"searched by words alone, since the embedder does not answer: {reason}"

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
        return f"Memory knows no “{word}”, taken as {taken_as}."

    def replaced(self, event: Event, citation: str, since: datetime) -> str:
        """Say what the answer replaced, and since when.

        The older turn is named by its moment and citation. Its words would read as if they still held.
        """
        return f"Since {since.day} {since:%B %Y} this replaces what was said {_when(event)} {citation}."

    def stated_before(self, event: Event, citation: str) -> str:
        """Say that an older turn stated another value."""
        return f"Something else was said {_when(event)} {citation}."

    def time_left_out(self, words: str, *, of_film: bool = False) -> str:
        """Warn that a time in the question was ignored, because no recording has a date or a time of day.

        of_film: because the end of several films may be meant.
        """
        if of_film:
            return f"Memory has several recordings that end at different times: “{words}” is left out."
        return f"Memory knows no dates or times of day of these recordings: “{words}” is left out."

    def time_not_understood(self, words: str) -> str:
        """Warn that a time in the question has no meaning here and was ignored."""
        return f"“{words}” is not understood as a time and left out."

    def latest_days_alone(self, days: int) -> str:
        """Note that hours of earlier days were not looked at."""
        return f"only the last {days:,} days are looked in: name the days for earlier ones"

    def no_such_film(self, film: str) -> str:
        """Note that the question names a film that is not there."""
        return f"no video is called {film}: all are looked in"

    def last_time_before(self, clause: str) -> str:
        """Name the last event before the time that the question names, because there is none in that time."""
        return f"The last time before: {clause[:1].lower()}{clause[1:]}."

    def unknown_video_named(self, video: str) -> str:
        """Note that the text model named a video outside the scope."""
        return f"the text model names a video that is not there to look in: {video}"

    def video_not_in_question(self, video: str) -> str:
        """Note that the text model named a video that the question does not name."""
        return f"the text model names a video that the question does not: {video}"

    def seconds_not_in_question(self, times: Sequence[float]) -> str:
        """Note that the text model named times that the question does not name."""
        return f"the text model names seconds that the question does not: {', '.join(map(str, times))}"


def _quoted(words: Sequence[str]) -> str:
    return " or ".join(f"“{word}”" for word in dict.fromkeys(words))


def _when(event: Event, action: Action | None = None) -> str:
    """Return when an event was. action: one of its actions, to return the second of that action instead."""
    if event.turn and event.at:
        return f"on {event.at.day} {event.at:%B %Y} at {event.at:%H:%M %Z}"
    second = event.time_start if action is None or action.time is None else action.time
    return f"at {clock(second)} of {event.video_id}"


def _summary(event: Event) -> str:
    return event.summary_text.rstrip(". ")


def spoken(event: Event) -> tuple[str, str]:
    """Return (speaker, words) of a turn, whose summary is "user: I live in Berlin."."""
    return speaker_and_words(_summary(event))


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
    """Return whether a thing's last word is a plural: it has another singular, or ends in s ("scissors")."""
    word = words_of(thing)[-1]
    return object_key(word) != word or (word.endswith("s") and not word.endswith(_NO_PLURAL))
