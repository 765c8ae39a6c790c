"""Where things are, from an analysis to the graph, the full text and back."""

from __future__ import annotations

import json
from pathlib import Path

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Scope
from amr_neo4j.localdb import Connection
from amr_neo4j.store.database import Database

DESCRIBED = ("phone: to the left of the mug", "Books: under the lamp")
LINE = {
    "video_id": "desk",
    "clip_id": "c",
    "t_start": 0,
    "t_end": 10,
    "analysis": {
        "clip_summary": "A desk.",
        "scene_type": "office",
        "characters": [],
        "speaker_turns": [],
        "events": [
            {
                "local_event_id": "E1",
                "time_start": 1,
                "time_end": 2,
                "summary": "The desk is empty.",
                "actors": [],
                "objects": [
                    {"name": "phone", "spatial_description": "to the left of the mug"},
                    {"name": "Books", "spatial_description": "under the lamp"},
                    {"name": "pen", "spatial_description": ""},
                ],
                "dialogue": [],
                "actions": [],
            }
        ],
    },
}


def test_a_described_place_is_stored_found_and_given_back(
    neo4j_connection: Connection, database: Database, group_id: str, tmp_path: Path
) -> None:
    where = {"neo4j_uri": neo4j_connection.uri, "neo4j_password": neo4j_connection.password}
    with Memory.open(group=group_id, data_dir=tmp_path, **where) as memory:
        memory.ingest_lines([json.dumps(LINE)])
        [hit] = memory.search("mug")
        assert hit.event.spatial_descriptions == DESCRIBED
        assert memory.event(hit.event.node_id).spatial_descriptions == DESCRIBED
        reader = memory._parts.asking().sources(memory.group_id, {}).reader
        assert [node_id for node_id, _ in reader.full_text("lamp", Scope(group_id), 5)] == [hit.event.node_id]


def test_what_went_in_comes_back(
    neo4j_connection: Connection, database: Database, group_id: str, tmp_path: Path
) -> None:
    """The embedding of an event, who is in a clip and who speaks; a video's events in order."""
    who = {"local_character_id": "C1", "role": "speaker", "name_or_description": "Anna"}
    turn = {"speaker_id": "C1", "utterance": "Here it is.", "time_start": 1, "time_end": 2}
    analysis = {**LINE["analysis"], "characters": [who], "speaker_turns": [turn]}
    where = {"neo4j_uri": neo4j_connection.uri, "neo4j_password": neo4j_connection.password}
    with Memory.open(group=group_id, data_dir=tmp_path, **where) as memory:
        late = LINE | {"clip_id": "d", "t_start": 10, "t_end": 20}
        memory.ingest_lines([json.dumps(late), json.dumps(LINE | {"analysis": analysis})])
        event, later = memory.video("desk").timeline
        assert (event.time_start, later.time_start) == (1, 11), "in order of time, not of arrival"
        found = memory.event(event.node_id, vector=True)
        assert found.text_embedding and len(found.text_embedding) == memory._parts.embedder().dim
        assert memory.event(event.node_id).text_embedding is None
        [clip] = memory.clips("c", "desk")
        assert (clip.characters[0]["name_or_description"], clip.speaker_turns[0]["utterance"]) == (
            "Anna",
            "Here it is.",
        )
