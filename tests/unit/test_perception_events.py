"""Events from drawn films: each is reported when it is visible, and none beyond."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.video import Clip
from tests.support.examples import examples
from tests.support.perception_film import Actor, Film, at, events, resting, verbs, walking, watch

BOTTLE = {"label": "bottle", "upper": "green", "lower": "green"}


def person(course, **more) -> Actor:  # type: ignore[no-untyped-def]
    return Actor("person", course, **more)


def test_somebody_enters_and_stops() -> None:
    (found, stays) = events(Film([person(walking(1.0, -10, 120, until=4.0))]))
    assert found.summary == (
        "A person in a red top and blue trousers enters from the left and stops in the middle, as seen by the camera."
    )
    assert found.time_start == pytest.approx(1.4, abs=0.5)
    assert found.actions[0].verb == "enter"
    assert found.actions[0].spatial_relation == "from the left, as seen by the camera"
    assert stays.summary.startswith("A person in a red top and blue trousers stays in the middle")
    assert stays.time_end == pytest.approx(9.8, abs=0.3)


@pytest.mark.soak
def test_a_long_stay_is_reported_once_a_minute() -> None:
    stays = [
        each for each in events(Film([person(walking(1.0, -10, 120, until=4.0))], 130)) if " stays" in each.summary
    ]
    assert [round(each.time_start / 60) for each in stays] == [0, 1, 2]


def test_somebody_leaves() -> None:
    film = Film([person(walking(0.0, 320, 100))])
    assert verbs(film) == ["leave"]
    assert events(film)[-1].summary.endswith("leaves to the right, as seen by the camera.")


def test_a_brief_detection_is_ignored() -> None:
    film = Film([person(walking(4.0, 320, 0), seen=lambda t: 4.9 < t < 5.1)])
    (clip,) = watch(film)
    assert clip.analysis.events == ()
    assert clip.analysis.clip_summary == "Nothing happens, and nobody and nothing that the detector knows is in view."


def test_an_object_present_from_the_start_is_reported_once() -> None:
    film = Film(
        [Actor("bicycle", resting(500, 300, width=120, height=80)), Actor(**BOTTLE, course=resting(100, 300))], 20
    )
    (scene,) = events(film)
    assert scene.summary == "There is a bicycle on the right and a green bottle on the left, as seen by the camera."
    assert {thing.name for thing in scene.objects} == {"bicycle", "bottle"}
    assert (scene.time_start, scene.actions) == (0.0, ())


def test_a_person_picks_up_a_bottle_and_puts_it_down() -> None:
    walk = walking(1.0, -10, 120, until=3.0)

    def carried(t: float):  # type: ignore[no-untyped-def]
        if t < 5.0:
            return at(260, 260, 30, 60)
        return at(260 + min(40 * (t - 5.0), 120), 230 if t < 8.0 else 260, 30, 60)

    def follows(t: float):  # type: ignore[no-untyped-def]
        return walk(t) if t < 5.0 else at(230 + min(40 * (t - 5.0), 120), 330)

    film = Film([Actor(**BOTTLE, course=carried), person(follows)], 12)
    handling = [
        event for event in events(film) if event.objects and event.actions and event.actions[0].verb != "approach"
    ]
    assert [event.actions[0].verb for event in handling if "stay" not in event.actions[0].verb] == [
        "pick up",
        "put down",
    ]
    took = next(event for event in handling if event.actions[0].verb == "pick up")
    assert took.time_start == pytest.approx(5.0, abs=1.0)
    assert took.summary.startswith("A person in a red top and blue trousers picks up the green bottle")
    assert took.actors == (took.actions[0].actor,)


def test_an_object_is_taken_and_returned() -> None:
    def reach(t: float):  # type: ignore[no-untyped-def]
        for moment in (4.0, 12.0):
            if abs(t - moment) < 1.0:
                return at(320, 120 + 150 * (1 - abs(t - moment)), 40, 90)
        return None

    hand = Actor("person", reach, "skin", "skin", seen=lambda _t: False)
    bottle = Actor(**BOTTLE, course=resting(320, 330, (-1, 4.0), (12.0, 99), height=100))
    film = Film([bottle, hand], 20)
    took, put = events(film)[1:]
    assert took.summary.startswith("A hand picks up the green bottle in the middle")
    assert put.summary.startswith("A hand puts down a green bottle in the middle")
    assert (took.time_start, put.time_start) == (pytest.approx(4.0, abs=1.0), pytest.approx(12.5, abs=1.0))
    assert took.actions[0].spatial_relation.endswith("as seen by the camera")


def test_a_returned_object_is_recognised_by_its_pixels() -> None:
    def reach(t: float):  # type: ignore[no-untyped-def]
        for moment in (4.0, 12.0):
            if abs(t - moment) < 1.0:
                return at(320, 120 + 150 * (1 - abs(t - moment)), 40, 90)
        return None

    hand = Actor("person", reach, "skin", "skin", seen=lambda _t: False)
    course = resting(320, 330, (-1, 4.0), (12.0, 99), height=100)
    bottle = Actor(**BOTTLE, course=course, seen=lambda t: t < 10.0)
    bottle.lower = "black"
    assert verbs(Film([bottle, hand], 20)) == ["pick up", "put down"]


def test_an_object_hidden_by_a_passer_by_has_not_disappeared() -> None:
    film = Film([Actor(**BOTTLE, course=resting(320, 300)), person(walking(2.0, -10, 90))], 12)
    assert verbs(film) == ["enter", "leave"]


def test_an_object_missed_by_the_detector_for_a_while_has_not_disappeared() -> None:
    bottle = Actor(**BOTTLE, course=resting(320, 300), seen=lambda t: not 3.0 < t < 8.0)
    assert verbs(Film([bottle])) == []


def test_an_object_that_vanishes_with_nobody_near_has_disappeared() -> None:
    film = Film([Actor(**BOTTLE, course=resting(320, 300, (-1, 5.0)))])
    assert [event.summary for event in events(film)][1:] == [
        "The green bottle is gone in the middle, as seen by the camera."
    ]


def test_an_object_that_arrives_with_nobody_near_appears() -> None:
    film = Film([Actor(**BOTTLE, course=resting(320, 300, (5.0, 99)))])
    (found,) = events(film)
    assert found.actions[0].verb == "appear"
    assert found.time_start == pytest.approx(5.0, abs=1.0)


def test_an_object_detected_late_was_there_from_the_start() -> None:
    film = Film([Actor(**BOTTLE, course=resting(320, 300), seen=lambda t: t > 6.0)])
    assert verbs(film) == []
    (scene,) = events(film)
    assert scene.summary == "There is a green bottle in the middle, as seen by the camera."


def test_an_object_uncovered_by_a_person_was_not_put_down() -> None:
    """The bottle is drawn behind the person and seen only when they are gone."""
    goes = walking(0.0, 320, 0.0)
    film = Film(
        [
            Actor(**BOTTLE, course=resting(320, 300)),
            person(lambda t: goes(t) if t < 6 else at(320 + 120 * (t - 6), 330)),
        ],
        14,
    )
    assert "put down" not in verbs(film)
    assert "appear" not in verbs(film)


def test_nothing_is_reported_of_objects_while_the_camera_moves() -> None:
    pan = lambda t: -40 * t if 3.0 < t < 7.0 else (-120 if t <= 3.0 else -280)  # noqa: E731
    moves = lambda t: at(500 + pan(t) + 120, 300, 30, 60)  # noqa: E731
    film = Film([Actor(**BOTTLE, course=moves)], slide=lambda t: round(pan(t)))
    assert verbs(film) == []


def test_a_chair_is_approached_and_stayed_beside() -> None:
    chair = Actor("chair", resting(420, 335, width=70, height=100), "black", "black")
    film = Film([chair, person(walking(1.0, -10, 120, until=3.9))])
    found = {event.actions[0].verb: event for event in events(film) if event.actions}
    assert list(found) == ["enter", "approach", "stay beside"]
    assert (
        found["stay beside"].summary
        == "A person in a red top and blue trousers stays beside the chair in front of them."
    )
    assert found["stay beside"].actions[0].object == "chair"


def test_a_cut_begins_a_new_scene_and_ends_nothing() -> None:
    before = person(walking(0.0, 320, 0.0), upper="green")
    film = Film(
        [
            Actor("person", lambda t: before.course(t) if t < 5 else None, "green"),
            Actor("dog", resting(100, 300, (5, 99), width=80)),
        ],
        cuts=[5.0],
    )
    assert verbs(film) == []
    assert [event.time_start for event in events(film) if event.summary.startswith("There ")] == [0.0, 5.0]


def test_two_who_look_alike_are_two_people_and_nobody_is_named_by_number() -> None:
    first, second = walking(0.0, 150, 0.0), walking(0.0, 450, 0.0)
    back = walking(14.0, -10, 120)
    film = Film(
        [
            person(lambda t: first(t) if t < 5 else at(150 - 120 * (t - 5), 330) if t < 7 else None),
            person(second),
            person(back),
        ],
        20,
    )
    found = [event.summary for event in events(film)]
    assert found[0].startswith("There are two people in a red top and blue trousers on the left and on the right")
    came = next(summary for summary in found if "enters" in summary)
    assert came.startswith("A person in a red top and blue trousers enters")


def test_a_person_crossing_the_picture_moves() -> None:
    film = Film([person(walking(-1.0, 40, 30))])
    (action,) = [action for event in events(film) for action in event.actions]
    assert (action.verb, action.spatial_relation) == ("move", "from the left to the middle, as seen by the camera")


def test_a_car_travels_by_itself() -> None:
    drives = lambda t: at(-50 + 100 * (t - 1), 300, 140, 80) if 1 <= t < 8.5 else None  # noqa: E731
    film = Film([Actor("car", drives, "white", "black")], 12)
    assert [(action.verb, action.object) for event in events(film) for action in event.actions] == [
        ("cross", "car"),
    ]


def test_a_carried_object_is_reported() -> None:
    walk = walking(1.0, -10, 60)
    bag = Actor(
        "suitcase", lambda t: box.shifted(0, 0) and at(box.centre[0], 300, 40, 60) if (box := walk(t)) else None
    )
    film = Film([person(walk), bag])
    assert any(
        event.summary == "A person in a red top and blue trousers has a suitcase with them." for event in events(film)
    )


def test_subtitles_become_turns_with_speakers() -> None:
    said = [
        SpeakerTurn(speaker_id="Anna", utterance="Where are my keys?", time_start=1.0, time_end=2.0),
        SpeakerTurn(utterance="On the table.", time_start=9.0, time_end=11.0),
    ]
    (clip,) = watch(Film([]), said=said)
    assert [(turn.speaker_id, turn.time_end) for turn in clip.analysis.speaker_turns] == [("S1", 2.0), ("", 10.0)]
    assert [(each.local_character_id, each.name_or_description) for each in clip.analysis.characters] == [
        ("S1", "Anna")
    ]
    assert clip.analysis.clip_summary.endswith("Anna and somebody else speak.")


LEFT, RIGHT = Actor("person", resting(200, 330)), Actor("person", resting(500, 330, (5.0, 10.0)), "green")


@pytest.mark.parametrize(
    ("actors", "lines", "in_view"),
    [
        ([LEFT], [("Anna", 2.0), ("Anna", 6.0)], ["C1", "C1"]),
        ([LEFT, RIGHT], [("Anna", 2.0), ("Anna", 7.0)], ["C1", ""]),
        ([LEFT], [("Anna", 2.0), ("Ben", 6.0)], ["", ""]),
        ([LEFT], [("", 2.0)], [""]),
        ([], [("Anna", 2.0)], [""]),
    ],
    ids=["one alone", "then another comes", "two voices", "a voice that cannot be told", "nobody"],
)
def test_who_alone_is_in_view_may_be_the_speaker(
    actors: list[Actor], lines: list[tuple[str, float]], in_view: list[str]
) -> None:
    said = [SpeakerTurn(speaker_id=who, utterance="Hello.", time_start=at, time_end=at + 1) for who, at in lines]
    (clip,) = watch(Film(actors), said=said)
    assert [turn.in_view for turn in clip.analysis.speaker_turns] == in_view


movers = st.builds(
    lambda label, start, x, speed, stop, y: Actor(label, walking(start, x, speed, start + stop, y)),
    st.sampled_from(["person", "car", "dog", "bottle", "chair"]),
    st.floats(0, 9),
    st.floats(-20, 660),
    st.floats(-200, 200),
    st.floats(0, 10),
    st.floats(200, 360),
)


@examples(push=5, soak=100)
@given(st.lists(movers, max_size=5), st.lists(st.floats(0.5, 11.5), max_size=1))
def test_the_analysis_of_any_film_is_valid(actors: list[Actor], cuts: list[float]) -> None:
    """Events lie within their clip and in order, every id in them is a character's, every action has a summary."""
    for clip in watch(Film(actors, 12, cuts)):
        known = {character.local_character_id for character in clip.analysis.characters}
        starts = [event.time_start for event in clip.analysis.events]
        assert starts == sorted(starts)
        assert clip.analysis.clip_summary.endswith(".")
        for event in clip.analysis.events:
            assert clip.clip.t_start <= event.time_start <= event.time_end <= clip.clip.t_end
            assert known.issuperset(event.actors)
            assert all(action.actor in {"", *event.actors} for action in event.actions)
            assert event.summary[0].isupper() and event.summary.endswith(".")


def test_the_people_of_a_film_do_not_depend_on_its_clips() -> None:
    film = Film([person(walking(2.0, -10, 40)), person(walking(12.0, 650, -60), upper="green")], 20)
    whole = {
        each.name_or_description
        for clip in watch(film, clips=[Clip("all", 0, 20)])
        for each in clip.analysis.characters
    }
    parts = {each.name_or_description for clip in watch(film) for each in clip.analysis.characters}
    assert whole == parts == {"person in a red top and blue trousers", "person in a green top and blue trousers"}
