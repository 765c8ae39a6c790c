"""The further calls to models for clips that no vision model analysed: JSON lines, clips of the local analyser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from amr_neo4j.domain.analysis import NotedAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.ports import Counting
from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.ingest.analysis_runner import Identify, Stage
from amr_neo4j.ingest.failed_clip_barrier import Taken

Refine = Callable[[Iterable[Taken]], Iterable[Taken]]


def unrefined(clips: Iterable[Taken]) -> Iterable[Taken]:
    """The clips as they are."""
    return clips


@dataclass(frozen=True)
class Refinement:
    """Refines clips, one after the other. stages: actions and summaries; identify: of each video, in order."""

    stages: Sequence[Stage]
    identify: Identify | None
    counting: Counting
    _people: dict[tuple[str, str], Stage] = field(default_factory=dict[tuple[str, str], Stage])

    def __call__(self, clips: Iterable[Taken]) -> Iterator[Taken]:
        """The clips after the calls, with what these took; what is no analysis passes through. Raises CostLimit."""
        for clip in clips:
            yield self._refined(clip) if isinstance(clip, AnalysedClip) else clip

    def _refined(self, clip: AnalysedClip) -> AnalysedClip:
        noted = NotedAnalysis(clip.analysis, clip.notes)
        with self.counting() as calls:
            for stage in [*self.stages, *self._identify(clip.video)]:
                noted = stage(noted)
        return replace(clip, analysis=noted.analysis, notes=noted.notes, usage=clip.usage + Usage.of(calls))

    def _identify(self, video: Video) -> list[Stage]:
        if self.identify is None:
            return []
        key = (video.group_id, video.video_id)
        if key not in self._people:
            self._people[key] = self.identify(video)
        return [self._people[key]]
