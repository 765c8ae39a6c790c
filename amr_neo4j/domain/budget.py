"""The context budget (specification 002, section 6): what fits, what was dropped, and how tokens are counted.

The count is an estimate that needs no files:

- a word of Latin letters: one token for up to six letters, and one for each further four
- accented letters and other alphabets: one token for three letters
- Han, kana and Hangul: one token a character
- digits: one token for three; punctuation: one for two; consecutive line breaks: one

docs/facts.md compares it with o200k_base on turns in five languages, prose and JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Budget:
    """How the tokens of a prompt are divided (specification 002 6). The numbers are the defaults of the settings.

    recent: for the last messages. `recent_least` of them are always kept, and up to `recent_most` if they fit.
    tools: for results of tools.
    facts, episodes: for what passive recall found.
    """

    total: int = 1500
    recent: int = 500
    tools: int = 400
    facts: int = 200
    episodes: int = 200
    recent_least: int = 3
    recent_most: int = 5


Tier = Literal["recent", "tools", "facts", "episodes", "system"]
Why = Literal["no room", "too old", "said already", "shortened"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A text that was left out, or shortened from `tokens` to `kept` tokens."""

    tier: Tier
    text: str
    tokens: int
    why: Why
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """A prompt within its budget.

    recent: messages, oldest first.
    tokens: {tier: tokens used}.
    dropped: everything that was left out or shortened.
    """

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
"""Return the number of tokens of a text."""

PER_MESSAGE = 4
"""A message takes this many tokens in addition to its text."""

LEAST_TOKENS = 50
"""The smallest budget for what memory holds about a question: a heading and a short line."""

# cjk: Han, kana and Hangul, where each character is about one token.
_PIECE = re.compile(
    r"(?P<cjk>[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])"
    r"|(?P<digits>\d+)|(?P<plain>[A-Za-z]+)|(?P<other>[^\W\d_]+)|(?P<marks>[^\w\s]+|_+)|(?P<lines>\n+)"
)


def estimated_tokens(text: str) -> int:
    """Estimate the number of tokens of a text; 0 for an empty one."""
    return sum(_tokens(match.lastgroup or "", len(match[0])) for match in _PIECE.finditer(text))


def within_tokens(text: str, tokens: int) -> str:
    """Return the beginning of a text of at most this many tokens by `estimated_tokens`, but at least one word."""
    spent, end = 0, 0
    for match in _PIECE.finditer(text):
        spent += _tokens(match.lastgroup or "", len(match[0]))
        if end and spent > tokens:
            return text[:end]
        end = match.end()
    return text


def _tokens(kind: str, length: int) -> int:
    if kind == "plain":
        # All divisions round up.
        return 1 + max(0, length - 6 + 3) // 4
    if kind in ("digits", "other"):
        return -(-length // 3)
    if kind == "marks":
        return -(-length // 2)
    # One character of Chinese, Japanese or Korean, or a run of line breaks.
    return 1
