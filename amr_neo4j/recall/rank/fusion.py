"""Several rankings of events made one: by their ranks, by their scores, or with what surrounds an event in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial
from statistics import fmean
from typing import Annotated, Literal, get_args

import numpy as np
from pydantic import AfterValidator

from amr_neo4j.domain.recall import Fusion
from amr_neo4j.recall.evidence.pool import Pool
from amr_neo4j.recall.question.parsed import AnswerType, Clause
from amr_neo4j.recall.rank.bm25 import Values, bm25
from amr_neo4j.recall.retrieve.anchors import DAMPING
from amr_neo4j.tables import Table, Weight, every, load

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
# How many events of a stretch of video speak for its meaning.
SPOKESMEN = 3


Strategy = Literal["rrf", "blend", "surroundings"]
Weights = Mapping[Measure, float]


def _weighty(weights: Weights) -> Weights:
    if not any(weights.values()):
        raise ValueError("weighs nothing")
    return weights


def _known_answer_type(name: str) -> str:
    if name not in AnswerType.__members__:
        raise ValueError(f"should be one of {', '.join(AnswerType.__members__)}")
    return name


class FusionTable(Table):
    """fusion.yaml, whose head says what its keys mean."""

    auto: dict[Annotated[str, AfterValidator(_known_answer_type)], Strategy]
    otherwise: Strategy
    said: Strategy
    strategies: Annotated[
        dict[Strategy, Annotated[dict[Measure, Weight], AfterValidator(_weighty)]], every(get_args(Strategy))
    ]


@cache
def fusion_table() -> FusionTable:
    """The one beside this code."""
    return load("amr_neo4j.recall.rank", "fusion.yaml", FusionTable)


def weights_for(answer_type: AnswerType, wanted: Fusion, table: FusionTable, *, of_turns: bool = False) -> Weights:
    """The weights of the strategy wanted; where that is auto, of the one for what is asked, or for turns alone."""
    fitting = table.said if of_turns else table.auto.get(answer_type.name, table.otherwise)
    return table.strategies[fitting if wanted == "auto" else wanted]


def fits(pool: Pool, clause: Clause, weights: Weights) -> Values:
    """How well each candidate of a pool fits a clause, 0 to 1, in the candidates' order."""
    measured = _Measured(pool, clause)
    told = [weight * _stretched(_MEASURES[name](measured)) for name, weight in weights.items()]
    return np.sum(told, axis=0) / sum(weights.values())


class _Measured:
    """What each candidate of a pool measures against a clause, (candidates,)."""

    def __init__(self, pool: Pool, clause: Clause) -> None:
        self._pool = pool
        self._clause = clause

    @cached_property
    def _occurrences(self) -> list[Values]:
        return self._pool.occurrences(self._clause.terms)

    @cached_property
    def words(self) -> Values:
        """BM25 of the event itself."""
        return self._bm25(self._occurrences, self._pool.lengths)

    @cached_property
    def meaning(self) -> Values:
        """Cosine of the event itself."""
        return np.array([candidate.cosines.get(self._clause.text, 0.0) for candidate in self._pool.candidates])

    def words_near(self) -> Values:
        """BM25 of the event with its neighbours in time."""
        return self._bm25([self._pool.near(of) for of in self._occurrences], self._pool.near(self._pool.lengths))

    def words_since(self) -> Values:
        """BM25 of the event with the one before it."""
        since = partial(self._pool.near, after=False)
        return self._bm25([since(of) for of in self._occurrences], since(self._pool.lengths))

    def meaning_near(self) -> Values:
        """Mean cosine of the event and its neighbours in time."""
        return self._pool.near(self.meaning) / self._pool.near(np.ones_like(self.meaning))

    def words_around(self) -> Values:
        """BM25 of the best event of its stretch of video."""
        return self._pool.of_stretches(self.words, max)

    def meaning_around(self) -> Values:
        """Mean cosine of the nearest events of its stretch of video."""
        return self._pool.of_stretches(self.meaning, lambda found: fmean(sorted(found)[-SPOKESMEN:]))

    def person(self) -> Values:
        """1 where somebody the clause names takes part, else 0."""
        named = (*self._clause.persons, *self._clause.same)
        return np.array([float(not c.people.keys().isdisjoint(named)) for c in self._pool.candidates])

    def rank(self) -> Values:
        """Reciprocal rank fusion, as anchor.fuse; the ranks are the same for every clause."""
        ranks = (candidate.ranks.values() for candidate in self._pool.candidates)
        return np.array([sum(1 / (DAMPING + rank) for rank in of) for of in ranks], np.float64)

    def _bm25(self, occurrences: Sequence[Values], lengths: Values) -> Values:
        """A term is told as often as the most frequent of its forms."""
        counts = [of.max(axis=0) for of in occurrences]
        return bm25(np.array(counts), lengths) if counts else np.zeros(len(lengths))


_MEASURES: Mapping[Measure, Callable[[_Measured], Values]] = {
    "rank": _Measured.rank,
    "words": lambda measured: measured.words,
    "meaning": lambda measured: measured.meaning,
    "words_near": _Measured.words_near,
    "words_since": _Measured.words_since,
    "meaning_near": _Measured.meaning_near,
    "words_around": _Measured.words_around,
    "meaning_around": _Measured.meaning_around,
    "person": _Measured.person,
}


def _stretched(values: Values) -> Values:
    """Min-max to 0..1; all 0 where they are all alike."""
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
