"""Tables of tracks from outside, as clip analyses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipLine
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.detections import TrackTable, from_tracks
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.language.languages import ENGLISH


def test_a_table_of_tracks_is_one_event_a_track() -> None:
    table = "frame,track,cls,score,left,top,width,height\n" + "".join(
        f"{n},7,car,0.8,{100 + 80 * n},200,100,50\n{n},9,person,,600,100,40,120\n" for n in range(11)
    )
    how = TrackTable("street", 10.0, (1000, 500), {"id": "track", "label": "cls", "confidence": "score"})
    car, person = from_tracks(table, how, ENGLISH)
    assert (car.clip_id, car.t_start, car.t_end) == ("track-7", 0.0, 1.0)
    assert car.analysis.events[0].summary == "A car moves from the left to the right, as seen by the camera."
    assert car.analysis.events[0].objects[0].confidence == pytest.approx(0.8)
    assert person.analysis.characters[0].person_id == "person_9"


def tracked(rows: str, **how: Any) -> list[ClipLine]:
    scores = ",confidence" if rows.partition("\n")[0].count(",") == 7 else ""
    columns = f"time,id,label,left,top,right,bottom{scores}"
    return list(from_tracks(f"{columns}\n{rows}", TrackTable("v", **how), ENGLISH))


@pytest.mark.parametrize(
    ("rows", "seen"),
    [
        ("1,2,car,.7,.2,.8,.6\n9,2,car,.71,.2,.81,.6", "There is a car on the right, as seen by the camera."),
        ("1,1,person,0,.2,.05,.6\n3,1,person,.25,.2,.30,.6", "A person moves to the right, as seen by the camera."),
        ("1,1,person,.3,.2,.35,.6\n3,1,person,.1,.2,.15,.6", "A person moves to the left, as seen by the camera."),
        ("1,2,car,.3,.2,.35,.6\n3,2,car,.33,.2,.38,.6", "There is a car in the middle, as seen by the camera."),
        ("1,2,car,.7,.1,.8,.3\n9,2,car,.7,.6,.8,.8", "A car moves."),
    ],
)
def test_a_track_moves_where_it_goes_and_a_parked_car_nowhere(rows: str, seen: str) -> None:
    """The fourth crosses from the left third to the middle one by less than its box trembles."""
    [line] = tracked(rows)
    assert line.analysis.events[0].summary == seen


def test_a_track_ends_where_nothing_is_seen_for_a_minute() -> None:
    lines = tracked("5,7,person,.1,.2,.2,.6\n65,7,person,.3,.2,.4,.6\n3605,7,person,.5,.2,.6,.6")
    assert [(line.clip_id, line.t_start, line.t_end) for line in lines] == [
        ("track-7", 5.0, 65.0),
        ("track-7-2", 3605.0, 3605.1),
    ]
    assert len({line.analysis.characters[0].person_id for line in lines}) == 2


@pytest.mark.parametrize(("name", "more"), [("-1", set[str]()), ("0", {"0"})])
def test_an_id_may_stand_for_no_track(name: str, more: set[str]) -> None:
    lines = tracked(f"5,{name},person,.1,.2,.2,.6\n3500,{name},person,.8,.2,.9,.6", no_track=frozenset({"-1", *more}))
    assert [line.analysis.events[0].summary for line in lines] == ["A person is seen."] * 2
    assert len({line.analysis.characters[0].person_id for line in lines}) == 2
    assert len(tracked("5,0,person,.1,.2,.2,.6\n6,0,person,.8,.2,.9,.6")) == 1, "by default 0 is a track"


@pytest.mark.parametrize(
    "ids",
    [("1761400000123456789", "1761400000123456788"), ("07", "7"), ("1e5", "100000"), ("1_000", "1000")],
)
def test_other_ids_are_other_tracks(ids: tuple[str, str]) -> None:
    lines = tracked("\n".join(f"{time},{id_},car,.1,.2,.2,.6" for time, id_ in zip((5, 6), ids, strict=True)))
    assert {line.clip_id for line in lines} == {f"track-{id_}" for id_ in ids}


@pytest.mark.parametrize("empty", ["-1.0", "None", "nan", ""])
def test_an_empty_id_is_no_track_beside_others(empty: str) -> None:
    lines = tracked(
        f"5,7,dog,.1,.2,.2,.6\n6,7.0,dog,.1,.2,.2,.6\n7,{empty},car,.1,.2,.2,.6\n8,{empty},cat,.1,.2,.2,.6"
    )
    assert [line.clip_id for line in lines] == ["track-7", "track-car-untracked", "track-cat-untracked"]


def test_a_table_without_ids_or_with_shares_and_a_size_is_refused() -> None:
    with pytest.raises(InputError, match="no row has an id"):
        tracked("5,,dog,.1,.2,.2,.6\n6,nan,dog,.1,.2,.2,.6")
    with pytest.raises(InputError, match="shares of the picture already") as refused:
        tracked("5,7,dog,.1,.2,.2,.6", size=(1920.0, 1080.0))
    assert refused.value.hint == "leave out --size"


@pytest.mark.parametrize(
    ("scores", "mean"),
    [((".45", ".5"), 0.475), (("45", "50"), 0.475), (("1", "0"), 0.5), (("100", "0"), 0.5), (("-1", "-1"), None)],
)
def test_confidences_are_shares_or_percent(scores: tuple[str, str], mean: float | None) -> None:
    [line] = tracked("\n".join(f"{time},3,dog,.1,.2,.2,.6,{score}" for time, score in enumerate(scores)))
    found = line.analysis.events[0].objects[0].confidence
    assert found == (None if mean is None else pytest.approx(mean))


def test_what_has_no_known_unit_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match="neither shares nor percent"):
        tracked("1,3,dog,.1,.2,.2,.6,.5\n2,3,dog,.1,.2,.2,.6,60")
    with pytest.raises(InputError, match="pixels") as refused:
        tracked("1,3,dog,100,200,150,320")
    assert refused.value.hint and "--size" in refused.value.hint
    assert tracked("1,3,dog,100,200,150,320", size=(640.0, 480.0))


def test_a_row_that_cannot_be_read_is_named() -> None:
    with pytest.raises(InputError, match="row 2"):
        list(from_tracks("time,id,left,top,right,bottom\n1,a,0,0,1,1\nx,a,0,0,1,1\n", TrackTable("v"), ENGLISH))
    with pytest.raises(InputError, match="not valid JSON"):
        list(from_tracks("[{", TrackTable("v"), ENGLISH))


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
TRACK: dict[str, Any] = {"time": 1, "id": 7, "left": 0, "top": 0, "width": 1, "height": 1, "confidence": 1}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: repr(wrong)[:20])
def test_what_is_wrong_in_a_detection_is_said_and_the_rest_can_be_taken_in(wrong: Any) -> None:
    """Whatever a field holds: an InputError in a line, or clips that ingest takes."""
    how = TrackTable("hall", fps=10)
    tables = [json.dumps([TRACK, TRACK | {key: wrong}]) for key in (*TRACK, "label", "frame")]
    reads = [lambda text=text: list(from_tracks(text, how, ENGLISH)) for text in tables]
    for read in reads:
        try:
            lines = [line.model_dump_json(exclude_defaults=True) for line in read()]
        except InputError as error:
            assert error.hint and "\n" not in error.message
        else:
            assert not [each for each in read_lines(lines, group_id="g") if isinstance(each, Receipt)]


@pytest.mark.parametrize("text", ["[" * 100_000, "time,id\n" + "x" * 200_000, '[{"time": ' + "9" * 5000 + "}]"])
def test_a_table_that_cannot_be_read_at_all_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        list(from_tracks(text, TrackTable("hall"), ENGLISH))


@given(
    st.sampled_from(["time", "id", "label", "confidence", "left", "top", "right", "bottom"]),
    st.sampled_from(["", "x", "-1", "1e400", "nan", "inf", "9" * 400, "\x00", '"' + "a" * 200_000]),
)
def test_a_table_of_other_values_is_read_or_refused_in_one_line(column: str, value: str) -> None:
    row = {"time": 1, "id": 7, "label": "car", "confidence": 0.5, "left": 0, "top": 0, "right": 0.5, "bottom": 0.5}
    row[column] = value  # type: ignore[assignment]
    table = f"{','.join(row)}\n{','.join(map(str, row.values()))}\n"
    try:
        list(from_tracks(table, TrackTable("v"), ENGLISH))
    except InputError as refused:
        assert refused.hint and "\n" not in str(refused)
