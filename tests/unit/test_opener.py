"""The endpoint of each role; no provider receives the key of another."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from amr_neo4j.errors import ConfigError
from amr_neo4j.models.opener import endpoint, sends_questions_out
from amr_neo4j.settings import load

KEYS = {"openrouter_api_key": "for openrouter", "openai_api_key": "for openai"}
OWN = "http://localhost:9/v1"


@pytest.mark.parametrize(
    ("given", "base_url", "key"),
    [
        ({"provider": "openrouter"}, "https://openrouter.ai/api/v1", "for openrouter"),
        ({"provider": "openai"}, "https://api.openai.com/v1", "for openai"),
        ({"provider": "ollama"}, "http://localhost:11434/v1", "none"),
        ({"provider": "vllm"}, "http://localhost:8000/v1", "none"),
        ({"provider": f"{OWN}/"}, OWN, "none"),
        ({"provider": OWN, "api_key": "shared"}, OWN, "shared"),
        ({"provider": "openai", "api_key": "shared"}, "https://api.openai.com/v1", "shared"),
        ({"provider": "openai", "judge": {"provider": OWN}, "api_key": "shared"}, OWN, "none"),
        (
            {"provider": OWN, "judge": {"provider": "openai"}, "api_key": "shared"},
            "https://api.openai.com/v1",
            "for openai",
        ),
        ({"provider": "openai", "judge": {"provider": OWN, "api_key": "its own"}}, OWN, "its own"),
        ({"judge": {"provider": OWN}}, OWN, "none"),
        ({"judge": {"provider": OWN}, "api_key": "shared"}, OWN, "none"),
    ],
)
def test_each_provider_gets_its_own_key(given: dict[str, Any], base_url: str, key: str) -> None:
    to = endpoint(load(**KEYS, **given), "judge")
    assert to
    assert (to.base_url, to.api_key) == (base_url, key)
    assert key == "none" or key not in repr(to)


@pytest.mark.parametrize(
    "given", [{}, {"provider": "none"}, {"provider": "openrouter", "judge": {"provider": "none"}}]
)
def test_a_key_alone_sends_nothing(given: dict[str, Any]) -> None:
    assert endpoint(load(**KEYS, **given), "judge") is None


@pytest.mark.parametrize(
    ("given", "leaves"),
    [
        ({}, False),
        ({"provider": "none"}, False),
        ({"provider": "openai"}, True),
        ({"provider": "ollama"}, False),
        ({"provider": "http://192.168.1.20:11434/v1"}, False),
        ({"provider": "https://models.example/v1"}, True),
        ({"answer": {"provider": "openai"}}, True),
        ({"provider": "openai", **{role: {"provider": "none"} for role in ("text", "judge", "answer")}}, False),
        ({"analyse": {"provider": "openai"}}, False),
        ({"embed": {"provider": "openai"}}, False),
        ({"embed": {"provider": "openai"}, "embedder": "api"}, True),
    ],
)
def test_questions_leave_the_machine_only_for_a_provider_elsewhere(given: dict[str, Any], leaves: bool) -> None:
    assert sends_questions_out(load(**given)) is leaves, "also without a key: the first question asks for it"


def test_a_model_name_has_its_maker_only_at_multi_maker_providers() -> None:
    at = [endpoint(load(provider=provider, **KEYS), "embed") for provider in ("openrouter", "openai", OWN)]
    assert [to.model for to in at if to] == [
        "openai/text-embedding-3-large",
        "text-embedding-3-large",
        "openai/text-embedding-3-large",
    ]


def test_openrouter_is_asked_for_the_cost_of_a_call() -> None:
    at = [endpoint(load(provider=provider, **KEYS), "judge") for provider in ("openrouter", "openai")]
    assert [to.extras for to in at if to] == [{"usage": {"include": True}}, {}]


ROUTING = {"data_collection": "deny", "zdr": True, "only": ["google-vertex", "azure"], "require_parameters": True}


@pytest.mark.parametrize("role", ["analyse", "refine", "text", "judge", "answer", "explore", "embed"])
@pytest.mark.parametrize(
    "provider", ["openrouter", "https://openrouter.ai/api/v1", "https://eu.openrouter.ai/api/v1/"]
)
def test_every_call_of_openrouter_says_where_footage_and_talk_may_go(provider: str, role: Literal["judge"]) -> None:
    to = endpoint(load(provider=provider, routing=ROUTING, **KEYS), role)
    assert to
    assert to.extras == {"usage": {"include": True}, "provider": ROUTING}


def test_no_other_provider_gets_the_routing() -> None:
    at = [endpoint(load(provider=provider, routing=ROUTING, **KEYS), "judge") for provider in ("openai", OWN)]
    assert [to.extras for to in at if to] == [{}, {}]


def test_the_routing_is_set_by_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMR_ROUTING__ORDER", "azure, google-vertex")
    monkeypatch.setenv("AMR_ROUTING__ZDR", "true")
    to = endpoint(load(provider="openrouter", **KEYS), "answer")
    assert to
    assert to.extras["provider"] == {"zdr": True, "order": ["azure", "google-vertex"]}


@pytest.mark.parametrize("routing", [{"data_collection": "never"}, {"zrd": True}, {"only": [""]}])
def test_a_misspelt_routing_is_an_error(routing: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="routing"):
        load(routing=routing)
