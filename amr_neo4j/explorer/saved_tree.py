"""A saved tree.json: read, checked and shown as lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from amr_neo4j.domain.timestamps import clock
from amr_neo4j.errors import InputError
from amr_neo4j.explorer.export import SCHEMA_VERSION, Json

_KEYS = {"schema_version", "question", "video", "stopped", "terminated", "answer", "root", "nodes", "looks", "usage"}
_NODE_KEYS = {"id", "parent", "children", "start_s", "end_s", "strategy", "status", "decision", "segment", "notes"}
_HINT = "name a tree.json that amr explore wrote"
_DEEPEST = 100


def parsed(text: str, name: str) -> Json:
    """The document. name: of the file, for the error. Raises InputError: it is no tree of this version."""
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON", hint=_HINT) from error
    if not isinstance(document, dict) or "schema_version" not in document:
        raise InputError(f"{name} is not the tree of an exploration", hint=_HINT)
    tree = cast(Json, document)
    if tree["schema_version"] != SCHEMA_VERSION:
        hint = f"this program reads version {SCHEMA_VERSION}; explore again, or use the program that wrote it"
        raise InputError(f"{name} has schema version {tree['schema_version']!r}", hint=hint)
    if missing := _missing(tree):
        raise InputError(f"{name} lacks {', '.join(sorted(missing))}", hint=_HINT)
    return tree


def _missing(tree: Json) -> set[str]:
    """The keys that are needed to show it and are not there."""
    missing = _KEYS - tree.keys()
    nodes: object = tree.get("nodes")
    if not isinstance(nodes, list) or not all(isinstance(node, dict) for node in cast(list[object], nodes)):
        return {*missing, "nodes"}
    for node in cast(list[Json], nodes):
        missing |= _NODE_KEYS - node.keys()
    for name in ("video", "root", "usage"):
        if not isinstance(tree.get(name), dict):
            missing.add(name)
    return missing


def walk(tree: Json) -> Iterator[tuple[int, Json]]:
    """(depth from 0, node) of each node, a parent before its children. A node that is its own ancestor comes once."""
    by_id = {str(node["id"]): node for node in tree["nodes"]}
    shown: set[str] = set()
    waiting = [(0, str(path_id)) for path_id in reversed(tree["root"].get("children", []))]
    while waiting:
        depth, path_id = waiting.pop()
        if path_id in shown or path_id not in by_id or depth > _DEEPEST:
            continue
        shown.add(path_id)
        yield depth, by_id[path_id]
        waiting += [(depth + 1, str(child)) for child in reversed(by_id[path_id]["children"])]


def outline(tree: Json) -> Iterator[str]:
    """A line for the root and each node, indented by depth; below it what became of odd proposals."""
    yield f"root: {_decided(tree['root'].get('decision'))}"
    yield from _odd(tree["root"].get("proposals", []), 1)
    for depth, node in walk(tree):
        indent = "  " * (depth + 1)
        span = f"{clock(float(node['start_s']))}-{clock(float(node['end_s']))}"
        decided = _decided(node["decision"]) if node["decision"] else node["status"]
        yield f"{indent}{node['id']} {span} {node['strategy']}: {decided}"
        for note in node["notes"]:
            yield f"{indent}  note: {note}"
        yield from _odd(node.get("proposals", []), depth + 2)
    if tree.get("closing"):
        yield f"end: {_decided(tree['closing'])}"


def _decided(decision: Mapping[str, Any] | None) -> str:
    if not decision:
        return "not decided"
    said = decision.get("direct_answer") or decision.get("rationale") or ""
    return f"{decision.get('decision')} ({float(decision.get('confidence') or 0):.2f}) {said}".strip()


def _odd(proposals: list[Json], depth: int) -> Iterator[str]:
    """The proposals that did not become a node."""
    for each in proposals:
        if each.get("outcome") == "rejected":
            asked = each.get("asked", {})
            why = "; ".join(each.get("notes", []))
            yield f"{'  ' * depth}rejected: {asked.get('start_s')}-{asked.get('end_s')} s: {why}"
