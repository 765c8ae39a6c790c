"""Who a turn says did something: its speaker only if the turn says "I"."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.evidence.actors import actors_of
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.retrieve.candidate import Candidate


@pytest.mark.parametrize(
    ("question", "said", "speaker"),
    [
        ("Who wrote 1984?", "George Orwell wrote 1984.", False),
        ("Who painted the fence?", "My sister painted the fence.", False),
        ("Who painted the fence?", "I finally painted the fence.", True),
        ("Who painted the fence?", "Yesterday we painted the fence.", True),
        ("Who has a fence?", "Painting the fence was fun.", False),
        ("Who has a fence?", "I have a fence around the garden.", True),
    ],
)
def test_the_speaker_of_a_turn_did_what_it_says_of_i(question: str, said: str, speaker: bool) -> None:
    event = Event(
        -1, "g", "s", (), 0, 0.0, 1.0, f"anna: {said}", turn=Turn("e", "s", 0, "t", "anna"), persons=("anna",)
    )
    found = actors_of(
        Candidate(event, Path((-1,), (), 0.0), language=ENGLISH), parse_question(question, Names(), ENGLISH).main
    )
    assert found == (["anna"] if speaker else [])
