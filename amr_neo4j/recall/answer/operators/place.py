"""What becomes of things: where they are, how they are, what is in them. From the actions, by the verb table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.event import Action
from amr_neo4j.language.en.content import all_forms, preposition_of, words_of
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.sentences import past_participle
from amr_neo4j.language.en.verbs import Transition, transition
from amr_neo4j.recall.answer.claim import Claim, called, happened, when
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion

MOST = 5
CHAPTERS = 3
STATIONS = 10


@dataclass(frozen=True)
class Change:
    """An action of an event that leaves its thing in another state or place."""

    candidate: Candidate
    action: Action
    thing: str
    effect: Transition


def place(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The change that put the thing where it is, or gave it to whoever has it."""
    asks_for_putting = any(state == "placed" for _, _, state in parsed.main.effects)
    moved = [change for change in _to(parsed.main, chosen) if change.effect.moves]
    put = [change for change in moved if change.effect.moves == "to_place"]
    for change in _each_thing(put if asks_for_putting else moved)[:MOST]:
        gone = _is_last(parsed) and change.effect.moves == "to_actor"
        open_end = f". Nothing later says where {_pronoun(change.action.object)} put" if gone else ""
        yield Claim(
            f"{dated(change, last=_is_last(parsed))}{open_end}",
            change.candidate,
        )
        if not change.action.spatial_relation and change.effect.moves == "to_place":
            yield from _known_place(change, put)


def _known_place(latest: Change, put: Sequence[Change]) -> Iterator[Claim]:
    """Where the thing was put by the last event that says so. put: the latest first."""
    told_where = [change for change in put if change.thing == latest.thing and change.action.spatial_relation]
    for change in told_where[:1]:
        yield Claim(
            f"nothing says where; before that {dated(change)}",
            change.candidate,
        )


def state(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The change of the kind that is asked for ("open": opened or closed), or of any kind."""
    asked = all_forms(parsed.main.text)
    changes = _to(parsed.main, chosen)
    of_kind = [change for change in changes if asked & {change.effect.to_state, change.effect.from_state}]
    for change in (of_kind or changes)[:1]:
        yield Claim(f"{dated(change, last=_is_last(parsed))}", change.candidate)


def history(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The events that changed the thing last, in their order."""
    events = list({change.candidate.node_id: change.candidate for change in _to(parsed.main, chosen)}.values())
    for candidate in reversed(events[:CHAPTERS]):
        yield happened(candidate)


def itinerary(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """Every place that the thing was in and everybody who had it, in their order; of many the latest."""
    moved = [change for change in _to(parsed.main, chosen) if change.effect.moves]
    if len(moved) > STATIONS:
        first = moved[STATIONS - 1]
        yield Claim(
            f"{len(moved) - STATIONS} moves before; then {dated(first)}",
            first.candidate,
        )
    for change in reversed(moved[: STATIONS - (len(moved) > STATIONS)]):
        yield Claim(f"{dated(change)}", change.candidate)


def sighting(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The last event in which the thing is, and the change that put it where it was by then."""
    seen = [candidate for candidate in chosen if not candidate.objects.isdisjoint(parsed.main.objects)]
    if seen:
        yield happened(seen[0])
        yield from (claim for claim in list(place(parsed, chosen))[:1] if claim.rests_on is not seen[0])


def contents(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """What was put there and not moved since, the latest first; else what was put there or taken from there once."""
    named = frozenset(form for word in parsed.main.names for form in word.forms)
    asked = preposition_of(parsed.main.text, named)
    moved = [change for change in _latest_first(chosen) if change.effect.moves]
    ties = [(preposition_of(change.action.spatial_relation, named), change) for change in moved]
    there = [change for tie, change in ties if tie == asked] or [c for tie, c in ties if tie in ("from", "of")]
    staying = [change for change in _each_thing(moved) if change in there and change.effect.moves == "to_place"]
    put = [change for change in there if change.effect.moves == "to_place"]
    for change in (staying or _each_thing(put or there))[:MOST]:
        yield Claim(f"{dated(change)}", change.candidate)


def _each_thing(changes: Sequence[Change]) -> list[Change]:
    """The first change of each thing."""
    first: dict[str, Change] = {}
    for change in changes:
        first.setdefault(change.thing, change)
    return list(first.values())


def _to(clause: Clause, chosen: Sequence[Candidate]) -> list[Change]:
    """The changes of what the clause names; those by the people it names, where they made any."""
    found = [change for change in _latest_first(chosen) if change.thing in clause.objects]
    return [change for change in found if change.action.actor in clause.persons] or found


def changes(candidate: Candidate) -> Iterator[Change]:
    """The changes of an event, in its order."""
    for action in candidate.event.actions:
        thing = object_key(action.object)
        effect = transition(action.verb, thing, action.spatial_relation)
        if effect and effect.to_state and words_of(thing):
            yield Change(candidate, action, thing, effect)


def _latest_first(chosen: Sequence[Candidate]) -> Iterator[Change]:
    """The changes of the chosen events; within an event its last first."""
    for candidate in chosen:
        yield from reversed(list(changes(candidate)))


def _is_last(parsed: ParsedQuestion) -> bool:
    return parsed.order in (None, Order.LAST)


def dated(change: Change, *, last: bool = False) -> str:
    """ "the keys were last put down on the hook, by Anna, at 00:12:31 of kitchen_morning" """
    return f"{told(change, last=last)}, {when(change.candidate, change.action)}"


def told(change: Change, *, last: bool = False) -> str:
    """ "the keys were last put down on the hook, by Anna" """
    action = change.action
    verb = " ".join(
        filter(None, ["last" if last else "", past_participle(change.effect.lemma), action.spatial_relation])
    )
    by = f", by {called(change.candidate, action.actor)}" if action.actor else ""
    return f"{_with_the(action.object)} {_was(action.object)} {verb}{by}"


def _with_the(name: str) -> str:
    return name if words_of(name)[:1] in (["his"], ["her"], ["the"], ["their"]) else f"the {name}"


def _was(name: str) -> str:
    return "were" if _is_plural(name) else "was"


def _pronoun(name: str) -> str:
    return "they were" if _is_plural(name) else "it was"


def _is_plural(name: str) -> bool:
    """By its last word: one that has another singular, or none ("scissors")."""
    word = words_of(name)[-1]
    return object_key(word) != word or (word.endswith("s") and not word.endswith(("ss", "us", "is")))
