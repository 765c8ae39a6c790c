"""Recognises the results files of trackers, and names the columns of their rows as detections.py does.

MOTChallenge's text files have no header. Ultralytics writes a text file per frame. Any other known format is refused
by its name.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from amr_neo4j.errors import InputError

Row = Mapping[str, Any]
# {column of detections.COLUMNS: how Ultralytics (to_csv, to_json) and supervision call it}.
_NAMES = {
    "id": ("track_id", "tracker_id"),
    "label": ("name", "class_name"),
    "confidence": ("conf", "score"),
    "frame": ("frame_index", "frame_id", "frame_number"),
    "left": ("x1", "x_min", "xmin", "bb_left"),
    "top": ("y1", "y_min", "ymin", "bb_top"),
    "right": ("x2", "x_max", "xmax"),
    "bottom": ("y2", "y_max", "ymax"),
    "width": ("w", "bb_width"),
    "height": ("h", "bb_height"),
}
_MOT = ("frame", "id", "left", "top", "width", "height", "confidence")
# MOTChallenge's ground truth: classes by number. Distractors, occluders and reflections (8 to 13) are no objects.
_MOT_CLASSES = {1: "person", 2: "person", 3: "car", 4: "bicycle", 5: "motorcycle", 6: "vehicle", 7: "person"}
_ULTRALYTICS_NAME = re.compile(r"(?P<stem>.+)_(?P<frame>\d+)\.txt")
_OTHERS = (
    (re.compile(r'\A\s*\{\s*"(images|annotations|info)"|\A\s*\[\s*\{[^}]*"category_id"', re.DOTALL), "COCO's JSON"),
    (re.compile(r"\A\s*<\?xml|\A\s*<annotation", re.DOTALL), "XML of Pascal VOC or CVAT"),
    (re.compile(r'\A\s*\{\s*"predictions"', re.DOTALL), "Roboflow's JSON"),
    (re.compile(r"\A\d+ -?\d+ [A-Z][A-Za-z_]+ -?\d+ -?\d+ -?[\d.]+ "), "KITTI's tracking labels"),
    (
        re.compile(r"\AImage Name,Prediction,Confidence"),
        "Ultralytics' predictions.csv, which has no boxes and no tracks",
    ),
)
_TRUTH = "the seventh value of ground truth says whether the row counts, the eighth is the number of the class"
_HINT = "give a CSV file with a header, MOTChallenge's results, or Ultralytics' folder of labels with ids"


def refuse_others(text: str) -> None:
    """Raises InputError: the text has a known format that is not read, which the error names."""
    for pattern, name in _OTHERS:
        if pattern.match(text[:10_000]):
            raise InputError(f"{name}: this format is not read", hint=_HINT)


def is_mot(text: str) -> bool:
    """Return whether a text has the lines of MOTChallenge's results or ground truth: numbers and no header."""
    first = text.lstrip("\ufeff \r\n").partition("\n")[0].split(",")
    return len(first) >= len(_MOT) - 1 and all(_is_number(each) for each in first)


def of_mot(text: str) -> Iterator[Row]:
    """Yield the rows of MOTChallenge's lines: frame, id, left, top, width, height, confidence in pixels, and more.

    With nine columns it is ground truth: the seventh says whether the row counts, the eighth is the class.
    Raises InputError: one of these two is no number.
    """
    for cells in csv.reader(io.StringIO(text)):
        if not cells:
            continue
        row: dict[str, Any] = dict(zip(_MOT, map(str.strip, cells), strict=False))
        if len(cells) == 9:
            if not all(map(_is_number, cells[6:8])):
                raise InputError(f"a row cannot be read: {','.join(cells)}"[:300], hint=_TRUTH)
            label = _MOT_CLASSES.get(int(float(cells[7])))
            if label is None or float(row.pop("confidence")) == 0:
                continue
            row["label"] = label
        yield row


def of_ultralytics(files: Iterable[tuple[str, str]], classes: Sequence[str]) -> list[Row]:
    """Return the rows of Ultralytics' text files, one per frame, from (file name, text).

    A line has the class, the middle, width and height of a box as shares of the picture, the confidence if it was
    saved, and the id of the track.

    classes: the names of the classes, in order.
    Raises InputError: a file is of something else, or there are no ids.
    """
    rows: list[Row] = []
    for name, text in files:
        found = _ULTRALYTICS_NAME.fullmatch(name)
        if not found:
            raise InputError(
                f"{name} has no number of a frame in its name", hint="give the folder labels of yolo track"
            )
        for line in text.splitlines():
            if cells := line.split():
                rows.append({"frame": int(found["frame"]), **_ultralytics_row(name, cells, classes)})
    return rows


def _ultralytics_row(name: str, cells: Sequence[str], classes: Sequence[str]) -> Row:
    if not (5 <= len(cells) <= 7 and all(map(_is_number, cells))):
        raise InputError(
            f"{name}: a line has {len(cells)} values, or one is no number",
            hint="give boxes, not segments: model yolo*-n.pt",
        )
    kind, middle, centre, width, height = map(float, cells[:5])
    *scores, track_id = cells[5:] or ["?"]
    if not re.fullmatch(r"\d+", track_id):
        raise InputError(f"{name} has no ids of tracks", hint="run: yolo track ... save_txt=True save_conf=True")
    box = {"left": middle - width / 2, "top": centre - height / 2, "width": width, "height": height}
    label = classes[int(kind)] if 0 <= kind < len(classes) else f"class {int(kind)}"
    return {"id": track_id, "label": label, "confidence": scores[0] if scores else None, **box}


def renamed(row: Row) -> Row:
    """Return a row with the columns of known trackers under the names of detections.COLUMNS, beside its own."""
    box = row.get("box")
    if isinstance(box, str) and box.startswith("{"):  # as to_csv writes it
        try:
            box = json.loads(box.replace("'", '"'))
        except ValueError:
            box = None
    flat: dict[str, Any] = {**box, **row} if isinstance(box, Mapping) else dict(row)
    for column, others in _NAMES.items():
        if column not in flat and (known := next((name for name in others if name in flat), None)):
            flat[column] = flat[known]
    return flat


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
