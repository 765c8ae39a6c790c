"""What a call that takes in clips is given, and what became of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any, Literal

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.forgotten import ForgottenClips, GroupMarks
from amr_neo4j.domain.live import OnLag
from amr_neo4j.domain.video import AnalysedClip, FailedClip

MOST_LINES = 10_000
"""The most lines of each kind that a report holds."""
Outcome = Literal["committed", "amended", "unchanged", "rejected", "failed", "skipped", "held", "dropped"]


@dataclass(frozen=True)
class IngestOptions:
    """Options for the videos of one call; see Memory.ingest.

    found: the files were found in a folder, and not named: what of them was forgotten is left out.
    asked_at: when the files were named, if that is not now: what of them was forgotten since is left out, too.
    below: files of cut clips are only read in these folders; None: anywhere.
    stop: set to end live sources.
    group_marks: of the call, see ClipWriter.forgotten.
    """

    video_id: str = ""
    place: str = ""
    recorded_at: datetime | None = None
    timezone: str = ""
    wearer: str = ""
    retry_failed: bool = False
    skip_failed: bool = False
    any_group: bool = False
    on_lag: OnLag = "wait"
    wait: bool = False
    precut: bool = False
    follow: bool = False
    found: bool = False
    asked_at: datetime | None = None
    below: Sequence[Path] | None = None
    stop: Event | None = None
    group_marks: GroupMarks | None = field(default_factory=GroupMarks, compare=False)

    def leaves_out(self, forgotten: ForgottenClips) -> bool:
        """Return whether forgotten parts of a film stay forgotten.

        They do not if its file was named, unless they were forgotten after that.
        """
        was_named_before = bool(self.asked_at and forgotten.at and forgotten.at > self.asked_at)
        return self.found or was_named_before


@dataclass(frozen=True)
class Receipt:
    """What became of one clip.

    node_ids: its events, in order.
    merged_ids: the events that some of them were merged into.
    notes: what was repaired or replaced.
    usage: what the models' calls for this clip took.

    Outcomes besides `committed`:

    - amended: it was committed before, and its events were replaced because more is known now.
    - unchanged: it was committed before.
    - rejected: it is not a valid clip.
    - failed: it could not be analysed. It is kept and can be tried again.
    - skipped: it was given up.
    - held: it has to be taken in again. It waits for an earlier clip that failed, another process amended it, or it
      is an update of an event that has not come yet.
    - dropped: a clip of a live source that was not analysed because analysis was behind.
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

    @classmethod
    def of(cls, clip: AnalysedClip | FailedClip, outcome: Outcome, **more: Any) -> Receipt:
        """Return the receipt of a clip, with its place in its video. more: the fields after `t_end`."""
        span = clip.clip
        return cls(clip.video.video_id, span.clip_id, outcome, span.t_start, span.t_end, **more)

    def where(self, source: str) -> str:
        """Return the source (a file's name, or "stdin"), with the clip if it is known."""
        return f"{source}: {self.video_id}/{self.clip_id}" if self.clip_id else source


@dataclass(frozen=True)
class Failure:
    """A clip that could not be analysed.

    t_start: seconds of the video.
    skipped: given up; it blocks no other clip.
    """

    attempts: int
    error: str
    t_start: float = 0.0
    skipped: bool = False


@dataclass
class IngestReport:
    """What became of the clips of one call. Each is counted once.

    Lists have at most MOST_LINES entries, because a camera may run for months.
    lost: how many live sources were lost; their clips until then are counted.
    videos: the ids of videos that clips were committed to.
    events: how many events were committed.
    video_seconds, dropped_seconds: the length of the committed clips, and of the dropped ones.
    first_hit_s: seconds from the end of a live clip to its first search hit, for the latest clips that were measured.
        With `wait` also for other clips, from their commit.
    usage: what the models' calls for all clips took.
    notes, errors: lines that name their source.
    lines_left_out: how many more there were.
    """

    committed: int = 0
    amended: int = 0
    unchanged: int = 0
    rejected: int = 0
    failed: int = 0
    skipped: int = 0
    held: int = 0
    dropped: int = 0
    lost: int = 0
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
        """Return a Watch that counts each receipt and then calls `watch`."""

        def count(progress: Progress) -> None:
            self.add(progress.receipt, progress.source)
            watch(progress)

        return count

    def add(self, receipt: Receipt, source: str) -> None:
        """Count a receipt. source: the file's name, or "stdin"."""
        setattr(self, receipt.outcome, getattr(self, receipt.outcome) + 1)
        if receipt.outcome in ("committed", "amended"):
            if receipt.video_id not in self.videos:
                self.videos.append(receipt.video_id)
            self.events += len(receipt.node_ids)
        if receipt.outcome == "committed":
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
        """Note that a search first found a live clip this many seconds after the clip's end."""
        self.first_hit_s.append(round(seconds, 3))
        self._shorten()

    def include(self, other: IngestReport) -> None:
        """Add the counts, notes and errors of another call."""
        for each in fields(self):
            mine = getattr(self, each.name)
            # Numbers, lists and Usage all add with +.
            setattr(self, each.name, mine + getattr(other, each.name))
        self._shorten()

    def _shorten(self) -> None:
        self.videos = list(dict.fromkeys(self.videos))[:MOST_LINES]
        for lines in (self.notes, self.errors):
            self.lines_left_out += max(0, len(lines) - MOST_LINES)
            del lines[MOST_LINES:]
        # The first notes and errors are kept, but the latest measurements.
        del self.first_hit_s[:-MOST_LINES]


@dataclass(frozen=True)
class Progress:
    """What became of one clip, and how far the run is.

    source: the file's name, or "stdin".
    done_s: seconds of video that this run has done.
    total_s: seconds that it is to do; None if unknown.
    """

    source: str
    receipt: Receipt
    done_s: float = 0.0
    total_s: float | None = None


Watch = Callable[[Progress], None]
"""Called after every clip."""
