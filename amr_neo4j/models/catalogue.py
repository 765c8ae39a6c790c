"""What is known of models by their names: prices, limits, and when they end (catalogue.yaml)."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j.tables import Table, Weight, load

Takes = Literal["image", "video", "audio"]
Price = tuple[Weight, Weight]
"""US dollars per million tokens of input and of output."""

# How long before its end the end of a model is announced.
_NOTICE = timedelta(days=60)


class KnownModel(BaseModel):
    """A row of the catalogue, which explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    price: Price
    later: dict[date, Price] = {}
    context: int
    output: int | None = None
    takes: tuple[Takes, ...] = ()
    thinks: Literal["never", "unless_told", "always"] = "never"
    send: dict[str, Any] = {}
    without: frozenset[str] = frozenset()
    dimensions: int | None = None
    ends: date | None = None
    successor: str = ""
    checked: date
    source: Annotated[str, Field(pattern="^https://")]

    def price_on(self, day: date) -> Price:
        """Return the price of that day."""
        begun = [since for since in self.later if since <= day]
        return self.later[max(begun)] if begun else self.price


class _Catalogue(Table):
    models: dict[str, KnownModel]


@cache
def catalogue() -> dict[str, KnownModel]:
    """Return all rows by name, with the maker: "openai/gpt-6-luna"."""
    return load("amr_neo4j.models", "catalogue.yaml", _Catalogue).models


@cache
def _by_bare_name() -> dict[str, KnownModel]:
    return {name.partition("/")[2]: row for name, row in catalogue().items()}


def known_model(name: str) -> KnownModel | None:
    """Return the row of a model; None if there is none. OpenAI and Google name their own models without the maker."""
    return catalogue().get(name) or _by_bare_name().get(name.removeprefix("models/"))


def end_of(name: str, ends: date | None, successor: str, day: date) -> str:
    """Return a line on the end of a model within 60 days; empty if it does not end then."""
    if ends is None or ends - day > _NOTICE:
        return ""
    instead = f"; the provider recommends {successor}" if successor else ""
    return f"the model {name} {'ends' if ends > day else 'ended'} on {ends.isoformat()}{instead}"
