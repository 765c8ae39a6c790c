"""A memory in a list: an EventReader and a DenseIndex that keep the promises of the real ones, without a database.

The edges are those of plain_graph.py, which the real store must equal. Words rank by BM25 over crude stems. Vectors
count hashed words, so that texts are near if they share words.
"""

from __future__ import annotations

import dataclasses
import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np

from amr_neo4j.domain.event import Channel, ComposedClip, Cue, Edge, Event, EventDraft
from amr_neo4j.domain.ports import Embedder, Names, Vectors
from amr_neo4j.domain.recall import Margin, Scope
from amr_neo4j.domain.scene import Company, SceneMatch
from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.ingest.compose import compose, embedding_text
from amr_neo4j.ingest.derive import with_derived_actions, with_unseen_speech, with_wearer
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.language.languages import ENGLISH, Language
from tests.support.plain_graph import PlainGraph
from tests.support.plain_scope import holds

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


def stems(text: str) -> list[str]:
    return [word[:5].rstrip("s") for word in re.findall(r"\w+", text.lower())]


class HashedWords(Embedder):
    """An embedder without a model: each word is a direction of its own, except for the given synonyms."""

    model = "hashed-words"
    dim = 8191
    unrelated = 0.3
    alike = 0.85

    def __init__(self, synonyms: Mapping[str, str] | None = None) -> None:
        self._synonyms = synonyms or {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for stem in stems(text) or [""]:
                row[zlib.crc32(self._synonyms.get(stem, stem).encode()) % self.dim] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class FakeGraph:
    """Composed clips as EventReader and DenseIndex serve them. calls: how often each read was asked for."""

    def __init__(self, clips: Iterable[ComposedClip], embedder: Embedder, jump_gap: float = 30.0) -> None:
        clips = list(clips)
        drafts = [(clip, draft) for clip in clips for draft in clip.events]
        self.drafts = {node_id: draft for node_id, (_, draft) in enumerate(drafts)}
        self.stored = {node_id: _event(node_id, *pair) for node_id, pair in enumerate(drafts)}
        self.said = {
            node_id: [Cue(t.utterance, t.time_start, t.time_end) for t in clip.source.analysis.speaker_turns]
            for node_id, (clip, _) in enumerate(drafts)
        }
        ids = {(e.video_id, e.clip_ids[0], e.ordinal): e.node_id for e in self.stored.values()}
        self.edges = [
            Edge(ids[src], ids[dst], Channel(channel), {"time_gap": gap, _subject(channel): subject})
            for channel, subject, src, dst, gap, _ in sorted(PlainGraph(clips, jump_gap).edges())
        ]
        texts = [embedding_text(e.summary_text, e.dialogue_snippets) for e in self.stored.values()]
        self.vectors = dict(zip(self.stored, embedder.embed(texts), strict=True))
        self.bags = {node_id: Counter(stems(_text(event))) for node_id, event in self.stored.items()}
        videos = [clip.source.video for clip in clips]
        self.recorded = {
            video.video_id: replace(
                Video(video.group_id, video.video_id),
                recorded_at=video.recorded_at,
                place=video.home,
                timezone=video.timezone,
                wearer=video.wearer,
            )
            for video in videos
        }
        self.touching = _touching(self.edges)
        self.calls: Counter[str] = Counter()
        self.learnt_at = datetime(2026, 5, 1, tzinfo=UTC)

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        bags = {event.node_id: self.bags[event.node_id] for event in self._scoped(scope)}
        return sorted(_bm25(set(stems(text)), bags).items(), key=lambda hit: (-hit[1], hit[0]))[:limit]

    def read_ahead(self, node_ids: Sequence[int], best: Sequence[int], scope: Scope) -> None:
        """There is nothing to wait for."""

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        self.calls["neighbours"] += 1
        known = {event.node_id for event in self._scoped(scope)}
        touching = {id(edge): edge for node_id in node_ids for edge in self.touching[node_id]}.values()
        return [edge for edge in touching if edge.channel in channels and {edge.src, edge.dst} <= known]

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        known = {event.node_id: event for event in self._scoped(scope)}
        return [known[node_id] for node_id in node_ids if node_id in known]

    def around(self, events: Sequence[Event], margin: Margin, scope: Scope) -> list[Event]:
        return [
            other
            for other in self._scoped(scope)
            if any(
                other.video_id == event.video_id
                and other.time_end >= event.time_start - margin.before_s
                and other.time_start <= event.time_end + margin.after_s
                for event in events
            )
        ]

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        return self._latest(scope, limit, lambda draft: name in {use.name for use in draft.uses})

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        return self._latest(
            scope, limit, lambda draft: any(person_id in ("", who.person_id) for who in draft.involvements)
        )

    def vocabulary(self, scope: Scope) -> Names:
        return self.known(None, Scope(scope.group_id))

    def last_vocabulary(self, scope: Scope) -> Names | None:
        return None

    def known(self, names: Names | None, scope: Scope) -> Names:
        drafts = [self.drafts[event.node_id] for event in self._scoped(scope)]
        people = frozenset(who.person_id for draft in drafts for who in draft.involvements)
        objects = frozenset(use.name for draft in drafts for use in draft.uses)
        places = frozenset(video.place for video in self.recorded.values() if video.place != video.video_id)
        videos = frozenset(self.recorded)
        wearers = frozenset(video.wearer for video in self.recorded.values() if video.wearer)
        scene_types = frozenset(draft.scene_type for draft in drafts if draft.scene_type)
        known = Names(people, objects, places=places, videos=videos, wearers=wearers, scene_types=scene_types)
        return Names(people & names.persons, objects & names.objects) if names else known

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        self.calls["life"] += 1
        return self._latest(
            scope,
            limit,
            lambda draft: any(
                use.verb and use.name in objects and (not states or use.to_state in states) for use in draft.uses
            ),
        )

    def cues(self, node_ids: Sequence[int], scope: Scope) -> Mapping[int, Sequence[Cue]]:
        known = {event.node_id for event in self._scoped(scope)}
        return {node_id: self.said[node_id] for node_id in node_ids if node_id in known}

    def company(self, node_id: int, scope: Scope) -> Company | None:
        return None

    def scenes(self, text: str, scope: Scope, limit: int) -> list[SceneMatch]:
        return []

    def videos_at(self, places: Sequence[str], scope: Scope) -> list[str]:
        recorded = self.recordings(scope).items()
        return [video_id for video_id, video in recorded if video.place in places or video_id in places]

    def videos_showing(self, scene_types: Sequence[str], scope: Scope) -> list[str]:
        events = self._scoped(Scope(scope.group_id, scope.video_ids))
        return sorted({event.video_id for event in events if event.scene_type in scene_types})

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        videos = {event.video_id for event in self._scoped(Scope(scope.group_id, scope.video_ids))}
        return {video: self.recorded[video] for video in sorted(videos)}

    def lengths(self, video_ids: Sequence[str], scope: Scope) -> Mapping[str, float]:
        """The end of each video's last event."""
        events = self._scoped(Scope(scope.group_id, tuple(video_ids)))
        return {i: max(each.time_end for each in events if each.video_id == i) for i in video_ids}

    def catch_up(self) -> int:
        return 0

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        inside = [event.node_id for event in self._scoped(scope)]
        known = [i for i in inside if i in self.vectors and (among is None or i in among)]
        [scores] = self.similarities(vector[np.newaxis], known).tolist()
        return sorted(zip(known, scores, strict=True), key=lambda hit: (-hit[1], hit[0]))[:k]

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        unknown = np.full(vectors.shape[1], np.nan, np.float32)
        held = np.array([self.vectors.get(node_id, unknown) for node_id in node_ids], np.float32)
        return vectors @ held.reshape(-1, vectors.shape[1]).T

    def _scoped(self, scope: Scope) -> list[Event]:
        return [event for event in self.stored.values() if holds(scope, event, self._people(event), self.learnt_at)]

    def _people(self, event: Event) -> set[str]:
        return {who.person_id for who in self.drafts[event.node_id].involvements}

    def _latest(self, scope: Scope, limit: int, holds) -> list[int]:
        found = [event for event in self._scoped(scope) if holds(self.drafts[event.node_id])]
        latest = sorted(found, key=lambda e: (e.at.timestamp() if e.at else e.time_start, e.node_id), reverse=True)
        return [event.node_id for event in latest[:limit]]


def graph_of_lines(
    lines: Iterable[str], embedder: Embedder | None = None, group_id: str = "test", told: Language = ENGLISH
) -> FakeGraph:
    """The graph of JSON lines, read and composed as ingestion does. told: the language of the analyses."""
    return FakeGraph(_composed(lines, group_id, told), embedder or HashedWords())


def kitchen(embedder: Embedder | None = None) -> FakeGraph:
    """The example that the project ships, in the order of its day."""
    return FakeGraph(_kitchen_clips(), embedder or HashedWords())


@cache
def _kitchen_clips() -> list[ComposedClip]:
    return _composed(kitchen_lines(), "test")


def _composed(lines: Iterable[str], group_id: str, told: Language = ENGLISH) -> list[ComposedClip]:
    clips = [clip for clip in read_lines(lines, group_id=group_id) if isinstance(clip, AnalysedClip)]
    derived = (with_wearer(with_derived_actions(clip, told), told) for clip in clips)
    return [compose(with_unseen_speech(clip, told), told) for clip in derived]


def kitchen_lines() -> list[str]:
    files = (KITCHEN / f"kitchen_{part}.jsonl" for part in ("morning", "noon", "evening"))
    return [line for file in files for line in file.read_text("utf-8").splitlines()]


def _event(node_id: int, clip: ComposedClip, draft: EventDraft) -> Event:
    source = clip.source
    same = {each.name for each in dataclasses.fields(Event)} & {each.name for each in dataclasses.fields(EventDraft)}
    fields = {name: getattr(draft, name) for name in same}
    return Event(node_id, source.video.group_id, source.video.video_id, (source.clip.clip_id,), **fields)


def _subject(channel: str) -> str:
    return {"ENTITY_JUMP": "person", "OBJECT_LIFECYCLE": "object", "CROSS_MODAL": "subject"}.get(channel, "of")


def _text(event: Event) -> str:
    return " ".join(
        (event.summary_text, *event.dialogue_snippets, *event.persons, *event.objects, *event.spatial_descriptions)
    )


def _touching(edges: Iterable[Edge]) -> Mapping[int, list[Edge]]:
    touching: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        touching[edge.src].append(edge)
        touching[edge.dst].append(edge)
    return touching


def _bm25(query: set[str], bags: Mapping[int, Counter[str]], k1: float = 1.2, b: float = 0.75) -> dict[int, float]:
    """node_id -> score, of the bags that hold any word of the query."""
    holding = {word: [node_id for node_id, bag in bags.items() if word in bag] for word in query}
    mean = sum(bag.total() for bag in bags.values()) / max(1, len(bags))
    scores: dict[int, float] = defaultdict(float)
    for word, node_ids in holding.items():
        rarity = math.log(1 + (len(bags) - len(node_ids) + 0.5) / (len(node_ids) + 0.5))
        for node_id in node_ids:
            bag = bags[node_id]
            scores[node_id] += rarity * bag[word] * (k1 + 1) / (bag[word] + k1 * (1 - b + b * bag.total() / mean))
    return scores
