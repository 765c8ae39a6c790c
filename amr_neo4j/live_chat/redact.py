"""Removes what identifies a person from text for logs (specification 001, privacy)."""

from __future__ import annotations

import re

# From the start of a word on only: else a long word without an @ is read again from each of its characters.
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# Phone, account and card numbers: seven digits or more, with the usual separators.
_NUMBER = re.compile(r"\+?\d(?:[ ()./-]{0,2}\d){6,}")


def redacted(text: str) -> str:
    """The text with [mail] and [number] in place of addresses and long numbers."""
    return _NUMBER.sub("[number]", _MAIL.sub("[mail]", text))
