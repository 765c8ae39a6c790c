"""The analyser that asks a vision model: several clips under way at once, told in their order.

What a model was paid for is in the spool the moment it is there, so that no end of the process costs it again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import TypeVar

from amr_neo4j.domain.analysis import SpeakerTurn, Told
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.footage import Listen
from amr_neo4j.domain.ports import ClipSpool, Counting
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.errors import AmrError, CostLimit, InputError, ModelFailed, NoSuchFile

Result = TypeVar("Result")

Look = Callable[[Clip, str, float, Sequence[SpeakerTurn]], Told]
"""What a model says of a clip: the clip, its file, its second in there, what is known to be said, in seconds of the
clip; times it tells are seconds of the video. Safe to call from several threads."""
Meet = Callable[[Video], Callable[[Told], Told]]
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
    """What came of looking at a clip: what was told, or why nothing."""

    usage: Usage
    told: Told | None = None
    error: AmrError | None = None


class VisionAnalyser:
    """Watches videos through a model that is shown each clip (an Analyser of domain/ports.py)."""

    name = "vision"

    def __init__(self, model: str, look: Look, meet: Meet, listen: Listen, means: Means, spool: ClipSpool) -> None:
        """model: its name, for the record. spool: keeps what was said of clips that the graph lacks."""
        self.model = model
        self._look, self._meet, self._listen, self._means, self._spool = look, meet, listen, means, spool

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        """Analyse the clips, some ahead of what was yielded, in their order; those in the spool are not asked about.

        A clip that cannot be looked at, or of which the model says nothing usable, is a FailedClip.
        Raises ModelDenied, NoSuchModel, NoSuchFile, ToolError; CostLimit before the clip that could pass the limit,
        with all before it yielded.
        """
        identify = self._meet(video)
        for clip, looking in self._under_way(video, clips):
            seen = looking.result()
            if seen.told:
                with self._means.counting() as calls:
                    told = identify(seen.told)
                yield self._kept(video, clip, told, seen.usage + Usage.of(calls))
            else:
                yield self._failed(video, clip, seen)

    def _under_way(self, video: Video, clips: Iterable[Clip]) -> Iterator[tuple[Clip, Future[_Seen]]]:
        """Each clip with what becomes of it. Where there is no room for the next, the oldest goes out first."""
        waiting: deque[tuple[Clip, Future[_Seen]]] = deque()
        hear = _Ears(self._listen)
        said = self._spool.kept(video, self)
        for clip in clips:
            if len(waiting) >= self._means.ahead:
                yield waiting.popleft()
            if before := said.get(content_sha256(video, clip)):
                waiting.append((clip, _done(_Seen(before.usage, Told(before.analysis, before.notes)))))
                continue
            while not self._means.affords([*(under_way for under_way, _ in waiting), clip]):
                if not waiting:
                    raise CostLimit(f"clip {clip.clip_id} could pass max_cost_usd")
                yield waiting.popleft()
            path, start = _found_at(video, clip)
            heard = hear(path, start, start + clip.t_end - clip.t_start)
            waiting.append((clip, _begun(partial(self._seen, video, clip, path, start, heard))))
        yield from waiting

    def _seen(self, video: Video, clip: Clip, path: str, start: float, heard: Sequence[SpeakerTurn]) -> _Seen:
        with self._means.counting() as calls:
            try:
                told = self._look(clip, path, start, heard)
            except NoSuchFile:
                raise
            except (ModelFailed, InputError) as error:
                return _Seen(Usage.of(calls), error=error)
        self._kept(video, clip, told, Usage.of(calls))
        return _Seen(Usage.of(calls), told)

    def _kept(self, video: Video, clip: Clip, told: Told, usage: Usage) -> AnalysedClip:
        """As it stands, on disk."""
        analysed = self._analysed(video, clip, told, usage)
        self._spool.keep(analysed)
        return analysed

    def _analysed(self, video: Video, clip: Clip, told: Told, usage: Usage) -> AnalysedClip:
        return AnalysedClip(
            video=video,
            clip=clip,
            analysis=told.analysis,
            analyser=self.name,
            content_sha256=content_sha256(video, clip),
            model=self.model,
            notes=told.notes,
            usage=usage,
        )

    def _failed(self, video: Video, clip: Clip, seen: _Seen) -> FailedClip:
        return FailedClip(
            video=video,
            clip=clip,
            analyser=self.name,
            content_sha256=content_sha256(video, clip),
            error=str(seen.error),
            model=self.model,
            raw_reply=getattr(seen.error, "text", ""),
            usage=seen.usage,
        )


class _Ears:
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


def _done(result: Result) -> Future[Result]:
    future: Future[Result] = Future()
    future.set_result(result)
    return future


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
