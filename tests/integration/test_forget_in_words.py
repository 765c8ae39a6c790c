"""Wishes in a conversation about what memory keeps, with a database."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking


def test_forgotten_and_private_turns_are_stored_and_not_recalled(
    neo4j_connection: Connection, tmp_path: Path
) -> None:
    with talking(neo4j_connection, f"test-{uuid4()}", tmp_path) as memory:
        chat = memory.chat(user_id="anna", session_id="monday")
        chat.observe("I live in Leeds.")
        assert memory.search_memory("Leeds", user_id="anna"), "so that a reader has it in its cache"
        chat.observe("Don't remember this: I have diabetes.")
        forgetting = chat.observe("Forget that I live in Leeds.")
        chat.observe("I play the cello.")
        memory.remember(["Off the record, I work at Nestle.", "I like jazz."], user_id="anna", session_id="tuesday")
        assert memory._parts.live_chats().wait(60)
        assert memory.search_memory("Nestle", user_id="anna")
        memory.extract(user_id="anna")
        assert forgetting.retracted == (("you", "lives_in", "leeds"),)
        assert not forgetting.is_recalled
        texts = [turn.text for turn in memory.conversation("monday", user_id="anna")]
        assert len(texts) == 4
        assert not {fact.triple.relation for fact in memory.facts(user_id="anna")} & {"lives_in", "has", "works_at"}
        found = [
            each.text
            for words in ("Leeds", "diabetes", "Nestle", "cello jazz")
            for each in memory.search_memory(words, user_id="anna", limit=10)
        ]
        assert found
        assert not [text for text in found if any(word in text for word in ("Leeds", "diabetes", "Nestle"))]
        assert "Leeds" not in memory.ask("Where do I live?", user_id="anna").text
        marked = "MATCH (e:Episode {group_id: $group_id}) WHERE e.unrecalled RETURN count(e)"
        assert rows(memory, marked) == [4]
