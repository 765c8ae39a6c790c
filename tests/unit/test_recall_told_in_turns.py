"""What a turn tells of its speaker: how long a deed took, and who somebody is, are not read from its being said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path, Recalled, citation
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.from_facts import believed_claims
from amr_neo4j.recall.answer.operators.duration import duration
from amr_neo4j.recall.answer.operators.people import person
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence, evidence_for
from amr_neo4j.recall.retrieve.candidate import Candidate

SAID_AT = datetime(2026, 6, 8, 18, tzinfo=UTC)


def evidence(parsed: ParsedQuestion, *turns: str) -> Evidence:
    """turns: best first."""
    found: list[Candidate] = []
    for number, words in enumerate(turns, 1):
        said = Turn(f"e{number}", "june", number, f"t{number}", "user")
        event = Event(
            -number, "g", "june", (), 0, 0.0, 0.0, f"user: {words}", persons=("user",), turn=said, at=SAID_AT
        )
        score = 1 - number / 10
        fused = {parsed.main.text: score}
        found.append(Candidate(event, Path((-number,), (), 0.0), score=score, fused=fused, language=ENGLISH))
    return evidence_for(parsed, found, ())


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How long did my half marathon take?", "I ran my first half marathon yesterday in 2:04!"),
        ("How long did the repair take?", "The repair took a whole morning."),
    ],
)
def test_a_turn_is_quoted_and_not_measured(question: str, words: str) -> None:
    parsed = parse_question(question, Names(), ENGLISH)
    found = duration(parsed, evidence(parsed, words))
    assert isinstance(found, Unknown)
    assert [claim.text for claim in found.nearest] == [f"on 8 June 2026 at 18:00 UTC you said: “{words.rstrip('.')}”"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who is Tom?", "The wedding was lovely. Clara and Tom are off to Portugal for two weeks."),
        ("Who is Tom?", "I saw Tom at the market."),
        ("Who's the plumber?", "I called the plumber, he comes at nine."),
        ("Who is my boss?", "I met my boss at the gym."),
        ("Who is in Portugal?", "Clara and Tom are off to Portugal for two weeks."),
    ],
)
def test_whoever_speaks_of_somebody_is_not_who_that_is(question: str, words: str) -> None:
    parsed = parse_question(question, Names(), ENGLISH)
    found = person(parsed, evidence(parsed, words))
    claims = found.claims if isinstance(found, Claims) else found.nearest
    assert [claim.text for claim in claims] == [f"on 8 June 2026 at 18:00 UTC you said: “{words.rstrip('.')}”"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who is vegetarian?", "I am vegetarian now."),
        ("Who has a dog?", "I have a dog."),
        ("Who called the plumber?", "I called the plumber."),
    ],
)
def test_whoever_says_it_of_themselves_is_named(question: str, words: str) -> None:
    parsed = parse_question(question, Names(), ENGLISH)
    found = person(parsed, evidence(parsed, words))
    assert isinstance(found, Claims)
    assert [str(claim.text).partition(", ")[0] for claim in found.claims] == ["the user"]


@pytest.mark.parametrize(
    ("by_hand", "text"),
    [
        (False, "You work at Audi, said on 8 June 2026 at 18:00 UTC: “I joined BMW”"),
        (True, "You work at Audi, corrected by hand, in place of what was said on 8 June 2026 at 18:00 UTC"),
    ],
)
def test_no_turn_is_quoted_for_what_was_corrected_by_hand(by_hand: bool, text: str) -> None:
    parsed = parse_question("Where do I work?", Names(), ENGLISH)
    [said] = evidence(parsed, "I joined BMW.").candidates
    triple = Triple("you", "works_at", "audi")
    fact = Recalled("fact", "You work at Audi", 1.0, SAID_AT, citation(said.event), triple=triple, by_hand=by_hand)
    found = believed_claims(parsed, [fact], lambda node_ids: [said], ())
    assert found is not None and [claim.text.replace(".”", "”") for claim in found.claims] == [
        text.replace(".”", "”")
    ]
