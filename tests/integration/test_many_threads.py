"""One Memory, many threads: no result differs from the same calls in sequence. Views of other users and groups."""

from __future__ import annotations

import asyncio
import inspect
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import AmrError, AsyncMemory, InputError, Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
from tests.support.examples import SOAK

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
THREADS = 32
# How many of the calls each thread makes; all of them take minutes.
MADE = 1000 if SOAK else 2
USERS = [f"user{number}" for number in range(THREADS)]
Calls = Mapping[str, Callable[[Memory], Any]]


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        yield memory


def reads(memory: Memory) -> Calls:
    """A call of each public method that reads."""
    node_id = memory.search("parcel", limit=1)[0].event.node_id
    cited = memory.ask("Where is the parcel?").citations[0]
    fact_id = memory.facts()[0].fact_id
    return {
        "alerts": lambda m: m.alerts(),
        "analytics": lambda m: m.analytics("object_lifecycle", object="parcel"),
        "around": lambda m: m.around(node_id),
        "ask": lambda m: m.ask("Where is the parcel?"),
        "ask of a user": lambda m: m.ask("Where do I live?", user_id="anna"),
        "check_embedder": lambda m: m.check_embedder(),
        "cited": lambda m: m.cited(cited),
        "clips": lambda m: m.clips("noon-01"),
        "consolidate": lambda m: m.consolidate(dry_run=True).run_id,
        "consolidations": lambda m: m.consolidations(),
        "context": lambda m: m.context("Where is the parcel?"),
        "conversation": lambda m: m.conversation("monday"),
        "counts": lambda m: m.counts("person"),
        "digest": lambda m: m.digest(),
        "event": lambda m: m.event(node_id),
        "export_episodes": lambda m: m.export_episodes(),
        "fact": lambda m: m.fact(fact_id),
        "fact_embeddings": lambda m: m.fact_embeddings(),
        "facts": lambda m: m.facts(),
        "filmed": lambda m: m.filmed(node_id),
        "forget": lambda m: m.forget(dry_run=True),
        "groups": lambda m: [each for each in m.groups() if each.group_id == m.group_id],
        "index_differs": lambda m: m.index_differs(),
        "index_is_damaged": lambda m: m.index_is_damaged(),
        "index_size": lambda m: m.index_size()[1] > 0,
        "known_objects": lambda m: m.known_objects(),
        "known_persons": lambda m: m.known_persons(),
        "lifecycle": lambda m: m.lifecycle("parcel"),
        "mentions": lambda m: m.mentions(),
        "missing_vectors": lambda m: m.missing_vectors(),
        "objects": lambda m: m.objects("parcel"),
        "persons": lambda m: m.persons("Anna"),
        "receipts": lambda m: m.receipts(),
        "relations": lambda m: m.relations(),
        "search": lambda m: m.search("the parcel", limit=5),
        "search in a video": lambda m: m.search("the parcel", limit=5, videos=["kitchen_noon"]),
        "search_memory": lambda m: [each.text for each in m.search_memory("Porto")],  # scores fall with time
        "sessions": lambda m: m.sessions(),
        "stats": lambda m: m.stats(),
        "status": lambda m: m.status(),
        "unfinished_import": lambda m: m.unfinished_import(),
        "unread_turns": lambda m: m.unread_turns(),
        "video": lambda m: m.video("kitchen_noon"),
        "videos": lambda m: m.videos(),
    }


def result(call: Callable[[Memory], Any], memory: Memory) -> Any:
    try:
        return call(memory)
    except AmrError as error:
        return str(error)


