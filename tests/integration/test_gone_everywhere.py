"""What is forgotten is gone from every open process within a second: hot index, passive recall, read caches."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import Triple
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from tests.integration.test_passive_recall import Bag
from tests.support.chatting import rows, talking

SAID = {
    "turn": "I like tea.",
    "session": "I like coffee.",
    "fact": "I like cider.",
    "retracted": "I like lemonade.",
    "asked": "I like whisky.",
    "user": "I like cocoa.",
}
# Another machine: it shares nothing but the graph. It prints what it knows for each line that it reads.
ELSEWHERE = """
import json, sys
from pathlib import Path
from amr_neo4j.errors import NotInMemory
from amr_neo4j.localdb import Connection
from tests.integration.test_passive_recall import Bag
from tests.support.chatting import talking

given = json.loads(sys.argv[1])
there, bag = Connection(**given["there"]), Bag(given["model"])
with talking(there, given["group"], Path(given["folder"]), embedder=bag) as memory:
    chat = memory.chat(user_id="anna", session_id="elsewhere")
    asked = "Do I like tea, coffee, cider, lemonade, whisky or cocoa?"
    found = []
    for line in sys.stdin:
        if line.strip() == "recall":
            chat.observe(asked)
            chat.observe(asked)
            turns = memory.search_memory(asked, user_id="anna", limit=20, search_type="episodes")
            found = [turn.source for turn in turns]
        cited = []
        for source in [] if line.strip() == "index" else found:
            try:
                cited.append(memory.cited(source, user_id="anna").summary_text)
            except NotInMemory:
                pass
        coming = chat._passive._coming
        print(json.dumps({
            "index": [fact.text for fact in chat._index.facts()],
            "recalled": [each.text for each in coming.result(60).episodes] if coming and coming.done() else [],
            "prompt": [each["content"] for each in chat.inject([{"role": "user", "content": asked}])[:-1]],
            "cited": cited,
            "earlier": len(chat._earlier["you"]),
        }), flush=True)
