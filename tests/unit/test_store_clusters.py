"""What a cluster needs of the driver: reads that see earlier writes, and errors of an election as outages."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j import READ_ACCESS, WRITE_ACCESS
from neo4j import exceptions as raised

from amr_neo4j.errors import StoreError, StoreRefused, StoreUnavailable
from amr_neo4j.store.database import Database, mapped_errors


@pytest.mark.parametrize(
    "code",
    [
        "Neo.ClientError.Cluster.NotALeader",
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        "Neo.TransientError.Transaction.BookmarkTimeout",
        "Neo.TransientError.Cluster.ReplicationFailure",
    ],
)
def test_an_election_is_an_outage_that_ingest_waits_for(code: str) -> None:
    with pytest.raises(StoreUnavailable), mapped_errors("neo4j://there"):
        raise raised.Neo4jError._hydrate_neo4j(code=code, message="no")


@pytest.mark.parametrize("code", ["Neo.ClientError.Statement.SyntaxError", "Neo.ClientError.Security.Forbidden"])
def test_another_refusal_is_none(code: str) -> None:
    with pytest.raises(StoreError) as caught, mapped_errors("neo4j://there"):
        raise raised.Neo4jError._hydrate_neo4j(code=code, message="no")
    assert not isinstance(caught.value, StoreUnavailable)
    assert isinstance(caught.value, StoreRefused) == ("Statement" in code)


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
