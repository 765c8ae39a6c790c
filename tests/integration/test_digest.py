"""The digest of a group: equal for equal content whatever the group is called, and changed by every difference."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from amr_neo4j.domain.event import Use
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.digest import Digest, digest
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at

LONG = "a very long name " * 30


def written(database: Database, group_id: str) -> Digest:
    writer = ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    video = Video(group_id, "v", place="kitchen", recorded_at=NOON)
    uses = (Use(0, "door", "open", "anna", "closed", "open"),)
    events = [event_at(n * 40.0, 0, ("anna", LONG, "ben"), uses) for n in range(4)]
    commit(writer, [clip_of(video, n, (event,)) for n, event in enumerate(events)])
    return digest(database, group_id)


def test_equal_content_has_an_equal_digest_in_any_group(database: Database) -> None:
    """This holds also if keys contain the group's name, or are hashed because it makes them too long."""
    groups = [f"{name}-{uuid4()}" for name in ("a", "z", "häuser/1%", "long " * 40)]
    found = {written(database, group_id) for group_id in groups}
    assert len({one.sha256 for one in found if one.events == 4}) == 1


@pytest.mark.parametrize(
    "change",
    [
        "MATCH (:Event {group_id: $g})-[r:INVOLVES]->({person_id: 'ben'}) WITH r LIMIT 1 SET r.key = r.key + 'x'",
        "MATCH (:Event {group_id: $g})-[r:USES]->() WITH r LIMIT 1 SET r.key = r.key + 'x'",
        "MATCH (:Event {group_id: $g})-[r:TEMPORAL]->() WITH r LIMIT 1 DELETE r",
        "MATCH (e:Event {group_id: $g}) WITH e LIMIT 1 SET e.scope_text = 'x'",
        "MATCH (v:Video {group_id: $g}) SET v.place = 'hall'",
    ],
)
def test_a_difference_changes_it(database: Database, group_id: str, change: Any) -> None:
    before = written(database, group_id)
    database.driver.execute_query(change, g=group_id)
    assert digest(database, group_id) != before


def test_nothing_of_another_group_changes_it(database: Database, group_id: str) -> None:
    """An embedding that was left behind in the other group may have the number of an event of this group."""
    before = written(database, group_id)
    left = """
        MATCH (e:Event {group_id: $g})
        CREATE (:Embedding {kind: 'event', owner: toString(e.node_id), model: 'other', dim: 2, data: [1.0, 2.0],
                            group_id: $g + ' other'})"""
    database.driver.execute_query(left, g=group_id)
    assert digest(database, group_id) == before
