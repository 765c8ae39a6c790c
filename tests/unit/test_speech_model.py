"""The speech model: fetched when asked for, from a hub or a mirror; and what is said without one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from amr_neo4j.domain.footage import silent
from amr_neo4j.errors import ToolError
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.local_models import registry, speech_model
from amr_neo4j.perception.local import LocalAnalyser
from amr_neo4j.settings import Settings
from tests.support.perception_film import VIDEO, Film, clips_of

FILES = {"config.json": b"{}", "model.bin": b"weights" * 999, "tokenizer.json": b"{}", "vocabulary.txt": b"a\nb"}


class Hub(ThreadingHTTPServer):
    """A hub on loopback that has one model. wrong: states another sha256 for the weights."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.asked: list[str] = []
        self.wrong = False


class _Handler(BaseHTTPRequestHandler):
    server: Hub  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        name = self.path.rpartition("/")[2]
        if self.path != f"/Systran/faster-whisper-base/resolve/main/{name}" or name not in FILES:
            self.send_error(404)
            return
        body = FILES[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        stated = "0" * 64 if self.server.wrong else hashlib.sha256(body).hexdigest()
        self.send_header("ETag", f'"{stated}"' if name == "model.bin" else '"abc"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def settings(tmp_path: Path, hub: Hub) -> Settings:
    return Settings(cache_dir=tmp_path, HF_ENDPOINT=hub.url)  # type: ignore[call-arg]


def test_it_is_fetched_from_the_mirror_once(tmp_path: Path, hub: Hub) -> None:
    given, said = settings(tmp_path, hub), []
    (first,) = registry.install(given, ["speech"], said.append)
    (again,) = registry.install(given, ["speech"], said.append)
    assert (first.fetched, again.fetched) == (True, False)
    assert {path.name for path in first.path.iterdir()} == {*FILES, speech_model.RECEIPT}
    assert len(hub.asked) == len(FILES)
    status = registry.listed(given)[-1]
    assert (status.name, status.installed) == ("speech", True)


def test_a_damaged_download_leaves_nothing(tmp_path: Path, hub: Hub) -> None:
    hub.wrong = True
    with pytest.raises(ToolError, match="sha256"):
        registry.install(settings(tmp_path, hub), ["speech"], lambda _line: None)
    assert speech_model.installed_speech(settings(tmp_path, hub)) is None
    assert list((tmp_path / "models" / "speech").iterdir()) == []


def test_a_hub_that_does_not_have_it_is_named(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILES, "vocabulary.txt", b"")
    monkeypatch.delitem(FILES, "vocabulary.txt")
    with pytest.raises(ToolError, match="404"):
        registry.install(settings(tmp_path, hub), ["speech"], lambda _line: None)


def test_unless_named_it_is_not_asked_for() -> None:
    assert speech_model.NAME not in registry.manifest()


@pytest.mark.parametrize("own_files", [False, True])
def test_words_that_nothing_understands_are_said_once(own_files: bool) -> None:
    """Also where each clip is a file of its own, as of a live source."""
    film = Film([], 20)
    analyser = LocalAnalyser(
        film,  # pyright: ignore[reportArgumentType]
        film.frames,
        lambda path, known=None: silent,
        language=ENGLISH,
        unheard=lambda _path: "no words",
    )
    clips = [replace(clip, uri=f"{clip.clip_id}.mkv") if own_files else clip for clip in clips_of(20)]
    assert ["no words" in clip.notes for clip in analyser.watch(VIDEO, clips)] == [True, False]
