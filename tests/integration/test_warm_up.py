"""Memory.warm_up does what the first question would wait for."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from amr_neo4j.app import asking
from amr_neo4j.app.rehearsal import rehearse
from amr_neo4j.localdb import Connection
from amr_neo4j.store import database as database_module
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader
from tests.support.chatting import talking


def test_it_asks_once_and_sets_what_is_loaded_apart(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, search, frozen = list[str](), asking.search, gc.get_freeze_count()
    monkeypatch.setattr(
        asking, "search", lambda text, *rest, **more: asked.append(text) or search(text, *rest, **more)
    )
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        memory.remember([{"content": "The kettle is on the shelf"}], user_id="anna", session_id="s")
        memory.warm_up()
        assert len(asked) == 1 and gc.get_freeze_count() > frozen


def test_a_rehearsal_runs_what_a_commit_runs_and_leaves_nothing(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a group that nothing was taken into yet, whose first search would be refused."""
    run = list[str]()

    def noted(name: str) -> str:
        run.append(name)
        return statement(name)

    statement = database_module.sent
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        parts = memory._parts
        database: Database = parts.database
        before = _everything(database)
        monkeypatch.setattr(database_module, "sent", noted)
        rehearse(group_id, parts.committer(), parts.asking(), EventReader(database, language="en"))
        assert {"ingest/lock", "ingest/write_clips", "recall/ahead"} <= {*run}
        assert _everything(database) == before and not memory.videos()


def _everything(database: Database) -> object:
    """The number of nodes of each label, and the counters."""
    with database.session() as session:
        labels = session.run("MATCH (n) RETURN labels(n) AS labels, count(*) AS nodes ORDER BY labels").data()
        return labels, session.run("MATCH (c:Counter) RETURN c.name AS name, c.next AS next ORDER BY name").data()
