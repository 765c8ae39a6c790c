"""Conversations on a real Neo4j: stored once, in order, also during an outage; and forgotten."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j import Memory
from amr_neo4j.domain.episode import Forgotten
from amr_neo4j.errors import EmbedderMismatch, InputError, NotInMemory, StoreUnavailable
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking
from tests.support.counting_embedder import CountingEmbedder
from tests.support.cut_line import Line, line_to
from tests.support.examples import examples

NINE = datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=1)))
MINUTE = timedelta(minutes=1)
NEXT = """
MATCH (a:Episode {group_id: $group_id, session_id: $session})-[:NEXT]->(b:Episode)
RETURN [a.turn, b.turn] ORDER BY a.turn
"""


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        yield memory


def contents(memory: Memory, session: str = "monday", **moments: datetime) -> list[str]:
    return [turn.content for turn in memory.conversation(session, user_id="anna", **moments)]


def counts(memory: Memory) -> list[int]:
    """All nodes and relationships of the group, and the counters."""
    return [
        *rows(memory, "MATCH (n {group_id: $group_id}) RETURN count(n)"),
        *rows(memory, "MATCH ({group_id: $group_id})-[r]->() RETURN count(r)"),
        *rows(memory, "MATCH (c:Counter) RETURN c.next ORDER BY c.name"),
    ]


def test_a_turn_is_stored_unchanged(memory: Memory) -> None:
    raw = '{ "b": 1 }'
    turn = {"actor": "Anna", "content": raw, "type": "JSON", "at": NINE.isoformat(), "mood": ["é", 1.5]}
    assert memory.remember([turn, "and on"], user_id="anna", session_id="monday").committed == 2
    first, second = memory.conversation("monday", user_id="anna")
    assert (first.content, first.type, first.actor, first.metadata) == (raw, "JSON", "Anna", {"mood": ["é", 1.5]})
    assert (first.turn, first.turn_id, second.turn, second.actor) == (0, "turn_0", 1, "user")
    assert first.valid_at.isoformat() == NINE.isoformat()
    assert first.created_at and first.created_at.utcoffset() == timedelta(0)


def test_a_repeated_import_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "monday.jsonl"
    file.write_text("\n".join(json.dumps({"content": f"turn {n}", "actor": "AB"[n % 2]}) for n in range(300)))
    assert memory.import_chat(file, user_id="anna").committed == 300
    before = counts(memory)
    again = memory.import_chat(file, user_id="anna")
    assert (again.committed, again.unchanged, again.rejected) == (0, 300, 0)
    assert counts(memory) == before
    assert contents(memory) == [f"turn {n}" for n in range(300)]
    file.write_text(file.read_text() + '\n{"content": "turn 300"}')
    assert memory.import_chat(file, user_id="anna").committed == 1
    assert rows(memory, NEXT, session="monday") == [[n, n + 1] for n in range(300)]


def test_invalid_turns_of_a_file_do_not_stop_the_others(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "monday.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"content": "a"}\r\n{"content": "\xff"}\r\n{"content": \r\n{"content": "d"}\r\n')
    report = memory.import_chat(file, user_id="anna")
    assert (report.committed, report.rejected) == (2, 2)
    assert [error[:14] for error in report.errors] == ["monday: turn 2", "monday: turn 3"]
    assert [turn.turn for turn in memory.conversation("monday", user_id="anna")] == [0, 3]


def test_the_same_id_with_other_content_is_refused_showing_both(memory: Memory) -> None:
    memory.remember([{"content": "The keys are on the hook.", "turn": 0}], user_id="anna", session_id="monday")
    other = {"content": "The keys are in the sea.", "turn": 0}
    for _ in range(2):
        report = memory.remember([other, "and on"], user_id="anna", session_id="monday")
        assert (report.committed, report.rejected) == (1, 1)
        assert "“The keys are on the hook.”" in report.errors[0]
        assert "“The keys are in the sea.”" in report.errors[0]
    assert contents(memory) == ["The keys are on the hook.", "and on", "and on"]


def test_a_turn_number_or_id_of_another_session_is_refused(memory: Memory) -> None:
    memory.remember([{"content": "a", "turn": 0, "id": "x"}], user_id="anna", session_id="monday")
    report = memory.remember([{"content": "b", "turn": 0, "id": "y"}], user_id="anna", session_id="monday")
    assert report.errors == ["turn 0 of session monday is x; give y another turn"]
    report = memory.remember([{"content": "a", "turn": 0, "id": "x"}], user_id="anna", session_id="tuesday")
    assert "in session monday" in report.errors[0]
    with pytest.raises(NotInMemory):
        memory.conversation("tuesday", user_id="anna")


def test_a_turn_repeated_within_one_call_is_counted_once(memory: Memory) -> None:
    turns = [{"content": "a", "turn": 0}] * 2 + [{"content": "b", "turn": 0}]
    report = memory.remember(turns, user_id="anna", session_id="monday")
    assert (report.committed, report.unchanged, report.rejected) == (1, 1, 1)


def test_a_turn_without_a_number_follows_the_stored_ones(memory: Memory) -> None:
    turns = ["a", {"content": "b", "turn": 5}, "c", "d", {"content": "e", "turn": 2}]
    memory.remember(turns, user_id="anna", session_id="monday")
    turns = [(turn.turn, turn.content) for turn in memory.conversation("monday", user_id="anna")]
    assert turns == [(0, "a"), (2, "e"), (5, "b"), (6, "c"), (7, "d")]


PLACES = st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=5, unique=True), min_size=1, max_size=5)


@examples(push=5, soak=120)
@given(batches=PLACES, gone=st.sets(st.integers(0, 12), max_size=6))
def test_next_is_the_order_by_turn(
    batches: list[list[int]], gone: set[int], neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """However late turns come and whichever are forgotten, NEXT equals the sorted list of what is there."""
    with talking(neo4j_connection, f"test-{uuid4()}", tmp_path_factory.mktemp("data")) as memory:
        for batch in batches:
            turns = [{"content": f"turn {place}", "turn": place} for place in batch]
            memory.remember(turns, user_id="anna", session_id="monday")
        for place in gone:
            memory.forget(user_id="anna", episode_id=f"ep_turn_monday_{place}")
        there = sorted({place for batch in batches for place in batch} - gone)
        assert rows(memory, NEXT, session="monday") == [list(pair) for pair in pairwise(there)]
        assert [session.turns for session in memory.sessions(user_id="anna")] == ([len(there)] if there else [])


def test_a_conversation_is_reconstructed_as_of_a_moment(memory: Memory) -> None:
    """By valid_at and by created_at, for every pair of moments; wall clocks of any offset."""
    learnt: list[datetime] = []
    order = [3, 0, 4, 1, 2]
    for place in order:
        turn = {"content": str(place), "turn": place, "at": NINE + place * MINUTE}
        memory.remember([turn], user_id="anna", session_id="monday")
        [created] = rows(
            memory, "MATCH (e:Episode {group_id: $group_id, turn: $turn}) RETURN e.created_at", turn=place
        )
        learnt.append(created.to_native())
    abroad = timezone(timedelta(hours=-7))
    for said in range(-1, 5):
        for known in range(len(order)):
            as_of = (NINE + said * MINUTE).astimezone(abroad)
            found = contents(memory, as_of=as_of, known_at=learnt[known].astimezone(abroad))
            assert found == [str(place) for place in sorted(order[: known + 1]) if place <= said]
    assert contents(memory, since=NINE + 3 * MINUTE) == ["3", "4"]
    assert contents(memory, known_at=learnt[0] - MINUTE) == []
    with pytest.raises(InputError, match="offset"):
        memory.conversation("monday", user_id="anna", as_of=datetime(2026, 3, 1))


def test_a_conversation_without_a_user_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="no user"):
        memory.remember(["hi"], session_id="monday")
    with pytest.raises(InputError, match="session has no name"):
        memory.remember(["hi"], user_id="anna", session_id=" ")
    with pytest.raises(NotInMemory, match="no session monday"):
        memory.conversation("monday", user_id="anna")
    assert memory.sessions(user_id="anna") == []


def test_another_embedder_is_refused(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        memory.remember(["a"], user_id="anna", session_id="monday")
        before = counts(memory)
    with talking(neo4j_connection, group_id, tmp_path, embedder=CountingEmbedder("other")) as memory:
        with pytest.raises(EmbedderMismatch):
            memory.remember(["b", "c"], user_id="anna", session_id="monday")
        assert memory._parts.turn_spool().waiting(group_id, 9) == []
        assert counts(memory) == before


def test_reembed_includes_turns(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        memory.remember([{"actor": "Anna", "content": "One.", "shown": "a cat"}, "Two."], user_id="a", session_id="s")
    second = CountingEmbedder("second")
    with talking(neo4j_connection, group_id, tmp_path, embedder=second) as memory:
        assert memory.missing_vectors() == 0
        assert memory.reembed() == 2
        assert second.asked == [["Anna: One. [shows a cat]", "Two."]]
        assert memory.reembed() == memory.missing_vectors() == 0
        memory.remember(["Three."], user_id="a", session_id="s")
        assert len(memory.search("One", user_id="a")) > 0 and memory._parts.indexes.turns.catch_up() == 0
        assert len(memory._parts.indexes.of("episode")) >= 3


def test_turns_created_between_two_moments(memory: Memory) -> None:
    memory.remember(["early"], user_id="anna", session_id="monday")
    between = datetime.now(UTC)
    memory.remember(["late"], user_id="anna", session_id="monday")
    assert contents(memory, known_since=between) == ["late"]
    assert contents(memory, known_at=between) == ["early"]
    assert contents(memory, known_since=between, known_at=between) == []


def test_an_unstorable_turn_does_not_stop_the_others(memory: Memory) -> None:
    """A turn that passes validation but not the database is refused alone; later turns are stored."""
    from dataclasses import replace

    from amr_neo4j.conversations.record import one_episode
    from amr_neo4j.domain.episode import Session

    session = Session(memory.group_id, "anna", "monday")
    good = one_episode({"content": "good", "turn": 0}, session, NINE, ENGLISH)
    bad = replace(one_episode({"content": "bad", "turn": 1}, session, NINE, ENGLISH), turn=2**64)
    report = memory._parts.conversations(memory.group_id).record([bad, good])
    assert (report.committed, report.rejected) == (1, 1)
    assert memory.remember(["next"], user_id="anna", session_id="monday").committed == 1


# --- outages


@pytest.fixture
def line(neo4j_connection: Connection, no_retries: None) -> Iterator[Line]:
    """To the server, and cut where it is unreachable."""
    with line_to(neo4j_connection) as line:
        yield line


def test_turns_are_spooled_while_the_database_is_unreachable(line: Line, group_id: str, tmp_path: Path) -> None:
    there = line.connection
    said: list[str] = []
    with talking(there, group_id, tmp_path / "new") as new, talking(there, group_id, tmp_path, said=said) as memory:
        assert memory.remember(["one"], user_id="anna", session_id="monday").committed == 1
        line.cut()
        kept = memory.remember(["two", {"content": "three", "turn": 7}], user_id="anna", session_id="monday")
        assert (kept.accepted, kept.committed, kept.rejected) == (2, 0, 0)
        assert len(said) == 1 and "kept on this machine" in said[0]
        conflict = memory.remember([{"content": "four", "turn": 7}], user_id="anna", session_id="monday")
        assert conflict.rejected == 1, "the spool knows what waits"
        assert new.remember(["zero"], user_id="ben", session_id="monday").accepted == 1, "also as the first of all"
    line.mend()
    with talking(there, group_id, tmp_path) as memory:
        assert contents(memory) == ["one", "two", "three"]
        assert memory._parts.turn_spool().waiting(group_id, 9) == []
        assert rows(memory, NEXT, session="monday") == [[0, 1], [1, 7]]


def test_a_process_started_without_the_database_spools_for_the_last_known_one(
    line: Line, group_id: str, tmp_path: Path
) -> None:
    there = line.connection
    where = {"neo4j_uri": there.uri, "neo4j_username": there.username, "neo4j_password": there.password}
    here: dict[str, Any] = {"group": group_id, "data_dir": tmp_path, **where}
    with Memory.open(**here) as memory:
        assert memory.remember(["one"], user_id="anna", session_id="monday").committed == 1
    line.cut()
    said: list[str] = []
    with Memory.open(**here, notify=said.append) as memory:
        assert memory.remember(["two"], user_id="anna", session_id="monday").accepted == 1
        assert len(said) == 1 and "kept on this machine" in said[0]
        with pytest.raises(StoreUnavailable):
            memory.search("two", user_id="anna")
        line.mend()
        assert memory.remember(["three"], user_id="anna", session_id="monday").committed == 1
        assert contents(memory) == ["one", "two", "three"]
    line.cut()
    with pytest.raises(StoreUnavailable):
        Memory.open(**{**here, "data_dir": tmp_path / "another"})


# --- forgetting


# No other test uses this word.
WORD = f"marzipan{uuid4().hex}"
MENTIONS = """
MATCH (a:Episode {group_id: $group_id, user_id: 'anna', session_id: 'monday', turn: 0}),
      (b:Episode {group_id: $group_id, user_id: 'anna', session_id: 'monday', turn: 1})
