"""What calls to models have cost, and the word to the user before the first."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock, local

from amr_neo4j.domain.chat import ModelCall, Usage
from amr_neo4j.errors import CostLimit
from amr_neo4j.models.endpoints import Endpoint

Notify = Callable[[str], None]
_log = logging.getLogger(__name__)


class Ledger:
    """Every call, in order. Safe to use from several threads."""

    def __init__(self, notify: Notify = _log.warning, limit_usd: float | None = None) -> None:
        """say: gets a line before the first call to each provider: where it goes, and about what it costs.

        limit_usd: no call is made that could bring the whole above that, as far as prices are known.
        """
        self._notify = notify
        self._limit, self._set_aside, self._untold = limit_usd, 0.0, 0.0
        self._here = local()
        self._told: set[str] = set()
        self._calls: list[ModelCall] = []
        self._lock = Lock()

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        with self._lock:
            return tuple(self._calls)

    def add(self, call: ModelCall, untold: float = 0.0) -> None:
        """untold: US dollars that it may have cost besides, at most, for a reply that does not say."""
        with self._lock:
            self._calls.append(call)
            self._untold += untold
        counted: list[ModelCall] | None = getattr(self._here, "counted", None)
        if counted is not None:
            counted.append(call)

    @contextmanager
    def counting(self) -> Generator[list[ModelCall]]:
        """The calls that this thread makes within the block."""
        counted: list[ModelCall] = []
        self._here.counted = counted
        try:
            yield counted
        finally:
            self._here.counted = None

    @contextmanager
    def setting_aside(self, cost: float | None) -> Generator[None]:
        """Around a call that may cost so much (US dollars), if that is known. Raises CostLimit before it is made."""
        most = cost or 0.0
        with self._lock:
            if not self._affords(most):
                raise CostLimit(f"up to ${most:.4f} more would pass max_cost_usd, ${self._limit}")
            self._set_aside += most
        try:
            yield
        finally:
            with self._lock:
                self._set_aside -= most

    def charge(self, untold: float) -> None:
        """Count a try that may have cost so much, as for `add`. Raises CostLimit: the next could pass the limit."""
        with self._lock:
            self._untold += untold
            if not self._affords(0.0):
                raise CostLimit(f"another try would pass max_cost_usd, ${self._limit}")

    def affords(self, cost: float) -> bool:
        """Whether calls that cost so much (US dollars) are within the limit, whatever is set aside for others."""
        with self._lock:
            return self._limit is None or self._spent() + cost <= self._limit

    def _affords(self, cost: float) -> bool:
        return self._limit is None or self._spent() + self._set_aside + cost <= self._limit

    def _spent(self) -> float:
        return sum(call.cost_usd or 0.0 for call in self._calls) + self._untold

    def usage(self, role: str | None = None) -> Usage:
        """What the calls of a role, or all of them, add up to."""
        return Usage.of(call for call in self.calls if role in (None, call.role))

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
        what = "footage" if to.role == "analyse" else "what is asked and found"
        self._notify(f"{what} goes to {to.base_url}: now to {to.model} ({to.role}), {price} this time")
