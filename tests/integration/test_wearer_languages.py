"""A body camera's captions in the first person of its language are its wearer's, from ingestion to the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Citation
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load

WEEK = {
    "en": (
        "I water the basil.",
        "Ida waters the basil.",
        "Now I water the basil.",
        "How often did I water the basil?",
    ),
    "de": (
        "Ich gieße das Basilikum.",
        "Ida gießt das Basilikum.",
        "Dann gieße ich das Basilikum.",
        "Wie oft habe ich das Basilikum gegossen?",
    ),
    "fr": (
        "J'arrose le basilic.",
        "Ida arrose le basilic.",
        "Puis j'arrose le basilic.",
        "Combien de fois ai-je arrosé le basilic ?",
    ),
    "es": (
        "Yo riego la albahaca.",
        "Ida riega la albahaca.",
        "Riego la albahaca.",
        "¿Cuántas veces regué la albahaca?",
    ),
    "it": (
        "Io annaffio il basilico.",
        "Ida annaffia il basilico.",
        "Annaffio il basilico.",
        "Quante volte ho annaffiato il basilico?",
    ),
}


@pytest.mark.parametrize("code", WEEK)
def test_how_often_i_did_it_counts_the_wearers_deeds(
    code: str, neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    *captions, question = WEEK[code]
    lines = [
        {"video_id": "body", "clip_id": f"c{n}", "t_start": 600 * n, "t_end": 600 * n + 9, "wearer": "Jake"}
        | {"analysis": {"clip_summary": "", "events": [{"time_start": 0, "time_end": 4, "summary": caption}]}}
        for n, caption in enumerate(captions)
    ]
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    there = neo4j_connection
    of_server = {"neo4j_uri": there.uri, "neo4j_username": there.username, "neo4j_password": there.password}
    with Memory.connect(load(**of_server, group=group_id, data_dir=tmp_path / "data", language=code)) as memory:
        memory._parts.prepare()
        assert memory.ingest(file).committed == 3
        answer = memory.ask(question)
        cited = [citation.time_start for citation in answer.citations if isinstance(citation, Citation)]
        assert answer.found and cited == [0, 1200]
        assert [event.time_start for one in memory.persons("Jake") for event in one.events] == [0, 1200]
