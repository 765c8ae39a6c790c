"""What calls to models have cost, and the word to the user before the first."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from amr_neo4j.clients.endpoints import Endpoint
from amr_neo4j.domain.chat import ModelCall, Usage

Say = Callable[[str], None]
_log = logging.getLogger(__name__)


class Ledger:
    """Every call, in order. Safe to use from several threads."""

    def __init__(self, say: Say = _log.warning) -> None:
        """say: gets a line before the first call to each provider: where it goes, and about what it costs."""
        self._say = say
        self._told: set[str] = set()
        self._calls: list[ModelCall] = []
        self._lock = Lock()

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        with self._lock:
            return tuple(self._calls)

    def add(self, call: ModelCall) -> None:
        with self._lock:
            self._calls.append(call)

    def usage(self, role: str | None = None) -> Usage:
        """What the calls of a role, or all of them, add up to."""
        calls = [call for call in self.calls if role in (None, call.role)]
        return Usage(
            calls=len(calls),
            failed=sum(bool(call.failed) for call in calls),
            retries=sum(call.retries for call in calls),
            tokens_in=sum(call.tokens_in for call in calls),
            tokens_out=sum(call.tokens_out for call in calls),
            cost_usd=sum(call.cost_usd or 0.0 for call in calls),
            unpriced=sum(call.cost_usd is None for call in calls),
        )

    def by_role(self) -> dict[str, Usage]:
        """The same for each role that was called, in order of its first call."""
        return {role: self.usage(role) for role in dict.fromkeys(call.role for call in self.calls)}

    def announce(self, to: Endpoint, cost: float | None) -> None:
        """Say once for each provider that words go there. cost: US dollars at most for the call at hand, if known."""
        with self._lock:
            if to.base_url in self._told:
                return
            self._told.add(to.base_url)
        price = "price unknown" if cost is None else f"at most about ${cost:.4f}"
        self._say(f"what is asked and found goes to {to.base_url}: now to {to.model} ({to.role}), {price} this time")
