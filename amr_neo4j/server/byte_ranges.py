"""Reads the header Range of a request for a file."""

from __future__ import annotations

import re

_PART = re.compile(r"(?P<first>\d+)-(?P<last>\d*)|-(?P<suffix>\d+)")
# No file has more bytes than a number of so many digits.
_MOST_DIGITS = 18


def present_parts(asked: str, size: int) -> list[tuple[int, int]] | None:
    """Return (first byte, last byte) of each asked part that a file of this size has; None if the header is no range.

    A part of which the file has only the beginning ends with the file (RFC 9110, section 14.1.2).
    """
    unit, _, parts = asked.partition("=")
    found = [_PART.fullmatch(part.strip()) for part in parts.split(",")]
    spans = list[tuple[int, int]]()
    for part in found:
        if unit != "bytes" or part is None:
            return None
        if part["suffix"]:
            spans.append((max(0, size - _number(part["suffix"])), size - 1))
            continue
        first, last = _number(part["first"]), _number(part["last"]) if part["last"] else None
        if last is not None and last < first:
            return None
        spans.append((first, size - 1 if last is None else min(last, size - 1)))
    return [(first, last) for first, last in spans if first <= last]


def _number(digits: str) -> int:
    """Return a number, or one that is larger than any file for more digits than Python converts."""
    digits = digits.lstrip("0")
    return int(digits or 0) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
