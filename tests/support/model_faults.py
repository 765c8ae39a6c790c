"""Hostile replies of the model server: odd numbers, odd bodies, and bodies that never end."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

Json = dict[str, Any]

USAGES: dict[str, Json] = {
    "huge_tokens": {"prompt_tokens": 2**63, "completion_tokens": 10},
    "negative_tokens": {"prompt_tokens": -5, "completion_tokens": -(2**70)},
    "infinite_tokens": {"prompt_tokens": float("inf"), "completion_tokens": float("nan")},
    "text_tokens": {"prompt_tokens": "many", "completion_tokens": {}},
    "negative_cost": {"prompt_tokens": 100, "completion_tokens": 10, "cost": -1},
    "nan_cost": {"prompt_tokens": 100, "completion_tokens": 10, "cost": float("nan")},
    "huge_cost": {"prompt_tokens": 100, "completion_tokens": 10, "cost": 1e308},
    "endless_cost": {"prompt_tokens": 100, "completion_tokens": 10, "cost": 10**400},
    "zero_cost": {"prompt_tokens": 100_000, "completion_tokens": 10_000, "cost": 0},
    "text_cost": {"prompt_tokens": 100, "completion_tokens": 10, "cost": "free"},
}
"""What a reply states of its usage, by fault."""

BODIES: dict[str, Callable[[Json], bytes]] = {
    "empty_body": lambda _: b"",
    "null_body": lambda _: b"null",
    "list_body": lambda reply: json.dumps([reply]).encode(),
    "no_choices": lambda reply: json.dumps(reply | {"choices": []}).encode(),
    "null_choices": lambda reply: json.dumps(reply | {"choices": None}).encode(),
    "text_choices": lambda reply: json.dumps(reply | {"choices": "Rain."}).encode(),
    "many_choices": lambda reply: json.dumps(reply | {"choices": [{}] * 100_000}).encode(),
    "deep_body": lambda _: b'{"choices": ' * 200_000,
    "long_number": lambda _: b'{"usage": {"cost": ' + b"9" * 5_000 + b"}}",
    "bad_utf8": lambda reply: json.dumps(reply).encode().replace(b"assistant", b"\xff\xfe\xc3"),
    "binary": lambda _: bytes(range(256)) * 100,
    "text_error": lambda _: b'{"error": "overloaded"}',
    "odd_error": lambda _: b'{"error": {"message": {"a": 1}, "code": [1]}}',
    "long_code": lambda _: b'{"error": {"message": "x", "code": "' + b"9" * 5_000 + b'"}}',
    "long_error": lambda _: json.dumps({"error": {"message": "x\n" * 500_000, "code": 400}}).encode(),
}
"""The whole body in place of a reply, by fault."""

TEXTS: dict[str, Callable[[str], str]] = {
    "lone_surrogate": lambda text: f"{text[:4]}\udc00{text[4:]}\ud800",
    "nul": lambda text: f"\x00{text}\x00",
    "nested_text": lambda _: "[" * 50_000,
    "long_text": lambda text: text + "?" * 3_000_000,
    "many_keys": lambda _: json.dumps({str(n): n for n in range(50_000)}),
    "controls": lambda text: f"\x1b[2J\x1b]0;gone\x07{text}\u202e",
    "wide_numbers": lambda text: text.replace("0.5", "1e999").replace(": 1,", ": 18446744073709551616,"),
}
"""The text of a reply, by fault."""

ENDLESS = {
    "drip": (b" ", 0.05),
    "keep_alives": (b": still here\n\n", 0.02),
    "endless_body": (b"x" * 65_536, 0.0),
    "endless_tokens": (b'data: {"choices": [{"delta": {"content": "la "}}]}\n\n', 0.0),
    "endless_line": (b"data: " + b"y" * 65_536, 0.0),
    "endless_brackets": (b"[" * 65_536, 0.0),
}
"""(bytes, seconds between) that a body repeats until the client hangs up, by fault."""


def endless(fault: str, is_over: Callable[[], bool]) -> Iterator[bytes]:
    """The pieces of a body that never ends, until `is_over`."""
    piece, seconds = ENDLESS[fault]
    while not is_over():
        yield piece
        time.sleep(seconds)


@cache
def _blanks() -> bytes:
    return gzip.compress(b" " * 2**26)


def bomb(reply: bytes) -> bytes:
    """A gzip body of a few kilobytes that holds 64 MB before the reply."""
    return _blanks() + gzip.compress(reply)
