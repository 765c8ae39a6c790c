"""The exploration of a video: paths, decisions, segments, what was seen, and the result (specification 003)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from amr_neo4j.domain.chat import Attachment, Usage

if TYPE_CHECKING:
    from amr_neo4j.domain.analysis import ClipAnalysis

DecisionKind = Literal["answer", "expand", "discard", "terminate"]
Stopped = Literal[
    "answer",
    "terminate",
    "exhausted",
    "max_looks",
    "low_confidence",
    "no_space",
    "model_failed",
    "interrupted",
    "running",
]
"""Why an exploration ended; `running` while it has not, and after a kill."""


@dataclass(frozen=True)
class Span:
    """A stretch of the video, in seconds. Raises ValueError: it is empty, inverted or not finite."""

    start_s: float
    end_s: float

    def __post_init__(self) -> None:
        if not (isfinite(self.start_s) and isfinite(self.end_s) and 0 <= self.start_s < self.end_s):
            raise ValueError(f"a span from {self.start_s} s to {self.end_s} s")

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.start_s

    def shared(self, other: Span) -> float:
        """Seconds that both have."""
        end = self.end_s if self.end_s < other.end_s else other.end_s
        start = self.start_s if self.start_s > other.start_s else other.start_s
        return end - start if end > start else 0.0


@dataclass(frozen=True)
class ProposedPath:
    """A range to look at, as it was proposed: nothing is checked yet. id: empty for the next free one.

    score: how much memory, or the planner itself, expects of it, 0 to 1.
    """

    id: str
    strategy: str
    start_s: float
    end_s: float
    score: float = 0.0


@dataclass(frozen=True)
class Decision:
    """What a planner decides at a node, at the root, or at the end. confidence: 0 to 1.

    notes: what went otherwise than asked. extractive: the answer quotes what the local analyser found. node: at the
    end, the id of the node that the answer rests on. span: the seconds of the video that show it, if narrower than
    its node. failed: the model failed, and the run ends for that. guess: nothing was recognised; the answer names the
    likeliest place and says so.
    """

    kind: DecisionKind
    rationale: str = ""
    paths: tuple[ProposedPath, ...] = ()
    answer: str = ""
    confidence: float = 0.0
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    extractive: bool = False
    node: str = ""
    span: Span | None = None
    failed: bool = False
    guess: bool = False


@dataclass(frozen=True)
class Segment:
    """A file that was cut out of the video. reused: it was there already."""

    path: str
    span: Span
    size_bytes: int
    reused: bool = False

    @property
    def duration_s(self) -> float:
        """Its length in seconds."""
        return self.span.seconds


@dataclass(frozen=True)
class Find:
    """Something seen in a segment, with its seconds of the video and how well it fits the question, 0 to 1.

    likeness: how well it would fit if what the analyser could not name were what is asked for, 0 to 1.
    """

    span: Span
    summary: str
    fit: float = 0.0
    likeness: float = 0.0


@dataclass(frozen=True)
class Look:
    """What a looker made of a segment.

    text: in words, for the dialogue; attachments: the segment itself, for a model that can see. finds: best first.
    analysis: of the local analyser, with times in seconds of the video; None where a model looked.
    """

    text: str = ""
    attachments: tuple[Attachment, ...] = ()
    finds: tuple[Find, ...] = ()
    analysis: ClipAnalysis | None = None
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Visit:
    """A node whose segment was looked at, ready for a decision. may_expand: the greatest depth is not reached.

    score: of its path, what memory or the planner expected of it, 0 to 1.
    """

    node_id: str
    depth: int
    strategy: str
    span: Span
    segment: Segment
    look: Look
    may_expand: bool
    score: float = 0.0


@dataclass(frozen=True)
class Exploration:
    """The result. answer: empty where there is none. found: the answer is one; False also where it only names the
    likeliest place (guess). terminated: ended early by a decision.

    nodes: how many ranges were proposed and accepted; looks: how many of them were looked at. span: of the node that
    the answer rests on. extractive: the answer quotes what the local analyser found; no model worded it.
    tree: as in tree.json. seconds: of the whole run.
    """

    question: str
    video: str
    answer: str
    found: bool
    terminated: bool
    stopped: Stopped
    nodes: int
    looks: int
    confidence: float
    extractive: bool
    guess: bool
    node_id: str
    span: Span | None
    segment: str
    usage: Usage
    seconds: float
    notes: tuple[str, ...]
    tree: dict[str, Any] = field(repr=False, default_factory=dict[str, Any])
