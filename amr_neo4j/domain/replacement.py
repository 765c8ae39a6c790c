"""Turns whose statements were replaced by later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from amr_neo4j.domain.recall import Scope


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a turn states was replaced: `old` and `new` are node_ids of turns, as recall has them.

    at: since when what `new` states holds. whole: whether everything that the turn `old` states was replaced.
    inferred: from the values that both state; no fact says so.
    """

    old: int
    new: int
    at: datetime
    whole: bool
    inferred: bool = False

    @property
    def is_correction(self) -> bool:
        """Whether `new` states another value of what `old` is about, without saying so itself."""
        return self.whole and self.inferred


class Replacements(Protocol):
    """Knows which turns were replaced, within a scope: with an as_of, as it stood then."""

    def of(self, node_ids: Sequence[int], scope: Scope) -> list[Replacement]:
        """Those that replaced one of these turns, or that one of these turns replaced; the latest of each."""
        ...


class NoReplacements:
    """Where nothing is replaced, as in videos."""

    def of(self, node_ids: Sequence[int], scope: Scope) -> list[Replacement]:
        """None."""
        return []
