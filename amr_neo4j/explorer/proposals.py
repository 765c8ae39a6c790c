"""Turns proposed paths into nodes, after checking their ids, ranges and limits, and whether they repeat a node.

The tree keeps the outcome of each path.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from amr_neo4j.domain.exploration import ProposedPath, Span
from amr_neo4j.explorer.tree import Node, Origin, Proposal, Tree, is_valid, next_free, parent_of

SHORTEST_S = 0.5
"""A range shorter than this many seconds is widened to it."""
SAME = 0.9
"""Two ranges count as the same if they share this part of their union, or more."""


@dataclass(frozen=True)
class NodeLimits:
    """The limits on new nodes.

    per_parent: how many paths of one decision become nodes.
    max_depth: the depth of the deepest nodes.
    duration_s: the length of the video.
    """

    per_parent: int
    max_depth: int
    duration_s: float


def admit(
    tree: Tree, parent: str, paths: Iterable[ProposedPath], *, limits: NodeLimits, origin: Origin = "planner"
) -> list[Node]:
    """Add the acceptable paths to the tree as nodes below `parent`, and return those nodes.

    Each path gets a Proposal.
    """
    record = tree.nodes[parent].proposals if parent else tree.root_proposals
    added: list[Node] = []
    for path in paths:
        full = len(added) >= limits.per_parent
        proposal, span = _judged(tree, parent, path, limits=limits, full=full)
        record.append(proposal)
        if span:
            depth = tree.nodes[parent].depth + 1 if parent else 1
            node = Node(
                proposal.id,
                parent,
                depth=depth,
                strategy=path.strategy,
                span=span,
                score=_unit(path.score),
                origin=origin,
            )
            node.notes += proposal.notes
            # Entered at once, so that the next paths are compared with it too.
            tree.nodes[node.id] = node
            added.append(node)
    return added


def _judged(
    tree: Tree, parent: str, path: ProposedPath, *, limits: NodeLimits, full: bool
) -> tuple[Proposal, Span | None]:
    """Return (the outcome, the range of the new node); the range is None if the path is rejected.

    full: no more paths are accepted.
    """
    if parent and tree.nodes[parent].depth >= limits.max_depth:
        return _rejected(path, f"max_depth {limits.max_depth} is reached")
    if full:
        return _rejected(path, f"over the limit of {limits.per_parent} paths")
    try:
        span, notes = _in_video(path, limits.duration_s)
    except ValueError as error:
        return _rejected(path, str(error))
    if twin := _same(span, tree.nodes.values()):
        return _repeated(tree, parent, path, twin=twin)
    notes += _overlaps(span, [*tree.children(parent)])
    path_id, why = _id(tree, parent, path.id)
    outcome = "renamed" if why else "accepted"
    return Proposal(path, outcome, path_id, (*([why] if why else []), *notes)), span


def _repeated(tree: Tree, parent: str, path: ProposedPath, *, twin: Node) -> tuple[Proposal, None]:
    """Reject a range that is in the tree already. If that node still waits, the new proposal raises its priority."""
    decision = tree.nodes[parent].decision if parent else tree.root
    if twin.status == "queued":
        twin.score = max(twin.score, _unit(path.score))
        twin.backing = max(twin.backing, decision.confidence if decision else 0.0)
        return _rejected(path, f"the same range as {twin.id}, which is now more urgent")
    return _rejected(path, f"the same range as {twin.id}")


def _rejected(path: ProposedPath, why: str) -> tuple[Proposal, None]:
    return Proposal(path, "rejected", "", (why,)), None


def _id(tree: Tree, parent: str, wanted: str) -> tuple[str, str]:
    """Return (an id for the node, why it is not the wanted one). The reason is empty if it is."""
    free = next_free(parent, tree.nodes)
    if not wanted:
        return free, ""
    if not is_valid(wanted):
        return free, f"id {wanted!r:.40} is not of the form P1, P1a, P1a1; taken as {free}"
    if wanted in tree.nodes:
        return free, f"id {wanted} was in use; taken as {free}"
    if parent_of(wanted) != parent:
        return free, f"id {wanted} is no child of {parent or 'the root'}; taken as {free}"
    return wanted, ""


def _in_video(path: ProposedPath, duration_s: float) -> tuple[Span, list[str]]:
    """Return (the range clamped to the video, a note for each change).

    Raises ValueError if it lies outside of the video.
    """
    start, end, notes = path.start_s, path.end_s, list[str]()
    if not (isfinite(start) and isfinite(end)):
        raise ValueError("the range is not made of numbers")
    if start > end:
        # Models sometimes swap the two. What they meant is clear.
        start, end = end, start
        notes.append(f"the range was inverted; taken as {start:g}-{end:g} s")
    if start >= duration_s or end < 0:
        raise ValueError(f"{start:g}-{end:g} s is outside of the video, which has {duration_s:g} s")
    clamped = max(0.0, start), min(duration_s, end)
    if clamped != (start, end):
        start, end = clamped
        notes.append(f"the range was clamped to the video: {start:g}-{end:g} s")
    if end - start < SHORTEST_S:
        # The widened range stays inside the video.
        middle = min(max((start + end) / 2, SHORTEST_S / 2), max(duration_s - SHORTEST_S / 2, SHORTEST_S / 2))
        start, end = middle - SHORTEST_S / 2, min(middle + SHORTEST_S / 2, duration_s)
        notes.append(f"the range was too short; widened to {start:g}-{end:g} s")
    return Span(start, end), notes


def _same(span: Span, nodes: Iterable[Node]) -> Node | None:
    """Return the first node with practically this range."""
    for node in nodes:
        shared = span.shared(node.span)
        if shared >= SAME * (span.seconds + node.span.seconds - shared):
            return node
    return None


def _overlaps(span: Span, siblings: Sequence[Node]) -> list[str]:
    shared = [node.id for node in siblings if span.shared(node.span) > 0]
    return [f"the range overlaps that of {', '.join(shared)}"] if shared else []


def _unit(score: float) -> float:
    """Return the score clamped to the range 0 to 1; 0 if it is not finite."""
    return min(1.0, max(0.0, score)) if isfinite(score) else 0.0
