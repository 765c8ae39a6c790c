"""Whatever a model server sends, a call ends in time, in bounded memory, with a value or a ModelError."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from amr_neo4j import settings
from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import (
    AnswerReply,
    GroupScore,
    MergedSummary,
    PathDecision,
    Relevance,
    Reply,
    Statements,
    Summaries,
    TopicFacts,
    TypedQuestion,
    Verdicts,
)
from amr_neo4j.errors import (
    ConfigError,
    ModelError,
    ModelMoved,
    ModelUnavailable,
    ReplyCut,
    RequestRefused,
    UnusableReply,
)
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import ChatRoleName, open_chat
from tests.support.model_faults import ENDLESS, USAGES
from tests.support.model_script import FAULTS
from tests.support.model_server import ModelServer

KEY = "sk-hush-hush/+1"
PROMPT = Prompt((Message("user", "Group 1: rain."),))
GOOD: dict[str, Any] = {"scores": [{"group": 1, "score": 0.5}]}
FITS = (Relevance(scores=[GroupScore(group=1, score=0.5)]), ())
PRICED = {"price_in": 1.0, "price_out": 10.0}
Call = Callable[[ChatModel], object]
CALLS: dict[str, Call] = {
    "complete": lambda model: model.complete(PROMPT),
    "stream": lambda model: "".join(model.stream(PROMPT)),
    "ask": lambda model: model.ask(PROMPT, Relevance),
}
# Replies that never end, each given up after its time.
NEVER_END = ("drip", "keep_alives", "drip_headers", "hang")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(notify=lambda line: None)


def judge(server: ModelServer, ledger: Ledger, *, max_reply_mb: float = 1.0, **role: Any) -> ChatModel:
    role = {"model": "m", "timeout_s": 5, **role}
    given = settings.load(provider=server.url, api_key=KEY, max_reply_mb=max_reply_mb, judge=role)
    model = open_chat(given, "judge", ledger, sleep=lambda seconds: None)
    assert model
    return model


# --- every kind


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in NEVER_END])
def test_every_kind_of_reply_has_a_defined_outcome(fault: str, model_server: ModelServer, ledger: Ledger) -> None:
    """It comes in time, without the key, in one line, and with numbers that JSON and the graph can hold."""
    model_server.then(GOOD, fault=fault, times=None, delay_s=0.1, message="http://127.0.0.2:9/v1")
    model = judge(model_server, ledger, timeout_s=0.4, patience_s=0.6, **PRICED)
    for call in CALLS.values():
        begin = time.monotonic()
        try:
            found = repr(call(model))
        except ModelError as error:
            found = str(error)
            assert "\n" not in found and len(found) < 1000
            found += getattr(error, "text", "")
        assert KEY not in found
        assert time.monotonic() - begin < 4
        found.encode()
    usage = asdict(ledger.usage())
    assert json.dumps(usage, allow_nan=False)
    assert all(0 <= number < 2**53 for number in usage.values())


_PLAYED: tuple[tuple[ChatRoleName, type[Reply], dict[str, Any]], ...] = (
    ("refine", Summaries, {"summaries": [{"event": 1, "summary": "Anna opens the box."}]}),
    ("refine", MergedSummary, {"summary": "Anna opens the box and takes the key."}),
    ("text", TypedQuestion, {"question_type": "Object_Tracking", "objects": ["key"]}),
    ("text", Statements, {"mentions": [], "relations": []}),
    ("text", Verdicts, {"decisions": [{"cluster": 1, "decision": "KEEP_BOTH"}]}),
    ("text", TopicFacts, {"facts": [{"turns": [1], "relation": "likes", "object": "tea", "text": "I like tea."}]}),
    ("judge", Relevance, GOOD),
    ("answer", AnswerReply, {"answerable": True, "claims": [{"text": "The key is in the box.", "events": [7]}]}),
    ("explore", PathDecision, {"decision": "answer", "direct_answer": "in the box", "confidence": 0.9}),
)
"""Each role that works on text, with what it replies. The analysis of clips is in test_vision_analyser.py."""


@pytest.mark.parametrize("form", ["", "slow", "fenced", "chatter", "not_json", "truncated", "declines", "refuses"])
@pytest.mark.parametrize(("role", "shape", "reply"), _PLAYED, ids=[shape.__name__ for _, shape, _ in _PLAYED])
def test_each_role_reads_good_and_odd_replies_and_tells_broken_ones_and_refusals(
    role: ChatRoleName,
    shape: type[Reply],
    reply: dict[str, Any],
    form: str,
    model_server: ModelServer,
    ledger: Ledger,
) -> None:
    fault = {"fault": form} if form else {}
    model_server.then(reply, times=None, delay_s=0.05, **fault)
    given = settings.load(provider=model_server.url, api_key=KEY, **{role: {"model": "m", "timeout_s": 5}})
    model = open_chat(given, role, ledger, sleep=lambda seconds: None)
    assert model
    if form in ("not_json", "truncated", "declines", "refuses"):
        with pytest.raises(ModelError):
            model.ask(PROMPT, shape)
    else:
        assert model.ask(PROMPT, shape)[0] == shape.model_validate(reply)


# --- time and size


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", NEVER_END)
def test_a_reply_that_never_ends_is_given_up_in_time(
    fault: str, call: str, model_server: ModelServer, ledger: Ledger
) -> None:
    """timeout_s is for the whole reply and patience_s for all attempts, however busy the connection is."""
    model_server.then(fault=fault, times=None)
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable, match="timed out"):
        CALLS[call](judge(model_server, ledger, timeout_s=0.5, patience_s=0.8))
    assert 0.4 <= time.monotonic() - begin < 4
    assert 1 <= len(model_server.requests) <= 2


def test_a_stream_that_goes_on_is_ended_in_the_middle(model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then("Rain, all day long.", fault="hang_midway")
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable, match="timed out"):
        list(judge(model_server, ledger, timeout_s=0.5).stream(PROMPT))
    assert time.monotonic() - begin < 4


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", sorted(set(ENDLESS) - {"drip", "keep_alives"}))
def test_a_reply_without_end_takes_no_more_memory_than_the_limit_allows(
    fault: str, call: str, model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.then(fault=fault, times=None)
    model = judge(model_server, ledger, max_reply_mb=4, timeout_s=1.5, patience_s=2)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError):
            CALLS[call](model)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_a_reply_larger_than_the_limit_names_the_setting_and_counts_with_the_most(
    model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.then("x" * 40_000, times=None)
    with pytest.raises(UnusableReply, match=r"more than 0.02 MB \(raise max_reply_mb"):
        judge(model_server, ledger, max_reply_mb=0.02, **PRICED).complete(PROMPT)
    assert len(model_server.requests) == 1
    assert ledger.usage().unpriced == 1
    assert judge(model_server, ledger, max_reply_mb=1).complete(PROMPT) == "x" * 40_000


@pytest.mark.parametrize("call", ["complete", "stream"])
def test_a_server_that_ignores_max_tokens_is_cut_off(call: str, model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then("word " * 1000)
    with pytest.raises(ReplyCut, match="cut off after 10 tokens") as caught:
        CALLS[call](judge(model_server, ledger, max_tokens=10))
    assert len(caught.value.text) == 320


def test_a_compressed_reply_is_not_unpacked(model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then(GOOD, fault="bomb", times=None)
    with pytest.raises(ModelUnavailable, match="compressed"):
        judge(model_server, ledger).complete(PROMPT)
    assert model_server.requests[0].headers["accept-encoding"] == "identity"


# --- numbers


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", ["huge_tokens", "negative_tokens", "infinite_tokens", "text_tokens"])
def test_tokens_out_of_range_count_as_not_reported(
    fault: str, call: str, model_server: ModelServer, ledger: Ledger
) -> None:
    """The reply counts, with the most that it can have cost."""
    model_server.then(GOOD, fault=fault, times=None)
    assert CALLS[call](judge(model_server, ledger, **PRICED))
    usage = ledger.usage()
    assert (usage.tokens_in, usage.tokens_out, usage.unpriced) == (0, 0, 1)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", [name for name in USAGES if "cost" in name])
def test_a_cost_that_cannot_be_counts_as_the_estimate(
    fault: str, call: str, model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.then(GOOD, fault=fault, times=None)
    CALLS[call](judge(model_server, ledger, **PRICED))
    stated = USAGES[fault]
    estimate = (stated["prompt_tokens"] * 1.0 + stated["completion_tokens"] * 10.0) / 1e6
    assert ledger.usage().cost_usd == pytest.approx(estimate)


@pytest.mark.parametrize(
    ("stated", "counted"),
    [
        (0.002, 0.002),  # more than the list price
        (0.0012, 0.0012),  # prompt tokens that were cached
        (0.00109, 0.002),  # less than any cache makes it
    ],
)
def test_a_cost_that_can_be_is_believed(
    stated: float, counted: float, model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.then("x", usage={"prompt_tokens": 1_000, "completion_tokens": 100, "cost": stated})
    judge(model_server, ledger, **PRICED).complete(PROMPT)
    assert ledger.usage().cost_usd == pytest.approx(counted)


@pytest.mark.parametrize("setting", ["timeout_s", "patience_s", "price_in"])
@pytest.mark.parametrize("number", ["nan", "inf", "-1"])
def test_settings_are_finite_too(setting: str, number: str) -> None:
    with pytest.raises(ConfigError, match=setting):
        settings.load(judge={setting: float(number)})


# --- where it goes


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy"])
def test_a_server_on_this_machine_is_not_reached_through_a_proxy(
    name: str, model_server: ModelServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or what is meant for this machine alone would be sent to another."""
    model_server.then(GOOD)
    with ModelServer() as proxy:
        proxy.then(GOOD, times=None)
        monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        judge(model_server, ledger).complete(PROMPT)
        assert proxy.requests == []


