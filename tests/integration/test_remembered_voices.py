"""A voice that somebody named is known in later films, if the group remembers voices, until it is forgotten."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import InputError
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import local_ears
from tests.support.real_ingest import settle
from tests.support.speaking import silence, spoken

HE, SHE = "en-us+m3", "en-us+f3"
FIRST = [
    (HE, "The train to the city leaves at seven in the morning."),
    (SHE, "Please put the red book on the table near the window."),
    (HE, "My brother works in a garden with many tall trees."),
]
LATER = [
    (SHE, "The children are playing in the park behind the school."),
    (HE, "We should buy some bread and cheese for the evening."),
]


def film(folder: Path, name: str, lines: list[tuple[str, str]]) -> Path:
    parts = [part for voice, line in lines for part in (spoken(line, folder, voice=voice), silence(0.8))]
    made = folder / f"{name}.mkv"
    sound = ("-f", "f32le", "-ar", "16000", "-ac", "1", "-i", "pipe:", "-shortest", "-c:a", "flac", str(made))
    pictures = ("-f", "lavfi", "-i", "color=s=64x48:r=5")
    command = ["ffmpeg", "-v", "error", *pictures, *sound]
    subprocess.run(command, input=np.concatenate(parts).tobytes(), check=True)
    return made


def kept(memory: Memory) -> list[list[Any]]:
    query = "MATCH (p:Person {group_id: $g}) WHERE p.voice IS NOT NULL RETURN p.scope, p.person_id, size(p.voice)"
    with memory._parts.database.session() as session:
        return [list(record.values()) for record in session.run(query, g=memory.group_id)]


def speakers(memory: Memory, video: str) -> list[str]:
    return [said.speaker for said in memory.transcript(video)]


@pytest.mark.parametrize("remembers", [True, False])
def test_a_named_voice(
    neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, remembers: bool
) -> None:
    if local_ears(load()) is None:
        pytest.skip("the local ears are not installed")
    settle(neo4j_connection, group_id, monkeypatch)
    with Memory.open(voices={group_id: "remember"} if remembers else {}) as memory:
        memory.ingest(film(tmp_path, "first", FIRST), video_id="first")
        assert speakers(memory, "first") == ["voice 1", "voice 2", "voice 1"]
        assert sorted(kept(memory)) == ([["first", f"voice_{n}", 256] for n in (1, 2)] if remembers else [])
        with pytest.raises(InputError, match="not a voice"):
            memory.name_voice("Anna", "Ben")
        assert memory.name_voice("voice 1", "Ben", video="first") >= 1
        memory.ingest(film(tmp_path, "later", LATER), video_id="later")
        assert speakers(memory, "later") == (["voice 1", "Ben"] if remembers else ["voice 1", "voice 2"])
        memory.forget_videos(video_id="first")
        assert [row[0] for row in kept(memory)] == (["later"] if remembers else [])


def test_a_name_is_taken_back(
    neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if local_ears(load()) is None:
        pytest.skip("the local ears are not installed")
    settle(neo4j_connection, group_id, monkeypatch)
    with Memory.open() as memory:
        memory.ingest(film(tmp_path, "first", FIRST[:1]), video_id="first")
        before = memory.digest()
        events = memory.name_voice("voice 1", "Ben", video="first")
        assert [person.name for person in memory.known_persons()] == ["Ben"]
        assert memory.undo_merge("voice 1", video="first") == events > 0
        assert memory.digest() == before and [person.name for person in memory.known_persons()] == ["voice 1"]
