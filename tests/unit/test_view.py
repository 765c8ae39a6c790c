"""What is drawn into a camera's picture: masked areas are black in every picture, zones tell who goes where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from amr_neo4j.domain.exploration import Span
from amr_neo4j.domain.footage import Image, masked
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.domain.view import View, is_inside, masked_at
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.media import excerpts
from amr_neo4j.media.clip_attachments import MediaProfile, attachments
from amr_neo4j.media.frames import frames, thumbnails
from amr_neo4j.media.segment_cutter import SegmentCutter
from amr_neo4j.recall.event_match import matches, wanted
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from amr_neo4j.settings import Settings
from amr_neo4j.wiring.analyser import _viewed
from tests.support.fake_graph import HashedWords, graph_of_lines
from tests.support.films import make, source
from tests.support.perception_film import VIDEO, Actor, Film, at, clips_of, walking
from tests.unit.test_perception_watch import analyser

shares = st.floats(0, 1, width=16)
TRIANGLE = View(mask=(((0.1, 0.1), (0.6, 0.1), (0.1, 0.9)),))


@given(st.lists(st.tuples(shares, shares), min_size=3, max_size=8), shares, shares)
def test_whatever_is_inside_of_a_mask_is_black(corners: list[tuple[float, float]], x: float, y: float) -> None:
    white = np.full((40, 60, 3), 255, np.uint8)
    black = masked(white, View(mask=(tuple(corners),)).masked)
    at = min(39, int(y * 40)), min(59, int(x * 60))
    if is_inside(corners, (at[1] + 0.5) / 60, (at[0] + 0.5) / 40):
        assert not black[at].any()
    assert white.all()


def shown_by_frames(path: Path, folder: Path) -> Image:
    return next(frames(path, fps=5, width=320, mask=TRIANGLE.masked)).image


def shown_by_thumbnails(path: Path, folder: Path) -> Image:
    return thumbnails(path, 2.0, TRIANGLE.masked)[0][0]


def shown_in_a_picture(path: Path, folder: Path) -> Image:
    excerpts.picture(path, 1.0, folder / "p.png", width=320, mask=TRIANGLE.masked)
    return read(folder / "p.png")


def shown_in_a_clip(path: Path, folder: Path) -> Image:
    excerpts.clip(path, 0.5, 1.0, to=folder / "c.mp4", width=320, mask=TRIANGLE.masked)
    return next(frames(folder / "c.mp4", fps=5, width=320)).image


def shown_to_the_explorer(path: Path, folder: Path) -> Image:
    open_view = SegmentCutter(path, folder)(Span(0, 1))
    hidden = SegmentCutter(path, folder, mask=TRIANGLE.masked)(Span(0, 1))
    assert hidden.path != open_view.path, "what was cut before without the mask is not taken"
    return next(frames(hidden.path, fps=5, width=320)).image


def uploaded(send: str) -> Callable[[Path, Path], Image]:
    def shown(path: Path, folder: Path) -> Image:
        profile = MediaProfile(send=send, frames=2, width=320, sound=False, max_kbytes=2000)  # type: ignore[arg-type]
        part = attachments(path, 0.0, 1.0, profile=profile, mask=TRIANGLE.masked)[0]
        file = folder / ("u.mp4" if send == "film" else "u.jpg")
        file.write_bytes(part.data)
        return next(frames(file, fps=5, width=320)).image if send == "film" else read(file)

    return shown


def read(file: Path) -> Image:
    image = cv2.imread(str(file))
    assert image is not None
    return image.astype(np.uint8)


@pytest.mark.parametrize(
    "shown",
    [
        *(shown_by_frames, shown_by_thumbnails, shown_in_a_picture, shown_in_a_clip, shown_to_the_explorer),
        *(uploaded("film"), uploaded("frames")),
    ],
)
def test_a_masked_area_is_black_by_every_way_to_a_picture(
    shown: Callable[[Path, Path], Image], tmp_path: Path
) -> None:
    film = make(tmp_path / "white.mp4", *source("color=white:s=320x240:r=10:d=2"))
    image = shown(film, tmp_path)
    high, wide = image.shape[:2]
    assert image[int(0.3 * high), int(0.2 * wide)].max() < 25, "inside of the triangle"
    assert image[int(0.8 * high), int(0.8 * wide)].min() > 225, "outside"


def test_the_local_analyser_sees_nothing_of_a_masked_area() -> None:
    """The setting names the place of the video; without a place there is no view."""
    seen: list[Image] = []
    film = Film([])
    film_of = analyser(film)
    film_of._detector = type(
        "Detector", (), {"name": "d", "note": "", "__call__": lambda _, image: seen.append(image) or []}
    )()
    whole = View(mask=(((0.5, 0), (1, 0), (1, 1), (0.5, 1)),))
    view = _viewed(film_of, Settings(views={"film": whole}))
    list(view.watch(VIDEO, clips_of(10)))
    assert (
        len(seen) > 10
        and not any(image[:, 320:].any() for image in seen)
        and all(image[:, :310].any() for image in seen)
    )


PORCH = View(zones={"porch": ((0.4, 0.3), (1, 0.3), (1, 1), (0.4, 1))}, lines={"gate": ((0.25, 0.2), (0.25, 1.0))})


def told(view: View, *actors: Actor) -> list[tuple[float, str]]:
    film = Film(actors, 20.0)
    analysed = list(_viewed(analyser(film), Settings(views={"film": view})).watch(VIDEO, clips_of(20)))
    found = [event for clip in analysed if isinstance(clip, AnalysedClip) for event in clip.analysis.events]
    names = ("porch", "gate")
    return [(event.time_start, event.summary) for event in found if any(name in event.summary for name in names)]


def test_zones_and_lines_tell_who_enters_leaves_and_crosses() -> None:
    """Once each, at its time. Who stands in a zone from the start has not entered it; a box that trembles neither."""
    comes = Actor("person", walking(2.0, -10, 40, until=10.0))
    goes = Actor("person", lambda t: at(520 - 60 * min(5.0, max(0.0, t - 12)), 300), upper="green", lower="black")
    found = told(PORCH, comes, goes)
    whats = [summary for _, summary in found]
    assert [" ".join(what.split()[-3:]) for what in whats] == [
        "crosses the gate.",
        "enters the porch.",
        "leaves the porch.",
    ]
    assert "red" in whats[0] and "red" in whats[1] and "green" in whats[2]
    for (moment, _), expected in zip(found, (6.2, 8.6, 16.4), strict=True):
        assert moment == pytest.approx(expected, abs=0.6)
    trembling = Actor("person", lambda t: at(256 + (3 if round(t * 5) % 2 else -3), 330))
    assert told(PORCH, trembling) == []


def reported(*actors: Actor) -> list[str]:
    """What the local analyser reports of ten seconds before the porch, as lines of clips."""
    lines: list[str] = []
    for clip in _viewed(analyser(Film(actors, 10.0)), Settings(views={"film": PORCH})).watch(VIDEO, clips_of(10)):
        assert isinstance(clip, AnalysedClip)
        said = {"analysis": clip.analysis.model_dump(mode="json"), "time_base": "video"}
        lines.append(json.dumps({"video_id": "film", "clip_id": "1", "t_start": 0, "t_end": 10} | said))
    return lines


def test_questions_name_zones_and_lines() -> None:
    graph = graph_of_lines(reported(Actor("person", walking(2.0, -10, 40, until=10.0))), HashedWords())

    def answer(question: str) -> str:
        return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH, None)).text

    assert answer("Did anybody enter the porch?").startswith("Yes: at 00:00:08.8")
    assert "red top" in answer("Who crossed the gate?")
    assert answer("Did anybody enter the garden?").startswith("Nothing in memory fits")
    assert not answer("Did anybody leave the porch?").startswith("Yes")


@pytest.mark.parametrize(
    ("question", "is_met"),
    [
        ("somebody enters the porch", True),
        ("a person crosses the gate", True),
        ("somebody leaves the porch", False),
        ("somebody enters the garden", False),
    ],
)
def test_alerts_name_zones_and_lines(question: str, is_met: bool) -> None:
    comes = Actor("person", walking(2.0, -10, 40, until=10.0))
    [line] = reported(comes)
    graph = graph_of_lines([line], HashedWords())
    events = graph.events(range(20), Scope("test"))
    clause = wanted(question, graph.vocabulary(Scope("test")), ENGLISH)
    assert any(matches(clause, event, ENGLISH) for event in events) == is_met


def test_who_comes_into_the_picture_within_a_zone_has_entered_it_and_a_car_is_a_thing() -> None:
    edge = View(zones={"porch": ((0, 0.3), (0.6, 0.3), (0.6, 1), (0, 1))})
    car = Actor("car", walking(3.0, -10, 90))
    whats = [summary for _, summary in told(edge, car)]
    assert [each.split(" the ")[-1] for each in whats] == ["porch."] * 2
    assert "enters" in whats[0] and "leaves" in whats[1] and "car" in whats[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"mask": [[[0, 0], [1, 1]]]},
        {"zones": {"porch": [[0, 0], [640, 0], [640, 360]]}},
        {"lines": {"gate": [[0, 0]]}},
        {"zone": {}},
    ],
)
def test_a_view_that_cannot_be_drawn_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"views": {"yard": wrong}})


def test_where_the_place_is_not_known_whatever_any_view_hides_is_hidden() -> None:
    views = {"hall": TRIANGLE, "yard": View(mask=(((0.7, 0.7), (0.9, 0.7), (0.9, 0.9)),)), "street": View()}
    assert (
        masked_at(views, "hall") == TRIANGLE.masked and masked_at(views, "attic") == masked_at(views, "street") == ()
    )
    assert masked_at(views, "") == TRIANGLE.masked + views["yard"].masked and masked_at({}, "") == ()
