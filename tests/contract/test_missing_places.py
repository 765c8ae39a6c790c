"""A thing that somebody uses and that has no place is asked for once more, over a real socket."""

from __future__ import annotations

from typing import Any

from amr_neo4j import settings
from amr_neo4j.domain.video import Clip
from amr_neo4j.ingest.analyse import analyse, complete_places
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from tests.support.model_server import ModelServer

CLIP = Clip("000000000-000010000", 0.0, 10.0)


def reply(where: str, relation: str = "") -> dict[str, Any]:
    action = {"actor": "C1", "verb": "pick up", "object": "lid", "spatial_relation": relation}
    event = {
        "local_event_id": "E1",
        "time_start": 1.0,
        "time_end": 2.0,
        "summary": "Anna picks up the lid.",
        "actors": ["C1"],
        "objects": [{"name": "lid", "spatial_description": where}],
        "dialogue": [],
        "actions": [action],
        "heard": False,
    }
    anna = {"local_character_id": "C1", "role": "other", "name_or_description": "Anna", "speaker_id": ""}
    return {
        "clip_summary": "Anna is at work.",
        "scene_type": "kitchen",
        "characters": [anna],
        "speaker_turns": [],
        "events": [event],
    }


def analysed(server: ModelServer) -> Any:
    given = settings.load(provider=server.url, api_key="sk-test")
    model = open_chat(given, "analyse", Ledger(), sleep=lambda seconds: None)
    assert model
    return complete_places(
        analyse(CLIP, (), (), model=model, language=ENGLISH), CLIP, tuple, model=model, language=ENGLISH
    )


def test_a_missing_place_is_asked_for_once(model_server: ModelServer) -> None:
    model_server.then(reply(""))
    model_server.then('{"places": [{"number": "1", "spatial_description": "left of the jar"},], "note": "easy"}')
    found = analysed(model_server)
    assert found.analysis.events[0].objects[0].spatial_description == "left of the jar"
    assert any("1 of 1 places" in note for note in found.notes) and len(model_server.requests) == 2


def test_the_analysis_stays_where_the_second_call_fails(model_server: ModelServer) -> None:
    model_server.then(reply(""))
    model_server.then("no JSON")
    model_server.then("no JSON")
    found = analysed(model_server)
    assert found.analysis.events[0].summary and any("not known" in note for note in found.notes)


def test_a_known_place_is_not_asked_for(model_server: ModelServer) -> None:
    model_server.then(reply("on the shelf"))
    assert analysed(model_server).analysis.events[0].objects[0].spatial_description == "on the shelf"
    model_server.then(reply("", relation="from the shelf"))
    analysed(model_server)
    assert len(model_server.requests) == 2