CREATE (k:Mention {group_id: $group_id, user_id: 'anna', session_id: 'monday', turn: 0, type: 'THING',
                   text: $word + ' keys', id: 'm0'})-[:MENTIONED_IN]->(a),
       (h:Mention {group_id: $group_id, user_id: 'anna', session_id: 'monday', turn: 0, type: 'THING',
                   text: 'hook', id: 'm1'})-[:MENTIONED_IN]->(a),
       (s:Mention {group_id: $group_id, user_id: 'anna', session_id: 'monday', turn: 1, type: 'THING',
                   text: 'sea', id: 'm2'})-[:MENTIONED_IN]->(b),
       (k)-[:STATES {id: 'r0', type: 'ON', content: 'the ' + $word + ' keys', turn: 0,
                     episode_id: a.episode_id}]->(h),
       (k)-[:STATES {id: 'r1', type: 'OFF', content: $word, turn: 1, episode_id: b.episode_id}]->(h),
       (s)-[:STATES {id: 'r2', type: 'IN', content: 'in the sea', turn: 1, episode_id: b.episode_id}]->(k)
FOREACH (m IN [k, h] | SET m += a {.episode_id, .valid_at, .clock, .created_at})
SET s += b {.episode_id, .valid_at, .clock, .created_at}
RETURN 1
"""
EVERYWHERE = """
MATCH (n) WHERE any(key IN keys(n) WHERE toLower(toStringOrNull(n[key])) CONTAINS $word) RETURN labels(n) AS kind
UNION MATCH ()-[n]->() WHERE any(key IN keys(n) WHERE toLower(toStringOrNull(n[key])) CONTAINS $word)
RETURN [type(n)] AS kind
"""
FULL_TEXT = "CALL db.index.fulltext.queryNodes($index, $word) YIELD node RETURN node.episode_id"
VECTORS = """
MATCH (e:Embedding {kind: 'episode'}) WHERE e.group_id IN [$group_id, ''] RETURN [e.seq, size(e.data)] ORDER BY e.seq
"""


def marzipan_left(memory: Memory) -> list[str]:
    """Every place that contains the word: the graph, the full-text indexes, and the files of the data folder."""
    found = [str(each) for each in rows(memory, EVERYWHERE, word=WORD)]
    for index in ("amr_episode_text", "amr_plain_episode_text"):
        found += [f"{index}: {each}" for each in rows(memory, FULL_TEXT, index=index, word=WORD)]
    files = [file for file in memory.settings.data_dir.rglob("*") if file.is_file()]
    return found + [str(file) for file in files if WORD.encode() in file.read_bytes()]


def converse(memory: Memory) -> None:
    """Two sessions of Anna's, the first with mentions; one of Ben's; and one spooled turn."""
    turns = [f"The {WORD} keys are on the hook.", "No, in the sea.", f"Which {WORD}?"]
    memory.remember(turns, user_id="anna", session_id="monday")
    memory.remember([{"content": WORD, "actor": f"Joe {WORD}"}], user_id="anna", session_id="tuesday")
    memory.remember(["nougat"], user_id="ben", session_id="monday")
    rows(memory, MENTIONS, word=WORD)
    from amr_neo4j.conversations.record import one_episode
    from amr_neo4j.domain.episode import Session

    waits = one_episode(f"{WORD} waits", Session(memory.group_id, "anna", "monday"), NINE, ENGLISH)
    memory._parts.turn_spool().accept([waits])
    snapshot = memory._parts.indexes.folder() / "episode-counting.npz"
    snapshot.parent.mkdir(parents=True, exist_ok=True)
    snapshot.write_bytes(f"a vector of {WORD}".encode())


@pytest.mark.parametrize("by", ["a question", "a conversation"])
def test_a_waiting_turn_that_the_graph_refuses_is_told(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, by: str
) -> None:
    """Whoever commits it: a call that finds it in the spool, or the thread of live conversations."""
    from amr_neo4j.conversations.record import one_episode
    from amr_neo4j.domain.episode import Session

    said: list[str] = []
    with talking(neo4j_connection, group_id, tmp_path, said=said) as memory:
        memory.remember([{"content": "The soup is ready.", "episode_id": "e1"}], user_id="anna", session_id="monday")
        other = {"content": "The soup is cold.", "episode_id": "e1"}
        waits = one_episode(other, Session(memory.group_id, "anna", "monday"), NINE, ENGLISH)
        memory._parts.turn_spool().accept([waits])
        if by == "a question":
            memory.search("soup", user_id="anna")
        else:
            memory.chat(user_id="anna", session_id="tuesday").observe("Good morning.")
            assert memory._parts.live_chats().wait(60)
    assert [line for line in said if "a waiting turn was refused" in line and "amr spool list" in line]


def test_forgetting_a_user_removes_every_trace(memory: Memory) -> None:
    emptied_before = rows(memory, VECTORS)
    converse(memory)
    seen = " ".join(marzipan_left(memory))
    for place in (
        "Episode",
        "Speaker",
        "Mention",
        "STATES",
        "amr_episode_text",
        "spool.sqlite",
        "episode-counting.npz",
    ):
        assert place in seen, "or this test could not see"
    would = memory.forget(user_id="anna", dry_run=True)
    gone = memory.forget(user_id="anna")
    assert gone == would
    assert gone == Forgotten(episodes=4, mentions=3, relations=3, sessions=2, vectors=4, waiting=1)
    assert marzipan_left(memory) == []
    assert rows(memory, "MATCH (n {group_id: $group_id, user_id: 'anna'}) RETURN labels(n)") == []
    assert [turn.content for turn in memory.conversation("monday", user_id="ben")] == ["nougat"]
    data = [row for row in rows(memory, VECTORS) if row not in emptied_before]
    assert sorted(size for _, size in data) == [0, 0, 0, 0, 32]
    assert [size for _, size in data][1:] == [0, 0, 0, 0], "renumbered: an index that catches up removes them"
    assert memory.forget(user_id="anna") == Forgotten()
    assert memory.remember(["again"], user_id="anna", session_id="monday").committed == 1
    assert contents(memory) == ["again"]


def test_forgetting_a_turn_removes_its_relations(memory: Memory) -> None:
    converse(memory)
    memory._parts.turn_spool().forget(memory.group_id, "anna")
    turn = {"user_id": "anna", "session_id": "monday", "episode_id": _id(memory, 1)}
    would = memory.forget(**turn, dry_run=True)
    gone = memory.forget(**turn)
    assert gone == would
    assert gone == Forgotten(episodes=1, mentions=1, relations=2, vectors=1)
    assert rows(memory, "MATCH (:Mention {group_id: $group_id})-[r:STATES]->() RETURN r.id") == ["r0"]
    assert rows(memory, NEXT, session="monday") == [[0, 2]]
    assert memory.forget(user_id="anna", session_id="tuesday", episode_id=_id(memory, 0)) == Forgotten()
    gone = memory.forget(user_id="anna", session_id="monday")
    assert gone == Forgotten(episodes=2, mentions=2, relations=1, sessions=1, vectors=2)
    speakers = rows(memory, "MATCH (p:Speaker {group_id: $group_id, user_id: 'anna'}) RETURN p.name")
    assert speakers == [f"Joe {WORD}"], "who spoke in a session that stays"


def _id(memory: Memory, turn: int) -> str:
    return memory.conversation("monday", user_id="anna")[turn].episode_id


@pytest.mark.soak
def test_forgetting_spans_several_transactions(memory: Memory) -> None:
    turns = [f"turn {n}" for n in random.Random(1).sample(range(5000), 1100)]
    memory.remember(turns, user_id="anna", session_id="monday")
    assert memory.forget(user_id="anna") == Forgotten(episodes=1100, sessions=1, vectors=1100)
    assert rows(memory, "MATCH (n {group_id: $group_id, user_id: 'anna'}) RETURN n") == []
