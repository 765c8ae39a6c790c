"""The generated questions of the benchmark: their evidence follows from the records."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.epic_questions import Record, Records, of_deeds, questions

DEEDS = st.tuples(st.sampled_from(["take", "put", "wash", "open"]), st.sampled_from(["mug", "jar", "board:bread"]))


def _action(number: int, verb: str, noun: str) -> Record:
    at = f"2024-05-01T10:00:{number:02d}"
    spoken: dict[str, Any] = {"verb": verb, "verb_class": verb, "nouns": [noun], "noun_class": noun}
    where = {"participant": "P99", "video": "P99_01", "start": 2.0 * number, "stop": 2.0 * number + 1.5, "at": at}
    return {"id": f"a{number}", "kind": "action", "noun_classes": [noun], **spoken, **where}


def _asked(records: list[Record], taken: set[str], seed: int = 1) -> list[Record]:
    return list(questions(records, taken, 100, random.Random(seed)))


@given(deeds=st.lists(DEEDS, min_size=1, max_size=20), seed=st.integers(0, 50))
def test_no_two_questions_share_evidence_and_taken_evidence_is_not_used(
    deeds: list[tuple[str, str]], seed: int
) -> None:
    """A record is evidence of one question at most."""
    records = [_action(number, *deed) for number, deed in enumerate(deeds)]
    gold = [record for question in _asked(records, {"a0"}, seed) for record in question["gold"]]
    assert len(gold) == len(set(gold))
    assert "a0" not in gold


def test_counts_and_times_concern_one_class_of_action_in_one_video() -> None:
    records = [_action(0, "open", "jar"), *(_action(number, "wash", "mug") for number in (1, 3))]
    asked = {(q.kind, tuple(r["id"] for r in q.evidence)) for q in of_deeds(Records(records)) if not q.wide}
    assert asked == {("when", ("a0",)), ("count", ("a1", "a3"))}


def test_objects_are_named_in_plain_words() -> None:
    [question] = _asked([_action(0, "wash", "board:bread")], set())
    assert "bread board" in question["question_para"]
