"""What a vision model writes is in the group's language: every prompt for words of the graph names it."""

from __future__ import annotations

import pytest

from amr_neo4j import settings
from amr_neo4j.domain.analysis import NotedAnalysis
from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.video import Clip
from amr_neo4j.ingest.analyse import analyse, complete_places
from amr_neo4j.ingest.refine import complete_actions, summarise
from amr_neo4j.ingest.summaries import ModelSummary
from amr_neo4j.language.languages import language
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from tests.support.analyses import analysed
from tests.support.model_server import ModelServer

NAMES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "English"}


@pytest.mark.parametrize("code", NAMES)
def test_every_request_for_words_of_the_graph_names_the_group_s_language(
    code: str, model_server: ModelServer
) -> None:
    role = {"model": "some/eyes", "patience_s": 1.0, "price_in": 1.0, "price_out": 1.0}
    given = settings.load(provider=model_server.url, api_key="sk-test", analyse=role)
    model = open_chat(given, "analyse", Ledger(lambda line: None, None), sleep=lambda seconds: None)
    assert model
    event = {
        "local_event_id": "E1",
        "time_start": 0,
        "time_end": 1,
        "summary": "Anna.",
        "objects": [{"name": "Tasse"}],
    }
    reply = {"clip_summary": "Anna.", "characters": [], "speaker_turns": [], "events": [event]}
    read, clip = language(code), Clip("c1", 0.0, 10.0)
    noted = NotedAnalysis(
        analysed({**reply, "events": [{**event, "actions": [{"verb": "sieht", "object": "Tasse"}]}]}).analysis
    )

    model_server.then(reply)
    analyse(clip, [], [], model=model, language=read)
    model_server.then({"places": [{"number": 1, "spatial_description": "links"}]})
    complete_places(noted, clip, lambda: [], model=model, language=read)
    model_server.then({"events": [{"event": 1, "actions": []}]})
    complete_actions(noted, model, read)
    model_server.then({"summaries": [{"event": 1, "summary": "Anna sieht die Tasse.", "persons": []}]})
    summarise(noted, model, read)
    model_server.then({"summary": "Anna sieht die Tasse."})
    ModelSummary(model, read)(
        [EventDraft(0, 0, 1, "Anna.", involvements=()), EventDraft(1, 1, 2, "Anna.", involvements=())]
    )

    systems = [request.body["messages"][0]["content"] for request in model_server.requests]
    assert len(systems) == 5
    assert all(f" in {NAMES[code]}" in " ".join(system.split()) for system in systems)
