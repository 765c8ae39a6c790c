"""Runs the stages that ask models about clips, and spools what they reply.

A reply is in the spool before anything else is paid for, so that no crash costs a paid call twice. VisionAnalyser
shows clips to a model, several at once. Refinement completes clips that something else analysed, such as JSON lines.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from functools import partial

from amr_neo4j.domain.analysis import NotedAnalysis, SpeakerTurn, shifted
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.footage import Heard, Hearing, KnownVoices, Listen, silent
from amr_neo4j.domain.ports import ClipSpool, Counting
from amr_neo4j.domain.video import VISION, AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.errors import AmrError, CostLimit, InputError, ModelFailed, ModelUnavailable, NoSuchFile
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.threads import started

# Without it, every clip of an outage would use up its retries and be marked as failed (decision 0005).
OUTAGE = 8
"""The run ends after this many clips in a row for which the provider is unavailable."""

Analyse = Callable[[Clip, str, float, Sequence[SpeakerTurn]], NotedAnalysis]
"""Analyses a clip: (the clip, its file, the second of the file at which it begins, its transcript).

Times of the transcript count from the clip's start, times of the result from the video's. Called from several
threads.
"""
Stage = Callable[[NotedAnalysis], NotedAnalysis]
"""Refines an analysis. Called from several threads."""
Identify = Callable[[Video], Stage]
"""Makes the stage that assigns the person ids of a video. That stage gets one clip after the other, in order."""
Refining = Callable[[Clip, str, float], Mapping[str, Stage]]
"""Makes the stages that refine a clip, in order, by the names that the spool keeps.

