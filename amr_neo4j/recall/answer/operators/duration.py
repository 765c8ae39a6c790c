"""Answers how long something was in a state, how long something took, and how long people were in view."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from amr_neo4j.domain.event import STAY_REPORT_SEC
from amr_neo4j.language.grammar import Grammar
from amr_neo4j.language.nouns import Observation
from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown, change_claim, event_claim, listed_claims
from amr_neo4j.recall.answer.operators.counts import no_occurrence
from amr_neo4j.recall.evidence.occurrences import MAX_LISTED, events_of, listed, occurrences
from amr_neo4j.recall.evidence.state_intervals import (
    StateInterval,
    intervals_asked_for,
    known_lengths,
    listed_intervals,
)
from amr_neo4j.recall.evidence.timeline import overlaps, seconds_of
from amr_neo4j.recall.evidence.watched import deeds, is_watched, of_films, people_in, people_meant, unseen
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion, TimeRange
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate

# A visit whose end was not seen counts only if it is at least this long. A shorter one only shows that the person was
# there, and not how long.
SHORTEST_SEC = 1.0
# A person in view is reported at least once in this many seconds, even if one report is missing.
LONGEST_SILENCE_SEC = 2 * STAY_REPORT_SEC


@dataclass(frozen=True)
class Stay:
    """A time during which one person is in view.

    events: in chronological order, at least one.
    has_begun: an event shows the person come; if not, they may have been there before.
    has_ended: an event shows the person leave; if not, the visit may have gone on.
    seconds: from the start of the first event until the person leaves, or to the end of the last event.
    """

    events: tuple[Candidate, ...]
    has_begun: bool
    has_ended: bool

    @property
    def is_whole(self) -> bool:
        """Whether its beginning and its end were seen. If not, it lasted at least as long as is known."""
        return self.has_begun and self.has_ended

    @property
    def seconds(self) -> float:
        last = self.events[-1].event
        # The event that shows the person leave ends after they have left, so its start counts.
        whole = len(self.events) == 1 or not self.has_ended
        return (last.time_end if whole else last.time_start) - self.events[0].event.time_start

    def overlaps(self, ranges: Sequence[TimeRange]) -> bool:
        """Return whether any of it lies in one of these ranges; True if there are none."""
        return overlaps(self.events[0].event, self.events[-1].event, ranges)


def asks_for_visits(parsed: ParsedQuestion) -> bool:
    """Return whether a question asks how long people are there, and not how long they do something."""
    asking = parsed.language.asking
    about = bool(asking.anybody.search(parsed.main.text)) or any(w.describes_person for w in parsed.main.words)
    stays = all(parsed.language.codes.stays in word.forms for word in deeds(parsed))
    anywhere = not asking.in_part.search(parsed.main.text)
    return about and stays and anywhere and bool(asking.of_state.search(parsed.whole.text))


def visits_asked_for(parsed: ParsedQuestion, found: Iterable[Candidate]) -> list[Stay]:
    """Return the visits of the people whom a question describes, in its time, in chronological order."""
    films = of_films(found)
    looks = {word.word for word in parsed.main.words if word.describes_person}
    showing = [candidate for candidate in films if looks.issuperset(unseen(parsed, candidate))]
    known = {who for candidate in showing for who in people_meant(parsed, candidate)}
    found_visits = [visit for who in known for visit in _visits(who, films)]
    lasting = [visit for visit in found_visits if visit.has_ended or visit.seconds >= SHORTEST_SEC]
    in_time = [visit for visit in lasting if visit.overlaps(parsed.ranges)]
    return sorted(in_time, key=lambda visit: films.index(visit.events[0]))


def _visits(who: str, films: Sequence[Candidate]) -> Iterator[Stay]:
    """Yield the visits of one person. A cut to another view ends a visit, because nobody knows who is still there."""
    of_video: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in films:
        if who in people_in(candidate) or _cuts(candidate):
            of_video[candidate.event.video_id].append(candidate)
    for video in of_video.values():
        yield from _of_one_video(who, video)


def _of_one_video(who: str, events: Sequence[Candidate]) -> Iterator[Stay]:
    open_: list[Candidate] = []
    has_begun = False
    for candidate in events:
        done = {action.verb for action in candidate.event.actions if action.actor == who}
        # Somebody who comes in again must have left unseen. So may somebody of whom nothing was reported for long.
        is_silent = open_ and candidate.event.time_start - open_[-1].event.time_end > LONGEST_SILENCE_SEC
        if open_ and (is_silent or _cuts(candidate) or done & candidate.language.codes.comes):
            yield Stay(tuple(open_), has_begun=has_begun, has_ended=False)
            open_ = []
        if _cuts(candidate):
            continue
        has_begun = has_begun if open_ else bool(done & candidate.language.codes.comes)
        open_.append(candidate)
        if done & candidate.language.codes.goes:
            yield Stay(tuple(open_), has_begun=has_begun, has_ended=True)
            open_ = []
    if open_:
        yield Stay(tuple(open_), has_begun=has_begun, has_ended=False)


def _cuts(candidate: Candidate) -> bool:
    return candidate.summary == candidate.language.codes.observed(Observation("cut"))


def duration(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer how long a thing was in a state, how long a deed took, or how long people were in view.

    A state lasts from the change that began it to the next change. A deed takes as long as its events. The event of a
    change lasts as long as the deed and not as long as the state, so it does not answer for a state. People in front
    of a camera are in view from when they come until they leave. Only what overlaps the time of the question counts.
    """
    if stays := _stays(parsed, evidence):
        return stays
    intervals = intervals_asked_for(parsed, evidence.events)
    if intervals:
        return Claims(_of_intervals(intervals, parsed.language.grammar))
    done = events_of(occurrences(parsed.main, evidence.events))
    events = [c for c in done if overlaps(c.event, c.event, parsed.ranges)]
    asking = parsed.language.asking
    # A turn may state how long something took, but how long it was spoken says nothing of that.
    measured = [candidate for candidate in events if not candidate.event.turn]
    if events and (not measured or asking.of_state.search(parsed.whole.text) or parsed.denied_forms):
        return Unknown(Reason.IN_DOUBT, tuple(event_claim(candidate) for candidate in listed(events)))
    if done and not events:
        return Unknown()
    return Claims(_of_events(measured, parsed.language.grammar)) if measured else no_occurrence(parsed, evidence)


