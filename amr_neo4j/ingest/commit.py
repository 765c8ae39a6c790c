"""Commits analysed clips: composes events, embeds them, and writes them, merged with earlier ones if that is on.

Edges are made by the transaction that commits (store/write/edges.py), since only there the earlier events are known.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import cast

import numpy as np

from amr_neo4j.domain.batches import batched
from amr_neo4j.domain.chat import ModelCall, Usage
from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.domain.ports import Counting, Embedder, EventWriter, Vectors
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, FailedClip
from amr_neo4j.errors import EmbedderMismatch, InputError, StoreRefused, StoreTooLarge
from amr_neo4j.ingest.compose import compose, embedding_text
from amr_neo4j.ingest.derive import with_derived_actions, with_unseen_speech, with_wearer
from amr_neo4j.ingest.failed_clip_barrier import Taken, hold_after_failures
from amr_neo4j.ingest.merging import Merging
from amr_neo4j.ingest.scenes import form_scenes
from amr_neo4j.language.languages import Language
from amr_neo4j.threads import started

# A file of analyses comes fast, and each time the latest scenes are made from their beginning.
_BATCHES_BETWEEN_SCENES = 32
# The committed clips of this many videos are remembered.
_CACHED_VIDEOS = 64
_Write = Callable[[], Iterable[Receipt]]
"""Writes clips and returns their receipts."""
_VideoKey = tuple[str, str]
# Errors of the graph or of an embedder about a value that it cannot take, such as half of a surrogate pair.
_NOT_TAKEN = (InputError, StoreRefused, UnicodeError, OverflowError)


@contextmanager
def nobody_counts() -> Generator[list[ModelCall]]:
    """The Counting of embedders that make no calls."""
    yield []


def no_other(error: EmbedderMismatch) -> Committer:
    """Raises the error."""
    raise error


@dataclass(frozen=True)
class Committer:
    """Writes clips into the graph.

    merging: merges events that continue one another; None to leave them apart. With merging, each clip is a
        transaction of its own, and the clips after a failed one wait until it is retried or skipped.
    counting: context manager that collects the model calls made for embeddings.
    other: called with an EmbedderMismatch when another process has changed the group's embedder. Returns a committer
        with the new embedder, or raises the error if there is none.
    committed: called after each commit.
    """

    writer: EventWriter
    embedder: Embedder
    language: Language
    _: KW_ONLY
    merging: Merging | None = None
    counting: Counting = nobody_counts
    other: Callable[[EmbedderMismatch], Committer] = no_other
    committed: Callable[[], object] = lambda: None

    def new(self, clips: Iterable[Taken], *, at_once: int = 1) -> Iterator[Taken]:
        """Yield the clips, with a receipt ("unchanged") in place of each that is committed with the same content.

        A clip that another process commits first is recognised by the writer.

        at_once: how many clips are read together. The graph is asked once for all videos among them that are new to
            it.
        """
        known: dict[_VideoKey, Mapping[str, str]] = {}
        for items in batched(clips, at_once):
            self._read_committed(known, (_video_key(item) for item in items if isinstance(item, AnalysedClip)))
            for item in items:
                is_clip = isinstance(item, AnalysedClip)
                if is_clip and known[_video_key(item)].get(item.clip.clip_id) == item.content_sha256:
                    yield Receipt.of(item, "unchanged")
                else:
                    yield item
            # A bound on memory: a file of analyses may name any number of videos.
            for video in list(known)[:-_CACHED_VIDEOS]:
                del known[video]

    def _read_committed(self, known: dict[_VideoKey, Mapping[str, str]], videos: Iterable[_VideoKey]) -> None:
        """Read the committed clips of those videos that are not in `known` yet."""
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
        """Commit clips as they come, and yield one receipt each. Receipts among the clips are passed on.

        ahead: read, compose and embed the next clips while a transaction is under way.
        skip_failed: give up failed clips. By default a failed clip is recorded in the graph, to be tried again.
        records_refused: record a clip that the graph cannot take as a failed clip. By default it is rejected, and the
            clips around it are committed.
        """
        source = iter(clips)
        if self.merging and not skip_failed:
            source = hold_after_failures(source, self.writer)
        # Merging reads the latest events of the graph, so the next clips cannot be prepared before the last is
        # committed.
        groups: set[str] = set()
        batches = self._batches(source, clips_per_transaction, ahead=ahead and not self.merging)
        for number, (batch, committed) in enumerate(batches, 1):
            for item in batch:
                done = next(committed) if isinstance(item, AnalysedClip) else item
                if isinstance(done, _Refused):
                    done = done.failed_clip() if records_refused else done.rejected()
                yield self._fail(done, skip=skip_failed) if isinstance(done, FailedClip) else done
            if written := {item.video.group_id for item in batch if isinstance(item, AnalysedClip)}:
                self.committed()
            groups |= written
            if not ahead or number % _BATCHES_BETWEEN_SCENES == 0:
                self._remake_scenes(groups)
        self._remake_scenes(groups)

    def rehearse(self, clip: AnalysedClip) -> None:
        """Commit a clip and take it back. The embedder is loaded then, and the server has planned the statements."""
        composed = [compose(self._completed(clip), self.language)]
        self._read_committed({}, [_video_key(clip)])
        self.writer.rehearse(composed, self._embedded(composed), self.embedder.model)
        self._remake_scenes({clip.video.group_id})

    def _remake_scenes(self, groups: set[str]) -> None:
        """Make the scenes of these groups up to date, and empty the set."""
        while groups:
            self.writer.remake_scenes(groups.pop(), partial(form_scenes, language=self.language))

    def _batches(
        self, source: Iterator[Taken], size: int, *, ahead: bool
    ) -> Iterator[tuple[list[Taken], Iterator[Receipt | _Refused]]]:
        """Yield (the items that share a transaction, the results of its clips).

        Iterating the results writes them.
        """
        under_way: tuple[list[Taken], Iterator[Receipt | _Refused]] | None = None
        try:
            for batch in batched(source, size):
                clips = [item for item in batch if isinstance(item, AnalysedClip)]
                if not ahead:
                    yield batch, self._commit(clips)
                    continue
                write = self._prepared(clips)
                # From here on the caller has `before`, so an error must not yield it again.
                before, under_way = under_way, None
                if before:
                    yield before
                under_way = batch, self._results(clips, started(write).result)
        except Exception:  # raised by reading or preparing the next clips: those under way get their receipts first
            if under_way:
                yield under_way
            raise
        if under_way:
            yield under_way

    def _commit(self, clips: Sequence[AnalysedClip]) -> Iterator[Receipt | _Refused]:
        yield from self._results(clips, self._prepared(clips))

    def _results(self, clips: Sequence[AnalysedClip], write: _Write) -> Iterator[Receipt | _Refused]:
        """Yield one result per clip. After an error the clips are committed one at a time."""
        receipts = list[Receipt]()
        try:
            for receipt in write():
                receipts.append(receipt)
                yield receipt
        except EmbedderMismatch as error:
            yield from self.other(error)._commit(clips[len(receipts) :])
        except _NOT_TAKEN as error:
            written = cast(Sequence[Receipt], error.written) if isinstance(error, StoreTooLarge) else ()
            yield from written
            receipts += written
            # One bad clip fails the whole transaction, and the error does not say which clip it was.
            rest = clips[len(receipts) :]
            if len(clips) == 1:
                yield _Refused(clips[0], _reason(error))
                return
            for clip in rest:
                yield from self._commit([clip])

    def _prepared(self, clips: Sequence[AnalysedClip]) -> _Write:
        """Compose and embed the clips. Returns a function that writes them, or raises why they cannot be written."""
        if not clips:
            return lambda: ()
        try:
            composed = [compose(self._completed(clip), self.language) for clip in clips]
            with self.counting() as calls:
                vectors = self._embedded(composed)
            # The clips share the call. The first takes its usage, so that the sum is right.
            composed[0] = composed[0].also_used(Usage.of(calls))
            if self.merging:
                return partial(self.merging.commit, composed, vectors)
            return self.writer.prepare(composed, vectors, self.embedder.model)
        except _NOT_TAKEN as error:
            return partial(_raise, error)

    def _completed(self, clip: AnalysedClip) -> AnalysedClip:
        """Return the clip with the actions and the events for speech that its analysis implies."""
        # No actions are derived from a vision model's sentences: the model lists them, and a further call asks it for
        # those that it left out.
        taken_apart = clip if clip.is_in_own_words else with_derived_actions(clip, self.language)
        return with_unseen_speech(with_wearer(taken_apart, self.language), self.language)

    def _embedded(self, clips: Sequence[ComposedClip]) -> Vectors:
        """Return the vectors of the events of all clips, in order."""
        texts = [embedding_text(e.summary_text, e.dialogue_snippets) for clip in clips for e in clip.events]
        return self.embedder.embed(texts) if texts else np.empty((0, self.embedder.dim), np.float32)

    def _fail(self, clip: FailedClip, *, skip: bool) -> Receipt:
        before = self.writer.failed_clips(clip.video.group_id, clip.video.video_id).get(clip.clip.clip_id)
        return self.writer.fail(clip, attempt=before.attempts + 1 if before else 1, skip=skip)


@dataclass(frozen=True)
class _Refused:
    """A clip that the graph cannot take, and why."""

    source: AnalysedClip
    why: str

    def rejected(self) -> Receipt:
        return Receipt.of(self.source, "rejected", error=self.why)

    def failed_clip(self) -> FailedClip:
        source = self.source
        return FailedClip(
            video=source.video,
            clip=source.clip,
            analyser=source.analyser,
            content_sha256=source.content_sha256,
            error=f"the graph cannot take its analysis: {self.why}",
            model=source.model,
            usage=source.usage,
        )


def _video_key(clip: AnalysedClip) -> _VideoKey:
    return clip.video.group_id, clip.video.video_id


def _raise(error: Exception) -> Iterable[Receipt]:
    raise error


def _reason(error: Exception) -> str:
    """Return the error's message, as text that the graph can take."""
    message = error.message if isinstance(error, InputError | StoreRefused) else str(error)
    # JSON may contain lone surrogates, which cannot be encoded as UTF-8.
    return message.encode("utf-8", "replace").decode()