Its arguments are as in Analyse.
"""
Refine = Callable[[Iterable[Taken]], Iterable[Taken]]


@dataclass(frozen=True)
class Stages:
    """The stages of an analysis, in order."""

    analyse: Analyse
    refine: Refining
    identify: Identify


@dataclass(frozen=True)
class CallLimits:
    """The limits on calls to models.

    at_once: how many clips are analysed at once.
    affords: returns whether these clips together stay within the cost limit.
    counting: gathers the calls that are made within it.
    """

    at_once: int
    affords: Callable[[Sequence[Clip]], bool]
    counting: Counting


@dataclass(frozen=True)
class _StageRunner:
    """Runs stages on a clip and spools what they made of it.

    spools_unpaid: also spool the clip if a stage called no model.
    """

    counting: Counting
    spool: ClipSpool
    spools_unpaid: bool

    def run(self, stage: Stage, clip: AnalysedClip, lacks: tuple[str, ...]) -> AnalysedClip:
        """Return the clip as the stage leaves it. lacks: the names of the stages that follow."""
        with self.counting() as calls:
            noted = stage(NotedAnalysis(clip.analysis, clip.notes))
        usage = clip.usage + Usage.of(calls)
        refined = replace(clip, analysis=noted.analysis, notes=noted.notes, usage=usage, lacks=lacks)
        if calls or self.spools_unpaid:
            self.spool.keep(refined)
        return refined

    def run_lacking(self, stages: Mapping[str, Stage], clip: AnalysedClip) -> AnalysedClip:
        """Return the clip after those of the stages that it lacks."""
        for name in [name for name in clip.lacks if name in stages]:
            clip = self.run(stages[name], clip, tuple(other for other in clip.lacks if other != name))
        return clip


@dataclass(frozen=True)
class _Missed:
    """A clip without an analysis, and the error that prevented it."""

    failed: FailedClip
    error: AmrError


_UnderWay = tuple[Clip, Future[AnalysedClip | _Missed]]


class VisionAnalyser:
    """Watches videos by a vision model."""

    name = VISION

    def __init__(
        self,
        model: str,
        stages: Stages,
        *,
        listen: Listen,
        budget: CallLimits,
        spool: ClipSpool,
        known_voices: KnownVoices = lambda _video, _first: None,
    ) -> None:
        """model: its name, for the record.

        spool: keeps analyses of clips that the graph lacks.
        """
        self.model = model
        self._stages, self._budget, self._spool = stages, budget, spool
        self._listen, self._known_voices = listen, known_voices
        self._runner = _StageRunner(budget.counting, spool, spools_unpaid=True)
        self._unavailable = 0

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        """Analyse the clips in order, some ahead of what was yielded. Spooled analyses are not paid for again.

        A clip that cannot be read, or whose reply is unusable, becomes a FailedClip.
        Raises ModelDenied, NoSuchModel, NoSuchFile, ToolError; CostLimit before the clip that could exceed the limit,
        after all clips before it were yielded; ModelUnavailable after OUTAGE clips in a row, also of several videos.
        """
        waiting: deque[_UnderWay] = deque()
        try:
            yield from self._watched(video, clips, waiting)
        except AmrError:
            # Calls under way are paid for, so wait until their results are in the spool.
            wait(running for _, running in waiting)
            raise

    def _watched(
        self, video: Video, clips: Iterable[Clip], waiting: deque[_UnderWay]
    ) -> Iterator[AnalysedClip | FailedClip]:
        identify = self._stages.identify(video)
        # Identification needs the clips in order, so it waits for the oldest one, while later clips are being
        # analysed.
        for _, running in self._under_way(video, clips, waiting):
            found = running.result()
            if isinstance(found, _Missed):
                yield found.failed
                self._check_outage(found.error)
            else:
                self._unavailable = 0
                yield self._runner.run(identify, found, found.lacks)

    def _under_way(self, video: Video, clips: Iterable[Clip], waiting: deque[_UnderWay]) -> Iterator[_UnderWay]:
        """Yield each clip with its future result. Yields the oldest one when there is no room for the next."""
        transcript = _Transcript(video, self._listen, self._known_voices)
        spooled = self._spool.kept(video, self.name, self.model)
        for clip in clips:
            if len(waiting) >= self._budget.at_once:
                yield waiting.popleft()
            # A spooled clip needs no room in the budget. Its analysis is paid for, and only its lacking stages may
            # cost.
            if before := spooled.get(content_sha256(video, clip)):
                refined = partial(self._refined, replace(before, video=video, clip=clip))
                waiting.append((clip, started(refined)))
                continue
            # Clips under way may cost less than estimated, so wait for each of them before giving up.
            while not self._budget.affords([*(under_way for under_way, _ in waiting), clip]):
                if not waiting:
                    raise CostLimit(f"clip {clip.clip_id} could exceed what calls may cost")
                yield waiting.popleft()
            heard = Heard() if clip.left_out == "sound" else transcript(clip)
            waiting.append((clip, started(partial(self._analysed, video, clip, heard))))
        while waiting:
            yield waiting.popleft()

    def _analysed(self, video: Video, clip: Clip, heard: Heard) -> AnalysedClip | _Missed:
        path, start = _place_of(video, clip)
        sha256 = content_sha256(video, clip)
        with self._budget.counting() as calls:
            try:
                noted = self._stages.analyse(clip, path, start, heard.turns)
            # These end the run. All other errors are about this clip alone.
            except (NoSuchFile, CostLimit):
                raise
            except (ModelFailed, InputError) as error:
                failed = FailedClip(
                    video=video,
                    clip=clip,
                    analyser=self.name,
                    content_sha256=sha256,
                    error=str(error),
                    model=self.model,
                    raw_reply=getattr(error, "text", ""),
                    usage=Usage.of(calls),
                    is_away=isinstance(error, ModelUnavailable),
                )
                return _Missed(failed, error)
        analysed = AnalysedClip(
            video=video,
            clip=clip,
            analysis=noted.analysis,
            analyser=self.name,
            content_sha256=sha256,
            model=self.model,
            notes=(*noted.notes, *heard.notes),
            usage=Usage.of(calls),
            lacks=tuple(self._stages.refine(clip, path, start)),
        )
        # Before the refining calls, so that a crash during them costs no second analysis.
        self._spool.keep(analysed)
        return self._refined(analysed)

    def _refined(self, clip: AnalysedClip) -> AnalysedClip:
        stages = self._stages.refine(clip.clip, *_place_of(clip.video, clip.clip))
        return self._runner.run_lacking(stages, clip)

    def _check_outage(self, error: AmrError) -> None:
        """Raises ModelUnavailable after OUTAGE clips in a row for which the provider was unavailable."""
        self._unavailable = self._unavailable + 1 if isinstance(error, ModelUnavailable) else 0
        # Reset, so that the same analyser can go on with another video.
        if self._unavailable == OUTAGE:
            self._unavailable = 0
            hint = "finished clips are kept; when the provider is back, run the same with --retry-failed"
            raise ModelUnavailable(f"{OUTAGE} clips in a row: {error.message}", hint=hint)


class _Transcript:
    """The transcripts of a video's files, one file after the other."""

    def __init__(self, video: Video, listen: Listen, known_voices: KnownVoices) -> None:
        self._video, self._listen, self._known_voices = video, listen, known_voices
        self._path: str | None = None
        self._known: object = None
        self._hearing: Hearing = silent

    def __call__(self, clip: Clip) -> Heard:
        """Return what is said in a clip, with times that count from its start."""
        path, start = _place_of(self._video, clip)
        # Clips come in order, so one file at a time is enough.
        if path != self._path:
            if self._path is None:
                self._known = self._known_voices(self._video, clip)
            self._path, self._hearing = path, self._listen(path, self._known)
        heard = self._hearing(start, start + clip.t_end - clip.t_start)
        return replace(heard, turns=[shifted(turn, -start) for turn in heard.turns])


