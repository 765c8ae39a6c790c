"""The example kitchen: a consistent day, and questions that it answers."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j.domain.analysis import AnalysedEvent, ClipLine, StatedAction
from amr_neo4j.language.en.identities import object_key, person_key
from amr_neo4j.language.en.verbs import transition

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


def _clips() -> list[ClipLine]:
    lines = [
        line for path in sorted(KITCHEN.glob("kitchen_*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    clips = [ClipLine.model_validate_json(line) for line in lines]
    return sorted(clips, key=lambda clip: (clip.recorded_at, clip.t_start))


CLIPS = _clips()
QUESTIONS_FILE = Path(__file__).parents[1] / "acceptance" / "kitchen_questions.jsonl"
QUESTIONS = [json.loads(line) for line in QUESTIONS_FILE.read_text("utf-8").splitlines()]


def test_clips_are_consecutive_and_contain_their_events() -> None:
    assert 60 <= len(CLIPS) <= 80
    for clip in CLIPS:
        length = clip.t_end - clip.t_start
        assert 10 <= length <= 30
        for part in (*clip.analysis.events, *clip.analysis.speaker_turns):
            assert 0 <= part.time_start < part.time_end <= length, (clip.clip_id, part)
    for before, after in pairwise(CLIPS):
        assert before.video_id != after.video_id or before.t_end <= after.t_start, (before.clip_id, after.clip_id)


def test_everyone_who_acts_or_speaks_is_introduced() -> None:
    for clip in CLIPS:
        local = {character.local_character_id for character in clip.analysis.characters}
        doing = {actor for event in clip.analysis.events for actor in event.actors}
        doing |= {action.actor for event in clip.analysis.events for action in event.actions if action.actor}
        speaking = {turn.speaker_id for turn in clip.analysis.speaker_turns}
        assert doing | speaking <= local, clip.clip_id


def test_the_household_is_two_people_with_names_and_a_visitor_without() -> None:
    keys = {person_key(c.name_or_description) for clip in CLIPS for c in clip.analysis.characters}
    assert {key.person_id for key in keys if key.is_name} == {"anna", "ben"}
    assert "man_yellow_jacket" in {key.person_id for key in keys if not key.is_name}


def _actions() -> Iterator[tuple[ClipLine, AnalysedEvent, StatedAction]]:
    for clip in CLIPS:
        for event in sorted(clip.analysis.events, key=lambda event: event.time_start):
            for action in event.actions:
                yield clip, event, action


def test_every_verb_is_known() -> None:
    assert [action.verb for _, _, action in _actions() if transition(action.verb) is None] == []


def test_actions_are_possible_in_the_state_of_their_object() -> None:
    """No open door is opened, nobody puts down an object they do not hold, over the whole day."""
    states: dict[tuple[str, str], str] = {}
    for clip, event, action in _actions():
        thing = object_key(action.object)
        change = transition(action.verb, thing)
        if not thing or change is None or change.kind is None or change.to_state is None:
            continue
        before = states.get((thing, change.kind))
        assert None in (before, change.from_state) or before == change.from_state, (clip.clip_id, event.summary)
        states[thing, change.kind] = change.to_state
    assert states["fridge", "open"] == "open"
    assert states["blue mug", "place"] == "discarded"


def test_only_the_holder_puts_an_object_down() -> None:
    holders: dict[str, str] = {}
    for clip, event, action in _actions():
        thing = object_key(action.object)
        change = transition(action.verb, thing)
        if not thing or change is None or change.moves is None:
            continue
        names = {c.local_character_id: c.name_or_description for c in clip.analysis.characters}
        actor = names[action.actor]
        assert holders.pop(thing, actor) == actor, (clip.clip_id, event.summary)
        if change.moves == "to_actor":
            holders[thing] = actor


def test_the_keys_move_often() -> None:
    places = [a.spatial_relation for _, _, a in _actions() if object_key(a.object) == "key" and _puts_down(a)]
    assert len(places) == len(set(places)) >= 4


def _puts_down(action: StatedAction) -> bool:
    change = transition(action.verb)
    return change is not None and change.moves == "to_place"


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["question"])
def test_the_evidence_of_each_question_exists(asked: dict[str, Any]) -> None:
    """The evidence also contains the answer's words, unless its kind of answer is computed."""
    evidence = asked["evidence"]
    clips = {clip.clip_id: clip for clip in CLIPS}
    assert clips[evidence["clip_id"]].video_id == evidence["video_id"] and clips.keys() >= {*evidence.get("also", [])}
    summaries = " ".join(event.summary for event in clips[evidence["clip_id"]].analysis.events).casefold()
    assert "kind" in asked or [word for word in asked["answer_words"] if word.casefold() not in summaries] == []
