"""Milliseconds per stage and counts of hints (specification 001 4)."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from amr_neo4j.language.stems import stems

STAGES = ("extraction", "keeping", "update", "retrieval", "total")
USE = ("answered", "used", "streamed", "streamed_used", "shown", "repeated", "searched", "search_helped")
"""The counts of what replies make of memory: they are added up over all conversations of a user."""
_KEPT = 1000
_ALIKE = 0.8


@dataclass
class Metrics:
    """Of one live conversation.

    counts: turns, computed, injected, gated, pruned, used, answered; streamed: facts and episodes recalled in passing
    that a reply had before it, streamed_used: those of which it has a word that the turn before had not. shown: hints
    and what was recalled, repeated: those of which another one before the same reply has nearly every word. searched:
    results of tools before a reply, search_helped: those of which it has a word that the turn before had not. noted:
    the counts of USE that were added to those of the user.
    """

    times: dict[str, deque[float]] = field(default_factory=lambda: {s: deque(maxlen=_KEPT) for s in STAGES})
    counts: Counter[str] = field(default_factory=Counter[str])
    logged_at: float = -math.inf
    noted: Mapping[str, int] = field(default_factory=dict[str, int])

    def add(self, milliseconds: Mapping[str, float]) -> None:
        """Add a turn's times."""
        for stage, value in milliseconds.items():
            self.times[stage].append(value)

    def p95(self) -> dict[str, float]:
        """stage -> 95th percentile of its last 1,000 turns, in milliseconds."""
        return {stage: _quantile(sorted(values), 0.95) for stage, values in self.times.items() if values}

    def of_use(self) -> dict[str, int]:
        """The counts of USE."""
        return {name: self.counts[name] for name in USE}

    def is_due(self, now: float, every: float = 30.0) -> bool:
        """Whether it is time to log; then the next time is so many seconds later. now: of any steady clock."""
        if now - self.logged_at < every:
            return False
        self.logged_at = now
        return True


def uses_hint(answer: str, hints: Collection[tuple[str, str]], language: str) -> bool:
    """Whether an answer shares a word with the subject or object of a hint: a sign that the hint was used."""
    words = stems(answer, language)
    return any(not words.isdisjoint(stems(f"{subject} {named}", language)) for subject, named in hints)


def repeats(memories: Sequence[frozenset[str]]) -> int:
    """How many memories, each as its words, say hardly more than one before them does, or the other way round."""
    return sum(any(_says_as_much(words, other) for other in memories[:at]) for at, words in enumerate(memories))


def _says_as_much(words: frozenset[str], other: frozenset[str]) -> bool:
    least = min(len(words), len(other))
    return least > 0 and len(words & other) >= _ALIKE * least


def _quantile(ascending: list[float], part: float) -> float:
    return ascending[min(len(ascending) - 1, int(part * len(ascending)))]
