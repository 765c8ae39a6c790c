"""What a key may spend on models on a day, over a server whose model costs something."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
from tests.support.model_server import ModelServer

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from tests.support.http_client import Client, key_of, serving

LIMIT_USD = 0.05
PRICED = {"model": "priced", "price_in": 5.0, "price_out": 10.0}
QUESTION = {"question": "Where is the mug?"}


@pytest.fixture
def priced(neo4j_connection: Connection, tmp_path: Path) -> Iterator[tuple[Client, Memory]]:
    """A key's client. A question makes two calls of 0.006 dollars; a call may cost up to 0.013 before it is made."""
    group = f"quota-{os.getpid()}"
    event = {
        "time_start": 1,
        "time_end": 2,
        "summary": "Ida puts the mug on the table.",
        "objects": [{"name": "mug"}],
    }
    clip = {"video_id": "film", "clip_id": "c1", "t_start": 0, "t_end": 3}
    clip |= {"analysis": {"clip_summary": "", "characters": [], "events": [event]}}
    used = {"prompt_tokens": 1000, "completion_tokens": 100}
    with ModelServer() as models:
        models.then("It is on the table [event 1].", times=None, fault="slow", delay_s=0.2, usage=used)
        settings = {"provider": models.url, "analyser": "local", "text": PRICED, "answer": PRICED}
        with (
            talking(neo4j_connection, group, tmp_path, **settings, serve_key_usd_a_day=LIMIT_USD) as memory,
            serving(memory) as (client, keys),
        ):
            anna = client.with_key(key_of(keys, group, "anna", ("read", "write")))
            assert anna.call("POST", "/ingest/lines", json.dumps(clip).encode()).json["committed"] == 1
            yield anna, memory


def test_a_key_never_spends_more_than_its_dollars_a_day(priced: tuple[Client, Memory]) -> None:
    """Then questions are answered without models, and say so. What only a model can do is refused until tomorrow."""
    anna, memory = priced

    def spent() -> float:
        return sum(each.cost_usd or 0.0 for each in memory.ledger.calls)

    anna.post("/ask", **QUESTION)
    assert spent() == pytest.approx(0.018)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: anna.post("/ask", **QUESTION), range(8)))
    assert 0.018 < spent() <= LIMIT_USD
    assert all("mug" in each["text"] for each in answers)
    assert any("serve_key_usd_a_day" in note for note in answers[-1]["notes"])
    anna.post("/conversations/monday/turns", messages=[{"actor": "anna", "content": "My sister Fiona has a boat."}])
    refused = anna.call("POST", "/extract", {})
    assert refused.status == 429 and refused.json["type"] == "urn:amr:error:cost-limit"
    assert "serve_key_usd_a_day" in refused.json["hint"] and "max-cost" not in refused.json["hint"]
    assert 5 < int(refused.headers["Retry-After"]) <= 86_400, "seconds of this day that are left"
    memory.ledger.day = lambda: date(2999, 1, 1)
    before = spent()
    assert not any("serve_key_usd_a_day" in note for note in anna.post("/ask", **QUESTION)["notes"])
    assert spent() > before
