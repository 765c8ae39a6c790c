"""Analysed clips into the graph, in the order of design: compose -> embed -> commit.

The edges are tied by the statement that commits (cypher/ingest/commit_clips.cypher): only there is it known
which events came before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np

from amr_neo4j.domain.ports import Embedder, EventWriter
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.compose import compose, embedding_text
from amr_neo4j.ingest.merging import Merging
from amr_neo4j.ingest.speech import with_unseen_speech

_VIDEOS_AT_ONCE = 64


def ingest(
    clips: Iterable[AnalysedClip | Receipt],
    *,
    writer: EventWriter,
    embedder: Embedder,
    clips_per_transaction: int = 1,
    merging: Merging | None = None,
) -> Iterator[Receipt]:
    """Commit clips as they come; a receipt says what became of each. What was rejected before passes through.

    merging: merges events of a video that continue one another; then each clip is a transaction of its own.
    """
    source = _knowing_what_is_there(clips, writer)
    while batch := list(islice(source, clips_per_transaction)):
        committed = _commit([item for item in batch if isinstance(item, AnalysedClip)], writer, embedder, merging)
        yield from (item if isinstance(item, Receipt) else next(committed) for item in batch)


def _knowing_what_is_there(
    clips: Iterable[AnalysedClip | Receipt], writer: EventWriter
) -> Iterator[AnalysedClip | Receipt]:
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


def _commit(
    clips: Sequence[AnalysedClip], writer: EventWriter, embedder: Embedder, merging: Merging | None
) -> Iterator[Receipt]:
    if not clips:
        return iter(())
    composed = [compose(with_unseen_speech(clip)) for clip in clips]
    texts = [embedding_text(e.summary_text, e.dialogue_snippets) for clip in composed for e in clip.events]
    vectors = embedder.embed(texts) if texts else np.empty((0, embedder.dim), np.float32)
    return merging.commit(composed, vectors) if merging else iter(writer.commit(composed, vectors, embedder.model))
