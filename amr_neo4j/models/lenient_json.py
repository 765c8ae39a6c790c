"""Almost JSON, as models write it, read as the JSON that is meant.

Taken as well: single and typographic quotes, bare keys, comments, trailing commas, Python's True, False and None,
line breaks in a text, numbers such as .5 and +1. Nothing is ever completed: what breaks off or lacks a comma is
refused. It takes time in proportion to the length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from amr_neo4j.models.json_reply import RepeatedKey, once

_BEGINS = re.compile(r"""\{\s*(?:["'“”„}]|//|/\*|[A-Za-z_$][\w$]*\s*:)""")
_TOKEN = re.compile(
    r"""(?P<text>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|[“”„][^“”„"\\]*(?:\\.[^“”„"\\]*)*[“”„"])"""
    r"""|(?P<skipped>\s+|//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<endless>["'“”„]|/\*)"""
    r"""|(?P<key>[A-Za-z_$][\w$]*(?=\s*:))"""
    r"""|(?P<word>[A-Za-z_$][\w$]*)"""
    r"""|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
_STRICT_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ESCAPE = re.compile(r'\\(x[0-9a-fA-F]{2}|.)|"', re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null"}
# So many things that only begin like an object are passed over.
_TRIES = 8
_DEEPEST = 200


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Each object that does not lie in another. Raises RepeatedKey."""
    begin, tries = _BEGINS.search(text), 0
    while begin and tries < _TRIES:
        end = begin.start() + 1
        try:
            found, end = value(text, begin.start())
            yield found
        except RepeatedKey:
            raise
        except (ValueError, RecursionError):
            tries += 1
        begin = _BEGINS.search(text, end)


def value(text: str, begin: int) -> tuple[Any, int]:
    """The object or list that begins there, and where it ends. Raises ValueError, RecursionError."""
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
        if depth > _DEEPEST:
            break
        if not depth:
            return json.loads(" ".join(strict), strict=False, object_pairs_hook=once), token.end()
    raise ValueError("it breaks off, or is nested too deep")


def _strict(kind: str, piece: str) -> str:
    if kind == "endless":
        raise ValueError("a text or comment in it never ends")
    if kind == "text":
        return f'"{_ESCAPE.sub(_escaped, piece[1:-1])}"'
    if kind == "key":
        return f'"{piece}"'
    if kind == "number" and not _STRICT_NUMBER.fullmatch(piece):
        return repr(float(piece))
    return _WORDS.get(piece, piece) if kind == "word" else piece


def _escaped(found: re.Match[str]) -> str:
    """A quote or an escape within a text, as JSON writes it."""
    after = found[1]
    if not after:
        return r"\""
    if after == "\n":
        return ""
    if len(after) == 3:
        return rf"\u00{after[1:]}"
    return found[0] if after in '"\\/bfnrtu' else after
