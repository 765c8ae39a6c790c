"""Answers where a thing is or was, what state it is in, what became of it, what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from amr_neo4j.recall.answer.claim import (
    Claim,
    Claims,
    Reason,
    Unknown,
    change_claim,
    description_claim,
    event_claim,
    line_claim,
)
from amr_neo4j.recall.answer.operators.events import claims_or_event
from amr_neo4j.recall.evidence import changes
from amr_neo4j.recall.evidence.changes import (
    Placement,
    carried,
    is_about_the_last,
    placements,
    state_changes,
    told_state,
)
from amr_neo4j.recall.evidence.premise import of_other_owners
from amr_neo4j.recall.evidence.spatial import described_places, located, states_goal, states_place
from amr_neo4j.recall.evidence.support import MAX_EVENTS, seen_with
from amr_neo4j.recall.evidence.watched import of_films
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.question.places import place_name
from amr_neo4j.recall.rank.selection import Evidence, best_match
from amr_neo4j.recall.retrieve.candidate import Candidate


def place(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer where each thing is, with a description of its place and the change that brought it there."""
    last = is_about_the_last(parsed)
    placed = placements(parsed, evidence.events)
    described = described_places(parsed, evidence.events, placed)
    later = {each.thing for each in described}
    claims = [
        claim
        for placement in placed
        for claim in placement_claims(placement, last=last, seen_since=placement.change.thing in later)
    ]
    # The passport is in the folder, and the folder was put into the suitcase.
    for each in placed:
        if last and each.change.thing not in later:
            claims += map(change_claim, carried(each.change, evidence.found))
    if not (parsed.main.specific_words or parsed.main.persons or claims or described):
        return _scenes(evidence)
    if placed and not described and _is_without_place(placed[0], parsed):
        # The words of its event may tell the place that its actions lack, else the scene does.
        said = Claims((event_claim(placed[0].change.candidate),), likeliest=True)
        return _in_scene(said, parsed, of_things=True)
    found = claims_or_event([*map(description_claim, described), *claims], parsed, evidence)
    clause = parsed.main
    of_things = any(not word.describes_person and word.word not in clause.name_parts for word in clause.names)
    # Where something is done is told by the scene, if that is not the only one.
    does = any(word.acts for word in clause.words) or parsed.language.asking.vague_deed.search(clause.text)
    is_deed = does and len(set(map(_scene_of, of_films(evidence.found)))) > 1
    return _in_scene(found, parsed, of_things=of_things and not is_deed)


def _scene_of(candidate: Candidate) -> str:
    """Return the named place of an event's recording, and what kind of place it shows; empty if neither is known."""
    event = candidate.event
    named = event.place if event.place != event.video_id else ""
    kind = event.scene_type
    return ", ".join(filter(None, (named, kind if place_name(kind) != place_name(named) else "")))


def _scenes(evidence: Evidence) -> Claims | Unknown:
    """Answer where everything happens: with the first event of each type of scene."""
    first_of: dict[str, Candidate] = {}
    for candidate in of_films(evidence.found):
        first_of.setdefault(_scene_of(candidate), candidate)
    shown = [(scene, candidate) for scene, candidate in first_of.items() if scene][:MAX_EVENTS]
    claims = tuple(Claim(each.language.grammar.event_at(each.event, scene), each) for scene, each in shown)
    return Claims(claims) if claims else Unknown()


def _is_without_place(placement: Placement, parsed: ParsedQuestion) -> bool:
    """Return whether a thing was put somewhere, or carried to a place, and no action says where."""
    change = placement.change
    if change.action.spatial_relation or placement.stated:
        return False
    summary = change.candidate.summary
    return change.effect.moves == "to_place" or states_goal(summary, parsed.main)


