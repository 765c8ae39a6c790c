"""Integrity looks at a graph that was damaged by hand, and mends it without loss where it can."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.integrity import Integrity
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at

TURN = """
    CREATE (:Group {group_id: $g, embedding_model: 'm', embedding_dim: 4, languages: ['en']})
    CREATE (:Episode {group_id: $g, user_id: 'u', session_id: 's', episode_id: 'e', vector_id: $vector, turn: 0,
      content: 'Hello.', actor: 'Mr. Smith', actor_id: 'mr_smith', clock: 0.0, valid_at: datetime(), metadata: '{}',
      scope_text: 's', type: 'message', turn_id: 'turn_0', created_at: datetime(), extracts: 1})"""


@pytest.fixture
def integrity(database: Database, group_id: str) -> Integrity:
    return Integrity(database, group_id, JUMP, "en", lambda: NOON)


@pytest.fixture
def film(database: Database, group_id: str) -> list[str]:
    """Two clips of a film with one event each, and before them one that was explored and one that failed."""
    writer = ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    commit(writer, [clip_of(Video(group_id, "film"), n, (event_at(n * 10.0),)) for n in range(2)])
    database.driver.execute_query(
        "MATCH (v:Video {group_id: $g}) UNWIND [['explored-1', 'committed'], ['a', 'failed']] AS row "
        "CREATE (v)<-[:OF_VIDEO]-(:Clip {group_id: $g, video_id: 'film', clip_id: row[0], status: row[1], "
        "t_start: 0.0, t_end: 1.0, characters: '[]', speaker_turns: '[]'})",
        g=group_id,
    )
    return ["c0", "c1"]


def read(database: Database, statement: str, group_id: str) -> list[object]:
    return [record[0] for record in database.driver.execute_query(statement, g=group_id).records]  # type: ignore[arg-type]


def damaged(database: Database, group_id: str) -> list[object]:
    return read(database, "MATCH (c:Clip {group_id: $g, damaged: true}) RETURN c.clip_id", group_id)


def identity(name: str) -> str:
    return name.lower().replace(". ", "_")


def test_the_speaker_of_a_turn_is_the_identity_of_the_name(
    database: Database, group_id: str, integrity: Integrity
) -> None:
    database.driver.execute_query(TURN, g=group_id, vector=10**9)
    read(database, "MATCH (e:Episode {group_id: $g}) SET e.actor_id = 7", group_id)
    mended, emptied, deleted = integrity.mend_odd(identity)
    assert (mended, emptied, deleted) == ({"actor_id of Episode": 1}, {}, {})
    assert read(database, "MATCH (e:Episode {group_id: $g}) RETURN e.actor_id", group_id) == ["mr_smith"]
    read(database, "MATCH (n) WHERE n.group_id = $g DETACH DELETE n", group_id)


def test_while_a_group_is_imported_no_extract_is_lost(
    database: Database, group_id: str, integrity: Integrity
) -> None:
    database.driver.execute_query(TURN, g=group_id, vector=10**9)
    assert integrity.found("lost_extracts") == ["turn 0 of s"]
    read(database, "MATCH (g:Group {group_id: $g}) SET g.importing = 'a file'", group_id)
    assert integrity.found("lost_extracts") == []
    read(database, "MATCH (n) WHERE n.group_id = $g DETACH DELETE n", group_id)


@pytest.mark.parametrize("name", ["scenes_since", "scenes_until", "damaged"])
def test_a_video_outlives_a_damaged_side_property_and_its_first_clip_brings_it_back(
    database: Database, group_id: str, integrity: Integrity, film: list[str], name: str
) -> None:
    read(database, f"MATCH (v:Video {{group_id: $g}}) SET v.{name} = 'seven'", group_id)
    mended, emptied, deleted = integrity.mend_odd(identity)
    assert (mended, emptied, deleted) == ({}, {f"{name} of Video": 1}, {})
    assert damaged(database, group_id) == film[:1]
    assert integrity.odd() == {}


def test_a_video_that_is_made_again_gets_the_rest_from_the_first_clip_of_its_film(
    database: Database, group_id: str, integrity: Integrity, film: list[str]
) -> None:
    read(database, "MATCH (v:Video {group_id: $g}) DETACH DELETE v", group_id)
    integrity._restore_parents([{"kind": "video", "name": "film", "user_id": ""}], model=None, dim=None)
    assert damaged(database, group_id) == film[:1]


@pytest.mark.parametrize(("name", "left"), [("heard", None), ("actions", "[]")])
def test_an_event_outlives_damage_that_its_clip_brings_back(
    database: Database, group_id: str, integrity: Integrity, film: list[str], name: str, left: object
) -> None:
    read(database, f"MATCH (e:Event {{group_id: $g, clip_id: 'c1'}}) SET e.{name} = 7", group_id)
    mended, emptied, deleted = integrity.mend_odd(identity)
    assert (mended, emptied, deleted) == ({}, {f"{name} of Event": 1}, {})
    assert read(database, f"MATCH (e:Event {{group_id: $g, clip_id: 'c1'}}) RETURN e.{name}", group_id) == [left]
    assert damaged(database, group_id) == film[1:]


def test_the_size_of_a_vector_tells_whether_it_is_whole(
    database: Database, group_id: str, integrity: Integrity, film: list[str]
) -> None:
    whole = np.ones(4, np.float32).tobytes()
    for data, is_odd in (
        (7, True),
        ("seven", True),
        ([7, 8], True),
        (whole[:-1], True),
        (whole, False),
        (b"", False),
    ):
        database.driver.execute_query(
            "MATCH (m:Embedding {group_id: $g}) WITH m ORDER BY m.seq LIMIT 1 SET m.data = $data",
            g=group_id,
            data=data,
        )
        assert bool(integrity.odd()) is is_odd, data


def test_a_node_that_got_the_element_id_of_a_damaged_one_is_not_mended(
    database: Database, group_id: str, integrity: Integrity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neo4j gives the id of a deleted node to a new one, about a second later."""
    database.driver.execute_query(TURN, g=group_id, vector=10**9)
    read(database, "MATCH (e:Episode {group_id: $g}) SET e.actor = 7, e.actor_id = 7", group_id)
    found = Integrity._read

    def then_replaced(self: Integrity, name: str, **params: Any) -> list[Row]:
        rows = found(self, name, **params)
        if name == "odd_nodes":
            read(database, "MATCH (n) WHERE n.group_id = $g DETACH DELETE n", group_id)
            time.sleep(2.5)
            read(database, "UNWIND range(1, 5000) AS n CREATE (:Foreign {of: $g})", group_id)
        return rows

    monkeypatch.setattr(Integrity, "_read", then_replaced)
    integrity.mend_odd(identity)
    assert read(database, "MATCH (n:Foreign {of: $g}) DELETE n RETURN count(*)", group_id) == [5000]
