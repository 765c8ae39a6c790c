"""The further calls to models for clips that no vision model analysed: JSON lines, clips of the local analyser.

A result is in the spool before the next call, so that no crash costs a paid call twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from amr_neo4j.domain.analysis import NotedAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.ports import ClipSpool, Counting
from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.ingest.analysis_runner import Identify, Stage
from amr_neo4j.ingest.failed_clip_barrier import Taken

Refine = Callable[[Iterable[Taken]], Iterable[Taken]]


def unrefined(clips: Iterable[Taken]) -> Iterable[Taken]:
    """The clips as they are."""
    return clips


class _By(NamedTuple):
    """What analysed a clip: the name of the analyser, and of its model."""

    name: str
    model: str


@dataclass(frozen=True)
class Refinement:
    """Refines clips, one after the other.

    stages: actions and summaries, by the names that the spool keeps; identify: of each video, in order. spool: keeps
    what the calls replied, until the graph has it.
    """

    stages: Mapping[str, Stage]
    identify: Identify | None
    counting: Counting
    spool: ClipSpool
    _people: dict[tuple[str, str], Stage] = field(default_factory=dict[tuple[str, str], Stage])
    _spooled: dict[tuple[Video, _By], Mapping[str, AnalysedClip]] = field(
        default_factory=dict[tuple[Video, _By], Mapping[str, AnalysedClip]]
    )

    def __call__(self, clips: Iterable[Taken]) -> Iterator[Taken]:
        """The clips after the calls, with what these took; what is no analysis passes through. Raises CostLimit."""
        for clip in clips:
            yield self._refined(clip) if isinstance(clip, AnalysedClip) else clip

    def _refined(self, clip: AnalysedClip) -> AnalysedClip:
        key = _sha256(clip)
        found = self._kept(clip).get(key) or replace(clip, content_sha256=key, lacks=tuple(self.stages))
        for name in [name for name in found.lacks if name in self.stages]:
            found = self._after(self.stages[name], found, lacks=tuple(n for n in found.lacks if n != name))
        for stage in self._identify(clip.video):
            found = self._after(stage, found, lacks=())
        return replace(clip, analysis=found.analysis, notes=found.notes, usage=found.usage)

    def _after(self, stage: Stage, clip: AnalysedClip, lacks: tuple[str, ...]) -> AnalysedClip:
        """The clip after a stage; spooled where that was paid for."""
        with self.counting() as calls:
            noted = stage(NotedAnalysis(clip.analysis, clip.notes))
        usage = clip.usage + Usage.of(calls)
        refined = replace(clip, analysis=noted.analysis, notes=noted.notes, usage=usage, lacks=lacks)
        if calls:
            self.spool.keep(refined)
        return refined

    def _kept(self, clip: AnalysedClip) -> Mapping[str, AnalysedClip]:
        """What an earlier run spooled of the clip's video."""
        key = (clip.video, _By(clip.analyser, clip.model))
        if key not in self._spooled:
            self._spooled[key] = self.spool.kept(*key)
        return self._spooled[key]

    def _identify(self, video: Video) -> list[Stage]:
        if self.identify is None:
            return []
        key = (video.group_id, video.video_id)
        if key not in self._people:
            self._people[key] = self.identify(video)
        return [self._people[key]]


def _sha256(clip: AnalysedClip) -> str:
    """Equal for the same analysis of the same clip: what was refined counts for no other."""
    return hashlib.sha256(f"{clip.content_sha256} {clip.analysis.model_dump_json()}".encode()).hexdigest()
