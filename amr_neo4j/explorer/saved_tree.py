"""Writes and reads a tree.json, checks it, shows it as lines, and makes it a tree again to go on with."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.exploration import Decision, DecisionKind, Find, ProposedPath, Segment, Span
from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.errors import InputError
from amr_neo4j.explorer.export import SCHEMA_VERSION
from amr_neo4j.explorer.policy import Policy
from amr_neo4j.explorer.tree import ROOT, Node, Origin, Outcome, Proposal, Status, Timings, Tree
from amr_neo4j.files import read_regular, write_atomically
from amr_neo4j.tables import Share

_HINT = "name a tree.json that amr explore wrote"
LARGEST = 256 * 2**20
"""The largest tree.json that is read, in bytes."""
DEEPEST = 100
"""How many levels of a tree are shown."""
_Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0, le=2**53)]
_KIND = TypeAdapter[DecisionKind](DecisionKind)
_ORIGIN, _STATUS, _OUTCOME = TypeAdapter[Origin](Origin), TypeAdapter[Status](Status), TypeAdapter[Outcome](Outcome)
_USAGE, _TIMINGS = TypeAdapter(Usage), TypeAdapter(Timings)
_Number = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Part(BaseModel):
    """A part of the document. Only the keys that are shown are checked; others stay as they are."""

    model_config = ConfigDict(extra="allow")


class _Video(_Part):
    path: str = ""
    duration_s: _Seconds = 0.0


class _Usage(_Part):
    cost_usd: _Number | None = None
    unpriced: _Count | None = None


class _Decision(_Part):
    decision: str = ""
    rationale: str = ""
    direct_answer: str = ""
    confidence: Share | None = None
    notes: list[str] = []


class _Asked(_Part):
    start_s: float | str | None = None
    end_s: float | str | None = None


class _Proposal(_Part):
    asked: _Asked = _Asked()
    outcome: str = ""
    notes: list[str] = []


class _Segment(_Part):
    path: str = ""


class _Answer(_Part):
    text: str = ""
    confidence: Share | None = None
    extractive: bool = False
    guess: bool = False
    node: str | None = None
    start_s: _Seconds | None = None
    end_s: _Seconds | None = None


class _Root(_Part):
    decision: _Decision | None = None
    proposals: list[_Proposal] = []
    children: list[str] = []


class _Node(_Part):
    id: str
    parent: str | None
    children: list[str]
    start_s: _Seconds
    end_s: _Seconds
    strategy: str
    status: str
    decision: _Decision | None
    segment: _Segment | None
    notes: list[str]
    proposals: list[_Proposal] = []
    seen: str = ""


class _Tree(_Part):
    question: str
    video: _Video
    stopped: str
    terminated: bool
    answer: _Answer | None
    root: _Root
    nodes: list[_Node]
    looks: _Count
    usage: _Usage
    seconds: _Number = 0.0
    further: list[_Decision] = []
    closing: _Decision | None = None


def read(file: Path) -> Json:
    """Return the document of a file, as `parsed` does. Raises InputError, NoSuchFile."""
    return parsed(read_regular(file, at_most=LARGEST).decode(errors="replace"), file.name)


def write(file: Path, document: Json, *, indent: int | None = 1) -> None:
    """Writes a document for `read`. indent: as in json.dumps."""
    write_atomically(file, f"{json.dumps(document, ensure_ascii=False, indent=indent)}\n")


def parsed(text: str, name: str) -> Json:
    """Return the document.

    name: the name of the file, for errors.
    Raises InputError if it is not a tree of this version.
    """
    try:
        document: object = json.loads(text)
        if "\\u" in text:  # the escape may be half a surrogate pair, which no output can encode
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON", hint=_HINT) from error
    if not isinstance(document, dict) or "schema_version" not in document:
        raise InputError(f"{name} is not the tree of an exploration", hint=_HINT)
    if document["schema_version"] != SCHEMA_VERSION:
        hint = f"this program reads version {SCHEMA_VERSION}; explore again, or use the program that wrote it"
        raise InputError(f"{name} has schema version {document['schema_version']!r:.60}", hint=hint)
    try:
        return _Tree.model_validate(document).model_dump()
    except ValidationError as error:
        raise InputError(f"{name} {_first(error)}", hint=_HINT) from error


def _first(error: ValidationError) -> str:
    """Return the first mistake and its place, in one line. If keys are missing, all of them are named."""
    found = error.errors(include_url=False, include_input=False)
    if missing := sorted({str(each["loc"][-1]) for each in found if each["type"] == "missing"}):
        return f"lacks {', '.join(missing)}"
    where = ".".join(map(str, found[0]["loc"]))
    return " ".join(f"is wrong at {where}: {found[0]['msg']}"[:300].split())


def restored(document: Json) -> Tree:
    """Return the tree of a document that `parsed` returned, to go on with.

    Raises InputError: it lacks parts, or a part does not fit the others.
    """
    with _whole():
        return _tree(document)


def saved_policy(document: Json) -> Policy:
    """Return the options of the run that wrote the document. Raises InputError if they are missing or wrong."""
    with _whole():
        return TypeAdapter(Policy).validate_python(document["options"])


@contextmanager
def _whole() -> Generator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"the tree cannot be gone on with: {error!r}"[:300], hint="explore anew") from error


def _tree(document: Json) -> Tree:
    tree, root = Tree(), document["root"]
    tree.elapsed = document["seconds"]
    for given in document["nodes"]:
        decision = _decision(given["decision"]) if given["decision"] else None
        node = Node(
            **{name: given[name] for name in ("id", "depth", "strategy", "score", "seen", "shown", "looks")},
            parent=given["parent"] or ROOT,
            span=Span(given["start_s"], given["end_s"]),
            origin=_ORIGIN.validate_python(given["origin"]),
            status=_STATUS.validate_python(given["status"]),
            decision=decision,
            segment=_segment(given["segment"]) if given["segment"] else None,
            finds=tuple(_find(find) for find in given["finds"]),
            analysis=ClipAnalysis.model_validate(given["analysis"]) if given["analysis"] else None,
            proposals=[_proposal(each) for each in given["proposals"]],
            notes=list(given["notes"]),
            usage=_USAGE.validate_python(given["usage"]),
            timings=_TIMINGS.validate_python(given["timings"]),
        )
        tree.nodes[node.id] = node
    tree.root_proposals = [_proposal(each) for each in root["proposals"]]
    tree.further = [_decision(each) for each in (*document["further"], document["closing"]) if each]
    if root["decision"]:
        proposed = [each.asked for each in tree.root_proposals if each.id and tree.nodes[each.id].origin == "planner"]
        decision = replace(_decision(root["decision"]), paths=tuple(proposed))
        # A run that failed before its first paths begins anew; what it cost stays.
        tree.further += [decision] if decision.failed else []
        tree.root = None if decision.failed else decision
    tree.earlier = len(tree.further)
    return tree


def _decision(given: Json) -> Decision:
    return Decision(
        kind=_KIND.validate_python(given["decision"]),
        **{name: given[name] for name in ("rationale", "extractive", "raw", "guess")},
        answer=given["direct_answer"],
        confidence=float(given["confidence"] or 0.0),
        notes=tuple(given["notes"]),
        usage=_USAGE.validate_python(given["usage"] or {}),
        node=given["node"] or "",
        failed="model_failed" if given["failed"] else "",
    )


def _proposal(given: Json) -> Proposal:
    asked = given["asked"]
    path = ProposedPath(
        asked["id"], asked["strategy"], float(asked["start_s"]), float(asked["end_s"]), float(asked["score"])
    )
    return Proposal(path, _OUTCOME.validate_python(given["outcome"]), given["id"] or "", tuple(given["notes"]))


def _segment(given: Json) -> Segment:
    span = Span(given["start_s"], given["end_s"])
    return Segment(given["path"], span, given["size_bytes"], given["reused"])


def _find(given: Json) -> Find:
    return Find(
        Span(given["start_s"], given["end_s"]), given["summary"], float(given["fit"]), float(given["likeness"])
    )


def walk(tree: Json) -> Iterator[tuple[int, Json]]:
    """Yield (depth from 0, node), a parent before its children.

    In a damaged tree with a cycle, each node comes once.
    """
    by_id = {str(node["id"]): node for node in tree["nodes"]}
    shown: set[str] = set()
    waiting = [(0, str(path_id)) for path_id in reversed(tree["root"].get("children", []))]
    while waiting:
        depth, path_id = waiting.pop()
        if path_id in shown or path_id not in by_id or depth > DEEPEST:
            continue
        shown.add(path_id)
        yield depth, by_id[path_id]
        # Reversed, because the last one waiting is taken first.
        waiting += [(depth + 1, str(child)) for child in reversed(by_id[path_id]["children"])]


def outline(tree: Json) -> Iterator[str]:
    """Yield a line for the root and each node, indented by depth, then its notes and rejected proposals."""
    yield f"root: {_decided(tree['root'].get('decision'))}"
    yield from _odd(tree["root"].get("proposals", []), 1)
    for depth, node in walk(tree):
        indent = "  " * (depth + 1)
        yield f"{indent}{node_line(node)}"
        for note in node["notes"]:
            yield f"{indent}  note: {note}"
        yield from _odd(node.get("proposals", []), depth + 2)
    for each in tree.get("further", []):
        yield f"further paths: {_decided(each)}"
    if tree.get("closing"):
        yield f"end: {_decided(tree['closing'])}"


def node_line(node: Json) -> str:
    """Return a node in one line: its id, range and strategy, and what was decided."""
    span = f"{clock(float(node['start_s']))}-{clock(float(node['end_s']))}"
    decided = _decided(node["decision"]) if node["decision"] else node["status"]
    return f"{node['id']} {span} {node['strategy']}: {decided}"


def _decided(decision: Mapping[str, Any] | None) -> str:
    if not decision:
        return "not decided"
    said = decision.get("direct_answer") or decision.get("rationale") or ""
    return f"{decision.get('decision')} ({float(decision.get('confidence') or 0):.2f}) {said}".strip()


def _odd(proposals: list[Json], depth: int) -> Iterator[str]:
    """Yield a line for each proposal that did not become a node."""
    for each in proposals:
        if each.get("outcome") == "rejected":
            asked = each.get("asked", {})
            why = "; ".join(each.get("notes", []))
            yield f"{'  ' * depth}rejected: {asked.get('start_s')}-{asked.get('end_s')} s: {why}"