def _in_scene(found: Claims | Unknown, parsed: ParsedQuestion, *, of_things: bool) -> Claims | Unknown:
    """Add its scene to the likeliest event if that says nothing of a place.

    Where people are, or where something is done, is answered by that.
    of_things: where in the scene a thing is stays in doubt.
    """
    if not (isinstance(found, Claims) and found.likeliest):
        return found
    claim, clause = found.claims[0], parsed.main
    candidate, event = claim.rests_on, claim.rests_on.event
    # What is seen while a line is said says nothing of its things.
    is_line_alone = claim.line and candidate.language.grammar.summary(event) not in claim.text
    shown = claim.line if is_line_alone else f"{candidate.summary} {claim.line}"
    if event.turn or states_place(shown, clause):
        return found
    scene = _scene_of(candidate)
    # "In which aisle" is answered by the video aisle_7.
    if not scene and not {word.word for word in clause.words}.isdisjoint(place_name(event.video_id).split()):
        scene = event.video_id
    claims = (Claim(candidate.language.grammar.event_at(event, scene), candidate),)
    return Unknown(Reason.IN_DOUBT, claims, never_sure=True) if of_things or not scene else Claims(claims)


def placement_claims(placement: Placement, *, last: bool, seen_since: bool = False) -> Iterator[Claim]:
    """Yield the change, and if it names no place, the latest change that does.

    seen_since: a later event says where the thing is.
    """
    change, grammar = placement.change, placement.change.candidate.language.grammar
    claim = change_claim(change, last=last)
    # Somebody who took the keys may have put them down unseen, so the answer adds that their place is unknown.
    if last and change.effect.moves == "to_actor" and not seen_since:
        claim = replace(claim, text=grammar.with_place_unknown(claim.text, change.action.object))
    yield claim
    if placement.stated and not seen_since:
        yield change_claim(placement.stated).put_into("last_place")


def sighting(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the last event that has the thing, and the change that put it where it was then."""
    return claims_or_event(_sightings(parsed, evidence), parsed, evidence)


def _sightings(parsed: ParsedQuestion, evidence: Evidence) -> Iterator[Claim]:
    seen = seen_with(parsed.main.objects, evidence.events)
    if seen is None:
        return
    yield event_claim(seen)
    for placement in placements(parsed, evidence.events)[:1]:
        if placement.change.candidate is not seen:
            yield next(placement_claims(placement, last=is_about_the_last(parsed)))


def contents(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer what is at a place: with descriptions of the things there, then the changes that put them there."""
    described = located(parsed, evidence.events)
    put = changes.contents(parsed, evidence.events, besides={each.thing for each in described})
    claims = (*map(description_claim, described), *map(change_claim, put))
    nearest = event_claim(best_match(parsed.main, evidence.candidates), parsed.main, evidence.found)
    return Claims(claims) if claims else Unknown(Reason.IN_DOUBT, (nearest,), never_sure=True)


def state(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the change that left the thing in its state; a report of a later state is put before it."""
    last = is_about_the_last(parsed)
    told = told_state(parsed, evidence.events)
    since = [line_claim(told.candidate, told.line) if told.line else event_claim(told.candidate)] if told else []
    changed = [change_claim(change, last=last) for change in state_changes(parsed, evidence.events)]
    found = claims_or_event([*since, *changed], parsed, evidence)
    if not isinstance(found, Claims):
        return found
    # Ben's cup is not mine.
    others = of_other_owners(parsed.main, found.claims[0].rests_on)
    return Unknown(Reason.NOT_STATED, found.claims, unmet_words=others) if others else found


def history(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the last events that changed the thing, in chronological order."""
    return claims_or_event(map(event_claim, changes.history(parsed, evidence.events)), parsed, evidence)


def itinerary(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with every place that the thing was in and everybody who had it, in order. If they are many, list only
    the latest.
    """
    return claims_or_event(_moves(parsed, evidence), parsed, evidence)


def _moves(parsed: ParsedQuestion, evidence: Evidence) -> Iterator[Claim]:
    moved = changes.moves(parsed, evidence.events)
    omitted = len(moved) - changes.MAX_MOVES
    claims = [change_claim(change) for change in reversed(moved[: changes.MAX_MOVES])]
    if omitted > 0:
        claims[0] = claims[0].put_into("earlier_moves", count=omitted)
    yield from claims
