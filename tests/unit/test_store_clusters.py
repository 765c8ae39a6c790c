"""What a cluster needs of the driver: reads that see earlier writes."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j import READ_ACCESS, WRITE_ACCESS

from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.store.database import Database


@pytest.mark.usefixtures("no_retries")
def test_every_session_shares_the_bookmarks_of_single_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    with Database("neo4j://127.0.0.1:1", "neo4j", "secret") as database:
        opened: list[dict[str, Any]] = []
        make = database.driver.session
        monkeypatch.setattr(database.driver, "session", lambda **how: opened.append(how) or make(**how))
        database.session().close()
        with pytest.raises(StoreUnavailable):
            database.read("vectors/database_identity")
        with pytest.raises(StoreUnavailable):
            list(database.stream("vectors/database_identity"))
        assert [how["default_access_mode"] for how in opened[:2]] == [WRITE_ACCESS, READ_ACCESS]
        assert opened[-1]["default_access_mode"] == READ_ACCESS
        assert {id(how["bookmark_manager"]) for how in opened} == {id(database.driver.execute_query_bookmark_manager)}
