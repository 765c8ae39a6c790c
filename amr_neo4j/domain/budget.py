"""What a context budget kept, cut and left out (specification 002 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Tier = Literal["recent", "tools", "facts", "episodes", "system"]
Why = Literal["no room", "too old", "said already", "shortened"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A text that was left out, or shortened to `kept` tokens of its `tokens`."""

    tier: Tier
    text: str
    tokens: int
    why: Why
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """A prompt within its budget. recent: oldest first. tokens: of each tier; dropped: everything that is missing."""

    recent: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    system: str = ""
    tokens: Mapping[Tier, int] = field(default_factory=dict[Tier, int])
    dropped: tuple[Dropped, ...] = ()

    @property
    def total(self) -> int:
        """Tokens of all tiers."""
        return sum(self.tokens.values())
