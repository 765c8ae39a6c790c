"""How much of the store a local database may keep in memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from amr_neo4j.localdb import server
from amr_neo4j.localdb.page_cache import memory_bytes, page_cache_mb
from amr_neo4j.localdb.record import Record
from amr_neo4j.localdb.server import JavaServer


@pytest.mark.parametrize(("memory_gib", "mb"), [(2, 512), (24, 6144), (32, 8192), (1024, 8192)])
def test_it_is_a_quarter_of_the_memory_up_to_8_gb(memory_gib: int, mb: int) -> None:
    assert page_cache_mb(memory_gib << 30, heap_mb=1024) == mb


@pytest.mark.parametrize(
    ("memory_gib", "heap_mb", "mb"), [(2, 1536, 512), (2, 1700, 348), (8, 7000, 1192), (1, 1024, 64)]
)
def test_it_leaves_room_for_the_heap(memory_gib: int, heap_mb: int, mb: int) -> None:
    """Neo4j does not start where both are more than the memory there is."""
    assert page_cache_mb(memory_gib << 30, heap_mb) == mb


def test_where_the_memory_is_not_known_it_is_512_mb() -> None:
    assert page_cache_mb(None, heap_mb=1024) == 512


@pytest.fixture
def machine_of_16_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    of_machine = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 16 << 18}
    monkeypatch.setattr(os, "sysconf", of_machine.__getitem__)


@pytest.mark.parametrize(
    ("cgroup", "limit_of", "limit"),
    [
        ("0::/user/app", "sys/fs/cgroup/user/app/memory.max", "2147483648"),
        ("0::/user/app", "sys/fs/cgroup/user/memory.max", "2147483648"),
        ("0::/", "sys/fs/cgroup/memory.max", "2147483648"),
        ("5:cpu:/x\n4:memory:/docker/a", "sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "2147483648"),
        ("4:cpu,memory:/docker/a", "sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648"),
    ],
)
@pytest.mark.usefixtures("machine_of_16_gib")
def test_a_limit_of_the_cgroup_or_of_one_above_counts(cgroup: str, limit_of: str, limit: str, tmp_path: Path) -> None:
    assert _written(tmp_path, {"proc/self/cgroup": cgroup, limit_of: limit}) == 2 << 30


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"proc/self/cgroup": "0::/app", "sys/fs/cgroup/app/memory.max": "max"},
        {"proc/self/cgroup": "4:memory:/", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712"},
        {"proc/self/cgroup": "0::/app", "sys/fs/cgroup/other/memory.max": "1"},
    ],
)
@pytest.mark.usefixtures("machine_of_16_gib")
def test_without_a_limit_it_is_the_machine_s_memory(files: dict[str, str], tmp_path: Path) -> None:
    assert _written(tmp_path, files) == 16 << 30


def _written(root: Path, files: dict[str, str]) -> int | None:
    """The memory of a machine with these files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    return memory_bytes(root)


@pytest.mark.parametrize("error", [AttributeError, OSError, ValueError])
def test_a_system_may_not_say(error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str) -> int:
        raise error(name)

    monkeypatch.setattr(os, "sysconf", refused)
    assert memory_bytes(tmp_path) is None


def test_the_server_is_told(tmp_path: Path) -> None:
    JavaServer(tmp_path, tmp_path, heap_mb=512, page_cache_mb=700)._configure(Record("maven", 20010, 20011))
    conf = (tmp_path / "server" / "conf" / "neo4j.conf").read_text().splitlines()
    assert "server.memory.pagecache.size=700m" in conf


@pytest.mark.usefixtures("machine_of_16_gib")
def test_by_default_the_server_gets_what_fits_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "memory_bytes", lambda: memory_bytes(tmp_path))
    JavaServer(tmp_path, tmp_path, heap_mb=512, page_cache_mb=None)._configure(Record("maven", 20010, 20011))
    conf = (tmp_path / "server" / "conf" / "neo4j.conf").read_text().splitlines()
    assert "server.memory.pagecache.size=4096m" in conf
