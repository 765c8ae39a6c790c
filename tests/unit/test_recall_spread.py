"""Of events that say nearly the same at nearly the same time the best is listed before others."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.rank.spread import spread
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first

SAME = "A child stands on a wooden deck"


def candidate(
    n: int, summary: str, score: float, start: float, video: str = "v", turn: Turn | None = None
) -> Candidate:
    event = Event(n, "g", video, ("c",), 0, start, start + 1, summary, turn=turn)
    return Candidate(event, Path((n,), (), 0.0), score=score, language=ENGLISH)


def listed(*candidates: Candidate) -> list[int]:
    return [found.node_id for found in best_first(spread(candidates))]


def test_a_repeated_caption_comes_after_another_event() -> None:
    assert listed(
        candidate(1, SAME, 0.5, 0), candidate(2, SAME, 0.49, 1), candidate(3, "A dog drinks from a bowl", 0.45, 30)
    ) == [1, 3, 2]


@pytest.mark.parametrize(
    "second",
    [
        candidate(2, SAME, 0.49, 60),
        candidate(2, SAME, 0.49, 1, video="w"),
        candidate(2, "The cat jumps", 0.49, 1),
    ],
    ids=["later", "elsewhere", "something else"],
)
def test_what_is_no_repetition_keeps_its_place(second: Candidate) -> None:
    assert listed(candidate(1, SAME, 0.5, 0), second, candidate(3, "A dog drinks from a bowl", 0.45, 30)) == [1, 2, 3]


def test_turns_keep_their_scores() -> None:
    turns = [
        candidate(-n, SAME, 0.5 - n / 100, float(n), turn=Turn(f"e{n}", "s", n, f"t{n}", "Anna")) for n in (1, 2, 3)
    ]
    assert spread(turns) == turns


def test_no_candidates_are_no_error() -> None:
    assert spread([]) == []
