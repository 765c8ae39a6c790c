"""Refines an analysed clip by a model: adds missing actions, and rewrites the summary of each event.

Each of the two is one call for all events of a clip. If it fails, the analysis stays as it is, with a note.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from amr_neo4j.domain.analysis import AnalysedEvent, NotedAnalysis, SpeakerTurn, StatedAction
from amr_neo4j.domain.episode import LONGEST_NAME
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import ActionsOfEvent, EventSummary, RefinedAction, RefinedActions, Summaries
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.local_ids import id_key, is_local_id
from amr_neo4j.ingest.summaries import Fields, refusal
from amr_neo4j.ingest.voice_attribution import overlap
from amr_neo4j.language.languages import Language
from amr_neo4j.prompts.library import Plain, prompt

OfEvent = TypeVar("OfEvent", ActionsOfEvent, EventSummary)


def complete_actions(noted: NotedAnalysis, model: ChatModel, language: Language) -> NotedAnalysis:
    """Add actions to events that have none, and places to actions that have none.

    What the analyser stated is completed, never changed (specification 000 I.3.2).
    """
    events = list(noted.analysis.events)
    lacking = [n for n, event in enumerate(events) if _lacks_actions(event)]
    if not lacking:
        return noted
    turns = noted.analysis.speaker_turns
    # Prompts number events from 1.
    fields = _json_lines((n + 1, _fields(events[n], turns)) for n in lacking)
    asked = prompt("actions", events=fields, language=Plain(language.written))
    try:
        reply, slips = model.ask(asked, RefinedActions)
    # It is a ModelFailed too, but it must end the run.
    except CostLimit:
        raise
    except ModelFailed as error:
        return noted.but(noted.analysis, f"actions are not refined: {error.message}")
    notes: list[str] = list(slips)
    found = _by_event(reply.events, [n + 1 for n in lacking], notes)
    called = {person.local_character_id: person.name_or_description for person in noted.analysis.characters}
    for n in lacking:
        if n + 1 in found:
            fitting = _FittingActions(events[n], called, language, where=f"event {n + 1}", notes=notes)
            accepted = fitting.of(found[n + 1].actions)
            events[n] = _completed(events[n], accepted, language)
    return noted.but(noted.analysis.model_copy(update={"events": tuple(events)}), *notes)


def summarise(noted: NotedAnalysis, model: ChatModel, language: Language) -> NotedAnalysis:
    """Replace each event's summary by one made from its fields (specification 000 I.3.3), and add whom it mentions.

    A bad summary is refused, with a note, and that event keeps its own: one that strings fields together, has more
    than two sentences, or contains local ids.
    """
    analysis = noted.analysis
    if not analysis.events:
        return noted
    names = {person.local_character_id: person.name_or_description for person in analysis.characters}
    fields = [_named(_fields(event, analysis.speaker_turns), names) for event in analysis.events]
    ids = {*names, *(turn.speaker_id for turn in analysis.speaker_turns)}
    clip = f"{analysis.scene_type}\n{analysis.clip_summary}".strip()
    lines, written_in = _json_lines(enumerate(fields, start=1)), Plain(language.written)
    asked = prompt("summary", clip=clip, events=lines, count=len(fields), language=written_in)
    try:
        reply, slips = model.ask(asked, Summaries)
    except CostLimit:
        raise
    except ModelFailed as error:
        return noted.but(analysis, f"summaries are not refined: {error.message}")
    events, notes = list(analysis.events), list(slips)
    written = _by_event(reply.summaries, range(1, len(fields) + 1), notes)
    for number, field in enumerate(fields, start=1):
        found, event = written.get(number), events[number - 1]
        summary = found.summary.strip() if found else ""
        if found:
            texts = [analysis.clip_summary, event.own_summary, *field.texts, summary]
            mentioned = _named_in(texts, found.persons, language)
            event = events[number - 1] = event.model_copy(update={"mentioned": mentioned})
        if why := refusal(summary, [analysis.clip_summary, *field.texts], language, ids):
            notes.append(f"event {number}: keeps its own summary, since the refined one {why}")
        else:
            own = event.own_summary or event.summary
            events[number - 1] = event.model_copy(update={"summary": summary, "own_summary": own})
    return noted.but(analysis.model_copy(update={"events": tuple(events)}), *notes)


def _named_in(texts: Iterable[str], persons: Iterable[str], language: Language) -> tuple[str, ...]:
    """Return the names and roles whose words are in the texts. What a model adds of its own is dropped, and so is
    what could be anybody ("C1", "somebody").
    """
    said = [f" {' '.join(language.words_of(text))} " for text in texts]
    named: list[str] = []
    for person in (each.strip() for each in persons):
        words = f" {' '.join(language.words_of(person))} "
        clear = 0 < len(person) <= LONGEST_NAME and not is_local_id(person) and not language.is_indistinct(person)
        if clear and words.strip() and any(words in text for text in said):
            named.append(person)
    return tuple(dict.fromkeys(named))


def _lacks_actions(event: AnalysedEvent) -> bool:
    if event.heard:
        return False
    return not event.actions or any(action.object and not action.spatial_relation for action in event.actions)


def _by_event(replies: Iterable[OfEvent], asked: Collection[int], notes: list[str]) -> dict[int, OfEvent]:
    """Return {event number: reply} for the events asked about.

    If an event has several replies, the first one counts, and a note says so.
    """
    found: dict[int, OfEvent] = {}
    for one in replies:
        if one.event not in asked:
            notes.append(f"event {one.event}: not asked about; ignored")
        elif one.event in found:
            notes.append(f"event {one.event}: in the reply twice; the first counts")
        else:
            found[one.event] = one
    return found


class _FittingActions:
    """Picks the actions of a reply that fit an event: by one of its actors, with one of its objects."""

    def __init__(
        self, event: AnalysedEvent, called: Mapping[str, str], language: Language, *, where: str, notes: list[str]
    ) -> None:
        """called: {local id: name or description}.
        where: what notes call the event.
        notes: gets a line for each refused action.
        """
        self._object_key, self._language = language.object_key, language
        self._told = "" if event.actors or event.actions else event.summary
        listed = [*event.actors, *(action.actor for action in event.actions)]
        # An event that lists nobody is about anybody whom the clip lists or its summary names.
        self._actors = _by_words(listed or called, called)
        self._objects = {language.object_key(thing.name) for thing in event.objects}
        self._objects |= {language.object_key(action.object) for action in event.actions if action.object}
        self._where, self._notes = where, notes

    def of(self, found: Iterable[RefinedAction]) -> list[RefinedAction]:
        return [fitting for action in found if (fitting := self._own(action))]

    def _own(self, action: RefinedAction) -> RefinedAction | None:
        """Return the action with the actor's id as in the event; None if it does not fit, with a note."""
        named = _named_in([self._told], [action.actor], self._language)
        actor = self._actors.get(_plain(action.actor), named[0] if named else None)
        if actor is None:
            return self._refused(
                action, f"{action.actor} does not act in it" if action.actor else "no actor is given"
            )
        # Without listed objects there is nothing to compare with, so any object is accepted.
        if action.object and self._objects and self._object_key(action.object) not in self._objects:
            return self._refused(action, f"{action.object} is not one of its objects")
        return action.model_copy(update={"actor": actor})

    def _refused(self, action: RefinedAction, why: str) -> None:
        self._notes.append(f"{self._where}: {why}; “{action.verb}” is dropped")


