"""Analysed clips into the graph, in the order of design: compose -> embed -> commit.

The edges are tied by the statement that commits (cypher/ingest/commit_clips.cypher): only there is it known
which events came before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from amr_neo4j.domain.ports import Embedder, EventWriter
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.compose import compose, embedding_text
from amr_neo4j.ingest.speech import with_unseen_speech


def ingest(
    clips: Iterable[AnalysedClip | Receipt],
    *,
    writer: EventWriter,
    embedder: Embedder,
    clips_per_transaction: int = 1,
) -> Iterator[Receipt]:
    """Commit clips as they come; a receipt says what became of each. What was rejected before passes through."""
    source = iter(clips)
    while batch := list(islice(source, clips_per_transaction)):
        yield from (item for item in batch if isinstance(item, Receipt))
        yield from _commit([item for item in batch if isinstance(item, AnalysedClip)], writer, embedder)


def _commit(clips: Sequence[AnalysedClip], writer: EventWriter, embedder: Embedder) -> Iterator[Receipt]:
    if clips:
        composed = [compose(with_unseen_speech(clip)) for clip in clips]
        texts = [embedding_text(e.summary_text, e.dialogue_snippets) for clip in composed for e in clip.events]
        vectors = embedder.embed(texts) if texts else np.empty((0, embedder.dim), np.float32)
        yield from writer.commit(composed, vectors, embedder.model)
