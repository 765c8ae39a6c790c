"""What a question costs with all models of recall: calls, and tokens sent and received, by role.

    python -m benchmarks.question_cost

Asks the questions about the example household, in memory, of a scripted server on this machine. It replies that every
group of events bears on the question, so no question costs more. Tokens are characters divided by four. Those
received are of the scripted replies, without a model's thinking.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

from amr_neo4j import settings
from amr_neo4j.domain.chat import CHARACTERS_PER_TOKEN
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from amr_neo4j.recall.limits import Models
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import HashedWords, kitchen
from tests.support.model_server import ModelServer

QUESTIONS = Path("tests/acceptance/kitchen_questions.jsonl")
REPLIES: dict[str, Any] = {
    "text": {"question_type": "General"},
    "judge": {"scores": [{"group": number, "score": 0.9} for number in range(1, 13)]},
    "answer": {"answerable": True, "claims": [{"text": "It is there.", "events": [1]}]},
}


def main() -> None:
    embedder: Any = HashedWords()
    graph: Any = kitchen(embedder)
    sources = Sources(Scope("test"), graph, graph, embedder, ENGLISH)
    calls: list[Counter[str]] = []
    tokens: list[Counter[str]] = []
    with ModelServer() as server:
        for role, reply in REPLIES.items():
            server.then(reply, match={"model": role}, times=None)
        roles: dict[str, Any] = {role: {"model": role} for role in REPLIES}
        given, ledger = settings.load(provider=server.url, api_key="none", **roles), Ledger(lambda line: None)
        text, judge, answer = (open_chat(given, role, ledger) for role in ("text", "judge", "answer"))
        models = Models(text, judge, answer)
        for line in QUESTIONS.read_text("utf-8").splitlines():
            before = len(server.requests)
            ask(json.loads(line)["question"], sources, models=models)
            calls.append(Counter())
            tokens.append(Counter())
            for request in server.requests[before:]:
                role = request.body["model"]
                calls[-1][role] += 1
                tokens[-1][role] += (
                    sum(len(each["content"]) for each in request.body["messages"]) // CHARACTERS_PER_TOKEN
                )
    for role in REPLIES:
        _show(
            role,
            [each[role] for each in calls],
            [each[role] for each in tokens],
            [_received(each, role) for each in calls],
        )
    received = [sum(_received(each, role) for role in REPLIES) for each in calls]
    _show("all", [each.total() for each in calls], [each.total() for each in tokens], received)


def _received(calls: Counter[str], role: str) -> int:
    return calls[role] * len(json.dumps(REPLIES[role])) // CHARACTERS_PER_TOKEN


def _show(role: str, calls: list[int], sent: list[int], received: list[int]) -> None:
    p95 = int(0.95 * len(calls))
    print(
        f"{role}: {sum(calls) / len(calls):.1f} calls, at most {max(calls)}; "
        f"tokens sent p50 {median(sent):.0f}, p95 {sorted(sent)[p95]}; "
        f"received p50 {median(received):.0f}, p95 {sorted(received)[p95]}"
    )


if __name__ == "__main__":
    main()