def _place_of(video: Video, clip: Clip) -> tuple[str, float]:
    """Return (the file of the clip, the second of that file at which the clip begins)."""
    path = clip.uri or video.uri
    return path, clip.t_start if path == video.uri else clip.uri_offset


def unrefined(clips: Iterable[Taken]) -> Iterable[Taken]:
    """A Refine that changes nothing."""
    return clips


@dataclass(frozen=True)
class Refinement:
    """Completes clips that no vision model analysed, one after the other.

    stages: for actions and summaries, by the names that the spool keeps.
    identify: assigns person ids, for the clips of a video in order.
    spool: keeps what the calls replied until the graph has the clip.
    """

    stages: Mapping[str, Stage]
    identify: Identify | None
    counting: Counting
    spool: ClipSpool
    _people: dict[tuple[str, str], Stage] = field(default_factory=dict[tuple[str, str], Stage])
    _spooled: dict[tuple[Video, str, str], Mapping[str, AnalysedClip]] = field(
        default_factory=dict[tuple[Video, str, str], Mapping[str, AnalysedClip]]
    )

    def __call__(self, clips: Iterable[Taken]) -> Iterator[Taken]:
        """Yield the clips after the calls, with what these cost.

        Failed clips and receipts are yielded as they are. Raises CostLimit.
        """
        for clip in clips:
            yield self._refined(clip) if isinstance(clip, AnalysedClip) else clip

    def _refined(self, clip: AnalysedClip) -> AnalysedClip:
        runner = _StageRunner(self.counting, self.spool, spools_unpaid=False)
        key = _sha256(clip)
        found = self._kept(clip).get(key) or replace(clip, content_sha256=key, lacks=tuple(self.stages))
        found = runner.run_lacking(self.stages, found)
        if identify := self._identify_stage(clip.video):
            found = runner.run(identify, found, ())
        return replace(clip, analysis=found.analysis, notes=found.notes, usage=found.usage)

    def _kept(self, clip: AnalysedClip) -> Mapping[str, AnalysedClip]:
        """Return what an earlier run spooled of the clip's video."""
        key = (clip.video, clip.analyser, clip.model)
        if key not in self._spooled:
            self._spooled[key] = self.spool.kept(*key)
        return self._spooled[key]

    def _identify_stage(self, video: Video) -> Stage | None:
        key = (video.group_id, video.video_id)
        if self.identify and key not in self._people:
            self._people[key] = self.identify(video)
        return self._people.get(key)


def _sha256(clip: AnalysedClip) -> str:
    """Return a hash of the clip and its analysis, so that a spooled reply is never used for another analysis of the
    clip.
    """
    return hashlib.sha256(f"{clip.content_sha256} {clip.analysis.model_dump_json()}".encode()).hexdigest()
