"""Runs the stages that ask models about a clip: several clips at once, results in order, each spooled.

A result is in the spool before it is yielded, so that no crash costs a paid call twice.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from amr_neo4j.domain.analysis import NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.footage import Listen
from amr_neo4j.domain.ports import ClipSpool, Counting
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.errors import AmrError, CostLimit, InputError, ModelFailed, ModelUnavailable, NoSuchFile
from amr_neo4j.ingest.background import started
from amr_neo4j.ingest.failed_clip_barrier import Taken

OUTAGE = 8
"""The run ends after so many clips in a row for which the provider is unavailable."""

Analyse = Callable[[Clip, str, float, Sequence[SpeakerTurn]], NotedAnalysis]
"""Analyses a clip: the clip, its file, its second in there, its transcript in seconds from the clip's start.

Times of the result are seconds of the video. Called from several threads.
"""
Stage = Callable[[NotedAnalysis], NotedAnalysis]
"""Refines an analysis. Called from several threads."""
Identify = Callable[[Video], Stage]
"""For a video, the stage that assigns person ids; called for one clip after the other, in order."""


Refining = Callable[[Clip, str, float], Mapping[str, Stage]]
"""The stages that refine a clip, in order, by the names that the spool keeps; the arguments are those of Analyse."""


@dataclass(frozen=True)
class Stages:
    """The stages of an analysis, in order."""

    analyse: Analyse
    refine: Refining
    identify: Identify


@dataclass(frozen=True)
class Budget:
    """at_once: clips that run concurrently. affords: whether these clips together stay within the cost limit."""

    at_once: int
    affords: Callable[[Sequence[Clip]], bool]
    counting: Counting


@dataclass(frozen=True)
class _Analysed:
    """An analysis so far. lacks: names of the stages that are still to come."""

    usage: Usage
    noted: NotedAnalysis
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Missed:
    """Why a clip has no analysis."""

    usage: Usage
    error: AmrError


_UnderWay = tuple[Clip, Future[_Analysed | _Missed]]


class VisionAnalyser:
    """Watches videos by a vision model (an Analyser of domain/ports.py)."""

    name = "vision"

    def __init__(self, model: str, stages: Stages, listen: Listen, budget: Budget, spool: ClipSpool) -> None:
        """model: its name, for the record. spool: keeps analyses of clips that the graph lacks."""
        self.model = model
        self._stages, self._listen, self._budget, self._spool = stages, listen, budget, spool
        self._outage = _Outage()

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        """Analyse the clips, some ahead of what was yielded, in order; spooled analyses are not repeated.

        A clip that cannot be read, or whose reply is unusable, is a FailedClip.
        Raises ModelDenied, NoSuchModel, NoSuchFile, ToolError; CostLimit before the clip that could exceed the limit,
        with all before it yielded; ModelUnavailable after OUTAGE clips in a row, of this video or of several.
        """
        waiting: deque[_UnderWay] = deque()
        try:
            yield from self._watched(video, clips, waiting)
        except AmrError:
            # calls under way are paid for: wait until their results are in the spool
            wait(running for _, running in waiting)
            raise

    def _watched(
        self, video: Video, clips: Iterable[Clip], waiting: deque[_UnderWay]
    ) -> Iterator[AnalysedClip | FailedClip]:
        identify = self._stages.identify(video)
        for clip, running in self._under_way(video, clips, waiting):
            found = running.result()
            if isinstance(found, _Missed):
                yield self._failed(video, clip, found)
                self._outage.record(found.error)
            else:
                self._outage.record(None)
                with self._budget.counting() as calls:
                    noted = identify(found.noted)
                yield self._kept(video, clip, replace(found, noted=noted, usage=found.usage + Usage.of(calls)))

    def _under_way(self, video: Video, clips: Iterable[Clip], waiting: deque[_UnderWay]) -> Iterator[_UnderWay]:
        """Each clip with its future result. The oldest is yielded where there is no room for the next."""
        transcript = _Transcript(self._listen)
        spooled = self._spool.kept(video, self)
        for clip in clips:
            if len(waiting) >= self._budget.at_once:
                yield waiting.popleft()
            if before := spooled.get(content_sha256(video, clip)):
                found = _Analysed(before.usage, NotedAnalysis(before.analysis, before.notes), before.lacks)
                waiting.append((clip, started(partial(self._refined, video, clip, found))))
                continue
            while not self._budget.affords([*(under_way for under_way, _ in waiting), clip]):
                if not waiting:
                    raise CostLimit(f"clip {clip.clip_id} could exceed max_cost_usd")
                yield waiting.popleft()
            path, start = _found_at(video, clip)
            heard = transcript(path, start, start + clip.t_end - clip.t_start)
            waiting.append((clip, started(partial(self._analysed, video, clip, path, start, heard))))
        while waiting:
            yield waiting.popleft()

    def _analysed(
        self, video: Video, clip: Clip, path: str, start: float, heard: Sequence[SpeakerTurn]
    ) -> _Analysed | _Missed:
        with self._budget.counting() as calls:
            try:
                noted = self._stages.analyse(clip, path, start, heard)
            except (NoSuchFile, CostLimit):
                raise
            except (ModelFailed, InputError) as error:
                return _Missed(Usage.of(calls), error)
        found = _Analysed(Usage.of(calls), noted, tuple(self._stages.refine(clip, path, start)))
        self._kept(video, clip, found)
        return self._refined(video, clip, found)

    def _refined(self, video: Video, clip: Clip, found: _Analysed) -> _Analysed:
        """The analysis after the stages that it lacks; spooled after each."""
        stages = self._stages.refine(clip, *_found_at(video, clip))
        for name in [name for name in found.lacks if name in stages]:
            with self._budget.counting() as calls:
                noted = stages[name](found.noted)
            lacks = tuple(other for other in found.lacks if other != name)
            found = _Analysed(found.usage + Usage.of(calls), noted, lacks)
            self._kept(video, clip, found)
        return found

    def _kept(self, video: Video, clip: Clip, found: _Analysed) -> AnalysedClip:
        """Spool an analysis."""
        analysed = AnalysedClip(
            video=video,
            clip=clip,
            analysis=found.noted.analysis,
            analyser=self.name,
            content_sha256=content_sha256(video, clip),
            model=self.model,
            notes=found.noted.notes,
            usage=found.usage,
            lacks=found.lacks,
        )
        self._spool.keep(analysed)
        return analysed

    def _failed(self, video: Video, clip: Clip, missed: _Missed) -> FailedClip:
        return FailedClip(
            video=video,
            clip=clip,
            analyser=self.name,
            content_sha256=content_sha256(video, clip),
            error=str(missed.error),
            model=self.model,
            raw_reply=getattr(missed.error, "text", ""),
            usage=missed.usage,
            is_away=isinstance(missed.error, ModelUnavailable),
        )


class _Outage:
    """Counts clips in a row that failed because the provider was unavailable, after all retries."""

    def __init__(self) -> None:
        self._clips = 0

    def record(self, error: AmrError | None) -> None:
        """The outcome of a clip. Raises ModelUnavailable after OUTAGE failures in a row."""
        if not isinstance(error, ModelUnavailable):
            self._clips = 0
            return
        self._clips += 1
        if self._clips == OUTAGE:
            self._clips = 0
            hint = "finished clips are kept; when the provider is back, run the same with --retry-failed"
            raise ModelUnavailable(f"{OUTAGE} clips in a row: {error.message}", hint=hint)


class _Transcript:
    """The transcripts of a video's files, one file after the other."""

    def __init__(self, listen: Listen) -> None:
        self._listen = listen
        self._path, self._hearing = "", _nothing

    def __call__(self, path: str, start: float, end: float) -> list[SpeakerTurn]:
        """What is said from `start` to `end` (s of the file), in seconds from `start`."""
        if path != self._path:
            self._path, self._hearing = path, self._listen(path)
        return [
            turn.model_copy(update={"time_start": turn.time_start - start, "time_end": turn.time_end - start})
            for turn in self._hearing(start, end)
        ]


def _nothing(start: float, end: float) -> Sequence[SpeakerTurn]:
    return ()


def _found_at(video: Video, clip: Clip) -> tuple[str, float]:
    """(path, second of that file at which the clip begins)."""
    path = clip.uri or video.uri
    return path, clip.t_start if path == video.uri else clip.uri_offset


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
