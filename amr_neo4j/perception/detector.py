"""Detects people and objects in a picture: SSDLite on onnxruntime, or OpenCV's HOG if SSDLite is not installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.footage import Image
from amr_neo4j.onnx_session import open_session
from amr_neo4j.perception.classes import LABELS, PERSON, Thresholds, thresholds
from amr_neo4j.perception.geometry import Box, Size, covered, overlap

FAINT = 0.25
"""The lowest score that is kept. Detections below `begin` (thresholds.yaml) can only continue a track."""


@dataclass(frozen=True)
class Detection:
    """A class at a place of the picture.

    score: 0 to 1.
    box: in pixels.
    network: whose thresholds apply to the score.
    """

    label: str
    score: float
    box: Box
    network: str = ""

    @property
    def limits(self) -> Thresholds:
        """The thresholds of its class for this network."""
        return thresholds(self.label, self.network)

    @property
    def begins(self) -> bool:
        """Whether it can start a track."""
        return self.score >= self.limits.begin


class Detector(ABC):
    """Finds people and objects. note: put on receipts; empty for the regular detector."""

    name: str
    note: str = ""

    @abstractmethod
    def __call__(self, image: Image) -> list[Detection]:
        """Return detections with a score of at least FAINT.

        image: shape (height, width, 3), blue, green, red.
        """


class SsdLite(Detector):
    """SSDLite-MobileNetV2 with 80 classes of COCO. A picture takes about 20 ms of one thread."""

    name = "ssdlite-mobilenetv2-coco"

    def __init__(self, folder: Path) -> None:
        """folder: has model.onnx and anchors.npy, as `amr models install` leaves them."""
        self._session = open_session(folder / "model.onnx")
        top, left, bottom, right = np.load(folder / "anchors.npy").T
        self._centres = np.stack([(left + right) / 2, (top + bottom) / 2], axis=1)
        self._sizes = np.stack([right - left, bottom - top], axis=1)

    def __call__(self, image: Image) -> list[Detection]:
        height, width = image.shape[:2]
        # The network's boxes are shares of the padded picture. They are clipped to the real one.
        squarish = _padded(image)
        found_boxes, scores, classes = self._run(squarish)
        scale = np.array([squarish.shape[1], squarish.shape[0]] * 2)
        limit = np.array([width, height] * 2)
        boxes: Any = np.minimum(np.maximum(found_boxes * scale, 0), limit)
        kept = without_doubles(boxes, scores, classes)
        # COCO's ids in LABELS begin at 1.
        found = [(LABELS.get(classes[i] + 1), float(scores[i]), Box(*map(float, boxes[i]))) for i in kept]
        return one_name_each(Detection(label, score, box) for label, score, box in found if label)

    def _run(self, image: Image) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Return (boxes, scores, classes), of shapes (n, 4), (n,) and (n,).

        A box is left, top, right, bottom as shares of the picture. Class 0 is COCO's id 1.
        """
        # The network takes 300 x 300 pixels with levels from -1 to 1.
        pixels = cv2.cvtColor(cv2.resize(image, (300, 300)), cv2.COLOR_BGR2RGB).astype(np.float32) / 127.5 - 1
        outputs: Any = self._session.run(["boxes", "scores"], {"input": pixels[None]})
        offsets, scores = (output[0] for output in outputs)
        # Column 0 is the background.
        scores = scores[:, 1:]
        sure = scores.max(axis=1) >= FAINT
        offsets, scores, sizes = offsets[sure], scores[sure], self._sizes[sure]
        # Boxes are coded as offsets from the anchors, scaled by 10 and 5 as in TensorFlow's box coder.
        centres = offsets[:, [1, 0]] / 10 * sizes + self._centres[sure]
        halves = np.exp(offsets[:, [3, 2]] / 5) * sizes / 2
        return np.concatenate([centres - halves, centres + halves], axis=1), scores.max(axis=1), scores.argmax(axis=1)


class HogPeople(Detector):
    """OpenCV's histogram of oriented gradients. It finds upright people only, and fewer of them."""

    name = "opencv-hog-people"
    note = "fallback in use: OpenCV's HOG finds upright people only and no objects (run: amr models install)"

    def __init__(self) -> None:
        self._hog = cv2.HOGDescriptor()
        people: Any = cv2.HOGDescriptor.getDefaultPeopleDetector()
        self._hog.setSVMDetector(people)

    def __call__(self, image: Image) -> list[Detection]:
        height, width = image.shape[:2]
        if height < self._hog.winSize[1] or width < self._hog.winSize[0]:
            return []
        boxes, weights = self._hog.detectMultiScale(image, winStride=(8, 8), padding=(8, 8), scale=1.05)
        # The weights are margins of a support vector machine, from 0 up. Most of those above 0.3 are people.
        scores = [min(1.0, FAINT + float(weight)) for weight in np.ravel(weights)]
        surest = sorted(zip(scores, boxes, strict=True), key=lambda each: -each[0])
        found = [Detection(PERSON, score, _tight(box, width, height)) for score, box in surest]
        return [
            each for n, each in enumerate(found) if all(covered(each.box, other.box) < 0.6 for other in found[:n])
        ]


def _tight(box: Any, width: int, height: int) -> Box:
    """Return the box without the margin of HOG's windows: a tenth on each side, and less above and below."""
    x, y, w, h = (float(edge) for edge in box)
    return Box(max(0.0, x + 0.1 * w), max(0.0, y + 0.07 * h), min(width, x + 0.9 * w), min(height, y + 0.9 * h))


def plausible(detections: Iterable[Detection], size: Size) -> list[Detection]:
    """Return the detections without implausible ones.

    These are boxes larger than their class can be (thresholds.yaml), and people wider than 0.3 of the picture while
    all others are small.
    """
    area = size.width * size.height
    found = [each for each in detections if each.box.area <= each.limits.largest * area]
    widths = [each.box.width / size.width for each in found if each.label == PERSON and each.begins]
    # Only many small people show that the camera is far away.
    if len(widths) < 3 or median(widths) > 0.1:
        return found
    return [each for each in found if each.label != PERSON or each.box.width <= 0.3 * size.width]


def _padded(image: Image) -> Image:
    """Return the picture with grey added to it, if it is much wider than high or much higher than wide.

    A picture wider than 4:3 gets grey below, one taller than 3:4 gets it beside, up to 6:5. The network scales its
    input to a square, and was trained on pictures of 4:3. In a picture of 16:9 upright people are lost: somebody in
    plain view scores 0.17 instead of 0.98.
    """
    height, width = image.shape[:2]
    if max(width, height) <= 1.34 * min(width, height):
        return image
    below, beside = max(0, round(width / 1.2) - height), max(0, round(height / 1.2) - width)
    padded: Any = cv2.copyMakeBorder(image, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=(127, 127, 127))
    return padded


def without_doubles(boxes: Any, scores: Any, classes: Any) -> list[int]:
    """Return indices after non-maximum suppression per class, best first."""
    if not len(boxes):
        return []
    corner_and_size: Any = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)
    return list(cv2.dnn.NMSBoxesBatched(corner_and_size, scores, classes, FAINT, 0.5))


def one_name_each(detections: Iterable[Detection]) -> list[Detection]:
    """Return one class per thing: of boxes in one place, only the surest."""
    kept: list[Detection] = []
    for each in sorted(detections, key=lambda one: -one.score):
        if all(overlap(each.box, other.box) < 0.7 for other in kept):
            kept.append(each)
    return kept
