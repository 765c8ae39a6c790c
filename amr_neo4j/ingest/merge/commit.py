"""Commits clips where events are merged: read the latest events, compute, write; again if the video changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.event import ComposedClip, EventDraft, MergedEvent, Recent
from amr_neo4j.domain.ports import Counting, Embedder, MergingWriter, Summarise, Vectors
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.ingest.compose import embedding_text
from amr_neo4j.ingest.merge.candidates import MergeLimits, merge_candidates, merged


@dataclass(frozen=True)
class Merging:
    """Commits clips one by one, each merged with the events its video has by then."""

    writer: MergingWriter
    embedder: Embedder
    summarise: Summarise
    limits: MergeLimits
    counting: Counting

    def commit(self, clips: Sequence[ComposedClip], vectors: Vectors) -> Iterator[Receipt]:
        """One receipt per clip, in order; vectors: (events of all clips, dim)."""
        start = 0
        for clip in clips:
            end = start + len(clip.events)
            yield self._commit(clip, vectors[start:end])
            start = end

    def _commit(self, clip: ComposedClip, vectors: Vectors) -> Receipt:
        usage = Usage()
        while True:
            recent = self.writer.recent_events(clip.source.video, self.embedder.model, self.limits.recent)
            with self.counting() as calls:
                made, notes = self._merged(clip, vectors, recent)
            usage += Usage.of(calls)
            noted = clip.also_used(usage, *notes)
            receipt = self.writer.commit_merging(noted, vectors, self.embedder.model, made, recent.last_node_id)
            if receipt is not None:
                return receipt

    def _merged(
        self, clip: ComposedClip, vectors: Vectors, recent: Recent
    ) -> tuple[list[MergedEvent], tuple[str, ...]]:
        """The merged events of the clip's and the recent ones, and notes."""
        events = [*(known.event for known in recent.events), *clip.events]
        all_vectors = np.concatenate([*(known.vector[np.newaxis] for known in recent.events), vectors])
        found = merge_candidates(events, all_vectors, len(recent.events), self.limits)
        groups = [
            sorted(group, key=lambda place: (events[place].time_start, events[place].time_end)) for group in found
        ]
        parts = [[events[place] for place in group] for group in groups]
        summaries = [self.summarise(some) for some in parts]
        summarised = enumerate(zip(parts, summaries, strict=True), start=len(clip.events))
        drafts = [merged(some, ordinal, summary) for ordinal, (some, (summary, _)) in summarised]
        made = zip(drafts, groups, self._embedded(drafts), strict=True)
        notes = tuple(note for _, some in summaries for note in some)
        return [_merged_event(clip, recent, draft, group, vector) for draft, group, vector in made], notes

    def _embedded(self, drafts: Sequence[EventDraft]) -> Iterable[Vectors]:
        texts = [embedding_text(draft.summary_text, draft.dialogue_snippets) for draft in drafts]
        return self.embedder.embed(texts) if texts else ()


def _merged_event(
    clip: ComposedClip, recent: Recent, draft: EventDraft, group: Sequence[int], vector: Vectors
) -> MergedEvent:
    """group: indices in order of time, into the recent events followed by the clip's own."""
    there = len(recent.events)
    clips = [recent.events[place].clip_ids if place < there else (clip.source.clip.clip_id,) for place in group]
    return MergedEvent(
        event=draft,
        clip_ids=tuple(dict.fromkeys(clip_id for some in clips for clip_id in some)),
        node_ids=tuple(recent.events[place].node_id for place in group if place < there),
        ordinals=tuple(clip.events[place - there].ordinal for place in group if place >= there),
        vector=vector,
    )
