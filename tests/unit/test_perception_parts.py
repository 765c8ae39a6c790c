"""The parts of perception: boxes, spatial relations, colours, tracks, descriptions, the detector's arithmetic."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.perception.appearance import (
    COLOURS,
    TOO_SMALL,
    Look,
    colour_names,
    colours_of,
    likeness,
    look_of,
    main_colour,
)
from amr_neo4j.perception.background import Background, alike
from amr_neo4j.perception.detector import Detection, HogPeople, SsdLite, plausible
from amr_neo4j.perception.geometry import (
    Box,
    Facing,
    Size,
    edges,
    from_actor,
    gap,
    heading,
    neighbours,
    overlap,
    part_of_picture,
    relation,
)
from amr_neo4j.perception.person_registry import PersonRegistry
from amr_neo4j.perception.track import ColouredDetection, Track, Tracker

boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h),
    st.floats(0, 600), st.floats(0, 300), st.floats(1, 200), st.floats(1, 200),
)  # fmt: skip
SIZE = Size(640, 360)


def look(upper: str, lower: str) -> Look:
    """All of one colour above, all of another below."""
    return np.array([[float(name == colour) for name in COLOURS] for colour in (upper, lower)], np.float32)


def sighting(box: Box, colours: Look | None = None, label: str = "person", score: float = 0.9) -> ColouredDetection:
    return ColouredDetection(Detection(label, score, box), look("red", "blue") if colours is None else colours)


def track(number: int, start: float, end: float, colours: Look) -> Track:
    box = Box(0, 0, 50, 150)
    return Track(number, start, end, box, box, colours, votes=Counter(person=1), hits=9, steady=0.9)


# boxes


@given(boxes, boxes)
def test_overlap_is_symmetric_and_a_fraction(a: Box, b: Box) -> None:
    """Overlap is the same from either side, between 0 and 1, and 1 with itself."""
    assert overlap(a, b) == pytest.approx(overlap(b, a))
    assert 0 <= overlap(a, b) <= 1 + 1e-9
    assert overlap(a, a) == pytest.approx(1)


@given(boxes, boxes)
def test_overlapping_boxes_have_no_gap(a: Box, b: Box) -> None:
    """There is a gap if and only if nothing is shared, except if edges touch."""
    assert gap(a, b) == pytest.approx(gap(b, a))
    assert not (gap(a, b) > 0 and overlap(a, b) > 0)


# spatial relations


@given(boxes, boxes)
def test_left_mirrors_right_and_above_mirrors_below(a: Box, b: Box) -> None:
    """If a is left of b, b is right of a; likewise above and below."""
    mirror = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
    for there, back in mirror.items():
        if relation(a, b, "phone").endswith(there) and gap(a, b) > 0:
            assert relation(b, a, "phone").endswith(back)


@pytest.mark.parametrize(
    ("box", "other", "label", "words"),
    [
        (Box(100, 100, 120, 160), Box(60, 140, 300, 300), "table", "on top of"),
        (Box(100, 150, 120, 170), Box(60, 140, 300, 300), "sink", "inside"),
        (Box(100, 150, 120, 310), Box(60, 140, 300, 300), "car", "in front of"),
        (Box(100, 100, 120, 250), Box(60, 140, 300, 300), "car", "behind"),
        (Box(100, 100, 120, 160), Box(125, 100, 145, 160), "cup", "next to and left of"),
        (Box(100, 100, 120, 160), Box(200, 100, 220, 160), "cup", "left of"),
        (Box(100, 10, 120, 60), Box(100, 100, 120, 160), "clock", "above"),
    ],
)
def test_relations(box: Box, other: Box, label: str, words: str) -> None:
    assert relation(box, other, label) == words


def test_a_container_is_named_before_a_neighbour() -> None:
    cup = Box(100, 100, 120, 130)
    others = [("bottle", Box(125, 80, 140, 130)), ("table", Box(50, 110, 300, 250)), ("dog", Box(500, 200, 600, 300))]
    assert neighbours(cup, others) == [("on top of", "table"), ("next to and left of", "bottle")]


@pytest.mark.parametrize(
    ("facing", "sides"),
    [
        (Facing.TOWARDS, ("right", "left")),
        (Facing.AWAY, ("left", "right")),
        (Facing.LEFT, ("front", "behind")),
        (Facing.RIGHT, ("behind", "front")),
    ],
)
def test_sides_are_given_from_the_actor_s_view(facing: Facing, sides: tuple[str, str]) -> None:
    actor, left, right = Box(300, 100, 350, 250), Box(200, 200, 220, 230), Box(430, 200, 450, 230)
    assert (from_actor(actor, facing, left), from_actor(actor, facing, right)) == sides


def test_directions_of_movement() -> None:
    assert heading(50, 5, 100) is Facing.RIGHT
    assert heading(-5, 30, 100) is Facing.TOWARDS
    assert heading(0, -30, 100) is Facing.AWAY
    assert heading(3, 3, 100) is None


def test_parts_and_edges_of_the_picture() -> None:
    assert part_of_picture(Box(0, 0, 50, 50), SIZE) == "left"
    assert part_of_picture(Box(600, 0, 900, 50), SIZE) == "right"
    assert edges(Box(0, 100, 50, 359), SIZE) == ["left", "foreground"]
    assert edges(Box(300, 100, 350, 250), SIZE) == []


# colours and descriptions


@pytest.mark.parametrize(
    ("bgr", "name"),
    [
        ((20, 20, 20), "black"), ((250, 250, 250), "white"), ((120, 120, 120), "grey"), ((30, 30, 220), "red"),
        ((200, 60, 30), "blue"), ((60, 170, 60), "green"), ((30, 220, 230), "yellow"), ((40, 70, 110), "brown"),
    ],
)  # fmt: skip
def test_plain_colours_have_names(bgr: tuple[int, int, int], name: str) -> None:
    picture = np.full((200, 100, 3), bgr, np.uint8)
    assert colour_names(look_of(picture, Box(10, 10, 90, 190))) == (name, name)


def test_small_horizontal_and_truncated_people_have_no_colours() -> None:
    picture = np.full((200, 300, 3), 20, np.uint8)
    assert colour_names(look_of(picture, Box(0, 0, 20, TOO_SMALL - 1))) == ("", "")
    assert colour_names(look_of(picture, Box(0, 0, 300, 150))) == ("", "")
    assert colour_names(look_of(picture, Box(0, 50, 80, 200))) == ("black", "")


@pytest.mark.parametrize(("share", "reported"), [(1.0, "red"), (0.7, "red"), (0.6, ""), (0.4, "")])
def test_a_thing_has_a_colour_only_where_one_stands_out(share: float, reported: str) -> None:
    """Red above blue: what is in its box around it does not count, and no colour is reported where two are close."""
    picture = np.full((200, 200, 3), (0, 255, 0), np.uint8)
    box = Box(50, 50, 150, 150)
    picture[75:125, 75:125] = (255, 0, 0)
    picture[75 : 75 + round(50 * share), 75:125] = (0, 0, 255)
    assert main_colour(colours_of(picture, box)) == reported
    assert main_colour(colours_of(picture, Box(70, 70, 80, 80))) == "", "too small"
    picture[:] = 128
    assert main_colour(colours_of(picture, box)) == "", "what shines or is transparent looks grey"


def test_a_description_is_kept_for_the_track_and_the_appearance() -> None:
    cast = PersonRegistry(ENGLISH)
    first, beside, later = (track(n, *when, look("red", "blue")) for n, when in enumerate([(0, 9), (5, 9), (20, 30)]))
    assert cast.describe(first) == "person in a red top and blue trousers"
    assert cast.describe(beside) == "person in a red top and blue trousers"
    assert (cast.member(first).number, cast.member(beside).number) == (1, 2)
    cast.forget(15.0)
    assert cast.member(later).number == 3  # the look tells nobody apart
    later.look[:] = look("green", "green")
    assert cast.describe(later) == "person in a red top and blue trousers"


def test_a_look_that_nobody_shares_is_the_same_person_later() -> None:
    cast = PersonRegistry(ENGLISH)
    first, later = (track(n, *when, look("red", "blue")) for n, when in enumerate([(0, 9), (20, 30)]))
    assert cast.member(first) is cast.member(later)


def test_body_halves_that_were_never_seen_do_not_lower_the_similarity() -> None:
    half = look("red", "blue")
    half[1] = 0
    assert likeness(half, look("red", "black")) == 1.0
    assert likeness(look("red", "blue"), look("red", "black")) == 0.5


# tracks


def test_people_who_cross_keep_their_tracks() -> None:
    tracker = Tracker()
    for step in range(21):
        right, left = Box(20 * step, 100, 20 * step + 50, 250), Box(400 - 20 * step, 105, 450 - 20 * step, 255)
        tracker.step(step / 5, [sighting(right, look("red", "blue")), sighting(left, look("green", "black"))])
    assert len(tracker.tracks) == 2
    ends = {colour_names(each.look)[0]: each.box.left for each in tracker.tracks}
    assert ends == {"red": 400, "green": 0}


@given(st.permutations(range(4)), st.integers(0, 3))
def test_the_order_of_detections_does_not_matter(order: list[int], missed: int) -> None:
    """The same boxes give the same tracks in any order."""
    tracker = Tracker()
    for step in range(6):
        seen = [
            sighting(Box(150 * n, 100 + step, 150 * n + 50, 250 + step)) for n in order if (n, step) != (missed, 3)
        ]
        tracker.step(step / 5, seen)
    assert sorted((each.box.left, each.hits) for each in tracker.tracks) == [
        (150.0 * n, 5 if n == missed else 6) for n in range(4)
    ]


def test_a_weak_detection_continues_a_track_but_starts_none() -> None:
    tracker, box = Tracker(), Box(100, 100, 150, 250)
    tracker.step(0.0, [sighting(box, score=0.3)])
    assert tracker.tracks == []
    tracker.step(0.2, [sighting(box)])
    tracker.step(0.4, [sighting(box, score=0.3)])
    assert tracker.tracks[0].last_t == 0.4


def test_a_track_keeps_its_class_when_the_detector_wavers() -> None:
    tracker, box = Tracker(), Box(100, 100, 130, 200)
    for step, label in enumerate(["bottle", "vase", "bottle", "bottle"]):
        tracker.step(step / 5, [sighting(box, label=label)])
    assert [each.label for each in tracker.tracks] == ["bottle"]


# the picture


def test_noise_is_no_change_and_a_change_is_found_once() -> None:
    rng = np.random.default_rng(3)
    wall = rng.integers(100, 180, (60, 60, 3), np.uint8)
    noisy = np.clip(wall.astype(int) + rng.integers(-6, 7, wall.shape), 0, 255).astype(np.uint8)
    other = wall.copy()
    other[20:, 20:] = 10
    assert alike(wall, noisy)
    assert not alike(wall, other)


def test_a_shifted_patch_is_found() -> None:
    picture = np.random.default_rng(5).integers(0, 255, (180, 320, 3), np.uint8)
    stage = Background()
    stage.show(0.0, picture)
    patch = stage.patch(Box(100, 60, 130, 100))
    stage.show(0.2, np.roll(picture, 4, axis=1))
    assert stage.find(Box(100, 60, 130, 100), patch) == Box(104, 60, 134, 100)
    stage.show(0.4, np.full_like(picture, 90))
    assert stage.find(Box(100, 60, 130, 100), patch) is None


# detectors


def person_at(left: float, width: float) -> Detection:
    return Detection("person", 0.8, Box(left, 100, left + width, 200))


def test_a_person_as_wide_as_the_scene_is_a_false_detection() -> None:
    crowd = [person_at(50.0 * n, 20) for n in range(4)]
    assert plausible([*crowd, person_at(0, 400)], SIZE) == crowd
    close = [person_at(0, 300), person_at(320, 280)]
    assert plausible(close, SIZE) == close
    kite = Detection("kite", 0.9, Box(0, 0, 400, 300))
    assert plausible([kite, *close], SIZE) == close


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A network with constant output: a person, the same person less certain, and an unnamed class."""
    offsets = np.array([[[0, 0, 0, 0], [0.1, 0.1, 0, 0], [0, 0, 0, 0]]], np.float32)
    scores = np.zeros((1, 3, 91), np.float32)
    scores[0, 0, 1], scores[0, 1, 1], scores[0, 2, 12] = 0.9, 0.6, 0.9
    nodes = [helper.make_node("Identity", [name + "_"], [name]) for name in ("boxes", "scores")]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("boxes", "scores")]
    image = helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 300, 300, 3])
    constants = [numpy_helper.from_array(offsets, "boxes_"), numpy_helper.from_array(scores, "scores_")]
    graph = helper.make_graph(nodes, "fixed", [image], outputs, constants)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), tmp_path / "model.onnx"
    )
    np.save(tmp_path / "anchors.npy", np.array([[0.3, 0.2, 0.6, 0.4]] * 3, np.float32))
    return tmp_path


@pytest.mark.parametrize(("width", "height", "shown"), [(640, 480, (640, 480)), (640, 360, (640, 533))])
def test_boxes_are_returned_in_pixels_of_the_picture(
    model: Path, width: int, height: int, shown: tuple[int, int]
) -> None:
    """They are also if a wide picture is shown to the network with grey below it."""
    (found,) = SsdLite(model)(np.zeros((height, width, 3), np.uint8))
    assert (found.label, found.score) == ("person", pytest.approx(0.9))
    expected = (0.2 * shown[0], 0.3 * shown[1], 0.4 * shown[0], min(0.6 * shown[1], height))
    assert found.box == pytest.approx(expected, abs=0.01)


def test_hog_finds_nobody_on_a_wall_and_names_itself() -> None:
    hog = HogPeople()
    assert hog(np.full((360, 640, 3), 127, np.uint8)) == []
    assert hog(np.zeros((48, 48, 3), np.uint8)) == []
    assert "HOG" in hog.note and "amr models install" in hog.note
