"""Paid analyses are spooled at once, and not requested again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from amr_neo4j.domain.ports import Analyser
from amr_neo4j.domain.video import AnalysedClip, Clip, Video, content_sha256
from amr_neo4j.errors import NoSuchModel
from amr_neo4j.ingest.analyse import shown_as
from amr_neo4j.media.video_file import video_of
from amr_neo4j.spool.clips import ClipSpool
from tests.support.films import pattern
from tests.support.model_server import ModelServer
from tests.support.seeing import EYES, TO_EYES, TO_REFINER, character, event, reply, vision

CLIPS = [Clip(f"clip-{n}", n * 1.0, n + 1.0) for n in range(3)]
SUMMARY = {"summaries": [{"event": 1, "summary": "She takes the lid off."}]}
KNOWN = {"persons": [{"local_character_id": "C1", "person_id": "girl_hoodie"}]}


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Video:
    return video_of(pattern(tmp_path_factory.mktemp("film") / "hall.mp4", 3), "g", video_id="hall")


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[ClipSpool]:
    with closing(ClipSpool(tmp_path / "clips.sqlite")) as opened:
        yield opened


def watched(analyser: Analyser, video: Video, clips: list[Clip] = CLIPS) -> list[AnalysedClip]:
    return [clip for clip in analyser.watch(video, clips) if isinstance(clip, AnalysedClip)]


def kept_of(spool: ClipSpool, video: Video, analyser: Analyser) -> list[AnalysedClip]:
    return list(spool.kept(video, analyser.name, analyser.model).values())


def asked(server: ModelServer, model: str) -> int:
    return sum(request.body["model"] == model for request in server.requests)


def test_a_clip_is_stored_while_the_one_before_is_still_being_analysed(
    model_server: ModelServer, video: Video, spool: ClipSpool
) -> None:
    """The second clip's reply is on disk before the first is yielded: a kill now costs the first alone."""
    model_server.then(reply(), match={**TO_EYES, "contains": shown_as("clip-0")}, fault="slow", delay_s=3.0)
    model_server.then(reply(event("She leaves.")), match={**TO_EYES, "contains": shown_as("clip-1")})
    analyser = vision(model_server, spool=spool, analyse={"at_once": 2, "frames": 1, "send": "frames"})
    with ThreadPoolExecutor(1) as pool:
        yielded = pool.submit(next, analyser.watch(video, CLIPS[:2]))
        while not (kept := spool.kept(video, analyser.name, analyser.model)):
            time.sleep(0.02)
        assert not yielded.done()
    assert list(kept) == [content_sha256(video, CLIPS[1])]


def test_a_stored_analysis_is_yielded_unchanged_without_a_call(
    model_server: ModelServer, video: Video, spool: ClipSpool
) -> None:
    """With the ids of its people, which the prompts of later clips contain."""
    girl = reply(people=(character("C1", "girl in a black hoodie"),))
    model_server.then(girl, match=TO_EYES, times=None)
    model_server.then(KNOWN, match=TO_REFINER, times=None)
    first = watched(vision(model_server, spool=spool, calls=("persons",)), video, CLIPS[:2])
    before = len(model_server.requests)
    assert [clip.analysis.characters[0].person_id for clip in first] == ["girl_hoodie"] * 2
    again = watched(vision(model_server, spool=spool, calls=("persons",)), video)
    assert again[:2] == first and first[0].usage.calls == 2
    assert again[2].analysis.characters[0].person_id == "girl_hoodie"
    assert len(model_server.requests) == before + 1, "the third clip, whose girl is known from the first"


