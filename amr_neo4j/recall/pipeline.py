"""From a question to an answer that names its evidence: classify, anchor, navigate, group, verify, answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.ports import DenseIndex, Embedder, EventReader, Vectors
from amr_neo4j.domain.recall import Anchor, Answer, Hit, Path, Scope
from amr_neo4j.recall.anchor import anchors, by_name, by_text
from amr_neo4j.recall.answer import answer, nothing
from amr_neo4j.recall.candidate import Candidate, gather
from amr_neo4j.recall.channels import weights_for
from amr_neo4j.recall.classify import classify
from amr_neo4j.recall.group import group
from amr_neo4j.recall.meaning import meanings
from amr_neo4j.recall.navigate import Step, Walk, walk
from amr_neo4j.recall.reading import Reading
from amr_neo4j.recall.verify import fits, missing, verify, weigh


@dataclass(frozen=True)
class RecallLimits:
    """How far recall goes. sparse, dense: events per ranking; anchors: kept of them; the next four bound the walk.

    group_gap, group_span: seconds that a stretch of time may pause and last; groups: how many are believed.
    """

    sparse: int = 50
    dense: int = 50
    anchors: int = 8
    width: int = 20
    hops: int = 4
    visited: int = 500
    convergence: float = 0.001
    group_gap: float = 15.0
    group_span: float = 60.0
    groups: int = 4


DEFAULTS = RecallLimits()


def ask(
    question: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    limits: RecallLimits = DEFAULTS,
) -> Answer:
    """Answer a question from memory, or say that nothing in it fits. Raises InputError: no question."""
    return _Recall(scope, reader, index, embedder, limits).ask(question)


def search(
    text: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    limits: RecallLimits = DEFAULTS,
) -> list[Hit]:
    """The events that fit a text, best first, at most `limits.sparse`; nobody walks. Raises InputError."""
    return _Recall(scope, reader, index, embedder, limits).search(text)


@dataclass(frozen=True)
class _Recall:
    scope: Scope
    reader: EventReader
    index: DenseIndex
    embedder: Embedder
    limits: RecallLimits

    def ask(self, text: str) -> Answer:
        reading, vectors = self._classify(text)
        found = self._by_text(reading, vectors)
        reading = reading.taking(meanings(reading, self._met(anchors(found, self.limits.anchors)), self.embedder))
        named = by_name(reading.question, self.scope, reader=self.reader, limit=self.limits.visited)
        starts = anchors({**found, "named": named[: self.limits.sparse]}, self.limits.visited)
        walked = self._navigate(reading, vectors[reading.question.text], starts[: self.limits.anchors])
        candidates = self._candidates(walked, starts, named, vectors)
        lacking = missing(reading, candidates)
        if lacking or not fits(reading, candidates, self.embedder.unrelated):
            return nothing(reading, lacking)
        reading = weigh(reading, candidates)
        groups = group(candidates, gap=self.limits.group_gap, span=self.limits.group_span)
        return answer(reading, verify(reading, groups, self.limits.groups))

    def search(self, text: str) -> list[Hit]:
        reading, vectors = self._classify(text)
        found = self._by_text(reading, vectors, self.embedder.unrelated)
        named = by_name(reading.question, self.scope, reader=self.reader, limit=self.limits.sparse)
        best = {anchor.node_id: anchor for anchor in anchors({**found, "named": named}, self.limits.sparse)}
        events = self.reader.events(list(best), self.scope)
        return [Hit(event, best[event.node_id].score, best[event.node_id].ranks) for event in events]

    def _classify(self, text: str) -> tuple[Reading, dict[str, Vectors]]:
        """The question read, and the vectors of it and of its parts."""
        reading = classify(text, *self.reader.vocabulary(self.scope))
        texts = list(dict.fromkeys([reading.question.text, *(clause.text for clause in reading.clauses)]))
        return reading, dict(zip(texts, self.embedder.embed(texts), strict=True))

    def _by_text(
        self, reading: Reading, vectors: Mapping[str, Vectors], least_cosine: float = -1.0
    ) -> dict[str, list[int]]:
        clause = reading.clauses[0]
        return by_text(
            clause,
            vectors[clause.text],
            self.scope,
            reader=self.reader,
            index=self.index,
            sparse=self.limits.sparse,
            dense=self.limits.dense,
            least_cosine=least_cosine,
        )

    def _met(self, starts: Sequence[Anchor]) -> list[Candidate]:
        events = self.reader.events([anchor.node_id for anchor in starts], self.scope)
        return [Candidate(event, Path((event.node_id,), (), 0.0)) for event in events]

    def _navigate(self, reading: Reading, vector: Vectors, starts: Sequence[Anchor]) -> Walk:
        weights = weights_for(reading.question.type)

        def score(steps: Sequence[Step]) -> list[float]:
            cosines = self.index.similarities(vector, [step.target for step in steps])
            return [weights[s.edge.channel] * (1 + cosines.get(s.target, 0.0)) / 2 for s in steps]

        return walk(
            [(anchor.node_id, anchor.score) for anchor in starts],
            lambda node_ids: self.reader.neighbours(node_ids, list(weights), self.scope),
            score,
            width=self.limits.width,
            hops=self.limits.hops,
            limit=self.limits.visited,
            convergence=self.limits.convergence,
        )

    def _candidates(
        self, walked: Walk, starts: Sequence[Anchor], named: Sequence[int], vectors: Mapping[str, Vectors]
    ) -> list[Candidate]:
        """The events that the walk kept, then those that the question names, as far as there is room."""
        paths = {node_id: Path((node_id,), (), 0.0) for node_id in named}
        kept = {path.node_ids[-1]: path for path in walked.paths}
        node_ids = list(dict.fromkeys([*kept, *named]))[: self.limits.visited]
        cosines = {text: self.index.similarities(vector, node_ids) for text, vector in vectors.items()}
        return gather(paths | kept, self.reader.events(node_ids, self.scope), starts, cosines)
