"""Several rankings of events made one: by their ranks, by their scores, or with what surrounds an event in time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from statistics import fmean
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator

from amr_neo4j.domain.event import Channel, Edge
from amr_neo4j.domain.recall import Fusion
from amr_neo4j.recall.anchor import DAMPING
from amr_neo4j.recall.bm25 import Bag, bm25
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.reading import Aim, Clause
from amr_neo4j.recall.tables import Table, Weight, every, load

Measure = Literal[
    "rank",
    "words",
    "meaning",
    "words_near",
    "words_since",
    "meaning_near",
    "words_around",
    "meaning_around",
    "person",
]
# Seconds of video that count as one stretch, and how many of its events speak for its meaning.
STRETCH_SEC = 600.0
SPOKESMEN = 3


Strategy = Literal["rrf", "blend", "surroundings"]
Weights = Mapping[Measure, float]


def _weighty(weights: Weights) -> Weights:
    if not any(weights.values()):
        raise ValueError("weighs nothing")
    return weights


def _known_aim(name: str) -> str:
    if name not in Aim.__members__:
        raise ValueError(f"should be one of {', '.join(Aim.__members__)}")
    return name


class FusionTable(Table):
    """fusion.yaml, whose head says what its keys mean."""

    auto: dict[Annotated[str, AfterValidator(_known_aim)], Strategy]
    otherwise: Strategy
    strategies: Annotated[
        dict[Strategy, Annotated[dict[Measure, Weight], AfterValidator(_weighty)]], every(get_args(Strategy))
    ]


@cache
def fusion_table() -> FusionTable:
    """The one beside this code."""
    return load("fusion.yaml", FusionTable)


def weights_for(aim: Aim, wanted: Fusion, table: FusionTable) -> Weights:
    """The weights of the strategy wanted; where that is auto, of the one for what is asked."""
    return table.strategies[wanted if wanted != "auto" else table.auto.get(aim.name, table.otherwise)]


class Pool:
    """The events at hand with their neighbours in time, as far as those are at hand too."""

    def __init__(self, candidates: Sequence[Candidate], edges: Iterable[Edge]) -> None:
        self.candidates = candidates
        self.edges = tuple(edges)
        self._place = {candidate.node_id: n for n, candidate in enumerate(candidates)}
        temporal = [edge for edge in self.edges if edge.channel is Channel.TEMPORAL]
        self._before = {edge.dst: edge.src for edge in temporal}
        self._after = {edge.src: edge.dst for edge in temporal}

    def joined_by(self, candidates: Iterable[Candidate], edges: Iterable[Edge]) -> Pool:
        """With these, each in the place of the one that is of the same event."""
        joined = {candidate.node_id: candidate for candidate in [*self.candidates, *candidates]}
        return Pool(list(joined.values()), [*self.edges, *edges])

    def fused(self, clauses: Sequence[Clause], weights: Weights) -> list[Candidate]:
        """The candidates, each with how well it fits each clause, 0 to 1."""
        values = {clause.text: self._scores(clause, weights) for clause in clauses}
        return [
            replace(candidate, fused={text: of[n] for text, of in values.items()})
            for n, candidate in enumerate(self.candidates)
        ]

    def _scores(self, clause: Clause, weights: Weights) -> list[float]:
        measured = [(weight, _stretched(_MEASURES[name](self, clause))) for name, weight in weights.items()]
        whole = sum(weights.values())
        return [sum(weight * values[n] for weight, values in measured) / whole for n in range(len(self.candidates))]

    def words(self, clause: Clause) -> list[float]:
        """BM25 of the event itself."""
        return bm25([candidate.telling.bag for candidate in self.candidates], clause.terms)

    def words_near(self, clause: Clause) -> list[float]:
        """BM25 of the event with its neighbours in time."""
        return self._words_of(clause, lambda node_id: (self._before.get(node_id), node_id, self._after.get(node_id)))

    def words_since(self, clause: Clause) -> list[float]:
        """BM25 of the event with the one before it."""
        return self._words_of(clause, lambda node_id: (self._before.get(node_id), node_id))

    def _words_of(self, clause: Clause, window: Callable[[int], Sequence[int | None]]) -> list[float]:
        near = [self._known(window(candidate.node_id)) for candidate in self.candidates]
        return bm25([_joined(candidate.telling.bag for candidate in some) for some in near], clause.terms)

    def meaning(self, clause: Clause) -> list[float]:
        """Cosine of the event itself."""
        return [candidate.cosines.get(clause.text, 0.0) for candidate in self.candidates]

    def meaning_near(self, clause: Clause) -> list[float]:
        """Mean cosine of the event and its neighbours in time."""
        windows = ((self._before.get(c.node_id), c.node_id, self._after.get(c.node_id)) for c in self.candidates)
        return [fmean(c.cosines.get(clause.text, 0.0) for c in self._known(window)) for window in windows]

    def words_around(self, clause: Clause) -> list[float]:
        """BM25 of the best event of its stretch of video."""
        return self._of_stretches(self.words(clause), max)

    def meaning_around(self, clause: Clause) -> list[float]:
        """Mean cosine of the nearest events of its stretch of video."""
        return self._of_stretches(self.meaning(clause), lambda found: fmean(sorted(found)[-SPOKESMEN:]))

    def _of_stretches(self, values: Sequence[float], told: Callable[[Sequence[float]], float]) -> list[float]:
        """For each event what its stretch of video tells, out of the values of the stretch's events."""
        stretches: dict[tuple[str, int], list[float]] = defaultdict(list)
        for candidate, value in zip(self.candidates, values, strict=True):
            stretches[_stretch(candidate)].append(value)
        of_stretch = {stretch: told(found) for stretch, found in stretches.items()}
        return [of_stretch[_stretch(candidate)] for candidate in self.candidates]

    def person(self, clause: Clause) -> list[float]:
        """1 where somebody the clause names takes part, else 0."""
        return [float(not candidate.people.keys().isdisjoint(clause.persons)) for candidate in self.candidates]

    def by_rank(self, clause: Clause) -> list[float]:
        """Reciprocal rank fusion, as anchor.fuse; the ranks are the same for every clause."""
        return [sum(1 / (DAMPING + rank) for rank in candidate.ranks.values()) for candidate in self.candidates]

    def _known(self, node_ids: Iterable[int | None]) -> list[Candidate]:
        return [self.candidates[self._place[i]] for i in node_ids if i is not None and i in self._place]


_MEASURES: Mapping[Measure, Callable[[Pool, Clause], list[float]]] = {
    "rank": Pool.by_rank,
    "words": Pool.words,
    "meaning": Pool.meaning,
    "words_near": Pool.words_near,
    "words_since": Pool.words_since,
    "meaning_near": Pool.meaning_near,
    "words_around": Pool.words_around,
    "meaning_around": Pool.meaning_around,
    "person": Pool.person,
}


def _joined(bags: Iterable[Bag]) -> Bag:
    joined = Counter[str]()
    for bag in bags:
        joined.update(bag)
    return joined


def _stretch(candidate: Candidate) -> tuple[str, int]:
    return candidate.event.video_id, int(candidate.event.time_start // STRETCH_SEC)


def _stretched(values: Sequence[float]) -> list[float]:
    """Min-max to 0..1; all 0 where they are all alike."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]
