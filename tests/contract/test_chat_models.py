"""The contract of a chat model, over a real socket and under every server fault."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from amr_neo4j import settings
from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import GroupScore, Relevance
from amr_neo4j.errors import (
    ConfigError,
    ModelDenied,
    ModelFailed,
    ModelUnavailable,
    NoSuchModel,
    ReplyCut,
    RequestRefused,
    UnusableReply,
)
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from tests.support.model_server import ModelServer

KEY = "sk-hush-hush"
PROMPT = Prompt((Message("system", "Judge."), Message("user", "Group 1: rain.")), correction="Again, for {wrong}!")
GOOD: dict[str, Any] = {"scores": [{"group": 1, "score": 0.5}]}
FITS = (Relevance(scores=[GroupScore(group=1, score=0.5)]), ())
Open = Callable[..., ChatModel]


@pytest.fixture
def waits() -> list[float]:
    """The pauses between attempts, in seconds."""
    return []


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(notify=lambda line: None)


@pytest.fixture
def judge(model_server: ModelServer, ledger: Ledger, waits: list[float]) -> Open:
    """Opens the judge at the model server, with parts of its settings by name."""

    def opened(**judge: Any) -> ChatModel:
        given = settings.load(provider=model_server.url, api_key=KEY, judge=judge)
        model = open_chat(given, "judge", ledger, sleep=waits.append)
        assert model
        return model

    return opened


def test_a_reply_is_returned_verbatim(judge: Open, model_server: ModelServer) -> None:
    model_server.then("Rain, all day.")
    assert judge(model="m", temperature=0.5, max_tokens=7).complete(PROMPT) == "Rain, all day."
    [request] = model_server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "Group 1: rain."}],
        "temperature": 0.5,
        "max_tokens": 7,
    }


def test_an_object_is_returned_in_its_schema(judge: Open, model_server: ModelServer) -> None:
    model_server.then(GOOD)
    assert judge().ask(PROMPT, Relevance) == FITS
    asked = model_server.requests[0].body["response_format"]
    assert (asked["type"], asked["json_schema"]["name"]) == ("json_schema", "Relevance")


# --- transient errors


PASSING = ["server_error", "overloaded", "drop", "drop_midway", "not_json", "error_in_200", "rate_limit"]


@pytest.mark.parametrize("fault", PASSING)
def test_transient_errors_are_retried(
    judge: Open, model_server: ModelServer, ledger: Ledger, waits: list[float], fault: str
) -> None:
    model_server.then("lost", fault=fault, times=2).then("Rain.")
    assert judge().complete(PROMPT) == "Rain."
    assert len(model_server.requests) == 3
    assert len(waits) == 2
    assert 0.5 <= waits[0] <= 1.5
    assert 1.0 <= waits[1] <= 2.0
    assert (ledger.usage().calls, ledger.usage().retries, ledger.usage().failed) == (1, 2, 0)


@pytest.mark.parametrize("fault", PASSING)
def test_permanent_errors_are_not_retried(
    judge: Open, model_server: ModelServer, ledger: Ledger, waits: list[float], fault: str
) -> None:
    model_server.then("lost", fault=fault, times=None)
    with pytest.raises(ModelUnavailable, match="tried 5 times") as caught:
        judge().complete(PROMPT)
    assert caught.value.hint
    assert len(model_server.requests) == len(waits) + 1 == 5
    assert (ledger.usage().failed, ledger.usage().retries, ledger.usage().cost_usd) == (1, 4, 0)


def test_a_slow_server_is_awaited_and_a_hanging_one_times_out(
    judge: Open, model_server: ModelServer, waits: list[float]
) -> None:
    model_server.then(fault="hang").then("Rain.", fault="slow", delay_s=0.1)
    assert judge(timeout_s=0.4).complete(PROMPT) == "Rain."
    assert len(waits) == 1


def test_the_deadline_ends_a_call_in_the_middle_of_an_attempt(judge: Open, model_server: ModelServer) -> None:
    model_server.then(fault="hang", times=None)
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable, match="timed out"):
        judge(timeout_s=30, patience_s=0.4).complete(PROMPT)
    assert time.monotonic() - begin < 2


def test_an_unreachable_server_is_retried(ledger: Ledger, waits: list[float]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # not listening: connections are refused
        given = settings.load(provider=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        model = open_chat(given, "text", ledger, sleep=waits.append)
        assert model
        with pytest.raises(ModelUnavailable, match="cannot connect to"):
            model.complete(PROMPT)
    assert len(waits) == 4


# --- Retry-After


def test_retry_after_is_honoured(judge: Open, model_server: ModelServer, waits: list[float]) -> None:
    in_20_s = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    model_server.then(fault="rate_limit", retry_after="7").then(fault="overloaded", retry_after=in_20_s)
    model_server.then(fault="rate_limit", retry_after="soon").then("Rain.")
    assert judge().complete(PROMPT) == "Rain."
    assert 7 <= waits[0] <= 8
    assert 17 <= waits[1] <= 21
    assert 2 <= waits[2] <= 3, "a header that says nothing leaves us our own wait"


def test_a_retry_after_beyond_the_deadline_is_not_awaited(
    judge: Open, model_server: ModelServer, waits: list[float]
) -> None:
    model_server.then(fault="rate_limit", retry_after="3600")
    with pytest.raises(ModelUnavailable, match="asks to wait 3600 s") as caught:
        judge().complete(PROMPT)
    assert (caught.value.after_s, waits) == (3600, [])


# --- permanent errors


@pytest.mark.parametrize(
    ("fault", "error", "code", "advice"),
    [
        ("wrong_key", ModelDenied, 77, "api_key"),
        ("no_credit", ModelDenied, 77, "credit"),
        ("unknown_model", NoSuchModel, 78, "model under judge"),
    ],
)
def test_configuration_errors_stop_at_once(
    judge: Open, model_server: ModelServer, fault: str, error: type[Exception], code: int, advice: str
) -> None:
    model_server.then(fault=fault, times=None)
    for call in (judge().complete, lambda p: judge().ask(p, Relevance), lambda p: list(judge().stream(p))):
        model_server.requests.clear()
        with pytest.raises(error) as caught:
            call(PROMPT)
        assert len(model_server.requests) == 1
        assert caught.value.exit_code == code  # type: ignore[attr-defined]
        assert advice in str(caught.value)
        assert "\n" not in str(caught.value)
        assert not isinstance(caught.value, ModelFailed), "no stage may pass over it"


@pytest.mark.parametrize("fault", ["moderated", "moderated_in_200"])
def test_a_moderated_request_is_refused_alone(judge: Open, model_server: ModelServer, fault: str) -> None:
    """OpenRouter's moderation answers 403, as a wrong key does. The content is not sent again."""
    model_server.then(fault=fault, times=None)
    for call in (judge().complete, lambda p: judge().ask(p, Relevance), lambda p: list(judge().stream(p))):
        model_server.requests.clear()
        with pytest.raises(RequestRefused, match="moderation: violence/graphic") as caught:
            call(PROMPT)
        assert len(model_server.requests) == 1
        assert "api_key" not in str(caught.value)


