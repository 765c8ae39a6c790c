"""The analyser that asks a vision model: several clips under way at once, told in their order.

What a model was paid for is in the spool the moment it is there, so that no end of the process costs it again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from functools import partial
from threading import Thread
from typing import TypeVar

from amr_neo4j.domain.analysis import NotedAnalysis, SpeakerTurn
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.footage import Listen
from amr_neo4j.domain.ports import ClipSpool, Counting
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.errors import AmrError, CostLimit, InputError, ModelFailed, ModelUnavailable, NoSuchFile

OUTAGE = 8
"""So many clips in a row that the provider is not there for end the run."""
Result = TypeVar("Result")

Look = Callable[[Clip, str, float, Sequence[SpeakerTurn]], NotedAnalysis]
"""What a model says of a clip: the clip, its file, its second in there, what is known to be said, in seconds of the
clip; times it tells are seconds of the video. Safe to call from several threads."""
Stage = Callable[[NotedAnalysis], NotedAnalysis]
"""What is asked of a model about a clip that is analysed. Safe to call from several threads."""
Meet = Callable[[Video], Callable[[NotedAnalysis], NotedAnalysis]]
"""For a video, what gives the people of its clips their ids; called for one clip after the other, in their order."""


@dataclass(frozen=True)
class Means:
    """How many clips are under way at once, and what they may cost.

    affords: whether these clips, if all were under way, would keep to what may be spent. ahead: clips.
    """

    ahead: int
    affords: Callable[[Sequence[Clip]], bool]
    counting: Counting


@dataclass(frozen=True)
class _Seen:
    """What was told of a clip. lacks: the stages that are still to come."""

    usage: Usage
    told: NotedAnalysis
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Missed:
    """Why nothing was told of a clip."""

    usage: Usage
    error: AmrError


_UnderWay = tuple[Clip, Future[_Seen | _Missed]]


class VisionAnalyser:
    """Watches videos through a model that is shown each clip (an Analyser of domain/ports.py)."""

    name = "vision"

    def __init__(
        self,
        model: str,
        look: Look,
        stages: Mapping[str, Stage],
        meet: Meet,
        listen: Listen,
        means: Means,
        spool: ClipSpool,
    ) -> None:
        """model: its name, for the record. stages: by name, what follows on the look, in order.

        spool: keeps what was said of clips that the graph lacks.
        """
        self.model = model
        self._look, self._stages, self._meet, self._listen = look, stages, meet, listen
        self._means, self._spool = means, spool
        self._outage = _Outage()

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        """Analyse the clips, some ahead of what was yielded, in their order; those in the spool are not asked about.

        A clip that cannot be looked at, or of which the model says nothing usable, is a FailedClip.
        Raises ModelDenied, NoSuchModel, NoSuchFile, ToolError; CostLimit before the clip that could pass the limit,
        with all before it yielded; ModelUnavailable after so many clips in a row, of this video or of several, that
        the provider was not there for.
        """
        waiting: deque[_UnderWay] = deque()
        try:
            yield from self._watched(video, clips, waiting)
        except AmrError:
            # what was asked by then is paid for, and comes into the spool
            wait(looking for _, looking in waiting)
            raise

    def _watched(
        self, video: Video, clips: Iterable[Clip], waiting: deque[_UnderWay]
    ) -> Iterator[AnalysedClip | FailedClip]:
        identify = self._meet(video)
        for clip, looking in self._under_way(video, clips, waiting):
            seen = looking.result()
            if isinstance(seen, _Missed):
                yield self._failed(video, clip, seen)
                self._outage.heed(seen.error)
            else:
                self._outage.heed(None)
                with self._means.counting() as calls:
                    told = identify(seen.told)
                yield self._kept(video, clip, replace(seen, told=told, usage=seen.usage + Usage.of(calls)))

    def _under_way(self, video: Video, clips: Iterable[Clip], waiting: deque[_UnderWay]) -> Iterator[_UnderWay]:
        """Each clip with what becomes of it. Where there is no room for the next, the oldest goes out first."""
        hear = _Listener(self._listen)
        said = self._spool.kept(video, self)
        for clip in clips:
            if len(waiting) >= self._means.ahead:
                yield waiting.popleft()
            if before := said.get(content_sha256(video, clip)):
                seen = _Seen(before.usage, NotedAnalysis(before.analysis, before.notes), before.lacks)
                waiting.append((clip, _begun(partial(self._completed, video, clip, seen))))
                continue
            while not self._means.affords([*(under_way for under_way, _ in waiting), clip]):
                if not waiting:
                    raise CostLimit(f"clip {clip.clip_id} could pass max_cost_usd")
                yield waiting.popleft()
            path, start = _found_at(video, clip)
            heard = hear(path, start, start + clip.t_end - clip.t_start)
            waiting.append((clip, _begun(partial(self._seen, video, clip, path, start, heard))))
        while waiting:
            yield waiting.popleft()

    def _seen(
        self, video: Video, clip: Clip, path: str, start: float, heard: Sequence[SpeakerTurn]
    ) -> _Seen | _Missed:
        with self._means.counting() as calls:
            try:
                told = self._look(clip, path, start, heard)
            except (NoSuchFile, CostLimit):
                raise
            except (ModelFailed, InputError) as error:
                return _Missed(Usage.of(calls), error)
        seen = _Seen(Usage.of(calls), told, tuple(self._stages))
        self._kept(video, clip, seen)
        return self._completed(video, clip, seen)

    def _completed(self, video: Video, clip: Clip, seen: _Seen) -> _Seen:
        """With the stages that it lacks, each on disk as soon as it is done."""
        for name in [name for name in seen.lacks if name in self._stages]:
            with self._means.counting() as calls:
                told = self._stages[name](seen.told)
            lacks = tuple(other for other in seen.lacks if other != name)
            seen = _Seen(seen.usage + Usage.of(calls), told, lacks)
            self._kept(video, clip, seen)
        return seen

    def _kept(self, video: Video, clip: Clip, seen: _Seen) -> AnalysedClip:
        """As it stands, on disk."""
        analysed = AnalysedClip(
            video=video,
            clip=clip,
            analysis=seen.told.analysis,
            analyser=self.name,
            content_sha256=content_sha256(video, clip),
            model=self.model,
            notes=seen.told.notes,
            usage=seen.usage,
            lacks=seen.lacks,
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
        )


class _Outage:
    """Clips in a row that failed because the provider was not there, with all patience."""

    def __init__(self) -> None:
        self._clips = 0

    def heed(self, error: AmrError | None) -> None:
        """What a clip came to. Raises ModelUnavailable where it is one too many: no other is tried then."""
        if not isinstance(error, ModelUnavailable):
            self._clips = 0
            return
        self._clips += 1
        if self._clips == OUTAGE:
            self._clips = 0
            hint = "what is done stays; when it is back, run the same with --retry-failed"
            raise ModelUnavailable(f"{OUTAGE} clips in a row: {error.message}", hint=hint)


class _Listener:
    """Hears the files of a video one after the other."""

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


def _begun(work: Callable[[], Result]) -> Future[Result]:
    """What the work comes to, in a thread that nobody waits for who ends the program meanwhile."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future
