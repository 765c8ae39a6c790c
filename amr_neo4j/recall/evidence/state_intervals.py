"""How long things were as they were, from the change that began it to the next that ended it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from amr_neo4j.language.en.content import all_forms, preposition_of, words_of
from amr_neo4j.recall.answer.operators.place import Change, changes
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.timeline import chronological, seconds_between
from amr_neo4j.recall.question.clause import Clause

# What turns only on a question's last word: anything may be "on the table".
_LAST_WORDS = ("on", "off")


@dataclass(frozen=True)
class StateInterval:
    """A time during which a thing was so. ended: None where nothing later says otherwise."""

    begun: Change
    ended: Change | None = None

    @property
    def seconds(self) -> float | None:
        """From the one change to the other; None where memory cannot tell."""
        if self.ended is None:
            return None
        between = seconds_between(self.begun.candidate.event, self.ended.candidate.event)
        return None if between is None else between + _into_event(self.ended) - _into_event(self.begun)


def spells(clause: Clause, candidates: Sequence[Candidate]) -> list[StateInterval]:
    """When the things that a clause names were in the state or place that it names; empty where it names none."""
    of_things = [change for c in chronological(candidates) for change in changes(c) if change.thing in clause.objects]
    states = _states(clause).intersection(change.effect.to_state or "" for change in of_things)
    if states:
        kinds = {change.effect.kind for change in of_things if change.effect.to_state in states}
        of_kind = [change for change in of_things if change.effect.kind in kinds]
        return _each(of_kind, lambda change: change.effect.to_state in states)
    place = _place(clause)
    moved = [change for change in of_things if change.effect.moves]
    return _each(moved, lambda change: _is_at(change, clause, place)) if place else []


def _into_event(change: Change) -> float:
    """Seconds from the start of its event."""
    begun = change.candidate.event.time_start
    return 0.0 if change.action.time is None else change.action.time - begun


def _each(of_things: Sequence[Change], is_so: Callable[[Change], bool]) -> list[StateInterval]:
    things = dict.fromkeys(map(_identity, of_things))
    return [spell for thing in things for spell in _runs((c for c in of_things if _identity(c) == thing), is_so)]


def _identity(change: Change) -> tuple[str, str]:
    """The fridge of one kitchen is not that of another."""
    return change.candidate.event.place, change.thing


def _runs(in_order: Iterable[Change], is_so: Callable[[Change], bool]) -> Iterator[StateInterval]:
    begun: Change | None = None
    for change in in_order:
        if is_so(change):
            begun = begun or change
        elif begun:
            yield StateInterval(begun, change)
            begun = None
    if begun:
        yield StateInterval(begun)


def _states(clause: Clause) -> set[str]:
    """The words of a clause that may be a state: "was the stove on"; none of what somebody did."""
    words = words_of(clause.text)
    if clause.persons or "did" in words:
        return set()
    return {form for word in words if word not in _LAST_WORDS for form in all_forms(word)} | set(words[-1:])


def _place(clause: Clause) -> frozenset[str]:
    """The forms of the last thing that a clause names, if that is not what it asks about."""
    named = [word.forms for word in clause.names]
    return named[-1] if len(named) > 1 and not clause.action_words else frozenset()


def _is_at(change: Change, clause: Clause, place: frozenset[str]) -> bool:
    tie = preposition_of(clause.text, place)
    relation = change.action.spatial_relation
    return (
        change.effect.moves == "to_place"
        and not place.isdisjoint(all_forms(relation))
        and preposition_of(relation, place) == tie
    )
