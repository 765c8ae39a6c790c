"""The overview of a video: what is rare in its scene, ranges that look unlike one another, probes over the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.app import exploring
from amr_neo4j.domain.exploration import Span
from amr_neo4j.errors import InputError
from amr_neo4j.explorer.overview import (
    Overview,
    Pictures,
    by_pictures,
    by_sizes,
    peaks,
    probes,
    rarity,
    scenes,
    unusual_colours,
)
from amr_neo4j.explorer.policy import novelty
from amr_neo4j.media.frames import thumbnails
from amr_neo4j.media.segment_cutter import SegmentCutter
from tests.support import films, red_walker

RNG = np.random.default_rng(3)


def still(seconds: int, level: float, noise: float = 0.5) -> Pictures:
    """Pictures of one scene; a level of its own for each place, and noise."""
    ground = level + np.linspace(-20, 20, 18 * 32 * 3).reshape(18, 32, 3)
    return np.clip(ground + RNG.normal(0, noise, (seconds, 18, 32, 3)), 0, 255).astype(np.uint8)


def with_thing(pictures: Pictures, at: int, seconds: int) -> Pictures:
    """A small thing that moves through, picture by picture."""
    changed = pictures.copy()
    for n in range(seconds):
        changed[at + n, 6:9, 3 * n : 3 * n + 3] = 255
    return changed


def test_what_moves_all_the_time_is_common_and_a_thing_that_passes_is_rare() -> None:
    """Leaves move more than a small thing before a wall: the thing is looked at first, the leaves hardly ever."""
    leaves, wall = still(200, 100, noise=40), with_thing(still(200, 200), 120, 4)
    found = rarity(np.concatenate([leaves, wall]))
    assert set(np.argsort(found)[-4:]) == {320, 321, 322, 323}
    assert np.median(found) < 0.2 and found[:200].max() < found[320:324].min()


@pytest.mark.parametrize("noise", [0.0, 0.5, 3.0, 20.0])
def test_nothing_stands_out_where_nothing_happens(noise: float) -> None:
    assert rarity(still(150, 120, noise)).max() < 0.5


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5])
def test_few_pictures_are_no_error(number: int) -> None:
    assert rarity(still(number, 100)).shape == (number,)
    assert len(peaks(by_pictures(still(number, 100)), max(0.5, number), 3)) <= 1


def test_a_scene_that_comes_back_is_the_same_one() -> None:
    assert scenes(np.concatenate([still(3, 60), still(2, 180), still(2, 60)])) == [0, 0, 0, 1, 1, 0, 0]


def test_what_looks_alike_comes_later_and_the_best_comes_first() -> None:
    interest, colours = [0.0] * 300, np.zeros((300, 64))
    for second, value, colour in ((20, 9.0, 1), (50, 8.0, 1), (80, 7.0, 1), (220, 5.0, 2)):
        interest[second] = value
        colours[second, colour] = 1000.0 * value
    found = peaks(Overview(interest, colours), 300.0, 4)
    holds = [next(second for second in (20, 50, 80, 220) if span.start_s < second < span.end_s) for span in found]
    assert holds == [20, 220, 50, 80]
    assert len(peaks(Overview(interest), 300.0, 2)) == 2


def test_a_thing_has_its_colours_wherever_it_passes() -> None:
    """A red thing passes twice, in different places, and a blue one once. What is always there has no colour."""
    pictures = still(60, 120)
    for second, (row, column), colour in (
        (10, (2, 3), (0, 0, 250)),
        (30, (12, 25), (0, 0, 250)),
        (50, (7, 9), (250, 0, 0)),
    ):
        pictures[second, row : row + 3, column : column + 3] = colour
    found = unusual_colours(pictures, scenes(pictures))
    red, again, blue = (found[second] / np.linalg.norm(found[second]) for second in (10, 30, 50))
    assert red @ again > 0.99 and red @ blue < 0.01
    assert not found[[0, 20, 40]].any()


@pytest.mark.parametrize("seconds", [3.0, 10.0, 47.3, 600.0])
def test_ranges_lie_in_the_video_and_hardly_overlap(seconds: float) -> None:
    """A law: whatever stands out, each range is in the video, and no two share more than a quarter."""
    found = peaks(Overview(RNG.random(int(seconds) + 1).tolist()), seconds, 100)
    assert found and all(span.start_s >= 0 and span.end_s <= seconds for span in found)
    assert all(one.shared(other) <= 2.5 for one in found for other in found if one is not other)


def test_without_pictures_the_seconds_that_change_most_are_taken() -> None:
    activity = [1.0] * 300
    activity[100], activity[101], activity[250] = 90.0, 80.0, 40.0
    first, second = peaks(by_sizes(activity), 300.0, 5)
    assert first.start_s < 100 < first.end_s and second.start_s < 250 < second.end_s
    assert peaks(by_sizes([1.0] * 300), 300.0, 5) == [] == peaks(by_sizes([]), 300.0, 5)


def test_probes_are_coarse_then_finer_and_never_the_same() -> None:
    found = probes(80.0, 7)
    assert [span.start_s for span in found[:3]] == [35.0, 15.0, 55.0]
    assert all(one.shared(other) <= 2.5 for one in found for other in found if one is not other)
    assert probes(4.0, 5) == [Span(0.0, 4.0)]


@pytest.mark.parametrize("seconds", [4.0, 40.0, 139.3, 1800.0])
def test_enough_probes_cover_the_whole_video(seconds: float) -> None:
    """A law: no second is out of reach, also at both ends."""
    found = probes(seconds, 1000)
    assert novelty(Span(0.0, seconds), found) < 0.001 and len(found) <= seconds / 10 * 2.5 + 1
    assert probes(seconds, 1000) == probes(seconds, len(found)), "it ends when all is covered"


def test_the_only_event_of_a_real_video_is_looked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its pictures, and by the sizes of the compressed ones where decoding would take too long."""
    cut = SegmentCutter(red_walker.film(tmp_path / "walk.mp4"), tmp_path / "work")
    for most in (3e10, 0.0):
        monkeypatch.setattr(exploring, "_DECODED_PIXELS", most)
        [first, *_] = peaks(exploring.overview_of(cut), cut.duration_s, 3)
        assert first.shared(Span(red_walker.COMES, red_walker.GOES)) > 3


def test_a_video_that_cannot_be_decoded_has_an_overview_too(tmp_path: Path) -> None:
    stump = films.stump(tmp_path / "stump.mp4", index_first=True)
    cut = SegmentCutter(stump, tmp_path / "work")
    assert len(exploring.overview_of(cut).interest) in range(6)


def test_thumbnails_of_a_long_video_are_further_apart(tmp_path: Path) -> None:
    path = films.make(tmp_path / "f.mp4", *films.source("color=c=gray:s=64x48:r=5:d=6"))
    pictures, step = thumbnails(path, 6.0)
    assert (len(pictures), step, pictures.shape[2:]) == (6, 1.0, (32, 3))
    assert len(thumbnails(path, 7200.0)[0]) == 3, "of two hours: each second one"
    sound = films.make(tmp_path / "sound.m4a", *films.source("sine=duration=1"))
    with pytest.raises(InputError, match="no video stream"):
        thumbnails(sound, 1.0)
