"""Frigate's events, review items and updates, in the forms of 0.14 to 0.18, as clip analyses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.cli.main import main
from amr_neo4j.domain.analysis import ClipLine
from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.tracked import TrackedItem
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.amending import KnownItems
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.frigate import UnreadableEntry, folded, is_frigate, line_of, read
from amr_neo4j.ingest.json_lines import analysed_clip, read_lines
from amr_neo4j.language.languages import ENGLISH

T0 = 1_700_000_000.0  # 2023-11-14, 22:13:20 UTC


def by_http(number: int, label: str = "person", *, data: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """An event as /api/events gives it."""
    start = T0 + 100 * number
    event = {"id": f"{start}5-abc{number}", "camera": "front_door", "label": label, "sub_label": None,
             "start_time": start, "end_time": start + 12.5, "false_positive": None, "zones": [], "has_clip": True,
             "has_snapshot": True, "plus_id": None, "retain_indefinitely": False, "thumbnail": ""}  # fmt: skip
    return event | {"data": {"type": "object", "score": 0.8, "top_score": 0.91} | (data or {})} | more


def by_mqtt(number: int, label: str = "person", *, kind: str = "end", **more: Any) -> dict[str, Any]:
    """A message of frigate/events. Boxes are in pixels there."""
    start = T0 + 100 * number
    state = {"id": f"{start}5-abc{number}", "camera": "front_door", "frame_time": start + 9, "label": label,
             "sub_label": None, "top_score": 0.91, "false_positive": False, "start_time": start,
             "end_time": start + 12.5 if kind == "end" else None, "score": 0.8, "box": [424, 500, 536, 712],
             "current_zones": [], "entered_zones": [], "stationary": False, "attributes": {"face": 0.6},
             "snapshot": {"box": [415, 489, 528, 700]}}  # fmt: skip
    return {"type": kind, "before": state, "after": state | more}


def review(number: int, *, data: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A review item as /api/review gives it."""
    start = T0 + 100 * number
    what = {
        "detections": [f"{start}5-abc{number}"],
        "objects": ["person"],
        "sub_labels": [],
        "zones": [],
        "audio": [],
    }
    item = {"id": f"{start}9-rev{number}", "camera": "front_door", "start_time": start, "end_time": start + 30,
            "has_been_reviewed": False, "severity": "alert", "thumb_path": "/media/x.webp"}  # fmt: skip
    return item | {"data": what | (data or {})} | more


def lines(*entries: Any) -> list[ClipLine]:
    found = read(json.dumps(entries))
    assert all(isinstance(each, TrackedItem) for each in found), found
    return [line_of(item, ENGLISH) for item in folded(each for each in found if isinstance(each, TrackedItem))]


def events(*entries: Any) -> list[EventDraft]:
    return [event for line in lines(*entries) for event in compose(analysed_clip(line, "g"), ENGLISH).events]


def told(*entries: Any) -> list[str]:
    return [event.summary_text for event in events(*entries)]


def persons(*entries: Any) -> list[str]:
    return [part.person_id for event in events(*entries) for part in event.involvements]


def test_an_event_is_a_clip_of_the_camera_s_day() -> None:
    entry = by_http(
        0, zones=["porch", "front_walk"], data={"box": [0.1, 0.2, 0.3, 0.5], "snapshot_frame_time": T0 + 3}
    )
    assert is_frigate(json.dumps([entry]))
    [line] = lines(entry)
    assert (line.video_id, line.clip_id, line.place) == ("front_door-2023-11-14", "1700000000.05-abc0", "front_door")
    assert line.recorded_at and line.recorded_at.isoformat() == "2023-11-14T00:00:00+00:00"
    assert (line.t_start, line.t_end) == (80_000.0, 80_012.5)
    [event] = line.analysis.events
    assert event.summary == "A person is seen in porch and front walk."
    [box] = event.boxes
    assert (box.left, box.top, box.right, box.bottom) == pytest.approx((0.1, 0.2, 0.4, 0.7))
    assert box.time == 80_003.0


