"""Closing a memory releases each part that was made, the database last, also where something fails."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory, NoSpace, StoreUnavailable
from amr_neo4j.settings import load
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.known_databases import KnownDatabases
from amr_neo4j.spool.turns import Spool
from amr_neo4j.store.database import Database
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.wiring.parts import Parts
from tests.support.counting_embedder import CountingEmbedder

# Nobody listens there.
NOWHERE = "bolt://127.0.0.1:9"


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is closed, in order; each is closed indeed."""
    names: list[str] = []

    def watch(kind: Any) -> None:
        close = kind.close

        def closing(self: Any) -> None:
            names.append(kind.__name__)
            close(self)

        monkeypatch.setattr(kind, "close", closing)

    for kind in (ClipSpool, KnownDatabases, Spool, Database, FaissIndex):
        watch(kind)
    return names


def parts_in(folder: Path) -> Parts:
    parts = Parts(load(data_dir=folder), Database(NOWHERE, "neo4j", "none"), print)
    parts.embedder.use(CountingEmbedder())
    parts.identity._id = "here"
    return parts


def make_all(parts: Parts) -> None:
    for part in (parts.clip_spool, parts.known_databases, parts.turn_spool):
        assert part() is part(), "it is made once"
    for kind in ("event", "episode"):
        assert parts.indexes.of(kind) is parts.indexes.of(kind)


def use_all(parts: Parts) -> None:
    for make in (parts.asking, parts.live_ingest, parts.searching):
        make()
    assert parts.forgetting_footage and parts.exploring


def test_parts_are_closed_in_reverse_order(tmp_path: Path, closed: list[str]) -> None:
    parts = parts_in(tmp_path)
    make_all(parts)
    parts.close()
    assert closed == ["FaissIndex", "FaissIndex", "Spool", "KnownDatabases", "ClipSpool", "Database"]
    parts.close()
    assert len(closed) == 6, "once"


@pytest.mark.parametrize("how", ["closed", "dropped"])
def test_what_is_large_leaves_memory_at_once(tmp_path: Path, how: str) -> None:
    """No part refers back to the parts: nothing waits for garbage to be collected, which may come too late."""
    parts = parts_in(tmp_path)
    make_all(parts)
    use_all(parts)
    large = [weakref.ref(parts.embedder()), *(weakref.ref(parts.indexes.of(kind)) for kind in ("event", "episode"))]
    gc.disable()
    try:
        if how == "closed":
            parts.close()
        else:
            del parts
        assert [each() for each in large] == [None] * 3
    finally:
        gc.enable()


def test_parts_never_created_are_not_created_on_close(tmp_path: Path, closed: list[str]) -> None:
    parts_in(tmp_path).close()
    assert closed == ["Database"]
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_fails_to_close_does_not_keep_others_open(
    tmp_path: Path, closed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(index: FaissIndex) -> None:
        raise NoSpace("the disk is full")

    monkeypatch.setattr(FaissIndex, "close", full)
    parts = parts_in(tmp_path)
    make_all(parts)
    with pytest.raises(NoSpace):
        parts.close()
    assert closed == ["Spool", "KnownDatabases", "ClipSpool", "Database"]


def test_a_failed_open_leaves_nothing_open(tmp_path: Path, closed: list[str]) -> None:
    """A database that is away and that this machine never used is an error. All that was opened is closed."""
    with pytest.raises(StoreUnavailable):
        Memory.open(neo4j_uri=NOWHERE, neo4j_password="none", data_dir=tmp_path)
    assert closed == ["KnownDatabases", "Database"]


def test_a_memory_is_closed_by_its_with_block(tmp_path: Path, closed: list[str]) -> None:
    settings = load(neo4j_uri=NOWHERE, neo4j_password="none", data_dir=tmp_path)
    with pytest.raises(KeyError), Memory.connect(settings) as memory:
        assert memory.uri == NOWHERE
        raise KeyError
    assert closed == ["Database"]


@pytest.mark.parametrize("error", [BufferError("Existing exports of data"), OSError("closed"), ValueError("x")])
def test_a_connection_in_use_does_not_stop_the_close(
    closed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A thread in the background may be sending when its patience of five seconds is over."""
    parts = parts_in(tmp_path)
    make_all(parts)

    def in_use() -> None:
        raise error

    monkeypatch.setattr(parts.database.driver, "close", in_use)
    parts.close()
    assert closed[-1] == "Database" and len(closed) > 3
