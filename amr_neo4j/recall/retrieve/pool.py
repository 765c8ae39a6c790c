"""The candidates of a question as columns: events, how they were found, word counts, segments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.event import Edge, Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.domain.scene import SceneMatch
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.features import COLUMNS, EventFeatures, features_of, recording_number

# One value per candidate, shape (..., candidates).
Values = npt.NDArray[np.floating[Any]]
Numbers = npt.NDArray[np.intp]
# An event counts as the neighbour of the one before it if the pause between them is at most this long.
PAUSE_SEC = 30.0
# More scenes than a recording has.
_MOST_SCENES = 10**9
_UNSCORED: Mapping[str, float] = {}
_NO_EVENTS: Mapping[int, Event] = {}


@dataclass(frozen=True)
class Pool:
    """The candidates in columns, and the edges between them that were read.

    Ranking works on columns, which is fast. A Candidate object is made only once its scores are known.

    events: {node_id: event}, in the order of the columns.
    cosines: {clause text or WHOLE: the cosine of each candidate}, NaN if the index has no vector for it.
    language: the language of the texts.
    ranks: {node_id: {ranking: rank from 1}}.
    paths: {node_id: path} of the candidates that a walk reached.
    scenes: the scenes that have words of the question.
    counts: {forms of a term: how often it occurs in each candidate}, for the terms counted so far.
    """

    events: Mapping[int, Event]
    cosines: Mapping[str, Values]
    language: Language
    ranks: Mapping[int, Mapping[str, int]] = field(default_factory=dict[int, Mapping[str, int]])
    edges: Sequence[Edge] = ()
    paths: Mapping[int, Path] = field(default_factory=dict[int, Path])
    scenes: Sequence[SceneMatch] = ()
    counts: dict[Collection[str], Values] = field(default_factory=dict[Collection[str], Values])

    def __len__(self) -> int:
        return len(self.events)

    def joined(self, reached: Pool) -> Pool:
        """Return the pool with the candidates, edges and paths of another pool, which has other events.

        Paths to events that neither pool has are dropped: an event may be forgotten after its edges were read and
        before it was read itself.
        """
        events = {**self.events, **reached.events}
        terms = list(self.counts)
        # Counted for both pools, so that the joined one need not count again.
        counts = np.concatenate([self.term_counts(terms), reached.term_counts(terms)], axis=1)
        return Pool(
            events=events,
            cosines={
                text: np.concatenate([cosines, reached.cosines[text]]) for text, cosines in self.cosines.items()
            },
            language=self.language,
            ranks={**self.ranks, **reached.ranks},
            edges=[*self.edges, *reached.edges],
            paths={node_id: path for node_id, path in reached.paths.items() if node_id in events},
            scenes=self.scenes,
            counts=dict(zip(terms, counts, strict=True)),
        )

    def candidate(
        self,
        place: int,
        *,
        reach: float = 0.0,
        fused: Mapping[str, float] = _UNSCORED,
        score: float = 0.0,
        weights: Mapping[str, float] = _UNSCORED,
        path_events: Mapping[int, Event] = _NO_EVENTS,
    ) -> Candidate:
        """Return the candidate of column `place`, with the results of ranking."""
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
        """The node_id of each candidate."""
        return tuple(self.events)

    @cached_property
    def features(self) -> Sequence[EventFeatures]:
        """The features of each candidate."""
        return [features_of(event, self.language) for event in self.events.values()]

    @cached_property
    def columns(self) -> Mapping[str, Values]:
        """{name: the number of each candidate}, for each name of features.COLUMNS."""
        rows = np.array([features.row for features in self.features], np.float64)
        # The reshape matters if there are no candidates.
        return dict(zip(COLUMNS, np.ascontiguousarray(rows.reshape(len(self), len(COLUMNS)).T), strict=True))

    def similarity(self, text: str) -> Values:
        """Return the cosine of each candidate to a clause or to WHOLE; 0 if it is not known."""
        return np.nan_to_num(self.cosines[text])

    def term_counts(self, terms: Sequence[Collection[str]]) -> Values:
        """Return how often each term occurs in each candidate, shape (terms, candidates).

        The most frequent form counts. A form in the event's lists alone counts once.

        terms: each given by its forms.
        """
        if unknown := [term for term in terms if term not in self.counts]:
            of_form = self._form_counts({form for term in unknown for form in term})
            self.counts.update((term, np.max([of_form[form] for form in term], axis=0)) for term in unknown)
        # The reshape matters if there are no terms: the array must still have one column per candidate.
        found: Values = np.reshape(np.array([self.counts[term] for term in terms]), (len(terms), len(self)))
        return found

    def _form_counts(self, forms: Collection[str]) -> dict[str, Values]:
        """Return {form: how often each candidate has it}.

        An event has few of the forms, so only those are looped over.
        """
        numbers = {form: number for number, form in enumerate(forms)}
        counted = np.zeros((len(numbers), len(self)))
        wanted = numbers.keys()
        for place, features in enumerate(self.features):
            counts = features.form_counts
            for form in wanted & counts.keys():
                counted[numbers[form], place] = counts[form]
        return dict(zip(numbers, counted, strict=True))

    def with_neighbours(self, values: Values) -> Values:
        """Add to each value, shape (..., candidates), those of the candidates right before and after it."""
        # The column of zeros at the end is what index -1 reads, which stands for "no neighbour".
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        before, after = self._neighbours
        found: Values = values + padded[..., before] + padded[..., after]
        return found

    @cached_property
    def _neighbours(self) -> tuple[Numbers, Numbers]:
        """The columns of the candidates right before and right after each one in its recording; -1 for none."""
        begin, end = self.columns["begins"], self.columns["ends"]
        in_order = np.lexsort((end, begin, self.recordings))
        earlier, later = in_order[:-1], in_order[1:]
        beside = (self.recordings[earlier] == self.recordings[later]) & (begin[later] - end[earlier] <= PAUSE_SEC)
        before, after = np.full((2, len(self)), -1, np.intp)
        before[later[beside]], after[earlier[beside]] = earlier[beside], later[beside]
        return before, after

    @cached_property
    def recordings(self) -> npt.NDArray[np.int64]:
        """A number per candidate for its video or session."""
        return np.array([features.recording for features in self.features], np.int64)

    def by_segment(self, values: Values, most: int) -> Values:
        """Return for each candidate the mean of the `most` highest values in its segment."""
        # Without loops: the values are sorted by segment and score, and the first `most` of each segment averaged.
        segments = self._segments
        best_first = np.lexsort((-values, segments))
        sizes = np.bincount(segments)
        # The rank of each value within its segment: its position minus the position where the segment begins.
        place = np.arange(len(values)) - (np.cumsum(sizes) - sizes)[segments[best_first]]
        best = best_first[place < most]
        of_segment = np.bincount(segments[best], values[best]) / np.minimum(sizes, most)
        found: Values = of_segment[segments]
        return found

    def by_words_of_scenes(self, weights: Mapping[int, float], least: float) -> Values:
        """Return for each candidate how well its scenes match the words of the question, from 0 to 1.

        All get 0 if everything lies in one video, and within less than `least` seconds of it.

        weights: {level of scenes: weight}.
        """
        found: Values = np.zeros(len(self))
        of_films = self.columns["is_turn"] == 0
        times, videos = self.columns["start"][of_films], np.unique(self.recordings[of_films])
        if not len(videos) or (len(videos) == 1 and times.max() - times.min() < least):
            return found
        for level, weight in weights.items():
            of_video: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
            for scene in self.scenes:  # by start
                if scene.level == level:
                    of_video[scene.video_id].append((scene.t_start, scene.t_end, scene.score))
            scores: Values = np.zeros(len(self))
            for video_id, matches in of_video.items():
                begin, end, matched = np.array(matches).T
                places = np.flatnonzero(self.recordings == recording_number(video_id, of_turns=False))
                start = self.columns["start"][places]
                # The last scene that begins before the event does; -1 if none does.
                last = np.searchsorted(begin, start, side="right") - 1
                within = (last >= 0) & (start <= end[last])
                scores[places[within]] = matched[last[within]]
            if scores.any():
                found = found + weight / sum(weights.values()) * scores / scores.max()
        return found

    def by_scenes(self, values: Values, scenes: Mapping[float, float], least: int) -> Values:
        """Return for each candidate the total value of the scenes that it lies in, scaled to 0..1.

        Turns have no scenes, and neither have recordings in which fewer than `least` scenes were found. Their events
        get the mean of the others.

        scenes: {length of a scene in seconds: weight}. A scene is a stretch of one recording that starts at a
            multiple of its length. Its value is the square root of the sum of its candidates' values, because a
            second event that fits says less than the first one.
        """
        found: Values = np.zeros(len(self))
        recordings = np.unique(self.recordings, return_inverse=True)[1]
        starts = self.columns["start"]
        lasts = self._seconds_found(recordings, starts)
        for length, weight in scenes.items():
            has_scenes = lasts >= least * length
            if not has_scenes.any():
                continue
            # One number for (recording, stretch), because np.unique is slow with pairs.
            scene = np.unique(recordings * _MOST_SCENES + np.floor(starts / length), return_inverse=True)[1]
            total: Values = np.sqrt(np.bincount(scene, values))[scene]
            low, high = total[has_scenes].min(), total[has_scenes].max()
            if high > low:
                scaled: Values = (total - low) / (high - low)
                gained: Values = np.where(has_scenes, scaled, scaled[has_scenes].mean())
                found = found + weight / sum(scenes.values()) * gained
        return found

    def _seconds_found(self, recordings: Numbers, starts: Values) -> Values:
        """Return for each candidate the time between the first and the last candidate of its video; 0 for a turn."""
        if not len(self):
            return starts
        first = np.full(recordings.max() + 1, np.inf)
        last = np.full(recordings.max() + 1, -np.inf)
        np.minimum.at(first, recordings, starts)
        np.maximum.at(last, recordings, starts)
        # All turns begin at second 0.
        found: Values = (last - first)[recordings]
        return found

    @cached_property
    def _segments(self) -> Numbers:
        """The segment of each candidate, numbered from 0."""
        names = np.array([features.segment for features in self.features], np.int64)
        return np.unique(names, return_inverse=True)[1]
