"""The candidates that match most of a clause."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause


def matching(clause: Clause, candidates: Sequence[Candidate], *, by_effect: bool = True) -> list[Candidate]:
    """The candidates that match as much of a clause as any does.

    Compared in turn: a thing and a person it names, what that person does to that thing, its words. by_effect:
    another verb that leaves the thing in the same state matches too, as "took" matches "picked up".
    """
    things, people = {*clause.objects}, {*clause.persons}
    done = {(who, thing) for who in people for thing in things}
    found = _most(candidates, lambda c: bool(things & c.objects) + bool(people & c.people.keys()))
    found = _most(
        found, lambda c: bool(done & c.actors_on_objects) + (by_effect and bool(clause.effects & c.effects))
    )
    without_verbs = not by_effect or any(clause.effects & c.effects for c in found)
    asked = {form for word in clause.specific_words if not (without_verbs and word.acts) for form in word.forms}
    return _most(found, lambda c: c.matched(clause, asked & c.forms))


def _most(candidates: Sequence[Candidate], count: Callable[[Candidate], float]) -> list[Candidate]:
    counts = [count(candidate) for candidate in candidates]
    most = max(counts, default=0)
    return [candidate for candidate, counted in zip(candidates, counts, strict=True) if counted == most]
