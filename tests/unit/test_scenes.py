"""Scenes of a stretch of a video are those of the whole video there, and cut it where it changes."""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.scene import LEVELS, MARGIN_SEC, TOP, Scene, SceneEvent, cells_around
from amr_neo4j.ingest.scenes import form_scenes
from amr_neo4j.language.languages import language
from tests.support.examples import examples

ENGLISH = language("en")


def day(seed: int, events: int = 250) -> list[SceneEvent]:
    """Events with pauses, some at the same moment, some long; who and what is there changes now and then."""
    random, found, now = Random(seed), list[SceneEvent](), 0.0
    people, things, vector = ("anna",), ("cup",), np.ones(4, np.float32)
    for number in range(events):
        now += random.choice([0.0, 1.0, 2.0, 3.0, 8.0, 8.0, 20.0, 70.0 if random.random() < 0.1 else 5.0])
        now += 900.0 if random.random() < 0.01 else 0.0
        if random.random() < 0.05:
            people = tuple(random.sample(["anna", "ben", "ida"], random.randint(0, 2)))
            things = tuple(random.sample(["cup", "door", "brush"], random.randint(0, 2)))
            vector = np.array([random.random() for _ in range(4)], np.float32)
        noise = np.array([random.random() for _ in range(4)], np.float32)
        end = now + random.choice([0.0, 1.0, 4.0, 100.0])
        found.append(SceneEvent(number, now, end, f"at {number}", (), things, "", people, vector + 0.3 * noise))
    return found


def scenes_of(events: list[SceneEvent], **stretch: float) -> list[Scene]:
    return form_scenes(events, language=ENGLISH, **({"since": -inf} | stretch))[0]


def of_level(scenes: list[Scene], level: int) -> list[Scene]:
    return [scene for scene in scenes if scene.level == level]


@examples(push=8, soak=500)
@given(seed=st.integers(0, 10**6))
def test_each_event_is_in_one_scene_of_each_level_and_levels_nest(seed: int) -> None:
    events = day(seed, 150)
    scenes = scenes_of(events)
    starts = [{scene.t_start for scene in of_level(scenes, level)} for level in range(len(LEVELS))]
    for level in range(len(LEVELS)):
        assert [i for scene in of_level(scenes, level) for i in scene.node_ids] == [event.node_id for event in events]
        assert level == 0 or starts[level] <= starts[level - 1]
    # At most a cell before the cut, and one after it.
    assert all(scene.t_end - scene.t_start <= 2 * LEVELS[scene.level].cell_sec + 100.0 for scene in scenes)


@examples(push=8, soak=500)
@given(seed=st.integers(0, 10**6))
def test_the_scenes_of_a_stretch_are_those_of_the_whole(seed: int) -> None:
    """Of a stretch between two scenes, read with its margin."""
    events = day(seed)
    whole = scenes_of(events)
    tops = [scene.t_start for scene in of_level(whole, TOP)]
    since, until = sorted(Random(seed).sample(tops, 2))
    read = [e for e in events if since - MARGIN_SEC <= e.time_start <= until + MARGIN_SEC]
    assert scenes_of(read, since=since, until=until) == [s for s in whole if since <= s.t_start < until]


@examples(push=8, soak=500)
@given(seed=st.integers(0, 10**6))
def test_events_that_change_are_felt_only_near_them(seed: int) -> None:
    """Outside of the cells around a stretch whose events go, every cut stays."""
    events, random = day(seed), Random(seed)
    first = random.randrange(len(events))
    gone = events[first : first + random.randint(1, 30)]
    low, high = cells_around(gone[0].time_start, max(event.time_end for event in gone))
    before, after = scenes_of(events), scenes_of([event for event in events if event not in gone])
    for outside in (lambda t: t < low, lambda t: t >= high):
        cuts = [{(s.level, s.t_start) for s in scenes if outside(s.t_start)} for scenes in (before, after)]
        # The first event of a video always begins a scene.
        odd = cuts[0] ^ cuts[1]
        assert all(t in (events[0].time_start, min(e.time_start for e in events if e not in gone)) for _, t in odd)


@examples(push=8, soak=500)
@given(seed=st.integers(0, 10**6))
def test_of_a_part_only_complete_scenes_are_returned(seed: int) -> None:
    events = day(seed)
    whole = scenes_of(events)
    some = events[: Random(seed).randint(1, len(events))]
    scenes, until = form_scenes(some, since=-inf, read_to=some[-1].time_start, language=ENGLISH)
    assert scenes == [scene for scene in whole if scene.t_start < until]


def test_a_scene_ends_where_people_and_things_change() -> None:
    """Ten minutes: Anna cooks, then Ben and Ida play cards. The cut of the cell is at the change."""
    cooking = [
        SceneEvent(n, 4.0 * n, 4.0 * n + 3, "I stir the soup.", (), ("pot",), "", ("anna",)) for n in range(57)
    ]
    cards = [
        SceneEvent(n, 4.0 * n, 4.0 * n + 3, "Ben plays a card.", ("Ida: mine",), ("card",), "", ("ben", "ida"))
        for n in range(57, 140)
    ]
    scenes = scenes_of([*cooking, *cards])
    assert 57 * 4.0 in {scene.t_start for scene in of_level(scenes, TOP)}
    first = of_level(scenes, TOP)[0]
    assert [who[0] for who in first.present] == ["anna"] and "stir" in first.topics and "pot" in first.topics
    assert first.summary_text == "I stir the soup."


@pytest.mark.parametrize("number", [0, 1])
def test_few_events(number: int) -> None:
    scenes = scenes_of(day(1, number))
    assert [scene.level for scene in scenes] == [0, 1][: 2 * number]
