"""What Neo4j Browser displays without a style sheet: written with each clip."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.compose import compose
from amr_neo4j.language.languages import language
from amr_neo4j.store.database import Database
from amr_neo4j.store.persons import PersonMerger
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.store.write.rows import title

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SUMMARIES = [
    "Anna puts the keys on the kitchen table, and then leaves for the day",
    "Anna takes the keys",
    "a summary that has exactly forty letters",
    "a summary that ends with a word at 40 let ters",
    "x" * 41,
    "安娜把钥匙放在厨房的桌子上" * 4,
    " " + "y" * 60,
]


@pytest.fixture
def commit(database: Database, group_id: str) -> str:
    """A clip with an event for each summary, by Anna and a girl."""
    events = [
        {
            "summary": summary,
            "time_start": n,
            "time_end": n + 1,
            "actors": ["C1", "C2"],
            "objects": [{"name": "the keys"}],
            "actions": [{"actor": "C1", "verb": "take", "object": "Red Cups"}],
        }
        for n, summary in enumerate(SUMMARIES)
    ]
    characters = [
        {"local_character_id": "C1", "name_or_description": "Anna"},
        {"local_character_id": "C2", "name_or_description": "girl in a black hoodie"},
    ]
    analysis = ClipAnalysis.model_validate({"clip_summary": "", "characters": characters, "events": events})
    clip = compose(
        AnalysedClip(Video(group_id, "hall"), Clip("c0", 0.0, 30.0), analysis, "test", "sha"), language("en")
    )
    writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: NOON)
    writer.commit([clip], np.ones((len(clip.events), 4), np.float32), "m")
    return group_id


def shown(database: Database, group_id: str) -> dict[str, list[str]]:
    rows = database.driver.execute_query(
        """
        RETURN COLLECT { MATCH (e:Event {group_id: $g}) RETURN e.title ORDER BY e.time_start } AS titles,
               COLLECT { MATCH (p:Person {group_id: $g}) RETURN p.name ORDER BY p.name } AS persons,
               COLLECT { MATCH (o:Object {group_id: $g}) RETURN o.name + ': ' + o.words ORDER BY o.name } AS objects
        """,
        g=group_id,
    ).records
    return rows[0].data()


def test_names_are_written_with_the_clip(commit: str, database: Database) -> None:
    assert shown(database, commit) == {
        "titles": [title(summary) for summary in SUMMARIES],
        "persons": ["Anna", "girl in a black hoodie"],
        "objects": ["key: the keys", "red cup: Red Cups"],
    }
    assert title(SUMMARIES[0]) == "Anna puts the keys on the kitchen table,…"
    assert {len(title(summary)) <= 41 for summary in SUMMARIES} == {True}


def test_the_digest_leaves_them_out(commit: str, database: Database) -> None:
    before = digest(database, commit)
    PersonMerger(database, commit, 30.0, lambda: NOON).merge("girl_black_hoodie", "anna")
    merged = digest(database, commit)
    for cleared in ("MATCH (e:Event {group_id: $g}) REMOVE e.title", "MATCH (p:Person {group_id: $g}) REMOVE p.name"):
        database.driver.execute_query(cleared, g=commit)
    database.driver.execute_query("MATCH (o:Object {group_id: $g}) REMOVE o.words", g=commit)
    assert digest(database, commit) == merged
    PersonMerger(database, commit, 30.0, lambda: NOON).undo("girl_black_hoodie")
    assert digest(database, commit) == before
