"""The tables beside this code: YAML with a version, checked when first needed, then kept."""

from __future__ import annotations

from importlib import resources
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of this room. Frozen, and loud about keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int


AnyTable = TypeVar("AnyTable", bound=Table)


def load(name: str, model: type[AnyTable]) -> AnyTable:
    """Read `name` (a YAML file of this package) as `model`; raises pydantic's ValidationError where it is wrong."""
    text = resources.files("amr_neo4j.language").joinpath(name).read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return model.model_validate(yaml.load(text, Loader=loader))  # noqa: S506 (a safe loader, whichever it is)
