"""What a week costs by the assumptions of specification 002 7, from the meter. Nothing is sent anywhere.

    python -m benchmarks.facts_week --uri bolt://127.0.0.1:7687 [--password ...]

500 facts, 100 turns with passive recall, 10 searches, the turns' facts embedded, and 2 calls of a language model,
each judging three groups of facts. The local embedder does the work; the ledger is charged the price of
text-embedding-3-small for it, by estimated tokens, and that of gpt-4o-mini for the calls.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from amr_neo4j.domain.budget import estimated_tokens
from amr_neo4j.domain.chat import ModelCall
from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.memory import Memory
from amr_neo4j.models.catalogue import catalogue
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import load
from benchmarks.facts_recall import facts, write_facts

FACTS, TURNS, SEARCHES, CALLS, GROUPS = 500, 100, 10, 2, 3
EMBEDDER, LANGUAGE = "openai/text-embedding-3-small", "openai/gpt-4o-mini"
_REPLY = '{"decisions": ["MERGE", "KEEP_BOTH", "CONTRADICTION"]}'
_TOLD = (
    "I told {s} yesterday that we should meet at the harbour next week, because the garden is finished by then and "
    "everybody wants to see it before the summer."
)
_ASKED = "For each group of similar facts decide: MERGE, KEEP_BOTH or CONTRADICTION. Answer with one JSON object.\n"


def batch() -> str:
    """The prompt of a nightly call: groups of two facts with their confidence."""
    rows = facts()
    groups = ["\n".join(f'- "{next(rows)[1]}" (conf: 0.7)' for _ in range(2)) for _ in range(GROUPS)]
    return _ASKED + "\n\n".join(f"Group {n}:\n{group}" for n, group in enumerate(groups, 1))


def charge(ledger: Ledger, role: str, model: str, texts: Sequence[str], reply: str = "") -> None:
    """Enter a call with its estimated tokens and its price."""
    tokens_in, tokens_out = sum(map(estimated_tokens, texts)), estimated_tokens(reply)
    price_in, price_out = catalogue()[model].price
    cost = (tokens_in * price_in + tokens_out * price_out) / 1e6
    ledger.add(ModelCall(role, model, tokens_in, tokens_out, cost))


class Metered(Embedder):
    """An embedder whose calls are charged."""

    def __init__(self, embedder: Any, ledger: Ledger) -> None:
        self._embedder, self._ledger = embedder, ledger
        self.model, self.dim = embedder.model, embedder.dim
        self.unrelated, self.alike = embedder.unrelated, embedder.alike

    def embed(self, texts: Sequence[str]) -> Vectors:
        charge(self._ledger, "embed", EMBEDDER, texts)
        return self._embedder.embed(texts)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fixed = {"neo4j_uri": given.uri, "neo4j_password": given.password or None, "data_dir": folder}
        fixed |= {"group": f"week-{uuid4()}", "user": "anna", "hot_languages": "en"}
        with Memory.open(load(**fixed), notify=lambda line: None) as memory:
            parts = memory._parts
            memory.remember(["Hello."], session_id="first")
            write_facts(memory, "anna", FACTS)
            memory.embed_facts()
            parts.embedder.use(Metered(parts.embedder(), memory.ledger))  # pyright: ignore[reportAttributeAccessIssue]
            chat: Any = memory.chat(session_id="week")
            for n in range(TURNS):
                chat.observe(_TOLD.format(s=f"Anna{n}"), actor=("user", "assistant")[n % 2])
                chat._passive._coming.result(30)
            parts.live_chats().wait(30)
            parts.queue_embedder().wait(30)
            for n in range(SEARCHES):
                memory.search_memory(f"user's work projects {n}")
            for _ in range(CALLS):
                charge(memory.ledger, "text", LANGUAGE, [batch()], _REPLY)
            embed, text = memory.ledger.usage("embed"), memory.ledger.usage("text")
    print(f"embeddings: {embed.calls} calls, {embed.tokens_in} tokens, ${embed.cost_usd:.6f}")
    print(f"language model: {text.calls} calls, {text.tokens_in} in, {text.tokens_out} out, ${text.cost_usd:.6f}")
    print(f"a week: ${embed.cost_usd + text.cost_usd:.6f}")


if __name__ == "__main__":
    main()
