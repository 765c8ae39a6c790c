"""The Docker engine, with a stand-in `docker` program that records its calls."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from amr_neo4j import localdb
from amr_neo4j.errors import ToolError
from amr_neo4j.localdb import record as records
from amr_neo4j.localdb.docker import DockerCompose
from amr_neo4j.localdb.record import Record
from amr_neo4j.settings import Settings
from tests.unit.localdb import programs

RECORD = Record("docker", 20010, 20011)


@pytest.fixture
def calls(bin_dir: Path, tmp_path: Path) -> Path:
    """One line per call of docker: its arguments, the password and the Bolt port."""
    log = tmp_path / "calls"
    answers = 'case "$*" in *--images*) echo neo4j:test;; *ps*) echo 0123abc;; esac'
    programs.install(bin_dir / "docker", f'echo "$* [$NEO4J_PASSWORD $NEO4J_BOLT_PORT]" >> {log}\n{answers}')
    return log


def test_two_data_folders_are_two_projects(calls: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        DockerCompose(tmp_path / name, heap_mb=512, page_cache_mb=700).launch(RECORD, f"secret-{name}")
    one, two = calls.read_text().splitlines()
    assert one.split()[2] != two.split()[2]
    assert one.endswith("up --detach neo4j [secret-one 20010]")
    assert two.endswith("up --detach neo4j [secret-two 20010]")


def test_the_memory_of_the_settings_reaches_the_server(bin_dir: Path, tmp_path: Path) -> None:
    log = tmp_path / "memory"
    programs.install(bin_dir / "docker", f'echo "$NEO4J_HEAP $NEO4J_PAGE_CACHE" > {log}')
    DockerCompose(tmp_path, heap_mb=512, page_cache_mb=700).launch(RECORD, "secret")
    assert log.read_text() == "512m 700m\n"
    service = yaml.safe_load(Path("docker-compose.yml").read_text())["services"]["neo4j"]["environment"]
    assert service["NEO4J_server_memory_heap_max__size"] == "${NEO4J_HEAP:-1024m}"
    assert service["NEO4J_server_memory_pagecache_size"] == "${NEO4J_PAGE_CACHE:-512m}"


def test_without_a_setting_the_page_cache_is_that_of_the_file(bin_dir: Path, tmp_path: Path) -> None:
    log = tmp_path / "memory"
    programs.install(bin_dir / "docker", f'echo "${{NEO4J_PAGE_CACHE-unset}}" > {log}')
    DockerCompose(tmp_path, heap_mb=512, page_cache_mb=None).launch(RECORD, "secret")
    assert log.read_text() == "unset\n"


def test_every_call_passes_a_password_because_the_file_requires_one(calls: Path, tmp_path: Path) -> None:
    engine = DockerCompose(tmp_path, heap_mb=512, page_cache_mb=700)
    engine.install(print)
    engine.running(RECORD)
    engine.last_lines()
    engine.stop(RECORD)
    compose = [line for line in calls.read_text().splitlines() if line.startswith("compose")]
    assert len(compose) == 4
    assert not [line for line in compose if "[ " in line]


def test_destroy_removes_the_volumes(calls: Path, tmp_path: Path) -> None:
    DockerCompose(tmp_path, heap_mb=512, page_cache_mb=700).destroy(RECORD)
    assert "down --volumes" in calls.read_text()


def test_a_present_image_is_not_pulled(calls: Path, tmp_path: Path) -> None:
    DockerCompose(tmp_path, heap_mb=512, page_cache_mb=700).install(print)
    assert "image inspect neo4j:test" in calls.read_text()
    assert "pull" not in calls.read_text()


def test_without_docker_the_advice_is_maven(bin_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"Docker is not installed .*AMR_LOCAL_ENGINE=maven"):
        DockerCompose(tmp_path, heap_mb=512, page_cache_mb=700).install(print)


def test_the_error_carries_docker_s_last_line(bin_dir: Path, tmp_path: Path) -> None:
    programs.install(bin_dir / "docker", "echo 'first\nport is already allocated' >&2; exit 1")
    with pytest.raises(ToolError, match="docker compose: port is already allocated"):
        DockerCompose(tmp_path, heap_mb=512, page_cache_mb=700).launch(RECORD, "secret")


def test_a_running_container_gives_the_connection(calls: Path, settings: Settings) -> None:
    home = settings.data_dir / "neo4j"
    records.save(home, RECORD)
    password = records.make_password(home)
    there = localdb.connection(settings)
    assert there is not None
    assert (there.uri, there.password) == ("bolt://127.0.0.1:20010", password)
    assert password not in repr(there)


def test_the_compose_file_ships_no_password_and_listens_on_loopback() -> None:
    service = yaml.safe_load(Path("docker-compose.yml").read_text())["services"]["neo4j"]
    assert service["environment"]["NEO4J_AUTH"].startswith("neo4j/${NEO4J_PASSWORD:?")
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
