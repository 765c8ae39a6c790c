"""Whom "I" means in films: the user's own person or one that is tied to the user; else the answer is in doubt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from benchmarks.worlds import has_caveat
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines


class Tied(FakeGraph):
    same: Mapping[str, tuple[str, ...]]

    def vocabulary(self, scope: Scope) -> Names:
        return replace(super().vocabulary(scope), same=self.same)


def told(question: str, user: str, same: Mapping[str, tuple[str, ...]]) -> tuple[str, bool]:
    """Return (the answer, whether it is in doubt)."""
    deeds = [(60, "Jake"), (3000, "Ben")]
    events = [
        {
            "time_start": at,
            "time_end": at + 4,
            "summary": f"{who} waters the basil.",
            "actors": [who],
            "actions": [{"actor": who, "verb": "water", "object": "basil"}],
        }
        for at, who in deeds
    ]
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 4000}
    graph = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})])
    graph.__class__, graph.same = Tied, same  # type: ignore[attr-defined]
    answer = ask(question, Sources(Scope("test", user_id=user), graph, graph, HashedWords(), ENGLISH))
    return answer.text, has_caveat(answer)


@pytest.mark.parametrize(
    ("user", "same"), [("jake", {}), ("Jake", {}), ("anna", {"user": ("jake",)}), ("anna", {"anna": ("jake",)})]
)
def test_i_am_the_person_of_my_name_or_the_one_tied_to_me(user: str, same: Mapping[str, tuple[str, ...]]) -> None:
    text, in_doubt = told("How often did I water the basil?", user, same)
    assert text.startswith("Once") and not in_doubt
    text, in_doubt = told("When did I last water the basil?", user, same)
    assert "Jake" in text and "Ben" not in text and not in_doubt


@pytest.mark.parametrize("user", ["anna", ""])
@pytest.mark.parametrize("question", ["How often did I water the basil?", "When did I last water the basil?"])
def test_where_i_may_be_anybody_the_answer_is_in_doubt(question: str, user: str) -> None:
    assert told(question, user, {"ben": ("ben",)})[1]


@pytest.mark.parametrize("user", ["anna", ""])
def test_what_does_not_ask_for_my_deeds_is_told_plainly(user: str) -> None:
    assert not told("Who watered the basil?", user, {})[1]
    assert not told("I don't know who watered the basil", user, {})[1]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who poured me coffee?", "Ben, at"),
        ("Who had breakfast with me?", "Ben, at"),
        ("What did Ben do after I closed the door?", "After that, at 00:00:30 of day: Ben pours coffee"),
    ],
)
def test_what_others_did_with_me_or_after_my_deed_is_theirs(question: str, said: str) -> None:
    deeds = [
        ("Jake", "close", "door"),
        ("Ben", "pour", "coffee"),
        ("Jake", "have", "breakfast"),
        ("Ben", "have", "breakfast"),
    ]
    events = [
        {
            "time_start": 15 * n,
            "time_end": 15 * n + 4,
            "summary": f"{who} {verb if verb != 'have' else 'ha'}s {'the ' * (thing == 'door')}{thing}.",
            "actors": [who],
            "actions": [{"actor": who, "verb": verb, "object": thing}],
        }
        for n, (who, verb, thing) in enumerate(deeds, 1)
    ]
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 90}
    graph = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})])
    answer = ask(question, Sources(Scope("test", user_id="jake"), graph, graph, HashedWords(), ENGLISH))
    assert said in answer.text and not has_caveat(answer)
