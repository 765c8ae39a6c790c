"""Finds how long things were in a state: from the change that began the state to the next one that ended it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from amr_neo4j.recall.evidence.changes import StateChange, changes_in
from amr_neo4j.recall.evidence.timeline import chronological, overlaps, seconds_between
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate


@dataclass(frozen=True)
class StateInterval:
    """A time during which a thing was in a state. ended: None if no later event states another state."""

    begun: StateChange
    ended: StateChange | None = None

    @property
    def seconds(self) -> float | None:
        """Seconds from one change to the other; None if they share no timeline."""
        if self.ended is None:
            return None
        if self.begun.candidate is self.ended.candidate and None in (self.begun.action.time, self.ended.action.time):
            return None  # both changes are in one event, which does not say when
        between = seconds_between(self.begun.candidate.event, self.ended.candidate.event)
        return None if between is None else between + _into_event(self.ended) - _into_event(self.begun)


def intervals_asked_for(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[StateInterval]:
    """Return the intervals that a question asks about; only the last one if it asks about the present."""
    found = [each for each in state_intervals(parsed.main, candidates) if _overlaps(each, parsed)]
    present = parsed.order is Order.LAST or parsed.language.asking.asks_about_the_present(parsed.main.text)
    return found[-1:] if present else found


def state_intervals(clause: Clause, candidates: Sequence[Candidate]) -> list[StateInterval]:
    """Return when the things of a clause were in the state or place that it names; empty if it names neither."""
    changes = [change for candidate in chronological(candidates) for change in changes_in(candidate)]
    of_things = [change for change in changes if change.thing in clause.objects]
    # The words may be about anything. Only a state that one of the things ever had is meant.
    states = _states(clause).intersection(change.effect.to_state or "" for change in of_things)
    if states:
        # A change of another kind (moved, washed) does not end the state "open".
        kinds = {change.effect.kind for change in of_things if change.effect.to_state in states}
        of_kind = [change for change in of_things if change.effect.kind in kinds]
        return _of_each_thing(of_kind, lambda change: change.effect.to_state in states)
    # Without a state the question is how long a thing was at a place.
    place = _place(clause)
    moved = [change for change in of_things if change.effect.moves]
    if place:
        return _of_each_thing(moved, lambda change: _is_at(change, clause, place))
    # "How long did the sign stand there": from when it was put there until it was taken away.
    stays = clause.language.asking.staying.search(clause.text)
    return _of_each_thing(moved, lambda change: change.effect.moves == "to_place") if stays else []


def _overlaps(interval: StateInterval, parsed: ParsedQuestion) -> bool:
    """Return whether any part of an interval is within the time that the question names."""
    ended = interval.ended.candidate.event if interval.ended else None
    return overlaps(interval.begun.candidate.event, ended, parsed.ranges)


def known_lengths(intervals: Iterable[StateInterval]) -> list[float]:
    """Return the lengths of the intervals in seconds, without unknown ones."""
    return [interval.seconds for interval in intervals if interval.seconds is not None]


def listed_intervals(found: Sequence[StateInterval]) -> Sequence[StateInterval]:
    """Return the intervals that an answer lists: the first and the last; only the last if no length is known."""
    return [found[0], found[-1]] if len(found) > 1 and known_lengths(found) else found[-1:]


def _into_event(change: StateChange) -> float:
    """Return the seconds from the start of the event to the change; 0 if the change has no time."""
    begun = change.candidate.event.time_start
    return 0.0 if change.action.time is None else change.action.time - begun


def _of_each_thing(of_things: Sequence[StateChange], is_so: Callable[[StateChange], bool]) -> list[StateInterval]:
    by_thing: dict[tuple[str, str], list[StateChange]] = {}
    for change in of_things:
        # The fridge of one kitchen is not the fridge of another.
        identity = (change.candidate.event.place, change.thing)
        by_thing.setdefault(identity, []).append(change)
    return [found for changes in by_thing.values() for found in _runs(changes, is_so)]


def _runs(in_order: Iterable[StateChange], is_so: Callable[[StateChange], bool]) -> Iterator[StateInterval]:
    begun: StateChange | None = None
    for change in in_order:
        if is_so(change):
            begun = begun or change  # to open an open door does not begin a new interval
        elif begun:
            yield StateInterval(begun, change)
            begun = None
    if begun:
        yield StateInterval(begun)


def _states(clause: Clause) -> frozenset[str]:
    """Return the words of a clause that may name a state; none if the clause names a person, who did something."""
    return frozenset() if clause.persons else clause.language.asking.state_words(clause.text)


def _place(clause: Clause) -> frozenset[str]:
    """Return the forms of the place that a clause names: its last thing, if it names several and no deed."""
    named = [word.forms for word in clause.names]
    return named[-1] if len(named) > 1 and not clause.action_words else frozenset()


def _is_at(change: StateChange, clause: Clause, place: frozenset[str]) -> bool:
    relation, language = change.action.spatial_relation, clause.language
    return (
        change.effect.moves == "to_place"
        and not place.isdisjoint(language.all_forms(relation))
        and language.preposition_of(relation, place) == language.preposition_of(clause.text, place)
    )