@pytest.mark.parametrize(
    ("entry", "summary", "who"),
    [
        # 0.14: a name with its score in MQTT, without in the API; the logo of a carrier is no name.
        (by_mqtt(1, sub_label=["Anna", 0.93], entered_zones=["porch"]), "Anna is seen in porch.", ["anna"]),
        (by_http(1, sub_label="Anna"), "Anna is seen.", ["anna"]),
        (by_http(1, sub_label="anna_lee, Ben"), "Anna Lee and Ben are seen.", ["anna_lee", "ben"]),
        (by_mqtt(1, sub_label=["amazon", 0.8]), "A person (amazon) is seen.", ["person_1700000100.05-abc1"]),
        (by_http(1, "car", sub_label="ups", data={"top_score": 0.62}), "Perhaps a car (.62) (ups) is seen.", []),
        # 0.15: what a model wrote about an object.
        (
            by_http(1, data={"description": "A courier in a yellow jacket leaves a parcel"}),
            "A person is seen. A courier in a yellow jacket leaves a parcel.",
            ["person_1700000100.05-abc1"],
        ),
        # 0.16: plates (with a score in MQTT), names of cars, paths.
        (
            by_mqtt(1, "car", recognized_license_plate=["B AB 1234", 0.93]),
            "A car with the plate B AB 1234 is seen.",
            [],
        ),
        (
            by_http(1, "car", sub_label="John's Car", data={"recognized_license_plate": "AB 12"}),
            "A car (John's Car) with the plate AB 12 is seen.",
            [],
        ),
        (
            by_http(1, "car", data={"path_data": [[[0.1, 0.9], T0 + 100.5], [[0.9, 0.9], T0 + 105]]}),
            "A car is seen, moving from the left to the right, as seen by the camera.",
            [],
        ),
        (by_http(1, "car", data={"path_data": [[[0.32, 0.9], T0], [[0.35, 0.9], T0 + 9]]}), "A car is seen.", []),
        (
            by_http(1, "license_plate", data={"type": "api", "recognized_license_plate": "AB 12"}),
            "A license plate with the plate AB 12 is seen.",
            [],
        ),
        # 0.17: classifiers: a kind of person, and an attribute with its score beside it.
        (
            by_http(1, sub_label="delivery_person"),
            "A delivery person is seen.",
            ["person_1700000100.05-abc1"],
        ),
        (
            by_http(1, sub_label="Anna", data={"helmet": "yes", "helmet_score": 0.9, "max_severity": "alert"}),
            "Anna (helmet: yes) is seen.",
            ["anna"],
        ),
        # Sounds are heard, and what somebody reported by the API is said to be reported.
        (by_http(1, "bark", data={"type": "audio"}), "A dog barks.", []),
        (by_http(1, "bark", data={"type": "object"}), "A dog barks.", []),
        (by_http(1, "steam_whistle", data={"type": "audio"}), "A sound of steam whistle is heard.", []),
        (by_http(1, "doorbell", data={"type": "api"}, sub_label="visitor"), "Reported: doorbell, visitor.", []),
    ],
)  # fmt: skip
def test_what_an_event_says(entry: dict[str, Any], summary: str, who: list[str]) -> None:
    assert told(entry) == [summary]
    assert persons(entry) == who


# What each version adds to the state of an object in MQTT, beside what `by_mqtt` has.
SINCE_0_15 = {"snapshot": {"frame_time": T0 + 103, "box": [415, 489, 528, 700], "score": 0.8, "attributes": []},
              "active": True, "motionless_count": 0, "position_changes": 2, "ratio": 2.1, "area": 23744,
              "region": [260, 446, 660, 846], "current_attributes": []}  # fmt: skip
SINCE_0_16 = SINCE_0_15 | {"current_estimated_speed": 0.7, "average_estimated_speed": 14.3, "velocity_angle": 180,
                           "recognized_license_plate": None, "path_data": [[[0.4, 0.9], T0 + 100.5]]}  # fmt: skip
