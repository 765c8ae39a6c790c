"""Fills a prompt up to its token budget: messages, tool results, recalled texts, instructions.

Specification 002 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from amr_neo4j.domain.budget import PER_MESSAGE, Budget, Context, CountTokens, Dropped, Tier, Why, estimated_tokens

_ELLIPSIS = "…"


def build_context(
    recent: Sequence[str] = (),
    tools: Sequence[str] = (),
    facts: Sequence[str] = (),
    episodes: Sequence[str] = (),
    system: str = "",
    *,
    budget: Budget,
    count: CountTokens = estimated_tokens,
) -> Context:
    """Return the parts of a prompt that fit into the budget; `Context.dropped` lists everything else.

    recent: messages, oldest first. The last three are always kept, and up to five if they fit into their tier. They
        are shortened only if they exceed the budget or leave no room for the other tiers; the oldest is shortened
        first.
    tools: tool results. Large ones are shortened; none is dropped while there is room.
    facts, episodes: best first. They are taken until one does not fit. A text that is already there is dropped.
    system: instructions, cut to the tokens that are left.
    count: counts the tokens of a text.
    """
    return _Filling(count, budget).fill(recent, tools, facts, episodes, system)


@dataclass
class _Filling:
    """A context in the making.

    tokens: used so far, by tier.
    dropped: what was left out or shortened so far.
    """

    count: CountTokens
    budget: Budget
    tokens: dict[Tier, int] = field(default_factory=dict[Tier, int])
    dropped: list[Dropped] = field(default_factory=list[Dropped])

    @property
    def _left(self) -> int:
        return max(0, self.budget.total - sum(self.tokens.values()))

    def fill(
        self, recent: Sequence[str], tools: Sequence[str], facts: Sequence[str], episodes: Sequence[str], system: str
    ) -> Context:
        # The order of the tiers decides who gets the tokens. Room for the others is set aside before the messages are
        # taken, since a long one would leave none. What the messages leave unused falls to the tools.
        for_facts = min(self.budget.facts, sum(self.count(each) + 1 for each in facts), self._left)
        for_tools = min(self.budget.tools, sum(self._size(each) for each in tools), self._left - for_facts)
        lines = sum(self.count(each) + 1 for each in episodes)
        streamed = for_facts + min(self.budget.episodes, lines, self._left - for_facts - for_tools)
        kept_recent = self._recent(recent, self._left - streamed - for_tools)
        kept_tools = self._tools(tools, min(self._left - streamed, max(for_tools, self.budget.tools)))
        listed: set[str] = set()  # shared by both tiers: an episode that repeats a fact is dropped
        kept_facts = self._stream("facts", facts, self.budget.facts, listed)
        kept_episodes = self._stream("episodes", episodes, self.budget.episodes, listed)
        kept_system = self._system(system)
        kept = (kept_recent, kept_tools, kept_facts, kept_episodes, kept_system)
        return Context(*kept, self.tokens, tuple(self.dropped))

    def _size(self, text: str) -> int:
        """Return the tokens of a message: those of its text and of what the chat format puts around it."""
        return self.count(text) + PER_MESSAGE

    def _recent(self, messages: Sequence[str], room: int) -> tuple[str, ...]:
        """Return the last messages that fit, oldest first.

        They are taken from the newest on, until their tier is full. The last `recent_least` messages are required:
        they may exceed the tier, up to `room` tokens.
        """
        kept: list[str] = []
        used = 0
        for back, text in enumerate(reversed(messages)):
            size = self._size(text)
            required = back < self.budget.recent_least
            fits = used + size <= (room if required else min(room, self.budget.recent))
            if back >= self.budget.recent_most or (not required and not fits):
                why: Why = "too old" if back >= self.budget.recent_most else "no room"
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
        """Return the results; the large ones are shortened to equal shares of the room."""
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
        """Return the texts up to the first one that does not fit. listed: casefolded texts that are in the prompt.

        Stops there even if a later text is short enough: it would be less relevant.
        """
        kept: list[str] = []
        used, room, full = 0, min(most, self._left), False
        for text in texts:
            # One more token for the line break: these texts are lines of one message.
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
        """Return the longest beginning of a text that fits into `room` tokens, cut at a word; empty if none fits.

        Adds an entry to `dropped`.

        beside: tokens that the message has besides its text.
        """
        # Binary search: `count` may be any tokenizer, so the length in characters cannot be calculated.
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(text[:middle] + _ELLIPSIS) <= room:
                low = middle
            else:
                high = middle - 1
        begin = text[:low]
        words = begin.rpartition(" ")[0] if low < len(text) and not text[low].isspace() else begin
        short = f"{words.rstrip() or begin}{_ELLIPSIS}" if low else ""
        kept = self.count(short) + beside if short else 0
        self.dropped.append(Dropped(tier, text, self._size(text), "shortened" if short else "no room", kept))
        return short


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Share out the room: small ones get what they need, and the others equal parts of what is left.

    Example: sizes 10, 90 and 80 in a room of 110 get 10, 50 and 50.
    """
    shares = [0] * len(sizes)
    waiting = sorted(range(len(sizes)), key=lambda each: sizes[each])
    # The smallest first: what it does not need is shared among the larger ones.
    for place, each in enumerate(waiting):
        shares[each] = min(sizes[each], room // (len(waiting) - place))
        room -= shares[each]
    return shares
