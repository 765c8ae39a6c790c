"""A lenient JSON parser for the near-JSON that models write. Runs in linear time.

Also accepted: single and typographic quotes, unquoted keys, comments, trailing commas, Python's True, False and None,
line breaks in strings, numbers such as .5 and +1. Nothing is completed: truncated text and missing commas are errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from amr_neo4j.models.json_reply import RepeatedKey, unique_keys

_OBJECT_START = re.compile(r"""\{\s*(?:["'“”„}]|//|/\*|[A-Za-z_$][\w$]*\s*:)""")
_TOKEN = re.compile(
    r"""(?P<text>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|[“”„][^“”„"\\]*(?:\\.[^“”„"\\]*)*[“”„"])"""
    r"""|(?P<skipped>\s+|//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<unterminated>["'“”„]|/\*)"""
    r"""|(?P<key>[A-Za-z_$][\w$]*(?=\s*:))"""
    r"""|(?P<word>[A-Za-z_$][\w$]*)"""
    r"""|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
_STRICT_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ESCAPE = re.compile(r'\\(x[0-9a-fA-F]{2}|.)|"', re.DOTALL)
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
# How many malformed candidates are skipped.
_MAX_FAILURES = 8
_MAX_DEPTH = 200


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield each outermost object in the text; malformed ones are skipped. Raises RepeatedKey."""
    begin, failures = _OBJECT_START.search(text), 0
    while begin and failures < _MAX_FAILURES:
        end = begin.start() + 1
        try:
            found, end = value(text, begin.start())
            yield found
        except RepeatedKey:
            raise
        except (ValueError, RecursionError):
            failures += 1
        begin = _OBJECT_START.search(text, end)


def value(text: str, begin: int) -> tuple[Any, int]:
    """Parse the object or list at position `begin`; return it and its end. Raises ValueError, RecursionError."""
    strict: list[str] = []
    depth = 0
    for token in _TOKEN.finditer(text, begin):
        kind, piece = token.lastgroup or "", token[0]
        if kind == "skipped":
            continue
        if piece in ("}", "]") and strict[-1] == ",":
            strict.pop()
        strict.append(_strict(kind, piece))
        depth += (piece in ("{", "[")) - (piece in ("}", "]"))
        if depth > _MAX_DEPTH:
            break
        if not depth:
            return json.loads(" ".join(strict), strict=False, object_pairs_hook=unique_keys), token.end()
    raise ValueError("truncated, or nested too deep")


def _strict(kind: str, piece: str) -> str:
    """A token as strict JSON."""
    if kind == "unterminated":
        raise ValueError("unterminated string or comment")
    if kind == "text":
        return f'"{_ESCAPE.sub(_escaped, piece[1:-1])}"'
    if kind == "key":
        return f'"{piece}"'
    if kind == "number" and not _STRICT_NUMBER.fullmatch(piece):
        return repr(float(piece))
    return _PYTHON_WORDS.get(piece, piece) if kind == "word" else piece


def _escaped(found: re.Match[str]) -> str:
    """A quote or an escape within a string, as JSON writes it."""
    after = found[1]
    if not after:
        return r"\""
    if after == "\n":
        return ""
    if len(after) == 3:
        return rf"\u00{after[1:]}"
    return found[0] if after in '"\\/bfnrtu' else after
