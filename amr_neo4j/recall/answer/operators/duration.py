"""How long something was so, or took, and how long people are in view."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

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
from amr_neo4j.recall.evidence.timeline import is_within, seconds_of
from amr_neo4j.recall.evidence.watched import deeds, is_watched, of_films, people_in, people_meant, unseen
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate

# Of somebody whose going was not seen, a shorter time says only that they were there.
SHORTEST_SEC = 1.0


@dataclass(frozen=True)
class Visit:
    """A time during which one person is in view. has_ended: an event tells of their going; else it may have gone on.

    events: in their order, at least one; seconds: from the first one's start to the going, or to the last one's end.
    """

    events: tuple[Candidate, ...]
    has_ended: bool

    @property
    def seconds(self) -> float:
        last = self.events[-1].event
        whole = len(self.events) == 1 or not self.has_ended
        return (last.time_end if whole else last.time_start) - self.events[0].event.time_start


def asks_for_visits(parsed: ParsedQuestion) -> bool:
    """Whether it asks how long people are there, and not how long they do something."""
    asking = parsed.language.asking
    about = bool(asking.anybody.search(parsed.main.text)) or any(w.describes_person for w in parsed.main.words)
    stays = all(parsed.language.scenes.stays in word.forms for word in deeds(parsed))
    anywhere = not asking.in_part.search(parsed.main.text)
    return about and stays and anywhere and bool(asking.of_state.search(parsed.whole.text))


def visits_asked_for(parsed: ParsedQuestion, found: Iterable[Candidate]) -> list[Visit]:
    """The visits of those whom a question describes, in their order."""
    films = of_films(found)
    looks = {word.word for word in parsed.main.words if word.describes_person}
    known = {who for c in films if looks.issuperset(unseen(parsed, c)) for who in people_meant(parsed, c)}
    found_visits = [visit for who in known for visit in _visits(who, films)]
    lasting = [visit for visit in found_visits if visit.has_ended or visit.seconds >= SHORTEST_SEC]
    return sorted(lasting, key=lambda visit: films.index(visit.events[0]))


def _visits(who: str, films: Sequence[Candidate]) -> Iterator[Visit]:
    """The visits of one person. A cut to another view ends what is known of who is there."""
    of_video: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in films:
        if who in people_in(candidate) or _cuts(candidate):
            of_video[candidate.event.video_id].append(candidate)
    for video in of_video.values():
        yield from _of_one_video(who, video)


def _of_one_video(who: str, events: Sequence[Candidate]) -> Iterator[Visit]:
    open_: list[Candidate] = []
    for candidate in events:
        done = {action.verb for action in candidate.event.actions if action.actor == who}
        if open_ and (_cuts(candidate) or done & candidate.language.scenes.comes):
            yield Visit(tuple(open_), has_ended=False)
            open_ = []
        if _cuts(candidate):
            continue
        open_.append(candidate)
        if done & candidate.language.scenes.goes:
            yield Visit(tuple(open_), has_ended=True)
            open_ = []
    if open_:
        yield Visit(tuple(open_), has_ended=False)


def _cuts(candidate: Candidate) -> bool:
    return candidate.event.summary_text == candidate.language.scenes.observed(Observation("cut"))


def duration(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """How long a thing was in a state, from the change that began it; how long the events last in which it was done.

    Events that tell of a state last as long as the deed of changing it, so they are no answer for the state. People
    before a camera are in view from their coming to their going.
    """
    if is_watched(of_films(evidence.found)) and asks_for_visits(parsed):
        visits = visits_asked_for(parsed, evidence.found)
        if parsed.order in (Order.FIRST, Order.LAST):
            visits = visits[:1] if parsed.order is Order.FIRST else visits[-1:]
        if visits:
            return Claims(tuple(_of_visits(visits, parsed.language.grammar)))
    intervals = intervals_asked_for(parsed, evidence.events)
    if intervals:
        return Claims(_of_intervals(intervals, parsed.language.grammar))
    events = [c for c in events_of(occurrences(parsed.main, evidence.events)) if is_within(c.event, parsed.within)]
    if events and parsed.language.asking.of_state.search(parsed.whole.text):
        return Unknown(Reason.IN_DOUBT, tuple(event_claim(candidate) for candidate in listed(events)))
    return Claims(_of_events(events, parsed.language.grammar)) if events else no_occurrence(parsed, evidence)


def _of_visits(visits: Sequence[Visit], grammar: Grammar) -> Iterator[Claim]:
    """The first ones with their lengths; of a single one its end too."""
    for visit in visits[:MAX_LISTED]:
        begun = event_claim(visit.events[0])
        yield replace(begun, text=grammar.in_view_for(visit.seconds, begun.text, has_ended=visit.has_ended))
    if len(visits) == 1 and len(visits[0].events) > 1:
        yield event_claim(visits[0].events[-1])


def _of_events(events: Sequence[Candidate], grammar: Grammar) -> tuple[Claim, ...]:
    [claim, *claims] = listed_claims([event_claim(candidate) for candidate in events], grammar)
    seconds = seconds_of(candidate.event for candidate in events)
    return (replace(claim, text=grammar.total_duration(seconds, len(events), claim.text)), *claims)


def _of_intervals(intervals: Sequence[StateInterval], grammar: Grammar) -> tuple[Claim, ...]:
    shown, lengths = listed_intervals(intervals), known_lengths(intervals)
    [claim, *claims] = [claim for interval in shown for claim in _interval_claims(interval, grammar)]
    if len(shown) > 1:
        claim = replace(claim, text=grammar.intervals(lengths, claim.text, len(intervals) - len(lengths)))
    return (claim, *claims)


def _interval_claims(interval: StateInterval, grammar: Grammar) -> Iterator[Claim]:
    """The change that began it, with its length, and the one that ended it."""
    begun = change_claim(interval.begun)
    if interval.ended is None:
        yield replace(begun, text=grammar.unended_interval(begun.text))
    else:
        yield replace(begun, text=grammar.interval(interval.seconds, begun.text))
        yield change_claim(interval.ended)
