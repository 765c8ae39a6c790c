"""Which completed actions are accepted: those of the event, by its actors."""

from __future__ import annotations

from typing import Any

import pytest

from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis, StatedAction
from amr_neo4j.domain.chat import Prompt
from amr_neo4j.domain.ports import Shape
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.refine import complete_actions, summarise
from amr_neo4j.language.languages import ENGLISH

Json = dict[str, Any]
MAN = "old man in a green apron"


class EventFeatures:
    """A model that returns this reply."""

    model = "teller"

    def __init__(self, analysed: Json) -> None:
        self.analysed = analysed

    def ask(self, prompt: Prompt, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
        return shape.model_validate(self.analysed), ()


def analysed(*events: Json, twin: str = "woman with a grey braid") -> NotedAnalysis:
    people = [
        {"local_character_id": local, "name_or_description": words}
        for local, words in (("C1", MAN), ("C2", twin), ("C3", "Bob"))
    ]
    timed = [{"time_start": 1, "time_end": 4, "summary": "The lid comes off.", "actors": ["C1"]} | e for e in events]
    return NotedAnalysis(ClipAnalysis.model_validate({"clip_summary": "", "characters": people, "events": timed}))


def action(actor: str, verb: str = "lift", thing: str = "") -> Json:
    return {"actor": actor, "verb": verb, "object": thing}


def completed(before: NotedAnalysis, *found: tuple[int, list[Json]]) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    model: Any = EventFeatures({"events": [{"event": n, "actions": actions} for n, actions in found]})
    after = complete_actions(before, model, ENGLISH)
    return [(each.actor, each.object) for each in after.analysis.events[0].actions], after.notes


LID = {"objects": [{"name": "lids"}]}


@pytest.mark.parametrize(
    ("event", "found", "taken", "note"),
    [
        (LID, action("C1", thing="the lid"), [("C1", "the lid")], ""),
        (LID, action("c1"), [("C1", "")], ""),
        (LID, action("Old man in a green apron"), [("C1", "")], ""),
        (LID, action("Bob", "shoot", "lid"), [], "event 1: Bob does not act in it; “shoot” is dropped"),
        (LID, action("C2"), [], "C2 does not act in it"),
        (LID, action(""), [], "no actor is given"),
        (LID, action("C1", "shoot", "dragon"), [], "event 1: dragon is not one of its objects; “shoot” is dropped"),
        ({}, action("C1", "shoot", "dragon"), [("C1", "dragon")], ""),
        ({"actors": ["Bob"]}, action("bob"), [("Bob", "")], ""),
    ],
)
def test_only_references_of_the_event_are_accepted(
    event: Json, found: Json, taken: list[tuple[str, str]], note: str
) -> None:
    actions, notes = completed(analysed(event), (1, [found]))
    assert actions == taken
    assert [note in line for line in notes] == ([True] if note else [])


def test_words_for_two_actors_refer_to_neither() -> None:
    actions, notes = completed(analysed({"actors": ["C1", "C2"]}, twin=MAN), (1, [action(MAN), action("C2")]))
    assert (actions, len(notes)) == ([("C2", "")], 1)


def test_unrequested_and_repeated_events_are_noted() -> None:
    actions, notes = completed(
        analysed({}), (9, [action("C1")]), (1, [action("C1", "lift")]), (1, [action("C1", "eat")] * 2)
    )
    assert actions == [("C1", "")]
    assert notes == (
        "event 9: not asked about; ignored",
        "event 1: in the reply twice; the first counts",
    )


def test_of_repeated_summaries_the_first_counts() -> None:
    summaries = [
        {"event": n, "summary": words} for n, words in ((1, "He opens the jar."), (1, "Second."), (2, "Third."))
    ]
    model: Any = EventFeatures({"summaries": summaries})
    after = summarise(analysed({}), model, ENGLISH)
    assert after.analysis.events[0].summary == "He opens the jar."
    assert [note.split(":")[0] for note in after.notes] == ["event 1", "event 2"]


def test_a_place_is_added_to_an_existing_action() -> None:
    there = {"actor": "", "verb": "lift", "object": "lid", "spatial_relation": ""}
    model: Any = EventFeatures(
        {"events": [{"event": 1, "actions": [action("", "lift", "lid") | {"spatial_relation": "off the jar"}]}]}
    )
    after = complete_actions(analysed({"actions": [there]}), model, ENGLISH)
    assert after.analysis.events[0].actions == (
        StatedAction.model_validate(there | {"spatial_relation": "off the jar"}),
    )
    assert not after.notes


def test_actions_of_an_event_that_lists_nobody_are_asked_for_too() -> None:
    before = analysed({"actors": [], "summary": "The waiter hands Anna the bill."})
    acts, notes = completed(before, (1, [action("C1", "hand", "bill"), action("Zoe", "wave")]))
    assert acts == [("C1", "bill")] and "Zoe does not act in it" in notes[0]
    acts, notes = completed(before, (1, [action("the waiter", "hand", "bill"), action("waitress", "wave")]))
    assert acts == [("the waiter", "bill")] and "waitress does not act in it" in notes[0]
    # Where an event lists its actors, nobody else acts in it.
    acts, notes = completed(
        analysed({"summary": "The waiter hands Anna the bill.", "actions": []}),
        (1, [action("the waiter", "hand", "bill")]),
    )
    assert not acts and "does not act in it" in notes[0]


def test_the_analysers_own_summary_is_kept_beside_the_refined_one() -> None:
    model: Any = EventFeatures({"summaries": [{"event": 1, "summary": "A man in an apron lifts the lid off."}]})
    [event] = summarise(analysed({}), model, ENGLISH).analysis.events
    assert (event.summary, event.own_summary) == ("A man in an apron lifts the lid off.", "The lid comes off.")


def test_the_refiner_lists_whom_an_event_mentions() -> None:
    """In any language. What no text of the event or the clip has, and what could be anybody, is dropped."""
    said = ["Kellner", "the Pope", "C2", "somebody", "bus driver", "Kellner"]
    reply = {"summaries": [{"event": 1, "summary": "A man lifts the lid off for the Kellner.", "persons": said}]}
    before = analysed({"dialogue": ["The bus driver waits."]})
    model: Any = EventFeatures(reply)
    after = summarise(before, model, ENGLISH).analysis
    assert after.events[0].mentioned == ("Kellner", "bus driver")
    clip = AnalysedClip(Video("g", "v"), Clip("c", 0.0, 10.0), after, "lines", "sha")
    [event] = compose(clip, ENGLISH).events
    assert event.persons == (MAN, "Kellner", "bus driver")
