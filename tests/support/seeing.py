"""A vision analyser at the model server, and scripted replies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from amr_neo4j.domain.ports import Analyser
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import load
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.wiring.analyser import open_analyser
from tests.support.model_server import ModelServer

KEY = "sk-hush-hush"
EYES, REFINER = "some/eyes", "some/words"
TO_EYES, TO_REFINER = {"model": EYES}, {"model": REFINER}
Json = dict[str, Any]


def vision(
    server: ModelServer,
    *,
    calls: tuple[str, ...] = (),
    known: Mapping[str, str] | None = None,
    analyse: Json | None = None,
    waits: list[float] | None = None,
    spool: ClipSpool | None = None,
    **settings: Any,
) -> Analyser:
    """calls: the later calls to make. known: the people of the video in memory. spool: empty by default."""
    priced = {"price_in": 1.0, "price_out": 10.0}
    given = load(
        provider=server.url,
        api_key=KEY,
        analyse={"model": EYES, **priced, **(analyse or {})},
        refine={"model": REFINER, **priced, "calls": calls},
        **settings,
    )
    said: list[str] = []
    slept = [] if waits is None else waits
    kept = spool or ClipSpool(Path(":memory:"))
    return open_analyser(
        given, lambda video: known or {}, kept, Ledger(said.append, given.max_cost_usd), slept.append
    )


def character(local_id: str, words: str, role: str = "other") -> Json:
    return {"local_character_id": local_id, "role": role, "name_or_description": words}


def event(summary: str = "She lifts the lid.", **rest: Any) -> Json:
    return {
        "local_event_id": "E1",
        "time_start": 0.5,
        "time_end": 1.5,
        "summary": summary,
        "actors": ["C1"],
        "objects": [{"name": "lid", "spatial_description": "on top of the pot"}],
        "dialogue": [],
        "actions": [{"actor": "C1", "verb": "lift", "object": "lid", "spatial_relation": "above the pot"}],
        "heard": False,
    } | rest


def reply(*events: Json, people: tuple[Json, ...] = (), **rest: Any) -> Json:
    """A valid analysis."""
    return {
        "clip_summary": "A woman cooks.",
        "scene_type": "kitchen",
        "characters": list(people or (character("C1", "woman in a red scarf"),)),
        "speaker_turns": [],
        "events": list(events or (event(),)),
    } | rest
