"""Tables of tracks from outside, as clip analyses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
