"""Writes the sentences of answers from a table per language. What models are shown and notes about them are English.

What an analysis says is quoted as it is written there, in its own language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType

from amr_neo4j.domain.episode import DEFAULT_ACTOR
from amr_neo4j.domain.event import Action, Event
from amr_neo4j.domain.timestamps import clock, lasting
from amr_neo4j.domain.video import Video
from amr_neo4j.language.grammar import MOST_FILMS, Grammar, spoken
from amr_neo4j.language.values import StatedValue
from amr_neo4j.tables import Table


class AnswerTable(Table):
    """answers.yaml: one sentence or clause for each method of `Grammar` that it replaces.

    months: the names of the months.
    own_turn: the sentence for a turn whose speaker has no name but the default.
    quoted, or: how a list of words is written.
    A sentence named ..._of quotes words of the question; one named ..._then is for a question with a time.
    function: words of a question that do not say what is asked for.
    sentences: those about videos, by the names that AnswerGrammar has for them. The same in all languages.
    """

    months: tuple[str, ...]
    when: str
    said: str
    seen: str
    turn: str
    own_turn: str
    hardly_believed: str
    quoted: str
    or_: str
    not_found: str
    not_found_then: str
    not_found_of: str
    in_doubt: str
    in_doubt_of: str
    words_not_found: str
    not_stated: str
    not_stated_of: str
    replaced: str
    stated_before: str
    function: frozenset[str]
    weekdays: tuple[str, ...]
    sentences: dict[str, str]


class AnswerGrammar(Grammar):
    """Writes the sentences of a table, and English ones where the table has none."""

    def __init__(self, table: AnswerTable) -> None:
        self._table = table

    def quoted(self, word: str) -> str:
        """Return a word of the question as the sentences quote it."""
        return self._table.quoted.format(word=word)

    def not_found(self, missing_words: Sequence[str] = (), *, in_time_span: bool = False) -> str:
        """Report that nothing answers the question. missing_words: words of it that memory does not have."""
        if missing_words:
            return self._table.not_found_of.format(words=self._listed(missing_words))
        return self._table.not_found_then if in_time_span else self._table.not_found

    def in_doubt(self, missing_words: Sequence[str] = (), attribute: str = "") -> str:
        """Warn that the event that follows is only the closest, and may not answer the question."""
        return self._about(self._table.in_doubt, self._table.in_doubt_of, missing_words)

    def words_not_found(self, words: Sequence[str]) -> str:
        """Warn that the event found has none of these words of the question."""
        return self._table.words_not_found.format(words=self._listed(words))

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        """Report that memory does not state what is asked. The closest event follows."""
        return self._about(self._table.not_stated, self._table.not_stated_of, words)

    def when(self, event: Event) -> str:
        """Return when a turn was said, by calendar and clock; when an event was, in its video."""
        if not (event.turn and event.at):
            return self._say("at", clock=clock(event.time_start), video=event.video_id)
        return self._table.when.format(**self._date(event.at), time=f"{event.at:%H:%M %Z}")

    def believed_at(self, fact: str, event: Event, words: str = "") -> str:
        """Return a fact with the time when it was stated, and the words of the turn that stated it."""
        sentence = self._table.said if event.turn else self._table.seen
        return sentence.format(fact=fact, when=self.when(event), words=words)

    def hardly_believed(self) -> str:
        """Warn that the fact that follows was hedged, or was said long ago and not since."""
        return self._table.hardly_believed

    def turn_at(self, event: Event, speaker: str, words: str) -> str:
        """Return when a turn was spoken, by whom, and its words."""
        sentence = self._table.own_turn if speaker == DEFAULT_ACTOR else self._table.turn
        return sentence.format(when=self.when(event), speaker=speaker, words=words)

    def stated_moment(self, time: StatedValue, event: Event) -> str:
        """Return a time that a turn states, followed by the turn."""
        return f"{time.words}: {self.event_at(event)}"

    def replaced(self, event: Event, citation: str, since: datetime) -> str:
        """Say that the answer replaced an earlier turn, and since when."""
        return self._table.replaced.format(when=self.when(event), before=citation, **self._date(since))

    def stated_before(self, event: Event, citation: str) -> str:
        """Say that an older turn stated another value."""
        return self._table.stated_before.format(when=self.when(event), before=citation)

    # Events

    def attribute_not_stated(self, attribute: str) -> str:
        """Report that memory states nothing about an attribute."""
        return self._table.not_stated.partition(";")[0].rstrip(" .") + "."

    def no_occurrence(self) -> str:
        """Report that memory has no such event. The closest event follows."""
        return self._say("no_occurrence")

    def fewer_occurrences(self, number: int) -> str:
        """Report that it happened fewer than `number` times. The times that it did happen follow."""
        return self._say("fewer_occurrences", number=number)

    def guessed_name(self, word: str, thing: str) -> str:
        """Warn that memory has no such name, so that a similar object was used."""
        return self._say("guessed_name", word=self._listed([word]), thing=thing)

    def worn_as_reported(self, word: str) -> str:
        """Warn that reports state the colours of clothes, but not what garments they are."""
        return self._say("worn_as_reported", word=self._listed([word]))

    def event_at(self, event: Event, line: str = "") -> str:
        """Return when and what happened; of a turn, when it was said, by whom, and its words.

        line: a line of the event's dialogue, to add in brackets.
        """
        if event.turn:
            return self.turn_at(event, *spoken(event))
        told = self._say("event", when=self.when(event), summary=self.summary(event))
        return self._say("line", event=told, line=line) if line else told

    def moment(self, event: Event, *, date_asked: bool, asked_at: datetime | None = None) -> str:
        """Return the moment of an event and its summary, by wall clock and calendar if they are known."""
        summary = self.summary(event)
        if event.at is None:
            name = "day_not_known" if date_asked else "event"
            return self._say(name, when=self.when(event), summary=summary)
        when = ", ".join([self.when(event), *([self.ago(event, asked_at)] if asked_at else [])])
        name = "moment_of_turn" if event.turn else "moment"
        return self._say(name, when=when, time=f"{event.at:%H:%M:%S %Z}", summary=summary, **self._day(event.at))

    def ago(self, event: Event, asked_at: datetime) -> str:
        """Return how long before a moment an event was; empty if its time is not known."""
        if event.at is None:
            return ""
        seconds = (asked_at - event.at).total_seconds()
        size = next((size for size in (86400, 3600, 60) if seconds >= size), 1)
        return self._say("ago", span=lasting(round(seconds / size) * size))

    def when_dated(self, event: Event) -> str:
        """Return when an event was, by the calendar."""
        if event.at is None:
            return self.when(event)
        where = {"clock": clock(event.time_start), "video": event.video_id}
        return self._say("dated", time=f"{event.at:%H:%M %Z}", **where, **self._day(event.at))

    # People

    def person_name(self, name: str) -> str:
        """Return a person as the analysis names them."""
        return name

    def people_at(self, names: Sequence[str], event: Event) -> str:
        """Return who it was, when and what happened."""
        return f"{self._and(names)}, {self.event_at(event)}"

    def company(self, present: Sequence[tuple[str, float, float]], event: Event) -> str:
        """Return who was there in the scene of an event: (name, from, to), in seconds of the video."""
        spans = [self._say("span_of", name=each, since=clock(a), until=clock(b)) for each, a, b in present]
        return self._say("company" if spans else "alone", names=self._and(spans), at=self.event_at(event))

    def not_in_company(self, names: Sequence[str], event: Event) -> str:
        """Return who is in other scenes of the video, but not in that of an event."""
        name = "not_in_company" if names else "all_in_company"
        return self._say(name, names=self._and(names), at=self.event_at(event))

    def company_as_noticed(self) -> str:
        """Return the caveat of every answer about who was there."""
        return self._say("as_noticed")

    def said_at(self, speaker: str, words: str, event: Event, *, to: str = "") -> str:
        """Return who said what, and when. speaker: empty if unknown. to: the words of the question it replies to."""
        said = self._say("spoke", speaker=speaker or self._say("somebody"), words=words, when=self.when(event))
        return self._say("replied", to=to, said=said) if to else said

    # Things

    def change_at(self, action: Action, lemma: str, actor: str, event: Event, *, last: bool = False) -> str:
        """Return the event of a change, with the place where its summary lacks it."""
        summary, where = self.summary(event), action.spatial_relation
        lacks = where and where.casefold() not in summary.casefold()
        told = self.event_at(event, f"{action.object}: {where}" if lacks else "")
        return self.last(told) if last else told

    def described_at(self, thing: str, where: str, event: Event) -> str:
        """Return where a thing was."""
        return self._say("place", thing=thing, where=where.rstrip(". "), when=self.when(event))

    def with_place_unknown(self, clause: str, thing: str) -> str:
        """Add that no later event states where the thing was put."""
        return self._say("place_unknown", clause=clause)

    def last_stated_place(self, clause: str) -> str:
        """Return the latest change that states a place. It follows a later change that states none."""
        return self._say("last_place", clause=clause)

    def earlier_moves(self, count: int, clause: str) -> str:
        """Return the first move that the answer lists, after `count` earlier ones that it leaves out."""
        return self._say("earlier_moves", count=count, clause=clause)

    # What is in view, how often, how long

    def seen(self, clause: str, *, doubted: bool) -> str:
        """Say that it was seen, or perhaps was. The event follows."""
        return self._say("perhaps" if doubted else "seen", clause=clause)

    def absence_unproven(self) -> str:
        """Say that something may have been there although memory does not have it."""
        return self._say("absence")

    def as_recognised(self, clause: str) -> str:
        """Say that a count covers only what was recognised."""
        return self._say("recognised", clause=clause)

    def counted_in_view(self, at_once: int, by_looks: int, in_all: int, clause: str) -> str:
        """Say how many people were seen at once at least, in the event that follows."""
        name = "at_once_most" if in_all > at_once else "at_once"
        return self._say(name, least=at_once, most=in_all, clause=clause)

    def counted_visits(self, at_once: int, different: int, visits: int, clause: str) -> str:
        """Say how many there are at least, and in how many visits they were seen. The first visit follows."""
        least = max(at_once, different)
        return self._say("visits_many" if visits > least else "visits", least=least, visits=visits, clause=clause)

    def counted_by_name(self, persons: int, visits: int, clause: str) -> str:
        """Say how many people with names there were. The first visit follows."""
        return self._say("by_name", count=persons, clause=clause)

    def counted_by_looks(self, count: int, persons: int, clause: str) -> str:
        """Say how often it was done, and by how many people who look different. The first time follows."""
        return self._say("by_looks", times=self._times(count), persons=persons, clause=clause)

    def counted(
        self, count: int, clause: str, days: Mapping[date, int] = MappingProxyType({}), *, of_days: bool = False
    ) -> str:
        """Say how often, or on how many days, and on which if there are several. The first time follows."""
        on = [self._say("day", times=self._times(often), **self._day(day)) for day, often in days.items()]
        name = "counted_on" if on[1:] else "counted"
        often = self._say("days_counted", count=len(days)) if of_days and days else self._times(count)
        return self._say(name, times=often, days=self._and(on), clause=clause)

    def habit(self, answer: str, number: int, *, occasions: int, days: int, usual: bool, clause: str) -> str:
        """Say on how many of the occasions it was so. The first of these occasions follows."""
        name = "habit" if usual else "habit_rare"
        if occasions == 1:
            name = "habit_once"
        told = self._say(name, number=number, occasions=occasions, clause=clause)
        return self._say("habit_of", answer=answer, habit=told) if answer else told

    def total_duration(self, seconds: float, count: int, clause: str) -> str:
        """Say how long `count` events last in all. The first of them follows."""
        name = "total_of" if count > 1 else "total"
        return self._say(name, span=lasting(seconds), times=self._times(count), clause=clause)

    def in_view_for(self, seconds: float, clause: str, *, has_ended: bool) -> str:
        """Say how long somebody was in view. The event in which they came follows."""
        return self._say("in_view" if has_ended else "in_view_least", span=lasting(seconds), clause=clause)

    def goes_on(self, clause: str, until: float) -> str:
        """Return an event with the second of the video until which it goes on."""
        return self._say("goes_on", clause=clause, clock=clock(until))

    def looks_untold(self, words: Sequence[str]) -> str:
        """Warn that reports state no sex or age."""
        return self._say("looks_untold", words=self._listed(words))

    def interval(self, seconds: float | None, clause: str) -> str:
        """Say how long a state lasted. The change that began it follows."""
        if seconds is None:
            return self._say("interval_unknown", clause=clause)
        return self._say("interval", span=lasting(seconds), clause=clause)

    def unended_interval(self, clause: str) -> str:
        """Report that a state has no known end. The change that began it follows."""
        return self._say("unended", clause=clause)

    def intervals(self, lengths: Sequence[float], clause: str, unknown: int = 0) -> str:
        """Say how long a state lasted in all and each time. The first time follows."""
        if not lengths[1:]:
            return self.interval(sum(lengths), clause)
        spans = {"span": lasting(sum(lengths)), "least": lasting(min(lengths)), "most": lasting(max(lengths))}
        return self._say("intervals", times=self._times(len(lengths)), **spans, clause=clause)

    def elapsed(self, seconds: float, clause: str) -> str:
        """Say how much time passed after the end of an event."""
        return self._say("elapsed", span=lasting(seconds), clause=clause)

    # One of several

    def first(self, clause: str) -> str:
        """Mark a clause as the first of many."""
        return self._say("first", clause=clause)

    def last(self, clause: str) -> str:
        """Mark a clause as the last of many."""
        return self._say("last", clause=clause)

    def first_of_many(self, count: int, shown: int, clause: str) -> str:
        """Return the first event, and say that `shown` of `count` events are listed."""
        return self._say("first_of_many", count=count, shown=shown, clause=clause)

    def most_telling(self, count: int, shown: int, clause: str) -> str:
        """Return the first event, and say that the `shown` most telling of `count` events are listed."""
        return self._say("most_telling", count=count, shown=shown, clause=clause)

    def films(self, videos: Sequence[Video], *, of: str) -> str:
        """Say how many films there are, how long they last, or when they were recorded."""
        said = [self._film(video, of=of) for video in videos[:MOST_FILMS]]
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

    def until(self, clause: str) -> str:
        """Return the event that ends a stretch of time."""
        return self._say("until", clause=clause)

    def beside(self, relation: str, clause: str) -> str:
        """Return an event with its relation to the one stated before it."""
        return self._say(relation, clause=clause) if relation in ("before", "after", "during") else clause

    def perhaps(self, clause: str) -> str:
        """Return a clause with "perhaps" before it."""
        return self._say("perhaps", clause=clause)

    # How the question was read

    def found_by_words(self, reason: str) -> str:
        """Note that dense search was away."""
        return self._say("by_words", reason=reason)

    def respelled_name(self, word: str, taken_as: str) -> str:
        """Say that a word of the question was read as another spelling of a known name."""
        return self._say("respelled", word=self._listed([word]), taken_as=taken_as)

    def time_left_out(self, words: str, *, of_film: bool = False) -> str:
        """Warn that a time in the question was ignored."""
        return self._say("several_ends" if of_film else "no_dates", words=self._listed([words]))

    def time_not_understood(self, words: str) -> str:
        """Warn that a time in the question has no meaning here and was ignored."""
        return self._say("no_time", words=self._listed([words]))

    def latest_days_alone(self, days: int) -> str:
        """Note that hours of earlier days were not looked at."""
        return self._say("latest_days", days=days)

    def no_such_film(self, film: str) -> str:
        """Note that the question names a film that is not there."""
        return self._say("no_film", film=film)

    def last_time_before(self, clause: str) -> str:
        """Name the last event before the time that the question names, because there is none in that time."""
        return self._say("last_before", clause=clause[:1].lower() + clause[1:])

    def _say(self, sentence: str, /, **slots: object) -> str:
        return self._table.sentences[sentence].format(**slots)

    def _and(self, items: Sequence[str]) -> str:
        *most, last = items or [""]
        return f"{', '.join(most)}{self._table.sentences['listed_and']}{last}" if most else last

    def _times(self, count: int) -> str:
        return self._say({0: "never", 1: "once", 2: "twice"}.get(count, "times"), count=count)

    def _day(self, at: date) -> dict[str, str | int]:
        return {**self._date(at), "weekday": self._table.weekdays[at.weekday()]}

    def _about(self, plain: str, of_words: str, words: Sequence[str]) -> str:
        return of_words.format(words=self._listed(words)) if words else plain

    def _listed(self, words: Sequence[str]) -> str:
        return self._table.or_.join(map(self.quoted, dict.fromkeys(words)))

    def _date(self, at: date) -> dict[str, str | int]:
        return {"day": at.day, "month": self._table.months[at.month - 1], "year": at.year}
