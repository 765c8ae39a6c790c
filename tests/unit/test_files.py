"""Files that a user names are regular and bounded; files that this program makes are the user's alone."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from io import TextIOWrapper
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.conversations.formats import find_document, read_lines
from amr_neo4j.errors import ConfigError, InputError, NoSuchFile
from amr_neo4j.files import open_regular, private_file, private_folder, read_regular, whole_path, write_atomically
from amr_neo4j.localdb import record
from amr_neo4j.media import subtitles
from amr_neo4j.settings import load
from amr_neo4j.spool.file import SpoolFile
from amr_neo4j.vectors import snapshot


def odd_files(folder: Path) -> Iterator[tuple[Path, str]]:
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        yield from (
            (folder / name, kind) for name, kind in (("folder", "folder"), ("pipe", "pipe"), ("zero", "device"))
        )
        yield folder / "s", "socket"


def test_only_regular_files_are_opened_and_nothing_waits(tmp_path: Path) -> None:
    for path, kind in odd_files(tmp_path):
        with pytest.raises(InputError, match=kind) as refused:
            open_regular(path)
        assert "\n" not in refused.value.message and refused.value.hint
    with pytest.raises(NoSuchFile):
        open_regular(tmp_path / "absent")


def test_a_path_is_stored_without_the_way_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clone").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "clone")
    assert whole_path(Path("../mine.mp4")) == tmp_path / "mine.mp4"
    assert whole_path(Path("film.mp4")) == tmp_path / "clone" / "film.mp4"
    assert whole_path(tmp_path / "link" / "film.mp4") == tmp_path / "link" / "film.mp4"
    assert whole_path(tmp_path / "link" / ".." / "film.mp4") == tmp_path / "film.mp4"


def test_the_size_of_a_file_is_bounded(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as sparse:
        sparse.truncate(3 * 2**20)
    with pytest.raises(InputError, match="larger than 2 MiB"):
        read_regular(file, at_most=2 * 2**20)
    assert len(read_regular(file, at_most=3 * 2**20)) == 3 * 2**20


def test_settings_and_subtitles_are_regular_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "amr.yaml")
    os.mkfifo(tmp_path / "film.srt")
    (tmp_path / "film.mp4").touch()
    with pytest.raises(ConfigError, match="not a regular file"):
        load(config=tmp_path / "amr.yaml")
    with pytest.raises(InputError, match=r"film\.mp4"):  # the pipe is passed over, as all that is no subtitle file
        subtitles.read(tmp_path / "film.mp4")


def test_lines_of_a_chat_are_not_read_into_memory(tmp_path: Path) -> None:
    """The turns come while the file is being read, and a single JSON value has a limit."""
    file = tmp_path / "long.jsonl"
    with file.open("w") as out:
        out.writelines('{"content": "%s"}\n' % ("x" * 1000) for _ in range(20_000))
    with file.open("rb") as opened:
        lines = TextIOWrapper(opened)
        assert find_document(lines, "long") is None
        assert next(read_lines(lines, "long")).number == 1
        assert opened.tell() < 3 * 2**20
    with file.open("w") as out:
        out.write("[" + " " * (65 * 2**20))
    with file.open() as whole, pytest.raises(InputError, match="larger than 64 MiB"):
        find_document(whole, "long")


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_what_this_program_writes_is_the_users_alone(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        private_folder(tmp_path / "a" / "b")
        private_file(tmp_path / "c" / "file")
        with closing(SpoolFile(tmp_path / "data" / "spool.sqlite", "CREATE TABLE t (x)", "")) as spool:
            with spool.transaction() as db:
                db.execute("INSERT INTO t VALUES (1)")
            made = list((tmp_path / "data").iterdir())
        snapshot.write(tmp_path / "v" / "w" / "event.npz", snapshot.Snapshot(1, {"rows": np.zeros(3)}))
        record.make_password(tmp_path / "home")
        record.save(tmp_path / "home", record.Record("maven", 1, 2))
    finally:
        os.umask(before)
    assert {path.name for path in made} >= {"spool.sqlite", "spool.sqlite-wal"}
    for path in (*tmp_path.rglob("*"), *made):
        if path.exists():
            assert rights(path) == (0o700 if path.is_dir() else 0o600), path


def test_rights_that_an_older_version_gave_are_taken_back(tmp_path: Path) -> None:
    file = tmp_path / "spool.sqlite"
    file.touch(mode=0o644)
    file.chmod(0o644)
    SpoolFile(file, "CREATE TABLE IF NOT EXISTS t (x)", "").close()
    assert rights(file) == 0o600


def test_a_device_or_a_pipe_is_not_replaced_by_what_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(InputError):
            write_atomically(tmp_path / name, "text")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    with pytest.raises(InputError, match="device"):
        write_atomically(Path("/dev/null"), "text")
    write_atomically(tmp_path / "file", "text", private=True)
    assert rights(tmp_path / "file") == 0o600 and not list(tmp_path.glob(".*.part"))


def test_threads_may_write_one_file_at_once(tmp_path: Path) -> None:
    contents = [str(number) * 10_000 for number in range(8)] * 20
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda content: write_atomically(tmp_path / "one", content), contents):
            pass
    assert (tmp_path / "one").read_text() in contents and len(list(tmp_path.iterdir())) == 1
