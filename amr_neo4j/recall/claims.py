"""What the chosen events say to a question, by what it aims at: one sentence a claim, each resting on one event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.event import Action
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.language.content import forms, words_of
from amr_neo4j.language.objects import object_key
from amr_neo4j.language.persons import person_key
from amr_neo4j.language.sentences import joined, past_participle
from amr_neo4j.language.verbs import Transition, transition
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.choose import chronological
from amr_neo4j.recall.reading import Aim, Clause, Reading
from amr_neo4j.recall.verify import overlap

MOST = 5


@dataclass(frozen=True)
class Claim:
    """A sentence without its point, and the event it rests on."""

    text: str
    rests_on: Candidate

    def __str__(self) -> str:
        return f"{self.text[:1].upper()}{self.text[1:]} [event {self.rests_on.node_id}]."


@dataclass(frozen=True)
class Change:
    """An action of an event that changed the state of a thing the question names."""

    candidate: Candidate
    action: Action
    change: Transition


def claims_for(reading: Reading, chosen: Sequence[Candidate]) -> list[Claim]:
    """What is claimed in answer; empty for no event. chosen: the events the question may mean, likeliest first."""
    tellers = {
        Aim.PLACE: _place,
        Aim.STATE: _state,
        Aim.PERSON: _person,
        Aim.SPEECH: _speech,
        Aim.SEQUENCE: _sequence,
    }
    told = list(tellers[reading.aim](reading.main, chosen)) if reading.aim in tellers else []
    return told or [happened(candidate, reading.main) for candidate in chosen[:1]]


def happened(candidate: Candidate, clause: Clause, lead: str = "") -> Claim:
    """An event's summary, and the line of its dialogue that bears on the clause if there is one."""
    line = _telling_line(candidate, clause)
    said = f" ({line})" if line and line not in candidate.event.summary_text else ""
    return Claim(f"{lead}{_when(candidate)}: {candidate.event.summary_text.rstrip('. ')}{said}", candidate)


def _when(candidate: Candidate) -> str:
    event = candidate.event
    wall = f" ({event.at:%Y-%m-%d %H:%M:%S} UTC)" if event.at else ""
    return f"at {clock(event.time_start)} of {event.video_id}{wall}"


# --- where, and how


def _place(clause: Clause, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The change that put the thing where it is, or gave it to whoever has it."""
    asks_for_putting = any(found.moves == "to_place" for word in clause.words if (found := transition(word.word)))
    moved = [found for found in _changes(clause, chosen) if found.change.moves]
    put = [found for found in moved if found.change.moves == "to_place"]
    for found in (put if asks_for_putting else moved)[:1]:
        gone = ". Nothing later says where it was put" if found.change.moves == "to_actor" else ""
        yield Claim(f"{_passive(found)}, {_when(found.candidate)}{gone}", found.candidate)


def _state(clause: Clause, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The last change of the kind that is asked for, or of any."""
    changes = [found for found in _changes(clause, chosen) if found.change.to_state]
    asked = {form for word in words_of(clause.text) for form in (word, *forms(word))}
    of_kind = [found for found in changes if asked & {found.change.to_state, found.change.from_state}]
    for found in (of_kind or changes)[:1]:
        yield Claim(f"{_passive(found)}, {_when(found.candidate)}", found.candidate)


def _changes(clause: Clause, chosen: Sequence[Candidate]) -> list[Change]:
    """What was done to the things that the clause names; by the people it names, where they did anything to them."""
    found = [
        Change(candidate, action, change)
        for candidate in chosen
        for action in reversed(candidate.event.actions)
        if (name := object_key(action.object)) in clause.objects and (change := transition(action.verb, name))
    ]
    return [change for change in found if change.action.actor in clause.persons] or found


def _passive(found: Change) -> str:
    """ "the keys were last put down on the hook, by Anna" """
    action = found.action
    were = "was" if object_key(action.object) == action.object.casefold() else "were"
    done = " ".join(filter(None, [past_participle(found.change.lemma), action.spatial_relation]))
    by = f", by {_called(found.candidate, action.actor)}" if action.actor else ""
    return f"the {action.object} {were} last {done}{by}"


# --- who, and what they said


def _person(clause: Clause, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """Those who did it: of the best event, and of others that meet the question as fully."""
    seen: set[str] = set()
    for candidate in chosen:
        people = [who for who in _doers(candidate, clause) if who not in clause.persons]
        if not seen.issuperset(people) and (not seen or overlap(clause, candidate.forms) == 1.0):
            seen.update(people)
            names = joined([_called(candidate, who) for who in people])
            yield Claim(f"{names}, {_when(candidate)}: {candidate.event.summary_text.rstrip('. ')}", candidate)
        if len(seen) >= MOST:
            return


def _doers(candidate: Candidate, clause: Clause) -> list[str]:
    """The actors on what the clause names, else of what its verbs say, else everybody but those it names."""
    actions = [action for action in candidate.event.actions if action.actor]
    on_it = [a.actor for a in actions if object_key(a.object) in clause.objects]
    doing = [a.actor for a in actions if any(word.forms & _forms(a.verb) for word in clause.words)]
    done = [who for who in dict.fromkeys(on_it or doing) if who not in clause.persons]
    return done or list(candidate.people)


def _called(candidate: Candidate, person_id: str) -> str:
    name = candidate.people.get(person_id, person_id.replace("_", " "))
    return name if person_key(name).is_name or name.casefold().startswith(("a ", "the ")) else f"the {name}"


def _speech(clause: Clause, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The line that bears on the question best, from the likeliest event that has one."""
    lines = [(candidate, line) for candidate in chosen if (line := _telling_line(candidate, clause, speech=True))]
    for candidate, line in lines[:1]:
        speaker, _, words = line.rpartition(": ")
        yield Claim(f"{speaker or 'somebody'} said, {_when(candidate)}: “{words}”", candidate)


def _telling_line(candidate: Candidate, clause: Clause, *, speech: bool = False) -> str:
    """The line of dialogue that meets most of what the clause is about; for speech, at least one by whom it names."""
    people = {word for who in clause.persons for word in who.split("_")}
    about = [word for word in clause.words if word.word not in people and not word.vague]

    def met(line: str) -> tuple[int, bool]:
        speaker, _, words = line.rpartition(": ")
        by_one_named = person_key(speaker).person_id in clause.persons if speaker else False
        return sum(bool(word.forms & _forms(words)) for word in about), speech and (
            by_one_named or not clause.persons
        )

    best = max(candidate.event.dialogue_snippets, key=met, default="")
    return best if best and any(met(best)) else ""


def _forms(text: str) -> frozenset[str]:
    return frozenset(form for word in words_of(text) for form in forms(word))


# --- in which order


def _sequence(clause: Clause, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The likeliest events, told in their order."""
    for candidate in chronological(chosen[:MOST]):
        yield happened(candidate, clause)
