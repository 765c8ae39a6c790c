"""Calls to one model in one role: with patience, with concessions to what the server minds, and counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from amr_neo4j.domain.chat import ModelCall
from amr_neo4j.errors import ModelError, ModelGarbled, RequestRefused
from amr_neo4j.model_roles import Role
from amr_neo4j.models.adaptive_concurrency import AdaptiveConcurrency
from amr_neo4j.models.connection import AnyWire, Connection
from amr_neo4j.models.endpoints import Endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.responses import Chunk, Tokens
from amr_neo4j.models.retries import Patience, patiently
from amr_neo4j.models.unsupported_params import Body, disputed, names, without

Result = TypeVar("Result")
CHARACTERS_A_TOKEN = 4


@dataclass
class _Meter:
    """Of one call. most: US dollars that a reply costs at most, as far as prices are known.

    replied: whether anything came that has to be paid for; garbled: or something that cannot be read.
    """

    most: float | None
    retries: int = 0
    usage: Tokens | None = None
    replied: bool = False
    garbled: bool = False

    @property
    def tells(self) -> bool:
        return self.usage is not None and self.usage.tells

    def count_retry(self) -> None:
        self.retries += 1


class ModelClient:
    """One model in one role. Safe to use from several threads."""

    def __init__(self, to: Endpoint, role: Role, ledger: Ledger, sleep: Callable[[float], None] = time.sleep) -> None:
        self._to, self._role, self._ledger = to, role, ledger
        self._connection = Connection(to)
        self._patience = Patience(role.timeout_s, role.patience_s, sleep=sleep)
        self._pace = AdaptiveConcurrency(role.at_once)
        self._refused: frozenset[str] = frozenset()

    def post(self, path: str, body: Body, shape: type[AnyWire], *, characters: int) -> AnyWire:
        """The reply. characters: how many are sent, for what is said of the price beforehand. Raises ModelError."""

        def send(body: Body, timeout_s: float) -> AnyWire:
            return self._connection.post(path, body, shape, timeout_s)

        with self._metered(body, characters) as meter:
            reply = self._conceding(body, send, meter)
            meter.replied, meter.usage = True, reply.usage
            return reply

    def stream(self, path: str, body: Body, *, characters: int) -> Iterator[Chunk]:
        """The reply's events. What fails before the first is tried again, what breaks off later is not."""

        def begin(body: Body, timeout_s: float) -> Iterator[Chunk]:
            chunks = self._connection.stream(path, body, timeout_s)
            return chain([next(chunks)], chunks)

        with self._metered(body, characters) as meter:
            for chunk in self._conceding(body, begin, meter):
                meter.replied, meter.usage = True, chunk.usage or meter.usage
                yield chunk

    def _conceding(self, body: Body, send: Callable[[Body, float], Result], meter: _Meter) -> Result:
        """The reply, without parameters that the server refuses; those it names are remembered."""

        def attempt(timeout_s: float) -> Result:
            refused, named = self._refused, frozenset[str]()
            while True:
                asked = without(self._full(body), refused)
                try:
                    with self._pace.turn():
                        result = send(asked, timeout_s)
                except RequestRefused as refusal:
                    if not (minded := disputed(asked, refusal)):
                        raise
                    refused |= {minded}
                    named |= {minded} if names(refusal, minded) else frozenset[str]()
                    meter.count_retry()
                except ModelGarbled:
                    meter.garbled = True
                    self._ledger.charge(meter.most or 0.0)
                    raise
                else:
                    self._refused |= named
                    return result

        return patiently(attempt, self._patience, meter.count_retry)

    def _full(self, body: Body) -> Body:
        return {"model": self._to.model, **self._to.extras, **body}

    @contextmanager
    def _metered(self, body: Body, characters: int) -> Generator[_Meter]:
        """Enters the call in the ledger, however it ends."""
        most = self._role.cost(characters // CHARACTERS_A_TOKEN + 1, body.get("max_tokens", 0))
        with self._ledger.setting_aside(most):
            self._ledger.announce(self._to, most)
            meter, begin, failed = _Meter(most), time.perf_counter(), ""
            try:
                yield meter
            except ModelError as error:
                failed = type(error).__name__
                raise
            finally:
                call = self._call(meter, time.perf_counter() - begin, failed)
                self._ledger.add(call, (most or 0.0) if meter.replied and not meter.tells else 0.0)

    def _call(self, meter: _Meter, seconds: float, failed: str) -> ModelCall:
        used = meter.usage or Tokens()
        cost = used.cost if used.cost is not None else self._role.cost(used.prompt_tokens, used.completion_tokens)
        # what is free is free, also where nothing is told
        untold = (meter.replied or meter.garbled) and meter.most != 0
        return ModelCall(
            role=self._to.role,
            model=self._to.model,
            tokens_in=used.prompt_tokens,
            tokens_out=used.completion_tokens,
            cost_usd=cost if meter.tells else None if untold else 0.0,
            retries=meter.retries,
            seconds=seconds,
            failed=failed,
        )