def test_32_threads_get_what_one_gets(memory: Memory, neo4j_connection: Connection, tmp_path: Path) -> None:
    memory.ingest(KITCHEN / "kitchen_noon.jsonl")
    memory.remember(["I live in Porto.", "I work at BMW.", "Anna likes tea."], user_id="anna", session_id="monday")
    memory.extract(user_id="anna")
    memory.embed_facts()
    with talking(neo4j_connection, memory.group_id, tmp_path) as alone:
        view = alone.for_user("anna")
        calls = reads(view)
        expected = {name: result(call, view) for name, call in calls.items()}
    # A memory of its own, none of whose parts is open yet: the threads also open them at once.
    with talking(neo4j_connection, memory.group_id, tmp_path) as shared:
        together = threading.Barrier(THREADS)

        def work(number: int) -> list[str]:
            names = [*islice(cycle(calls), number * MADE, number * MADE + min(MADE, len(calls)))]
            random.Random(number).shuffle(names)
            together.wait(60)
            view = shared.for_user("anna")
            return [name for name in names if result(calls[name], view) != expected[name]]

        with ThreadPoolExecutor(THREADS) as threads:
            differing = [name for names in threads.map(work, range(THREADS)) for name in names]
    assert differing == []


def said(memory: Memory, user: str) -> tuple[Any, ...]:
    """What a conversation of a user brings into a prompt, and what is believed of the user afterwards."""
    view = memory.for_user(user)
    chat = view.chat(session_id="monday")
    told = chat.observe(f"I live in {user.title()}ville and work at BMW.")
    chat.observe("Where do I live?")
    prompt = chat.inject([{"role": "user", "content": "Where do I live?"}])
    text = re.sub(r"updated: \S+", "", str(prompt))
    return told.understood.facts if told.understood else (), text


@pytest.mark.soak
def test_conversations_of_32_users_at_once(memory: Memory, group_id: str) -> None:
    other = memory.group(f"{group_id}-in-turn")
    expected = [said(other, user) for user in USERS]
    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(lambda user: said(memory, user), USERS)) == expected
    for of in (memory, other):
        assert of._parts.live_chats().wait(60)
    believed = [{fact.triple for fact in memory.for_user(user).facts()} for user in USERS]
    assert believed == [{fact.triple for fact in other.for_user(user).facts()} for user in USERS]
    assert all(len(facts) == 2 for facts in believed)


def line(user: str, video_id: str) -> str:
    """A clip in which two persons of the user's own handle a mug."""
    names = {f"C{n}": f"{name} {user.title()}" for n, name in enumerate(("Ida", "Ada"))}
    who = [{"local_character_id": n, "name_or_description": name, "role": "actor"} for n, name in names.items()]
    event = {"time_start": 1, "time_end": 2, "summary": "They move the mug.", "actors": [*names]}
    analysis = {"clip_summary": "", "characters": who, "events": [event | {"objects": [{"name": "mug"}]}]}
    return json.dumps({"video_id": video_id, "clip_id": "c1", "t_start": 0, "t_end": 10, "analysis": analysis})


def written(memory: Memory, user: str, folder: Path) -> list[Any]:
    """What the methods that write return, for footage and talk of one user, and what is believed afterwards."""
    m, ida, ada = memory.for_user(user), f"Ida {user.title()}", f"Ada {user.title()}"
    kept, gone = (line(user, f"{user}-{name}") for name in ("kept", "gone"))
    found: list[Any] = [m.ingest_lines([kept]).committed, m.ingest_clips([json.loads(gone)]).committed]
    found += [m.split_person(ida, f"Eva {user.title()}", video=f"{user}-gone")]
    found += [m.undo_merge(ida, video=f"{user}-gone")]
    found += [m.forget_videos(video_id=f"{user}-gone").videos, m.merge_persons(ida, ada), m.undo_merge(ida)]
    found += [m.remember(["I live in Porto.", "I work at BMW.", "Max likes tea."], session_id="monday").committed]
    m.tie("user", ida)
    m.untie("user", ida)
    found += [m.extract().mentions, m.embed_facts() >= 0]
    ids = {fact.triple[1]: fact.fact_id for fact in m.facts()}
    found += [m.pin_fact(ids["works_at"]).pinned, m.correct_fact(ids["lives_in"], "Ghent").triple]
    found += [m.restore_fact(ids["lives_in"]).triple, m.forget_facts(ids["works_at"])]
    found += [m.import_episodes(m.export_episodes()).unchanged, m.undo_consolidation(m.consolidate().run_id)]
    (folder / f"{user}.txt").write_text("user: I like figs.\n")
    found += [m.import_chat(folder / f"{user}.txt", session_id="tuesday").committed]
    found += [
        m.export(folder / f"{user}.gz", user_id=user).counts["Episode"],
        m.forget(session_id="tuesday").episodes,
    ]
    m.note_search(found=True)
    return [*found, sorted(fact.triple for fact in m.facts())]


