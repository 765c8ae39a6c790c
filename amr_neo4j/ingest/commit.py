"""Commits analysed clips: compose, embed, then write, merged with earlier events where that is asked for.

Edges are created by the transaction that commits (store/write/edges.py): only there are the events known that came
before.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from amr_neo4j.domain.chat import ModelCall, Usage
from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.domain.ports import Counting, Embedder, EventWriter, Vectors
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, FailedClip
from amr_neo4j.errors import InputError, StoreRefused
from amr_neo4j.ingest.background import started
from amr_neo4j.ingest.compose import compose, embedding_text
from amr_neo4j.ingest.derive import with_derived_actions, with_unseen_speech
from amr_neo4j.ingest.failed_clip_barrier import Taken, hold_after_failures
from amr_neo4j.ingest.merging import Merging
from amr_neo4j.language.languages import Language

_CACHED_VIDEOS = 64
# Writes clips and returns their receipts.
_Write = Callable[[], Iterable[Receipt]]
_VideoKey = tuple[str, str]
# What the graph, or an embedder before it, raises for a value that it cannot take, such as a lone surrogate.
_NOT_TAKEN = (InputError, StoreRefused, UnicodeError, OverflowError)


@contextmanager
def nobody_counts() -> Generator[list[ModelCall]]:
    """Counting for embedders that make no calls."""
    yield []


@dataclass(frozen=True)
class Committer:
    """Writes clips into the graph.

    merging: merges events that continue one another; each clip is a transaction of its own then, and clips after a
    failed one of their video are held. counting: of the calls that embedding makes.
    """

    writer: EventWriter
    embedder: Embedder
    language: Language
    merging: Merging | None = None
    counting: Counting = nobody_counts

    def new(self, clips: Iterable[Taken], *, at_once: int = 1) -> Iterator[Taken]:
        """The clips, with a receipt ("unchanged") in place of each that is committed with the same content.

        at_once: clips that are read together. The graph is asked once for their videos, and once per video; clips
        that another process commits meanwhile are recognised by the writer.
        """
        source = iter(clips)
        known: dict[_VideoKey, Mapping[str, str]] = {}
        while items := list(islice(source, at_once)):
            self._read_committed(known, (_video_key(item) for item in items if isinstance(item, AnalysedClip)))
            for item in items:
                if isinstance(item, AnalysedClip):
                    video_id, clip = item.video.video_id, item.clip
                    if known[_video_key(item)].get(clip.clip_id) == item.content_sha256:
                        yield Receipt(video_id, clip.clip_id, "unchanged", clip.t_start, clip.t_end)
                        continue
                yield item
            for video in list(known)[:-_CACHED_VIDEOS]:
                del known[video]

    def _read_committed(self, known: dict[_VideoKey, Mapping[str, str]], videos: Iterable[_VideoKey]) -> None:
        """Add the committed clips of videos that are not known yet."""
        by_group: dict[str, list[str]] = {}
        for group_id, video_id in dict.fromkeys(videos):
            if (group_id, video_id) not in known:
                by_group.setdefault(group_id, []).append(video_id)
        for group_id, video_ids in by_group.items():
            for video_id, committed in self.writer.committed_clips_of(group_id, video_ids).items():
                known[group_id, video_id] = committed

    def commit(
        self,
        clips: Iterable[Taken],
        *,
        clips_per_transaction: int = 1,
        ahead: bool = False,
        skip_failed: bool = False,
        records_refused: bool = False,
    ) -> Iterator[Receipt]:
        """Commit clips as they come, one receipt each; receipts among them pass through.

        ahead: the next clips are read, composed and embedded while a transaction is under way. A failed clip is kept
        in the graph, to be tried again; with skip_failed it is given up. A clip that the graph cannot take is
        rejected alone, or with records_refused is a failed clip.
        """
        source = iter(clips)
        if self.merging and not skip_failed:
            source = hold_after_failures(source, self.writer)
        for batch, committed in self._batches(source, clips_per_transaction, ahead=ahead and not self.merging):
            for item in batch:
                done = next(committed) if isinstance(item, AnalysedClip) else item
                if isinstance(done, _Refused):
                    done = done.failed_clip() if records_refused else done.rejected()
                yield self._fail(done, skip=skip_failed) if isinstance(done, FailedClip) else done

    def _batches(
        self, source: Iterator[Taken], size: int, *, ahead: bool
    ) -> Iterator[tuple[list[Taken], Iterator[Receipt | _Refused]]]:
        """What shares a transaction, with the results of its clips, which writes them unless that has begun."""
        under_way: tuple[list[Taken], Iterator[Receipt | _Refused]] | None = None
        try:
            while batch := list(islice(source, size)):
                clips = [item for item in batch if isinstance(item, AnalysedClip)]
                if not ahead:
                    yield batch, self._commit(clips)
                    continue
                write = self._prepared(clips)
                before, under_way = under_way, None
                if before:
                    yield before
                under_way = batch, self._results(clips, started(write).result)
        except Exception:  # of what comes next: what is under way has its receipts first
            if under_way:
                yield under_way
            raise
        if under_way:
            yield under_way

    def _commit(self, clips: Sequence[AnalysedClip]) -> Iterator[Receipt | _Refused]:
        yield from self._results(clips, self._prepared(clips))

    def _results(self, clips: Sequence[AnalysedClip], write: _Write) -> Iterator[Receipt | _Refused]:
        """One result each; after an error, one clip at a time."""
        receipts = list[Receipt]()
        try:
            for receipt in write():
                receipts.append(receipt)
                yield receipt
        except _NOT_TAKEN as error:
            rest = clips[len(receipts) :]
            if len(clips) == 1:
                yield _Refused(clips[0], _reason(error))
                return
            for clip in rest:
                yield from self._commit([clip])

    def _prepared(self, clips: Sequence[AnalysedClip]) -> _Write:
        """What writes the clips, which are composed and embedded; or raises why they cannot be."""
        if not clips:
            return lambda: ()
        try:
            composed = [compose(self._completed(clip), self.language) for clip in clips]
            with self.counting() as calls:
                vectors = self._embedded(composed)
            # the clips share the call: the first takes its usage, so that the sum is right
            composed[0] = composed[0].also_used(Usage.of(calls))
            if self.merging:
                return partial(self.merging.commit, composed, vectors)
            return self.writer.prepare(composed, vectors, self.embedder.model)
        except _NOT_TAKEN as error:
            return partial(_raise, error)

    def _completed(self, clip: AnalysedClip) -> AnalysedClip:
        """With what the analysis implies: actions that only the summaries state, events for speech that has none."""
        return with_unseen_speech(with_derived_actions(clip, self.language), self.language)

    def _embedded(self, clips: Sequence[ComposedClip]) -> Vectors:
        """(events of all clips, dim), in order."""
        texts = [embedding_text(e.summary_text, e.dialogue_snippets) for clip in clips for e in clip.events]
        return self.embedder.embed(texts) if texts else np.empty((0, self.embedder.dim), np.float32)

    def _fail(self, clip: FailedClip, *, skip: bool) -> Receipt:
        before = self.writer.failed_clips(clip.video.group_id, clip.video.video_id).get(clip.clip.clip_id)
        return self.writer.fail(clip, attempt=before.attempts + 1 if before else 1, skip=skip)


@dataclass(frozen=True)
class _Refused:
    """A clip that the graph cannot take, with the reason."""

    source: AnalysedClip
    why: str

    def rejected(self) -> Receipt:
        video_id, clip = self.source.video.video_id, self.source.clip
        return Receipt(video_id, clip.clip_id, "rejected", clip.t_start, clip.t_end, error=self.why)

    def failed_clip(self) -> FailedClip:
        source = self.source
        return FailedClip(
            source.video,
            source.clip,
            source.analyser,
            source.content_sha256,
            f"the graph cannot take its analysis: {self.why}",
            source.model,
            usage=source.usage,
        )


def _video_key(clip: AnalysedClip) -> _VideoKey:
    return clip.video.group_id, clip.video.video_id


def _raise(error: Exception) -> Iterable[Receipt]:
    raise error


def _reason(error: Exception) -> str:
    """The message, as text that the graph takes."""
    message = error.message if isinstance(error, InputError | StoreRefused) else str(error)
    return message.encode("utf-8", "replace").decode()
