"""What became of one input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["committed", "unchanged", "rejected"]


@dataclass(frozen=True)
class Receipt:
    """What became of one clip.

    node_ids: its events, in order; merged_ids: what some of them were merged into. notes: what was repaired or
    replaced on the way.
    """

    video_id: str
    clip_id: str
    outcome: Outcome
    t_start: float = 0.0
    t_end: float = 0.0
    node_ids: tuple[int, ...] = ()
    merged_ids: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""

    def where(self, source: str) -> str:
        """What to look for: the source (a file's name, "stdin"), and the clip where it is known."""
        return f"{source}: {self.video_id}/{self.clip_id}" if self.clip_id else source


@dataclass
class IngestReport:
    """What became of one call to ingest: every clip is in exactly one of the counts."""

    committed: int = 0
    unchanged: int = 0
    rejected: int = 0
    events: int = 0
    video_seconds: float = 0.0
    notes: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    def add(self, receipt: Receipt, source: str) -> None:
        """Count one receipt of a source (a file's name, "stdin")."""
        setattr(self, receipt.outcome, getattr(self, receipt.outcome) + 1)
        if receipt.outcome == "committed":
            self.events += len(receipt.node_ids)
            self.video_seconds += receipt.t_end - receipt.t_start
        where = receipt.where(source)
        self.notes.extend(f"{where}: {note}" for note in receipt.notes)
        if receipt.error:
            self.errors.append(f"{where}: {receipt.error}")
