"""What an answer reports about how it was made: notes, the seconds of each stage, how the walk went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from amr_neo4j.domain.recall import Trace
from amr_neo4j.errors import ModelFailed
from amr_neo4j.language.grammar import Grammar

# Seconds from any fixed moment.
Clock = Callable[[], float]


@dataclass
class Notes:
    """What went otherwise than asked; part of the answer. grammar: of the language of the answer."""

    grammar: Grammar
    lines: list[str] = field(default_factory=list[str])

    def did_without(self, role: str, error: ModelFailed) -> None:
        """A model failed and its stage fell back to rules."""
        self.lines.append(self.grammar.model_skipped(role, error.message))


class TraceRecorder:
    """Times the stages, one after the other; the first starts when the recorder is made."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock()
        self._stages: dict[str, float] = {}
        self._walk: tuple[str, tuple[int, ...]] = ("", ())

    def end_stage(self, stage: str) -> None:
        """Add the time since the end of the stage before to this stage."""
        now = self._clock()
        self._stages[stage] = self._stages.get(stage, 0.0) + now - self._last
        self._last = now

    def record_walk(self, stopped: str, frontiers: tuple[int, ...]) -> None:
        """Record why the walk stopped and how many events each of its hops kept."""
        self._walk = stopped, frontiers

    def trace(self) -> Trace:
        """What was recorded so far."""
        stopped, frontiers = self._walk
        return Trace(dict(self._stages), stopped, frontiers)
