"""The tables beside this code: YAML with a version, checked where it is read."""

from __future__ import annotations

from importlib.resources import files
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
    return model.model_validate(yaml.safe_load(files("amr_neo4j.recall").joinpath(name).read_text("utf-8")))
