"""Clips that no vision model analysed are refined by models where the settings ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis
from amr_neo4j.domain.chat import ModelCall
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import CostLimit
from amr_neo4j.ingest.analysis_runner import Refinement
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.spool.clips import ClipSpool


@contextmanager
def counting() -> Iterator[list[Any]]:
    yield [ModelCall("refine", "some/model", tokens_in=7)]


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[ClipSpool]:
    spool = ClipSpool(tmp_path / "clips.sqlite")
    yield spool
    spool.close()


def clip(number: int) -> AnalysedClip:
    video, part = Video("g", "v"), Clip(f"c{number}", number, number + 1)
    return AnalysedClip(video, part, ClipAnalysis(clip_summary="", events=()), "jsonl", "sha", notes=("first",))


def named(noted: NotedAnalysis, name: str) -> NotedAnalysis:
    return noted.but(noted.analysis, name)


def test_each_clip_goes_through_the_stages_in_order_and_receipts_pass(spool: ClipSpool) -> None:
    identified: list[str] = []

    def identify(video: Video) -> Any:
        identified.append(video.video_id)
        return lambda noted: named(noted, "identified")

    refused = Receipt("v", "c9", "rejected")
    refine = Refinement({"actions": lambda noted: named(noted, "actions")}, identify, counting, spool)
    found = list(refine([clip(1), refused, clip(2)]))
    notes = [each.notes for each in found if isinstance(each, AnalysedClip)]
    assert notes == [("first", "actions", "identified")] * 2
    assert found[1] is refused and identified == ["v"]
    assert [each.content_sha256 for each in found if isinstance(each, AnalysedClip)] == ["sha", "sha"]


def test_a_call_that_was_paid_for_is_not_repeated(spool: ClipSpool) -> None:
    asked: list[str] = []

    def stage(name: str, *, fails: bool = False) -> Any:
        def run(noted: NotedAnalysis) -> NotedAnalysis:
            asked.append(name)
            if fails:
                raise CostLimit("enough")
            return named(noted, name)

        return run

    def refine(one: AnalysedClip, *, fails: bool = False) -> AnalysedClip:
        stages = {"actions": stage("actions"), "summary": stage("summary", fails=fails)}
        [found] = Refinement(stages, None, counting, spool)([one])
        assert isinstance(found, AnalysedClip)
        return found

    with pytest.raises(CostLimit):
        refine(clip(1), fails=True)
    found = refine(clip(1))
    assert asked == ["actions", "summary", "summary"]
    assert found.notes == ("first", "actions", "summary") and found.usage.calls == 2 and not found.lacks

    other = ClipAnalysis(clip_summary="another", events=())
    assert refine(replace(clip(1), analysis=other)).analysis == other
    assert asked[3:] == ["actions", "summary"]


class Writes:
    """Commits what it gets, but for clips that are held."""

    def new(self, clips: Any, *, at_once: int) -> Any:
        return clips

    def commit(self, clips: Any, *, clips_per_transaction: int, ahead: bool) -> Iterator[Receipt]:
        for each in clips:
            yield Receipt("v", each.clip.clip_id, "held" if each.clip.clip_id == "c2" else "committed")


def test_what_was_spooled_goes_once_the_clip_is_done(spool: ClipSpool) -> None:
    refine = Refinement({"actions": lambda noted: named(noted, "actions")}, None, counting, spool)
    writes: Any = Writes()
    receipts = ingest([clip(1), clip(2), clip(3)], writes, refine=refine)
    assert next(receipts).outcome == "committed" and spool.waiting("g") == {}
    assert [receipt.outcome for receipt in receipts] == ["held", "committed"]
    assert spool.waiting("g") == {"v": 1}