VISIT, CARS = "1700000100.05-abc1", "1700000200.05-abc2"


def face(**more: Any) -> dict[str, Any]:
    found = {"type": "face", "id": VISIT, "name": "Anna", "score": 0.95, "camera": "front_door", "timestamp": T0}
    return found | more


def plate(**more: Any) -> dict[str, Any]:
    return {"type": "lpr", "id": CARS, "name": None, "plate": "B AB 1234", "score": 0.95, "camera": "front_door",
            "timestamp": T0 + 201} | more  # fmt: skip


def description(**more: Any) -> dict[str, Any]:
    return {"type": "description", "id": VISIT, "description": "She rings the bell."} | more


def summary(**more: Any) -> dict[str, Any]:
    """What a model wrote about a review item, as the item of the API and the message of MQTT have it."""
    told = {"title": "Visit", "scene": "A visitor rings.", "confidence": 0.9, "potential_threat_level": 0} | more
    named = {"objects": ["person-verified"], "sub_labels": ["Anna"], "zones": ["porch"], "metadata": told}
    return {"type": "genai", "before": review(1, data={**named, "metadata": None}), "after": review(1, data=named)}


@pytest.mark.parametrize(
    ("version", "entries", "visit", "car", "alert"),
    [
        ("0.14", [by_mqtt(1, sub_label=["Anna", 0.9]), by_mqtt(2, "car"), review(1)], "", "", ""),
        (
            "0.15",
            [by_mqtt(1, sub_label=["Anna", 0.9], **SINCE_0_15), by_mqtt(2, "car"), description()],
            "She rings the bell.",
            "",
            "",
        ),
        (
            "0.16",
            [by_mqtt(1, **SINCE_0_16), by_mqtt(2, "car", **SINCE_0_16), face(), plate(), description()],
            "She rings the bell.",
            " with the plate B AB 1234",
            "",
        ),
        (
            "0.17",
            [
                *(by_mqtt(1, **SINCE_0_16), by_mqtt(2, "car", **SINCE_0_16), face()),
                *(plate(plate_box=[9, 4, 10, 5]), summary()),
            ],
            "",
            " with the plate B AB 1234",
            "Visit. A visitor rings.",
        ),
        (
            # Every update names its camera, and a face may be nobody's. The model's summary has observations.
            "0.18",
            [
                *(by_mqtt(1, **SINCE_0_16), by_mqtt(2, "car", **SINCE_0_16), face(name=None, score=0.0), face()),
                *(plate(), description(camera="front_door")),
                summary(shortSummary="A visit.", observations=["Somebody comes."], other_concerns=None, time=None),
            ],
            "She rings the bell.",
            " with the plate B AB 1234",
            "Visit. A visitor rings.",
        ),
    ],
)  # fmt: skip
def test_a_visit_in_the_form_of_each_version(
    version: str, entries: list[dict[str, Any]], visit: str, car: str, alert: str
) -> None:
    found = told(*entries)
    assert any(each.startswith("Anna is seen.") and visit in each for each in found), version
    assert f"A car{car} is seen." in found, version
    assert not alert or any(each.startswith("Alert: ") and alert in each for each in found), version


def test_words_that_are_transcribed_are_said() -> None:
    """0.17: the description of a sound is what was said."""
    words = {"type": "description", "id": VISIT, "description": "The parcel is for number nine.", "camera": "yard"}
    [event] = events(by_http(1, "speech", data={"type": "audio"}), words)
    assert event.heard and event.dialogue_snippets == ("The parcel is for number nine.",)


def test_a_plate_is_an_object_and_a_sound_has_none() -> None:
    [car] = events(by_http(1, "car", data={"recognized_license_plate": "B AB 1234"}))
    assert car.objects == ("car", "license plate B AB 1234")
    [bark] = events(by_http(1, "bark", data={"type": "audio"}))
    assert bark.heard
    assert not bark.objects


def test_an_event_that_goes_on_says_so() -> None:
    [line] = lines(by_mqtt(1, kind="update"))
    assert line.analysis.events[0].summary == "A person is seen, still in progress."
    assert line.t_end - line.t_start == 9.0