def _of_visits(visits: Sequence[Stay], grammar: Grammar) -> Iterator[Claim]:
    """Yield the first visits with their lengths; for a single visit its last event too."""
    for visit in visits[:MAX_LISTED]:
        begun = event_claim(visit.events[0])
        yield replace(begun, text=grammar.in_view_for(visit.seconds, begun.text, is_whole=visit.is_whole))
    if len(visits) == 1 and len(visits[0].events) > 1:
        yield event_claim(visits[0].events[-1])


def _stays(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown | None:
    """Answer how long people were in view, or who was so for longest; None if something else is asked."""
    if not (is_watched(of_films(evidence.found)) and asks_for_visits(parsed)):
        return Unknown() if parsed.longest else None
    visits = visits_asked_for(parsed, evidence.found)
    if not visits and (parsed.longest or visits_asked_for(replace(parsed, ranges=()), evidence.found)):
        return Unknown()
    if parsed.order in (Order.FIRST, Order.LAST):
        visits = visits[:1] if parsed.order is Order.FIRST else visits[-1:]
    if parsed.longest:
        # Whoever came or went unseen may have stayed longer.
        longest = max(visits, key=lambda visit: visit.seconds)
        visits = [longest, *(visit for visit in visits if visit is not longest and not visit.is_whole)]
    return Claims(tuple(_of_visits(visits, parsed.language.grammar))) if visits else None


def in_view(parsed: ParsedQuestion, found: Iterable[Candidate]) -> Claims | None:
    """Answer who is in view at a time of which no event tells: those who came before it and leave after it.

    Returns None if a deed is asked for, or if nobody is known to be in view.
    """
    films = of_films(found)
    # Somebody besides the one whom the question names would have to be told apart from them.
    others = parsed.answer_type is AnswerType.COMPANY or parsed.language.asking.others.search(parsed.main.text)
    asks = parsed.ranges and parsed.asks_for_people and not others and not deeds(parsed)
    asked = asks and is_watched(films)
    visits = visits_asked_for(parsed, films) if asked else []
    if not visits:
        return None
    grammar = parsed.language.grammar
    [first, *others] = list(_of_visits(visits, grammar))
    text = event_claim(visits[0].events[0]).text
    if parsed.answer_type is AnswerType.PRESENCE:
        first = replace(first, text=grammar.seen(text, doubted=False))
    elif parsed.answer_type is AnswerType.HEADCOUNT:
        most = max(_most_in_view(visits, range_) for range_ in parsed.ranges)
        first = replace(first, text=grammar.counted_in_view(most, most, len(visits), text))
    return Claims((first, *others))


def _most_in_view(visits: Iterable[Stay], range_: TimeRange) -> int:
    """Return the most people that any one camera shows in a time without events.

    The people of two cameras are not added up: both may show the same person.
    """
    in_time = (visit.events[0].event.video_id for visit in visits if visit.overlaps((range_,)))
    return max(Counter(in_time).values(), default=0)


def _of_events(events: Sequence[Candidate], grammar: Grammar) -> tuple[Claim, ...]:
    [claim, *claims] = listed_claims([event_claim(candidate) for candidate in events])
    seconds = seconds_of(candidate.event for candidate in events)
    return (replace(claim, text=grammar.total_duration(seconds, len(events), claim.text)), *claims)


def _of_intervals(intervals: Sequence[StateInterval], grammar: Grammar) -> tuple[Claim, ...]:
    shown, lengths = listed_intervals(intervals), known_lengths(intervals)
    [claim, *claims] = [claim for interval in shown for claim in _interval_claims(interval, grammar)]
    if len(shown) > 1:
        claim = replace(claim, text=grammar.intervals(lengths, claim.text, len(intervals) - len(lengths)))
    return (claim, *claims)


def _interval_claims(interval: StateInterval, grammar: Grammar) -> Iterator[Claim]:
    """Yield the change that began an interval, with its length, then the change that ended it."""
    begun = change_claim(interval.begun)
    if interval.ended is None:
        yield begun.put_into("unended")
    else:
        yield replace(begun, text=grammar.interval(interval.seconds, begun.text))
        yield change_claim(interval.ended)
