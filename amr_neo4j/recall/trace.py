"""Records how an answer was made: notes, the seconds of each stage, how the walk went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from amr_neo4j.domain.recall import Trace
from amr_neo4j.errors import ModelFailed
from amr_neo4j.language.grammar import Grammar

# Returns the seconds since any fixed moment.
Clock = Callable[[], float]


@dataclass
class Notes:
    """Notes in the answer on what did not go as asked. grammar: the grammar of the answer's language."""

    grammar: Grammar
    lines: list[str] = field(default_factory=list[str])

    def did_without(self, role: str, error: ModelFailed) -> None:
        """Note that a model failed and its stage fell back to rules."""
        self.lines.append(self.grammar.model_skipped(role, error.message))


class TraceRecorder:
    """Times the stages, which run one after another. The first one starts when the recorder is made."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock()
        self._stages: dict[str, float] = {}
        self._walk: tuple[str, tuple[int, ...]] = ("", ())

    def end_stage(self, stage: str) -> None:
        """Add the time since the last call to this stage. A stage may end several times; its times add up."""
        now = self._clock()
        self._stages[stage] = self._stages.get(stage, 0.0) + now - self._last
        self._last = now

    def record_walk(self, stopped: str, frontiers: tuple[int, ...]) -> None:
        """Record why the walk stopped and how many events each of its hops kept."""
        self._walk = stopped, frontiers

    def trace(self) -> Trace:
        """Return what was recorded so far."""
        stopped, frontiers = self._walk
        return Trace(dict(self._stages), stopped, frontiers)
