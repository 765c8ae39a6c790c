"""Fuse several rankings of candidates: by rank, by score, or by score with the surroundings in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial
from statistics import fmean
from typing import Annotated, Literal, get_args

import numpy as np
from pydantic import AfterValidator

from amr_neo4j.domain.recall import Fusion
from amr_neo4j.recall.evidence.pool import Pool, Values
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.rank.bm25 import bm25
from amr_neo4j.recall.rank.reciprocal_rank import DAMPING
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
# How many events of a segment, the nearest, make its mean cosine.
NEAREST_OF_SEGMENT = 3

Strategy = Literal["rrf", "blend", "surroundings"]
Weights = Mapping[Measure, float]
# Clause text -> the fused score of each candidate, 0 to 1, (candidates,).
FusedScores = Mapping[str, Values]


def _not_all_zero(weights: Weights) -> Weights:
    if not any(weights.values()):
        raise ValueError("weighs nothing")
    return weights


def _known_answer_type(name: str) -> str:
    if name not in AnswerType.__members__:
        raise ValueError(f"should be one of {', '.join(AnswerType.__members__)}")
    return name


class FusionTable(Table):
    """fusion.yaml; its header documents the keys."""

    auto: dict[Annotated[str, AfterValidator(_known_answer_type)], Strategy]
    otherwise: Strategy
    said: Strategy
    strategies: Annotated[
        dict[Strategy, Annotated[dict[Measure, Weight], AfterValidator(_not_all_zero)]], every(get_args(Strategy))
    ]


@cache
def fusion_table() -> FusionTable:
    """The table that the package ships."""
    return load("amr_neo4j.recall.rank", "fusion.yaml", FusionTable)


def weights_for(answer_type: AnswerType, strategy: Fusion, table: FusionTable, *, of_turns: bool = False) -> Weights:
    """The weights of a strategy; auto is the one for the answer type, or for turns. of_turns: no other candidates."""
    auto = table.said if of_turns else table.auto.get(answer_type.name, table.otherwise)
    return table.strategies[auto if strategy == "auto" else strategy]


def fuse_clauses(parsed: ParsedQuestion, pool: Pool, strategy: Fusion, table: FusionTable) -> dict[str, Values]:
    """Clause text -> the fused score of each candidate, 0 to 1, (candidates,)."""
    of_turns = all(candidate.event.turn for candidate in pool.candidates)
    weights = weights_for(parsed.answer_type, strategy, table, of_turns=of_turns)
    return {clause.text: fused_scores(pool, clause, weights) for clause in parsed.clauses}


def fused_scores(pool: Pool, clause: Clause, weights: Weights) -> Values:
    """How well each candidate matches a clause, 0 to 1, (candidates,)."""
    measured = _Measured(pool, clause)
    weighted = [weight * _min_max(_MEASURES[name](measured)) for name, weight in weights.items()]
    return np.sum(weighted, axis=0) / sum(weights.values())


class _Measured:
    """The measures of each candidate against a clause, (candidates,)."""

    def __init__(self, pool: Pool, clause: Clause) -> None:
        self._pool = pool
        self._clause = clause

    @cached_property
    def _form_counts(self) -> list[Values]:
        return self._pool.form_counts(self._clause.term_forms)

    @cached_property
    def words(self) -> Values:
        """BM25 of the event itself."""
        return self._bm25(self._form_counts, self._pool.lengths)

    @cached_property
    def meaning(self) -> Values:
        """Cosine of the event itself."""
        return np.array([candidate.cosines.get(self._clause.text, 0.0) for candidate in self._pool.candidates])

    def words_near(self) -> Values:
        """BM25 of the event with its neighbours in time."""
        windowed = self._pool.with_neighbours
        return self._bm25([windowed(counts) for counts in self._form_counts], windowed(self._pool.lengths))

    def words_since(self) -> Values:
        """BM25 of the event with the one before it."""
        windowed = partial(self._pool.with_neighbours, after=False)
        return self._bm25([windowed(counts) for counts in self._form_counts], windowed(self._pool.lengths))

    def meaning_near(self) -> Values:
        """Mean cosine of the event and its neighbours in time."""
        windowed = self._pool.with_neighbours
        return windowed(self.meaning) / windowed(np.ones_like(self.meaning))

    def words_around(self) -> Values:
        """BM25 of the best event of its segment of video."""
        return self._pool.by_segment(self.words, max)

    def meaning_around(self) -> Values:
        """Mean cosine of the nearest events of its segment of video."""
        return self._pool.by_segment(self.meaning, lambda cosines: fmean(sorted(cosines)[-NEAREST_OF_SEGMENT:]))

    def person(self) -> Values:
        """1 where a person that the clause names takes part, else 0."""
        named = (*self._clause.persons, *self._clause.aliases)
        return np.array([float(not c.people.keys().isdisjoint(named)) for c in self._pool.candidates])

    def rank(self) -> Values:
        """Reciprocal rank fusion of the retrievers; the same for every clause."""
        ranks = (candidate.ranks.values() for candidate in self._pool.candidates)
        return np.array([sum(1 / (DAMPING + rank) for rank in some) for some in ranks], np.float64)

    def _bm25(self, form_counts: Sequence[Values], lengths: Values) -> Values:
        """A term occurs as often as the most frequent of its forms."""
        counts = [of_term.max(axis=0) for of_term in form_counts]
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


def _min_max(values: Values) -> Values:
    """Min-max scaled to 0..1; all 0 where all are equal."""
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
