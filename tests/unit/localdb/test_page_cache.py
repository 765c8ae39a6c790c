"""How much of the store a local database may keep in memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from amr_neo4j.localdb.page_cache import page_cache_mb
from amr_neo4j.localdb.record import Record
from amr_neo4j.localdb.server import JavaServer


@pytest.mark.parametrize(("memory_gib", "mb"), [(1, 512), (2, 512), (24, 6144)])
def test_it_is_a_quarter_of_the_machine_s_memory(memory_gib: int, mb: int, monkeypatch: pytest.MonkeyPatch) -> None:
    of_machine = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": memory_gib << 18}
    monkeypatch.setattr(os, "sysconf", of_machine.__getitem__)
    assert page_cache_mb() == mb


def test_a_machine_that_does_not_tell_its_memory_gets_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sysconf")
    assert page_cache_mb() == 512


def test_the_server_is_told(tmp_path: Path) -> None:
    JavaServer(tmp_path, tmp_path, heap_mb=512, page_cache_mb=700)._configure(Record("maven", 20010, 20011))
    conf = (tmp_path / "server" / "conf" / "neo4j.conf").read_text().splitlines()
    assert "server.memory.pagecache.size=700m" in conf
