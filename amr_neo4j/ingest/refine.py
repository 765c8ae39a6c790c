"""What is asked about a clip once it is analysed: actions that it lacks, and the summary of each event.

One call for all events of a clip. Where it fails the analysis stays as it is, with a note: no clip is lost by it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from amr_neo4j.domain.analysis import AnalysedEvent, SpeakerTurn, StatedAction, Told
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import RefinedAction, RefinedActions, Summaries
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.local_ids import is_local_id
from amr_neo4j.ingest.summary import Fields, refusal
from amr_neo4j.ingest.voices import overlap
from amr_neo4j.language.objects import object_key
from amr_neo4j.language.verbs import lemma
from amr_neo4j.prompts.library import prompt


def complete_actions(told: Told, model: ChatModel) -> Told:
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
    found = {of.event - 1: of.actions for of in reply.events}
    for n in lacking:
        events[n] = _completed(events[n], found.get(n, []), f"event {n + 1}", notes)
    return told.but(told.analysis.model_copy(update={"events": tuple(events)}), *notes)


def summarise(told: Told, model: ChatModel) -> Told:
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
    written = {found.event: found.summary.strip() for found in reply.summaries}
    events, notes = list(analysis.events), list(slips)
    for number, field in enumerate(fields, start=1):
        why = refusal(written.get(number, ""), [analysis.clip_summary, *field.texts], ids)
        if why:
            notes.append(f"event {number}: keeps its own summary, since the one written anew {why}")
        else:
            events[number - 1] = events[number - 1].model_copy(update={"summary": written[number]})
    return told.but(analysis.model_copy(update={"events": tuple(events)}), *notes)


def _lacks_actions(event: AnalysedEvent) -> bool:
    if event.heard or not event.actors:
        return False
    return not event.actions or any(action.object and not action.spatial_relation for action in event.actions)


def _completed(event: AnalysedEvent, found: Iterable[RefinedAction], where: str, notes: list[str]) -> AnalysedEvent:
    known = {actor.strip() for actor in event.actors}
    good: list[RefinedAction] = []
    for action in found:
        if action.actor.strip() in known or not is_local_id(action.actor.strip()):
            good.append(action)
        else:
            notes.append(f"{where}: {action.actor} does not act in it; “{action.verb}” is not taken")
    if event.actions:
        actions = [_placed(action, good) for action in event.actions]
    else:
        actions = [StatedAction(**action.model_dump()) for action in good]
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
