"""How much of the store a local database may keep in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.localdb.record import Record
from amr_neo4j.localdb.server import JavaServer


@pytest.mark.parametrize(("page_cache_mb", "lines"), [(700, ["server.memory.pagecache.size=700m"]), (None, [])])
def test_the_server_is_told_or_chooses_itself(page_cache_mb: int | None, lines: list[str], tmp_path: Path) -> None:
    """Neo4j knows the limits of its container, and starts with what it chooses."""
    server = JavaServer(tmp_path, tmp_path, heap_mb=512, page_cache_mb=page_cache_mb)
    server._configure(Record("maven", 20010, 20011))
    conf = (tmp_path / "server" / "conf" / "neo4j.conf").read_text().splitlines()
    assert [line for line in conf if "pagecache" in line] == lines
