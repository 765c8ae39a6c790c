"""A conjunction inside a verb form does not end the clause."""

from __future__ import annotations

import pytest

from amr_neo4j.turn_reader import extract


@pytest.mark.parametrize("verb", ["born and raised", "born and bred", "born & raised"])
@pytest.mark.parametrize(("subject", "whom"), [("I was", "you"), ("My dad was", "dad")])
def test_a_verb_of_two_words_with_a_conjunction_is_one(verb: str, subject: str, whom: str) -> None:
    assert (whom, "born_in", "leeds") in extract(f"{subject} {verb} in Leeds.", "en")


def test_two_verbs_with_a_conjunction_stay_two() -> None:
    found = extract("I was born in Leeds and live in York.", "en")
    assert set(found) == {("you", "born_in", "leeds"), ("you", "lives_in", "york")}
