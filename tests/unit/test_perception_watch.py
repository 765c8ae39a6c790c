"""The local analyser in an ingest: lazy, resumable, and explicit about unreadable footage."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.footage import Frame, Heard, Hearing, Image, silent
from amr_neo4j.domain.ports import Analyser
from amr_neo4j.domain.video import Clip
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.media.frames import frames
from amr_neo4j.perception.clip_watcher import LookedOnce
from amr_neo4j.perception.local import LocalAnalyser
from tests.support.films import make, source
from tests.support.perception_film import VIDEO, Actor, Film, clips_of, resting, walking, watch

WALKER = Actor("person", walking(2.0, -10, 40, until=9.0))


def _silent(path: str, known: object = None) -> Hearing:
    """No words are heard in the film."""
    return silent


def analyser(film: Film, **changes: object) -> LocalAnalyser:
    return LocalAnalyser(film, film.frames, _silent, language=ENGLISH, **changes)  # type: ignore[arg-type]


def test_the_local_analyser_is_an_analyser() -> None:
    port: Analyser = analyser(Film([]))
    assert (port.name, port.model) == ("local", "scripted")


@pytest.mark.soak
def test_a_clip_is_analysed_before_a_frame_of_the_next_is_read() -> None:
    film = Film([WALKER], 30)
    clips = analyser(film).watch(VIDEO, clips_of(30))
    for end in (10.0, 20.0, 30.0):
        next(clips)
        assert film.now == pytest.approx(end - 0.2)


def test_clips_are_analysed_as_given() -> None:
    taken: list[float] = []

    def arriving() -> Generator[Clip]:
        for clip in clips_of(30):
            taken.append(clip.t_start)
            yield clip

    next(analyser(Film([], 30)).watch(VIDEO, arriving()))
    assert taken == [0.0]


def test_a_film_of_few_pictures_costs_by_pictures(tmp_path: Path) -> None:
    """One picture in ten seconds, for a minute. Each is looked at again only as often as what stays needs it."""
    path = make(tmp_path / "slow.mkv", *source("testsrc2=s=64x48:r=1/10:d=60"))
    asked: list[Image] = []
    looking = LookedOnce(lambda image: asked.append(image) or [])  # type: ignore[arg-type]
    seen = [
        frame
        for frame in looking.without_repeats(frames(path, fps=5, width=64))
        if not looking.detections(frame.image)
    ]
    assert len(asked) == 6 and len(seen) <= 6 * 18
    assert {round(frame.t, 1) for frame in seen} >= {9.8, 10.0, 19.8, 20.0, 59.8}


def test_stopping_early_closes_the_file() -> None:
    film, closed = Film([], 30), []

    def footage(path: str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
        try:
            yield from film.frames(path, fps=fps, width=width, start=start)
        finally:
            closed.append(film.now)

    clips = LocalAnalyser(film, footage, _silent, language=ENGLISH).watch(VIDEO, clips_of(30))
    next(clips)
    clips.close()  # type: ignore[attr-defined]
    assert closed == [pytest.approx(9.8)]


@pytest.mark.soak
def test_a_resumed_run_knows_the_people() -> None:
    film = Film([WALKER], 30)
    first, second, _ = watch(film)
    assert [action.verb for event in first.analysis.events for action in event.actions] == ["enter"]
    starts: list[float] = []

    def footage(path: str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
        starts.append(start)
        return film.frames(path, fps=fps, width=width, start=start)

    resumed = LocalAnalyser(film, footage, _silent, language=ENGLISH)
    (again,) = resumed.watch(VIDEO, clips_of(30)[1:2])
    assert starts == [0.0]
    assert again.analysis.events == second.analysis.events
    assert "in a red top and blue trousers" in again.analysis.clip_summary
    list(resumed.watch(VIDEO, clips_of(30)[2:]))
    assert starts == [0.0, 10.0]


def test_gaps_between_clips_are_watched_for_their_last_seconds_only() -> None:
    film = Film([WALKER], 60)
    looked: list[float] = []

    class Counting(Film):
        def __call__(self, image):  # type: ignore[no-untyped-def]
            looked.append(self.now)
            return super().__call__(image)

    film = Counting([WALKER], 60)
    wanted = [clips_of(60)[0], clips_of(60)[5]]
    (_, last) = analyser(film).watch(VIDEO, wanted)
    assert all(t < 10 or t >= 39.9 for t in looked)
    assert last.analysis.events == ()


def test_equal_footage_gives_equal_fingerprints() -> None:
    film = Film([], 20)
    first, second = watch(film)
    again = watch(film)
    other = list(analyser(film).watch(replace(VIDEO, fingerprint="beef"), clips_of(20)))
    assert (first.content_sha256, second.content_sha256) == tuple(clip.content_sha256 for clip in again)
    assert len({first.content_sha256, second.content_sha256, other[0].content_sha256}) == 3
    assert len(first.content_sha256) == 64


def test_receipts_report_unreadable_footage() -> None:
    film = Film([], 14.0, note="fallback in use")
    whole, short, none = watch(film, clips=clips_of(30))
    assert whole.notes == ("fallback in use",)
    assert short.notes == ("fallback in use", "pictures could be read only up to 14.0 s")
    assert none.notes == ("fallback in use", "no picture of this stretch could be read")
    assert none.analysis.events == ()


def test_receipts_report_the_decoder_s_warnings() -> None:
    film = Film([], 20)

    def footage(path: str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
        for frame in film.frames(path, fps=fps, width=width, start=start):
            yield replace(frame, trouble=("concealing errors", "more")) if frame.t == 12.0 else frame

    clips = list(LocalAnalyser(film, footage, _silent, language=ENGLISH).watch(VIDEO, clips_of(20)))
    assert [clip.notes for clip in clips] == [(), ("not every picture could be decoded: concealing errors",)]


def test_clips_in_separate_files_keep_video_times() -> None:
    film = Film([Actor("bottle", resting(100, 300, (4.0, 99)), "green", "green")], 10)
    clip = Clip("late", 100.0, 110.0, uri="part.mp4", uri_offset=0.0)
    (analysed,) = analyser(film).watch(VIDEO, [clip])
    (event,) = analysed.analysis.events
    assert event.actions[0].verb == "appear"
    assert event.time_start == pytest.approx(104.0, abs=1.0)


@pytest.mark.soak
def test_memory_use_does_not_grow_with_the_film() -> None:
    """Memory use after two minutes equals that after 80 s, however many people came and went."""
    comings = [Actor("person", walking(5.0 * n, -10, 100), "red" if n % 2 else "green") for n in range(24)]
    running = analyser(Film(comings, 120), fps=4.0).watch(VIDEO, clips_of(120))
    kept: dict[int, int] = {}
    tracemalloc.start()
    for number, _ in enumerate(running, 1):
        if number in (8, 12):
            gc.collect()
            kept[number] = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept[12] < kept[8] + 25_000


def test_a_clip_shorter_than_a_frame_lacks_nothing() -> None:
    clips = [Clip(str(n), n / 10, (n + 1) / 10) for n in range(1, 6)]
    assert [clip.notes for clip in watch(Film([], 10), clips=clips)] == [()] * 5


def in_files(
    film: Film, clips: list[Clip], shown: Callable[[Image, float], Image] = lambda image, _t: image
) -> list[str]:
    """The summaries where each clip is a file of its own, as of a camera. shown: what becomes of a picture."""

    def footage(path: str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
        clip = next(each for each in clips if each.uri == path)
        for number in range(round((clip.t_end - clip.t_start - start) * fps)):
            film.now = clip.t_start + start + number / fps
            yield Frame(start + number / fps, shown(film.draw(film.now), film.now), False)

    watched = LocalAnalyser(film, footage, _silent, language=ENGLISH).watch(VIDEO, clips)
    return [event.summary for clip in watched for event in clip.analysis.events]


def test_who_is_in_view_is_known_from_one_file_of_a_camera_to_the_next() -> None:
    """As in a single film, nobody appears again in each clip, and who walks across a joint goes on walking."""
    there = Actor("person", resting(300, 330, width=60, height=180))
    walker = Actor("person", walking(8.0, -10, 60), "green")
    clips = clips_of(30)
    files = [replace(clip, uri=f"{clip.clip_id}.mkv") for clip in clips]
    one = [event.summary for clip in watch(Film([there, walker], 30)) for event in clip.analysis.events]
    assert in_files(Film([there, walker], 30), files) == one
    assert sum(summary.startswith("There is") for summary in one) == 1


def test_after_a_gap_a_camera_is_watched_afresh() -> None:
    there = Actor("person", resting(300, 330, width=60, height=180))
    files = [replace(clip, uri=f"{clip.clip_id}.mkv") for clip in clips_of(30) if clip.t_start != 10.0]
    said = in_files(Film([there], 30), files)
    assert sum(summary.startswith("There is") for summary in said) == 2


def test_files_that_follow_one_another_and_show_other_views_are_watched_afresh() -> None:
    there = Actor("person", resting(300, 330, width=60, height=180))
    files = [replace(clip, uri=f"{clip.clip_id}.mkv") for clip in clips_of(20)]
    other: Callable[[Image, float], Image] = lambda image, t: image if t < 10 else 255 - image  # noqa: E731
    said = in_files(Film([there], 20), files, other)
    assert sum(summary.startswith("There is") for summary in said) == 2


def test_a_clip_in_which_nothing_is_said_keeps_its_pictures() -> None:
    """Also where the source has no sound: nothing of it would be kept."""
    film = Film([WALKER], 10)
    [first] = clips_of(10)
    ears = LocalAnalyser(film, film.frames, lambda path, known=None: lambda start, end: Heard(), language=ENGLISH)
    [seen] = ears.watch(VIDEO, [replace(first, left_out="pictures")])
    assert "A person" in seen.analysis.clip_summary and seen.clip.left_out == ""


def test_a_clip_without_its_pictures_has_its_words_alone_and_the_next_one_is_seen_again() -> None:
    def listen(path: str, known: object = None) -> Hearing:
        return lambda start, end: Heard([SpeakerTurn(utterance="Hello.", time_start=start + 1, time_end=start + 2)])

    film = Film([WALKER], 20)
    first, second = clips_of(20)
    ears = LocalAnalyser(film, film.frames, listen, language=ENGLISH)
    heard, seen = ears.watch(VIDEO, [replace(first, left_out="pictures"), second])
    assert [turn.utterance for turn in heard.analysis.speaker_turns] == ["Hello."]
    assert not heard.analysis.events and "nobody" not in heard.analysis.clip_summary
    assert "A person" in seen.analysis.clip_summary and seen.analysis.speaker_turns
    assert film.now == pytest.approx(19.8)
