"""Turns and facts that are older than the settings say are forgotten, nightly and by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.fact import fact_id
from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking

NOW = datetime.now(UTC).replace(microsecond=0)
# text: how many days ago it was said
SAID = {
    "I like opera.": 500,
    "I like milk.": 450,
    "I like tea.": 400,
    "I live in Porto.": 100,
    "I like jazz.": 99,
    "I no longer like jazz.": 98,
    "Nice weather we had.": 97,
    "I work at Nestle.": 1,
    "It rains.": 0,
}


# A fact that was merged into an older one and stated again later.
_MERGED = """
MATCH (tea:Fact {group_id: $group_id, object: 'tea'})
MATCH (e:Episode {group_id: $group_id}) WHERE e.content = 'It rains.'
CREATE (f:Fact)-[:MERGED_INTO {group_id: $group_id}]->(tea)
SET f = tea {.*, fact_id: 'green', object: 'green tea', said: $said, status: 'merged_into', vector_id: null}
CREATE (f)-[:DERIVED_FROM {group_id: $group_id}]->(e)
"""


def _texts(memory: Memory) -> list[str]:
    return [turn.text for turn in memory.conversation("monday", user_id="anna")]


def _objects(memory: Memory, *, history: bool = False) -> set[str]:
    return {fact.triple.object for fact in memory.facts(user_id="anna", history=history)}


def test_old_turns_and_facts_go_and_what_a_kept_fact_rests_on_stays(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [{"content": text, "at": (NOW - timedelta(days=days)).isoformat()} for text, days in SAID.items()]
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        memory.remember(turns, user_id="anna", session_id="monday")
        memory.extract(user_id="anna")
        [opera] = [fact for fact in memory.facts(user_id="anna") if fact.triple.object == "opera"]
        memory.pin_fact(fact_id(opera.triple), user_id="anna")
        [milk] = [fact for fact in memory.facts(user_id="anna") if fact.triple.object == "milk"]
        memory.correct_fact(fact_id(milk.triple), "oat milk", user_id="anna")
        assert memory.forget_expired().users == ()
        assert memory.consolidate(user_id="anna").counts.get("turns forgotten") is None
        assert len(_texts(memory)) == len(SAID)
    monkeypatch.setenv("AMR_CHAT_RETENTION_DAYS", "30")
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        assert memory.forget_expired(dry_run=True).conversations.episodes == 1
        assert len(_texts(memory)) == len(SAID)
        ahead = memory.consolidate(user_id="anna", at=NOW + timedelta(days=900), dry_run=True).counts
        assert ahead["turns forgotten"] == 1, "nothing expires ahead of time"
        assert memory.consolidate(user_id="anna").counts["turns forgotten"] == 1
        assert _texts(memory) == [text for text in SAID if text != "Nice weather we had."]
        assert _objects(memory) >= {"opera", "tea", "porto", "nestle"}
        assert "jazz" not in _objects(memory), "the turn that took it back stays with it"
        # What damage took an id from cannot be deleted by it.
        rows(memory, "CREATE (:Episode {group_id: $group_id, user_id: 'anna', clock: 0.0})")
        rows(memory, _MERGED, said=NOW.timestamp())
        chat = memory.chat(user_id="anna", session_id="today")
        chat.observe("Do I like tea?")
        monkeypatch.setenv("AMR_FACT_RETENTION_DAYS", "365")
        with talking(neo4j_connection, group_id, tmp_path / "other") as night:
            dry = night.consolidate(user_id="anna", dry_run=True).counts
            assert (dry["turns forgotten"], dry["facts forgotten"]) == (1, 2)
            gone = night.forget_expired()
            assert (gone.users, gone.conversations.episodes, gone.conversations.facts) == (("anna",), 1, 2)
            assert night.forget_expired().users == ()
            assert not any(fact.episode_ids == () for fact in night.facts(user_id="anna", history=True))
            assert _objects(night) >= {"opera", "porto", "nestle"}
            assert {"oat milk", "green tea"} <= _objects(night), "corrected by hand; merged, and said later"
            assert "I like milk." in _texts(night), "the correction rests on it"
            assert "tea" not in _objects(night, history=True)
            assert [text for text in _texts(night) if "tea" in text] == []
            night.remember([turns[2]], user_id="anna", session_id="monday")
            night.extract(user_id="anna")
            assert "tea" not in _objects(night), "an old turn that comes again does not bring back what has expired"
            turn = next(turn for turn in night.conversation("monday", user_id="anna") if "milk" in turn.text)
            named = {"session_id": "monday", "episode_id": turn.episode_id}
            would = night.forget(user_id="anna", **named, dry_run=True)
            assert night.forget(user_id="anna", **named) == would
            assert "oat milk" in _objects(night), "a person stated it"
