"""From a question that is understood to whatever in memory may bear on it: anchors, and a walk from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

from amr_neo4j.domain.event import Channel, Edge
from amr_neo4j.domain.ports import DenseIndex, Embedder, EventReader, Vectors
from amr_neo4j.domain.recall import Path, Scope
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.pool import Pool
from amr_neo4j.recall.evidence.synonyms import meanings
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.bm25 import Values
from amr_neo4j.recall.rank.fusion import fits, weights_for
from amr_neo4j.recall.rank.score import best_fits, scored, weigh
from amr_neo4j.recall.retrieve.anchors import NAMED, by_name, by_words, ranks_by_event
from amr_neo4j.recall.retrieve.beam import Step, Walk, walk
from amr_neo4j.recall.retrieve.completion import lacking
from amr_neo4j.recall.trace import TraceRecorder

EVERY_EVENT = 2**31 - 1
Ranks = Mapping[int, Mapping[str, int]]
_NONE: Ranks = {}
# Clause -> its vector, made when it is first asked for.
Embedded = Callable[[], Mapping[str, Vectors]]
# What the database looks for while this process embeds the question and looks for what is near.
ASIDE = ThreadPoolExecutor(max_workers=4, thread_name_prefix="recall")


@dataclass(frozen=True)
class Retriever:
    """Gathers evidence in a scope."""

    scope: Scope
    reader: EventReader
    index: DenseIndex
    embedder: Embedder
    limits: RecallLimits
    laps: TraceRecorder

    def gather(self, parsed: ParsedQuestion, embedded: Embedded) -> tuple[ParsedQuestion, list[Candidate]]:
        """The question with the names that memory has for its things, and the candidates, each with its score."""
        pool = self._pool(parsed, embedded)
        vectors = embedded()
        starts = self._anchors(parsed, pool)
        meant = parsed.taking(meanings(parsed, [start for start, _ in starts], self.embedder))
        if meant != parsed:
            pool = self._pool(meant, embedded)
            starts = self._anchors(meant, pool)
        self.laps.lap("anchor")
        met: list[Edge] = []
        walked = self._navigate(meant, vectors[parsed.main.text], starts, met)
        self.laps.walked(walked)
        pool = pool.joined_by(self._reached(pool, walked, vectors), met)
        self.laps.lap("navigate")
        meant = weigh(meant, pool.candidates)
        found = scored(meant, pool, self._fits(meant, pool), self.limits.channels.carries[meant.question.type])
        return meant, self._whole(meant, found, vectors)

    def nearest(self, vector: Vectors, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events of a scope that are nearest to a vector, shape (dim,)."""
        return [node_id for node_id, _ in self.index.search(vector, limit, scope, replace(self, scope=scope)._among)]

    def _whole(
        self, parsed: ParsedQuestion, found: list[Candidate], vectors: Mapping[str, Vectors]
    ) -> list[Candidate]:
        """With what the answer needs beside what was found."""

        def nearest(scope: Scope) -> list[int]:
            return self.nearest(vectors[parsed.main.text], scope, self.limits.visited)

        ids = lacking(parsed, found, self.scope, self.reader, nearest, self.limits.named)
        unranked = dict.fromkeys((clause.text for clause in parsed.clauses), 0.0)
        rest = self._candidates({i: Path((i,), (), 0.0) for i in ids}, vectors) if ids else []
        return [*found, *(replace(candidate, fused=unranked) for candidate in rest)]

    @cached_property
    def _among(self) -> list[int] | None:
        """The events of the persons of the scope, where it names some."""
        if not self.scope.persons:
            return None
        return [i for who in self.scope.persons for i in self.reader.by_person(who, self.scope, EVERY_EVENT)]

    def _rankings(self, parsed: ParsedQuestion, embedded: Embedded) -> dict[str, Sequence[int]]:
        """The rankings for each clause that tells what to look for, and the events of what the question names."""
        limits, clauses, scope = self.limits, parsed.leads, self.scope
        named = ASIDE.submit(by_name, parsed.question, scope, reader=self.reader, limit=limits.named)
        by_word = [ASIDE.submit(by_words, clause, scope, self.reader, limits.sparse) for clause in clauses]
        vectors = embedded()
        dense = [self.index.search(vectors[clause.text], limits.dense, scope, self._among) for clause in clauses]
        rankings: dict[str, Sequence[int]] = {}
        for number, (words, near) in enumerate(zip(by_word, dense, strict=True), start=1):
            which = f" {number}" if len(clauses) > 1 else ""
            rankings |= {f"full text{which}": words.result(), f"dense{which}": [node_id for node_id, _ in near]}
        return rankings | {NAMED: named.result()}

    def _navigate(
        self, parsed: ParsedQuestion, vector: Vectors, starts: Sequence[tuple[Candidate, float]], met: list[Edge]
    ) -> Walk:
        """Walk from the anchors. met: takes every edge that the walk looked along."""
        weights = self.limits.channels.weights[parsed.question.type]

        def score(steps: Sequence[Step]) -> list[float]:
            cosines = self.index.similarities(vector, [step.target for step in steps])
            return [weights[s.edge.channel] * (1 + cosines.get(s.target, 0.0)) / 2 for s in steps]

        def neighbours(node_ids: Sequence[int]) -> Sequence[Edge]:
            edges = self.reader.neighbours(node_ids, list(weights), self.scope)
            met.extend(edges)
            return edges

        return walk(
            [(start.node_id, fit) for start, fit in starts],
            neighbours,
            score,
            width=self.limits.width,
            hops=self.limits.hops,
            limit=self.limits.visited,
            convergence=self.limits.convergence,
        )

    def _pool(self, parsed: ParsedQuestion, embedded: Embedded) -> Pool:
        """The ranked events, those that the question names, and those just before and after the best of them."""
        ranks = ranks_by_event(self._rankings(parsed, embedded))
        vectors = embedded()
        told = [node_id for node_id, of in ranks.items() if _best_rank(of) <= self.limits.near]
        edges = self.reader.neighbours(sorted(told), [Channel.TEMPORAL], self.scope) if told else []
        beside = sorted({node_id for edge in edges for node_id in (edge.src, edge.dst)} - ranks.keys())
        return Pool(self._candidates({i: Path((i,), (), 0.0) for i in [*ranks, *beside]}, vectors, ranks), edges)

    def _reached(self, pool: Pool, walked: Walk, vectors: Mapping[str, Vectors]) -> list[Candidate]:
        """The candidates that the walk came to over an edge, whether the pool had them or not."""
        paths = {path.node_ids[-1]: path for path in walked.paths if path.edges}
        known = [replace(c, path=paths[c.node_id]) for c in pool.candidates if c.node_id in paths]
        there = {c.node_id for c in known}
        return [*known, *self._candidates({i: path for i, path in paths.items() if i not in there}, vectors)]

    def _candidates(
        self,
        paths: Mapping[int, Path],
        vectors: Mapping[str, Vectors],
        ranks: Ranks = _NONE,
    ) -> list[Candidate]:
        cosines = {text: self.index.similarities(vector, list(paths)) for text, vector in vectors.items()}
        return [
            Candidate(event, paths[i], ranks.get(i, {}), {t: of.get(i, 0.0) for t, of in cosines.items()})
            for event in self.reader.events(list(paths), self.scope)
            for i in [event.node_id]
        ]

    def _fits(self, parsed: ParsedQuestion, pool: Pool) -> dict[str, Values]:
        """Clause -> how well each candidate fits it."""
        of_turns = all(candidate.event.turn for candidate in pool.candidates)
        weights = weights_for(parsed.answer_type, self.limits.fusion, self.limits.fusions, of_turns=of_turns)
        return {clause.text: fits(pool, clause, weights) for clause in parsed.clauses}

    def _anchors(self, parsed: ParsedQuestion, pool: Pool) -> list[tuple[Candidate, float]]:
        """The events a walk starts from, the best of the pool by any clause, each with how well it fits."""
        best = best_fits(parsed, self._fits(parsed, pool)).tolist()
        ranked = sorted(zip(pool.candidates, best, strict=True), key=lambda pair: (-pair[1], pair[0].node_id))
        return ranked[: self.limits.anchors]


def _best_rank(ranks: Mapping[str, int]) -> int:
    """By words or by meaning: whatever else somebody did last tells nothing of what surrounds it."""
    return min((rank for ranking, rank in ranks.items() if ranking != NAMED), default=EVERY_EVENT)
