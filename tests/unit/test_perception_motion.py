"""What moves without a class, and what is so of the picture as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from amr_neo4j.domain.footage import Image
from amr_neo4j.perception.background import PictureState, PictureWatch
from tests.support.perception_film import Actor, Course, Film, at, events, resting, verbs, walking, watch


def unseen(course: Course, colour: str = "red") -> Actor:
    """Drawn, and never detected."""
    return Actor("car", course, colour, colour, seen=lambda _t: False)


def driving(start: float, x: float, speed: float, until: float = 99.0) -> Course:
    walk = walking(start, x, speed, until, y=250)
    return lambda t: at(box.centre[0], 250, 80, 50) if (box := walk(t)) else None


@dataclass
class Graded(Film):
    """light: what the picture's levels are multiplied by at t."""

    light: Callable[[float], float] = lambda _t: 1.0

    def draw(self, t: float) -> Image:
        return np.clip(super().draw(t) * self.light(t), 0, 255).astype(np.uint8)


def test_what_has_no_class_crosses() -> None:
    (event,) = events(Film([unseen(driving(2.0, -60, 150))]))
    assert event.summary == "Something red crosses from the left to the right, as seen by the camera."
    assert [(each.name, each.confidence) for each in event.objects] == [("something red", None)]
    assert [action.verb for action in event.actions] == ["cross"]
    assert 1.5 < event.time_start < 3.2 < event.time_end
    assert len(event.boxes) == 1 and event.actors == ()


def test_what_crosses_two_clips_comes_in_one_and_leaves_in_the_next() -> None:
    assert verbs(Film([unseen(driving(7.0, -60, 120))], 20)) == ["enter", "exit"]


def test_what_the_detector_knows_is_not_reported_twice() -> None:
    assert verbs(Film([Actor("person", walking(2.0, -10, 120))])) == ["cross"]


def test_two_who_come_together_are_one_event() -> None:
    pair = [Actor("person", walking(start, -10, 60), upper) for start, upper in ((2.0, "red"), (2.8, "green"))]
    (comes, *_) = events(Film(pair, 8))
    assert comes.summary == (
        "Two people enter: a person in a red top and blue trousers from the left and a person in a green top and "
        "blue trousers from the left, as seen by the camera."
    )
    assert len(comes.actors) == len(comes.actions) == 2


def test_a_picture_of_several_shows_them_at_one_moment() -> None:
    """Also where the first has left the picture before the middle of what both do."""
    pair = [Actor("person", walking(start, -80, 300), upper) for start, upper in ((2.0, "red"), (3.4, "green"))]
    (both,) = events(Film(pair, 10))
    first, second = both.boxes
    assert first.name != second.name and first.time == second.time
    assert both.time_start <= first.time <= both.time_end


def test_people_who_look_alike_have_ids_of_their_own_and_one_description() -> None:
    (clip,) = watch(Film([Actor("person", walking(start, -10, 60)) for start in (1.0, 3.5)], 8))
    (first, second) = clip.analysis.characters
    assert first.name_or_description == second.name_or_description
    assert (first.person_id, second.person_id[-2:]) == ("", "_2")


def test_what_goes_to_and_fro_is_no_event() -> None:
    leaf: Course = lambda t: at(300 + 25 * np.sin(7 * t), 200 + 15 * np.cos(9 * t), 40, 40)  # noqa: E731
    assert events(Film([unseen(leaf, "green")])) == []


def test_a_thing_that_moves_by_itself_has_its_class() -> None:
    belt = Actor("bottle", driving(1.0, -60, 100), "green", "green", 0.7)
    reported = [event.summary for event in events(Film([belt], 10))]
    assert "A green bottle crosses from the left to the right, as seen by the camera." in reported


def test_a_dark_stretch_is_reported_and_nothing_in_it() -> None:
    film = Graded([unseen(driving(3.0, -60, 150))], light=lambda t: 0.03 if 2 <= t < 8 else 1.0)
    (dark,) = events(film)
    assert dark.summary == "The picture is too dark to see what happens."
    assert (dark.time_start, dark.objects, dark.actions) == (2.0, (), ())
    assert 7.5 < dark.time_end < 8.2


def test_a_dark_stretch_is_reported_in_each_clip_that_it_goes_on_in() -> None:
    reported = events(Graded([], 30.0, light=lambda t: 0.03 if 6 <= t < 24 else 1.0))
    assert {event.summary for event in reported} == {"The picture is too dark to see what happens."}
    assert [event.time_start for event in reported] == pytest.approx([6, 10, 20], abs=0.3)
    assert [event.time_end for event in reported] == pytest.approx([10, 20, 24], abs=0.3)


def test_an_over_exposed_stretch_is_reported() -> None:
    (bright,) = events(Graded([], light=lambda t: 4.0 if 2 <= t < 8 else 1.0))
    assert "over-exposed" in bright.summary


def test_a_movement_of_the_camera_is_reported_and_things_do_not_move() -> None:
    pan = lambda t: round(-40 * min(max(t - 3.0, 0.0), 4.0))  # noqa: E731
    film = Film([unseen(resting(400, 300, width=60))], slide=pan)
    film.actors[0].course = lambda t: at(400 + pan(t), 300, 60, 60)
    (moved,) = events(film)
    assert moved.summary == "The camera moves."
    assert 2.8 < moved.time_start < 3.8


def test_a_light_that_goes_out_is_no_cut() -> None:
    film = Graded([], cuts=[2.0], light=lambda t: 0.03 if 2 <= t < 8 else 1.0)
    assert [event.summary for event in events(film)] == ["The picture is too dark to see what happens."]


def test_a_cut_is_reported() -> None:
    reported = events(Film([], cuts=[5.0]))
    assert [(event.summary, event.time_start) for event in reported] == [("The picture cuts to another view.", 5.0)]


def test_any_change_of_a_low_picture_can_be_compared() -> None:
    watch, rng = PictureWatch(), np.random.default_rng(4)
    for n in range(12):
        watch.see(n / 5, rng.integers(0, 255, (90, 640, 3), np.uint8))
    moving = rng.integers(0, 255, (90, 640, 3), np.uint8)
    for n in range(12):
        watch.see(3 + n / 5, np.roll(moving, 40 * n, axis=1))
    assert all(stretch.state is PictureState.CAMERA for stretch in watch.stretches)
