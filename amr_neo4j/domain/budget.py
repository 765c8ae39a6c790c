"""The context budget (specification 002 6): what it kept, cut and left out, and how tokens are counted.

Counting needs no files: it is an estimate. Words of Latin letters count one token for up to six letters and one more
for each four beyond; accents and other alphabets one for three letters; Han, kana and Hangul one a character; digits
one for three; marks one for two; a line break one. Compared with o200k_base on turns of five languages, prose and
JSON: docs/facts.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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


CountTokens = Callable[[str], int]
"""The number of tokens of a text."""

PER_MESSAGE = 4
"""Tokens of a message beside its text."""

_PIECE = re.compile(
    r"(?P<cjk>[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])"
    r"|(?P<digits>\d+)|(?P<plain>[A-Za-z]+)|(?P<other>[^\W\d_]+)|(?P<marks>[^\w\s]+|_+)|(?P<lines>\n+)"
)


def estimated_tokens(text: str) -> int:
    """About how many tokens; 0 for empty text."""
    return sum(_tokens(match.lastgroup or "", len(match[0])) for match in _PIECE.finditer(text))


def _tokens(kind: str, length: int) -> int:
    if kind == "plain":
        return 1 + max(0, length - 6 + 3) // 4
    if kind in ("digits", "other"):
        return -(-length // 3)
    if kind == "marks":
        return -(-length // 2)
    return 1
