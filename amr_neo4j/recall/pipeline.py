"""From a question to an answer that names its evidence: classify, anchor, navigate, group, verify, answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from amr_neo4j.domain.event import Channel, Edge
from amr_neo4j.domain.ports import DenseIndex, Embedder, EventReader, Names, Vectors
from amr_neo4j.domain.recall import Answer, Fusion, Hit, Path, Scope
from amr_neo4j.recall.advice import Models, Notes, Say, answered, judged, typed
from amr_neo4j.recall.anchor import Rankings, by_name, by_text, ranks_by_event
from amr_neo4j.recall.answer import answer, nothing, reckoned
from amr_neo4j.recall.bm25 import Values
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.channels import ChannelTable, channel_table
from amr_neo4j.recall.classify import classify
from amr_neo4j.recall.context import context
from amr_neo4j.recall.fusion import FusionTable, fits, fusion_table, weights_for
from amr_neo4j.recall.group import Group, group
from amr_neo4j.recall.laps import Clock, Laps
from amr_neo4j.recall.meaning import meanings
from amr_neo4j.recall.navigate import Step, Walk, walk
from amr_neo4j.recall.pool import Pool
from amr_neo4j.recall.reading import Aim, Reading
from amr_neo4j.recall.spans import narrowed
from amr_neo4j.recall.verify import bears_on, best_first, best_fits, missing, ranked, scored, verify, weigh
from amr_neo4j.recall.whole import in_local_time, lacking


@dataclass(frozen=True)
class RecallLimits:
    """How far recall goes. sparse, dense, named: events per ranking; fusion: how these become one; anchors: kept of
    them; the next four bound the walk.

    group_gap, group_span: seconds that a stretch of time may pause and last; groups: how many are believed,
    of `judged` that a model is asked about; context_tokens: for what a model is shown. channels, fusions: weights.
    """

    sparse: int = 50
    dense: int = 50
    named: int = 100
    fusion: Fusion = "auto"
    anchors: int = 8
    width: int = 20
    hops: int = 4
    visited: int = 500
    convergence: float = 0.001
    group_gap: float = 15.0
    group_span: float = 60.0
    groups: int = 4
    judged: int = 12
    context_tokens: int = 3000
    channels: ChannelTable = field(default_factory=channel_table)
    fusions: FusionTable = field(default_factory=fusion_table)


EVERY_EVENT = 2**31 - 1
DEFAULTS = RecallLimits()
NO_MODELS = Models()


def ask(
    question: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    limits: RecallLimits = DEFAULTS,
    models: Models = NO_MODELS,
    say: Say = lambda claim: None,
    clock: Clock = lambda: 0.0,
) -> Answer:
    """Answer a question from memory, or say that nothing in it fits.

    say: is told each claim as it comes. clock: seconds, for the trace. Raises InputError: no question; ModelDenied,
    NoSuchModel.
    """
    return _Recall(scope, reader, index, embedder, limits, models, Laps(clock)).ask(question, say)


def search(
    text: str,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    embedder: Embedder,
    limits: RecallLimits = DEFAULTS,
) -> list[Hit]:
    """The events that fit a text, best first, as a question finds them. Raises InputError."""
    return _Recall(scope, reader, index, embedder, limits).search(text)


@dataclass(frozen=True)
class _Recall:
    scope: Scope
    reader: EventReader
    index: DenseIndex
    embedder: Embedder
    limits: RecallLimits
    models: Models = NO_MODELS
    laps: Laps = field(default_factory=lambda: Laps(lambda: 0.0))

    def ask(self, text: str, say: Say) -> Answer:
        notes = Notes()
        reading, candidates = self._find(text, notes)
        found = self._answer(reading, candidates, notes, say)
        self.laps.lap("answer")
        return replace(found, notes=tuple(notes.lines), trace=self.laps.trace())

    def _answer(self, reading: Reading, candidates: list[Candidate], notes: Notes, say: Say) -> Answer:
        unknown = [] if self.models.answer or (reading.span and not candidates) else missing(reading, candidates)
        if unknown or not bears_on(reading, candidates, self.embedder.unrelated):
            return nothing(reading, unknown)
        verified = self._verified(reading, candidates, notes)
        self.laps.lap("verify")
        if not verified:
            return nothing(reading)
        found = reckoned(reading, candidates)  # a model is shown too little to count
        if found is None and self.models.answer:
            shown = context(reading, verified, self.limits.context_tokens)
            found = answered(reading, shown, best_first(candidates), self.models.answer, notes, say)
            if found:
                return found
        found = found or answer(reading, verified, candidates)
        say(found.text)
        return found

    def search(self, text: str) -> list[Hit]:
        reading, candidates = self._find(text, Notes())
        fitting = [c for c in candidates if bears_on(reading, [c], self.embedder.unrelated)]
        if not fitting:
            return []
        in_turn = best_first(fitting)
        if reading.order:  # what happened right after, or last, is told by time and not by words
            cited = self._cited_by_rules(reading, self._groups(reading, fitting))
            in_turn.sort(key=lambda candidate: candidate.node_id not in cited)
        return [candidate.hit() for candidate in in_turn]

    def _find(self, text: str, notes: Notes) -> tuple[Reading, list[Candidate]]:
        """The question read, and whatever may bear on it, each with its score."""
        reading, vectors = self._classify(text, notes)
        self.laps.lap("classify")
        return self._within(reading, vectors, notes)._gather(reading, vectors)

    def _gather(self, reading: Reading, vectors: Mapping[str, Vectors]) -> tuple[Reading, list[Candidate]]:
        pool = self._pool(reading, vectors)
        starts = self._anchors(reading, pool)
        meant = reading.taking(meanings(reading, [start for start, _ in starts], self.embedder))
        if meant != reading:
            pool = self._pool(meant, vectors)
            starts = self._anchors(meant, pool)
        self.laps.lap("anchor")
        met: list[Edge] = []
        walked = self._navigate(meant, vectors[reading.question.text], starts, met)
        self.laps.walked(walked)
        pool = pool.joined_by(self._reached(pool, walked, vectors), met)
        self.laps.lap("navigate")
        meant = weigh(meant, pool.candidates)
        found = scored(meant, pool, self._fits(meant, pool), self.limits.channels.carries[meant.question.type])
        return meant, self._whole(meant, found, vectors)

    def _within(self, reading: Reading, vectors: Mapping[str, Vectors], notes: Notes) -> _Recall:
        """Itself, in the videos and the time that the question names; a day that no recording knows is left out."""
        scope = replace(self.scope, video_ids=reading.videos or self.scope.video_ids)
        if not reading.span:
            return replace(self, scope=scope)
        recorded = [at for at in self.reader.recordings(scope).values() if at]
        if reading.span.day and not recorded:
            notes.lines.append("no recording knows its date: the day in the question is left out")
            return replace(self, scope=scope)

        def holds(scope: Scope) -> bool:
            return bool(self._nearest(vectors[reading.main.text], scope, 1))

        return replace(self, scope=narrowed(reading.span, scope, recorded, holds))

    def _nearest(self, vector: Vectors, scope: Scope, limit: int) -> list[int]:
        return [node_id for node_id, _ in self.index.search(vector, limit, scope, replace(self, scope=scope)._among)]

    def _whole(self, reading: Reading, found: list[Candidate], vectors: Mapping[str, Vectors]) -> list[Candidate]:
        """With what the answer needs beside what was found, and the local time where it tells of the clock."""

        def nearest(scope: Scope) -> list[int]:
            return self._nearest(vectors[reading.main.text], scope, self.limits.visited)

        ids = lacking(reading, found, self.scope, self.reader, nearest, self.limits.named)
        unranked = dict.fromkeys((clause.text for clause in reading.clauses), 0.0)
        rest = self._candidates({i: Path((i,), (), 0.0) for i in ids}, vectors) if ids else []
        whole = [*found, *(replace(candidate, fused=unranked) for candidate in rest)]
        return in_local_time(whole, self.reader.recordings(self.scope)) if reading.aim is Aim.MOMENT else whole

    def _verified(self, reading: Reading, candidates: Sequence[Candidate], notes: Notes) -> list[Candidate]:
        """The candidates of the best groups, best first."""
        groups = self._groups(reading, candidates)
        if self.models.judge and groups:
            tokens = self.limits.context_tokens
            # What the rules would answer is judged first: it may be the last of many, and no better by its words.
            told = self._cited_by_rules(reading, groups)
            groups.sort(key=lambda members: told.isdisjoint(candidate.node_id for candidate in members))
            some = groups[: self.limits.judged]
            kept = judged(reading, some, self.models.judge, self.limits.groups, tokens, notes)
            if kept is not None:
                return [c for members in kept for c in best_first(members)]
        return verify(reading, groups, self.limits.groups)

    def _groups(self, reading: Reading, candidates: Sequence[Candidate]) -> list[Group]:
        return ranked(reading, group(candidates, gap=self.limits.group_gap, span=self.limits.group_span))

    def _cited_by_rules(self, reading: Reading, groups: Sequence[Group]) -> set[int]:
        """The events that the answer without a model rests on."""
        return {cited.node_id for cited in answer(reading, verify(reading, groups, self.limits.groups)).citations}

    def _classify(self, text: str, notes: Notes) -> tuple[Reading, dict[str, Vectors]]:
        """The question read, and the vectors of it and of its parts."""
        reading, names = self._read_by_rules(text)
        if self.models.text:
            known = (names.persons, names.objects)
            reading = typed(reading, self.models.text, known, lambda: self.reader.recordings(self.scope), notes)
        texts = list(dict.fromkeys([reading.question.text, *(clause.text for clause in reading.clauses)]))
        return reading, dict(zip(texts, self.embedder.embed(texts), strict=True))

    def _read_by_rules(self, text: str) -> tuple[Reading, Names]:
        """The question as the rules read it, knowing the names that the scope knows and no others."""
        names = self.reader.vocabulary(self.scope.group_id)
        while True:
            reading = classify(text, names.persons, names.objects)
            named = Names(frozenset(reading.question.persons), frozenset(reading.question.objects))
            if not named or self.scope == Scope(self.scope.group_id):
                return reading, names
            unknown = named - self.reader.known(named, self.scope)
            if not unknown:
                return reading, names
            names -= unknown

    @cached_property
    def _among(self) -> list[int] | None:
        """The events of the persons of the scope, where it names some."""
        if not self.scope.persons:
            return None
        return [i for who in self.scope.persons for i in self.reader.by_person(who, self.scope, EVERY_EVENT)]

    def _by_text(self, reading: Reading, vectors: Mapping[str, Vectors]) -> Rankings:
        """The rankings for each clause that tells what to look for."""
        clauses = reading.leads
        rankings: dict[str, Sequence[int]] = {}
        for number, clause in enumerate(clauses, start=1):
            found = by_text(
                clause,
                vectors[clause.text],
                self.scope,
                reader=self.reader,
                index=self.index,
                sparse=self.limits.sparse,
                dense=self.limits.dense,
                among=self._among,
            )
            rankings |= {f"{name} {number}" if len(clauses) > 1 else name: ids for name, ids in found.items()}
        return rankings

    def _navigate(
        self, reading: Reading, vector: Vectors, starts: Sequence[tuple[Candidate, float]], met: list[Edge]
    ) -> Walk:
        """Walk from the anchors. met: takes every edge that the walk looked along."""
        weights = self.limits.channels.weights[reading.question.type]

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

    def _pool(self, reading: Reading, vectors: Mapping[str, Vectors]) -> Pool:
        """The ranked events, those that the question names, and those just before and after each of them."""
        named = by_name(reading.question, self.scope, reader=self.reader, limit=self.limits.named)
        ranks = ranks_by_event({**self._by_text(reading, vectors), "named": named})
        edges = self.reader.neighbours(sorted(ranks), [Channel.TEMPORAL], self.scope) if ranks else []
        beside = sorted({node_id for edge in edges for node_id in (edge.src, edge.dst)} - ranks.keys())
        found = self._candidates({i: Path((i,), (), 0.0) for i in [*ranks, *beside]}, vectors)
        return Pool([replace(c, ranks=ranks.get(c.node_id, {})) for c in found], edges)

    def _reached(self, pool: Pool, walked: Walk, vectors: Mapping[str, Vectors]) -> list[Candidate]:
        """The candidates that the walk came to over an edge, whether the pool had them or not."""
        paths = {path.node_ids[-1]: path for path in walked.paths if path.edges}
        known = [replace(c, path=paths[c.node_id]) for c in pool.candidates if c.node_id in paths]
        there = {c.node_id for c in known}
        return [*known, *self._candidates({i: path for i, path in paths.items() if i not in there}, vectors)]

    def _candidates(self, paths: Mapping[int, Path], vectors: Mapping[str, Vectors]) -> list[Candidate]:
        cosines = {text: self.index.similarities(vector, list(paths)) for text, vector in vectors.items()}
        return [
            Candidate(
                event, paths[event.node_id], cosines={t: of.get(event.node_id, 0.0) for t, of in cosines.items()}
            )
            for event in self.reader.events(list(paths), self.scope)
        ]

    def _fits(self, reading: Reading, pool: Pool) -> dict[str, Values]:
        """Clause -> how well each candidate fits it."""
        weights = weights_for(reading.aim, self.limits.fusion, self.limits.fusions)
        return {clause.text: fits(pool, clause, weights) for clause in reading.clauses}

    def _anchors(self, reading: Reading, pool: Pool) -> list[tuple[Candidate, float]]:
        """The events a walk starts from, the best of the pool by any clause, each with how well it fits."""
        best = best_fits(reading, self._fits(reading, pool)).tolist()
        ranked = sorted(zip(pool.candidates, best, strict=True), key=lambda pair: (-pair[1], pair[0].node_id))
        return ranked[: self.limits.anchors]
