"""Analysed clips into the graph, in the order of design: compose -> embed -> commit.

The edges are tied by the statement that commits (cypher/ingest/commit_clips.cypher): only there is it known
which events came before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from amr_neo4j.domain.ports import Embedder, EventWriter
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.compose import compose, embedding_text


def ingest(
    clips: Iterable[AnalysedClip], *, writer: EventWriter, embedder: Embedder, clips_per_transaction: int = 1
) -> Iterator[Receipt]:
    """Commit clips as they come; a receipt means that the clip is in the graph and can be found."""
    for batch in _batches(clips, clips_per_transaction):
        composed = [compose(clip) for clip in batch]
        texts = [embedding_text(event) for clip in composed for event in clip.events]
        vectors = embedder.embed(texts) if texts else np.empty((0, embedder.dim), np.float32)
        yield from writer.commit(composed, vectors, embedder.model)


def _batches(clips: Iterable[AnalysedClip], size: int) -> Iterator[list[AnalysedClip]]:
    source = iter(clips)
    while batch := list(islice(source, size)):
        yield batch
