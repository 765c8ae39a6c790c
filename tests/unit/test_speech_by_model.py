"""`speech: api`: a chat model that hears sound writes down what is said. A scripted server on a socket."""

from __future__ import annotations

import base64
import io
import wave
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j.errors import ConfigError
from amr_neo4j.settings import Settings, load
from amr_neo4j.wiring.analyser import transcript
from tests.support import films
from tests.support.model_server import ModelServer


def turn(words: str, start: float, end: float, speaker: str = "voice 1") -> dict[str, Any]:
    return {"speaker": speaker, "words": words, "time_start": start, "time_end": end}


def settings(server: ModelServer, **analyse: object) -> Settings:
    role = {"model": "some/ears", "price_in": 1.0, "price_out": 1.0, "sound": True, **analyse}
    return load(provider=server.url, api_key="sk-hush", speech="api", analyse=role)


def test_a_film_is_heard_minute_by_minute(tmp_path: Path) -> None:
    """The last words of a minute come with it, and are not sent twice. Silence is not sent."""
    film = films.make(
        tmp_path / "tones.wav", *films.source("sine=d=130"), "-af", "volume=enable='gt(t,115)':volume=0"
    )
    with ModelServer() as server:
        server.then({"turns": [turn("Good morning.", 1, 2), turn("It is late.", 59, 63), turn("Go.", 64, 65)]})
        server.then({"turns": [turn("Go.", 1, 2, "voice 2"), turn(" ", 3, 4), turn("Yes.", 5, 99)]})
        heard = [each.turns for each in transcript(settings(server), film, lambda _line: None)]
        first, second = (request.body["messages"][-1]["content"] for request in server.requests)
    said = [(each.speaker_id, each.utterance, each.time_start, each.time_end) for turns in heard for each in turns]
    assert said == [
        ("voice 1", "Good morning.", 1.0, 2.0),
        ("voice 1", "It is late.", 59.0, 63.0),
        ("voice 2", "Go.", 64.0, 65.0),
        ("voice 1", "Yes.", 68.0, 126.0),
    ]
    [sound] = [part["input_audio"] for part in first if part["type"] == "input_audio"]
    with wave.open(io.BytesIO(base64.b64decode(sound["data"]))) as sent:
        assert (sent.getframerate(), sent.getnframes()) == (16_000, 66 * 16_000)
    assert "voice 1: It is late." in second[0]["text"]


@pytest.mark.parametrize(
    ("analyse", "why"), [({"sound": False}, "takes no sound"), ({"provider": "none"}, "no provider")]
)
def test_a_model_that_cannot_hear_is_refused_before_anything_is_sent(
    tmp_path: Path, analyse: dict[str, Any], why: str
) -> None:
    film = films.make(tmp_path / "tone.wav", *films.source("sine=d=2"))
    with ModelServer() as server, pytest.raises(ConfigError, match=why):
        list(transcript(settings(server, **analyse), film, lambda _line: None))
    assert server.requests == []
