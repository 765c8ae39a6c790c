"""Analysed clips into the graph, in the order of design: compose -> embed -> commit. Those that failed are kept too.

The edges are tied by the statement that commits (cypher/ingest/commit_clips.cypher): only there is it known
which events came before.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice

import numpy as np

from amr_neo4j.domain.chat import ModelCall, Usage
from amr_neo4j.domain.ports import Counting, Embedder, EventWriter
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, FailedClip
from amr_neo4j.ingest.compose import compose, embedding_text
from amr_neo4j.ingest.failed_clip_barrier import Taken, behind_failures
from amr_neo4j.ingest.merge.commit import Merging
from amr_neo4j.ingest.unseen_speech import with_unseen_speech

_VIDEOS_AT_ONCE = 64


@contextmanager
def nobody_counts() -> Generator[list[ModelCall]]:
    """Counting for embedders that call nobody."""
    yield []


def ingest(
    clips: Iterable[Taken],
    *,
    writer: EventWriter,
    embedder: Embedder,
    clips_per_transaction: int = 1,
    skip_failed: bool = False,
    merging: Merging | None = None,
    counting: Counting = nobody_counts,
) -> Iterator[Receipt]:
    """Commit clips as they come; a receipt says what became of each. What was rejected before passes through.

    A clip that failed is kept in the graph, to be tried again; with skip_failed it is given up.
    merging: merges events of a video that continue one another. Then each clip is a transaction of its own, and what
    comes after a failed clip of its video waits for it. counting: of the calls that embedding takes.
    """
    source = _knowing_what_is_there(clips, writer)
    if merging and not skip_failed:
        source = behind_failures(source, writer)
    while batch := list(islice(source, clips_per_transaction)):
        some = [item for item in batch if isinstance(item, AnalysedClip)]
        committed = _commit(some, writer, embedder, merging, counting)
        for item in batch:
            if isinstance(item, FailedClip):
                yield _failed(item, writer, skip=skip_failed)
            else:
                yield item if isinstance(item, Receipt) else next(committed)


def _knowing_what_is_there(clips: Iterable[Taken], writer: EventWriter) -> Iterator[Taken]:
    """A clip that is committed already, and says the same, as its receipt: nothing is composed or embedded twice.

    What is there is asked once a video; a clip that another process commits meanwhile is told by the writer.
    """
    committed = lru_cache(maxsize=_VIDEOS_AT_ONCE)(writer.committed_clips)
    for item in clips:
        if isinstance(item, AnalysedClip):
            there = committed(item.video.group_id, item.video.video_id)
            if there.get(item.clip.clip_id) == item.content_sha256:
                yield Receipt(item.video.video_id, item.clip.clip_id, "unchanged", item.clip.t_start, item.clip.t_end)
                continue
        yield item


def _failed(clip: FailedClip, writer: EventWriter, *, skip: bool) -> Receipt:
    before = writer.failed_clips(clip.video.group_id, clip.video.video_id).get(clip.clip.clip_id)
    return writer.fail(clip, attempt=before.attempts + 1 if before else 1, skip=skip)


def _commit(
    clips: Sequence[AnalysedClip],
    writer: EventWriter,
    embedder: Embedder,
    merging: Merging | None,
    counting: Counting,
) -> Iterator[Receipt]:
    if not clips:
        return iter(())
    composed = [compose(with_unseen_speech(clip)) for clip in clips]
    texts = [embedding_text(e.summary_text, e.dialogue_snippets) for clip in composed for e in clip.events]
    with counting() as calls:
        vectors = embedder.embed(texts) if texts else np.empty((0, embedder.dim), np.float32)
    # the clips share the call: the first takes it on, so that the whole adds up
    composed[0] = composed[0].also_used(Usage.of(calls))
    return merging.commit(composed, vectors) if merging else iter(writer.commit(composed, vectors, embedder.model))