def test_an_analysis_stored_before_identification_is_identified(
    model_server: ModelServer, video: Video, spool: ClipSpool
) -> None:
    """Killed between the two calls: only the second is made, and both are on the receipt."""
    model_server.then(reply(people=(character("C1", "girl in a black hoodie"),)), match=TO_EYES)
    model_server.then(KNOWN, match=TO_REFINER)
    [looked] = watched(vision(model_server, spool=spool, calls=()), video, CLIPS[:1])
    nameless = tuple(person.model_copy(update={"person_id": ""}) for person in looked.analysis.characters)
    spool.keep(replace(looked, analysis=looked.analysis.model_copy(update={"characters": nameless})))
    [whole] = watched(vision(model_server, spool=spool, calls=("persons",)), video, CLIPS[:1])
    assert whole.analysis.characters[0].person_id == "girl_hoodie"
    assert (whole.usage.calls, len(model_server.requests)) == (2, 2)


def test_an_analysis_is_kept_when_the_refiner_is_unavailable(
    model_server: ModelServer, video: Video, spool: ClipSpool
) -> None:
    """Each clip is paid for once over several runs; with a working refiner the receipt has all of it."""
    model_server.then(reply(), match=TO_EYES, times=None)
    model_server.then(match=TO_REFINER, fault="unknown_model", times=2 * len(CLIPS))
    for _ in range(2):
        with pytest.raises(NoSuchModel):
            watched(vision(model_server, spool=spool, calls=("summary",)), video)
        assert [clip.lacks for clip in kept_of(spool, video, vision(model_server))] == [("summary",)] * 3
    assert asked(model_server, EYES) == 3
    model_server.then(SUMMARY, match=TO_REFINER, times=None)
    whole = watched(vision(model_server, spool=spool, calls=("summary",)), video)
    assert [clip.analysis.events[0].summary for clip in whole] == ["She takes the lid off."] * 3
    assert [(clip.usage.calls, clip.lacks) for clip in whole] == [(2, ())] * 3
    assert asked(model_server, EYES) == 3


def test_an_analysis_is_kept_when_the_question_for_places_fails(
    model_server: ModelServer, video: Video, spool: ClipSpool
) -> None:
    """The second look at a clip is not worth the first: only it is repeated."""
    unplaced = {"objects": [{"name": "lid"}], "actions": [{"actor": "C1", "verb": "lift", "object": "lid"}]}
    model_server.then(reply(event(**unplaced)), match=TO_EYES)
    model_server.then(match=TO_EYES, fault="unknown_model")
    with pytest.raises(NoSuchModel):
        watched(vision(model_server, spool=spool, calls=("places",)), video, CLIPS[:1])
    assert [clip.lacks for clip in kept_of(spool, video, vision(model_server))] == [("places",)]
    model_server.then({"places": [{"number": 1, "spatial_description": "in the sink"}]}, match=TO_EYES)
    [whole] = watched(vision(model_server, spool=spool, calls=("places",)), video, CLIPS[:1])
    assert whole.analysis.events[0].objects[0].spatial_description == "in the sink"
    assert asked(model_server, EYES) == 3


def test_only_the_missing_stages_are_run(model_server: ModelServer, video: Video, spool: ClipSpool) -> None:
    """Killed after the actions and before the summary: the actions are not paid for again."""
    model_server.then(reply(event(actions=[])), match=TO_EYES)
    [looked] = watched(vision(model_server, spool=spool), video, CLIPS[:1])
    spool.keep(replace(looked, lacks=("summary",)))
    model_server.then(SUMMARY, match=TO_REFINER)
    both = ("actions", "summary")
    [whole] = watched(vision(model_server, spool=spool, calls=both), video, CLIPS[:1])
    assert whole.analysis.events[0].summary == "She takes the lid off."
    assert not whole.analysis.events[0].actions
    assert watched(vision(model_server, spool=spool, calls=both), video, CLIPS[:1]) == [whole]
    assert len(model_server.requests) == 2


def test_another_model_is_called_itself(model_server: ModelServer, video: Video, spool: ClipSpool) -> None:
    model_server.then(reply(), times=None)
    watched(vision(model_server, spool=spool), video, CLIPS[:1])
    watched(vision(model_server, spool=spool, analyse={"model": "other/eyes"}), video, CLIPS[:1])
    assert len(model_server.requests) == 2
