"""Replays the merging of a memory over plain dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from amr_neo4j import Memory
from amr_neo4j.domain.event import ComposedClip, EventDraft, MergedEvent
from amr_neo4j.domain.ports import EventWriter
from tests.support.plain_merging import PlainMerging

# What distinguishes one event of a video from another.
Words = tuple[int, float, float, str]


class MergingWitness:
    """Sees every clip that a memory commits. model: plain dictionaries, with the same vectors and texts."""

    def __init__(self, memory: Memory) -> None:
        """Attach before the memory ingests the first clip."""
        merging = memory._parts.merging()
        assert merging, "nothing is merged"
        self._vectors: dict[Words, np.ndarray] = {}
        self._summaries: dict[tuple[Words, ...], str] = {}
        self._summarise = merging.summarise
        limits = merging.limits
        self.model = PlainMerging(
            lambda draft: self._vectors[_words(draft)],
            lambda parts: self._summaries[tuple(map(_words, parts))],
            limits.gap_sec,
            limits.similarity,
            limits.recent,
            limits.longest_sec,
        )
        writer = _Watched(merging.writer, self)
        memory._parts.merging.use(replace(merging, writer=writer, summarise=self._summarised))

    def saw(self, clip: ComposedClip, vectors: np.ndarray, merged: Sequence[MergedEvent]) -> None:
        """The clips of one commit."""
        self._vectors.update((_words(event), vector) for event, vector in zip(clip.events, vectors, strict=True))
        self._vectors.update((_words(made.event), made.vector) for made in merged)
        self.model.take(clip)

    def _summarised(self, events: Sequence[EventDraft]) -> tuple[str, tuple[str, ...]]:
        summary, notes = self._summarise(events)
        self._summaries[tuple(map(_words, events))] = summary
        return summary, notes


def _words(draft: EventDraft) -> Words:
    return draft.ordinal, draft.time_start, draft.time_end, draft.summary_text


class _Watched:
    """A EventWriter that reports its writes."""

    def __init__(self, writer: EventWriter, witness: MergingWitness) -> None:
        self._writer, self._witness = writer, witness
        self.recent_events = writer.recent_events

    def commit_merging(self, clip, vectors, model, merged, after):
        receipt = self._writer.commit_merging(clip, vectors, model, merged, after)
        if receipt is not None:
            self._witness.saw(clip, vectors, merged)
        return receipt
