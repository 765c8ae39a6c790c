"""Clips that no vision model analysed are refined by models where the settings ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.refine_clips import Refinement


@contextmanager
def counting() -> Iterator[list[Any]]:
    yield []


def clip(number: int) -> AnalysedClip:
    video, part = Video("g", "v"), Clip(f"c{number}", number, number + 1)
    return AnalysedClip(video, part, ClipAnalysis(clip_summary="", events=()), "jsonl", "sha", notes=("first",))


def test_each_clip_goes_through_the_stages_in_order_and_receipts_pass() -> None:
    identified: list[str] = []

    def identify(video: Video) -> Any:
        identified.append(video.video_id)
        return lambda noted: noted.but(noted.analysis, "identified")

    def actions(noted: NotedAnalysis) -> NotedAnalysis:
        return noted.but(noted.analysis, "actions")

    refused = Receipt("v", "c9", "rejected")
    found = list(Refinement([actions], identify, counting)([clip(1), refused, clip(2)]))
    notes = [each.notes for each in found if isinstance(each, AnalysedClip)]
    assert notes == [("first", "actions", "identified")] * 2
    assert found[1] is refused and identified == ["v"] and found[0].content_sha256 == "sha"
