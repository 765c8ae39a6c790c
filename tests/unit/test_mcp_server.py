"""The MCP server as a process: every line of its client is answered."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory, __version__
from amr_neo4j.domain.page import Page
from amr_neo4j.domain.views import LifecycleStep
from amr_neo4j.settings import load
from amr_neo4j.store.database import Database

pytest.importorskip("mcp")
from mcp.server.mcpserver.exceptions import ToolError

from amr_neo4j.integrations.mcp_server import mcp_server

_SERVER = """
from amr_neo4j.integrations.mcp_server import StdioServer
StdioServer("x", log_level="CRITICAL").run()
"""
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
_CALL = '{"jsonrpc": "2.0", "id": %s, "method": "tools/call", "params": {"name": "x", "arguments": {"text": "%s"}}}'
# Lines that are no messages: (the id and the code that their answer has).
_WRONG: dict[str, tuple[Any, int]] = {
    _CALL % (1, r"a\ud800b"): (1, -32700),
    _CALL % ('"two"', r"\udfff"): ("two", -32700),
    _CALL % (r'"\ud800"', "x"): (None, -32700),
    '{"jsonrpc": "2.0", "id": 3': (None, -32700),
    f'{{"jsonrpc": "2.0", "id": 4, "method": "x", "params": {{"a": {"[" * 3000}{"]" * 3000}}}}}': (None, -32700),
    '{"jsonrpc": "2.0", "id": 5, "method": 7}': (5, -32600),
    '{"jsonrpc": "2.0", "id": true, "method": "x", "params": [1]}': (None, -32600),
    "[1]": (None, -32600),
}


def test_a_line_that_is_no_message_is_answered_and_the_next_one_too() -> None:
    """Such as one with a lone surrogate, which Python's json writes and no UTF-8 text holds."""
    hello = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _HELLO})
    last = json.dumps({"jsonrpc": "2.0", "id": 99, "method": "tools/list"})
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin and server.stdout
        for line in (hello, *_WRONG, last):
            server.stdin.write(f"{line}\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(len(_WRONG) + 2)]
        server.stdin.close()
    results = {answer["id"] for answer in answers if "result" in answer}
    refused = [answer for answer in answers if "error" in answer]
    assert results == {0, 99}
    assert [(each["id"], each["error"]["code"]) for each in refused] == list(_WRONG.values())
    assert all(each["error"]["message"].startswith("not a message: ") for each in refused)


def test_a_server_that_only_reads_has_no_tool_that_changes_memory(tmp_path: Path) -> None:
    settings = load(data_dir=tmp_path, neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        both = [asyncio.run(mcp_server(memory, read_only=only).list_tools()) for only in (False, True)]
    assert {tool.name for tool in both[0]} - {tool.name for tool in both[1]} == {"remember", "correct_fact"}


def test_a_long_lifecycle_keeps_its_latest_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty: dict[str, Any] = dict.fromkeys(field.name for field in fields(LifecycleStep))
    step = LifecycleStep(**empty)
    steps = [replace(step, summary_text=f"step {number} of the mug") for number in range(30)]

    def lifecycle(self: Memory, name: str, *, cursor: str = "", **_: Any) -> Page[LifecycleStep]:
        at = int(cursor or 0)
        return Page(tuple(steps[at : at + 10]), len(steps), str(at + 10) if at < 20 else None)

    monkeypatch.setattr(Memory, "lifecycle", lifecycle)
    settings = load(data_dir=tmp_path, neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        found = asyncio.run(mcp_server(memory).call_tool("lifecycle", {"name": "mug"}))
    assert "step 29" in str(found) and "cut" in str(found)


def test_the_entry_for_the_registry_has_the_version_of_the_package() -> None:
    entry = json.loads((Path(__file__).parents[2] / "server.json").read_text("utf-8"))
    assert [entry["version"], *(each["version"] for each in entry["packages"])] == [__version__] * 2
    assert entry["packages"][0]["runtimeArguments"][0]["value"].endswith(f"=={__version__}")
    assert len(entry["description"]) <= 100


def test_a_model_is_not_told_the_message_of_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It may quote anything. The log has the error, since whoever runs the server is told nothing else."""

    def fail(*_: Any, **__: Any) -> Any:
        raise ValueError("the diary is under the mattress")

    monkeypatch.setattr(Memory, "search_memory", fail)
    settings = load(data_dir=tmp_path, neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with (
        Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory,
        pytest.raises(ToolError, match="an internal error") as told,
    ):
        asyncio.run(mcp_server(memory).call_tool("search_memory", {"query": "diary"}))
    assert "mattress" not in str(told.value)
    assert [record.exc_info for record in caplog.records if record.name == "amr_neo4j.integrations.mcp_server"]
