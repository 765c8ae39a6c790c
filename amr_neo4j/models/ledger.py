"""Records what calls to models have cost, limits the cost, and notifies the user before the first call."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from threading import Lock, local

from amr_neo4j.domain.chat import ModelCall, Usage
from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import CostLimit
from amr_neo4j.models.catalogue import Price, end_of
from amr_neo4j.models.endpoint import Endpoint

_log = logging.getLogger(__name__)


def today() -> date:
    """Return the present day in UTC."""
    return datetime.now(UTC).date()


class Ledger:
    """Every call, in order, and its cost in US dollars. Thread-safe."""

    def __init__(
        self, notify: Notify = _log.warning, limit_usd: float | None = None, *, day: Callable[[], date] = today
    ) -> None:
        """notify: receives one line before the first call to each provider: its address and the estimated cost.

        It also receives a line before the first call to each model that ends soon.
        limit_usd: a call that could exceed this total is not made, nor one of unknown price.
        day: returns the present day.
        """
        self.notify, self.day = notify, day
        # (base URL, model) -> the price in the list of that server; None if it lists none.
        self.listed_prices: dict[tuple[str, str], Price | None] = {}
        self._limit, self._reserved, self._unreported = limit_usd, 0.0, 0.0
        self._thread = local()
        self._announced: set[str] = set()
        self._calls: list[ModelCall] = []
        self._lock = Lock()

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        with self._lock:
            return tuple(self._calls)

    def add(self, call: ModelCall, unreported: float = 0.0) -> None:
        """Enter a call. unreported: the most that it may have cost, if the reply reports no usage."""
        with self._lock:
            self._calls.append(call)
            self._unreported += unreported
        counted: list[ModelCall] | None = getattr(self._thread, "counted", None)
        if counted is not None:
            counted.append(call)

    def note_answerer(self, to: Endpoint, name: str) -> None:
        """Notify the user once if a provider has another model answer than the one that was asked for."""
        asked, answered = (each.rpartition("/")[2].casefold() for each in (to.model, name))
        # Providers add a date or a variant: gpt-4o is gpt-4o-2024-08-06. A local server may give the name of a file.
        if to.is_local or answered.startswith(asked) or asked.startswith(answered):
            return
        line = f"asked {to} ({to.role}), and {name} answered"
        with self._lock:
            is_new = line not in self._announced
            self._announced.add(line)
        if is_new:
            self.notify(line)

    @property
    def is_limited(self) -> bool:
        return self._limit is not None

    @contextmanager
    def counting(self) -> Generator[list[ModelCall]]:
        """Collect the calls that this thread makes within the block."""
        counted: list[ModelCall] = []
        # Per thread, because several clips are analysed at once and each receipt shows its own calls.
        self._thread.counted = counted
        try:
            yield counted
        finally:
            self._thread.counted = None

    @contextmanager
    def reserve(self, cost: float | None) -> Generator[None]:
        """Reserve the most that a call may cost while it runs; None if unknown. Raises CostLimit before the call."""
        most = cost or 0.0
        with self._lock:
            # Calls under way count with the most that they may cost. A limit that looked only at replies would be
            # exceeded by every call that was already sent (decision 0060).
            if not self._fits_with_reserved(most):
                raise CostLimit(f"the next call could cost ${most:.4f} and exceed max_cost_usd, ${self._limit}")
            self._reserved += most
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= most

    def charge(self, unreported: float) -> None:
        """Count an attempt whose cost is not reported. Raises CostLimit: a retry could exceed the limit."""
        with self._lock:
            self._unreported += unreported
            if not self._fits_with_reserved(0.0):
                raise CostLimit(f"another attempt could exceed max_cost_usd, ${self._limit}")

    def carry(self, spent: float) -> None:
        """Count what an earlier run cost towards the limit of this one."""
        with self._lock:
            self._unreported += spent

    def affords(self, cost: float) -> bool:
        """Return whether calls that cost this much stay within the limit.

        What is reserved for calls under way is not counted.
        """
        with self._lock:
            return self._limit is None or self._spent() + cost <= self._limit

    def _fits_with_reserved(self, cost: float) -> bool:
        return self._limit is None or self._spent() + self._reserved + cost <= self._limit

    def _spent(self) -> float:
        return sum(call.cost_usd or 0.0 for call in self._calls) + self._unreported

    def usage(self, role: str | None = None) -> Usage:
        """Return the total usage of one role, or of all."""
        return Usage.of(call for call in self.calls if role in (None, call.role))

    def announce(self, to: Endpoint, cost: float | None) -> None:
        """Notify the user before the first call to each provider, and to each model that ends soon.

        cost: the most this call may cost, if known.
        """
        with self._lock:
            is_new_server = to.base_url not in self._announced
            is_new_model = f"{to.base_url} {to.model}" not in self._announced
            self._announced |= {to.base_url, f"{to.base_url} {to.model}"}
        row = to.known if is_new_model else None
        if row and (line := end_of(to.model, row.ends, row.successor, self.day())):
            self.notify(f"{line}: set model under {to.role}")
        if not is_new_server:
            return
        price = "price unknown" if cost is None else f"at most about ${cost:.4f}"
        what = "footage" if to.role in ("analyse", "explore") else "questions and retrieved text"
        self.notify(f"sending {what} to {to.base_url}, model {to.model} ({to.role}), {price} for this call")
