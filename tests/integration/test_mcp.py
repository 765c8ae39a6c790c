"""amr mcp as a process, called by the client of the official SDK."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load

mcp = pytest.importorskip("mcp")
PIPELINED = [f"The {number} rolls are in the bag." for number in range(20)]


def test_a_client_remembers_searches_and_asks(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not {status.name: status for status in installed(load())}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    environment = {
        "NEO4J_URI": neo4j_connection.uri,
        "NEO4J_USERNAME": neo4j_connection.username,
        "NEO4J_PASSWORD": neo4j_connection.password,
        "AMR_DATA_DIR": str(tmp_path),
        "AMR_CONFIG": str(tmp_path / "amr.yaml"),
        "HOTMEM_LANGS": "en",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    (tmp_path / "amr.yaml").touch()
    arguments = ["-m", "amr_neo4j", "--group", group_id, "mcp", "--user", "anna"]
    server = mcp.StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    asyncio.run(_talk(server))
    with Memory.open(
        group=group_id,
        data_dir=tmp_path,
        neo4j_uri=neo4j_connection.uri,
        neo4j_username=neo4j_connection.username,
        neo4j_password=neo4j_connection.password,
    ) as memory:
        turns = [turn.content for turn in memory.conversation("tuesday", user_id="anna")]
    assert turns == PIPELINED, "calls that are made at once are kept in the order of the calls"


async def _talk(server: Any) -> None:
    async with mcp.Client(server, read_timeout_seconds=60) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            "search_memory",
            "search_events",
            "ask_memory",
            "memory_context",
            "remember",
            "lifecycle",
            "read_events",
            "list_persons",
            "list_objects",
            "memory_counts",
            "list_facts",
            "correct_fact",
            "event_picture",
        }
        listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools.values()]
        assert len(json.dumps(listed, separators=(",", ":"))) < 10_000, "it is in the context of every conversation"
        assert all(tool.description and tool.input_schema["properties"] for tool in tools.values())
        assert set(tools["search_memory"].input_schema["properties"]) == {
            "query",
            "search_type",
            "limit",
            "as_of",
            "known_at",
        }
        for name, tool in tools.items():
            hints = tool.annotations
            changes = name in ("remember", "correct_fact")
            assert (hints.read_only_hint, hints.destructive_hint) == (not changes, False if changes else None)
            assert hints.open_world_hint is False and (tool.output_schema or name == "event_picture")
        kept = await _call(client, "remember", text="I live in Ghent and work at BMW.", session_id="monday")
        assert kept["facts"] == ["you lives_in ghent", "you works_at bmw"]
        found = (await _call(client, "search_memory", query="Where do I live?", search_type="facts"))["results"]
        assert [(each["text"], each["source"]) for each in found] == [("You live in Ghent", "[turn 0, monday, user]")]
        answered = await _call(client, "ask_memory", question="Where do I work?")
        assert answered["found"] and "BMW" in answered["answer"]
        read = await _call(client, "memory_context", question="Where do I work?", tokens=200)
        assert "[turn 0, monday, user] " in read["context"] and "BMW" in read["context"] and read["tokens"] <= 200
        calls = (_call(client, "remember", text=text, session_id="tuesday") for text in PIPELINED)
        await asyncio.gather(*calls)
        refused = await client.call_tool("lifecycle", {"name": "mug"})
        assert refused.is_error and "mug" in refused.content[0].text
        wrong = await client.call_tool("search_memory", {"query": "x", "search_type": "all"})
        assert (
            wrong.is_error and wrong.content[0].text.startswith("search_type: ") and "\n" not in wrong.content[0].text
        )
        dated = {"text": "My dog is called Rex.", "session_id": "wednesday", "at": "2026-03-04T09:00:00+01:00"}
        twice = [await _call(client, "remember", **dated, turn_id="w1") for _ in range(2)]
        assert twice[0]["episode_id"] == twice[1]["episode_id"]
        facts = (await _call(client, "list_facts", subject=None, skip=None))["facts"]
        assert {each["text"] for each in facts} == {"You live in Ghent", "You work at BMW", "Your dog is Rex"}
        then = await _call(client, "list_facts", as_of="2026-03-05T00:00:00Z")
        assert {each["text"] for each in then["facts"]} == {"Your dog is Rex"}
        [home] = [each for each in facts if each["text"].startswith("You live")]
        corrected = await _call(client, "correct_fact", fact_id=home["fact_id"], value="Bruges")
        assert corrected["text"] == "You live in Bruges"


async def _call(client: Any, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.structured_content
