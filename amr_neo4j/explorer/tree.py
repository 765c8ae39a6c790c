"""The tree of an exploration: its nodes with their ids, and the outcome of every proposed path.

Ids tell where a node stands: P1 is at the root, P1a below it, P1a1 below that. Letters and digits alternate.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.exploration import Decision, Find, ProposedPath, Segment, Span

Status = Literal["queued", "seen", "failed"]
Origin = Literal["planner", "memory"]
Outcome = Literal["accepted", "renamed", "rejected"]


@dataclass
class Timings:
    """Seconds that the steps of a node took.

    at: when it was taken from the queue, since the start of the run.
    """

    at: float = 0.0
    clip: float = 0.0
    look: float = 0.0
    decide: float = 0.0


@dataclass(frozen=True)
class Proposal:
    """The outcome of a proposed path.

    id: the id of the node that it became; empty if rejected.
    notes: a line per change.
    """

    asked: ProposedPath
    outcome: Outcome
    id: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class Node:
    """A range of the video in the tree.

    parent: the parent's id; ROOT for the first ones.
    score: as in ProposedPath.
    backing: the highest confidence of other decisions that proposed the same range.
    seen: what the look returned, in words.
    shown: whether the planner itself was shown the segment.
    looks: how often it was looked at. More than once if an earlier run failed there.
    """

    id: str
    parent: str
    depth: int
    strategy: str
    span: Span
    score: float = 0.0
    backing: float = 0.0
    origin: Origin = "planner"
    status: Status = "queued"
    priority: float = 0.0
    decision: Decision | None = None
    segment: Segment | None = None
    seen: str = ""
    shown: bool = False
    looks: int = 0
    finds: tuple[Find, ...] = ()
    analysis: ClipAnalysis | None = None
    proposals: list[Proposal] = field(default_factory=list[Proposal])
    notes: list[str] = field(default_factory=list[str])
    usage: Usage = field(default_factory=Usage)
    timings: Timings = field(default_factory=Timings)


class Tree:
    """The nodes by id, in the order in which they were proposed.

    root: the first decision, made before any node.
    root_proposals: its paths.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.root: Decision | None = None
        self.root_proposals: list[Proposal] = []
        self.root_seconds = 0.0
        self.elapsed = 0.0
        """Seconds of earlier runs, if this one continues a saved tree."""
        # A dict keeps the order and has each note once.
        self.look_notes: dict[str, None] = {}
        """What was unusual in the looks, each note once, such as a fallback in use."""
        self.further: list[Decision] = []
        """What was decided when all paths were looked at and looks remained."""
        self.earlier = 0
        """How many of these decisions earlier runs made."""
        self.closing: Decision | None = None
        """The last decision, which is asked for when nothing is left to look at."""

    def children(self, parent: str) -> Iterator[Node]:
        """Return the nodes directly below `parent`, in the order in which they were proposed."""
        return (node for node in self.nodes.values() if node.parent == parent)

    def seen(self) -> list[Node]:
        """Return the nodes that were looked at, in the order of their looks."""
        return sorted((node for node in self.nodes.values() if node.status == "seen"), key=lambda n: n.timings.at)

    def decided(self) -> Iterable[Decision]:
        """Return every decision that this run made or goes on from. What earlier runs ended with is over."""
        gone_on_from = [each for each in self.further[: self.earlier] if each.kind == "expand" and not each.failed]
        return [
            *filter(None, [self.root]),
            *(node.decision for node in self.nodes.values() if node.decision),
            *gone_on_from,
            *self.further[self.earlier :],
            *filter(None, [self.closing]),
        ]

    def best(self) -> tuple[Decision, str] | None:
        """Return (the most confident answer, the id of its node or ROOT); None without an answer."""
        # An answer may rest on another node than that which it was decided at.
        decided = [(each, each.node or node.id) for node in self.nodes.values() if (each := node.decision)]
        # The first and the last decision are not made at a node. The last one names the node that it rests on.
        decided += [(each, each.node) for each in (self.root, *self.further, self.closing) if each]
        answers = [(each, node_id) for each, node_id in decided if each.kind == "answer" and each.answer.strip()]
        return max(answers, key=lambda pair: pair[0].confidence, default=None)

    @property
    def usage(self) -> Usage:
        """What all nodes and decisions used together."""
        used = Usage()
        for each in (*self.nodes.values(), *filter(None, [self.root, *self.further, self.closing])):
            used += each.usage
        return used


_ID = re.compile(r"P[1-9]\d*(?:[a-z]+[1-9]\d*)*(?:[a-z]+)?")
_LAST = re.compile(r"\d+$|[a-z]+$")
ROOT = ""


def is_valid(path_id: str) -> bool:
    """Return whether an id has the form P1, P1a or P1a1."""
    return bool(_ID.fullmatch(path_id))


def parent_of(path_id: str) -> str:
    """Return the id of the parent: P1 for P1a, ROOT for P1. The id must be valid."""
    parent = _LAST.sub("", path_id)
    return ROOT if parent == "P" else parent


def ancestors(path_id: str) -> Iterator[str]:
    """Yield the ids above this one, the nearest first."""
    while path_id := parent_of(path_id):
        yield path_id


def next_free(parent: str, used: Container[str]) -> str:
    """Return the first unused id below `parent`."""
    return next(path_id for path_id in _children(parent) if path_id not in used)


def _children(parent: str) -> Iterator[str]:
    if not parent:
        return (f"P{number}" for number in count(1))
    if parent[-1].isdigit():
        return (f"{parent}{_letters(number)}" for number in count(1))
    return (f"{parent}{number}" for number in count(1))


def _letters(number: int) -> str:
    """Return the letters of a number, as in spreadsheets: 1 -> a, 26 -> z, 27 -> aa."""
    text = ""
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text
