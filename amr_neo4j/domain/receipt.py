"""What became of one input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Literal

from amr_neo4j.domain.chat import Usage

MOST_LINES = 10_000
"""Lines of each kind that a report holds."""
Outcome = Literal["committed", "unchanged", "rejected", "failed", "skipped", "held", "dropped"]


@dataclass(frozen=True)
class Receipt:
    """What became of one clip.

    node_ids: its events, in order; merged_ids: the events that some of them were merged into. notes: what was
    repaired or replaced on the way. usage: of the models, for this clip.

    Outcomes: unchanged: it was committed before. rejected: it is not a valid clip. failed: it could not be analysed,
    and is kept to be tried again. skipped: it was given up. held: it waits for an earlier clip that failed.
    dropped: a clip of a live source that was not analysed, because analysis was behind.
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
    usage: Usage = field(default_factory=Usage)

    def where(self, source: str) -> str:
        """The source (a file's name, "stdin"), and the clip where it is known."""
        return f"{source}: {self.video_id}/{self.clip_id}" if self.clip_id else source


@dataclass(frozen=True)
class Failure:
    """A clip that could not be analysed so far; t_start in seconds. skipped: given up, and blocks no other clip."""

    attempts: int
    error: str
    t_start: float = 0.0
    skipped: bool = False


@dataclass
class IngestReport:
    """What became of the clips of one call: each is counted once. usage: of the models, for all of them.

    videos: ids of those that clips were committed to, the first MOST_LINES. events: committed ones; video_seconds:
    of committed clips; dropped_seconds: of dropped ones. notes, errors: a line each, with its source, the first
    MOST_LINES of each, since a camera may run for months; lines_left_out: how many more there were. first_hit_s: of
    each clip of a live source that was measured, seconds from its end to its first search hit, of the last
    MOST_LINES; with `wait` also of other clips, from their commit.
    """

    committed: int = 0
    unchanged: int = 0
    rejected: int = 0
    failed: int = 0
    skipped: int = 0
    held: int = 0
    dropped: int = 0
    videos: list[str] = field(default_factory=list[str])
    events: int = 0
    video_seconds: float = 0.0
    dropped_seconds: float = 0.0
    first_hit_s: list[float] = field(default_factory=list[float])
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])
    lines_left_out: int = 0

    def counting(self, watch: Watch) -> Watch:
        """Returns a Watch that counts each receipt and then calls `watch`."""

        def count(progress: Progress) -> None:
            self.add(progress.receipt, progress.source)
            watch(progress)

        return count

    def add(self, receipt: Receipt, source: str) -> None:
        """Count one receipt of a source (a file's name, "stdin")."""
        setattr(self, receipt.outcome, getattr(self, receipt.outcome) + 1)
        if receipt.outcome == "committed":
            if receipt.video_id not in self.videos:
                self.videos.append(receipt.video_id)
            self.events += len(receipt.node_ids)
            self.video_seconds += receipt.t_end - receipt.t_start
        if receipt.outcome == "dropped":
            self.dropped_seconds += receipt.t_end - receipt.t_start
        self.usage += receipt.usage
        where = receipt.where(source)
        self.notes.extend(f"{where}: {note}" for note in receipt.notes)
        if receipt.error:
            self.errors.append(f"{where}: {receipt.error}")
        self._shorten()

    def found_after(self, seconds: float) -> None:
        """Add how long a clip took to be found."""
        self.first_hit_s.append(round(seconds, 3))
        self._shorten()

    def include(self, other: IngestReport) -> None:
        """Add the counts, notes and errors of another call."""
        for each in fields(self):
            mine = getattr(self, each.name)
            setattr(self, each.name, mine + getattr(other, each.name))
        self._shorten()

    def _shorten(self) -> None:
        self.videos = list(dict.fromkeys(self.videos))[:MOST_LINES]
        for lines in (self.notes, self.errors):
            self.lines_left_out += max(0, len(lines) - MOST_LINES)
            del lines[MOST_LINES:]
        del self.first_hit_s[:-MOST_LINES]


@dataclass(frozen=True)
class Progress:
    """What became of one clip, and how far the run is. source: the file, or "stdin".

    done_s, total_s: seconds of video done in this run, and to be done; total_s is None where it is not known.
    """

    source: str
    receipt: Receipt
    done_s: float = 0.0
    total_s: float | None = None


Watch = Callable[[Progress], None]
"""Called with the progress after every clip."""
