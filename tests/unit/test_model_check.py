"""amr models check, and the model servers that amr doctor finds: by what servers tell of their models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from amr_neo4j import model_roles
from amr_neo4j.cli import checks
from amr_neo4j.cli.models import app
from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.errors import ConfigError, ModelUnavailable
from amr_neo4j.model_roles import LocalServer
from amr_neo4j.models import opener
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.responses import ModelList
from amr_neo4j.settings import load
from amr_neo4j.wiring import model_check
from tests.support.provider_replies import Replies

LISTS = yaml.safe_load(Path("tests/support/providers/lists.yaml").read_text())
TODAY = date(2026, 11, 27)
PROMPT = Prompt((Message("user", "What is the weather?"),))


@pytest.fixture
def server() -> Iterator[Replies]:
    with Replies() as replies:
        yield replies


def listing(*names: str) -> dict[str, Any]:
    return {"/v1/models": {"data": [{"id": name} for name in names]}}


@pytest.mark.parametrize("case", LISTS, ids=[case["server"] for case in LISTS])
def test_each_server_tells_of_its_models_in_its_own_form(server: Replies, case: dict[str, Any]) -> None:
    server.listed = case["told"]
    # A server elsewhere has prices, and no paths of its own.
    settings = load(text={"provider": server.url, "model": case["model"]})
    [row] = model_check.check_models(settings, TODAY)
    assert (row.role, row.model, row.found) == ("text", case["model"], True)
    assert row.takes == (tuple(case["takes"]) if "takes" in case else None)
    assert (row.context, row.output) == (case.get("context"), case.get("output"))
    [listed] = ModelList.model_validate(case["told"]["/v1/models"]).data
    assert listed.price == (tuple(case["price"]) if "price" in case else None)
    assert bool(row.notes) == ("ends" in case)
    assert row.exit_code == 0


def test_a_model_that_is_not_listed_and_one_without_eyes_fail(server: Replies) -> None:
    server.listed = LISTS[4]["told"]
    roles = {"analyse": {"provider": server.url, "model": "words"}, "text": {"provider": server.url, "model": "gone"}}
    seen, read = model_check.check_models(load(**roles), TODAY)
    assert (seen.notes, seen.exit_code) == (("it takes no pictures",), 78)
    assert (read.found, read.notes, read.exit_code) == (False, ("the server does not list it",), 78)


def test_a_server_is_asked_once_for_its_list(server: Replies) -> None:
    server.listed = listing("m")
    rows = model_check.check_models(load(provider=server.url), TODAY)
    assert {row.model for row in rows} == {"m"}
    assert server.asked.count("/v1/models") == 1


def test_a_server_that_lists_nothing_leaves_it_open(server: Replies) -> None:
    server.listed = {"/none": None}
    [row] = model_check.check_models(load(text={"provider": server.url, "model": "m"}), TODAY)
    assert (row.found, row.exit_code) == (None, 0)


def test_the_command_prints_one_block_a_role(server: Replies, monkeypatch: pytest.MonkeyPatch) -> None:
    server.listed = LISTS[3]["told"]
    monkeypatch.setenv("AMR_ANALYSE__PROVIDER", server.url)
    monkeypatch.setenv("AMR_JUDGE__PROVIDER", "http://127.0.0.1:9/v1")
    shown = CliRunner().invoke(app, ["check"])
    assert shown.exit_code == 69, "the judge's server does not answer"
    assert "ok    analyse  eye:8b" in shown.stdout
    assert "takes text, image; $0 in, $0 out per million tokens; context 262,144" in shown.stdout
    assert "FAILS judge" in shown.stdout
    assert "cannot connect to the list of models at http://127.0.0.1:9/v1" in shown.stdout
    rows = json.loads(CliRunner().invoke(app, ["check", "--json"]).stdout)
    assert [row["role"] for row in rows] == ["analyse", "judge"]


# --- servers of this machine


@pytest.fixture
def ollama(server: Replies, monkeypatch: pytest.MonkeyPatch) -> Replies:
    """The server as Ollama; nothing at the ports of the others."""
    gone = {name: LocalServer(name, "http://127.0.0.1:9/v1") for name in model_roles.LOCAL_SERVERS}
    servers = gone | {"ollama": LocalServer("Ollama", server.url, "eye:8b", "embedder")}
    for module in (model_roles, model_check, opener, checks):
        monkeypatch.setattr(module, "LOCAL_SERVERS", servers)
    for module in (model_roles, opener):
        monkeypatch.setattr(module, "PROVIDERS", {name: each.base_url for name, each in servers.items()})
    return server


def test_doctor_finds_the_servers_of_this_machine(ollama: Replies) -> None:
    ollama.listed = LISTS[3]["told"]
    assert checks.servers(load()) == f"Ollama at {ollama.url} (eye:8b)"
    assert checks.servers(load(provider="ollama")).startswith("Ollama at")
    with pytest.raises(ModelUnavailable, match="vllm does not answer at"):
        checks.servers(load(provider="ollama", judge={"provider": "vllm"}))


def test_doctor_takes_no_other_program_for_a_model_server(ollama: Replies) -> None:
    ollama.listed = {"hello": "world"}
    assert checks.servers(load()) == "none on this machine; none is needed"


@pytest.mark.parametrize(
    ("listed", "chat", "embed"),
    [
        (["eye:8b", "embedder:latest", "other"], "eye:8b", "embedder"),
        (["other", "nomic-embed-text"], "other", "nomic-embed-text"),
        (["other"], "other", "other"),
        ([], "eye:8b", "embedder"),
    ],
)
def test_ollama_needs_no_name_no_key_and_no_price(ollama: Replies, listed: list[str], chat: str, embed: str) -> None:
    ollama.listed = listing(*listed)
    reply = {"choices": [{"message": {"content": "It rains."}, "finish_reason": "stop"}]}
    vectors = {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}
    ollama.reply = lambda body: (
        200,
        "application/json",
        json.dumps(vectors if "input" in body else reply).encode(),
    )
    settings, ledger = load(provider="ollama", embedder="api"), Ledger(lambda line: None, limit_usd=0.0)
    model = opener.open_chat(settings, "answer", ledger)
    assert model
    assert model.complete(PROMPT) == "It rains."
    from amr_neo4j.wiring.embedder import open_embedder

    assert open_embedder(settings, ledger).model == embed
    assert [body["model"] for body in ollama.received] == [chat, embed]
    assert ledger.usage().cost_usd == 0.0


def test_several_models_without_the_default_one_are_named(ollama: Replies) -> None:
    ollama.listed = listing("one", "two")
    model = opener.open_chat(load(provider="ollama"), "answer", Ledger(lambda line: None))
    assert model
    with pytest.raises(ConfigError, match="serves several models: one, two"):
        model.complete(PROMPT)


def test_a_server_that_takes_turns_gets_one_request_at_a_time_and_more_time() -> None:
    role = opener.role_of(load(provider="ollama"), "analyse")
    assert (role.at_once, role.timeout_s, role.patience_s) == (1, 540.0, 1800.0)
    role = opener.role_of(load(provider="ollama", analyse={"at_once": 3, "timeout_s": 5}), "analyse")
    assert (role.at_once, role.timeout_s) == (3, 5.0)
    assert opener.role_of(load(provider="vllm"), "analyse").at_once == 4


def test_a_key_that_nothing_uses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_check, "local_servers", list)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hush")
    assert "OPENAI_API_KEY is set and not used; to use it: provider: openai" in checks.servers(load())
    assert "not used" not in checks.servers(load(judge={"provider": "openai"}))
    for lacks_its_key in (load(provider="openrouter"), load(judge={"provider": "openrouter"})):
        assert "OPENAI_API_KEY is set and not used" in checks.servers(lacks_its_key)
