"""Live conversations on a real Neo4j: behind the turn, across processes, outages and kills."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from amr_neo4j import AsyncMemory, LiveChat, Memory
from amr_neo4j.app import chatting
from amr_neo4j.domain.fact import Triple
from amr_neo4j.errors import InputError, StoreUnavailable
from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking
from tests.support.cut_line import line_to

PORTO, GHENT = Triple("you", "lives_in", "porto"), Triple("you", "lives_in", "ghent")
ASK = [{"role": "user", "content": "Where do I live?"}]


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        yield memory


def settled(memory: Memory) -> None:
    assert memory._parts.live_chats().wait(120)


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_fact_of_one_session_is_in_the_prompt_of_the_next(memory: Memory) -> None:
    turn = memory.chat(user_id="anna", session_id="monday").observe("I live in Porto and work at BMW.")
    assert turn.understood
    assert [fact.triple for fact in turn.understood.facts] == [PORTO, Triple("you", "works_at", "bmw")]
    chat = memory.chat(user_id="anna", session_id="tuesday")
    asking = chat.observe("Where do I live?")
    [hints, asked] = chat.inject(ASK)
    assert hints["content"].splitlines()[4:-1] == ["• You live in Porto"]
    assert asked == ASK[0]
    settled(memory)
    [fact] = memory.facts(user_id="anna", relation="lives_in")
    assert (fact.triple, fact.episode_ids) == (PORTO, (turn.episode_id,))
    injected = (
        "MATCH (f:Fact) WHERE f.group_id = $group_id RETURN [f.relation, f.injected_in, f.asked_at IS NOT NULL]"
    )
    assert sorted(rows(memory, injected)) == [["lives_in", asking.episode_id, True], ["works_at", None, False]]
    assert [said.content for said in memory.conversation("monday", user_id="anna")] == [
        "I live in Porto and work at BMW."
    ]


def test_closing_right_after_a_turn_commits_it_and_ends_the_embedding_of_facts(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    """The last commit wakes the thread that embeds facts: it must not start again once it was closed."""
    before, said = set(threading.enumerate()), list[str]()
    with talking(neo4j_connection, group_id, tmp_path, said=said) as memory:
        memory.chat(user_id="anna", session_id="monday").observe("I live in Porto.")
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert "amr-embed" not in left
    assert not [line for line in said if "embedding" in line]
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        assert [fact.triple for fact in memory.facts(user_id="anna")] == [PORTO]


def test_what_was_just_said_is_in_every_list(memory: Memory) -> None:
    with memory._parts.questions.question():  # commits in the background wait for questions
        turn = memory.chat(user_id="anna", session_id="s").observe("I live in Porto.")
        [fact] = memory.facts(user_id="anna")
        assert (fact.triple, fact.episode_ids) == (PORTO, (turn.episode_id,))
    with memory._parts.questions.question():
        memory.chat(user_id="anna", session_id="s").observe("My dog is called Rex.")
        assert len(memory.conversation("s", user_id="anna")) == 2
    with memory._parts.questions.question():
        memory.chat(user_id="anna", session_id="later").observe("I live in Ghent.")
        assert {each.session_id for each in memory.sessions(user_id="anna")} == {"s", "later"}
        assert memory.fact(fact.fact_id, user_id="anna").status == "archived"


def test_a_correction_replaces_the_old_value_everywhere(memory: Memory) -> None:
    chat = memory.chat(user_id="anna", session_id="monday")
    chat.observe("I live in Porto.")
    chat.observe("I moved to Ghent.")
    settled(memory)
    assert [fact.triple for fact in memory.facts(user_id="anna", relation="lives_in")] == [GHENT]
    chat.observe("Where do I live?")
    assert "Porto" not in str(chat.inject(ASK))


def test_no_user_sees_a_fact_of_another(memory: Memory) -> None:
    chats = {f"user{n}": memory.chat(user_id=f"user{n}", session_id="s") for n in range(16)}
    for n, chat in enumerate(chats.values()):
        chat.observe(f"I live in Town{n}. My sister is called Sister{n}.")
    settled(memory)
    for n, (user, chat) in enumerate(chats.items()):
        for text in ("Where do I live?", "Who is my sister?", "Tell me about Town3 and Sister5."):
            chat.observe(text)
            shown = str(chat.inject([{"role": "user", "content": ""}]))
            assert not [
                m for m in range(16) if m != n and (f"Town{m}" in shown.split() or f"Sister{m}" in shown.split())
            ]
        assert {fact.triple.object for fact in memory.facts(user_id=user)} == {f"town{n}", f"sister{n}"}


def test_forgotten_words_are_in_no_prompt(memory: Memory) -> None:
    chat = memory.chat(user_id="anna", session_id="monday")
    chat.observe("I live in Porto.")
    chat.observe("I like tea.")
    settled(memory)
    assert memory.forget_facts(user_id="anna", subject="you", relation="likes") == 1
    memory.forget(user_id="anna", session_id="monday")
    chat.observe("Where do I live? What do I like?")
    assert chat.inject(ASK) == ASK
    assert not memory.facts(user_id="anna", history=True)


def test_own_words_are_quoted_after_a_restart_until_they_are_forgotten(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        memory.chat(user_id="anna", session_id="monday").observe("my ex, Dominic, kept the house in Fife")
        settled(memory)
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        chat = memory.chat(user_id="anna", session_id="tuesday")
        [hint] = chat.observe("Where is Dominic's house?").hints
        assert hint.text.endswith("my ex, Dominic, kept the house in Fife”")
        memory.forget(user_id="anna", session_id="monday")
        assert not chat.observe("Where is Dominic's house?").hints


@pytest.mark.parametrize("how", [{"subject": "you"}, {}], ids=["facts", "turns"])
def test_what_is_forgotten_while_changes_are_read_does_not_come_back(
    memory: Memory, how: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = memory.chat(user_id="anna", session_id="s")
    chat.observe("I live in Porto.")
    settled(memory)
    live, began = memory._parts.live_chats(), Event()
    read = live._users._facts.updated

    def slow(*given: Any) -> Any:
        found = read(*given)
        began.set()
        time.sleep(0.5)
        return found

    monkeypatch.setattr(live._users._facts, "updated", slow)
    live._users.user("anna").changed = None  # so that the facts are read again
    with ThreadPoolExecutor() as threads:
        reading = threads.submit(live._users.refresh, lambda: True)
        assert began.wait(60)
        if how:
            memory.forget_facts(user_id="anna", **how)
        else:
            memory.forget(user_id="anna")
        reading.result(60)
    assert "Porto" not in str(chat.inject([{"role": "user", "content": "Which town do I live in?"}]))


def test_facts_are_read_again_only_after_a_change(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a read for every user and moment, fifty users who talk would keep the database busy."""
    for name in ("anna", "ben"):
        memory.chat(user_id=name, session_id="s").observe("I live in Porto.")
    settled(memory)
    live, asked = memory._parts.live_chats(), list[str]()
    read = live._users._facts.updated
    live._users.refresh()  # notes what has been read, and from which moment on changes count
    live._users.refresh()

    def noted(user_id: str, *given: Any) -> Any:
        asked.append(user_id)
        return read(user_id, *given)

    monkeypatch.setattr(live._users._facts, "updated", noted)
    live._users.refresh()
    assert not asked
    [fact] = memory.facts(user_id="anna")
    memory.correct_fact(fact.fact_id, "Braga", user_id="anna")
    live._users.refresh()
    assert set(asked) == {"anna"}


