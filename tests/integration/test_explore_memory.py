"""Exploring with memory: anchors, events made of what was seen, and questions that memory cannot answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.recall import Citation
from amr_neo4j.domain.video import AnalysedClip, Clip, Video, content_sha256
from amr_neo4j.errors import NoSuchFile
from amr_neo4j.localdb import Connection
from tests.support import red_walker
from tests.support.chatting import talking

QUESTION = "When does a person in red clothes leave?"


class Asleep:
    """An analyser that sees nothing."""

    name, model = "asleep", "none"

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        for clip in clips:
            nothing = ClipAnalysis(clip_summary="Nothing happens.", events=())
            yield AnalysedClip(video, clip, nothing, self.name, content_sha256(video, clip), self.model)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return red_walker.film(tmp_path_factory.mktemp("walk") / "walk.mp4")


@pytest.fixture
def memory(neo4j_connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setattr("amr_neo4j.wiring.explorer.open_local_analyser", lambda *_: red_walker.analyser())
    with talking(neo4j_connection, uuid4().hex, tmp_path / "data") as opened:
        yield opened


def test_what_memory_cannot_answer_is_looked_up_kept_and_cited(memory: Memory, walked: Path) -> None:
    memory._parts.analyser.use(Asleep())
    memory.ingest(walked, video_id="walk")
    assert not memory.ask(QUESTION).found
    said: list[str] = []
    answer = memory.ask(QUESTION, look=4, notify=said.append)
    assert answer.found and said[-1] == answer.text
    [citation] = answer.citations
    assert isinstance(citation, Citation) and citation.video_id == "walk" and citation.label in answer.text
    event = memory.cited(citation)
    # Who comes and goes within one segment crosses; the event ends with the leaving.
    assert abs(event.time_end - red_walker.GOES) < 1.5
    assert any(word in event.summary_text for word in ("leaves", "crosses"))
    assert "segments of video were looked at" in answer.notes[-1]
    assert memory.ask(QUESTION).found


def test_looking_stops_at_its_budget_and_says_what_was_looked_at(memory: Memory, walked: Path) -> None:
    memory._parts.analyser.use(Asleep())
    memory.ingest(walked, video_id="walk")
    answer = memory.ask("When does a dog bark?", look=2)
    assert not answer.found
    assert answer.notes[-1] == "memory had no answer; 2 segments of video were looked at"


@pytest.mark.soak
def test_what_is_not_recognised_is_pointed_at_and_not_kept(memory: Memory, tmp_path: Path) -> None:
    memory._parts.analyser.use(Asleep())
    memory.ingest(red_walker.film(tmp_path / "blue.mp4", "blue"), video_id="blue")
    before = memory.stats().events
    answer = memory.ask("When does a cat pass by?", look=3)
    assert not answer.found and not answer.citations and memory.stats().events == before
    assert answer.notes[-2].startswith("blue: Not recognised. The likeliest place is 00:01:2")


@pytest.mark.soak
def test_what_was_seen_is_kept_once_and_leads_the_next_exploration(memory: Memory, walked: Path) -> None:
    first = memory.explore(walked, QUESTION, max_looks=4, remember=True, video_id="walk")
    assert first.found and first.tree["nodes"][0]["origin"] == "planner"
    once = memory.digest()
    assert memory.stats().events > 0
    memory.explore(walked, QUESTION, max_looks=1, remember=True, video_id="walk")
    memory.explore(walked, QUESTION, max_looks=1, remember=True, video_id="walk")
    twice = memory.digest()
    memory.explore(walked, QUESTION, max_looks=1, remember=True, video_id="walk")
    assert memory.digest() == twice and once
    led = memory.explore("walk", QUESTION, max_looks=4)
    assert led.found and led.looks == 1
    assert led.tree["nodes"][0]["origin"] == "memory"


def test_what_is_seen_has_the_place_and_start_of_the_video_and_what_was_forgotten_stays_so(
    memory: Memory, walked: Path
) -> None:
    when = datetime(2026, 3, 1, 12, tzinfo=UTC)
    memory._parts.analyser.use(Asleep())
    memory.ingest(walked, video_id="walk", place="street", recorded_at=when)
    memory.explore("walk", QUESTION, max_looks=4, remember=True)
    kept = memory.video("walk").timeline
    assert kept
    for event in memory.video("walk").timeline:
        memory.forget_videos(event=event.node_id)
    memory.explore("walk", QUESTION, max_looks=4, remember=True)
    again = memory.video("walk").timeline
    assert not any(one.time_start < old.time_end and old.time_start < one.time_end for one in again for old in kept)
    memory.forget_videos(video_id="walk")
    memory.explore(walked, QUESTION, max_looks=4, remember=True, video_id="walk")
    assert not memory.stats().events


def test_an_unknown_video_is_an_error_with_advice(memory: Memory) -> None:
    with pytest.raises(NoSuchFile) as raised:
        memory.explore("nothing-of-that-name", QUESTION)
    assert "video_id" in raised.value.hint
