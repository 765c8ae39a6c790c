"""A scrub makes every index anew that may hold a word."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.store import database as of_store
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database
from amr_neo4j.store.write import forgetting

# Their indexes hold numbers and names of counters, kinds and models; the lock of migrations one fixed name.
_WORDLESS = {"Counter", "Embedding", "MigrationLock"}


def test_every_index_is_made_anew_by_the_scrub_of_a_whole_group() -> None:
    indexed = {wanted.on.strip(":[]") for wanted in schema._wanted()}
    remade = " ".join((forgetting._DENSE, *forgetting._LABELS.values())).split()
    assert "ForgottenTurns" in indexed
    assert indexed - set(remade) == _WORDLESS


def test_a_scrub_without_a_server_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_store, "_RETRY_SECONDS", 0.0)
    with Database("bolt://127.0.0.1:9", "neo4j", "none") as database, pytest.raises(StoreUnavailable):
        forgetting._rewrite(database, datetime(2026, 3, 1, tzinfo=UTC))
