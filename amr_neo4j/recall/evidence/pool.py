"""The events at hand, in arrays: what each tells, who its neighbours in time are, which stretch it lies in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

import numpy as np

from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.rank.bm25 import Values

# Seconds of video that count as one stretch.
STRETCH_SEC = 600.0


class Pool:
    """The events at hand with their neighbours in time, as far as those are at hand too."""

    def __init__(self, candidates: Sequence[Candidate], edges: Iterable[Edge]) -> None:
        self.candidates = candidates
        self.edges = tuple(edges)
        self.events = {candidate.node_id: candidate.event for candidate in candidates}
        place = {node_id: n for n, node_id in enumerate(self.events)}
        # One place more than there are candidates: of the neighbour that is not there.
        self._before, self._after = (np.full(len(candidates), len(candidates)) for _ in range(2))
        for edge in self.edges:
            if edge.channel is Channel.TEMPORAL and edge.src in place and edge.dst in place:
                self._after[place[edge.src]], self._before[place[edge.dst]] = place[edge.dst], place[edge.src]
        self.lengths: Values = np.array([candidate.telling.length for candidate in candidates], np.float64)
        self._stretches = _numbered([_stretch(candidate.event) for candidate in candidates])

    def joined_by(self, candidates: Iterable[Candidate], edges: Iterable[Edge]) -> Pool:
        """With these, each in the place of the one that is of the same event."""
        joined = {candidate.node_id: candidate for candidate in [*self.candidates, *candidates]}
        return Pool(list(joined.values()), [*self.edges, *edges])

    def near(self, values: Values, *, after: bool = True) -> Values:
        """For each candidate the sum of its own value and those of its neighbours. values: (..., candidates)."""
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        near: Values = values + padded[..., self._before]
        return near + padded[..., self._after] if after else near

    def occurrences(self, terms: Sequence[Collection[str]]) -> list[Values]:
        """For each term how often each of its forms is told by each candidate, (forms, candidates).

        A form that is in the event's lists alone is told once.
        """
        places = {form: n for n, form in enumerate(dict.fromkeys(form for term in terms for form in term))}
        counts = np.zeros((len(places), len(self.candidates)))
        for n, candidate in enumerate(self.candidates):
            for form in places.keys() & candidate.forms:
                counts[places[form], n] = candidate.telling.bag[form]
        return [counts[[places[form] for form in term]] for term in terms]

    def of_stretches(self, values: Values, told: Callable[[Sequence[float]], float]) -> Values:
        """For each candidate what its stretch of video tells, out of the values of the stretch's events."""
        found: dict[int, list[float]] = defaultdict(list)
        for stretch, value in zip(self._stretches, values.tolist(), strict=True):
            found[stretch].append(value)
        of_stretch = {stretch: told(some) for stretch, some in found.items()}
        return np.array([of_stretch[stretch] for stretch in self._stretches])


def _stretch(event: Event) -> tuple[str, int]:
    """A turn's is its session."""
    return event.video_id, -1 if event.turn else int(event.time_start // STRETCH_SEC)


def _numbered(names: Iterable[Hashable]) -> list[int]:
    """A number for each different name."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]
