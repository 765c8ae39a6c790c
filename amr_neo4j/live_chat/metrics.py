"""Measures a live conversation: milliseconds per stage, and how many hints helped (specification 001 4)."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from amr_neo4j.domain.belief import ShownFact
from amr_neo4j.language.stems import stems

STAGES = ("extraction", "keeping", "update", "retrieval", "total")
USE = ("answered", "used", "streamed", "streamed_used", "shown", "repeated", "searched", "search_helped")
"""The counts that tell whether replies use what memory gives. They are summed over all conversations of a user."""
_TIMES_KEPT = 1000
_LOG_EVERY = 30.0  # seconds
# The share of the shorter text's words that two memories must have in common to count as repeating each other.
_ALIKE = 0.8


@dataclass
class ChatMetrics:
    """The measures of one live conversation.

    times: {stage: milliseconds of its last turns}.
    logged_at: when they were last logged.
    noted: the counts of USE that have been added to the user's already.
    shown: the facts that were injected and are not noted yet, in order.
    counts: the numbers below.

    turns: turns of people.
    computed: facts that were scored.
    injected: hints that were chosen.
    gated: turns that had candidates and got no hint.
    pruned: hints that were dropped from the window.
    answered: replies with hints in their prompt.
    used: those of them that share a word with a hint.
    streamed: facts and episodes recalled in passing that were in the prompt of a reply.
    streamed_used: those of them that gave the reply a word that the user's turn did not have.
    shown: hints and recalled texts in the prompt.
    repeated: those of them that hardly say more than another one.
    searched: results of tools before a reply.
    search_helped: those of them that gave the reply a word that the user's turn did not have.
    """

    times: dict[str, deque[float]] = field(default_factory=lambda: {s: deque(maxlen=_TIMES_KEPT) for s in STAGES})
    counts: Counter[str] = field(default_factory=Counter[str])
    logged_at: float = -math.inf
    noted: Mapping[str, int] = field(default_factory=dict[str, int])
    shown: deque[ShownFact] = field(default_factory=deque[ShownFact])

    def add(self, milliseconds: Mapping[str, float]) -> None:
        """Add the times of a turn, by stage."""
        for stage, value in milliseconds.items():
            self.times[stage].append(value)

    def p95(self) -> dict[str, float]:
        """Return {stage: 95th percentile of its last 1,000 turns, in milliseconds}."""
        return {stage: _quantile(sorted(values), 0.95) for stage, values in self.times.items() if values}

    def of_use(self) -> dict[str, int]:
        """Return the counts of USE; 0 for what was not counted."""
        return {name: self.counts[name] for name in USE}

    def is_due(self, now: float) -> bool:
        """Return whether it is time to log. If so, the next time is half a minute later.

        now: seconds of a monotonic clock.
        """
        if now - self.logged_at < _LOG_EVERY:
            return False
        self.logged_at = now
        return True


def uses_hint(answer: str, hints: Collection[tuple[str, str]], language: str) -> bool:
    """Return whether an answer shares a word with the subject or object of a hint: a sign that the hint was used."""
    words = stems(answer, language)
    return any(not words.isdisjoint(stems(f"{subject} {named}", language)) for subject, named in hints)


def repeats(memories: Sequence[frozenset[str]]) -> int:
    """Return how many texts nearly repeat an earlier one: most words of the shorter are in the longer.

    memories: the words of each text.
    """
    return sum(any(_says_as_much(words, other) for other in memories[:at]) for at, words in enumerate(memories))


def _says_as_much(words: frozenset[str], other: frozenset[str]) -> bool:
    least = min(len(words), len(other))
    return least > 0 and len(words & other) >= _ALIKE * least


def _quantile(ascending: list[float], part: float) -> float:
    return ascending[min(len(ascending) - 1, int(part * len(ascending)))]
