"""A scrub makes every index anew that may hold a word."""

from __future__ import annotations

from amr_neo4j.store import schema
from amr_neo4j.store.write import forgetting

# Their indexes hold numbers and names of counters, kinds and models; the lock of migrations one fixed name.
_WORDLESS = {"Counter", "Embedding", "MigrationLock"}


def test_every_index_is_made_anew_by_the_scrub_of_a_whole_group() -> None:
    indexed = {wanted.on.strip(":[]") for wanted in schema._wanted()}
    remade = " ".join((forgetting._DENSE, *forgetting._LABELS.values())).split()
    assert "ForgottenTurns" in indexed
    assert indexed - set(remade) == _WORDLESS
