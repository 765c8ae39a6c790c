"""The classes of COCO that the detector knows, and the kind of each."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """Kinds of classes: people act, travellers move by themselves, things are handled, fixtures stay; what moves
    without a class is unnamed."""

    PERSON = "person"
    TRAVELLER = "traveller"
    THING = "thing"
    FIXTURE = "fixture"
    UNNAMED = "unnamed"


_TRAVELLERS = {
    2: "bicycle", 3: "car", 4: "motorcycle", 5: "airplane", 6: "bus", 7: "train", 8: "truck", 9: "boat",
    16: "bird", 17: "cat", 18: "dog", 19: "horse", 20: "sheep", 21: "cow", 22: "elephant", 23: "bear",
    24: "zebra", 25: "giraffe",
}  # fmt: skip
_FIXTURES = {
    10: "traffic light", 11: "fire hydrant", 13: "stop sign", 14: "parking meter", 15: "bench", 62: "chair",
    63: "couch", 64: "potted plant", 65: "bed", 67: "table", 70: "toilet", 72: "tv", 78: "microwave", 79: "oven",
    80: "toaster", 81: "sink", 82: "refrigerator", 85: "clock",
}  # fmt: skip
_THINGS = {
    27: "backpack", 28: "umbrella", 31: "handbag", 32: "tie", 33: "suitcase", 34: "frisbee", 35: "skis",
    36: "snowboard", 37: "ball", 38: "kite", 39: "baseball bat", 40: "baseball glove", 41: "skateboard",
    42: "surfboard", 43: "tennis racket", 44: "bottle", 46: "wine glass", 47: "cup", 48: "fork", 49: "knife",
    50: "spoon", 51: "bowl", 52: "banana", 53: "apple", 54: "sandwich", 55: "orange", 56: "broccoli", 57: "carrot",
    58: "hot dog", 59: "pizza", 60: "donut", 61: "cake", 73: "laptop", 74: "mouse", 75: "remote control",
    76: "keyboard", 77: "phone", 84: "book", 86: "vase", 87: "scissors", 88: "teddy bear", 89: "hair dryer",
    90: "toothbrush",
}  # fmt: skip

PERSON = "person"
UNNAMED = "something"
LABELS: dict[int, str] = {1: PERSON, **_TRAVELLERS, **_FIXTURES, **_THINGS}
"""COCO's class ids (of 91) to everyday words."""

_BOXES = {"suitcase", "refrigerator", "oven", "microwave"}
SURFACES = frozenset({"table", "bench", "bed", "couch", "chair", "book", *_BOXES})
CONTAINERS = frozenset({"bowl", "cup", "sink", "backpack", "handbag", *_BOXES})

# What shows through them fills as much of their box as they do.
_SEEN_THROUGH = frozenset(
    {
        *("bicycle", "motorcycle", "tie", "skis", "snowboard", "baseball bat", "tennis racket", "wine glass"),
        *("fork", "knife", "spoon", "scissors", "toothbrush"),
    }
)

_KINDS = {
    PERSON: Kind.PERSON,
    **dict.fromkeys(_TRAVELLERS.values(), Kind.TRAVELLER),
    **dict.fromkeys(_FIXTURES.values(), Kind.FIXTURE),
    **dict.fromkeys(_THINGS.values(), Kind.THING),
}


def kind_of(label: str) -> Kind:
    """The kind of a class; an unknown class is a thing."""
    return _KINDS.get(label, Kind.THING)


def has_colour(label: str) -> bool:
    """Whether the middle of a box of this class shows its colour: of a thing or what travels, and not people or what
    stands behind others.
    """
    return kind_of(label) in (Kind.TRAVELLER, Kind.THING) and label not in _SEEN_THROUGH
