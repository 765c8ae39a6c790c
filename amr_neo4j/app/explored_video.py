"""Memory's side of an exploration: ranges to look at first, and events made of what was seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.app.exploring import ExploreOptions, explore
from amr_neo4j.app.ingest_sources import IngestOptions, ingest_lines
from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.exploration import Exploration, ProposedPath, Span
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt
from amr_neo4j.errors import EmbedderMismatch, ModelError, ModelMissing, NoSuchFile, NotInMemory
from amr_neo4j.explorer.export import clip_lines
from amr_neo4j.explorer.overview import CLIP_S, around
from amr_neo4j.explorer.tree import Tree
from amr_neo4j.media.video_file import video_of
from amr_neo4j.recall.pipeline import search

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_LONGEST_S = 30.0
"""An event that is longer is looked at in its middle."""


class ExploredVideo:
    """A video file as memory knows it (VideoMemory)."""

    def __init__(self, parts: Parts, path: Path | str, video_id: str = "") -> None:
        """video_id: as in `ingest`; found by the file where it is ingested already."""
        self._parts = parts
        video = video_of(Path(path), parts.group_id, video_id=video_id)
        self._video = parts.writer.continued(video, named=bool(video_id))
        self.report = IngestReport()
        self.receipts: list[Receipt] = []

    @property
    def video_id(self) -> str:
        """Its id in memory."""
        return self._video.video_id

    def anchors(self, question: str, most: int) -> list[ProposedPath]:
        """Ranges around the events that recall finds, best first; their score is relative to the best."""
        parts, duration = self._parts, self._video.duration_s or 0.0
        if self.video_id not in parts.reader.recordings(Scope(parts.group_id, (self.video_id,))):
            return []
        bounds: Bounds = {"videos": [self.video_id]}
        try:
            hits = search(question, parts.sources.of(bounds), most=most, limits=parts.limits)
        except NotInMemory:
            return []
        except (EmbedderMismatch, ModelError, ModelMissing) as error:
            parts.notify(f"exploring without what memory knows of {self.video_id}: {error}")
            return []
        best = max((hit.score for hit in hits), default=1.0) or 1.0
        paths: list[ProposedPath] = []
        for hit in hits:
            event = hit.event
            if event.time_start < duration:
                span = _span(event.time_start, min(event.time_end, duration), duration)
                score = max(0.0, hit.score / best)
                paths.append(ProposedPath("", event.summary_text, span.start_s, span.end_s, score))
        return paths

    def keep(self, tree: Tree, only: str = "") -> None:
        """Ingest what was seen. only: of one node. What is kept already is left unchanged."""

        def watch(progress: Progress) -> None:
            self.receipts.append(progress.receipt)

        self.report = ingest_lines(
            self._parts,
            clip_lines(tree, self.video_id, only, uri=self._video.uri),
            "exploration",
            watch,
            IngestOptions(),
        )


def explore_with_memory(
    parts: Parts, source: str | Path, question: str, how: ExploreOptions, video_id: str = ""
) -> Exploration:
    """Explore a file, or an ingested video by its id, with what memory knows of it."""
    parts.browse.group()  # raises StoreUnavailable at once; the writer would wait for the database
    path, known_id = file_of(parts, source)
    return explore(parts.ledger, path, question, how, ExploredVideo(parts, path, video_id or known_id))[0]


def file_of(parts: Parts, source: str | Path) -> tuple[Path, str]:
    """(the file itself, ""), or (the file, the id) of a video in memory. Raises NoSuchFile: there is neither."""
    path = Path(source)
    if path.exists():
        return path, ""
    known = parts.reader.recordings(Scope(parts.group_id, (str(source),)))
    video = parts.browse.video(str(source)) if str(source) in known else None
    if video is None or not video.uri:
        raise NoSuchFile(f"cannot read {path}: No such file or directory", hint="check the path, or name a video_id")
    return Path(video.uri), video.video_id


def _span(start: float, end: float, duration: float) -> Span:
    if end - start < CLIP_S or end - start > _LONGEST_S:
        return around((start + end) / 2, duration, CLIP_S)
    return Span(start, end)
