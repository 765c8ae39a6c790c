"""Every time that something was done: for questions of how often, how long and which of several times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from amr_neo4j.domain.event import Action
from amr_neo4j.language.en.content import all_forms
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.verbs import Transition, states_meant, transition
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.clause import Clause


@dataclass(frozen=True)
class Occurrence:
    """One time. action: what was done; None where only the event's words tell of it."""

    candidate: Candidate
    action: Action | None = None


def occasions(clause: Clause, candidates: Iterable[Candidate]) -> list[Occurrence]:
    """The times that a clause tells of, in their order: by the actions, else by events that meet its words."""
    in_order = chronological(candidates)
    done = [Occurrence(c, action) for c in in_order for action in c.event.actions if _is_meant(action, clause)]
    return done or [Occurrence(c) for c in in_order if _is_told(c, clause)]


def _is_meant(action: Action, clause: Clause) -> bool:
    thing = object_key(action.object)
    if (clause.objects and thing not in clause.objects) or (clause.persons and action.actor not in clause.persons):
        return False
    asked = [change for of, change in clause.changes if of == thing]
    if asked:
        done = transition(action.verb, thing, action.spatial_relation)
        return done is not None and any(_is_such(done, change) for change in asked)
    deeds = {form for word in clause.action_words for form in word.forms}
    return not deeds.isdisjoint(all_forms(action.verb)) if deeds else bool(clause.objects or clause.persons)


def _is_such(done: Transition, asked: Transition) -> bool:
    """Whether it leaves the state asked for. To leave a fridge open is not to open it, nor the other way round."""
    keeps = [change.from_state == change.to_state for change in (done, asked)]
    return done.kind == asked.kind and done.to_state in states_meant(asked) and keeps[0] == keeps[1]


def _is_told(candidate: Candidate, clause: Clause) -> bool:
    words = [word for word in clause.search_terms if not word.vague]
    people = not clause.persons or not candidate.people.keys().isdisjoint(clause.persons)
    return bool(words) and people and all(not word.forms.isdisjoint(candidate.forms) for word in words)


def alone(found: Iterable[Occurrence]) -> Iterator[Candidate]:
    """The events of the occasions, each once."""
    yield from {occasion.candidate.node_id: occasion.candidate for occasion in found}.values()
