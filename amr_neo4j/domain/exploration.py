"""The exploration of a video: paths, decisions, segments, what was seen, and the result (specification 003)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from amr_neo4j.domain.chat import Attachment, Usage

if TYPE_CHECKING:
    from amr_neo4j.domain.analysis import ClipAnalysis
    from amr_neo4j.errors import ModelFailed

DecisionKind = Literal["answer", "expand", "discard", "terminate"]
Stopped = Literal[
    "answer",
    "terminate",
    "exhausted",
    "max_looks",
    "max_cost",
    "low_confidence",
    "no_space",
    "model_failed",
    "interrupted",
    "running",
]
"""Why an exploration ended. `running`: it has not ended, or its process was killed."""


@dataclass(frozen=True)
class Span:
    """A stretch of the video in seconds. Raises ValueError if it is empty, reversed or not finite."""

    start_s: float
    end_s: float

    def __post_init__(self) -> None:
        if not (isfinite(self.start_s) and isfinite(self.end_s) and 0 <= self.start_s < self.end_s):
            raise ValueError(f"a span from {self.start_s} s to {self.end_s} s")

    @property
    def seconds(self) -> float:
        """The length."""
        return self.end_s - self.start_s

    def shared(self, other: Span) -> float:
        """Return how many seconds the two spans overlap."""
        # Comparisons instead of min and max: they are faster, and an exploration calls this very often.
        end = self.end_s if self.end_s < other.end_s else other.end_s
        start = self.start_s if self.start_s > other.start_s else other.start_s
        return end - start if end > start else 0.0


@dataclass(frozen=True)
class ProposedPath:
    """A range to look at, as proposed and not yet checked.

    id: empty to get the next free one.
    score: how promising memory or the planner thinks it is, 0 to 1.
    """

    id: str
    strategy: str
    start_s: float
    end_s: float
    score: float = 0.0


@dataclass(frozen=True)
class Decision:
    """A planner's decision at a node, at the root, or at the end.

    confidence: 0 to 1.
    notes: what went differently than asked.
    extractive: the answer quotes what the local analyser found.
    node: the id of the node that an answer rests on, if that is not the one it was decided at.
    span: the seconds of the video that show the answer, if narrower than the node.
    failed: why the planner gave no decision: the model failed, or was not asked because the call could have exceeded
        the cost limit. As `terminate` this ends the run, as `discard` only the path.
    raw: the model's reply, if it could not be read.
    guess: nothing was recognised. The answer names the likeliest place and says that it is a guess.
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
    failed: Literal["", "model_failed", "max_cost"] = ""
    raw: str = ""
    guess: bool = False


@dataclass(frozen=True)
class Segment:
    """A file that was cut out of the video. reused: the file existed already."""

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
    """Something that was seen in a segment, with its seconds of the video.

    fit: how well it fits the question, 0 to 1.
    likeness: how well it would fit, 0 to 1, if the thing that the analyser could not name were the wanted one.
    """

    span: Span
    summary: str
    fit: float = 0.0
    likeness: float = 0.0


@dataclass(frozen=True)
class Look:
    """What a looker made of a segment.

    text: a description for the dialogue.
    said: what is said in the segment, a line each.
    attachments: the segment itself, for a model that can see.
    finds: best first.
    analysis: what the local analyser found, with times in seconds of the video; None if a model looked.
    error: why nothing was seen, where calls were made that cost something all the same.
    """

    text: str = ""
    said: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    finds: tuple[Find, ...] = ()
    analysis: ClipAnalysis | None = None
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: ModelFailed | None = None


@dataclass(frozen=True)
class Visit:
    """A node whose segment was looked at and that needs a decision.

    may_expand: whether children are allowed. False at the greatest depth.
    score: how promising its path was, 0 to 1.
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
    """The result of an exploration.

    answer: empty if there is none.
    found: whether there is an answer. False for a guess, which only names the likeliest place.
    terminated: a decision ended the run without an answer; a failed call decides nothing.
    nodes: how many ranges were proposed and accepted.
    looks: how many of these were looked at.
    span: the range of the node that the answer rests on.
    extractive: the answer quotes what the local analyser found; no model worded it.
    tree: the content of tree.json.
    seconds: how long the whole run took.
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
