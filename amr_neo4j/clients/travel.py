"""How a clip travels to a model: as its family takes it best, unless the settings say otherwise."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j.clients.endpoints import Endpoint
from amr_neo4j.model_roles import AnalyseRole

_SETTINGS = ("send", "frames", "width", "sound", "max_kbytes")
# A second of sound on its own, where a family that takes frames says nothing else.
_TOKENS_SECOND_OF_SOUND = 32


class Travel(BaseModel):
    """An entry of travel.yaml, whose head says what its keys mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: str = ""
    model: str = ""
    send: Literal["film", "frames"]
    frames: int = Field(8, ge=1)
    width: int = Field(ge=64)
    sound: bool
    max_kbytes: int = Field(ge=1)
    tokens_frame: int = 1100
    tokens_second: int = _TOKENS_SECOND_OF_SOUND

    def tokens(self, seconds: float) -> int:
        """About how many tokens so many seconds of clip count for."""
        pictures = self.frames * self.tokens_frame if self.send == "frames" else 0
        runs = self.send == "film" or self.sound
        return pictures + (round(seconds * self.tokens_second) if runs else 0)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    families: list[Travel]


def travel(to: Endpoint, role: AnalyseRole) -> Travel:
    """How clips travel to this model at this provider."""
    family = next(entry for entry in _table().families if _fits(entry, to))
    chosen = {name: getattr(role, name) for name in _SETTINGS if getattr(role, name) is not None}
    return family.model_copy(update=chosen)


def _fits(entry: Travel, to: Endpoint) -> bool:
    pairs = ((entry.at, to.base_url), (entry.model, to.model))
    return all(re.search(pattern, text, re.IGNORECASE) for pattern, text in pairs)


@cache
def _table() -> _Table:
    text = files("amr_neo4j.clients").joinpath("travel.yaml").read_text("utf-8")
    return _Table.model_validate(yaml.safe_load(text))
