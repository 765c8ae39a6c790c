"""Input paths: files, folders, globs, and invalid ones."""

from __future__ import annotations

import io
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.errors import InputError, NoSuchFile
from amr_neo4j.media import source_files
from amr_neo4j.media.ffmpeg import readable


@contextmanager
def without_rights() -> Generator[None]:
    """As an unprivileged user, where the tests run as root, whom no permission stops."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder() -> Generator[Path]:
    """A folder that everybody can reach (tmp_path is its owner's alone)."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def names(*places: str | Path) -> list[tuple[str, str]]:
    return [(source.path.name, source.kind) for source in source_files.find_sources(places)]


def test_known_file_types_of_a_folder_are_listed_once(folder: Path) -> None:
    for name in ("b.MP4", "a.jsonl", "notes.txt", "deep/er/c.mkv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    found = [("a.jsonl", "lines"), ("b.MP4", "video"), ("c.mkv", "video")]
    assert names(folder) == found
    assert names(folder, folder / "a.jsonl", f"{folder}/**/*.mkv") == found


def test_a_named_file_is_accepted_with_any_content(folder: Path) -> None:
    (folder / "film [1] *.mp4").touch()
    assert names(folder / "film [1] *.mp4") == [("film [1] *.mp4", "video")]


def test_an_empty_name_is_not_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "film.mp4").touch()
    monkeypatch.chdir(folder)
    with pytest.raises(NoSuchFile, match="name is empty"):
        names("")
    assert names(".") == [("film.mp4", "video")]


@pytest.mark.parametrize("place", ["nowhere.mp4", ".", "*.mp4"])
def test_a_missing_path_is_an_error(folder: Path, place: str) -> None:
    with pytest.raises(NoSuchFile) as refused:
        names(folder / place)
    assert refused.value.hint


def test_a_pipe_is_refused_without_blocking(folder: Path) -> None:
    os.mkfifo(folder / "pipe.jsonl")
    with pytest.raises(InputError, match=r"not a regular file.*amr ingest -"):
        names(folder / "pipe.jsonl")


def test_an_unreadable_folder_is_reported(folder: Path) -> None:
    (folder / "open.mp4").touch()
    (folder / "closed").mkdir(mode=0)
    with without_rights():
        found = [source.path for source in source_files.find_sources([folder])]
        assert [path.name for path in found] == ["closed", "open.mp4"]
        with pytest.raises(NoSuchFile, match=r"cannot read .*closed: Permission denied"):
            readable(found[0])


def test_an_unreadable_file_is_an_input_error(folder: Path) -> None:
    (folder / "secret.mp4").touch(mode=0)
    with without_rights(), pytest.raises(NoSuchFile, match=r"cannot read .*secret\.mp4: Permission denied"):
        readable(folder / "secret.mp4")


@given(st.lists(st.binary(max_size=20)), st.integers(1, 9))
def test_lines_are_those_of_the_file_and_long_ones_are_truncated(parts: list[bytes], longest: int) -> None:
    """As many lines as the file has; each as it is up to the limit, and one byte more where it is longer."""
    whole = io.BytesIO(b"\n".join(parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_files, "LONGEST_LINE", longest)
        cut = list(source_files.lines_of(whole))
    assert (
        cut == [line[: longest + 1] for line in whole.getvalue().splitlines(keepends=True)]
        or b"\r" in whole.getvalue()
    )


def test_a_file_is_named_whatever_else_names_it(folder: Path, tmp_path: Path) -> None:
    """Beside its folder, and through a link; what the folder alone names is found."""
    file = folder / "sub" / "a.mp4"
    file.parent.mkdir()
    file.touch()
    for places in ([folder, file], [file, folder], [folder, file.parent / "." / file.name]):
        named = {source.path.resolve() for source in source_files.find_sources(places) if source.is_named}
        assert named == {file.resolve()}
    assert not any(source.is_named for source in source_files.find_sources([folder]))


def test_clips_that_were_cut_beforehand_are_named_unless_their_folder_is(tmp_path: Path) -> None:
    film = tmp_path / "hall_0-10.mp4"
    film.touch()
    (tmp_path / "list").mkdir()
    (tmp_path / "list" / "a.csv").write_text("x.mp4,0,1\n")
    places = (film, tmp_path / "list" / "a.csv", tmp_path)
    found = [is_found for place in places for *_, is_found in source_files.find_cut_files([place])]
    assert found == [False, False, True]
