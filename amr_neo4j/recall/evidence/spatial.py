"""Finds where things are, as events describe it ("to the left of the mug"), seen from either of the two things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from amr_neo4j.language.nouns import ContentWord, SpatialRelation, forms_of
from amr_neo4j.recall.evidence.changes import MAX_THINGS, Placement, changes_in
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate


@dataclass(frozen=True)
class Description:
    """Where an event says a thing is.

    thing: the object's key.
    name: as written.
    where: in the event's words, without the thing itself.
    """

    candidate: Candidate
    thing: str
    name: str
    where: str

    @property
    def relations(self) -> list[SpatialRelation]:
        """The relations between two things that the description states.

        In "in front of him", the landmark is the only person of the event; with several, it stays "him".
        """
        language, persons = self.candidate.language, self.candidate.event.persons
        stated = language.spatial_relations(self.name, language.told_in_english(self.where))
        of_one = len(persons) == 1
        return [replace(e, landmark=persons[0]) if of_one and language.is_pronoun(e.landmark) else e for e in stated]


def descriptions_in(candidate: Candidate) -> Iterator[Description]:
    """Yield the descriptions of an event, in order. They are stored as lines: "cup: to the left of the mug"."""
    for line in candidate.event.spatial_descriptions:
        name, _, where = line.partition(": ")
        language = candidate.language
        yield Description(candidate, language.object_key(name), name, language.place_of(name, where))


def described_places(
    parsed: ParsedQuestion, events: Sequence[Candidate], placed: Sequence[Placement]
) -> list[Description]:
    """Return where each thing in question is described to be, unless the change that put it there says the same.

    If nothing places the thing, return a description of another thing that names it as its landmark. A question about
    what somebody did gets no descriptions if a change answers it.

    events: the latest first if the question is about the last place. A description counts if it comes before that
        change in this order.
    """
    clause = parsed.main
    # "Where did Anna put the cup" asks for what she did, and a change says that.
    if clause.action_words and placed:
        return []
    order = {candidate.node_id: n for n, candidate in enumerate(events)}
    placed_at = {each.change.thing: order[each.change.candidate.node_id] for each in placed}
    put = {each.change.thing: each.change.action.spatial_relation for each in placed}
    found: dict[str, Description] = {}
    for each in (each for candidate in events for each in descriptions_in(candidate)):
        comes_first = order[each.candidate.node_id] < placed_at.get(each.thing, len(order))
        if each.thing in clause.objects and comes_first:
            found.setdefault(each.thing, each)
    if found or placed:
        return [each for each in found.values() if not _repeats(each, put.get(each.thing, ""))][:MAX_THINGS]
    return _beside_named(clause, events)[:1]


def states_place(text: str, clause: Clause) -> bool:
    """Return whether a text states a place that the clause does not name: "on the hook" for "Where are the keys?"."""
    return any(True for _ in _places_stated(text, clause))


def states_goal(text: str, clause: Clause) -> bool:
    """Return whether a text states a place to which something is brought: "to the till", but not "from the shelf"."""
    language = clause.language
    for place in _places_stated(text, clause):
        preposition, first, *_ = language.words_of(place[0])
        # "To drink" names no place.
        is_thing = language.is_determiner(first) or any(word.names for word in language.content_words(place[0]))
        if is_thing and preposition in language.asking.brought_to and not _is_of_own_deed(place, clause):
            return True
    return False


def _is_of_own_deed(place: re.Match[str], clause: Clause) -> bool:
    """Return whether somebody does another deed there than to a thing: "carries the cup and talks [to Anna]"."""
    language, thing = clause.language, forms_of(clause.names)
    words = language.words_of(place.string[: place.start()])
    named = [at for at, word in enumerate(words) if not language.forms(word).isdisjoint(thing)]
    behind = " ".join(words[named[-1] + 1 :]) if named else ""
    acts = any(word.acts or word.moves for word in language.content_words(behind))
    return acts and not language.asking.deed_to_it.search(behind)


def _places_stated(text: str, clause: Clause) -> Iterator[re.Match[str]]:
    """Yield the places that a text states and the clause does not name, each with its preposition."""
    language = clause.language
    asked = forms_of(clause.words)
    # "To Friday" says when.
    for place in language.asking.of_place.finditer(language.time_in(text)[0]):
        first, *rest = language.words_of(place["thing"])
        words = language.content_words(place["thing"])
        # "Till" alone is a word of time, and "the till" is a thing.
        is_thing = not words and rest and language.is_determiner(first)
        if is_thing or any(word.forms.isdisjoint(asked) for word in words):
            yield place


def is_place_of_another_deed(text: str, clause: Clause) -> bool:
    """Return whether a text states a place only of a second deed, done to what the clause's deed was done to before.

    "Ben finds the key and hangs it on the hook" does not say where he found it.
    """
    verbs = forms_of(clause.action_words)
    second = clause.language.asking.deed_to_it.search(text)
    if not (verbs and second):
        return False
    first = text[: second.start()]
    is_first = not verbs.isdisjoint(clause.language.all_forms(first))
    return is_first and not states_place(first, clause)


def located(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[Description]:
    """Return the descriptions of things in the relation that the question asks for ("to the left of the mug").

    The latest come first. Only a thing's latest description counts, and only if no later action moved the thing. A
    description of the other thing counts too: what is left of the mug has the mug to its right.
    """
    clause, language = parsed.main, parsed.language
    asked = [
        (each.relation, _words_in(each.landmark, clause)) for each in language.spatial_relations("", clause.text)
    ]
    asked = [(relation, words) for relation, words in asked if words]
    if not asked:
        return []
    current = _current(events if parsed.order is Order.FIRST else chronological(events, latest_first=True))
    return [each for each in current if all(_answers(each, relation, words) for relation, words in asked)][
        :MAX_THINGS
    ]


def descriptions_about(candidate: Candidate, clauses: Iterable[Clause]) -> list[str]:
    """Return the descriptions of an event that have a thing that a clause names, as written."""
    named = forms_of(word for clause in clauses for word in clause.names)
    all_forms = candidate.language.all_forms
    return [line for line in candidate.event.spatial_descriptions if not named.isdisjoint(all_forms(line))]


def _current(events: Sequence[Candidate]) -> list[Description]:
    """Return the first description of each thing, in the order of the events, unless an earlier change moved it."""
    seen: set[tuple[str, str]] = set()
    found: list[Description] = []
    for candidate in events:
        described = {each.thing: each for each in descriptions_in(candidate)}
        moved = {change.thing for change in changes_in(candidate) if change.effect.moves}
        # If an event both moves a thing and describes it, nobody knows which came first, so it has no current
        # description.
        for thing in [*described, *moved]:
            if (candidate.event.video_id, thing) not in seen:
                seen.add((candidate.event.video_id, thing))
                found += [described[thing]] if thing in described and thing not in moved else []
    return found


def _repeats(described: Description, put: str) -> bool:
    """Return whether a description says no more than the words for where the thing was put."""
    words_of = described.candidate.language.words_of
    return set(words_of(described.where)) <= set(words_of(put))


def _answers(described: Description, asked: str, landmark: Sequence[ContentWord]) -> bool:
    language = described.candidate.language
    for each in described.relations:
        straight = language.relation_is(each.relation, asked) and _names_all(each.landmark, landmark, described)
        opposite = language.opposite_relation(each.relation)
        # "What is left of the mug?": a description of the mug, "to the right of the cup", says the same of the cup.
        turned = (
            bool(opposite) and language.relation_is(opposite, asked) and _names_all(each.thing, landmark, described)
        )
        if straight or turned:
            return True
    return False


def _beside_named(clause: Clause, events: Sequence[Candidate]) -> list[Description]:
    """Return the descriptions that place something relative to what the clause names ("left of the mug")."""
    if not clause.names:
        return []
    found: list[Description] = []
    for each in (each for candidate in events for each in descriptions_in(candidate)):
        for relation in each.relations:
            if _names_all(relation.landmark, clause.names, each):
                found.append(each)
                break
    return found


def _names_all(text: str, words: Sequence[ContentWord], described: Description) -> bool:
    forms = described.candidate.language.all_forms(text)
    return all(not word.forms.isdisjoint(forms) for word in words)


def _words_in(text: str, clause: Clause) -> list[ContentWord]:
    """Return the clause's words for things and persons, if they are in this part of its text."""
    there = frozenset(clause.language.words_of(text))
    named = {word.word for word in clause.names} | clause.name_parts
    return [word for word in clause.words if word.word in there & named]
