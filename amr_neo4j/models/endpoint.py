"""Describes a model at a provider, and masks its API key in what the provider returns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from amr_neo4j.model_roles import is_local
from amr_neo4j.models.catalogue import KnownModel, known_model

# Sent if no key is configured: local servers ignore it, and the SDK requires a value.
NO_KEY = "none"
_MASK = "..."
# A shorter key may be a word, such as the "none" that is sent if no key is configured.
_SHORTEST_KEY = 8


class KeyMask:
    """Replaces a key in texts, even if JSON escapes some of its characters."""

    def __init__(self, key: str) -> None:
        self._key = key if len(key) >= _SHORTEST_KEY else ""
        # Several backslashes may stand before a character, because JSON inside JSON escapes them again.
        characters = (rf"(?:{re.escape(c)}|\\+u(?i:{ord(c):04x})|\\+{re.escape(c)})" for c in self._key)
        self._pattern = re.compile("".join(characters))

    def __call__(self, text: str) -> str:
        # Most texts have neither the key nor an escape, so the slower pattern is not needed for them.
        if not self._key or (self._key not in text and "\\" not in text):
            return text
        return self._pattern.sub(_MASK, text)

    def pieces(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield a text that comes in pieces, masked. What may be the start of a key waits for the next piece."""
        held = ""
        for piece in pieces:
            text = self(held + piece)
            held = self._start_of_key(text)
            if shown := text.removesuffix(held) if held else text:
                yield shown
        if held:
            yield held

    def _start_of_key(self, text: str) -> str:
        """Return the longest end of the text with which the key may begin."""
        ends = (text[-size:] for size in range(min(len(self._key) - 1, len(text)), 0, -1))
        return next((end for end in ends if self._key.startswith(end)), "")


@dataclass(frozen=True)
class Endpoint:
    """A model at a provider.

    extras: parameters added to every request.
    finds_model: the server is given by its URL and no model is set, so the model that it serves is meant. `model` is
        used if it lists none.
    is_local: the server is on this machine or, by its IP address, on a private network.
    """

    role: str
    base_url: str
    model: str
    api_key: str = field(default=NO_KEY, repr=False)
    extras: dict[str, Any] = field(default_factory=dict[str, Any])
    finds_model: bool = False
    max_reply_bytes: int = 16_000_000

    def __str__(self) -> str:
        return f"{self.model} at {self.base_url}"

    @property
    def is_local(self) -> bool:
        return is_local(self.base_url)

    @property
    def known(self) -> KnownModel | None:
        """What the catalogue says of the model; None for a server of one's own, which may call any model so."""
        return None if self.is_local else known_model(self.model)

    @cached_property
    def masked(self) -> KeyMask:
        """Masks the key in a text of the server."""
        return KeyMask(self.api_key)
