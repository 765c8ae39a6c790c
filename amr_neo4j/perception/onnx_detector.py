"""Detectors that are ONNX exports, such as the user's own. The layout is recognised by inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from amr_neo4j.domain.footage import Image
from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.files import read_regular
from amr_neo4j.onnx_session import onnxruntime, open_session
from amr_neo4j.perception.classes import LABELS
from amr_neo4j.perception.detector import (
    FAINT,
    Detection,
    Detector,
    one_name_each,
    without_doubles,
)
from amr_neo4j.perception.geometry import Box

Array = Any
"""A numpy array."""
STRIDES = (8, 16, 32)
SIDE = 640
"""The longer side of the input in pixels, if the export accepts pictures of any size."""
CELL = 32
"""Open sides are multiples of this many pixels."""
GREY = 114
"""The level that fills the rest of a square beside the picture, as the YOLO family is trained."""
LARGEST_LABELS = 2**20
KNOWN = "YOLOv5 to v11, YOLOX, RT-DETR, SSD"
_EVERYDAY = {
    "dining table": "table", "sports ball": "ball", "cell phone": "phone", "remote": "remote control",
    "hair drier": "hair dryer", "tvmonitor": "tv", "sofa": "couch", "motorbike": "motorcycle",
    "aeroplane": "airplane", "pottedplant": "potted plant", "diningtable": "table",
}  # fmt: skip
"""{a name that label files have for a class of COCO: our word}."""


@dataclass(frozen=True)
class NetworkOutput:
    """Boxes (n, 4) as left, top, right, bottom in pixels of the input; scores (n,); classes (n,) from 0."""

    boxes: Array
    scores: Array
    classes: Array


@dataclass(frozen=True)
class Layout:
    """How an export takes pictures and returns boxes.

    fills: the picture keeps its proportions, and grey fills the rest.
    centred: the picture is in the middle, else at the top left.
    scale: levels (0 to 255) are divided by it.
    rgb: the order is red, green, blue, else the reverse.
    """

    name: str
    decode: Callable[[Mapping[str, Array], tuple[int, int]], NetworkOutput]
    fills: bool = True
    centred: bool = True
    scale: float = 255.0
    rgb: bool = True


class OnnxDetector(Detector):
    """Any export of a known layout. It runs on a GPU if onnxruntime has one."""

    def __init__(self, file: Path, labels: Sequence[str], name: str = "") -> None:
        """labels: the names of its classes, in order.
        name: the model's name; by default the file's.
        Raises ConfigError if it cannot be loaded or used.
        """
        self.name = name or file.name
        self._file = file
        self._labels = [_EVERYDAY.get(label, label) for label in labels]
        self._session = _opened(file)
        self._picture, self._sizes = _inputs(file, self._session)
        self._nhwc = self._picture.shape[-1] == 3
        self._side = _side(self._picture.shape, nhwc=self._nhwc)
        self._names = [output.name for output in self._session.get_outputs()]
        try:
            # Many exports do not state the sizes of their outputs, so run a blank picture and look.
            shapes = {name: value.shape for name, value in self._run(_blank(self._side)).items()}
        except Exception as error:  # as in _opened
            reason = " ".join(str(error).split())[:200]
            raise ConfigError(f"{file} takes no picture: {reason}", hint=f"known layouts: {KNOWN}") from error
        self._layout = _layout(file, shapes, classes=len(labels), side=self._side)
        self._is_open = self._layout.fills and _are_open(self._picture.shape, nhwc=self._nhwc) and self._takes_wide()

    def __call__(self, image: Image) -> list[Detection]:
        side = _side_for(image) if self._is_open else self._side
        shown, scale, (left, top) = self._shown(image, side)
        found = self._layout.decode(self._run(shown), side)
        sure = (found.scores >= FAINT) & (found.classes < len(self._labels)) & (found.classes >= 0)
        sure &= np.isfinite(found.boxes).all(axis=1)
        height, width = image.shape[:2]
        offset, factor = np.array([left, top] * 2), np.array([*scale, *scale])
        edges: Array = (found.boxes[sure] - offset) / factor
        boxes: Array = np.minimum(np.maximum(edges, 0), np.array([width, height] * 2))
        scores, classes = found.scores[sure].astype(np.float32), found.classes[sure].astype(np.int64)
        labels: list[str] = [self._labels[number] for number in classes.tolist()]
        kept = without_doubles(boxes, scores, classes)
        return one_name_each(
            Detection(
                labels[i],
                min(1.0, float(scores[i])),
                Box(*map(float, boxes[i])),
                self._layout.name,
            )
            for i in kept
        )

    def _takes_wide(self) -> bool:
        """Return whether the input may be wider than high. Some exports declare any size, but run only squares."""
        try:
            self._run(_blank((SIDE, SIDE // 2)))
        except Exception:  # noqa: BLE001 - as in _opened
            return False
        return True

    def _shown(self, image: Image, side: tuple[int, int]) -> tuple[Image, tuple[float, float], tuple[int, int]]:
        """Return (the picture as the network takes it, its scale across and down, its left and top in the input)."""
        layout, (wide, high), (height, width) = self._layout, side, image.shape[:2]
        if not layout.fills:
            stretched: Any = cv2.resize(image, (wide, high))
            return stretched, (wide / width, high / height), (0, 0)
        scale = min(wide / width, high / height)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        left, top = ((wide - size[0]) // 2, (high - size[1]) // 2) if layout.centred else (0, 0)
        shown = np.full((high, wide, 3), GREY, np.uint8)
        shown[top : top + size[1], left : left + size[0]] = cv2.resize(image, size)
        return shown, (scale, scale), (left, top)

    def _run(self, image: Image) -> dict[str, Array]:
        # Not set yet when the blank picture runs. For that, any order and scale will do.
        layout = getattr(self, "_layout", None)
        pixels: Array = cv2.cvtColor(image, cv2.COLOR_BGR2RGB) if layout is None or layout.rgb else image
        if self._picture.type == "tensor(uint8)":
            batch = pixels[None]
        else:
            kind = np.float16 if self._picture.type == "tensor(float16)" else np.float32
            batch = (pixels.astype(np.float32) / (layout.scale if layout else 255.0)).astype(kind)[None]
        given: dict[str, Any] = {self._picture.name: batch if self._nhwc else batch.transpose(0, 3, 1, 2)}
        if self._sizes:
            given[self._sizes.name] = np.array([image.shape[1::-1]], np.int64)
        values = self._session.run(self._names, {name: np.ascontiguousarray(value) for name, value in given.items()})
        return {name: np.asarray(value) for name, value in zip(self._names, values, strict=True)}


def read_labels(file: Path | None) -> list[str]:
    """Return the names of classes in a file, one per line; without a file COCO's 80 classes. Raises InputError."""
    if file is None:
        return [label for _, label in sorted(LABELS.items())]
    text = read_regular(file, at_most=LARGEST_LABELS).decode("utf-8", errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _opened(file: Path) -> Any:
    if not file.is_file():
        raise ConfigError(f"there is no file {file}", hint="set detector to an ONNX file")
    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [name for name in wanted if name in onnxruntime.get_available_providers()]
    try:
        return open_session(file, providers=providers)
    except ModelMissing as error:
        raise ConfigError(error.message, hint="export it to ONNX again") from error


def _inputs(file: Path, session: Any) -> tuple[Any, Any]:
    """Return (the input for the picture, the input for its size or None)."""
    inputs = session.get_inputs()
    pictures = [each for each in inputs if len(each.shape) == 4]
    sizes = [each for each in inputs if len(each.shape) == 2 and "size" in each.name.casefold()]
    if len(pictures) != 1 or len(pictures) + len(sizes) != len(inputs):
        named = ", ".join(f"{each.name} {each.shape}" for each in inputs)
        raise ConfigError(f"{file} takes {named}, not one picture", hint=f"known layouts: {KNOWN}")
    return pictures[0], next(iter(sizes), None)


def _side(shape: Sequence[Any], *, nhwc: bool) -> tuple[int, int]:
    """Return (width, height) of the input."""
    high, wide = (shape[1], shape[2]) if nhwc else (shape[2], shape[3])
    return tuple(each if isinstance(each, int) and each > 0 else SIDE for each in (wide, high))  # type: ignore[return-value]


def _are_open(shape: Sequence[Any], *, nhwc: bool) -> bool:
    return not any(isinstance(each, int) for each in (shape[1:3] if nhwc else shape[2:4]))


def _side_for(image: Image) -> tuple[int, int]:
    """Return (width, height) of an open input: the proportions of the picture, with SIDE as the longer side."""
    height, width = image.shape[:2]
    scale = SIDE / max(width, height)
    return tuple(max(1, ceil(each * scale / CELL - 1e-6)) * CELL for each in (width, height))  # type: ignore[return-value]


def _blank(side: tuple[int, int]) -> Image:
    return np.zeros((side[1], side[0], 3), np.uint8)


def _layout(file: Path, shapes: Mapping[str, tuple[int, ...]], *, classes: int, side: tuple[int, int]) -> Layout:
    """Return the layout by the outputs' shapes.

    Raises ConfigError if it is unknown, or does not fit the number of labels.
    """
    of_several = _layout_by_names(shapes) if len(shapes) > 1 else None
    if of_several:
        return of_several
    tall = [shape for shape in shapes.values() if len(shape) == 3 and shape[0] == 1]
    if tall and (layout := _layout_of_one(tall[0], classes, side)):
        return layout
    named = ", ".join(f"{name} {tuple(shape)}" for name, shape in shapes.items())
    raise ConfigError(
        f"the layout of {file} is not known: it gives {named} for {classes} labels",
        hint=f"known layouts: {KNOWN}; is detector_labels the list of its classes?",
    )


def _layout_of_one(shape: Sequence[int], classes: int, side: tuple[int, int]) -> Layout | None:
    _, rows, columns = shape
    # -(-a // b) rounds up. Only YOLOX has one row per cell, which distinguishes it from YOLOv5.
    cells = sum(prod(-(-length // stride) for length in side) for stride in STRIDES)
    # Six columns are box, score and class. With one class they may also be YOLOv5 or YOLOX, with two RT-DETR.
    if columns == 6 and rows <= 1000 and classes not in {1, 2}:
        return Layout("YOLO with its own suppression", _suppressed)
    if columns == 5 + classes and rows == cells:
        return Layout("YOLOX", _yolox, centred=False, scale=1.0, rgb=False)
    if columns == 5 + classes:
        return Layout("YOLOv5", _yolo5)
    if rows == 4 + classes and columns > rows:
        return Layout("YOLOv8", _yolo8)
    if columns == 4 + classes:
        return Layout("RT-DETR", _rtdetr, fills=False)
    return None


def _layout_by_names(shapes: Mapping[str, tuple[int, ...]]) -> Layout | None:
    """Return the layout of an export with several outputs, by the words in their names; None if it is unknown."""
    names: dict[str, str] = {}
    for name in shapes:
        words = [word for word in ("box", "score", "class", "label", "logit") if word in name.casefold()]
        names.update(dict.fromkeys(words, name))
    if "logit" in names and "box" in names:
        return Layout("DETR", lambda out, side: _detr(out[names["logit"]], out[names["box"]], side), fills=False)
    kinds = names.get("class") or names.get("label")
    if not ("box" in names and "score" in names and kinds):
        return None
    if names["box"].casefold().startswith("detection"):
        return Layout(
            "SSD of TensorFlow",
            lambda out, side: _ssd(out[names["box"]], out[names["score"]], out[kinds], side),
            fills=False,
        )
    return Layout(
        "boxes, labels and scores",
        lambda out, _: _flat(out[names["box"]], out[names["score"]], out[kinds]),
        fills=False,
    )


def _yolo5(out: Mapping[str, Array], side: tuple[int, int]) -> NetworkOutput:
    rows = next(iter(out.values()))[0].astype(np.float32)
    # Column 4 is the probability that there is anything, the others that it is of each class.
    scores = rows[:, 5:] * rows[:, 4:5]
    return NetworkOutput(_corners(rows[:, :4]), scores.max(axis=1), scores.argmax(axis=1))


def _yolo8(out: Mapping[str, Array], side: tuple[int, int]) -> NetworkOutput:
    rows = next(iter(out.values()))[0].astype(np.float32).T
    return NetworkOutput(_corners(rows[:, :4]), rows[:, 4:].max(axis=1), rows[:, 4:].argmax(axis=1))


def _yolox(out: Mapping[str, Array], side: tuple[int, int]) -> NetworkOutput:
    """YOLOX exports offsets from the cells of three grids, in strides."""
    rows = next(iter(out.values()))[0].astype(np.float32)
    wide, high = side
    grids, strides = list[Array](), list[Array]()
    for stride in STRIDES:
        x, y = np.meshgrid(np.arange(-(-wide // stride)), np.arange(-(-high // stride)))
        grids.append(np.stack([x.ravel(), y.ravel()], axis=1))
        strides.append(np.full((x.size, 1), stride))
    grid, stride = np.concatenate(grids), np.concatenate(strides)
    # The limit keeps exp from overflowing for boxes that are nonsense anyway.
    centres, sizes = (rows[:, :2] + grid) * stride, np.exp(np.minimum(rows[:, 2:4], 20.0)) * stride
    scores = rows[:, 5:] * rows[:, 4:5]
    return NetworkOutput(
        _corners(np.concatenate([centres, sizes], axis=1)), scores.max(axis=1), scores.argmax(axis=1)
    )


def _suppressed(out: Mapping[str, Array], side: tuple[int, int]) -> NetworkOutput:
    rows = next(iter(out.values()))[0].astype(np.float32)
    return NetworkOutput(rows[:, :4], rows[:, 4], rows[:, 5].round())


def _rtdetr(out: Mapping[str, Array], side: tuple[int, int]) -> NetworkOutput:
    rows = next(iter(out.values()))[0].astype(np.float32)
    return NetworkOutput(
        _corners(rows[:, :4]) * np.array([*side, *side]), rows[:, 4:].max(axis=1), rows[:, 4:].argmax(axis=1)
    )


def _detr(logits: Array, boxes: Array, side: tuple[int, int]) -> NetworkOutput:
    # DETR gives logits, which this turns into scores from 0 to 1.
    scores = 1 / (1 + np.exp(-logits[0].astype(np.float32)))
    return NetworkOutput(_corners(boxes[0]) * np.array([*side, *side]), scores.max(axis=1), scores.argmax(axis=1))


def _ssd(boxes: Array, scores: Array, classes: Array, side: tuple[int, int]) -> NetworkOutput:
    """TensorFlow's SSD gives top, left, bottom, right as shares, and classes from 1."""
    ordered = boxes.reshape(-1, 4)[:, [1, 0, 3, 2]] * np.array([*side, *side])
    return NetworkOutput(ordered, scores.ravel(), classes.ravel().round() - 1)


def _flat(boxes: Array, scores: Array, labels: Array) -> NetworkOutput:
    return NetworkOutput(boxes.reshape(-1, 4), scores.ravel(), labels.ravel().round())


def _corners(boxes: Array) -> Array:
    """Return boxes as corners, from boxes as centre and size."""
    return np.concatenate([boxes[:, :2] - boxes[:, 2:4] / 2, boxes[:, :2] + boxes[:, 2:4] / 2], axis=1)
