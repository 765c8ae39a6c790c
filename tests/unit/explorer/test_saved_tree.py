"""A saved tree with something wrong: refused in a line with advice, or shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from amr_neo4j.errors import InputError
from amr_neo4j.explorer.page import page
from amr_neo4j.explorer.saved_tree import DEEPEST, outline, parsed
from tests.faults.documents import a_tree

WRONG: list[Any] = [None, 7, -1, "x", [], {}, [None], [[]], float("nan"), float("inf"), 10**400, "a\ud800", 1e308]


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def put(tree: dict[str, Any], path: tuple[Any, ...], value: Any) -> str:
    changed: Any = deepcopy(tree)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(changed)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: repr(wrong)[:20])
def test_whatever_a_place_holds(wrong: Any) -> None:
    tree = a_tree()
    for path in places(tree):
        try:
            read = parsed(put(tree, path, wrong), "tree.json")
        except InputError as error:
            assert error.hint and "\n" not in error.message
        else:
            list(outline(read))
            page(read, lambda name: None).encode()


def test_a_tree_as_it_is_written_is_shown_whole() -> None:
    read = parsed(json.dumps(a_tree()), "tree.json")
    assert json.loads(json.dumps(read))["options"] == a_tree()["options"]
    assert any("at noon" in line for line in outline(read)) and "at noon" in page(read, lambda name: None)


def test_a_chain_of_thousands_of_nodes_ends() -> None:
    tree = a_tree()
    [node] = tree["nodes"]
    tree["nodes"] = [node | {"id": str(n), "children": [str(n + 1)]} for n in range(1, 5000)]
    read = parsed(json.dumps(tree), "tree.json")
    assert len(list(outline(read))) < 5 * DEEPEST and page(read, lambda name: None)
