"""Fuses several measures of how well a candidate matches the question, or a clause of it, into one score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import WHOLE, Order, ParsedQuestion
from amr_neo4j.recall.retrieve.anchors import DAMPING
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.pool import Pool, Values
from amr_neo4j.recall.weights import SCORING, Measure, Weights

_OF_SCENES: frozenset[Measure] = frozenset({"words_scenes", "meaning_scenes"})
# {clause text or WHOLE: the fused score of each candidate, from 0 to 1, shape (candidates,)}.
FusedScores = Mapping[str, Values]


def bm25(counts: Values, lengths: Values) -> Values:
    """Return the BM25 score of each text, shape (texts,) (Robertson and Zaragoza 2009).

    counts: how often each term occurs in each text, shape (terms, texts).
    lengths: in words, shape (texts,).
    """
    texts = len(lengths)
    # The statistics are taken over the candidates and not over the index, so that texts of other tenants have no
    # influence.
    holding = (counts > 0).sum(axis=1)
    rarity = np.log(1 + (texts - holding + 0.5) / (holding + 0.5))
    # Computed among the candidates, because Lucene's scores depend on the texts of other groups (decision 0097).
    k1, b = SCORING.bm25_saturation, SCORING.bm25_length
    damped = k1 * (1 - b + b * lengths / ((lengths.mean() if texts else 0.0) or 1.0))
    # The maximum avoids 0 / 0, which an empty text would give with some values of k1 and b.
    found: Values = counts * (k1 + 1) / np.maximum(counts + damped, np.finfo(np.float64).tiny)
    return rarity @ found


def beside_reference(pool: Pool, reference: Values, order: Order | None) -> Values:
    """Return for each candidate how well an event beside it matches the reference, shape (candidates,).

    For BEFORE and AFTER, the match counts less the further away the event is. The best event beside it counts.

    reference: how well each candidate matches the clause that time is counted from, from 0 to 1, shape (candidates,).
    order: a candidate asked for AFTER the reference needs a matching event before it in its recording, one asked for
        BEFORE needs one after it, and one asked for DURING needs one that overlaps.
    """
    found = np.zeros(len(pool))
    if order not in (Order.BEFORE, Order.AFTER, Order.DURING) or not len(pool):
        return found
    _, recordings, sizes = np.unique(pool.recordings, return_inverse=True, return_counts=True)
    for places in np.split(np.argsort(recordings, kind="stable"), np.cumsum(sizes)[:-1]):
        if len(places) == 1 and order is not Order.DURING:
            continue  # Nothing is beside it. Of turns, many are the only ones of their session.
        start, end = pool.columns["start"][places], pool.columns["end"][places]
        # All pairs of candidates of the recording: a row each, and a column for the other one.
        later = start[:, None] - start
        if order is Order.DURING:
            beside = np.where((start[:, None] <= end) & (start <= end[:, None]), 1.0, 0.0)
        else:
            asked = later > 0 if order is Order.AFTER else later < 0
            beside = np.where(asked, np.exp(-np.abs(later) / SCORING.beside_decay_sec), 0.0)
        found[places] = np.maximum(0.0, (beside * reference[places]).max(axis=1))
    return found


def fused_scores(parsed: ParsedQuestion, pool: Pool, weights: Weights) -> dict[str, Values]:
    """Return how well each candidate matches the question (by `weights`) and each clause (by words and meaning)."""
    measured = _Measured(pool, parsed)
    return {WHOLE: measured.fused(weights), **{clause.text: measured.of(clause) for clause in parsed.clauses}}


def best_of_pool(parsed: ParsedQuestion, pool: Pool, weights: Weights, *, most: int) -> list[tuple[Candidate, float]]:
    """Return the `most` candidates that match the question best, with their fused scores. A walk starts from them."""
    fused = _Measured(pool, parsed).fused(weights)
    # lexsort sorts by its last key first: by score, ties by node_id.
    ranked = np.lexsort((np.array(pool.node_ids), -fused))[:most]
    return [(pool.candidate(place), fused.item(place)) for place in ranked.tolist()]


class _Measured:
    """Measures each candidate against a question, with a property per Measure of fusion.yaml, shape (candidates,)."""

    def __init__(self, pool: Pool, parsed: ParsedQuestion) -> None:
        self._pool = pool
        self._parsed = parsed
        self._of_clauses: dict[str, Values] = {}
        # The pool keeps the counts. To count all terms in one pass is faster than term by term later.
        pool.term_counts([*self._related, *_forms(parsed.whole.words)])

    def fused(self, weights: Weights) -> Values:
        """Return the weighted mean of the measures, from 0 to 1."""
        # The measures of scenes add what captions leave out. Lists of actions leave out little, so the measures are
        # skipped there.
        counted: list[Measure] = [measure for measure in weights if not (measure in _OF_SCENES and self._has_lists)]
        measures: dict[Measure, Values] = {measure: getattr(self, measure) for measure in counted}
        # Talk and short films have no scenes. There, the weights of scenes must not make the fused score count for
        # less beside the date and the actions of an event.
        left_out = {measure for measure in _OF_SCENES & measures.keys() if not measures[measure].any()}
        return _weighted([(weights[measure], measures[measure]) for measure in measures if measure not in left_out])

    @cached_property
    def _has_lists(self) -> bool:
        """Whether most analyses list actions. Beside turns, footage is weighed as captions are."""
        columns = self._pool.columns
        return not columns["is_turn"].any() and bool(2 * columns["lists_actions"].sum() > len(self._pool))

    def of(self, clause: Clause) -> Values:
        """Return how well each candidate matches a clause, from 0 to 1: BM25 and cosine in equal parts."""
        if clause.text not in self._of_clauses:
            words = _bm25(self._pool, _forms(clause.search_terms))
            self._of_clauses[clause.text] = _weighted([(1.0, words), (1.0, self._pool.similarity(clause.text))])
        return self._of_clauses[clause.text]

    @cached_property
    def words(self) -> Values:
        """BM25 of the event for all words of the question. A name that most candidates have counts for little."""
        return _bm25(self._pool, _forms(self._parsed.whole.words))

    @cached_property
    def related_words(self) -> Values:
        """BM25 in which related words count as the same ("deliver", "bring")."""
        return _bm25(self._pool, self._related)

    @cached_property
    def _related(self) -> list[frozenset[str]]:
        return [*map(self._parsed.language.alike, self._parsed.whole.words)]

    @cached_property
    def words_near(self) -> Values:
        """BM25 of the event and the events right before and after it, read as one text."""
        return _bm25(self._pool, _forms(self._parsed.whole.words), self._pool.with_neighbours)

    @cached_property
    def meaning(self) -> Values:
        """Cosine of the event to the question."""
        return self._pool.similarity(WHOLE)

    @cached_property
    def meaning_asked(self) -> Values:
        """Cosine of the event to the main clause, without words that events do not have (see embedding_texts)."""
        return self._pool.similarity(self._parsed.main.text)

    @cached_property
    def words_around(self) -> Values:
        """The highest BM25 of any event in the same segment of video."""
        return self._pool.by_segment(self.words, 1)

    @cached_property
    def meaning_around(self) -> Values:
        """The mean cosine of the events nearest to the question in the same segment of video."""
        return self._pool.by_segment(self.meaning, SCORING.nearest_of_segment)

    @cached_property
    def words_scenes(self) -> Values:
        """BM25 of the scenes that the event lies in."""
        return self._pool.by_words_of_scenes(SCORING.scene_levels, SCORING.least_scenes * min(SCORING.scenes))

    @cached_property
    def meaning_scenes(self) -> Values:
        """How similar the other events of its scenes are to the question. Cosines below the mean count as 0."""
        mean = self.meaning.sum() / max(1, len(self._pool))
        return self._pool.by_scenes(np.maximum(self.meaning - mean, 0.0), SCORING.scenes, SCORING.least_scenes)

    @cached_property
    def person(self) -> Values:
        """1 if a person whom the question names takes part, else 0."""
        named = (*self._parsed.whole.persons, *self._parsed.whole.aliases)
        if not named:
            return np.zeros(len(self._pool))
        return np.array([float(not of.people.keys().isdisjoint(named)) for of in self._pool.features])

    @cached_property
    def said_by_person(self) -> Values:
        """1 for a turn of a person, else 0. All 0 if the question asks for the assistant's words."""
        if self._parsed.asks_for_assistant:
            return np.zeros(len(self._pool))
        return self._pool.columns["by_person"]

    @cached_property
    def beside(self) -> Values:
        """How well an event beside the candidate matches what time is counted from (see beside_reference)."""
        if self._parsed.reference is None:
            return np.zeros(len(self._pool))
        return beside_reference(self._pool, self.of(self._parsed.reference), self._parsed.order)

    @cached_property
    def rank(self) -> Values:
        """Reciprocal rank fusion of the rankings."""
        ranks = (self._pool.ranks.get(node_id, {}).values() for node_id in self._pool.node_ids)
        return np.array([sum(1 / (DAMPING + rank) for rank in some) for some in ranks], np.float64)


def _forms(words: Sequence[ContentWord]) -> list[frozenset[str]]:
    return [word.forms for word in words]


def _bm25(
    pool: Pool, terms: Sequence[frozenset[str]], joined: Callable[[Values], Values] = lambda values: values
) -> Values:
    """Return the BM25 of terms, each given by its forms.

    joined: adds up counts and lengths, shape (..., candidates), of events that are read as one text.
    """
    return bm25(joined(pool.term_counts(terms)), joined(pool.columns["length"])) if terms else np.zeros(len(pool))


def _weighted(measures: Sequence[tuple[float, Values]]) -> Values:
    """Return the weighted mean of measures. Each is scaled to 0..1 first."""
    # A cosine and a BM25 score have different ranges. Scaled over the candidates, their weights mean the same.
    total: Values = np.sum([weight * _min_max(values) for weight, values in measures], axis=0)
    return total / sum(weight for weight, _ in measures)


def _min_max(values: Values) -> Values:
    """Return values scaled linearly to 0..1; all 0 if they are equal."""
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
