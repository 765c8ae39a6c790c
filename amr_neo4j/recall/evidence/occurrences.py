"""Finds every time that something was done, for questions how often, how long, and which of several times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from amr_neo4j.domain.event import Action, speaker_and_words
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import Transition, forms_of
from amr_neo4j.recall.evidence.actors import things_done_in_words
from amr_neo4j.recall.evidence.dialogue import unquoted
from amr_neo4j.recall.evidence.premise import lacks, of_other_senses
from amr_neo4j.recall.evidence.timeline import chronological, seconds_between
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.retrieve.candidate import Candidate

# Up to this many occurrences are listed. If there are more, only the first and the last are.
MAX_LISTED = 5
# What is done again within this time belongs to the same occasion.
SAME_OCCASION_SEC = 600.0
# The clocks of two cameras may differ by this many seconds.
SAME_MOMENT_SEC = 10.0
T = TypeVar("T")


@dataclass(frozen=True)
class Occurrence:
    """One time that something was done. action: None if only the event's words state it."""

    candidate: Candidate
    action: Action | None = None


def occurrences(clause: Clause, candidates: Iterable[Candidate]) -> list[Occurrence]:
    """Return the occurrences of what a clause asks for, in chronological order.

    An event that lists actions counts by its actions, and a caption by the actions that were read from it. In videos
    whose events list no actions, a caption also counts by its words, if no actions were read from it or if the clause
    names no thing. If nothing is found that way, the events that match the words of the clause count.
    """
    in_order = chronological(c for c in candidates if not lacks(clause, c, of_other_senses))
    if said := [candidate for candidate in in_order if _is_said(candidate, clause)]:
        return [Occurrence(candidate) for candidate in said]
    listing = {candidate.event.video_id for candidate in in_order if candidate.event.lists_actions}
    done: list[Occurrence] = []
    for candidate in in_order:
        event = candidate.event
        here = _done_here(candidate, clause)
        # Of the sentences of captions, only the plain ones were read into actions. Words do not say who does what to
        # which thing, so they are no match for actions where a thing is asked for.
        no_thing = not clause.objects and candidate.people.keys() >= {*clause.persons}
        by_words = _is_caption(candidate) and event.video_id not in listing and (not event.actions or no_thing)
        done += here or ([Occurrence(candidate)] if by_words and _matches_words(candidate, clause) else [])
    # Turns list no actions either, so their words must do.
    return done or [Occurrence(c) for c in in_order if _matches_words(c, clause)]


def _done_here(candidate: Candidate, clause: Clause) -> list[Occurrence]:
    """Return an occurrence for each action of an event that a clause asks for."""
    others = {*clause.persons}.difference(clause.doers)
    if not _has_every_thing(candidate, clause) or (others and others.isdisjoint(candidate.people)):
        return []
    asked_for = [action for action in candidate.event.actions if _is_asked_for(action, clause)]
    here = [action for action in asked_for if not _is_done_elsewhere(action, clause)]
    return [Occurrence(candidate, action) for action in here if _is_same_sense(action, clause)]


def _is_said(candidate: Candidate, clause: Clause) -> bool:
    """Return whether somebody says in an event the words that a clause asks for: "How often did Ann say 'hello'?"."""
    language, asked = clause.language, [word for word in clause.specific_words if word.word not in clause.name_parts]
    if candidate.event.turn or not language.asking.of_saying.search(clause.text) or not asked:
        return False
    for speaker, words in map(speaker_and_words, candidate.event.dialogue_snippets):
        is_by_named = not clause.persons or language.person_key(speaker).person_id in clause.persons
        said = language.all_forms(words)
        if is_by_named and not any(word.forms.isdisjoint(said) for word in asked):
            return True
    return False


def times_of(done: Sequence[Occurrence], clause: Clause) -> list[Occurrence]:
    """Return the first occurrence of each occasion on which it was done. done: in chronological order."""
    first_of_each = {occasion[0].node_id for occasion in occasions((each.candidate for each in done), clause)}
    return [each for each in done if each.candidate.node_id in first_of_each]


