"""amr db backup and restore: the database and the data folder, in one file, to another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from amr_neo4j import Memory, localdb
from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.settings import Settings
from amr_neo4j.spool import TURNS_FILE
from tests.support.neo4j_server import settings_of_local


@pytest.mark.soak
@pytest.mark.timeout(900)  # a server is started, dumped, loaded and started again
def test_a_restored_backup_holds_all_that_was_there(spare_server: Settings, tmp_path: Path) -> None:
    """Turns that wait in the spool are committed to the restored database."""
    localdb.destroy(spare_server)
    localdb.start(spare_server)
    settings = spare_server.model_copy(update={"group": "home"})
    with Memory.open(settings) as memory:
        memory.remember(["The keys are on the hook."], user_id="anna", session_id="monday")
        localdb.stop(settings)
        memory.remember(["The soup is ready."], user_id="anna", session_id="monday")
    assert (settings.data_dir / TURNS_FILE).exists()
    made = localdb.backup(settings, tmp_path / "memory.amr")
    with pytest.raises(InputError, match="exists"):
        localdb.backup(settings, made.file)
    with pytest.raises(ConfigError, match="there is a local database"):
        localdb.restore(settings, made.file)
    there = settings_of_local(tmp_path / "there").model_copy(update={"group": "home"})
    damaged = tmp_path / "damaged.amr"
    content = bytearray(made.file.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged|not a backup"):
        localdb.restore(there, damaged)
    assert localdb.status(there).state == "absent"
    # What a restore leaves that was killed before its end.
    with tarfile.open(made.file) as archive, archive.extractfile(f"data/{TURNS_FILE}") as turns:  # type: ignore[union-attr]
        (there.data_dir / TURNS_FILE).write_bytes(turns.read())
    try:
        restored = localdb.restore(there, made.file)
        assert (restored.sha256, restored.files) == (made.sha256, made.files)
        with Memory.open(there) as memory:
            said = [turn.content for turn in memory.conversation("monday", user_id="anna")]
            assert said == ["The keys are on the hook.", "The soup is ready."]
            digest = memory.digest()
        localdb.start(settings)
        with Memory.open(settings) as memory:  # commits what waits in the spool of the original
            assert memory.conversation("monday", user_id="anna") and memory.digest() == digest
    finally:
        localdb.destroy(there)


@pytest.mark.parametrize("stopped", [pytest.param(False, marks=pytest.mark.soak), True])
def test_an_ended_backup_starts_the_database_again(spare_server: Settings, tmp_path: Path, stopped: bool) -> None:
    """SIGTERM, which service managers send, is like Ctrl-C: while Neo4j is being stopped, and while it is dumped."""
    localdb.start(spare_server)
    command = [sys.executable, "-m", "amr_neo4j", "db", "backup", str(tmp_path / "memory.amr")]
    environment = os.environ | {"AMR_DATA_DIR": str(spare_server.data_dir), "AMR_LOCAL_ENGINE": "maven"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        assert process.stderr
        while b"stopping Neo4j" not in (line := process.stderr.readline()):
            assert line, "the backup ended"
        while stopped and localdb.status(spare_server).state != "stopped":
            time.sleep(0.01)
        process.terminate()
        process.stderr.read()
    assert process.returncode != 0 and [*tmp_path.iterdir()] == []
    assert localdb.status(spare_server).state == "running"


def test_a_backup_does_not_lie_in_the_folder_that_it_holds(tmp_path: Path) -> None:
    """Not through a link either."""
    settings = settings_of_local(tmp_path / "there")
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    (tmp_path / "link").symlink_to(settings.data_dir)
    for file in (settings.data_dir / "old" / "a.amr", tmp_path / "link" / "a.amr"):
        with pytest.raises(InputError, match="is in the data folder"):
            localdb.backup(settings, file)


def test_a_file_that_is_no_backup_is_refused(tmp_path: Path) -> None:
    settings = settings_of_local(tmp_path / "there")
    other = tmp_path / "other.tar"
    with tarfile.open(other, "w") as archive:
        archive.add(__file__, "evil.py")
    (tmp_path / "text.amr").write_text("no backup")
    for file in (other, tmp_path / "text.amr"):
        with pytest.raises(InputError, match="is not a backup"):
            localdb.restore(settings, file)
    assert localdb.status(settings).state == "absent"
