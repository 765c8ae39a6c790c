"""A turn that voice input cut in two, on a real Neo4j."""

from __future__ import annotations

from pathlib import Path

from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking
from tests.support.fake_graph import HashedWords

WHERE = "Where do I keep my spare key?"
WHOLE = "I keep my spare key under the blue flower pot."


def test_half_a_turn_is_no_answer_and_both_halves_are_one(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    with talking(neo4j_connection, group_id, tmp_path, embedder=HashedWords()) as memory:
        chat = memory.chat(user_id="anna", session_id="voice")
        chat.observe("I keep my spare key under the")
        memory._parts.live_chats().wait(60)
        assert not memory.ask(WHERE, user_id="anna").found
        chat.observe("blue flower pot.")
        memory._parts.live_chats().wait(60)
        answer = memory.ask(WHERE, user_id="anna")
        assert WHOLE.rstrip(".") in answer.text and answer.citations
        [found] = [hit for hit in memory.search("spare key under the flower pot", user_id="anna") if hit.event.turn]
        assert found.event.summary_text == f"user: {WHOLE}"


def test_halves_that_come_in_two_calls_are_one(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        for said in ("I keep my spare key under the", "blue flower pot.", "I like tea."):
            memory.remember([{"actor": "user", "content": said}], user_id="anna", session_id="voice")
        continues = rows(memory, "MATCH (e:Episode {group_id: $group_id}) RETURN e.continues ORDER BY e.turn")
        assert continues == [None, True, None]