def occasions(in_order: Iterable[Candidate], clause: Clause) -> list[list[Candidate]]:
    """Return the candidates, grouped by the occasions on which they show what the clause asks for.

    A deed that lasts for minutes (see `lasts`) goes on from caption to caption: those with the same people are one
    occasion if each begins at most SAME_OCCASION_SEC after the end of the one before. A short deed is an occasion of
    its own each time: who leaves twice came back in between, though no caption says so. Captions of two cameras with
    the same people at the same moment are one occasion.

    in_order: in chronological order.
    """
    found: list[list[Candidate]] = []
    latest: dict[str, list[Candidate]] = {}
    for candidate in in_order:
        goes_on = [each for each in latest.values() if _may_go_on(each[-1], candidate, lasts=lasts(clause))]
        if goes_on and _is_caption(candidate):
            goes_on[-1].append(candidate)
            latest[candidate.event.video_id] = goes_on[-1]
            continue
        found.append([candidate])
        if _is_caption(candidate):
            latest[candidate.event.video_id] = found[-1]
    return found


def _may_go_on(before: Candidate, candidate: Candidate, *, lasts: bool) -> bool:
    """Return whether a caption may show the same deed as an earlier one, of the same camera or of another.

    lasts: whether such a deed goes on for minutes.
    """
    if candidate.language.asking.anew.search(candidate.summary):
        return False
    same_camera = before.event.video_id == candidate.event.video_id
    if same_camera and not lasts:
        return False
    apart = seconds_between(before.event, candidate.event)
    length = before.event.time_end - before.event.time_start
    if apart is None or apart - length > (SAME_OCCASION_SEC if lasts else SAME_MOMENT_SEC):
        return False
    who, others = before.people.keys(), candidate.people.keys()
    return not who.isdisjoint(others) or (same_camera and not (who and others))


def lasts(clause: Clause) -> bool:
    """Return whether a clause asks for a deed that goes on for minutes."""
    return any(word.forms & clause.language.asking.lasting for word in clause.words)


def is_going_on(occasion: Sequence[Candidate], clause: Clause, asked_at: datetime | None) -> bool:
    """Return whether the deed of an occasion may still be going on when the question is asked."""
    event = occasion[-1].event
    if asked_at is None or event.at is None or not (lasts(clause) and _is_caption(occasion[-1])):
        return False
    return (asked_at - event.at).total_seconds() - (event.time_end - event.time_start) <= SAME_OCCASION_SEC


def _is_caption(candidate: Candidate) -> bool:
    event = candidate.event
    return not (event.turn or event.lists_actions or candidate.is_report)


def events_of(found: Iterable[Occurrence]) -> list[Candidate]:
    """Return the events of the occurrences, each once."""
    return list({occurrence.candidate.node_id: occurrence.candidate for occurrence in found}.values())


def listed(items: Sequence[T]) -> Sequence[T]:
    """Return the items that an answer lists: all, or the first and the last of more than MAX_LISTED."""
    return items if len(items) <= MAX_LISTED else [items[0], items[-1]]


def _has_every_thing(candidate: Candidate, clause: Clause) -> bool:
    return not any(candidate.forms.isdisjoint(forms) for forms in clause.other_things)


def _is_asked_for(action: Action, clause: Clause) -> bool:
    language = clause.language
    thing = language.object_key(action.object)
    if (clause.objects and not _is_named(thing, clause)) or (clause.doers and action.actor not in clause.doers):
        return False
    # "How often was the fridge opened": every verb that opens it counts, whatever the word.
    asked = [change for of, change in clause.changes if of == thing]
    if asked:
        done = language.effect(action.verb, thing, action.spatial_relation)
        return done is not None and any(_is_same_change(done, change, language) for change in asked)
    verbs = clause.verb_forms
    return not verbs.isdisjoint(language.all_forms(action.verb)) if verbs else bool(clause.objects or clause.persons)


def _is_named(thing: str, clause: Clause) -> bool:
    """Return whether a clause names a thing, or only its kind: "a tablet" may be a "white tablet"."""
    *describing, head = thing.split() or [""]
    is_kind = head in clause.objects and all(map(clause.language.asking.is_colour, describing))
    return thing in clause.objects or (is_kind and not clause.colours)


