"""Results files of MOTChallenge and Ultralytics as tables of tracks; other formats are refused by their name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amr_neo4j.cli.main import main
from amr_neo4j.domain.analysis import ClipLine
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.detections import TrackTable, from_tracks
from amr_neo4j.ingest.track_formats import of_ultralytics
from amr_neo4j.language.languages import ENGLISH

HOW = TrackTable("street", fps=10, size=(1000.0, 500.0))


def clips(text: str, how: TrackTable = HOW) -> list[tuple[str, float, str]]:
    """(the id of each track's clip, its start, what it is about)."""
    found: list[tuple[str, float, str]] = []
    for line in from_tracks(text, how, ENGLISH):
        [event] = line.analysis.events
        about = event.objects[0].name if event.objects else line.analysis.characters[0].name_or_description
        found.append((line.clip_id, line.t_start, about))
    return found


def test_results_of_motchallenge_are_tracks_of_persons() -> None:
    results = "".join(f"{frame},7,{100 + 50 * frame},200,40,120,0.9,-1,-1,-1\n" for frame in range(10, 16))
    assert clips(results) == [("track-7", 1.0, "person")]


def test_ground_truth_of_motchallenge_has_classes_and_rows_that_do_not_count() -> None:
    rows = ("3,10,10,90,60,1,3,1.0", "4,500,10,40,90,0,1,1.0", "5,10,400,40,90,1,9,1.0")
    truth = "".join(f"{frame},{row}\n" for frame in (5, 6) for row in rows)
    assert clips(truth) == [("track-3", 0.5, "car")]


def test_labels_of_ultralytics_are_read_by_frame() -> None:
    files = [(f"hall_{frame}.txt", f"0 0.5 0.5 0.2 0.4 0.8 2\n2 0.{frame} 0.5 0.1 0.1 0.7 9\n") for frame in (10, 20)]
    rows = of_ultralytics(files, ["person", "bicycle", "car"])
    assert rows[0]["left"] == pytest.approx(0.4)
    assert clips(json.dumps(rows), TrackTable("hall", fps=10)) == [
        ("track-2", 1.0, "person"),
        ("track-9", 1.0, "car"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("hall_1.txt", "0 0.5 0.5 0.2 0.4", "no ids of tracks"),
        ("hall_1.txt", "0 0.5 0.5 0.2 0.4 0.83", "no ids of tracks"),
        ("hall_1.txt", "0 " + "0.5 " * 20, "21 values"),
        ("hall.txt", "0 0.5 0.5 0.2 0.4 1", "no number of a frame"),
    ],
)
def test_labels_without_tracks_are_refused(name: str, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        of_ultralytics([(name, text)], ["person"])


@pytest.mark.parametrize("cell", ["nan", "inf", "abc", "", "1e999"])
@pytest.mark.parametrize("column", range(9))
def test_a_value_that_is_no_number_is_refused_in_one_line(cell: str, column: int) -> None:
    good = ["5", "3", "10", "10", "90", "60", "1", "3", "1.0"]
    bad = [*good[:column], cell, *good[column + 1 :]]
    text = "\n".join(map(",".join, (good, bad)))
    if column in (1, 8):  # how much of it is seen is not read; an id may be any text
        assert clips(text)
    else:
        with pytest.raises(InputError, match="row"):
            clips(text)


def test_a_class_below_zero_is_none_of_the_names() -> None:
    assert of_ultralytics([("hall_1.txt", "-1 0.5 0.5 0.2 0.4 1")], ["person"])[0]["label"] == "class -1"
    with pytest.raises(InputError, match="values"):
        of_ultralytics([("hall_1.txt", "nan 0.5 0.5 0.2 0.4 1")], ["person"])


def test_columns_of_ultralytics_and_supervision_are_known() -> None:
    box = {"x1": 100, "y1": 50, "x2": 200, "y2": 300}
    rows = [{"frame": n, "name": "dog", "confidence": 0.9, "track_id": 4, "box": box} for n in (1, 2)]
    assert clips(json.dumps(rows)) == [("track-4", 0.1, "dog")]
    table = "x_min,y_min,x_max,y_max,class_name,confidence,tracker_id,frame_index\n" + "1,1,50,50,cat,0.9,3,20\n" * 2
    assert clips(table) == [("track-3", 2.0, "cat")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[{"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "score": 0.5}]', "COCO"),
        ('{"images": [], "annotations": []}', "COCO"),
        ('<?xml version="1.0"?><annotations></annotations>', "CVAT"),
        ('{"predictions": []}', "Roboflow"),
        ("0 1 Car 0 0 -1.5 10 20 30 40 1 1 1 1 1 1 1\n", "KITTI"),
        ("Image Name,Prediction,Confidence\na.jpg,person,0.9\n", "predictions.csv"),
    ],
)
def test_other_formats_are_refused_by_their_name(text: str, name: str) -> None:
    with pytest.raises(InputError, match=name):
        clips(text)


def test_the_command_reads_a_folder_of_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for frame in (1, 2):
        (tmp_path / f"hall_{frame}.txt").write_text("2 0.5 0.5 0.2 0.4 1\n")
    monkeypatch.setattr("sys.argv", ["amr", "detections", str(tmp_path), "--video", "hall", "--fps", "10"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    [printed] = capsys.readouterr().out.splitlines()
    assert ClipLine.model_validate_json(printed).analysis.events[0].objects[0].name == "car"
