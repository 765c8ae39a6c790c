"""The candidates as arrays: word counts, and the segment of video that each lies in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.event import Edge
from amr_neo4j.recall.evidence.candidate import Candidate

# One value for each candidate, shape (..., candidates).
Values = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.intp]
# The longest pause between an event and the next one that goes on with it.
PAUSE_SEC = 30.0
_NO_COLUMNS: Mapping[str, Values] = {}


class Pool:
    """The candidates, and the edges among them that were read."""

    def __init__(
        self, candidates: Sequence[Candidate], edges: Iterable[Edge], columns: Mapping[str, Values] = _NO_COLUMNS
    ) -> None:
        """columns: form -> how often the first of the candidates have it, as an earlier pool counted."""
        self.candidates = candidates
        self.edges = tuple(edges)
        self.events = {candidate.node_id: candidate.event for candidate in candidates}
        self.lengths: Values = np.array([candidate.features.length for candidate in candidates], np.float64)
        self._form_counts = [candidate.features.form_counts for candidate in candidates]
        first = len(next(iter(columns.values()), ()))
        new = self._counted(columns, first)
        self._columns = {form: np.concatenate([counts, new[form]]) for form, counts in columns.items()}
        self._cosines: dict[str, Values] = {}

    def updated(self, candidates: Iterable[Candidate], edges: Iterable[Edge]) -> Pool:
        """With these edges and candidates; a candidate replaces the one of the same event."""
        joined = {candidate.node_id: candidate for candidate in [*self.candidates, *candidates]}
        return Pool(list(joined.values()), [*self.edges, *edges], self._columns)

    def cosines(self, text: str) -> Values:
        """The cosine of each candidate to a clause, or to WHOLE; 0 where the index has no vector of it."""
        if text not in self._cosines:
            self._cosines[text] = np.array([candidate.cosines.get(text, 0.0) for candidate in self.candidates])
        return self._cosines[text]

    def form_counts(self, terms: Sequence[Collection[str]]) -> list[Values]:
        """For each term how often each of its forms occurs in each candidate, (forms, candidates).

        A form that is in the event's lists alone counts once.
        """
        if unknown := dict.fromkeys(form for term in terms for form in term if form not in self._columns):
            self._columns.update(self._counted(unknown, 0))
        return [np.array([self._columns[form] for form in term]) for term in terms]

    def _counted(self, forms: Collection[str], start: int) -> dict[str, Values]:
        """How often each candidate from a place on has each of the forms; an event has few of them."""
        numbers = {form: number for number, form in enumerate(forms)}
        counted = np.zeros((len(numbers), len(self._form_counts) - start))
        wanted = numbers.keys()
        for place, counts in enumerate(self._form_counts[start:]):
            for form in wanted & counts.keys():
                counted[numbers[form], place] = counts[form]
        return dict(zip(numbers, counted, strict=True))

    def with_neighbours(self, values: Values) -> Values:
        """Values, (..., candidates), each added to those of the candidates right before and after it in time."""
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        before, after = self._neighbours
        found: Values = values + padded[..., before] + padded[..., after]
        return found

    @cached_property
    def _neighbours(self) -> tuple[Numbers, Numbers]:
        """For each candidate the number of the one before and the one after it in its recording; -1 for none."""
        recordings = np.array([candidate.features.recording for candidate in self.candidates], np.int64)
        rhythms = [candidate.event.rhythm for candidate in self.candidates]
        begin, end = np.array(rhythms, np.float64).reshape(-1, 2).T
        in_order = np.lexsort((end, begin, recordings))
        earlier, later = in_order[:-1], in_order[1:]
        beside = (recordings[earlier] == recordings[later]) & (begin[later] - end[earlier] <= PAUSE_SEC)
        before, after = np.full((2, len(begin)), -1, np.intp)
        before[later[beside]], after[earlier[beside]] = earlier[beside], later[beside]
        return before, after

    def by_segment(self, values: Values, most: int) -> Values:
        """For each candidate the mean of the `most` highest values of its segment's candidates."""
        segments = self._segments
        best_first = np.lexsort((-values, segments))
        sizes = np.bincount(segments)
        place = np.arange(len(values)) - (np.cumsum(sizes) - sizes)[segments[best_first]]
        best = best_first[place < most]
        of_segment = np.bincount(segments[best], values[best]) / np.minimum(sizes, most)
        found: Values = of_segment[segments]
        return found

    @cached_property
    def _segments(self) -> Numbers:
        """The segment of each candidate, numbered from 0."""
        names = np.array([candidate.features.segment for candidate in self.candidates], np.int64)
        return np.unique(names, return_inverse=True)[1]
