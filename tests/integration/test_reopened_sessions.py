"""A session that is opened again, in this process or another one, goes on where it was left."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking


def test_each_request_of_a_web_server_goes_on_with_its_session(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTMEM_LANGS", "en")
    home, kiln = "• You live in Ghent", "My kiln cost 900 pounds."

    def shown(memory: Memory, text: str) -> list[str]:
        """One request: the turn is observed, and its prompt's hints are returned."""
        chat = memory.chat(user_id="anna", session_id="today")
        chat.observe(text)
        ours = [m["content"] for m in chat.inject([{"role": "user", "content": text}]) if m.get("name")]
        return [line for content in ours for line in content.splitlines() if line.startswith("•")]

    with talking(neo4j_connection, group_id, tmp_path / "one") as memory:
        memory.chat(user_id="anna", session_id="before").observe("I live in Ghent.")
        assert shown(memory, "Where do I live?") == [home]
        memory.chat(user_id="anna", session_id="before").observe(kiln)
        [quote] = [line for line in shown(memory, "How much did my kiln cost?") if line != home]
        assert kiln in quote
        window = shown(memory, "My sister Eva came to see me.")
        assert window == [quote, home], "before the graph has the turn"
        assert memory._parts.live_chats().wait(30)
    # Another worker of the server, with a disk of its own: only the graph knows what was said.
    with talking(neo4j_connection, group_id, tmp_path / "two") as memory:
        assert {home, quote} <= set(shown(memory, "She works at Bosch."))
        facts = {tuple(fact.triple) for fact in memory.chat(user_id="anna", session_id="x")._index.facts()}
        assert ("eva", "works_at", "bosch") in facts, "the pronoun means who was named in the turn before"
        again = memory.chat(user_id="anna", session_id="today")
        assert [turn.text for turn in again._earlier["you"]][-3:] == [
            "How much did my kiln cost?",
            "My sister Eva came to see me.",
            "She works at Bosch.",
        ]
