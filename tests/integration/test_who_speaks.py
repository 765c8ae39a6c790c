"""Whose words a turn has is decided alike at every door. Real Neo4j and sockets."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
pytest.importorskip("mcp", reason="the extra [mcp] is not installed")
from amr_neo4j.integrations.mcp_server import mcp_over_http
from amr_neo4j.server.keys import Keys
from amr_neo4j.wiring.options import hot_options
from tests.integration.test_server_client import mcp
from tests.support.http_client import Client as Wire
from tests.support.http_client import key_of, serving

Served = tuple[Wire, Keys, Memory]
Said = list[tuple[str, str]]
# (memory, wire, said, folder): memory and wire are of one group and the user "anna"
Door = Callable[[Memory, Wire, Said, Path], None]
SAID: Said = [
    ("ANNA", "I live in Oslo."),  # the user's own id in another case
    ("Ben", "I live in Turin."),
    ("gpt-4o", "I live in Bonn."),
    ("JARVIS", "I live in Kiel."),  # from the setting agent_names
    ("asistente virtual", "I live in Lima."),
    # A program's note about the user is kept as the user's; what it says itself may be made up, or of another user.
    ("user", "The user works at Siemens."),
    ("assistant", "The user has a dog called Rex."),
]
BELIEVED = {("you", "lives_in", "oslo"), ("ben", "lives_in", "turin"), ("you", "works_at", "siemens")}


def observe(memory: Memory, wire: Wire, said: Said, folder: Path) -> None:
    chat = memory.chat(session_id="s")
    for actor, text in said:
        chat.observe(text, actor=actor)


def remember(memory: Memory, wire: Wire, said: Said, folder: Path) -> None:
    memory.remember([{"actor": actor, "content": text} for actor, text in said], session_id="s")
    memory.extract()


def import_chat(memory: Memory, wire: Wire, said: Said, folder: Path) -> None:
    file = folder / "s.jsonl"
    file.write_text("\n".join(json.dumps({"speaker": actor, "text": text}) for actor, text in said))
    memory.import_chat(file)
    memory.extract()


def tool(memory: Memory, wire: Wire, said: Said, folder: Path) -> None:
    for actor, text in said:
        given = {"name": "remember", "arguments": {"text": text, "session_id": "s", "actor": actor}}
        reply = mcp(wire, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given})
        assert not reply["result"].get("isError"), reply


def post_observe(memory: Memory, wire: Wire, said: Said, folder: Path) -> None:
    for actor, text in said:
        wire.post("/conversations/s/observe", text=text, actor=actor)


def post_turns(memory: Memory, wire: Wire, said: Said, folder: Path) -> None:
    wire.post("/conversations/s/turns", messages=[{"actor": actor, "content": text} for actor, text in said])
    wire.post("/extract")


@pytest.fixture(scope="module")
def served(
    neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Wire, Keys, Memory]]:
    data = tmp_path_factory.mktemp("data")
    with (
        talking(neo4j_connection, "who-speaks", data, user="anna", agent_names="Jarvis, Friday") as memory,
        serving(memory, mcp_over_http) as (wire, keys),
    ):
        yield wire, keys, memory


@pytest.mark.parametrize("door", [observe, remember, import_chat, tool, post_observe, post_turns])
def test_who_speaks(served: Served, tmp_path: Path, door: Door) -> None:
    wire, keys, memory = served
    group = f"who-{os.getpid()}-{tmp_path.name}"
    mine = memory.group(group).for_user("anna")
    there = wire.with_key(key_of(keys, group, "anna", ("read", "write")))

    door(mine, there, SAID, tmp_path)

    assert mine._parts.live_chats().wait(60)
    assert {tuple(fact.triple) for fact in mine.facts()} == BELIEVED
    assert "Oslo" in mine.ask("Where do I live?").text
    # A program's words answer nothing about the user.
    assert "Rex" not in mine.ask("Do I have a dog?").text


def test_no_part_takes_an_agent_of_the_setting_for_a_person(served: Served) -> None:
    parts = served[2]._parts
    deciding = parts.beliefs.speakers, parts.rule_reader._speakers, hot_options(parts.settings).speakers
    assert [each.subject("jarvis", "anna") for each in deciding] == ["", "", ""]
