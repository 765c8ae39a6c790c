"""Unclear facts put to a chat model over a real socket: a broken reply leaves them as they are."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from amr_neo4j.domain.belief import Belief, Near, Plan
from amr_neo4j.domain.fact import Triple, fact_id
from amr_neo4j.facts.comparison import Comparer
from amr_neo4j.facts.consolidate import EarlierDecisions, ModelJudge, plan
from amr_neo4j.facts.rules import fact_rules
from tests.support.model_server import ModelServer
from tests.support.text_model import text_model

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
GOOD = {"decisions": [{"cluster": 1, "decision": "MERGE", "stands": None}, {"cluster": 2, "decision": "KEEP_BOTH"}]}


@pytest.fixture
def judge(model_server: ModelServer) -> ModelJudge:
    return ModelJudge(text_model(model_server))


def facts() -> list[Belief]:
    """Two pairs that rules cannot tell apart."""
    objects = ("red wine", "red wines from france", "long walks", "long rides")
    made = [Triple("you", "likes", each) for each in objects]
    return [
        Belief(fact_id(t), t, " ".join(t), 0.7, n + 1, n + 1, MARCH, float(n), category="taste", language="en")
        for n, t in enumerate(made)
    ]


def night(judge: ModelJudge) -> Plan:
    beliefs = facts()
    near = [Near(*sorted((a.fact_id, b.fact_id)), 0.9) for a, b in (beliefs[:2], beliefs[2:])]
    comparer = Comparer(fact_rules(), lambda one, other: 0.5)
    return plan(beliefs, [], near, known=EarlierDecisions(), now=MARCH, since=MARCH, comparer=comparer, judge=judge)


def test_decisions_of_a_model_are_made_in_one_call(judge: ModelJudge, model_server: ModelServer) -> None:
    model_server.then(GOOD)
    made = night(judge)
    assert (made.counts["merged"], made.counts["kept apart"], made.waiting) == (1, 1, 0)
    [request] = model_server.requests
    assert "long walks" in json.dumps(request.body)


def test_broken_replies_leave_facts_for_the_next_night(judge: ModelJudge, model_server: ModelServer) -> None:
    _hold(judge, model_server, replies=60, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_ten_thousand_broken_replies(judge: ModelJudge, model_server: ModelServer) -> None:
    _hold(judge, model_server, replies=10_000, seed=2)


def _hold(judge: ModelJudge, server: ModelServer, *, replies: int, seed: int) -> None:
    chance, evidence = random.Random(seed), sum(fact.evidence_count for fact in facts())
    decided = 0
    for _ in range(replies // 2):
        # A reply that cannot be used is asked for once more.
        server.then(_broken(chance)).then(_broken(chance))
        made = night(judge)
        after = {change.fact_id: change.after for unit in made.units for change in unit.changes}
        will = [replace(fact, **after.get(fact.fact_id, {})) for fact in facts()]
        standing = [fact for fact in will if fact.status == "active"]
        assert sum(fact.evidence_count for fact in standing) == evidence or made.counts.get("replaced")
        assert standing and all(0 <= fact.confidence <= 1 for fact in will)
        decided += not made.problems
        if len(server.requests) > 500:
            server.requests.clear()
        server._socket.script.steps.clear()
    assert decided < replies / 4


def _broken(chance: random.Random) -> str:
    """The good reply with something wrong in it, or another shape altogether."""
    text = json.dumps(GOOD)
    wrong = chance.randrange(8)
    if wrong == 0:
        return text[: chance.randrange(1, len(text))]
    if wrong == 1:
        at = chance.randrange(len(text))
        return text[:at] + chance.choice('{}[]",:x0\\') + text[at + 1 :]
    if wrong == 2:
        return text.replace("MERGE", chance.choice(["merge", "DELETE", "", "MERGE_ALL", "KEEP"]))
    if wrong == 3:
        return text.replace('"cluster": 1', f'"cluster": {chance.choice(["0", "-1", "99", "1.5", "null", "1e999"])}')
    if wrong == 4:
        decision = {"cluster": chance.randrange(4), "decision": "CONTRADICTION", "stands": chance.randrange(-1, 9)}
        return json.dumps({"decisions": [decision] * chance.randrange(1, 4)})
    if wrong == 5:
        return json.dumps(chance.choice([[], {}, None, 7, "MERGE", {"decisions": {}}, {"decisions": [1]}, [GOOD]]))
    if wrong == 6:
        return "".join(chr(chance.randrange(32, 1000)) for _ in range(chance.randrange(1, 200)))
    return json.dumps({**GOOD, "delete_all": True})
