"""Questions about what Frigate's cameras saw, in groups of any size."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.tracked import TrackedItem
from amr_neo4j.ingest.frigate import folded, line_of, read
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines
from tests.unit.test_frigate import by_http

DAY = 1_764_057_600.0  # 2025-11-25, 08:00 UTC
EMBEDDER = HashedWords()


def of_camera(camera: str, label: str, at: float, **more: Any) -> dict[str, Any]:
    """An event that lasts ten seconds, at so many seconds of the day."""
    start = DAY + at
    event = {"id": f"{start}-{camera}{label}", "camera": camera, "start_time": start, "end_time": start + 10}
    return by_http(0, label, data=more.pop("data", {})) | event | more


EVENTS = [
    of_camera("driveway", "car", 0, data={"recognized_license_plate": "B AB 1234"}),
    of_camera("driveway", "car", 600),
    of_camera("front_door", "person", 3600, data={"description": "A courier in a yellow jacket leaves a parcel."}),
    of_camera("front_door", "person", 7200, sub_label="Anna", zones=["porch"]),
    of_camera("garden", "bark", 10_800, data={"type": "audio"}),
    of_camera("garden", "cat", 14_400),
]
# A busy camera, which sees nothing later than the others.
OTHERS = [of_camera("street", ("car", "dog")[n % 2], 20 * n + 5.0) for n in range(200)]


@pytest.fixture(scope="module", params=[0, 200])
def cameras(request: pytest.FixtureRequest) -> FakeGraph:
    items = read(json.dumps([*EVENTS, *OTHERS[: request.param]]))
    lines = [line_of(item, ENGLISH) for item in folded(each for each in items if isinstance(each, TrackedItem))]
    return graph_of_lines([line.model_dump_json(exclude_defaults=True) for line in lines], EMBEDDER)


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("Who was seen today?", "Anna"),
        ("Was a person seen today?", "Anna"),
        ("Was anybody there last night?", "Anna"),
        ("How many people were seen today?", "Anna"),
        ("How many cars were seen today?", "A car"),
        ("Was a car seen today?", "A car"),
        ("What happened today?", "A dog"),
    ],
)
def test_the_last_time_before_is_of_what_is_asked_for(question: str, last: str) -> None:
    seen = [
        of_camera("door", "person", 0, sub_label="Anna"),
        of_camera("drive", "car", 30 * 3600),
        of_camera("drive", "dog", 40 * 3600),
    ]
    items = [each for each in read(json.dumps(seen)) if isinstance(each, TrackedItem)]
    graph = graph_of_lines(
        [line_of(item, ENGLISH).model_dump_json(exclude_defaults=True) for item in folded(items)], EMBEDDER
    )
    now = datetime.fromtimestamp(DAY + 3 * 86_400, UTC)
    text = ask(question, Sources(Scope("test"), graph, graph, EMBEDDER, ENGLISH, now)).text
    assert text.startswith("Nothing in memory fits that time. The last time before: ") and f"{last} is seen" in text


@pytest.mark.parametrize(
    ("question", "begins", "holds"),
    [
        ("Was a car seen in the driveway?", "Yes", "car"),
        ("Was a person seen at the front door?", "Yes", ""),
        ("Was a dog seen at the front door?", "N", ""),
        ("How many cars were seen in the driveway?", "", "2|two|Two"),
        ("Who came to the front door?", "Anna", ""),
        ("Did anybody come to the front door?", "Yes", "courier"),
        ("Did anybody come to the garden?", "Nothing", ""),
        ("How often did somebody come to the front door?", "Twice", ""),
        ("Who wore a yellow jacket?", "", "yellow jacket"),
        ("Who was seen last at the front door?", "", "Anna"),
        ("Did a dog bark?", "", "bark"),
        ("Was the plate B AB 1234 seen?", "", "B AB 1234"),
        ("Was a cat seen by the garden camera?", "Yes", "cat"),
    ],
)
@pytest.mark.parametrize("scope", [Scope("test"), Scope("test", user_id="u")], ids=["footage", "user"])
def test_questions_about_cameras(cameras: FakeGraph, scope: Scope, question: str, begins: str, holds: str) -> None:
    answer = ask(question, Sources(scope, cameras, cameras, EMBEDDER, ENGLISH, None))
    assert answer.text.startswith(begins)
    assert any(each in answer.text for each in holds.split("|")), answer.text


@pytest.mark.parametrize("later", [0, 20, 300])
def test_who_was_seen_last_is_a_person(later: int) -> None:
    """Not the cat that came later, nor the dog that was heard, however many cars and dogs come after."""
    things = [of_camera("street", ("car", "dog")[n % 2], 20_000 + 20 * n) for n in range(later)]
    items = folded(each for each in read(json.dumps([*EVENTS, *things])) if isinstance(each, TrackedItem))
    graph = graph_of_lines(
        [line_of(item, ENGLISH).model_dump_json(exclude_defaults=True) for item in items], EMBEDDER
    )
    answer = ask("Who was seen last?", Sources(Scope("test"), graph, graph, EMBEDDER, ENGLISH, None))
    assert answer.text.startswith("Anna")
    assert answer.found


def test_who_was_seen_last_among_hundreds_is_the_last() -> None:
    """Whatever their ids: what a camera sees of people has ids of their own, in no order of time."""
    people = [of_camera("street", "person", 20_000 - 20 * n) for n in range(150)]
    things = [of_camera("street", "car", 21_000 + 20 * n) for n in range(150)]
    told = of_camera("street", "person", 20_010, data={"description": "A man with a ladder walks by."})
    items = folded(each for each in read(json.dumps([*people, told, *things])) if isinstance(each, TrackedItem))
    lines = [line_of(item, ENGLISH).model_dump_json(exclude_defaults=True) for item in items]
    graph = graph_of_lines(lines, EMBEDDER)
    answer = ask("Who was seen last?", Sources(Scope("test"), graph, graph, EMBEDDER, ENGLISH, None))
    assert answer.found and "ladder" in answer.text, answer.text


def test_in_the_video_of_another_camera_its_name_is_a_thing_to_be_seen(cameras: FakeGraph) -> None:
    """The driveway shows no front door, so nobody was seen at one there."""
    scope = Scope("test", ("driveway-2025-11-25",))
    answer = ask("Was a car seen at the front door?", Sources(scope, cameras, cameras, EMBEDDER, ENGLISH, None))
    assert not answer.text.startswith("Yes"), answer.text