def _by_words(actors: Iterable[str], called: Mapping[str, str]) -> dict[str, str]:
    """Return {id or name: actor}. Names that several actors share are left out."""
    found: dict[str, set[str]] = {}
    for actor in actors:
        for words in (actor, called.get(actor, actor)):
            found.setdefault(_plain(words), set()).add(actor)
    return {words: same.pop() for words, same in found.items() if len(same) == 1}


def _plain(who: str) -> str:
    return id_key(who).casefold()


def _completed(event: AnalysedEvent, found: Sequence[RefinedAction], language: Language) -> AnalysedEvent:
    if event.actions:
        actions = [_placed(action, found, language) for action in event.actions]
    else:
        actions = [StatedAction(**action.model_dump()) for action in found]
    return event.model_copy(update={"actions": tuple(actions)})


def _placed(action: StatedAction, found: Sequence[RefinedAction], language: Language) -> StatedAction:
    """Return the action. If it has no place, it gets that of the reply's action with the same verb and object."""
    if action.spatial_relation or not action.object:
        return action
    wanted = _deed(action, language)
    same = (other.spatial_relation for other in found if _deed(other, language) == wanted and other.spatial_relation)
    return action.model_copy(update={"spatial_relation": next(same, "")})


def _deed(action: StatedAction | RefinedAction, language: Language) -> tuple[str, str]:
    return language.lemma(action.verb), language.object_key(action.object)


def _fields(event: AnalysedEvent, turns: Iterable[SpeakerTurn]) -> Fields:
    """Return the fields of an event, with everything that is said during it."""
    said = (turn.utterance for turn in turns if overlap(turn, event))
    return Fields(
        summary=event.summary,
        actors=tuple(event.actors),
        objects=tuple((thing.name, thing.spatial_description) for thing in event.objects),
        dialogue=tuple(dict.fromkeys([*event.dialogue, *said])),
        actions=tuple((a.actor, a.verb, a.object, a.spatial_relation) for a in event.actions),
    )


def _named(fields: Fields, names: dict[str, str]) -> Fields:
    """Return the fields with names or descriptions in place of local ids."""
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
