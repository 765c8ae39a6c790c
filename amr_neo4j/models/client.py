"""Calls to one model in one role: retried, limited in concurrency, and entered in the ledger."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TypeVar

from amr_neo4j.domain.chat import CHARACTERS_PER_TOKEN, ModelCall
from amr_neo4j.domain.plain import Json
from amr_neo4j.errors import (
    ConfigError,
    ModelBusy,
    ModelError,
    ModelFailed,
    ModelGarbled,
    ModelUnavailable,
    NoSuchModel,
    RequestModerated,
    RequestRefused,
    StreamBroken,
    UnusableReply,
)
from amr_neo4j.model_roles import Role
from amr_neo4j.models.catalogue import Price
from amr_neo4j.models.connection import EndpointClient
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.responses import Chunk, ResponseModel, ServedModel, TokenUsage
from amr_neo4j.models.retries import AdaptiveConcurrency, RetryPolicy, WaitBudget, with_retries

Result = TypeVar("Result")
AnyResponse = TypeVar("AnyResponse", bound=ResponseModel)
# Providers charge at least this share of the input price for tokens that they have cached.
_CACHED_PRICE = 0.1
_MOST_NAMES = 8
# Optional parameter -> the name to send it by instead, if any. OpenAI's reasoning models take max_completion_tokens
# and no temperature.
_REPLACEMENTS = {
    "response_format": None,
    "stream_options": None,
    "temperature": None,
    "encoding_format": None,
    "usage": None,
    "reasoning_effort": None,
    "max_tokens": "max_completion_tokens",
}
# Other words by which servers refer to a parameter.
_SYNONYMS = {"response_format": ("json_schema", "schema", "structured output", "json mode")}
_NOT_TAKEN = re.compile(
    r"unsupported|(?:not|n't) (?:\w+ )?(?:support|allow|permit|accept|recogni|available|implement)"
    r"|un(?:known|recogni|expected)|extra|invalid|only the default|instead|no such (?:parameter|field)"
)


@dataclass
class _Meter:
    """Measurements of one call.

    max_cost: the most US dollars that one reply can cost; None if the price is unknown.
    replied: a billable reply arrived.
    model: its name in the reply; empty if it gives none.
    garbled: an unreadable reply arrived.
    failed: the usage of attempts that ended with an error and cost tokens all the same.
    """

    max_cost: float | None
    retries: int = 0
    usage: TokenUsage | None = None
    failed: list[TokenUsage] = field(default_factory=list[TokenUsage])
    replied: bool = False
    model: str = ""
    garbled: bool = False

    @property
    def is_usage_reported(self) -> bool:
        return self.usage is not None and self.usage.is_reported

    def count_retry(self) -> None:
        self.retries += 1


class ModelClient:
    """One model in one role. Thread-safe."""

    def __init__(
        self, to: Endpoint, role: Role, ledger: Ledger, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """sleep: called with the seconds to wait between retries."""
        self._role, self._ledger = role, ledger
        self._connection = EndpointClient(to)
        self._retry_policy = RetryPolicy(role.timeout_s, role.patience_s, sleep=sleep)
        self._concurrency = AdaptiveConcurrency(role.at_once)
        # Shared by the copies for questions, like the connection.
        self._unsupported = set[str](to.known.without if to.known else ())
        self.answered_by = ""

    @property
    def to(self) -> Endpoint:
        return self._connection.to

    def served(self) -> Endpoint:
        """Return the endpoint with the name of its model. If no model is set, the server is asked once.

        Raises ConfigError: it serves several models; ModelError.
        """
        if self.to.finds_model:
            self._connection.to = served(self.to, self._list())
        return self.to

    def for_question(self, budget: WaitBudget) -> ModelClient:
        """Return this client with calls for one question, which share the budget of its waits."""
        other = copy(self)
        other._retry_policy = replace(self._retry_policy, budget=budget)
        return other

    def _list(self, path: str = "/models") -> list[ServedModel]:
        """Return the models that the server lists; none where it cannot list them."""
        try:
            ask = partial(self._connection.models, path=path, connect_s=self._connect_s)
            return self._retried(ask, lambda: None)
        except (ModelGarbled, NoSuchModel, RequestRefused, UnusableReply):
            return []

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return the cost in US dollars; None if the price is not known.

        A server of one's own costs nothing unless a price is set.
        """
        listed = self._ledger.listed_prices.get((self.to.base_url, self.to.model))
        known = self.to.known.price_on(self._ledger.day()) if self.to.known else listed
        price = self._role.priced((0.0, 0.0) if self.to.is_local else known)
        return None if price is None else (tokens_in * price[0] + tokens_out * price[1]) / 1_000_000

    def limited_cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return the cost in US dollars, for a cost limit. The server's list is asked once for an unknown price.

        Raises ConfigError: the price is not known.
        """
        named = self.to.base_url, self.to.model
        if self.cost(0, 0) is None and named not in self._ledger.listed_prices:
            self._ledger.listed_prices[named] = self._price_in_list()
        cost = self.cost(tokens_in, tokens_out)
        if cost is None:
            prices = f"price_in and price_out under {self.to.role}"
            raise ConfigError(
                f"costs are limited, and the price of {self.to.model} is not known",
                hint=f"set {prices}, dollars per million tokens; 0 for a server of your own",
            )
        return cost

    def _price_in_list(self) -> Price | None:
        try:
            for path in list_paths(self.to):
                for row in self._list(path):
                    if is_row(row, self.to):
                        return row.price
        except ModelFailed:
            return None
        return None

    def post(self, path: str, body: Json, shape: type[AnyResponse], *, characters: int) -> AnyResponse:
        """Return the response.

        characters: the length of what is sent, to estimate the cost.
        Raises ModelError.
        """

        def send(body: Json, timeout_s: float) -> AnyResponse:
            reply = self._connection.post(path, body, shape, timeout_s=timeout_s, connect_s=self._connect_s)
            return self._checked(reply, meter)

        with self._metered(body, characters) as meter:
            reply = self._send(body, send, meter)
            meter.replied, meter.usage, meter.model = True, reply.usage, reply.model
            return reply

    def stream(self, path: str, body: Json, *, characters: int) -> Generator[Chunk]:
        """Yield the events of a streamed response. Only failures before the first event are retried.

        The time of a stream that breaks off later counts as waited for, so that a question may ask again in time.
        """

        def begin(body: Json, timeout_s: float) -> Generator[Chunk]:
            # The first event is read here, within the retries. Once the caller has seen text, a retry would repeat
            # it.
            chunks = self._connection.stream(path, body, timeout_s=timeout_s, connect_s=self._connect_s)
            return _chained(self._checked(next(chunks), meter), chunks)

        with self._metered(body, characters) as meter, closing(self._send(body, begin, meter)) as chunks:
            began = time.monotonic()
            try:
                for chunk in chunks:
                    meter.replied, meter.usage = True, chunk.usage or meter.usage
                    meter.model = chunk.model or meter.model
                    if failure := self._connection.failure(chunk):
                        raise failure
                    yield chunk
            except ModelUnavailable as error:
                if budget := self._retry_policy.budget:
                    budget.spend(time.monotonic() - began)
                    if not isinstance(error, ModelBusy):  # another model of a busy provider may be free
                        budget.unreachable.add(self.to.base_url)
                raise StreamBroken(error.message, hint=error.hint) from error

    @property
    def _connect_s(self) -> float | None:
        budget = self._retry_policy.budget
        return budget.connect_s if budget else None

    def _checked(self, reply: AnyResponse, meter: _Meter) -> AnyResponse:
        """Return the response. Raises ModelError if it reports an error, whose usage is noted."""
        if failure := self._connection.failure(reply):
            if reply.usage and reply.usage.is_reported:
                meter.failed.append(reply.usage)
            raise failure
        return reply

    def _send(self, body: Json, send: Callable[[Json, float], Result], meter: _Meter) -> Result:
        """Send with retries, and without parameters that the server rejects.

        A parameter that the server names in its error is also left out of later calls.
        """

        def attempt(timeout_s: float) -> Result:
            dropped = frozenset(self._unsupported)
            left = timeout_s
            while True:
                request = _without(self._full(body), dropped)
                try:
                    with self._concurrency.slot(self._connect_s):
                        begin = time.monotonic()
                        try:
                            result = send(request, left)
                        finally:
                            # Only the time on the wire counts, and not the wait for a slot.
                            left = max(0.001, left - (time.monotonic() - begin))
                except RequestRefused as refusal:
                    if not (parameter := _unsupported(request, refusal)):
                        raise
                    dropped |= {parameter}
                    meter.count_retry()
                except (ModelGarbled, UnusableReply):  # UnusableReply here means that the reply is too large
                    meter.garbled = True
                    # The provider bills an unreadable reply too, but its usage is not known.
                    self._ledger.charge(meter.max_cost or 0.0)
                    raise
                else:
                    self._unsupported |= dropped
                    return result

        return self._retried(attempt, meter.count_retry)

    def _retried(self, attempt: Callable[[float], Result], retrying: Callable[[], None]) -> Result:
        """Return the result of `attempt`, retried. A question out of time asks no server that did not answer it."""
        budget = self._retry_policy.budget
        if budget and not budget.left and self.to.base_url in budget.unreachable:
            raise ModelUnavailable(f"{self.to} was not asked again: its server did not answer this question before")
        try:
            return with_retries(attempt, self._retry_policy, retrying)
        except ModelUnavailable as error:
            # Another model of a busy provider may be free.
            if budget and not isinstance(error, ModelBusy):
                budget.unreachable.add(self.to.base_url)
            raise

    def _full(self, body: Json) -> Json:
        # What a caller asks for overrides what the model and the provider get with every request.
        sent = self.to.known.send if self.to.known else {}
        return {"model": self.to.model, **sent, **self.to.extras, **body}

    @contextmanager
    def _metered(self, body: Json, characters: int) -> Generator[_Meter]:
        """Enter the call in the ledger, whatever its outcome."""
        self.served()
        # The most that the call can cost is reserved before the call, so that concurrent calls stay within the limit.
        tokens = characters // CHARACTERS_PER_TOKEN + 1, body.get("max_tokens", 0)
        max_cost = self.limited_cost(*tokens) if self._ledger.is_limited else self.cost(*tokens)
        with self._ledger.reserve(max_cost):
            self._ledger.announce(self.to, max_cost)
            meter, begin, failed = _Meter(max_cost), time.perf_counter(), ""
            try:
                yield meter
            except ModelError as error:
                failed = type(error).__name__
                raise
            finally:
                if meter.model:
                    self.answered_by = meter.model
                    self._ledger.note_answerer(self.to, meter.model)
                call = self._call(meter, time.perf_counter() - begin, failed)
                self._ledger.add(call, (max_cost or 0.0) if meter.replied and not meter.is_usage_reported else 0.0)

    def _call(self, meter: _Meter, seconds: float, failed: str) -> ModelCall:
        usages = [usage for usage in (*meter.failed, meter.usage) if usage and usage.is_reported]
        # A free model stays free even if no usage is reported.
        is_cost_unknown = (meter.replied or meter.garbled) and not meter.is_usage_reported and meter.max_cost != 0
        costs = [None] * is_cost_unknown + [self._reported_or_estimated(usage) for usage in usages]
        known = [cost for cost in costs if cost is not None]
        return ModelCall(
            role=self.to.role,
            model=meter.model or self.to.model,
            tokens_in=sum(usage.prompt_tokens for usage in usages),
            tokens_out=sum(usage.completion_tokens for usage in usages),
            cost_usd=sum(known) if len(known) == len(costs) else None,
            retries=meter.retries,
            seconds=seconds,
            failed=failed,
            left_out=tuple(sorted(self._unsupported)),
        )

    def _reported_or_estimated(self, usage: TokenUsage) -> float | None:
        """Return the cost that the provider reports, if it is plausible; else the estimate by the settings.

        It is implausible if it is less than the tokens can cost, even if all of the input had been cached.
        """
        if usage.cost is not None:
            least = self.cost(0, usage.completion_tokens), self.cost(usage.prompt_tokens, 0)
            if usage.cost >= (least[0] or 0.0) + _CACHED_PRICE * (least[1] or 0.0):
                return usage.cost
        return self.cost(usage.prompt_tokens, usage.completion_tokens)


def list_paths(to: Endpoint) -> tuple[str, ...]:
    """Return where a server may list the models of a role. OpenRouter lists embedding models apart."""
    return ("/embeddings/models", "/models") if to.role == "embed" else ("/models",)


def is_row(row: ServedModel, to: Endpoint) -> bool:
    """Return whether a row of a server's list is the endpoint's model. Ollama adds a tag, and Google a folder."""
    return row.id in (to.model, f"{to.model}:latest", f"models/{to.model}")


def served(to: Endpoint, rows: Sequence[ServedModel]) -> Endpoint:
    """Return the endpoint with the name of a model that the server lists. Raises ConfigError: several are meant."""
    names = list(dict.fromkeys(row.id for row in rows))
    # Servers list models of both kinds; those that embed say so in their names.
    fitting = [name for name in names if ("embed" in name.lower()) == (to.role == "embed")] or names
    if any(is_row(row, to) for row in rows):
        fitting = [to.model]
    if len(fitting) > 1:
        shown = ", ".join(f"{name:.100}" for name in fitting[:_MOST_NAMES])
        more = f" and {len(fitting) - _MOST_NAMES} more" if len(fitting) > _MOST_NAMES else ""
        hint = f"set model under {to.role} to one of them"
        raise ConfigError(f"{to.base_url} serves several models: {shown}{more}", hint=hint)
    return replace(to, model=next(iter(fitting), to.model), finds_model=False)


def _chained(first: Chunk, rest: Iterator[Chunk]) -> Generator[Chunk]:
    yield from chain([first], rest)


def _without(body: Json, dropped: Collection[str]) -> Json:
    """Return the request without these parameters, or with their replacements."""
    kept = {name: value for name, value in body.items() if name not in dropped}
    renamed = {_REPLACEMENTS[name]: body[name] for name in dropped if name in body}
    return kept | {name: value for name, value in renamed.items() if name}


def _unsupported(body: Json, refusal: RequestRefused) -> str | None:
    """Return the parameter that the server most likely rejects.

    Returns None if no optional parameter is left, or if the server rejects the content.
    """
    if isinstance(refusal, RequestModerated):
        return None
    return next((name for name in _REPLACEMENTS if name in body and _names_parameter(refusal, name)), None)


def _names_parameter(refusal: RequestRefused, parameter: str) -> bool:
    """Return whether the server's error says that it does not take this parameter.

    "max_tokens is too large" or "did not match the schema" name a parameter that is taken.
    """
    terms = (parameter, *_SYNONYMS.get(parameter, ()))
    message = refusal.message.casefold()
    is_named = parameter == refusal.param or any(re.search(rf"\b{term}s?\b", message) for term in terms)
    return is_named and bool(_NOT_TAKEN.search(message))
