"""The candidates as columns: events and how they were found, word counts, the segment that each lies in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.event import Edge, Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.retrieve.candidate import UNWEIGHTED, Candidate, WordWeights
from amr_neo4j.recall.retrieve.features import EventFeatures, features_of

# One value for each candidate, shape (..., candidates).
Values = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.intp]
# The longest pause between an event and the next one that goes on with it.
PAUSE_SEC = 30.0
_UNSCORED: Mapping[str, float] = {}
_NO_EVENTS: Mapping[int, Event] = {}


@dataclass(frozen=True)
class Pool:
    """The candidates, and the edges among them that were read. A Candidate is made of one when it has its scores.

    events: by node_id, in the order of the columns. cosines: clause text, or WHOLE -> the cosine to each, NaN where
    the index has no vector of it. language: of their texts. ranks: node_id -> retriever -> rank from 1. paths: to
    those that a walk reached, by node_id. counts: term, by its forms -> how often it occurs in each, so far.
    """

    events: Mapping[int, Event]
    cosines: Mapping[str, Values]
    language: Language
    ranks: Mapping[int, Mapping[str, int]] = field(default_factory=dict[int, Mapping[str, int]])
    edges: Sequence[Edge] = ()
    paths: Mapping[int, Path] = field(default_factory=dict[int, Path])
    counts: dict[Collection[str], Values] = field(default_factory=dict[Collection[str], Values])

    def __len__(self) -> int:
        return len(self.events)

    def joined(self, reached: Pool) -> Pool:
        """With the candidates, the edges and the paths of another pool, of other events.

        Paths to events that neither pool has are dropped: an event may be forgotten between its edges and itself.
        """
        events = {**self.events, **reached.events}
        terms = list(self.counts)
        counts = np.concatenate([self.term_counts(terms), reached.term_counts(terms)], axis=1)
        return Pool(
            events,
            {text: np.concatenate([cosines, reached.cosines[text]]) for text, cosines in self.cosines.items()},
            self.language,
            self.ranks,
            [*self.edges, *reached.edges],
            {node_id: path for node_id, path in reached.paths.items() if node_id in events},
            dict(zip(terms, counts, strict=True)),
        )

    def candidate(
        self,
        place: int,
        *,
        reach: float = 0.0,
        fused: Mapping[str, float] = _UNSCORED,
        score: float = 0.0,
        weights: WordWeights = UNWEIGHTED,
        path_events: Mapping[int, Event] = _NO_EVENTS,
    ) -> Candidate:
        """The candidate at a place of the columns, with what ranking found of it."""
        node_id = self.node_ids[place]
        return Candidate(
            event=self.events[node_id],
            path=self.paths.get(node_id) or Path((node_id,), (), 0.0),
            ranks=self.ranks.get(node_id, {}),
            cosines={text: near for text, of in self.cosines.items() if not isnan(near := of.item(place))},
            reach=reach,
            fused=fused,
            score=score,
            path_events=path_events,
            weights=weights,
            language=self.language,
        )

    @cached_property
    def node_ids(self) -> Sequence[int]:
        """Of each candidate."""
        return tuple(self.events)

    @cached_property
    def features(self) -> Sequence[EventFeatures]:
        """Of each candidate."""
        return [features_of(event, self.language) for event in self.events.values()]

    @cached_property
    def lengths(self) -> Values:
        """Of each candidate, in words."""
        return np.array([features.length for features in self.features], np.float64)

    def similarity(self, text: str) -> Values:
        """The cosine of each candidate to a clause, or to WHOLE; 0 where it is not known."""
        return np.nan_to_num(self.cosines[text])

    def term_counts(self, terms: Sequence[Collection[str]]) -> Values:
        """How often each term, given by its forms, occurs in each candidate, (terms, candidates).

        That is how often the most frequent of its forms does. A form that is in the event's lists alone counts once.
        """
        if unknown := [term for term in terms if term not in self.counts]:
            of_form = self._form_counts({form for term in unknown for form in term})
            self.counts.update((term, np.max([of_form[form] for form in term], axis=0)) for term in unknown)
        found: Values = np.reshape(np.array([self.counts[term] for term in terms]), (len(terms), len(self)))
        return found

    def _form_counts(self, forms: Collection[str]) -> dict[str, Values]:
        """How often each candidate has each of the forms; an event has few of them."""
        numbers = {form: number for number, form in enumerate(forms)}
        counted = np.zeros((len(numbers), len(self)))
        wanted = numbers.keys()
        for place, features in enumerate(self.features):
            counts = features.form_counts
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
        rhythms: Values = np.reshape(np.array([event.rhythm for event in self.events.values()], np.float64), (-1, 2))
        begin, end = rhythms[:, 0], rhythms[:, 1]
        in_order = np.lexsort((end, begin, self.recordings))
        earlier, later = in_order[:-1], in_order[1:]
        beside = (self.recordings[earlier] == self.recordings[later]) & (begin[later] - end[earlier] <= PAUSE_SEC)
        before, after = np.full((2, len(self)), -1, np.intp)
        before[later[beside]], after[earlier[beside]] = earlier[beside], later[beside]
        return before, after

    @cached_property
    def recordings(self) -> npt.NDArray[np.int64]:
        """A number for what each candidate is recorded in."""
        return np.array([features.recording for features in self.features], np.int64)

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
        names = np.array([features.segment for features in self.features], np.int64)
        return np.unique(names, return_inverse=True)[1]