def test_an_assistant_turn_is_kept_and_states_nothing(memory: Memory) -> None:
    chat = memory.chat(user_id="anna", session_id="monday")
    chat.observe("I live in Berlin.", actor="assistant")
    settled(memory)
    assert not memory.facts(user_id="anna")
    assert [turn.actor for turn in memory.conversation("monday", user_id="anna")] == ["assistant"]


def test_what_replies_use_is_counted_over_all_conversations(memory: Memory) -> None:
    memory.chat(user_id="anna", session_id="sunday").observe("I live in Porto.")
    for session in ("monday", "tuesday"):
        chat = memory.chat(user_id="anna", session_id=session)
        chat.observe("Where do I live?")
        assert "Porto" in chat.inject(ASK)[0]["content"]
        chat.observe("You live in Porto.", actor="assistant")
        settled(memory)
    assert within(30, lambda: memory.fact_measures(user_id="anna").use.get("answered") == 2)
    found = memory.fact_measures(user_id="anna")
    assert (found.use["used"], found.hints_used) == (2, 1.0)


def test_two_memories_see_each_other(
    memory: Memory, neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    """Of other machines: what they share is the graph alone."""
    with talking(neo4j_connection, group_id, tmp_path / "elsewhere") as other:
        here, there = (each.chat(user_id="anna", session_id="monday") for each in (memory, other))
        here.observe("I live in Porto.")
        assert within(30, lambda: PORTO in _known(there))
        there.observe("I moved to Ghent.")
        assert within(30, lambda: GHENT in _known(here))


def test_what_is_held_of_users_outlives_an_outage_and_what_was_forgotten_meanwhile_does_not(
    memory: Memory, neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anna fell silent long ago. Ben still talks, and another machine forgets during the outage what he said."""
    with (
        line_to(neo4j_connection) as line,
        talking(line.connection, group_id, tmp_path / "here", store_wait_sec=0) as here,
    ):
        chats = {name: here.chat(user_id=name, session_id="monday") for name in ("anna", "ben")}
        for name in ("anna", "ben"):
            chats[name].observe("I live in Porto.")
        del chats["anna"]
        settled(here)
        users = here._parts.live_chats()._users
        assert within(60, lambda: not any(user.metrics or user.open_chats for user in users.all()[:1]))
        line.cut()
        memory.forget(user_id="ben")
        monkeypatch.setattr(chatting, "_KEPT_SECONDS", 0.0)
        with pytest.raises(StoreUnavailable):
            users.refresh()
        assert [user.user_id for user in users.all()] == ["anna", "ben"]
        assert PORTO in _known(chats["ben"])
        line.mend()
        assert within(60, lambda: [user.user_id for user in users.all()] == ["ben"])
        assert within(60, lambda: PORTO not in _known(chats["ben"]))


def test_a_bad_session_or_turn_is_refused_in_one_line(memory: Memory) -> None:
    with pytest.raises(InputError, match="session"):
        memory.chat(user_id="anna", session_id=" ")
    chat = memory.chat(user_id="anna", session_id="monday")
    with pytest.raises(InputError, match="empty"):
        chat.observe("  ")
    with pytest.raises(InputError):
        chat.observe("a\x00b")


def test_awaited(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    async def talk() -> tuple[str, int]:
        there = neo4j_connection
        memory = await AsyncMemory.open(
            neo4j_uri=there.uri,
            neo4j_username=there.username,
            neo4j_password=there.password,
            group=group_id,
            data_dir=tmp_path,
        )
        async with memory as m:
            chat = await m.chat(user_id="anna", session_id="monday")
            await chat.observe("I live in Porto.")
            await chat.observe("Where do I live?")
            shown = str(await chat.inject(ASK))
            return shown, len(await m.sessions(user_id="anna"))

    shown, _ = asyncio.run(talk())
    assert "You live in Porto" in shown


KILLED = """
import json, sys
from pathlib import Path
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking

settings = json.loads(sys.argv[1])
with talking(Connection(**settings["there"]), settings["group"], Path(settings["folder"])) as memory:
    chat = memory.chat(user_id="anna", session_id="monday")
    for n in range(10_000):
        chat.observe(f"I like drink{n}.")
        print(n, flush=True)
"""


@pytest.mark.parametrize("after", [25, *(pytest.param(n, marks=pytest.mark.soak) for n in (1, 60))])
def test_what_was_returned_survives_a_kill(
    after: int, neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    _hold(after, neo4j_connection, group_id, tmp_path)


def _hold(after: int, neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    """Kill a conversation once it has returned so many turns; each is in the graph, and so is its fact."""
    there = {name: getattr(neo4j_connection, name) for name in ("uri", "username", "password")}
    settings = json.dumps({"there": there, "group": group_id, "folder": str(tmp_path)})
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, settings],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ,
    ) as run:
        assert run.stdout
        for line in run.stdout:
            if int(line) >= after:
                break
        run.send_signal(signal.SIGKILL)
        returned = max([after, *(int(line) for line in run.stdout if line.endswith("\n"))])
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        chat = memory.chat(user_id="anna", session_id="tuesday")
        settled(memory)
        facts = memory.facts(user_id="anna", limit=20_000)
        assert {f"drink{n}" for n in range(returned + 1)} <= {fact.triple.object for fact in facts}
        assert {fact.evidence_count for fact in facts} == {1}
        chat.observe(f"Do I like drink{returned}?")
        assert f"drink{returned}" in str(chat.inject(ASK))
        assert (
            rows(memory, "MATCH (e:Episode {group_id: $group_id, session_id: 'monday'}) RETURN count(e)")[0]
            > returned
        )


def _known(chat: LiveChat) -> list[Triple]:
    return [fact.triple for fact in chat._index.facts()]