def test_no_error_contains_the_key(judge: Open, model_server: ModelServer) -> None:
    model_server.then(fault="refuses", message=f"The key {KEY} is\nnot for this.")
    with pytest.raises(RequestRefused, match=r"The key \.\.\. is not for this") as caught:
        judge().complete(PROMPT)
    assert KEY not in str(caught.value)


# --- parameters that a server does not support


def test_structured_output_is_optional(judge: Open, model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then(GOOD, refused=["response_format"], times=None)
    model = judge()
    assert [model.ask(PROMPT, Relevance) for _ in range(3)] == [FITS] * 3
    assert ["response_format" in request.body for request in model_server.requests] == [True, False, False, False]
    assert [call.retries for call in ledger.calls] == [1, 0, 0]


@pytest.mark.parametrize(
    "said",
    [
        "Could not process image",
        "This model's context is 8 tokens.",
        "The reply did not match the schema",
        "max_tokens: 9",
    ],
)
def test_a_refusal_for_another_reason_is_not_sent_again(judge: Open, model_server: ModelServer, said: str) -> None:
    """No parameter is dropped: a clip would be uploaded once more, to be refused once more."""
    model_server.then(fault="refuses", message=said).then(GOOD)
    model = judge()
    with pytest.raises(RequestRefused, match=re.escape(said.rstrip("."))):
        model.ask(PROMPT, Relevance)
    assert model.ask(PROMPT, Relevance) == FITS
    assert ["response_format" in request.body for request in model_server.requests] == [True, True]


@pytest.mark.parametrize("said", ["Unknown name response_format", "json_schema is not supported", "Invalid Schema"])
def test_a_server_that_names_structured_output_in_its_error_is_not_sent_it_again(
    judge: Open, model_server: ModelServer, said: str
) -> None:
    model_server.then(fault="refuses", message=said).then(GOOD, times=None)
    model = judge()
    assert [model.ask(PROMPT, Relevance), model.ask(PROMPT, Relevance)] == [FITS, FITS]
    assert ["response_format" in request.body for request in model_server.requests] == [True, False, False]


def test_a_model_that_accepts_neither_temperature_nor_max_tokens_gets_neither(
    judge: Open, model_server: ModelServer
) -> None:
    model_server.then("Rain.", refused=["temperature", "max_tokens"], times=None)
    model = judge(max_tokens=9)
    assert [model.complete(PROMPT), "".join(model.stream(PROMPT))] == ["Rain.", "Rain."]
    assert len(model_server.requests) == 4
    for request in model_server.requests[2:]:
        assert request.body["max_completion_tokens"] == 9
        assert not {"temperature", "max_tokens"} & set(request.body)


# --- JSON


@pytest.mark.parametrize("fault", ["fenced", "chatter"])
def test_an_object_is_found_inside_other_text(judge: Open, model_server: ModelServer, fault: str) -> None:
    model_server.then(GOOD, fault=fault)
    assert judge().ask(PROMPT, Relevance) == FITS


BAD: list[tuple[dict[str, Any], str]] = [
    ({"reply": GOOD, "fault": "truncated"}, "the JSON was broken"),
    ({"reply": GOOD, "fault": "cut"}, "it was cut off after 8000 tokens"),
    ({"reply": GOOD, "fault": "empty"}, "it was empty"),
    ({"reply": "I can't say."}, "there was no JSON object in it"),
    (
        {"reply": {"scores": [{"group": 1, "score": 1.7}]}},
        "scores: Value error, each score should be less than or equal to 1",
    ),
    ({"reply": {"scores": [{"group": 1, "score": "good"}]}}, "scores.0.score: Input should be a valid number"),
    ({"reply": {"marks": []}}, "scores: Field required"),
]


@pytest.mark.parametrize(("bad", "said"), BAD)
def test_an_invalid_reply_is_requested_again_with_its_error(
    judge: Open, model_server: ModelServer, ledger: Ledger, bad: dict[str, Any], said: str
) -> None:
    model_server.then(**bad).then(GOOD)
    assert judge().ask(PROMPT, Relevance) == FITS
    first, second = (request.prompt for request in model_server.requests)
    assert second.startswith(f"{first}\n\nAgain, for {said}")
    assert ledger.usage().calls == 2


@pytest.mark.parametrize(("bad", "said"), BAD)
def test_two_invalid_replies_raise_a_defined_error(
    judge: Open, model_server: ModelServer, bad: dict[str, Any], said: str
) -> None:
    model_server.then(**bad, times=2).then(GOOD)
    with pytest.raises(UnusableReply, match=re.escape(said)):
        judge().ask(PROMPT, Relevance)
    assert len(model_server.requests) == 2


def test_a_refusal_by_the_model_is_not_retried(judge: Open, model_server: ModelServer) -> None:
    model_server.then(fault="declines", message="I can't help with that.")
    with pytest.raises(UnusableReply, match="can't help"):
        judge().ask(PROMPT, Relevance)
    assert len(model_server.requests) == 1


# --- text


def test_a_truncated_reply_is_marked_and_kept(judge: Open, model_server: ModelServer) -> None:
    model_server.then("Rain all day", fault="cut")
    with pytest.raises(ReplyCut, match=r"cut off after 8000 tokens \(raise max_tokens under judge") as caught:
        judge().complete(PROMPT)
    assert caught.value.text == "Rain a"


def test_an_empty_reply_is_no_reply(judge: Open, model_server: ModelServer) -> None:
    model_server.then(" \n").then(fault="empty")
    for call in (judge().complete, lambda p: list(judge().stream(p))):
        with pytest.raises(UnusableReply, match="returned an empty reply"):
            call(PROMPT)


# --- streams


def collected(pieces: Iterator[str]) -> tuple[list[str], ModelFailed | None]:
    """The pieces received, and the error at the end."""
    came: list[str] = []
    try:
        for piece in pieces:
            came.append(piece)
    except ModelFailed as error:
        return came, error
    return came, None


def test_a_stream_yields_pieces_and_is_counted(judge: Open, model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then("Rain, all day long.", usage={"prompt_tokens": 8, "completion_tokens": 5})
    pieces = list(judge().stream(PROMPT))
    assert len(pieces) > 1
    assert "".join(pieces) == "Rain, all day long."
    assert (ledger.usage().tokens_in, ledger.usage().tokens_out) == (8, 5)


@pytest.mark.parametrize("fault", ["server_error", "drop", "not_json", "error_in_200"])
def test_a_stream_that_fails_before_its_first_piece_is_retried(
    judge: Open, model_server: ModelServer, fault: str
) -> None:
    model_server.then("lost", fault=fault).then("Rain, all day.")
    assert "".join(judge().stream(PROMPT)) == "Rain, all day."
    assert len(model_server.requests) == 2


@pytest.mark.parametrize(("fault", "came"), [("drop_midway", 1), ("error_midway", 1), ("no_end", 3)])
def test_a_stream_that_breaks_off_raises(judge: Open, model_server: ModelServer, fault: str, came: int) -> None:
    model_server.then("Rain, all day long..", fault=fault)
    pieces, error = collected(judge().stream(PROMPT))
    assert isinstance(error, ModelUnavailable)
    assert pieces == ["Rain, a", "ll day ", "long.."][:came]
    assert len(model_server.requests) == 1


def test_a_truncated_stream_raises_at_its_end(judge: Open, model_server: ModelServer) -> None:
    model_server.then("Rain, all day long.", fault="cut")
    pieces, error = collected(judge().stream(PROMPT))
    assert isinstance(error, ReplyCut)
    assert "".join(pieces) == error.text == "Rain, all"


def test_a_stream_may_be_abandoned_in_the_middle(judge: Open, model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then("Rain, all day long.").then("Sun.")
    model = judge(price_in=1, price_out=1)
    stream = model.stream(PROMPT)
    assert next(stream) == "Rain, a"
    stream.close()  # type: ignore[attr-defined]
    assert model.complete(PROMPT) == "Sun."
    assert (ledger.calls[0].cost_usd, ledger.calls[0].failed) == (None, "")


# --- cost


def test_cost_is_counted_by_role_from_tokens_or_from_the_provider_s_figure(
    model_server: ModelServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amr_neo4j.models.endpoint.is_local", lambda base_url: False)
    given = settings.load(
        provider=model_server.url,
        text={"model": "a", "price_in": 1, "price_out": 10},
        judge={"model": "b", "price_in": 1, "price_out": 10},
        answer={"model": "unpriced"},
    )
    tokens = {"prompt_tokens": 1_000, "completion_tokens": 100}
    model_server.then("x", match={"model": "a"}, usage=tokens, times=None)
    model_server.then("x", match={"model": "b"}, usage={**tokens, "cost": 0.5}).then("x", usage=tokens)
    for role in ("text", "judge", "answer", "text"):
        model = open_chat(given, role, ledger)
        assert model
        model.complete(PROMPT)
    assert [call.role for call in ledger.calls] == ["text", "judge", "answer", "text"]
    roles = {role: ledger.usage(role) for role in ("text", "judge", "answer")}
    assert (roles["text"].calls, roles["text"].tokens_in, roles["text"].tokens_out) == (2, 2_000, 200)
    assert roles["text"].cost_usd == pytest.approx(0.004)
    assert (roles["judge"].cost_usd, roles["judge"].unpriced) == (0.5, 0)
    assert (roles["answer"].cost_usd, roles["answer"].unpriced) == (0, 1)
    assert ledger.usage().cost_usd == pytest.approx(0.504)
    assert all(call.seconds > 0 for call in ledger.calls)


def test_the_first_call_to_a_provider_is_announced_before_it_is_made(model_server: ModelServer) -> None:
    said: list[tuple[str, int]] = []
    ledger = Ledger(notify=lambda line: said.append((line, len(model_server.requests))))
    given = settings.load(provider=model_server.url, text={"price_in": 2.5, "price_out": 10})
    model_server.then("x", times=None)
    for role in ("text", "judge"):
        model = open_chat(given, role, ledger)
        assert model
        model.complete(PROMPT)
    [(line, requests_by_then)] = said
    assert requests_by_then == 0
    assert model_server.url in line
    assert re.search(r"openai/gpt-6-luna \(text\), at most about \$0\.00\d\d", line)


# --- providers


def test_no_model_is_called_unless_a_provider_is_chosen(monkeypatch: pytest.MonkeyPatch, ledger: Ledger) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    for role in ("text", "judge", "answer"):
        assert open_chat(settings.load(), role, ledger) is None
        assert open_chat(settings.load(provider="openrouter", **{role: {"provider": "none"}}), role, ledger) is None
        assert open_chat(settings.load(provider="openrouter"), role, ledger)


@pytest.mark.parametrize("provider", ["openrouter", "openai"])
def test_a_missing_key_is_an_error(ledger: Ledger, provider: str) -> None:
    with pytest.raises(ConfigError, match=f"set {provider.upper()}_API_KEY, or api_key"):
        open_chat(settings.load(provider=provider), "text", ledger)


def test_threads_share_a_model(judge: Open, model_server: ModelServer, ledger: Ledger) -> None:
    model_server.then(GOOD, times=None)
    model = judge()
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda _: model.ask(PROMPT, Relevance), range(24))) == [FITS] * 24
    assert ledger.usage().calls == 24