def _is_done_elsewhere(action: Action, clause: Clause) -> bool:
    """Return whether an action is done to or at another thing than the clause names.

    "Wash the cup in the bathroom" is not answered by washing it "in the sink".
    """
    # An action without an object is never excluded: somebody who goes through the hall leaves the kitchen.
    if not action.object:
        return False
    language, of_action = clause.language, f"{action.object} {action.spatial_relation}"
    known = {part for who in (*clause.persons, *clause.aliases) for part in who.split("_")}
    there = language.all_forms(of_action)
    alike = [language.alike(word) for word in clause.names if known.isdisjoint(word.forms)]
    lacking = [word for word in alike if there.isdisjoint(word)]
    named = [word for word in language.content_words(action.spatial_relation) if word.names]
    return bool(lacking) and any(not any(word.forms & other for other in alike) for word in named)


def _is_same_sense(action: Action, clause: Clause) -> bool:
    """Return whether an action has the clause's sense of the verb: "leave open" is not "leave".

    If the action has a particle that the clause lacks, verb and particle must mean what the verb means alone.
    """
    language = clause.language
    whole = language.effect(action.verb)
    head, *particles = (whole.lemma if whole else language.lemma(action.verb)).split()
    if not particles or set(particles) <= set(language.words_of(clause.text)):
        return True
    alone = language.transition(head)
    return any(of == language.object_key(action.object) for of, _ in clause.changes) or (
        (alone and alone.kind) == (whole and whole.kind)
    )


def _is_same_change(done: Transition, asked: Transition, language: Language) -> bool:
    """Return whether a change leaves the state that is asked for.

    To leave a fridge open is not to open it: both changes must either change the state or keep it.
    """
    keeps = [change.from_state == change.to_state for change in (done, asked)]
    return done.kind == asked.kind and done.to_state in language.states_meant(asked) and keeps[0] == keeps[1]


def _matches_words(candidate: Candidate, clause: Clause) -> bool:
    words = [word for word in clause.search_terms if not word.vague or word.moves]
    shown_by_actions = bool(candidate.event.actions and clause.effects) and not any(word.acts for word in words)
    if shown_by_actions and not clause.effects & candidate.effects:
        # Only words for things are left. An event that mentions two things need not put one on the other.
        return False
    people = not clause.persons or not candidate.people.keys().isdisjoint(clause.persons)
    # Verbs must be in the summary: that somebody speaks of a deed does not mean that it was done.
    stated = clause.language.all_forms(unquoted(candidate.event))
    # The video's name and scene prove no deed: not every event of the video "ferry_crossing" shows a crossing.
    own = candidate.forms - candidate.features.scene_forms
    return (
        any(not word.forms.isdisjoint(own) for word in words)
        and people
        and all(not word.forms.isdisjoint(stated if word.acts else candidate.forms) for word in words)
    )


def matching(clause: Clause, candidates: Sequence[Candidate], *, by_effect: bool = True) -> list[Candidate]:
    """Return the candidates that match a clause best.

    They are compared by its things and persons, then by what these persons do to these things, then by its words.
    by_effect: another verb that leaves the thing in the same state matches too, as "took" matches "picked up".
    """
    # Each step keeps only the best of the step before. So a match of things outweighs any number of words.
    things, people = {*clause.objects}, {*clause.persons}
    done = {(who, thing) for who in people for thing in things}
    named = {candidate.node_id: things_done_in_words(candidate, clause) for candidate in candidates}

    def deeds(c: Candidate) -> float:
        # What was not read from a caption may still be done in it.
        unread = not named[c.node_id] <= c.objects
        does = bool(done & c.actors_on_objects) or (unread and not people.isdisjoint(c.people))
        return does + (by_effect and bool(clause.effects) and (unread or bool(clause.effects & c.effects)))

    found = _most(candidates, lambda c: bool(things & c.objects or named[c.node_id]) + bool(people & c.people.keys()))
    found = _most(found, deeds)
    without_verbs = not by_effect or any(clause.effects & c.effects for c in found)
    words = [word for word in clause.specific_words if not (without_verbs and word.acts)]
    asked = forms_of(words)
    return _most(found, lambda c: c.matched(clause, asked & c.forms))


def _most(candidates: Sequence[Candidate], count: Callable[[Candidate], float]) -> list[Candidate]:
    counts = [count(candidate) for candidate in candidates]
    most = max(counts, default=0)
    return [candidate for candidate, counted in zip(candidates, counts, strict=True) if counted == most]