_READ_BY_OTHERS = {"film", "save_clip", "save_latest_picture", "save_picture", "transcript", "is_away", "ledger"}
_VIEWS = {"chat", "for_user", "group", "open", "connect", "close", "require_user", "analyses", "fact_measures"}
_BY_ONE_THREAD = {
    *("acknowledge_alert", "alert_matches", "index_lag"),
    *("alone", "browser_folder", "check_schema", "consolidate_all", "deliver_alert", "explore", "forget_expired"),
    *("forget_group", "import_export", "ingest", "integrity", "keep_alert", "migrate", "name_person"),
    *("pending_migrations", "rebuild_index", "reembed", "relocate", "remove_alert", "repair", "restore_schema"),
    *("schema_damage", "serve_vectors", "server", "warm_up", "watch"),
}
"""Methods of the whole group, of the machine or of the database: docs/threads.md says which wait for one another."""


@pytest.mark.soak
def test_threads_that_write_leave_what_one_would(memory: Memory, group_id: str, tmp_path: Path) -> None:
    other = memory.group(f"{group_id}-in-turn")
    in_turn, at_once = tmp_path / "in turn", tmp_path / "at once"
    in_turn.mkdir()
    at_once.mkdir()
    expected = [written(other, user, in_turn) for user in USERS]
    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(lambda user: written(memory, user, at_once), USERS)) == expected
    assert memory.stats() == other.stats()
    called = set(re.findall(r"\bm\.(\w+)\(", inspect.getsource(written) + inspect.getsource(reads)))
    public = {name for name in dir(Memory) if not name.startswith("_")}
    assert public - called == _READ_BY_OTHERS | _VIEWS | _BY_ONE_THREAD


def test_a_view_has_its_own_user_and_group_and_nothing_else(memory: Memory, group_id: str) -> None:
    memory.for_user("anna").remember(["I live in Porto."], session_id="monday")
    other = memory.group(f"{group_id}-other")
    other.for_user("ben").remember(["I live in Ghent."], session_id="monday")
    assert [turn.content for turn in memory.for_user("anna").conversation("monday")] == ["I live in Porto."]
    assert [turn.content for turn in other.for_user("ben").conversation("monday")] == ["I live in Ghent."]
    assert not memory.for_user("ben").sessions() and not other.for_user("anna").sessions()
    with pytest.raises(InputError, match="no user"):
        other.sessions()
    here, there = memory._parts, other._parts
    assert there.embedder() is here.embedder() and there.indexes.of("event") is here.indexes.of("event")
    with other:
        other.for_user("ben").close()
    assert memory.for_user("anna").sessions(), "closing a view leaves the memory open"
    assert memory.group(memory.group_id)._parts is memory._parts
    with pytest.raises(InputError, match="no name"):
        memory.group("")


def test_awaited_calls_run_side_by_side_up_to_a_limit(memory: Memory) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def slow() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.1)
        with lock:
            running -= 1

    async def call_all() -> bool:
        m = AsyncMemory(memory, 3)
        calls = [asyncio.ensure_future(m.call(slow)) for _ in range(6)]
        await asyncio.sleep(0.05)
        late = asyncio.ensure_future(m.call(slow))
        await asyncio.sleep(0)
        late.cancel()
        await asyncio.gather(*calls)
        view = m.for_user("anna")
        assert await view.sessions() == [] and await (await m.group("x")).videos() == []
        return late.cancelled()

    assert asyncio.run(call_all())
    assert most == 3
