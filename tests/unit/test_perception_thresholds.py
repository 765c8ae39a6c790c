"""How surely a thing must be seen before it is named, and what is said of how sure that is."""

from __future__ import annotations

import pytest

from amr_neo4j.perception.classes import LABELS, Setting, table, thresholds
from tests.support.perception_film import Actor, Film, events, resting, walking


def dog(score: float, seen=lambda _t: True) -> Film:  # type: ignore[no-untyped-def]
    return Film([Actor("dog", resting(300, 300, width=150, height=100), "black", "black", score, seen)])


def test_a_thing_seen_surely_is_named_and_one_in_doubt_is_said_so() -> None:
    (sure,), (doubtful,) = events(dog(0.9)), events(dog(0.7))
    assert sure.summary == "There is a black dog in the middle, as seen by the camera."
    assert doubtful.summary == "There is perhaps a black dog (.70) in the middle, as seen by the camera."
    assert [thing.confidence for thing in (*sure.objects, *doubtful.objects)] == [0.9, 0.7]


def test_below_its_threshold_a_thing_does_not_exist() -> None:
    assert events(dog(0.55)) == []
    assert events(dog(0.9, lambda t: round(5 * t) % 3 == 0)) == []


def test_an_event_has_the_boxes_of_those_it_is_about() -> None:
    (event,) = events(dog(0.9))
    (box,) = event.boxes
    assert (box.name, box.confidence) == ("dog", 0.9)
    assert event.time_start <= box.time <= event.time_end
    edges = (box.left, box.top, box.right, box.bottom)
    assert edges == pytest.approx((225 / 640, 200 / 360, 375 / 640, 300 / 360), abs=0.01)


def test_a_class_that_the_scene_makes_unlikely_needs_more() -> None:
    setting = Setting()
    setting.see([("horse", 0.9)] * 2)
    assert setting.handicap("horse") == 0
    for _ in range(20):
        setting.see([("table", 0.9), ("cup", 0.7)])
    assert setting.handicap("horse") == table().unlikely.more
    assert setting.handicap("cup") == setting.handicap("person") == 0


def test_a_horse_at_the_table_is_doubted() -> None:
    table_there = Actor("table", resting(450, 340, width=300, height=120), "white", "white")
    cup = Actor("cup", resting(430, 230, width=40, height=50), "blue", "blue")
    horse = Actor("horse", walking(5.0, 100, 0.0), "black", "black", 0.95)
    (_, appears) = events(Film([table_there, cup, horse], 10))
    assert appears.summary.startswith("Perhaps a black horse (.80) is there")


def test_the_thresholds_are_of_known_classes_and_in_order() -> None:
    known = set(LABELS.values())
    assert set(table().classes) <= known
    assert set().union(*table().settings.values()) <= known
    for label in known:
        limits = thresholds(label)
        assert limits.perhaps < limits.sure
