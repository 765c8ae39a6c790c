"""What the ears say of the clips of a vision model, and what is known of voices from clip to clip."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.footage import Heard, Hearing, KnownVoices, Listen, silent
from amr_neo4j.domain.ports import ClipSpool
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.hearing.ears import HeardSoFar
from amr_neo4j.ingest.analysis_runner import CallLimits, Stages, VisionAnalyser
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.perception.local import LocalAnalyser
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import _VideoVoices, local_ears
from tests.support.perception_film import Film

VECTOR = [1.0] + [0.0] * 255


@pytest.fixture(scope="module")
def ears() -> None:
    if local_ears(load()) is None:
        pytest.skip("the local ears are not installed")


def analyse(clip: Clip, path: str, start: float, heard: Any) -> NotedAnalysis:
    return NotedAnalysis(ClipAnalysis(clip_summary="", events=(), speaker_turns=tuple(heard)), ("repaired",))


def vision(listen: Listen, known_voices: KnownVoices = lambda _video, _first: None) -> VisionAnalyser:
    stages = Stages(analyse, lambda *_: {}, lambda _: lambda noted: noted)
    budget = CallLimits(1, lambda _: True, lambda: nullcontext([]))
    spool = cast("ClipSpool", SimpleNamespace(kept=lambda *_: {}, keep=lambda _: None))
    return VisionAnalyser("m", stages, listen=listen, known_voices=known_voices, budget=budget, spool=spool)


def test_a_note_of_the_ears_gets_onto_the_receipt() -> None:
    def listen(path: str, known: object = None) -> Hearing:
        turn = SpeakerTurn(utterance="Hello.", time_start=12.0, time_end=13.0)
        return lambda start, end: Heard([turn], ("left out",)) if start <= 12 < end else Heard()

    analyser = vision(listen)
    clips = [Clip("a", 0.0, 10.0), Clip("b", 10.0, 20.0)]
    [muted] = analyser.watch(Video("g", "v", uri="v.mp4"), [replace(clips[1], left_out="sound")])
    assert isinstance(muted, AnalysedClip) and muted.notes == ("repaired",)
    first, second = analyser.watch(Video("g", "v", uri="v.mp4"), clips)
    assert isinstance(first, AnalysedClip) and isinstance(second, AnalysedClip)
    assert (first.notes, second.notes) == (("repaired",), ("repaired", "left out"))
    assert [turn.time_start for turn in second.analysis.speaker_turns] == [2.0]


@pytest.mark.usefixtures("ears")
def test_voices_are_known_from_file_to_file_and_from_watch_to_watch() -> None:
    """A live source has a `watch` for each clip where a model sees it. A file without sound changes nothing."""
    settings = load(voices={"g": "remember"})
    asked: list[str] = []

    def heard(video: Video) -> dict[int, None]:
        asked.append(video.video_id)
        return {1: None}

    known_voices = _VideoVoices(settings, lambda _group_id: [("Ben", VECTOR)], heard)
    given: list[object] = []

    def listen(path: str, known: object = None) -> Hearing:
        given.append(known)
        return silent

    def watch(video: str, *numbers: int) -> None:
        clips = [Clip(f"{n}", 10.0 * n, 10.0 * (n + 1), uri=f"{n}.mkv") for n in numbers]
        film = Film([], 10.0 * (max(numbers) + 1))
        local = LocalAnalyser(film, film.frames, listen, language=ENGLISH, known_voices=known_voices)
        for analyser in (vision(listen, known_voices), local):
            list(analyser.watch(Video("g", video, uri="rtsp://camera"), clips))

    watch("a", 0, 1)
    watch("a", 2)
    first = given[-1]
    # One for the files of a `watch`.
    assert len({id(known) for known in given}) == 4 and set(asked) == {"a"}
    assert isinstance(first, HeardSoFar) and first.remembers and first.voices.name(0) == "Ben"
    assert who(first, 9) == "voice 2"
    watch("a", 3)
    assert who(given[-1], 9) == "voice 2" and who(given[-1], 8) == "voice 3"
    watch("b", 3, 4)
    assert who(given[-1], 9) == "voice 2"


def who(known: object, axis: int) -> str:
    """Return the name of the voice along an axis after it has spoken for two seconds."""
    assert isinstance(known, HeardSoFar)
    number = known.voices.number(np.eye(256, dtype=np.float32)[axis], 2.0)
    return "" if number is None else known.voices.name(number)


A, B = ([0.0] * n + [1.0] + [0.0] * (255 - n) for n in (0, 1))
CAM = Clip("c", 10.0, 20.0, uri="2.mkv")


@pytest.mark.usefixtures("ears")
@pytest.mark.parametrize(
    ("before", "named", "after", "later", "says"),
    [
        ({}, [], {1: A}, 10, ["voice 1", "voice 2"]),  # committed meanwhile
        ({}, [], {}, 10, ["voice 1", "voice 2"]),  # not yet committed
        ({}, [], {1: None, 2: None}, 1000, ["voice 1", "voice 2"]),  # vectors are not kept
        ({1: A}, [], {}, 10, ["voice 3", "voice 2"]),  # forgotten
        ({}, [], {}, 1000, ["voice 3", "voice 4"]),  # committed and forgotten meanwhile
        ({1: A}, [("Anna", A)], {1: []}, 10, ["Anna", "voice 2"]),  # named
        ({1: A}, [("Anna", A)], {1: A}, 10, ["Anna", "voice 2"]),  # named in another video
    ],
)
def test_what_memory_forgets_or_names_is_not_known_from_before(
    before: Any, named: Any, after: Any, later: float, says: list[str]
) -> None:
    memory, names, clock = [before], [[("Ben", np.eye(256)[5].tolist())]], [0.0]
    voices = _VideoVoices(load(voices={"g": "remember"}), lambda _: names[0], lambda _: memory[0], lambda: clock[0])
    first = voices(Video("g", "v"), CAM)
    assert [who(first, axis) for axis in (0, 1, 5)] == ["voice 1", "voice 2", "Ben"]
    memory[0], names[0], clock[0] = after, named, later
    second = voices(Video("g", "v"), CAM)
    assert [who(second, axis) for axis in (0, 1)] == says
    assert who(second, 5) not in ("Ben", *says)


@pytest.mark.usefixtures("ears")
@pytest.mark.parametrize(
    ("clip", "voices", "named", "memory", "says"),
    [
        # Cut from one file, which is heard from its start: it gives the same numbers again.
        (Clip("c", 10.0, 20.0, uri="film.mp4", uri_offset=10.0), {}, [], {1: None, 2: None}, ["voice 1", "voice 2"]),
        # A file with a lead, which begins after the video does.
        (Clip("c", 10.0, 20.0, uri="2.mkv", uri_offset=2.0), {}, [], {1: None}, ["voice 2", "voice 3"]),
        # A film that is heard again: no voice gets the number of one that has a name.
        (Clip("c", 0.0, 10.0), {"g": "remember"}, [("Anna", A)], {1: [], 2: B}, ["Anna", "voice 2"]),
        (Clip("c", 0.0, 10.0), {"g": "remember"}, [("Anna", A)], {1: []}, ["Anna", "voice 2"]),
        (Clip("c", 0.0, 10.0), {"g": "remember"}, [], {1: None}, ["voice 1", "voice 2"]),
    ],
)
def test_a_file_that_is_heard_again_gives_its_voices_their_numbers(
    clip: Clip, voices: Any, named: Any, memory: Any, says: list[str]
) -> None:
    known_voices = _VideoVoices(load(voices=voices), lambda _: named, lambda _: memory)
    known = known_voices(Video("g", "v"), clip)
    assert [who(known, axis) for axis in (0, 1)] == says


@pytest.mark.usefixtures("ears")
@pytest.mark.parametrize("remembers", [True, False])
def test_a_first_clip_that_is_retried_leaves_the_voices_of_the_others(remembers: bool) -> None:
    memory: dict[int, Any] = {}
    settings = load(voices={"g": "remember"} if remembers else {})
    known_voices = _VideoVoices(settings, lambda _: (), lambda _: memory)
    known = known_voices(Video("g", "v"), CAM)
    assert [who(known, axis) for axis in (0, 1)] == ["voice 1", "voice 2"]
    memory.update({1: A, 2: B} if remembers else {1: None, 2: None})
    known_voices(Video("g", "v"), replace(CAM, t_start=0.0, uri="1.mkv"))
    known = known_voices(Video("g", "v"), replace(CAM, t_start=20.0, t_end=30.0, uri="3.mkv"))
    assert [who(known, axis) for axis in (2, 1, 0)] == ["voice 3", "voice 2", "voice 1"]
