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
from amr_neo4j.hearing.ears import Known
from amr_neo4j.ingest.analysis_runner import Budget, Stages, VisionAnalyser
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.perception.local import LocalAnalyser
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import _VideoVoices, local_ears
from tests.support.perception_film import Film

VECTOR = [1.0] + [0.0] * 255


def analyse(clip: Clip, path: str, start: float, heard: Any) -> NotedAnalysis:
    return NotedAnalysis(ClipAnalysis(clip_summary="", events=(), speaker_turns=tuple(heard)), ("repaired",))


def vision(listen: Listen, known_voices: KnownVoices = lambda _video, _first: None) -> VisionAnalyser:
    stages = Stages(analyse, lambda *_: {}, lambda _: lambda noted: noted)
    budget = Budget(1, lambda _: True, lambda: nullcontext([]))
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


@pytest.mark.skipif(local_ears(load()) is None, reason="the local ears are not installed")
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
    # The second analyser begins at the first clip anew.
    assert [known is first for known in given] == [False, False, *[True] * 4] and not asked
    assert isinstance(first, Known) and first.remembers and first.voices.name(0) == "Ben"
    watch("b", 3, 4)
    [later] = {id(known): known for known in given[6:]}.values()
    assert later is not first and asked == ["b"] and isinstance(later, Known)
    assert later.voices.name(later.voices.number(np.eye(256, dtype=np.float32)[9], 2.0) or 0) == "voice 2"
    # A file is heard from its start, so that it needs nothing from before.
    film = Video("g", "c", uri="c.mkv")
    assert known_voices(film, Clip("x", 20.0, 30.0)) is not known_voices(film, Clip("x", 20.0, 30.0))
    assert asked == ["b"]
