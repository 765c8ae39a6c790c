"""Generated input: valid documents with one or several places replaced, removed, repeated or garbled."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1e308, -1e308, 5e-324),
    *(float("nan"), float("inf"), float("-inf"), "", " ", "\n", "\x00", "a\x00b", "\x1b[31m", "\ud800", "\udcff"),
    *("\u202e\u200f", "😀" * 9, "a" * 501, "x" * 100_000, "-", "--help", "../../etc/passwd", "/dev/zero", "C" * 70),
    *("2026-03-01T09:00:00+01:02:03", "2026-03-01T09:00:00+23:59", "0001-01-01T00:00:00+14:00"),
    *("9999-12-31T23:59:59-14:00", "2026-02-30", "yesterday", "24:00", "1e999", "0x10", "١٢"),
    *("') DETACH DELETE (n", "$group_id", "a AND b OR (", "*?~^:\\/", "<v Bob>", "{{0}}", "%s%n", "None", "null"),
    *([], {}, [[]], [None], {"": ""}, {"a": {"b": {"c": []}}}, [1, "a", None, {}], ["x"] * 2000, {"text": 1}),
]


def value(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(VALUES))


def document(chance: random.Random, valid: Any) -> Any:
    """The valid one with one to three changes."""
    changed = copy.deepcopy(valid)
    for _ in range(chance.randint(1, 3)):
        changed = _changed(chance, changed)
    return changed


def text(chance: random.Random, valid: str) -> bytes:
    """The valid one with bytes replaced, removed or repeated."""
    return torn(chance, valid.encode("utf-8", "surrogatepass"))


def torn(chance: random.Random, valid: bytes) -> bytes:
    """As `text`, of bytes."""
    data = bytearray(valid)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            del data[at : at + chance.randint(1, 40)]
        elif kind == 1:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 9)))
        elif kind == 2:
            data[at:at] = data[at : at + 200] * chance.randint(1, 30)
        elif kind == 3:
            data = data[:at]
        else:
            data[at:at] = json.dumps(value(chance)).encode()[:2000]
    return bytes(data)


def _changed(chance: random.Random, node: Any) -> Any:
    if not isinstance(node, dict | list) or not node or chance.random() < 0.15:
        return value(chance)
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key = chance.choice(keys)
    kind = chance.randrange(8)
    if kind == 0:
        del node[key]
    elif kind == 1 and isinstance(node, dict):
        node[str(value(chance))[:100]] = value(chance)
    elif kind == 2 and isinstance(node, list):
        node.extend(copy.deepcopy(node[key]) for _ in range(chance.randint(1, 50)))
    else:
        node[key] = _changed(chance, node[key])
    return node