def test_a_proxy_that_cannot_be_used_hinders_no_server_on_this_machine_and_is_named_for_others(
    model_server: ModelServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    schemes = ("socks5://user:hidden@127.0.0.1:9", "nonsense://user:hidden@127.0.0.1:9")
    for proxy in (*schemes, "http://user:hidden@proxy:port", "http://user:hidden@[::1", "http://hidden-pröxy..:1"):
        monkeypatch.setenv("ALL_PROXY", proxy)
        model_server.then(GOOD)
        judge(model_server, ledger).complete(PROMPT)
        with pytest.raises(ConfigError, match="through the proxy of the environment") as raised:
            judge(model_server, ledger, provider="https://models.example/v1", api_key="k").complete(PROMPT)
        assert raised.value.hint and "hidden" not in str(raised.value)


@pytest.mark.parametrize("call", CALLS)
def test_a_redirect_to_another_host_is_not_followed(call: str, model_server: ModelServer, ledger: Ledger) -> None:
    with ModelServer() as other:
        other.then(GOOD, times=None)
        model_server.then(fault="redirect", times=None, message=f"{other.url}/chat/completions?{KEY}")
        with pytest.raises(ModelMoved, match=r"redirects to another host, http://127\.0\.0\.1:\d+, which") as caught:
            CALLS[call](judge(model_server, ledger))
        assert not other.requests and len(model_server.requests) == 1
        assert caught.value.exit_code == 78 and KEY not in str(caught.value)


def test_a_redirect_on_the_same_server_is_followed_but_not_for_ever(
    model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.then("Rain.", fault="redirect_once", times=2)
    assert judge(model_server, ledger).complete(PROMPT) == "Rain."
    model_server.then(fault="redirect_loop", times=None)
    with pytest.raises(ModelError):
        judge(model_server, ledger).complete(PROMPT)


# --- the key


@pytest.mark.parametrize("call", ["complete", "stream"])
def test_a_key_that_comes_back_is_masked(call: str, model_server: ModelServer, ledger: Ledger) -> None:
    """In pieces of a stream too, wherever they are cut."""
    for before in range(8):
        model_server.then("x" * before + KEY + "Rain" + KEY[:-1], fault="echoes_key")
        said = CALLS[call](judge(model_server, ledger))
        assert said == f"... {'x' * before}...Rain{KEY[:-1]} ..."


@pytest.mark.parametrize("fault", ["echoes_key", "escapes_key"])
def test_a_key_in_a_reply_that_cannot_be_used_is_masked(
    fault: str, model_server: ModelServer, ledger: Ledger
) -> None:
    """Escaped or not: the text is kept with the failed clip."""
    model_server.then('{"summary": ', fault=fault, times=None)
    with pytest.raises(UnusableReply) as caught:
        CALLS["ask"](judge(model_server, ledger))
    assert caught.value.text == '... {"summary":  ...'


def test_a_key_in_a_refusal_or_an_error_is_masked(model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then(fault="declines", message=f"{KEY} is no key.").then(fault="key_in_error", times=None)
    with pytest.raises(UnusableReply, match=r"refused to answer: \.\.\. is no key"):
        judge(model_server, ledger).complete(PROMPT)
    with pytest.raises(RequestRefused, match=r"The key \.\.\. is not for this"):
        judge(model_server, ledger).complete(PROMPT)


# --- half characters


@pytest.mark.parametrize("call", ["complete", "stream"])
def test_half_characters_are_replaced_and_pairs_joined(call: str, model_server: ModelServer, ledger: Ledger) -> None:
    """Emoji that a stream splits between two events, and halves that belong to nothing."""
    model_server.then("A dog 🐕 and 🐈🐈", times=None)
    assert CALLS[call](judge(model_server, ledger)) == "A dog 🐕 and 🐈🐈"
    model_server.requests.clear()
    with ModelServer() as other:
        other.then("123456\ud83d\udc15 \ud83d", times=None)
        assert CALLS[call](judge(other, ledger)) == "123456🐕 \ufffd"


# --- a server given by its URL


def by_url(server: ModelServer, ledger: Ledger, **role: Any) -> ChatModel:
    model = open_chat(settings.load(provider=server.url, judge=role), "judge", ledger, sleep=lambda seconds: None)
    assert model
    return model


def test_the_only_model_of_a_server_is_the_one_that_is_meant(model_server: ModelServer, ledger: Ledger) -> None:
    model_server.serving("gemma-3").then("Rain.", times=None)
    model = by_url(model_server, ledger)
    assert [model.complete(PROMPT), "".join(model.stream(PROMPT))] == ["Rain.", "Rain."]
    assert {request.body["model"] for request in model_server.requests} == {model.model} == {"gemma-3"}
    assert {call.model for call in ledger.calls} == {"gemma-3"}


def test_of_several_models_one_must_be_chosen(model_server: ModelServer, ledger: Ledger) -> None:
    model_server.serving("gemma-3", "llama-4").then("Rain.")
    with pytest.raises(ConfigError, match=r"several models: gemma-3, llama-4 \(set model under judge"):
        by_url(model_server, ledger).complete(PROMPT)
    assert not model_server.requests
    assert by_url(model_server, ledger, model="llama-4").complete(PROMPT) == "Rain."
    assert model_server.requests[0].body["model"] == "llama-4"


def test_names_that_nobody_can_type_are_no_models(model_server: ModelServer, ledger: Ledger) -> None:
    model_server.serving("", "x" * 1000, "a\nb", "\x1b[2J", "gemma-3").then("Rain.")
    assert by_url(model_server, ledger).model == "gemma-3"


@pytest.mark.parametrize("status", [200, 404, 400])
def test_a_server_that_lists_no_models_is_asked_for_the_default(
    status: int, model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.serving(status=status).then("Rain.")
    assert by_url(model_server, ledger).complete(PROMPT) == "Rain."
    assert model_server.requests[0].body["model"] == "openai/gpt-6.1-sol"


def test_tokens_of_a_local_server_cost_nothing_unless_a_price_is_set(
    model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.then("Rain.", times=None)
    by_url(model_server, ledger, model="openai/gpt-5").complete(PROMPT)
    assert (ledger.usage().cost_usd, ledger.usage().unpriced) == (0, 0)
    by_url(model_server, ledger, price_in=1, price_out=10).complete(PROMPT)
    assert ledger.usage().cost_usd == pytest.approx(0.0002)


@pytest.mark.parametrize("fault", ["no_stream", "untyped_stream"])
def test_a_reply_that_is_not_streamed_is_as_good_as_one_that_is(
    fault: str, model_server: ModelServer, ledger: Ledger
) -> None:
    model_server.then("Rain, all day long.", fault=fault)
    assert CALLS["stream"](judge(model_server, ledger, **PRICED)) == "Rain, all day long."
    assert (ledger.usage().tokens_in, ledger.usage().tokens_out, ledger.usage().unpriced) == (100, 10, 0)
    model_server.then("Rain", fault="cut")
    with pytest.raises(ReplyCut):
        CALLS["stream"](judge(model_server, ledger))
