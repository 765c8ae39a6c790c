"""Decides whether an event is what an alert asks for.

An event must match everything that the words say. Recall ranks events by how well they fit, but an alert has a single
event and nothing to rank, and a false alert wakes somebody up.
"""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.domain.event import Action, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.evidence.premise import leaving_things
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.retrieve.features import features_of


def wanted(text: str, names: Names, language: Language) -> Clause:
    """Return what an alert is about.

    names: the persons and objects that memory knows.

    Words that memory does not know yet are kept as they are and not corrected to a similar name: the thing may come
    later. Raises InputError: the text names nothing that could be recognised.
    """
    parsed = parse_question(text, names, language)
    if parsed.respellings:  # parse again without known names, so that nothing is corrected
        parsed = parse_question(text, Names(), language)
    if not parsed.whole.words:
        raise InputError(f"{text!r} says nothing to look for", hint='name what happens: "somebody takes the parcel"')
    return parsed.whole


def matches(clause: Clause, event: Event, language: Language) -> bool:
    """Return whether the event has a person and every thing that the clause names, and its action on that thing.

    An action also matches by its effect: somebody who picks the parcel up has taken it.
    """
    features = features_of(event, language)
    known = {*clause.persons, *clause.aliases}
    if (known and known.isdisjoint(features.people)) or leaving_things(clause, event, features.people):
        return False
    own = {part for person_id in known for part in person_id.split("_")}
    # Names were compared above. Vague words ("something", "person") are ignored unless there are no others.
    words = [word for word in clause.words if word.word not in own and (word.acts or not word.vague)] or clause.words
    acting = [word for word in words if word.acts]
    things = [word for word in words if word.names and not word.acts]
    present = features.form_counts.keys()
    if not all(word.forms & present for word in words if not word.acts):
        return False
    # From here on, all things are there. Now the action must fit.
    if not acting or not clause.effects.isdisjoint(features.effects):
        return True
    if not event.actions:  # an analyser that lists no actions: the verb must be in the text
        return all(word.forms & present for word in acting)
    return any(_is_done(acting, things, action, language) for action in event.actions)


def _is_done(
    acting: Sequence[ContentWord], things: Sequence[ContentWord], action: Action, language: Language
) -> bool:
    verb, thing = (language.all_forms(text) for text in (action.verb, action.object))
    if not all(word.forms & verb for word in acting):
        return False
    return not things or any(word.forms & thing for word in things)
