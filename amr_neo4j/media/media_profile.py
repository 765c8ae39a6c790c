"""In which form a clip is sent to a model: the best one for its family, unless the settings override it."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j.model_roles import AnalyseRole
from amr_neo4j.tables import Table, load

_SETTINGS = ("send", "frames", "width", "sound", "max_kbytes")
# Tokens of a second of sound sent beside frames, unless the profile gives a number.
_AUDIO_TOKENS_SECOND = 32


class MediaProfile(BaseModel):
    """An entry of media_profile.yaml, whose header explains the keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: str = ""
    model: str = ""
    send: Literal["film", "frames"]
    frames: int = Field(8, ge=1)
    width: int = Field(ge=64)
    sound: bool
    max_kbytes: int = Field(ge=1)
    tokens_frame: int = 1100
    tokens_second: int = _AUDIO_TOKENS_SECOND

    def tokens(self, seconds: float) -> int:
        """Estimate the tokens of a clip of this length."""
        frames = self.frames * self.tokens_frame if self.send == "frames" else 0
        is_timed = self.send == "film" or self.sound
        return frames + (round(seconds * self.tokens_second) if is_timed else 0)


class _Table(Table):
    families: list[MediaProfile]


def media_profile(base_url: str, model: str, role: AnalyseRole) -> MediaProfile:
    """Return the profile for this model at this provider: that of its family, overridden by the role's settings."""
    family = next(entry for entry in _table().families if _fits(entry, base_url, model))
    chosen = {name: getattr(role, name) for name in _SETTINGS if getattr(role, name) is not None}
    return family.model_copy(update=chosen)


def _fits(entry: MediaProfile, base_url: str, model: str) -> bool:
    pairs = ((entry.at, base_url), (entry.model, model))
    return all(re.search(pattern, text, re.IGNORECASE) for pattern, text in pairs)


@cache
def _table() -> _Table:
    return load("amr_neo4j.media", "media_profile.yaml", _Table)
