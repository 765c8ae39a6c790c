"""How surely something is seen: thresholds for each class (thresholds.yaml), and the setting that a scene shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j.tables import Table, load

Share = Annotated[float, Field(ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Thresholds(_Part):
    """Of one class, 0 to 1; thresholds.yaml explains them."""

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
    """The thresholds of one kind of network, where they are not the general ones."""

    default: Thresholds
    classes: Mapping[str, _Override]


class ThresholdTable(Table):
    """thresholds.yaml, whose head says what its keys mean."""

    frames: int
    of: int
    default: Thresholds
    small: _Small
    unlikely: _Unlikely
    unclear: Share
    classes: Mapping[str, _Override]
    networks: Mapping[str, _Network]
    settings: Mapping[str, frozenset[str]]


@cache
def table() -> ThresholdTable:
    """The shipped thresholds."""
    return load("amr_neo4j.perception", "thresholds.yaml", ThresholdTable)


@cache
def thresholds(label: str, network: str = "") -> Thresholds:
    """Those of a class for the scores of a kind of network; the default ones where it has none of its own."""
    own = table().networks.get(network)
    classes = [table().classes, own.classes] if own else [table().classes]
    stated = [each.get(label, _Override()).model_dump(exclude_none=True) for each in classes]
    default = own.default if own else table().default
    return default.model_copy(update={name: value for each in stated for name, value in each.items()})


class Setting:
    """What kind of place a scene shows, by the classes seen in it so far."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def see(self, detections: Iterable[tuple[str, float]]) -> None:
        """Take in the (class, score) of one picture's detections of at least `begin`."""
        for label, score in detections:
            for name, classes in table().settings.items():
                if label in classes:
                    self._seen[name] += score  # type: ignore[assignment]

    def handicap(self, label: str) -> float:
        """What a class needs more, where the setting makes it unlikely."""
        unlikely, known = table().unlikely, self._seen.most_common(1)
        if not known or known[0][1] < unlikely.seen:
            return 0.0
        name, seen = known[0]
        own = [other for other, classes in table().settings.items() if label in classes]
        far = name not in own and all(seen >= unlikely.ratio * self._seen[other] for other in own)
        return unlikely.more if own and far else 0.0
