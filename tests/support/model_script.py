"""The script of the model server: a list of steps, each for the next request that it matches."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict

from tests.support.model_faults import TEXTS

# Faults of the connection or the HTTP status, then those of a reply that arrives.
Fault = Literal[
    "rate_limit",  # 429, with retry_after where the step has it
    "no_credit",  # 429 with OpenAI's code for an empty account
    "server_error",  # 500
    "overloaded",  # 503
    "wrong_key",  # 401
    "moderated",  # 403 with the reasons of OpenRouter's moderation
    "moderated_in_200",  # the same as an error in a reply of status 200
    "unknown_model",  # 404
    "refuses",  # 400, in the words of `message`
    "declines",  # a reply without content but with a refusal, in the words of `message`
    "hang",  # takes the request and says nothing
    "drop",  # closes before the headers
    "drop_midway",  # closes in the middle of the body or the stream
    "hang_midway",  # goes silent in the middle of the stream, until the server is ended
    "error_midway",  # an error as an event of the stream
    "no_end",  # a stream that ends cleanly, without a finish_reason, usage and [DONE]
    "not_json",  # 200 with a body that is no JSON
    "error_in_200",  # 200 with an error inside, as OpenRouter gives
    "slow",  # waits delay_s, then replies
    "truncated",  # the first half of the reply
    "fenced",  # the reply in a markdown fence
    "chatter",  # the reply among other words
    "empty",  # a reply without text
    "cut",  # finish_reason length, the first half of the reply
    # the connection
    "drip_headers",  # one header after the other, without end
    "no_http",  # bytes that are no HTTP
    "short_body",  # fewer bytes than Content-Length says
    "odd_status",  # 418
    "odd_retry_after",  # 429 that asks to wait 1e309 s
    "redirect",  # 307 to the URL in `message`
    "redirect_loop",  # 307 to itself
    "redirect_once",  # 307 to the same server, which then replies
    "bomb",  # a compressed body, much larger than it looks
    "key_in_error",  # 400 that repeats the key
    # the reply
    "no_stream",  # one JSON object where a stream was asked for
    "untyped_stream",  # a stream whose content type is text/plain
    "echoes_key",  # the key before and behind the reply
    "escapes_key",  # the key with its characters escaped, before and behind the reply
    # see model_faults.py
    "huge_tokens",
    "negative_tokens",
    "infinite_tokens",
    "text_tokens",
    "negative_cost",
    "nan_cost",
    "huge_cost",
    "endless_cost",
    "zero_cost",
    "text_cost",
    "empty_body",
    "null_body",
    "list_body",
    "no_choices",
    "null_choices",
    "text_choices",
    "many_choices",
    "deep_body",
    "long_number",
    "bad_utf8",
    "binary",
    "text_error",
    "odd_error",
    "long_code",
    "long_error",
    "lone_surrogate",
    "nul",
    "nested_text",
    "long_text",
    "many_keys",
    "controls",
    "wide_numbers",
    "drip",
    "keep_alives",
    "endless_body",
    "endless_tokens",
    "endless_line",
    "endless_brackets",
]
FAULTS: tuple[str, ...] = get_args(Fault)


class Match(BaseModel):
    """Which requests a step is for: all that is given must fit. contains: words of the messages or inputs."""

    model_config = ConfigDict(extra="forbid")

    path: str = ""
    model: str = ""
    contains: str = ""

    def fits(self, path: str, body: dict[str, Any]) -> bool:
        said = json.dumps([body.get("messages"), body.get("input")], ensure_ascii=False)
        words = json.dumps(self.contains, ensure_ascii=False)[1:-1]
        return self.path in path and self.model in ("", body.get("model")) and words in said


class Step(BaseModel):
    """One reply or fault. times: for how many requests; None for any number.

    reply: text, or an object that becomes JSON; for embeddings, the whole body. calls: the tools that it calls
    instead, by name: their arguments, as an object or as the text that the model writes.
    refused: a request that has any of these parameters is refused with a 400 instead. delay_s: of the fault slow.
    """

    model_config = ConfigDict(extra="forbid")

    match: Match = Match()
    reply: str | dict[str, Any] = ""
    calls: dict[str, str | dict[str, Any]] = {}
    fault: Fault | None = None
    times: int | None = 1
    refused: list[str] = []
    message: str = ""
    retry_after: str | None = None
    delay_s: float = 1.0
    usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": 10}

    @property
    def text(self) -> str:
        """The reply as the model would write it, with the step's fault."""
        text = self.reply if isinstance(self.reply, str) else json.dumps(self.reply)
        if self.fault in ("truncated", "cut"):
            return text[: len(text) // 2]
        if self.fault in TEXTS:
            return TEXTS[self.fault](text)
        wraps = {"fenced": f"```json\n{text}\n```", "chatter": f"Sure! {text} Hope it helps.", "empty": ""}
        return wraps.get(self.fault or "", text)


class Script:
    """Steps in order; each request takes the first that fits and is not used up."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.steps = list(steps)
        self._used: dict[int, int] = {}
        self._lock = Lock()

    @classmethod
    def load(cls, path: Path) -> Script:
        """A YAML list of steps, or JSON lines with a step each."""
        text = path.read_text("utf-8")
        lines = [json.loads(line) for line in text.splitlines() if line.strip()] if path.suffix == ".jsonl" else None
        return cls(Step.model_validate(step) for step in lines or yaml.safe_load(text))

    def take(self, path: str, body: dict[str, Any]) -> Step | None:
        with self._lock:
            for number, step in enumerate(self.steps):
                used = self._used.get(number, 0)
                if (step.times is None or used < step.times) and step.match.fits(path, body):
                    self._used[number] = used + 1
                    return step
        return None
