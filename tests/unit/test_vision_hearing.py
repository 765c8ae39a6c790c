"""A vision model's clip and what the ears could not understand of it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.footage import Heard, Hearing
from amr_neo4j.domain.ports import ClipSpool
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.analysis_runner import Budget, Stages, VisionAnalyser


def test_a_note_of_the_ears_gets_onto_the_receipt() -> None:
    def listen(path: str, before: Hearing | None = None) -> Hearing:
        turn = SpeakerTurn(utterance="Hello.", time_start=12.0, time_end=13.0)
        return lambda start, end: Heard([turn], ("left out",)) if start <= 12 < end else Heard()

    def analyse(clip: Clip, path: str, start: float, heard: Any) -> NotedAnalysis:
        return NotedAnalysis(ClipAnalysis(clip_summary="", events=(), speaker_turns=tuple(heard)), ("repaired",))

    stages = Stages(analyse, lambda *_: {}, lambda _: lambda noted: noted)
    budget = Budget(1, lambda _: True, lambda: nullcontext([]))
    spool = cast("ClipSpool", SimpleNamespace(kept=lambda *_: {}, keep=lambda _: None))
    analyser = VisionAnalyser("m", stages, listen=listen, budget=budget, spool=spool)
    clips = [Clip("a", 0.0, 10.0), Clip("b", 10.0, 20.0)]
    [muted] = analyser.watch(Video("g", "v", uri="v.mp4"), [replace(clips[1], left_out="sound")])
    assert isinstance(muted, AnalysedClip) and muted.notes == ("repaired",)
    first, second = analyser.watch(Video("g", "v", uri="v.mp4"), clips)
    assert isinstance(first, AnalysedClip) and isinstance(second, AnalysedClip)
    assert (first.notes, second.notes) == (("repaired",), ("repaired", "left out"))
    assert [turn.time_start for turn in second.analysis.speaker_turns] == [2.0]
