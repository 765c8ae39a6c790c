"""Text in view: read from stills, reported once, found again by its words."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from amr_neo4j.domain.footage import Frame, Image, silent
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.perception.geometry import Box
from amr_neo4j.perception.local import LocalAnalyser
from amr_neo4j.perception.text_in_view import KnownTexts, TextLine, TextWatch
from tests.support.perception_film import VIDEO, Film, clips_of


def sign(words: str, x: int = 700) -> Image:
    picture = np.full((720, 1280, 3), 180, np.uint8)
    cv2.rectangle(picture, (x - 40, 250), (x + 420, 380), (60, 60, 160), -1)
    cv2.putText(picture, words, (x, 340), cv2.FONT_HERSHEY_DUPLEX, 2.2, (255, 255, 255), 4)
    return picture


def stills(*pictures: Image) -> Iterator[Frame]:
    return (Frame(4.0 * n, picture) for n, picture in enumerate(pictures))


def reading(*lines: tuple[str, float]):  # type: ignore[no-untyped-def]
    return lambda _image: [TextLine(words, sure, Box(900, 250, 1200, 380)) for words, sure in lines]


def test_a_text_that_stays_is_reported_once_and_doubtful_ones_not_at_all() -> None:
    watch = TextWatch(reading(("EXIT 24", 0.95), ("x1", 0.99), ("blurred", 0.5)), stills(sign("EXIT"), sign("OPEN")))
    (seen,) = watch.see(100.0)
    assert ([line.words for line in seen.lines], seen.t) == (["EXIT 24"], 0.0)


def test_a_text_that_stays_over_several_files_of_a_video_is_reported_once() -> None:
    """As of a live source, whose clips are files of their own."""
    known, read = KnownTexts(), reading(("EXIT 24", 0.95))
    files = [TextWatch(read, stills(sign("EXIT"), sign("OPEN")), known) for _ in range(2)]
    assert [len(list(watch.see(100.0))) for watch in files] == [1, 0]


def test_a_slightly_different_reading_is_the_same_text() -> None:
    readings = iter([["Main Street"], ["Main Streel"], ["Bakery"]])
    watch = TextWatch(
        lambda _image: [TextLine(words, 0.9, Box(0, 0, 9, 9)) for words in next(readings)],
        stills(sign("A"), sign("BBBB"), sign("CC", 100)),
    )
    assert [line.words for seen in watch.see(100.0) for line in seen.lines] == ["Main Street", "Bakery"]


def test_a_still_like_the_one_before_is_not_read_again() -> None:
    read: list[Image] = []

    def reads(image: Image) -> list[TextLine]:
        read.append(image)
        return []

    watch = TextWatch(reads, stills(sign("EXIT 24"), sign("EXIT 24"), sign("B")))
    assert list(watch.see(100.0)) == []
    assert len(read) == 2


def test_text_becomes_an_event_of_its_clip() -> None:
    film = Film([], 20)

    def footage(path: str, *, fps: float, width: int, start: float = 0.0) -> Iterator[Frame]:
        if width < 1280:
            yield from film.frames(path, fps=fps, width=width, start=start)
        else:
            yield from (Frame(start + 4.0 * n, sign("SALE" if n == 3 else "    ")) for n in range(5))

    read = reading(("SALE", 0.97))
    words = lambda image: read(image) if (image[250:380] > 250).any() else []  # noqa: E731
    analyser = LocalAnalyser(film, footage, lambda _path, _known=None: silent, language=ENGLISH, read_text=words)  # type: ignore[arg-type]
    first, second = analyser.watch(VIDEO, clips_of(20))
    assert first.analysis.events == ()
    (event,) = second.analysis.events
    assert event.summary == 'Text in view: "SALE" on the right, as seen by the camera.'
    assert (event.time_start, event.objects[0].name, event.objects[0].confidence) == (12.0, 'text "SALE"', 0.97)
    assert event.boxes[0].left == pytest.approx(900 / 1280, abs=0.001)


def test_rapidocr_reads_a_sign() -> None:
    pytest.importorskip("rapidocr_onnxruntime")
    from amr_neo4j.perception.text_in_view import RapidOcr

    found = RapidOcr()(sign("PLATFORM 9"))
    assert any("PLATFORM" in line.words and line.confidence > 0.8 for line in found)
