"""Fills a prompt within its budget: messages, tool results, what was recalled, rules (specification 002 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from amr_neo4j import tables
from amr_neo4j.domain.budget import PER_MESSAGE, Context, CountTokens, Dropped, Tier, Why, estimated_tokens

_CUT = "…"


class BudgetTable(tables.Table):
    """budget.yaml, which explains its keys."""

    total: int
    recent: int
    recent_least: int
    recent_most: int
    tools: int
    facts: int
    episodes: int


@cache
def budget_table() -> BudgetTable:
    """The shipped table."""
    return tables.load(__package__ or "", "budget.yaml", BudgetTable)


def build_context(
    recent: Sequence[str] = (),
    tools: Sequence[str] = (),
    facts: Sequence[str] = (),
    episodes: Sequence[str] = (),
    system: str = "",
    *,
    total: int | None = None,
    count: CountTokens = estimated_tokens,
    table: BudgetTable | None = None,
) -> Context:
    """The parts of a prompt that fit into `total` tokens; everything that does not is reported.

    recent: messages, oldest first: the last three always, up to five where they fit into their tier; only where they
    leave no room for the tools or exceed the whole budget are they shortened, the oldest first. tools: results of
    tools, shortened where they are too large, never dropped while there is room. facts, episodes: best first, until
    the first that does not fit; repeated ones drop. system: instructions, cut to what is left.
    """
    return _Filling(count, table or budget_table(), total).fill(recent, tools, facts, episodes, system)


@dataclass
class _Filling:
    count: CountTokens
    table: BudgetTable
    total: int | None
    tokens: dict[Tier, int] = field(default_factory=dict[Tier, int])
    dropped: list[Dropped] = field(default_factory=list[Dropped])

    @property
    def _left(self) -> int:
        most = self.table.total if self.total is None else self.total
        return max(0, most - sum(self.tokens.values()))

    def fill(
        self, recent: Sequence[str], tools: Sequence[str], facts: Sequence[str], episodes: Sequence[str], system: str
    ) -> Context:
        for_tools = min(self.table.tools, sum(self._size(each) for each in tools), self._left)
        kept_recent = self._recent(recent, self._left - for_tools)
        kept_tools = self._tools(tools, min(self._left, max(for_tools, self.table.tools)))
        listed: set[str] = set()
        kept_facts = self._stream("facts", facts, self.table.facts, listed)
        kept_episodes = self._stream("episodes", episodes, self.table.episodes, listed)
        kept_system = self._system(system)
        kept = (kept_recent, kept_tools, kept_facts, kept_episodes, kept_system)
        return Context(*kept, self.tokens, tuple(self.dropped))

    def _size(self, text: str) -> int:
        """Tokens of a message."""
        return self.count(text) + PER_MESSAGE

    def _recent(self, messages: Sequence[str], room: int) -> tuple[str, ...]:
        """The last messages, newest first until the tier is full, the required ones beyond it."""
        kept: list[str] = []
        used = 0
        for back, text in enumerate(reversed(messages)):
            size = self._size(text)
            required = back < self.table.recent_least
            fits = used + size <= (room if required else min(room, self.table.recent))
            if back >= self.table.recent_most or (not required and not fits):
                why: Why = "too old" if back >= self.table.recent_most else "no room"
                older = messages[: len(messages) - back]
                self.dropped += [Dropped("recent", each, self._size(each), why) for each in reversed(older)]
                break
            short = text if fits else self._shortened("recent", text, room - used - PER_MESSAGE, PER_MESSAGE)
            if short:
                kept.append(short)
                used += self._size(short)
        self.tokens["recent"] = used
        return tuple(reversed(kept))

    def _tools(self, results: Sequence[str], room: int) -> tuple[str, ...]:
        """All of them, the large ones shortened to equal shares of the room."""
        if not results:
            return ()
        sizes = [self._size(each) for each in results]
        shares = _shares(sizes, room)
        kept: list[str] = []
        for text, size, share in zip(results, sizes, shares, strict=True):
            short = text if size <= share else self._shortened("tools", text, share - PER_MESSAGE, PER_MESSAGE)
            if short:
                kept.append(short)
        self.tokens["tools"] = sum(self._size(each) for each in kept)
        return tuple(kept)

    def _stream(self, tier: Tier, texts: Sequence[str], most: int, listed: set[str]) -> tuple[str, ...]:
        """Best first, until the first that does not fit."""
        kept: list[str] = []
        used, room, full = 0, min(most, self._left), False
        for text in texts:
            size, said = self.count(text) + 1, text.casefold().strip() in listed
            full = full or (not said and used + size > room)
            if said or full:
                self.dropped.append(Dropped(tier, text, size, "said already" if said else "no room"))
                continue
            listed.add(text.casefold().strip())
            kept.append(text)
            used += size
        self.tokens[tier] = used
        return tuple(kept)

    def _system(self, text: str) -> str:
        if not text:
            return ""
        room = self._left
        short = text if self._size(text) <= room else self._shortened("system", text, room - PER_MESSAGE, PER_MESSAGE)
        self.tokens["system"] = self._size(short) if short else 0
        return short

    def _shortened(self, tier: Tier, text: str, room: int, beside: int) -> str:
        """The beginning of a text that fits into `room` tokens, cut at a word; reported. Empty where nothing fits."""
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(text[:middle] + _CUT) <= room:
                low = middle
            else:
                high = middle - 1
        begin = text[:low]
        words = begin.rpartition(" ")[0] if low < len(text) and not text[low].isspace() else begin
        short = f"{words.rstrip() or begin}{_CUT}" if low else ""
        kept = self.count(short) + beside if short else 0
        self.dropped.append(Dropped(tier, text, self._size(text), "shortened" if short else "no room", kept))
        return short


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """How much of the room each gets: what it needs where that is under its share, the others equal shares."""
    shares = [0] * len(sizes)
    waiting = sorted(range(len(sizes)), key=lambda each: sizes[each])
    for place, each in enumerate(waiting):
        shares[each] = min(sizes[each], room // (len(waiting) - place))
        room -= shares[each]
    return shares