def test_a_false_positive_has_no_event() -> None:
    assert events(by_http(1, false_positive=True)) == []


def test_of_several_messages_everything_known_counts() -> None:
    messages = [
        by_mqtt(1, kind="new"),
        by_mqtt(1, kind="update", entered_zones=["porch"]),
        {"type": "face", "id": "1700000100.05-abc1", "name": "Ben", "score": 0.4, "camera": "front_door"},
        {"type": "face", "id": "1700000100.05-abc1", "name": "Anna", "score": 0.95, "camera": "front_door"},
        by_mqtt(1, kind="end", entered_zones=["porch", "yard"]),
        {"type": "description", "id": "1700000100.05-abc1", "description": "She rings the bell."},
        by_mqtt(1, kind="update"),  # delivered again, too late
    ]
    [line] = lines(*messages)
    assert line.analysis.events[0].summary == "Anna is seen in porch and yard. She rings the bell."
    assert line.t_end - line.t_start == 12.5


def test_an_update_gives_plates_and_classes() -> None:
    plate = {"type": "lpr", "id": "1700000100.05-abc1", "name": None, "plate": "123ABC", "score": 0.9,
             "plate_box": [1, 2, 3, 4]}  # fmt: skip
    kind = {"type": "classification", "id": "1700000200.05-abc2", "model": "staff", "sub_label": "delivery_person"}
    worn = {"type": "classification", "id": "1700000200.05-abc2", "model": "helmet", "attribute": "yes"}
    assert told(by_mqtt(1, "car"), by_mqtt(2), plate, kind, worn) == [
        "A car with the plate 123ABC is seen.",
        "A delivery person (helmet: yes) is seen.",
    ]


@pytest.mark.parametrize(
    ("entry", "summaries", "who"),
    [
        (
            review(1, data={"objects": ["person-verified"], "sub_labels": ["Anna"], "zones": ["porch"]}),
            ["Alert: Anna is seen in porch."],
            ["anna"],
        ),
        (
            review(
                1, severity="detection", data={"objects": ["car-verified", "person"], "sub_labels": ["Ann's Car"]}
            ),
            ["Detection: A car and a person (named: Ann's Car) are seen."],
            ["person_review-1700000100.09-rev1"],
        ),
        (review(1, data={"objects": ["amazon"]}), ["Alert: Something (named: amazon) is seen."], []),
        (
            review(1, data={"metadata": {"title": "Delivery", "scene": "A parcel is left.", "confidence": 0.9}}),
            ["Alert: A person is seen. Delivery. A parcel is left."],
            ["person_review-1700000100.09-rev1"],
        ),
        (review(1, data={"objects": [], "detections": [], "audio": ["bark"]}), ["A dog barks."], []),
        (
            {"type": "update", "before": review(1), "after": review(1, end_time=None)},
            ["Alert: A person is seen, still in progress."],
            ["person_review-1700000100.09-rev1"],
        ),
    ],
)
def test_what_a_review_item_says(entry: dict[str, Any], summaries: list[str], who: list[str]) -> None:
    assert told(entry) == summaries
    assert persons(entry) == who


def test_a_bad_entry_is_refused_alone() -> None:
    entries = [by_http(1), by_http(2, start_time="soon"), {"id": "x"}, 7, by_http(3), {**by_http(4), "camera": None}]
    found = read(json.dumps(entries))
    assert [type(each) for each in found] == [
        TrackedItem,
        UnreadableEntry,
        UnreadableEntry,
        UnreadableEntry,
        TrackedItem,
        UnreadableEntry,
    ]
    assert [each.number for each in found if isinstance(each, UnreadableEntry)] == [2, 3, 4, 6]
    messages = f"frigate/events {json.dumps(by_mqtt(1))}\n{{broken\n{json.dumps(by_mqtt(2))}\n"
    assert [type(each) for each in read(messages)] == [TrackedItem, UnreadableEntry, TrackedItem]


