"""Masks an API key in what a server returns: some repeat it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MASK = "..."
# A shorter one may be a word, such as the "none" that is sent where no key is configured.
_SHORTEST_KEY = 8


class KeyMask:
    """Replaces a key, also where JSON escapes characters of it."""

    def __init__(self, key: str) -> None:
        self._key = key if len(key) >= _SHORTEST_KEY else ""
        characters = (rf"(?:{re.escape(c)}|\\+u(?i:{ord(c):04x})|\\+{re.escape(c)})" for c in self._key)
        self._pattern = re.compile("".join(characters))

    def __call__(self, text: str) -> str:
        if not self._key or (self._key not in text and "\\" not in text):
            return text
        return self._pattern.sub(MASK, text)

    def pieces(self, pieces: Iterable[str]) -> Iterator[str]:
        """The same of a text in pieces: what may be the start of a key waits for the next piece."""
        held = ""
        for piece in pieces:
            text = self(held + piece)
            held = self._start_of_key(text)
            if shown := text.removesuffix(held) if held else text:
                yield shown
        if held:
            yield held

    def _start_of_key(self, text: str) -> str:
        """The longest end of the text that a key may begin with."""
        ends = (text[-size:] for size in range(min(len(self._key) - 1, len(text)), 0, -1))
        return next((end for end in ends if self._key.startswith(end)), "")
