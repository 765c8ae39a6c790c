"""The classes of COCO that detectors know: the kind of each, and how surely it must be seen (thresholds.yaml)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache

from pydantic import BaseModel, ConfigDict

from amr_neo4j.tables import Share, Table, shipped


class Kind(Enum):
    """The kind of a class.

    People act. Travellers move by themselves (cars, animals). Things are handled. Fixtures stay where they are.
    Something that moves and has no class is unnamed.
    """

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
"""{COCO's class id, of 91: the everyday word}."""

_BOXES = {"suitcase", "refrigerator", "oven", "microwave"}
SURFACES = frozenset({"table", "bench", "bed", "couch", "chair", "book", *_BOXES})
CONTAINERS = frozenset({"bowl", "cup", "sink", "backpack", "handbag", *_BOXES})

# What is seen through these fills as much of their box as they do, so a box does not show their colour.
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
    """Return the kind of a class. An unknown class is a thing."""
    return _KINDS.get(label, Kind.THING)


def has_colour(label: str) -> bool:
    """Return whether the middle of a box of this class shows its colour, as of most things and travellers."""
    return kind_of(label) in (Kind.TRAVELLER, Kind.THING) and label not in _SEEN_THROUGH


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Thresholds(_Part):
    """The thresholds of one class, 0 to 1. thresholds.yaml explains them."""

    begin: Share
    perhaps: Share
    sure: Share
    largest: Share


class _Override(_Part):
    begin: Share | None = None
    perhaps: Share | None = None
    sure: Share | None = None
    largest: Share | None = None


class _Small(_Part):
    share: Share
    more: Share


class _Unlikely(_Part):
    ratio: float
    seen: float
    more: Share


class _Network(_Part):
    """The thresholds of one kind of network, if they differ from the general ones."""

    default: Thresholds
    classes: Mapping[str, _Override]


class ThresholdTable(Table):
    """thresholds.yaml, whose head explains its keys."""

    frames: int
    of: int
    default: Thresholds
    small: _Small
    unlikely: _Unlikely
    unclear: Share
    classes: Mapping[str, _Override]
    networks: Mapping[str, _Network]
    settings: Mapping[str, frozenset[str]]


table = shipped("amr_neo4j.perception", "thresholds.yaml", ThresholdTable)
"""Returns the shipped thresholds."""


@cache
def thresholds(label: str, network: str = "") -> Thresholds:
    """Return the thresholds of a class for the scores of a kind of network; the default ones if it has none."""
    own = table().networks.get(network)
    classes = [table().classes, own.classes] if own else [table().classes]
    stated = [each.get(label, _Override()).model_dump(exclude_none=True) for each in classes]
    default = own.default if own else table().default
    return default.model_copy(update={name: value for each in stated for name, value in each.items()})


class Setting:
    """The kind of place that a scene shows, such as a kitchen or a street, by the classes seen in it so far."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def see(self, detections: Iterable[tuple[str, float]]) -> None:
        """Take in (class, score) of one picture's detections that reach `begin`."""
        for label, score in detections:
            for name, classes in table().settings.items():
                if label in classes:
                    self._seen[name] += score  # type: ignore[assignment]

    def handicap(self, label: str) -> float:
        """Return how much higher the thresholds are for a class that is unlikely here, such as a bear in a kitchen.

        0 if it is not unlikely, or if the kind of place is not known yet.
        """
        unlikely, known = table().unlikely, self._seen.most_common(1)
        if not known or known[0][1] < unlikely.seen:
            return 0.0
        name, seen = known[0]
        own = [other for other, classes in table().settings.items() if label in classes]
        # The settings that the class belongs to must have been seen far less than the one that prevails.
        far = name not in own and all(seen >= unlikely.ratio * self._seen[other] for other in own)
        return unlikely.more if own and far else 0.0
