"""A voice that somebody named is known in later films, if the group remembers voices, until it is forgotten.

The soak tests hear films; the others commit clips with the vectors that the ears would have given them.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from amr_neo4j import Memory
from amr_neo4j.domain.analysis import ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.localdb import Connection
from amr_neo4j.perception.local import dialogue_of
from amr_neo4j.settings import load
from amr_neo4j.store.read.receipts import heard_voices, named_voices
from amr_neo4j.wiring.analyser import local_ears
from tests.support.amr_command import Amr, amr_at
from tests.support.chatting import rows, talking
from tests.support.http_client import key_of, serving
from tests.support.real_ingest import settle
from tests.support.speaking import silence, spoken

VECTOR = [1.0] + [0.0] * 255
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


def heard(group_id: str, video_id: str, *speakers: str) -> AnalysedClip:
    """A clip in which each speaker says a sentence, as the local analyser reports it."""
    turns = [
        SpeakerTurn(speaker_id=who, utterance="It is late.", time_start=2 * n, time_end=2 * n + 1)
        for n, who in enumerate(speakers)
    ]
    clip = Clip("c1", 0.0, 10.0)
    dialogue = dialogue_of(clip, turns)
    analysis = ClipAnalysis(clip_summary="", characters=dialogue.speakers, speaker_turns=dialogue.turns, events=())
    voices = {who: VECTOR for who in speakers if who.startswith("voice")}
    return AnalysedClip(Video(group_id, video_id), clip, analysis, "local", f"sha-{video_id}", voices=voices)


def commit(memory: Memory, *clips: AnalysedClip) -> None:
    receipts = list(ingest(clips, memory._parts.committer(), clips_per_transaction=6))
    assert [receipt.outcome for receipt in receipts] == ["committed"] * len(clips)


@pytest.fixture
def talk(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    """A group with two films of one voice each, of which one has a name."""
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        commit(memory, heard(group_id, "first", "voice 1"), heard(group_id, "second", "voice 1"))
        assert known(memory) == []
        assert memory.name_person("voice 1", "Ben", video="first") >= 1
        yield memory


def known(memory: Memory) -> list[tuple[str, list[float]]]:
    return [(name, list(voice)) for name, voice in named_voices(memory._parts.database, memory.group_id)]


@pytest.mark.parametrize(("video", "person"), [("first", ""), ("", "Ben")])
def test_a_voice_is_known_until_it_is_forgotten(talk: Memory, video: str, person: str) -> None:
    assert known(talk) == [("Ben", VECTOR)]
    talk.forget_videos(video_id=video, person=person)
    assert known(talk) == [] and kept(talk) == [["second", "voice_1", 256]]
    assert "Ben" not in [person.name for person in talk.known_persons()]


def test_a_run_that_goes_on_with_a_video_knows_its_voices_by_number(talk: Memory) -> None:
    """The voice that was named is known by its name."""
    video, database = Video(talk.group_id, "first"), talk._parts.database
    assert heard_voices(database, video) == {1: []}
    assert heard_voices(database, replace(video, video_id="second")) == {1: VECTOR}
    assert heard_voices(database, replace(video, video_id="third")) == {}


def test_a_name_is_kept_when_the_films_that_say_it_are_forgotten(talk: Memory) -> None:
    commit(talk, heard(talk.group_id, "later", "Ben"))
    talk.forget_videos(video_id="later")
    assert known(talk) == [("Ben", VECTOR)]


def test_a_name_is_taken_back(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        commit(memory, heard(group_id, "first", "voice 1"), heard(group_id, "other", "Ben"))
        before, persons = memory.digest(), memory.known_persons()
        for name in ("Ben", "Ida"):
            would = memory.name_person("voice 1", name, video="first", dry_run=True)
            assert memory.digest() == before and memory.known_persons() == persons and known(memory) == []
            events = memory.name_person("voice 1", name, video="first")
            assert known(memory) == [(name, VECTOR)] and events == would
            named = memory.digest()
            assert memory.undo_merge("voice 1", video="first", dry_run=True) == events and memory.digest() == named
            assert memory.undo_merge("voice 1", video="first") == events > 0
            assert memory.digest() == before and memory.known_persons() == persons and known(memory) == []
            assert (
                rows(memory, "MATCH (p:Person {group_id: $group_id}) WHERE p.named IS NOT NULL RETURN p.name") == []
            )


@pytest.mark.parametrize(
    ("voice", "name", "why"),
    [
        ("Anna", "Ben", "is a name"),
        ("voice 1", "the cook", "not a name"),
        ("voice 1", "Ida", "is merged into"),
    ],
)
def test_a_name_that_cannot_be_given_changes_nothing(talk: Memory, voice: str, name: str, why: str) -> None:
    before = talk.known_persons()
    with pytest.raises(InputError, match=why):
        talk.name_person(voice, name, video="first")
    with pytest.raises(NotInMemory, match="voice_7"):
        talk.name_person("voice 7", "Ida")
    assert talk.known_persons() == before


def receipts(memory: Memory) -> list[int]:
    """How many events each name that was given in the second film moved, as its merge keeps it with its time."""
    kept = (
        "MATCH (p:Person {group_id: $group_id})-[m:MERGED_INTO]->() WHERE p.scope = 'second' AND m.at <= datetime() "
    )
    return rows(memory, f"{kept} RETURN m.events")


def test_a_voice_is_named_by_command(neo4j_connection: Connection, talk: Memory, tmp_path: Path) -> None:
    amr = Amr(amr_at(neo4j_connection, tmp_path).server | {"AMR_GROUP": talk.group_id})
    before = talk.digest()
    moved = amr.json("person", "name", "voice 1", "Ida", "--video", "second")["events"]
    assert receipts(talk) == [moved] and moved > 0 and ("Ida", VECTOR) in known(talk)
    assert "voice_1" in amr.items("show", "person", "Ida")[0]["also"]
    assert amr.json("person", "undo", "voice 1", "--video", "second")["events"] == moved
    assert talk.digest() == before and receipts(talk) == []


def test_a_voice_is_named_over_http(talk: Memory) -> None:
    before = talk.digest()
    with serving(talk) as (wire, keys):
        there = wire.with_key(key_of(keys, talk.group_id))
        moved = there.post("/persons/voice%201/name", name="Ida", video="second")
        assert receipts(talk) == [moved] and moved > 0 and ("Ida", VECTOR) in known(talk)
        assert there.post("/persons/voice%201/undo_merge", video="second") == moved
    assert talk.digest() == before and receipts(talk) == []


@pytest.mark.soak
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
        assert memory.name_person("voice 1", "Ben", video="first") >= 1
        memory.ingest(film(tmp_path, "later", LATER), video_id="later")
        assert speakers(memory, "later") == (["voice 1", "Ben"] if remembers else ["voice 1", "voice 2"])
        memory.forget_videos(video_id="first")
        assert [row[0] for row in kept(memory)] == (["later"] if remembers else [])
