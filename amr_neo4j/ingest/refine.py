"""What is asked about a clip once it is analysed: actions that it lacks, and the summary of each event.

One call for all events of a clip. Where it fails the analysis stays as it is, with a note: no clip is lost by it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from amr_neo4j.domain.analysis import AnalysedEvent, NotedAnalysis, SpeakerTurn, StatedAction
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import ActionsOfEvent, EventSummary, RefinedAction, RefinedActions, Summaries
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.local_ids import id_key
from amr_neo4j.ingest.summary_check import Fields, refusal
from amr_neo4j.ingest.voice_attribution import overlap
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.verbs import lemma
from amr_neo4j.prompts.library import prompt

OfEvent = TypeVar("OfEvent", ActionsOfEvent, EventSummary)


def complete_actions(told: NotedAnalysis, model: ChatModel) -> NotedAnalysis:
    """With actions for the events that have somebody who acts and none, and places for those that lack them.

    What the analysis said is never changed, only completed (seed 000, I.3.2).
    """
    events = list(told.analysis.events)
    lacking = [n for n, event in enumerate(events) if _lacks_actions(event)]
    if not lacking:
        return told
    turns = told.analysis.speaker_turns
    asked = prompt("actions", events=_json_lines((n + 1, _fields(events[n], turns)) for n in lacking))
    try:
        reply, slips = model.ask_leniently(asked, RefinedActions)
    except CostLimit:
        raise
    except ModelFailed as error:
        return told.but(told.analysis, f"actions are left as they are: {error.message}")
    notes: list[str] = list(slips)
    found = _by_event(reply.events, [n + 1 for n in lacking], notes)
    called = {person.local_character_id: person.name_or_description for person in told.analysis.characters}
    for n in lacking:
        if n + 1 in found:
            taken = _Taken(events[n], called, f"event {n + 1}", notes).those_of(found[n + 1].actions)
            events[n] = _completed(events[n], taken)
    return told.but(told.analysis.model_copy(update={"events": tuple(events)}), *notes)


def summarise(told: NotedAnalysis, model: ChatModel) -> NotedAnalysis:
    """With a summary made anew from the fields of each event (seed 000, I.3.3).

    A reply that is no summary (several fields strung together, longer than two sentences, ids in it) is refused: that
    event keeps its own, with a note.
    """
    analysis = told.analysis
    if not analysis.events:
        return told
    names = {person.local_character_id: person.name_or_description for person in analysis.characters}
    fields = [_named(_fields(event, analysis.speaker_turns), names) for event in analysis.events]
    ids = {*names, *(turn.speaker_id for turn in analysis.speaker_turns)}
    clip = f"{analysis.scene_type}\n{analysis.clip_summary}".strip()
    asked = prompt("summary", clip=clip, events=_json_lines(enumerate(fields, start=1)), count=len(fields))
    try:
        reply, slips = model.ask_leniently(asked, Summaries)
    except CostLimit:
        raise
    except ModelFailed as error:
        return told.but(analysis, f"summaries are left as they are: {error.message}")
    events, notes = list(analysis.events), list(slips)
    written = _by_event(reply.summaries, range(1, len(fields) + 1), notes)
    for number, field in enumerate(fields, start=1):
        summary = written[number].summary.strip() if number in written else ""
        if why := refusal(summary, [analysis.clip_summary, *field.texts], ids):
            notes.append(f"event {number}: keeps its own summary, since the one written anew {why}")
        else:
            events[number - 1] = events[number - 1].model_copy(update={"summary": summary})
    return told.but(analysis.model_copy(update={"events": tuple(events)}), *notes)


def _lacks_actions(event: AnalysedEvent) -> bool:
    if event.heard or not event.actors:
        return False
    return not event.actions or any(action.object and not action.spatial_relation for action in event.actions)


def _by_event(told: Iterable[OfEvent], asked: Collection[int], notes: list[str]) -> dict[int, OfEvent]:
    """By the number of its event, what is told of those that were asked about; of several the first, with a note."""
    found: dict[int, OfEvent] = {}
    for one in told:
        if one.event not in asked:
            notes.append(f"event {one.event}: nobody asked about it; what is told of it is not taken")
        elif one.event in found:
            notes.append(f"event {one.event}: told of twice; the first counts")
        else:
            found[one.event] = one
    return found


class _Taken:
    """What of the actions that are found is of an event: done by who acts in it, with its own objects."""

    def __init__(self, event: AnalysedEvent, called: Mapping[str, str], where: str, notes: list[str]) -> None:
        """called: local id -> name or description."""
        self._actors = _by_words([*event.actors, *(action.actor for action in event.actions)], called)
        self._objects = {object_key(thing.name) for thing in event.objects}
        self._objects |= {object_key(action.object) for action in event.actions if action.object}
        self._where, self._notes = where, notes

    def those_of(self, found: Iterable[RefinedAction]) -> list[RefinedAction]:
        return [taken for action in found if (taken := self._own(action))]

    def _own(self, action: RefinedAction) -> RefinedAction | None:
        """With the actor as the event has them; None, with a note, for what the event does not hold."""
        actor = self._actors.get(_plain(action.actor))
        if actor is None:
            return self._refused(
                action, f"{action.actor} does not act in it" if action.actor else "nobody is said to do it"
            )
        if action.object and self._objects and object_key(action.object) not in self._objects:
            return self._refused(action, f"{action.object} is none of its objects")
        return action.model_copy(update={"actor": actor})

    def _refused(self, action: RefinedAction, why: str) -> None:
        self._notes.append(f"{self._where}: {why}; “{action.verb}” is not taken")


def _by_words(actors: Iterable[str], called: Mapping[str, str]) -> dict[str, str]:
    """Actors by their id and by what they are called, where one alone is called so."""
    found: dict[str, set[str]] = {}
    for actor in actors:
        for words in (actor, called.get(actor, actor)):
            found.setdefault(_plain(words), set()).add(actor)
    return {words: same.pop() for words, same in found.items() if len(same) == 1}


def _plain(who: str) -> str:
    return id_key(who).casefold()


def _completed(event: AnalysedEvent, found: Sequence[RefinedAction]) -> AnalysedEvent:
    if event.actions:
        actions = [_placed(action, found) for action in event.actions]
    else:
        actions = [StatedAction(**action.model_dump()) for action in found]
    return event.model_copy(update={"actions": tuple(actions)})


def _placed(action: StatedAction, found: Sequence[RefinedAction]) -> StatedAction:
    """With the place that is found for the same thing done to the same object, where it has none."""
    if action.spatial_relation or not action.object:
        return action
    same = (other.spatial_relation for other in found if _deed(other) == _deed(action) and other.spatial_relation)
    return action.model_copy(update={"spatial_relation": next(same, "")})


def _deed(action: StatedAction | RefinedAction) -> tuple[str, str]:
    return lemma(action.verb), object_key(action.object)


def _fields(event: AnalysedEvent, turns: Iterable[SpeakerTurn]) -> Fields:
    """With all that is said during it."""
    said = (turn.utterance for turn in turns if overlap(turn, event))
    return Fields(
        summary=event.summary,
        actors=tuple(event.actors),
        objects=tuple((thing.name, thing.spatial_description) for thing in event.objects),
        dialogue=tuple(dict.fromkeys([*event.dialogue, *said])),
        actions=tuple((a.actor, a.verb, a.object, a.spatial_relation) for a in event.actions),
    )


def _named(fields: Fields, names: dict[str, str]) -> Fields:
    """With people by name or description instead of local ids."""
    return replace(
        fields,
        actors=tuple(names.get(actor.strip(), actor) for actor in fields.actors),
        actions=tuple((names.get(actor.strip(), actor), *deed) for actor, *deed in fields.actions),
    )


def _json_lines(numbered: Iterable[tuple[int, Fields]]) -> str:
    return "\n".join(json.dumps({"event": n, **_json(fields)}, ensure_ascii=False) for n, fields in numbered)


def _json(fields: Fields) -> dict[str, Any]:
    return {
        "summary": fields.summary,
        "actors": fields.actors,
        "objects": [{"name": name, "spatial_description": where} for name, where in fields.objects],
        "dialogue": fields.dialogue,
        "actions": [
            {"actor": actor, "verb": verb, "object": thing, "spatial_relation": where}
            for actor, verb, thing, where in fields.actions
        ],
    }
