"""Sixteen users in two groups whose sessions, ids and words collide: no read returns another's rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from typing import Any
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.episode import Session
from amr_neo4j.errors import NotInMemory
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from amr_neo4j.wiring.openers import utc_now
from tests.support.chatting import rows, talking

GROUPS = ("one", "two")
USERS = [f"user{n}" for n in range(8)]
SESSIONS = ("monday", "tuesday")
WORDS = "The keys are on the hook by the door."


@dataclass(frozen=True)
class Shared:
    """Two memories, one per group; each user says the same, in sessions of equal names, and one secret word."""

    memories: dict[str, Memory]

    def everyone(self) -> Iterator[tuple[Memory, str, str]]:
        """(memory, user, the word that only this user says)."""
        for (name, memory), user in product(self.memories.items(), USERS):
            yield memory, user, f"secret-{name}-{user}"


@pytest.fixture(scope="module")
def shared(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    data = tmp_path_factory.mktemp("data")  # one folder: the spool is shared
    with ExitStack() as opened:
        shared = Shared(
            {name: opened.enter_context(talking(neo4j_connection, f"test-{name}-{uuid4()}", data)) for name in GROUPS}
        )
        for memory, user, secret in shared.everyone():
            for session in SESSIONS:
                turns = [
                    {"content": WORDS, "actor": "Anna", "turn": 0, "id": f"{session}-0"},
                    {"content": f"{WORDS} {secret}", "actor": secret, "turn": 1, "id": f"{session}-1"},
                ]
                report = memory.remember(turns, user_id=user, session_id=session)
                assert report.committed == 2, report
        yield shared


def _conversations(memory: Memory, user: str) -> Any:
    return [memory.conversation(session, user_id=user) for session in SESSIONS]


def _sessions(memory: Memory, user: str) -> Any:
    return memory.sessions(user_id=user)


def _import_again(memory: Memory, user: str) -> Any:
    """A conflict shows the user's own turn."""
    turns = [{"content": "other", "turn": place, "id": f"{s}-{place}"} for s in SESSIONS for place in (0, 1)]
    return [memory.remember(turns[:2], user_id=user, session_id=SESSIONS[0]).errors, WORDS]


def _ask(memory: Memory, user: str) -> Any:
    own = next(session.actors for session in memory.sessions(user_id=user))
    return [memory.ask(f"What did {who} say about the keys?", user_id=user) for who in own]


def _search(memory: Memory, user: str) -> Any:
    """By words that all users say; the limit exceeds the user's turns."""
    return memory.search("keys on the hook", user_id=user, limit=99, all=True)


def _search_by_name(memory: Memory, user: str) -> Any:
    """By every secret: the user's own is found, the others' are unknown, and no hint names them."""

    def found(secret: str) -> Any:
        try:
            return memory.search(f"{secret} keys", user_id=user, persons=[secret], limit=99)
        except NotInMemory as error:
            return error.hint

    return [found(f"secret-{name}-{other}") for name in GROUPS for other in USERS]


def _export(memory: Memory, user: str) -> Any:
    return memory.export_episodes(user)


def _extract(memory: Memory, user: str) -> Any:
    """Mentions are written to the user's own graph."""
    memory.extract(user_id=user)
    return memory.export_episodes(user)


# Every read: (memory, user) -> its result. Each must find the user's own secret, and no other's.
READS: list[Callable[[Memory, str], Any]] = [
    _conversations,
    _sessions,
    _import_again,
    _ask,
    _search,
    _search_by_name,
    _export,
    _extract,
]


@pytest.mark.parametrize("read", READS, ids=lambda read: read.__name__.strip("_"))
def test_every_read_returns_the_user_s_own_rows_only(read: Callable[[Memory, str], Any], shared: Shared) -> None:
    for memory, user, secret in shared.everyone():
        found = repr(read(memory, user))
        assert secret in found
        # The user's own secret ends at the full stop; "user1" is no "user10" here.
        assert found.count("secret-") == len(re.findall(rf"{secret}(?!\w)", found))


def test_every_user_has_a_separate_subgraph(shared: Shared) -> None:
    """No relationship joins what two users said."""
    for memory in shared.memories.values():
        across = "MATCH (a:Episode {group_id: $group_id})-[r]-(b) WHERE a.user_id <> b.user_id RETURN type(r)"
        assert rows(memory, across) == []
        assert rows(memory, "MATCH (e:Episode {group_id: $group_id}) RETURN count(e)") == [len(USERS) * 4]


def test_a_user_without_a_conversation_finds_nothing(shared: Shared) -> None:
    for memory in shared.memories.values():
        assert memory.sessions(user_id="nobody") == []
        for session in SESSIONS:
            with pytest.raises(NotInMemory) as refused:
                memory.conversation(session, user_id="nobody")
            assert "user0" not in str(refused.value)


def test_spooled_turns_are_separate_too(shared: Shared) -> None:
    """The same id of two users and groups is spooled twice; forgetting one leaves the other."""
    from amr_neo4j.conversations.record import one_episode

    one, two = shared.memories.values()
    spool = one._parts.turn_spool()
    everyone = [Session(memory.group_id, user, "friday") for memory in (one, two) for user in USERS]
    waits = [one_episode({"content": each.user_id, "id": "x"}, each, utc_now(), ENGLISH) for each in everyone]
    assert all(accepted.is_new for accepted in spool.accept(waits))
    assert spool.forget(one.group_id, "user3") == 1
    assert [episode.content for _, episode in spool.waiting(one.group_id, 99)] == [u for u in USERS if u != "user3"]
    assert [episode.content for _, episode in spool.waiting(two.group_id, 99)] == USERS
    for each in everyone:
        spool.forget(each.group_id, each.user_id)


def test_forgetting_one_user_leaves_the_others_unchanged(shared: Shared) -> None:
    everyone = list(shared.everyone())
    memory, user, _ = everyone[3]
    before = {(m.group_id, u): repr([_conversations(m, u), _sessions(m, u)]) for m, u, _ in everyone}
    assert memory.forget(user_id=user).episodes == 4
    for m, u, _ in everyone:
        if (m.group_id, u) == (memory.group_id, user):
            assert m.sessions(user_id=u) == []
        else:
            assert repr([_conversations(m, u), _sessions(m, u)]) == before[m.group_id, u]