"""


@contextmanager
def elsewhere(there: Connection, group_id: str, folder: Path, model: str) -> Iterator[Callable[[str], Any]]:
    """Another process. Call it with a line: it answers with what it knows."""
    address = {name: getattr(there, name) for name in ("uri", "username", "password")}
    given = json.dumps({"there": address, "group": group_id, "folder": str(folder), "model": model})
    with subprocess.Popen(
        [sys.executable, "-c", ELSEWHERE, given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as run:
        lines, answers = run.stdin, run.stdout
        assert lines
        assert answers

        def tell(line: str = "") -> Any:
            print(line, file=lines, flush=True)
            return json.loads(answers.readline())

        try:
            yield tell
        finally:
            lines.close()


def until(holds: Callable[[], bool], seconds: float) -> float | None:
    """The seconds that it took; None if it does not hold by then."""
    begin = time.monotonic()
    while not holds():
        if time.monotonic() - begin > seconds:
            return None
        time.sleep(0.05)
    return time.monotonic() - begin


def test_what_one_process_forgets_every_other_one_has_forgotten_within_a_second(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTMEM_LANGS", "en")
    bag = Bag(f"bag-{group_id}")
    with (
        talking(neo4j_connection, group_id, tmp_path / "here", embedder=bag) as memory,
        elsewhere(neo4j_connection, group_id, tmp_path / "elsewhere", bag.model) as other,
    ):
        ids = {}
        for name, text in SAID.items():
            ids[name] = memory.chat(user_id="anna", session_id=name).observe(text).episode_id
        chats = memory._parts.live_chats()
        assert chats.wait(60)
        words = {name: text.split()[-1].strip(".") for name, text in SAID.items()}
        assert until(lambda: len(other("index")["index"]) == len(SAID), 30) is not None
        other("recall")
        assert until(lambda: len(other()["recalled"]) >= 5, 30) is not None, other()
        assert until(lambda: len(other()["cited"]) == len(SAID), 1) is not None, other()

        def asked_in_words(text: str) -> None:
            memory.chat(user_id="anna", session_id="here").observe(text)
            assert chats.wait(60)

        ways: dict[str, Callable[[], Any]] = {
            "turn": lambda: memory.forget(user_id="anna", episode_id=ids["turn"]),
            "session": lambda: memory.forget(user_id="anna", session_id="session"),
            "fact": lambda: memory.forget_facts(user_id="anna", subject="you", relation="likes", object="cider"),
            "retracted": lambda: asked_in_words("I no longer like lemonade."),
            "asked": lambda: asked_in_words("Forget that I like whisky."),
            "user": lambda: memory.forget(user_id="anna"),
        }
        for name, forget in ways.items():
            word = words[name]
            assert any(word in text for text in other("index")["index"]), name
            forget()
            took = until(lambda word=word: word not in str(other("index")["index"]), 3)
            assert took is not None and took < 1, (name, took)
            state = other()
            if name not in ("fact", "retracted"):  # their turns stay, and are recalled
                assert word not in str([state["recalled"], state["prompt"], state["cited"]]), name
        assert other() == {"index": [], "recalled": [], "prompt": [], "cited": [], "earlier": 0}


def test_a_forgotten_turn_is_not_recalled_before_the_graph_knows_of_it(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another conversation of the process already has what is forgotten ready for its next prompt."""
    monkeypatch.setenv("HOTMEM_LANGS", "en")
    with talking(neo4j_connection, group_id, tmp_path, embedder=Bag(f"bag-{group_id}")) as memory:
        memory.chat(user_id="anna", session_id="monday").observe("I like whisky.")
        chats = memory._parts.live_chats()
        assert chats.wait(60)
        chat = memory.chat(user_id="anna", session_id="tuesday")
        chat.observe("Which whisky do I like?")
        passive: Any = chat._passive
        assert until(lambda: bool(passive._coming.done()), 30) is not None
        chat.observe("Which whisky do I like?")
        ask = [{"role": "user", "content": "And?"}]
        assert "user: I like whisky." in str(chat.inject(ask))
        with memory._parts.draining:  # the commit waits
            memory.chat(user_id="anna", session_id="wednesday").observe("Forget that I like whisky.")
            memory._parts.live_chats().reload("anna")  # the graph still believes it
            assert "whisky" not in str(chat.inject(ask))
            assert not chats.wait(0.2)
        assert chats.wait(60)
        chat.observe("Anything else?")
        assert until(lambda: bool(passive._coming.done()), 30) is not None
        chat.observe("And now?")
        assert "I like whisky" not in str(chat.inject(ask))
        assert Triple("you", "likes", "whisky") not in {fact.triple for fact in chat._index.facts()}


def test_a_turn_in_the_spool_of_another_machine_does_not_bring_a_forgotten_user_back(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    """Nor a forgotten session or group. It leaves that disk too; what is said afterwards is kept."""
    with (
        talking(neo4j_connection, group_id, tmp_path / "here") as here,
        talking(neo4j_connection, group_id, tmp_path / "there") as there,
    ):
        spool = there._parts.conversations(group_id).spool
        turn = {"content": "I live in Porto.", "actor": "user"}
        for user in ("anna", "ben"):
            session = Session(group_id, user, "monday")
            spool.accept([replace(one_episode(turn, session, datetime.now(UTC), ENGLISH), intake_id="x")])
        here.remember([{"content": "I like tea.", "actor": "user"}], user_id="anna", session_id="tuesday")
        here.forget(user_id="anna")
        here.forget(user_id="ben", session_id="monday")
        there._parts.conversations(group_id).drain()
        count = "MATCH (e:Episode|Fact|Session) WHERE e.group_id = $group_id RETURN count(e)"
        assert rows(here, count) == [0]
        assert spool.count(group_id, "anna") + spool.count(group_id, "ben") == 0
        session = Session(group_id, "cem", "monday")
        spool.accept([replace(one_episode(turn, session, datetime.now(UTC), ENGLISH), intake_id="x")])
        here.forget_group()
        there._parts.conversations(group_id).drain()
        assert rows(here, "MATCH (n) WHERE n.group_id = $group_id RETURN count(n)") == [0]
        assert spool.count(group_id, "cem") == 0
        report = there.remember([turn], user_id="anna", session_id="monday")
        assert report.committed == 1
