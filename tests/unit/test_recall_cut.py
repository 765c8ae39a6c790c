"""Where a search of all memory ends."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import search
from amr_neo4j.recall.rank.relevance import bearing
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import HashedWords, kitchen


def scored(*scores: float) -> list[Candidate]:
    graph = kitchen()
    events = list(graph.stored.values())
    found = [Candidate.found_alone(events[n % len(events)], ENGLISH) for n in range(len(scores))]
    for candidate, score in zip(found, scores, strict=True):
        candidate.score = score
    return found


@pytest.mark.parametrize(
    ("scores", "left"),
    [
        ([], 0),
        ([0.4], 1),
        # One stands out from many.
        ([0.9, *[0.5] * 19], 1),
        # Many fit alike.
        ([0.9, *[0.8] * 19], 20),
        # The average is that of the best twenty, however many follow.
        ([0.9, *[0.6] * 4, *[0.3] * 15, *[0.0] * 200], 5),
    ],
)
def test_a_list_ends_early_where_one_result_stands_out(scores: list[float], left: int) -> None:
    assert len(bearing(scored(*scores))) == left


def test_the_order_of_the_list_is_kept() -> None:
    found = scored(0.8, 0.9, 0.1, 0.85)
    assert [each.score for each in bearing(found)] == [0.8, 0.9, 0.85]


def test_a_search_has_its_best_results_and_all_of_them_only_if_asked() -> None:
    graph = kitchen()
    sources = Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH)
    every, cut = (search("Anna washes the teapot", sources, uncut=uncut).items for uncut in (True, False))
    assert 0 < len(cut) < len(every)
    assert [hit.event for hit in cut] == [hit.event for hit in every[: len(cut)]]
