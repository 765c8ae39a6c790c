"""Retrieves candidates for a question: ranked events, and the events that a walk from the anchors reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Path, Scope
from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.question.parsed import WHOLE, ParsedQuestion
from amr_neo4j.recall.retrieve.anchors import NAMED, ranks_by_event, reads_by_name, together
from amr_neo4j.recall.retrieve.beam import Step, Walk, walk
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.pool import Pool
from amr_neo4j.recall.sources import Sources
from amr_neo4j.threads import ContextPool

# A limit that no group reaches.
EVERY_EVENT = 2**31 - 1
# How many scenes are looked for by words.
_SCENES = 300
# This many of the best events by words, and of the best by vector, make their neighbours in time candidates.
_WITH_NEIGHBOURS = 30
Ranks = Mapping[int, Mapping[str, int]]
_NO_RANKS: Ranks = {}
_NO_PATHS: Mapping[int, Path] = {}
# Returns {clause text: vector}. The first call waits until they are embedded.
ClauseVectors = Callable[[], Mapping[str, Vectors]]
# A full-text search: (node_id, score), best first.
Search = Future[list[tuple[int, float]]]
# {(words, scope): search}, started while the question was parsed.
Searches = dict[tuple[str, Scope], Search]
# Runs database reads while this thread embeds the question and searches by vector.
BACKGROUND = ContextPool(max_workers=8, thread_name_prefix="recall")


@dataclass(frozen=True)
class Retriever:
    """Retrieves candidates from the sources of a question.

    telling: (a wider scope, a function that returns which of its events and turns are candidates too): a turn of
        today may be about yesterday.
    keeps: returns whether an event of the scope is a candidate; None if all are.
    """

    sources: Sources
    limits: RecallLimits
    vectors: ClauseVectors
    searches: Searches
    telling: tuple[Scope, Callable[[Event], bool]] | None = None
    keeps: Callable[[Event], bool] | None = None

    @property
    def scope(self) -> Scope:
        """The part of the graph that is read."""
        return self.sources.scope

    def within(self, scope: Scope) -> Retriever:
        """Return the same retriever in another scope."""
        return replace(self, sources=replace(self.sources, scope=scope), telling=None, keeps=None)

    def ranked_events(self, parsed: ParsedQuestion) -> Pool:
        """Return the ranked events, with the events just before and after the best of them."""
        scenes = BACKGROUND.submit(self.sources.reader.scenes, queries(parsed)[0], self.scope, _SCENES)
        ranks = ranks_by_event(self._rankings(parsed))
        best = [node_id for node_id, of_event in ranks.items() if _best_rank(of_event) <= _WITH_NEIGHBOURS]
        # One round trip for the events and their edges, which the next lines ask for one by one.
        self.sources.reader.read_ahead(list(ranks), best, self.scope)
        edges = self.sources.reader.neighbours(sorted(best), [Channel.TEMPORAL], self.scope) if best else []
        neighbours = sorted({node_id for edge in edges for node_id in (edge.src, edge.dst)} - ranks.keys())
        pool = replace(self.pool([*ranks, *neighbours], ranks, edges), scenes=scenes.result())
        if self.telling is None:
            return pool
        scope, tells = self.telling
        wider = self.within(scope)
        others = ranks_by_event(wider._rankings(parsed))
        unread = [node_id for node_id in others if node_id not in pool.events]
        read = wider.sources.reader.events(unread, scope) if unread else []
        telling = {event.node_id: others[event.node_id] for event in read if tells(event)}
        return pool.joined(wider.pool(list(telling), telling)) if telling else pool

    def expand(
        self, parsed: ParsedQuestion, anchors: Sequence[tuple[Candidate, float]], pool: Pool
    ) -> tuple[Pool, Walk]:
        """Walk from the anchors. Returns (the pool with the events reached and every edge read, the walk)."""
        read: list[Edge] = []
        cosines = dict(zip(pool.node_ids, pool.similarity(parsed.main.text).tolist(), strict=True))
        walked = self._navigate(parsed, anchors, cosines, read)
        paths = {path.node_ids[-1]: path for path in walked.paths if path.edges}
        new = [node_id for node_id in paths if node_id not in pool.events]
        return pool.joined(self.pool(new, edges=read, paths=paths)), walked

    def nearest(self, parsed: ParsedQuestion, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of the events of a scope that are nearest to what is asked, by vector."""
        vector = self.vectors()[parsed.main.text]
        within = self.within(scope)
        return within._near(vector, limit, within._events_of_persons)

    def _near(self, vector: Vectors, limit: int, among: list[int] | None) -> list[int]:
        """Return the node_ids nearest to a vector, best first; none if the embedder was away."""
        if np.isnan(vector).any():
            return []
        return [node_id for node_id, _ in self.sources.index.search(vector, limit, self.scope, among)]

    def _similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Return the cosine of each event to each vector: NaN if the event has none, or if the embedder was away."""
        if np.isnan(vectors).any():
            return np.full((len(vectors), len(node_ids)), np.nan, np.float32)
        return self.sources.index.similarities(vectors, node_ids)

    @cached_property
    def _events_of_persons(self) -> list[int] | None:
        """The node_ids of the events of the scope's persons; None if the scope names no persons."""
        if not self.scope.persons:
            return None
        return [
            i for person in self.scope.persons for i in self.sources.reader.by_person(person, self.scope, EVERY_EVENT)
        ]

    def _rankings(self, parsed: ParsedQuestion) -> dict[str, Sequence[int]]:
        """Return the rankings: by words and by vector for the question and its clauses, and one by names."""
        limits, scope = self.limits, self.scope
        named = [BACKGROUND.submit(read) for read in reads_by_name(parsed.question, self.sources)]
        sparse = [
            self.searches.get((words, scope)) or begin_search(words, self.sources, limits.anchors_sparse)
            for words in queries(parsed)
        ]
        # The reads started above run in BACKGROUND while this thread waits for the vectors and searches by them.
        vectors, among = self.vectors(), self._events_of_persons
        texts = [WHOLE, *(clause.text for clause in parsed.search_clauses)]
        # The question and its only clause may have the same vector: search by it once.
        different = {vectors[text].tobytes(): vectors[text] for text in texts}.values()
        dense = [self._near(vector, limits.anchors_dense, among) for vector in different]
        rankings: dict[str, Sequence[int]] = {}
        for number, words in enumerate(sparse):
            rankings[f"full text {number}" if number else "full text"] = [node_id for node_id, _ in words.result()]
        for number, near in enumerate(dense):
            rankings[f"dense {number}" if number else "dense"] = near
        return rankings | {NAMED: together([read.result() for read in named])}

    def _navigate(
        self,
        parsed: ParsedQuestion,
        anchors: Sequence[tuple[Candidate, float]],
        cosines: dict[int, float],
        read: list[Edge],
    ) -> Walk:
        """Walk from the anchors.

        cosines, read: filled with the cosine of each event and with every edge that the walk meets.
        """
        weights = self.limits.channels.weights[parsed.question.type]
        vector = self.vectors()[parsed.main.text]

        def score(steps: Sequence[Step]) -> list[float]:
            unknown = list(dict.fromkeys(step.target for step in steps if step.target not in cosines))
            if unknown:
                [found] = np.nan_to_num(self._similarities(vector[np.newaxis], unknown)).tolist()
                cosines.update(zip(unknown, found, strict=True))
            # (1 + cosine) / 2 scales the cosine to 0..1, so that a channel's weight never turns a score negative.
            return [weights[s.edge.channel] * (1 + cosines[s.target]) / 2 for s in steps]

        def neighbours(node_ids: Sequence[int]) -> Sequence[Edge]:
            edges = self.sources.reader.neighbours(node_ids, list(weights), self.scope)
            read.extend(edges)
            return edges

        return walk(
            [(anchor.node_id, fused) for anchor, fused in anchors],
            neighbours,
            score,
            width=self.limits.beam_width,
            hops=self.limits.max_hops,
            limit=self.limits.max_visited,
            convergence=self.limits.convergence,
        )

    def pool(
        self,
        node_ids: Sequence[int],
        ranks: Ranks = _NO_RANKS,
        edges: Sequence[Edge] = (),
        paths: Mapping[int, Path] = _NO_PATHS,
    ) -> Pool:
        """Return a pool of the events with these ids, as far as they are in scope."""
        read = self.sources.reader.events(node_ids, self.scope) if node_ids else ()
        events = {event.node_id: event for event in read if self.keeps is None or self.keeps(event)}
        of_text = self.vectors()
        # Equal texts share one vector object: compare each with the events once.
        vectors = {id(vector): vector for vector in of_text.values()}
        asked = np.stack(list(vectors.values()))
        found = self._similarities(asked, list(events)) if events else np.empty((len(asked), 0))
        near = dict(zip(vectors, found.astype(np.float64), strict=True))
        cosines = {text: near[id(vector)] for text, vector in of_text.items()}
        return Pool(
            events=events, cosines=cosines, language=self.sources.language, ranks=ranks, edges=edges, paths=paths
        )


def begin_search(words: str, sources: Sources, limit: int) -> Search:
    """Start a full-text search for words."""
    return BACKGROUND.submit(sources.reader.full_text, words, sources.scope, limit)


def queries(parsed: ParsedQuestion) -> list[str]:
    """Return the full-text queries: one with all words of the question, and one per clause without its persons.

    Function words are left out if there are others, because every line of dialogue has them.
    """
    terms = [parsed.whole.words, *(clause.search_terms for clause in parsed.search_clauses)]
    told = [" ".join(parsed.told)] if parsed.told else []
    return list(dict.fromkeys([*(query(words, parsed.whole.text) for words in terms), *told]))


def query(words: Iterable[ContentWord], text: str) -> str:
    """Return the full-text query for some words of a text; the text itself if there are no words."""
    return " ".join(word.word for word in words) or text


def _best_rank(ranks: Mapping[str, int]) -> int:
    """Return the best rank by words or by vector.

    The ranking by names does not count: the surroundings of a person's latest event say nothing about the question.
    """
    return min((rank for ranking, rank in ranks.items() if ranking != NAMED), default=EVERY_EVENT)
