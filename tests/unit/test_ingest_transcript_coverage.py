"""Known speech that a model's reply lacks."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.ingest.analyse import uncovered
from amr_neo4j.language.languages import ENGLISH

Line = tuple[str, float, float]
KNOWN: list[Line] = [("The code is 4711.", 1, 2), ("Don't tell Bob.", 4, 5), ("Is that the right lid?", 5, 6)]


def turns(lines: list[Line]) -> list[SpeakerTurn]:
    return [SpeakerTurn(utterance=words, time_start=start, time_end=end) for words, start, end in lines]


@pytest.mark.parametrize(
    ("replied", "kept"),
    [
        ([], [0, 1, 2]),
        (KNOWN, []),
        ([("is that the right lid", 5.0, 6.2)], [0, 1]),
        ([("Is that the code?", 1.0, 2.0)], [0, 1, 2]),
        ([("The code is 4711. Don't tell Bob! Is that the right lid?", 0.0, 7.0)], []),
        ([("Hm.", 0.0, 10.0)], [0, 1, 2]),
        ([("The code is 4711.", 8.0, 9.0)], [0, 1, 2]),
        ([("The code", 1.0, 1.4), ("is 4711.", 1.4, 2.0)], [1, 2]),
    ],
)
def test_uncovered_turns_are_kept(replied: list[Line], kept: list[int]) -> None:
    known = turns(KNOWN)
    assert uncovered(known, turns(replied), ENGLISH) == [known[n] for n in kept]


def test_a_line_without_words_is_compared_by_its_signs() -> None:
    song, nothing = turns([("♪♪", 1, 2), ("  ", 1, 2)])
    assert uncovered([song, nothing], [], ENGLISH) == [song]
    assert uncovered([song], turns([("(hums) ♪♪", 1, 2)]), ENGLISH) == []
