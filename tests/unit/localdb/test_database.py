"""Choosing an engine and its failures, with stand-ins for the external programs."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr

from amr_neo4j import localdb
from amr_neo4j.errors import ConfigError, DatabaseError, ToolError
from amr_neo4j.localdb import maven
from amr_neo4j.localdb import record as records
from amr_neo4j.localdb.record import Record
from amr_neo4j.settings import Settings
from tests.unit.localdb import programs


def test_neo4j_uri_takes_precedence(settings: Settings) -> None:
    theirs = settings.model_copy(
        update={"neo4j_uri": "neo4j://db:7687", "neo4j_username": "ada", "neo4j_password": SecretStr("pw")}
    )
    there = localdb.ensure(theirs)
    assert (there.uri, there.username, there.password, there.database) == ("neo4j://db:7687", "ada", "pw", None)


def test_without_a_server_the_advice_is_to_start_one(settings: Settings) -> None:
    assert localdb.connection(settings) is None
    assert localdb.status(settings).state == "absent"
    with pytest.raises(DatabaseError, match="run: amr db start"):
        localdb.ensure(settings)


def test_an_engine_that_could_not_be_installed_is_not_recorded(bin_dir: Path, settings: Settings) -> None:
    with pytest.raises(ToolError, match="no Java 17 or 21"):
        localdb.start(settings)
    assert localdb.status(settings).state == "absent"


def test_a_failed_maven_download_leaves_no_jars(bin_dir: Path, settings: Settings) -> None:
    programs.java(bin_dir.parent, 17)
    programs.install(bin_dir / "mvn", "mkdir lib; touch lib/half.jar; echo '[ERROR] no route to it'; exit 1")
    with pytest.raises(ToolError, match="no route to it"):
        localdb.start(settings)
    assert not list(settings.cache_dir.glob("**/*.jar"))


def test_a_failed_start_shows_the_last_lines_of_the_log(bin_dir: Path, settings: Settings) -> None:
    programs.java(bin_dir.parent, 17, runs='case "$*" in *CommunityEntryPoint*) echo "disk is full"; exit 1;; esac')
    maven.jars(settings.cache_dir).mkdir(parents=True)
    with pytest.raises(DatabaseError, match=r"did not start(?s:.*)disk is full"):
        localdb.start(settings)
    assert localdb.status(settings).state == "stopped"


def test_the_recorded_engine_is_kept(settings: Settings) -> None:
    records.save(settings.data_dir / "neo4j", Record("maven", 20020, 20021))
    other = settings.model_copy(update={"local_engine": "docker"})
    with pytest.raises(ConfigError, match="runs on maven, but the settings ask for docker"):
        localdb.start(other)


def test_a_copied_folder_does_not_lead_to_the_database_of_the_original(settings: Settings, tmp_path: Path) -> None:
    """Forgetting in the copy would forget in the original. A folder that was moved is still its own."""
    home = settings.data_dir / "neo4j"
    records.make_password(home)
    records.save(home, Record("maven", 20020, 20021))
    shutil.copytree(settings.data_dir, tmp_path / "copy")
    copy = settings.model_copy(update={"data_dir": tmp_path / "copy"})
    for use in (localdb.connection, localdb.start, partial(localdb.ensure, stopped=True)):
        with pytest.raises(ConfigError, match=f"is a copy of {home}.*amr db adopt"):
            use(copy)
    assert localdb.status(copy) == localdb.Status("copy", tmp_path / "copy" / "neo4j", "maven")
    localdb.adopt(copy)
    assert localdb.status(copy).state == "stopped"
    assert localdb.ensure(copy, stopped=True).uri != localdb.ensure(settings, stopped=True).uri
    localdb.adopt(settings)
    assert localdb.ensure(settings, stopped=True).uri == "bolt://127.0.0.1:20020"
    settings.data_dir.rename(tmp_path / "moved")
    moved = settings.model_copy(update={"data_dir": tmp_path / "moved"})
    assert localdb.ensure(moved, stopped=True).uri == "bolt://127.0.0.1:20020"


def test_the_data_of_a_copy_may_be_in_docker(settings: Settings, tmp_path: Path) -> None:
    records.save(settings.data_dir / "neo4j", Record("docker", 20020, 20021))
    shutil.copytree(settings.data_dir, tmp_path / "copy")
    with pytest.raises(ConfigError, match="in a volume of Docker"):
        localdb.adopt(settings.model_copy(update={"data_dir": tmp_path / "copy"}))


def test_another_process_with_the_recorded_pid_is_not_the_server(settings: Settings, bin_dir: Path) -> None:
    records.save(settings.data_dir / "neo4j", Record("maven", 20020, 20021, pid=1))
    assert localdb.status(settings).state == "stopped"
    localdb.stop(settings)
    localdb.destroy(settings)
    assert localdb.status(settings).state == "absent"
