"""Records what calls to models have cost, limits the cost, and notifies the user before the first call."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
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


@dataclass
class _Budget:
    """What calls may cost together, in US dollars.

    setting: the name of the limit.
    reserved: for calls under way.
    hint: what to do once the limit is reached.
    """

    setting: str
    limit: float | None
    spent: float = 0.0
    reserved: float = 0.0
    hint: str = ""

    def check(self, cost: float, what: str) -> None:
        """Raises CostLimit: one more call could exceed the limit.

        Calls under way count with the most that they may cost. A limit that looked only at replies would be exceeded
        by every call that was already sent (decision 0060).
        """
        if self.limit is not None and self.spent + self.reserved + cost > self.limit:
            raise CostLimit(f"{what} could cost ${cost:.4f} and exceed {self.setting}, ${self.limit}", hint=self.hint)


@dataclass(frozen=True)
class _Payer:
    """Who pays, and what calls may cost on one day, in US dollars. setting: the name of that limit."""

    name: str
    setting: str
    limit_usd: float


_payer = ContextVar[_Payer | None]("payer", default=None)


# The latest calls, which are kept one by one. Of all calls there are sums.
_CALLS_KEPT = 1000


class Ledger:
    """The calls to models and their cost in US dollars. Thread-safe."""

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
        self._total = _Budget("max_cost_usd", limit_usd)
        # (who pays, day) -> what that one may spend. Of the last day alone.
        self._budget_of: dict[tuple[str, date], _Budget] = {}
        self._spent: Callable[[str, date], float] = lambda payer, day: 0.0
        self._spend: Callable[[str, date, float], object] = lambda payer, day, usd: None
        self._thread = local()
        self._announced: set[str] = set()
        self._calls = deque[ModelCall](maxlen=_CALLS_KEPT)
        # {(role, model, why calls failed): their sum}
        self._sums: dict[tuple[str, str, str], Usage] = {}
        self._lock = Lock()

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """The latest 1,000 calls, in order."""
        with self._lock:
            return tuple(self._calls)

    @property
    def sums(self) -> dict[tuple[str, str, str], Usage]:
        """{(role, model, why the calls failed; empty if they did not): the usage of all such calls}."""
        with self._lock:
            return dict(self._sums)

    def add(self, call: ModelCall, unreported: float = 0.0) -> None:
        """Enter a call. unreported: the most that it may have cost, if the reply reports no usage."""
        with self._lock:
            self._calls.append(call)
            kind = call.role, call.model, call.failed
            self._sums[kind] = self._sums.get(kind, Usage()) + Usage.of([call])
        counted: list[ModelCall] | None = getattr(self._thread, "counted", None)
        if counted is not None:
            counted.append(call)
        self._pay((call.cost_usd or 0.0) + unreported)

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
        return any(budget.limit is not None for budget in self._budgets)

    @property
    def _budgets(self) -> list[_Budget]:
        payer, today = _payer.get(), self.day()
        if payer is None:
            return [self._total]
        budget = self._budget_of.get((payer.name, today))
        if budget is None:
            hint = f"each day (UTC) counts anew; only the setting {payer.setting} raises the limit"
            spent = self._spent(payer.name, today)  # may read a file, so without the lock
            budget = _Budget(payer.setting, payer.limit_usd, spent, hint=hint)
            with self._lock:
                self._budget_of = {each: known for each, known in self._budget_of.items() if each[1] >= today}
                # Another thread may have made it in the meantime; both must use one.
                budget = self._budget_of.setdefault((payer.name, today), budget)
        return [self._total, budget]

    def _pay(self, cost: float) -> None:
        """Count a cost. Called without the lock, since what a payer has spent may be written to a file."""
        budgets = self._budgets
        with self._lock:
            for budget in budgets:
                budget.spent += cost
        if cost and (payer := _payer.get()):
            self._spend(payer.name, self.day(), cost)

    def keep(self, spent: Callable[[str, date], float], spend: Callable[[str, date, float], object]) -> None:
        """Have what each payer has spent on a day kept where it outlives the program.

        spent: (payer, day) -> US dollars until now.
        spend: called with (payer, day, US dollars) after each attempt that costs something. It must not raise.
        """
        self._spent, self._spend = spent, spend

    @contextmanager
    def paid_by(self, payer: str, setting: str, limit_usd: float) -> Generator[None]:
        """Within the block, and in threads that it starts with a copy of its context, calls count for this payer.

        limit_usd: what its calls may cost on one day, that of each call.
        setting: the name of the limit.
        """
        token = _payer.set(_Payer(payer, setting, limit_usd))
        try:
            yield
        finally:
            _payer.reset(token)

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
        most, budgets = cost or 0.0, self._budgets
        with self._lock:
            for budget in budgets:
                budget.check(most, "the next call")
            for budget in budgets:
                budget.reserved += most
        try:
            yield
        finally:
            with self._lock:
                for budget in budgets:
                    budget.reserved -= most

    def charge(self, unreported: float) -> None:
        """Count an attempt whose cost is not reported. Raises CostLimit: a retry could exceed the limit."""
        self._pay(unreported)
        budgets = self._budgets
        with self._lock:
            for budget in budgets:
                budget.check(0.0, "another attempt")

    def carry(self, spent: float) -> None:
        """Count what an earlier run cost towards the limit of this one."""
        with self._lock:
            self._total.spent += spent

    def affords(self, cost: float) -> bool:
        """Return whether calls that cost this much stay within the limit.

        What is reserved for calls under way is not counted.
        """
        budgets = self._budgets
        with self._lock:
            return all(each.limit is None or each.spent + cost <= each.limit for each in budgets)

    def usage(self, role: str | None = None) -> Usage:
        """Return the total usage of one role, or of all."""
        return sum((usage for (of, *_), usage in self.sums.items() if role in (None, of)), Usage())

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