def test_the_command_prints_lines_that_ingest_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = {"type": "description", "id": "1700009900.05-abc9", "description": "Nothing is known of it."}
    entries = [
        by_http(1),
        by_http(2, end_time=None),
        by_http(3, start_time=-1),
        by_http(4, false_positive=True),
        late,
    ]
    (tmp_path / "events.json").write_text(json.dumps(entries))
    monkeypatch.setattr("sys.argv", ["amr", "detections", str(tmp_path / "events.json")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == InputError.exit_code
    printed, said = capsys.readouterr()
    read_back = list(read_lines(printed.splitlines(), group_id="g"))
    assert [each for each in read_back if isinstance(each, Receipt)] == []
    assert len(read_back) == 3
    assert "entry 3: start_time" in said
    assert "1700009900.05-abc9: an update of an event that is not in this file" in said
    assert "1 not ended yet" in said
    assert "1 false positive" in said


WRONG: list[Any] = [
    None,
    [],
    {},
    "x",
    -1,
    1e308,
    float("nan"),
    float("inf"),
    10**400,
    "a\ud800",
    ["x", []],
    "9" * 400,
]
KEYS = ("id", "camera", "label", "start_time", "end_time", "sub_label", "top_score", "zones", "data", "path_data",
        "recognized_license_plate", "false_positive", "entered_zones", "frame_time")  # fmt: skip
DATA = ("type", "box", "score", "top_score", "description", "path_data", "recognized_license_plate", "audio",
        "objects", "detections", "metadata", "sub_labels", "snapshot_frame_time")  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: repr(wrong)[:20])
def test_an_entry_of_other_values_is_refused_alone_or_taken_in(wrong: Any) -> None:
    """Whatever a field holds: a reason in one line, or a clip that ingest takes."""
    entries = [make(1) | {key: wrong} for make in (by_http, review) for key in KEYS]
    entries += [make(1, data={key: wrong}) for make in (by_http, review) for key in DATA]
    for found in read(json.dumps(entries)):
        if isinstance(found, UnreadableEntry):
            assert found.why
            assert "\n" not in found.why
            continue
        try:
            line = line_of(found, ENGLISH).model_dump_json(exclude_defaults=True)
        except InputError as error:
            assert error.hint
            assert "\n" not in error.message
        else:
            assert not [each for each in read_lines([line], group_id="g") if isinstance(each, Receipt)]


ITEMS = st.builds(
    TrackedItem,
    item_id=st.just("1.5-a"),
    camera=st.just("door"),
    label=st.just("person"),
    start=st.just(5.0),
    seen_until=st.sampled_from([6.0, 7.0, 9.0]),
    ended=st.booleans(),
    sub_labels=st.sampled_from([(), ("Anna",)]),
    zones=st.lists(st.sampled_from(["porch", "yard"]), unique=True).map(tuple),
    score=st.sampled_from([None, 0.5, 0.9]),
    description=st.sampled_from(["", "A man."]),
)


@given(ITEMS, ITEMS)
def test_more_about_an_item_never_loses_what_was_known(known: TrackedItem, later: TrackedItem) -> None:
    """Said again, nothing changes; and nothing that was known becomes unknown."""
    both = known.with_more(later)
    assert both.with_more(later) == both
    assert set(known.zones) | set(later.zones) == set(both.zones)
    assert both.sub_labels or not (known.sub_labels or later.sub_labels)
    assert both.ended == (known.ended or later.ended)
    assert (both.changes_since(known) == []) == (both == known)


def test_an_item_that_cannot_be_told_is_rejected_alone() -> None:
    """Otherwise one message would stop the watch of a broker at each start."""
    found = read(json.dumps([review(1, data={"objects": [""]}), review(2)]))
    items = [item for item in found if isinstance(item, TrackedItem)]
    known = KnownItems("g", lambda *_: [], ENGLISH)
    bad, good = [each for joined in known.joined(items) for each in joined]
    assert isinstance(bad, Receipt) and bad.outcome == "rejected"
    assert isinstance(good, AnalysedClip)
