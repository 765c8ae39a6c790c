"""The loop of an exploration: the best path is cut, looked at and judged, until an answer or an end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from amr_neo4j.domain.exploration import Decision, Look, ProposedPath, Segment, Span, Stopped, Visit
from amr_neo4j.domain.ports import ClipTool, Looker, Planner
from amr_neo4j.errors import InputError, ModelError, ModelFailed, NoSpace
from amr_neo4j.explorer.policy import Policy, novelty, priority, stays_low
from amr_neo4j.explorer.proposals import Limits, admit
from amr_neo4j.explorer.tree import Node, Tree, ancestors

# Share of a video up to which it counts as looked at as a whole: ends are rounded.
_UNSEEN = 0.001
Clock = Callable[[], float]
Save = Callable[[Tree, Stopped], None]


@dataclass(frozen=True)
class _Looked:
    """A node with what was seen of it; error: why nothing was."""

    node: Node
    segment: Segment | None = None
    look: Look | None = None
    error: ModelFailed | InputError | NoSpace | None = None


class Engine:
    """Runs one exploration."""

    def __init__(
        self,
        planner: Planner,
        looker: Looker,
        clip: ClipTool,
        duration_s: float,
        policy: Policy,
        clock: Clock,
        save: Save = lambda tree, stopped: None,
    ) -> None:
        """duration_s: of the video. clock: seconds. save: called after each node with the tree so far."""
        self._planner, self._looker, self._clip = planner, looker, clip
        self._duration_s, self._policy = duration_s, policy
        self._clock, self._save = clock, save
        self._began = clock()
        self._failures = 0
        self._judged: list[Decision] = []
        self.tree = Tree()
        self.stopped: Stopped = "running"

    def run(self, anchors: Sequence[ProposedPath] = ()) -> Tree:
        """Explore. anchors: ranges that memory expects to fit, looked at beside those of the planner.

        A failed model call and a full disk budget end the run with what was found. Raises ModelDenied, NoSuchModel,
        ModelMoved, ToolError and KeyboardInterrupt, after the tree was saved.
        """
        try:
            self._explore(anchors)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            raise
        except ModelError:
            self.stopped = "model_failed"
            raise
        finally:
            self._save(self.tree, self.stopped)
        return self.tree

    def _explore(self, anchors: Sequence[ProposedPath]) -> None:
        self._begin(anchors)
        while self.stopped == "running":
            batch = self._next()
            if not batch:
                self.stopped = "max_looks" if self._left() <= 0 and self._has_more() else "exhausted"
            else:
                self._visit(batch)
                if self.stopped == "running" and stays_low(self._judged, self._policy):
                    self.stopped = "low_confidence"
        if self.stopped in ("exhausted", "max_looks", "low_confidence", "no_space"):
            self.tree.closing = self._safely(lambda: [self._planner.conclude(self.stopped)])[0]
            if self.tree.closing.failed:
                self.stopped = "model_failed"

    # The root

    def _begin(self, anchors: Sequence[ProposedPath]) -> None:
        before = self._clock()
        [decision] = self._safely(lambda: [self._planner.begin()])
        if decision.kind == "discard" or (decision.kind == "expand" and not (decision.paths or anchors)):
            note = f"the first decision was {decision.kind} without a path; taken as terminate"
            decision = replace(decision, kind="terminate", notes=(*decision.notes, note))
        self.tree.root, self.tree.root_seconds = decision, self._clock() - before
        if decision.kind == "expand":
            wide = Limits(self._policy.root_limit, self._policy.max_depth, self._duration_s)
            admit(self.tree, "", anchors, wide, "memory")
            admit(self.tree, "", decision.paths, wide)
        self._apply(decision)
        self._save(self.tree, self.stopped)

    def _apply(self, decision: Decision) -> None:
        """End the run where a decision says so. An answer goes before everything else."""
        if decision.kind == "answer":
            self.stopped = "answer"
        elif decision.kind == "terminate" and self.stopped == "running":
            self.stopped = "model_failed" if decision.failed else "terminate"

    # The queue

    def _queue(self) -> list[Node]:
        """The paths that wait, best first; of equals the one proposed first."""
        seen = {node.id: node.span for node in self.tree.nodes.values() if node.status == "seen"}
        waiting = [node for node in self.tree.nodes.values() if node.status == "queued"]
        for node in waiting:
            parent = self.tree.nodes[node.parent].decision if node.parent else self.tree.root
            # A closer look at the range of a node above is what was asked for, and no repetition.
            above = {node.id, *ancestors(node.id)}
            elsewhere = [span for path_id, span in seen.items() if path_id not in above]
            confidence = max(parent.confidence if parent else 0.0, node.backing)
            node.priority = priority(confidence, novelty(node.span, elsewhere), node.score)
        return sorted(waiting, key=lambda node: -node.priority)

    def _has_more(self) -> bool:
        """Whether a path waits, or a part of the video was not looked at."""
        seen = [node.span for node in self.tree.seen()]
        return bool(self._queue()) or novelty(Span(0.0, self._duration_s), seen) > _UNSEEN

    def _left(self) -> int:
        return self._policy.max_looks - sum(node.status != "queued" for node in self.tree.nodes.values())

    def _next(self) -> list[Node]:
        return self._queue()[: min(self._policy.parallel, max(0, self._left()))]

    # A visit

    def _visit(self, batch: list[Node]) -> None:
        looked = self._look_at(batch)
        for each in looked:
            self._record(each)
        visits = [self._as_visit(each) for each in looked if each.look]
        if visits:
            before = self._clock()
            decisions = self._safely(lambda: self._planner.decide(visits))
            seconds = (self._clock() - before) / len(visits)
            for visit, decision in zip(visits, decisions, strict=False):
                self._settle(self.tree.nodes[visit.node_id], decision, seconds)
        if self.stopped == "running":
            self.stopped = self._stopped_by(looked)
        self._save(self.tree, self.stopped)

    def _stopped_by(self, looked: list[_Looked]) -> Stopped:
        """What errors of looks end the run with; `running` where they do not."""
        if any(isinstance(each.error, NoSpace) for each in looked):
            return "no_space"
        if self._failures < self._policy.failures:
            return "running"
        return "model_failed" if any(isinstance(each.error, ModelFailed) for each in looked) else "exhausted"

    def _look_at(self, batch: list[Node]) -> list[_Looked]:
        if len(batch) == 1:
            return [self._look(batch[0])]
        with ThreadPoolExecutor(len(batch)) as pool:
            return list(pool.map(self._look, batch))

    def _look(self, node: Node) -> _Looked:
        """Cut and look. A range that cannot be read, and a failed call, are errors of this node alone."""
        node.timings.at = self._clock() - self._began
        segment = None
        try:
            before = self._clock()
            segment = self._clip(node.span)
            cut = self._clock()
            node.timings.clip = cut - before
            look = self._looker.look(segment)
            node.timings.look = self._clock() - cut
        except (InputError, ModelFailed, NoSpace) as error:
            return _Looked(node, segment, None, error)
        return _Looked(node, segment, look)

    def _record(self, looked: _Looked) -> None:
        node, look = looked.node, looked.look
        node.segment = looked.segment
        if look is None:
            node.status = "failed"
            node.notes.append(str(looked.error))
            self._failures += 1
            return
        self._failures = 0
        node.status, node.seen, node.finds = "seen", look.text, look.finds
        node.analysis = look.analysis
        node.notes += look.notes
        self.tree.look_notes |= dict.fromkeys(look.notes)
        node.usage += look.usage

    def _as_visit(self, looked: _Looked) -> Visit:
        node = looked.node
        assert looked.segment and looked.look  # noqa: S101 - nodes without are left out
        may_expand = node.depth < self._policy.max_depth
        return Visit(
            node.id, node.depth, node.strategy, node.span, looked.segment, looked.look, may_expand, node.score
        )

    def _settle(self, node: Node, decision: Decision, seconds: float) -> None:
        """Keep a decision at its node, and its paths as children."""
        node.timings.decide = seconds
        if decision.kind == "expand" and not decision.paths:
            note = "expand without a path; taken as discard"
            decision = replace(decision, kind="discard", notes=(*decision.notes, note))
        node.decision = decision
        node.usage += decision.usage
        self._judged.append(decision)
        if decision.kind == "expand":
            limits = Limits(self._policy.per_expand_limit, self._policy.max_depth, self._duration_s)
            admit(self.tree, node.id, decision.paths, limits)
        self._apply(decision)

    @staticmethod
    def _safely(ask: Callable[[], list[Decision]]) -> list[Decision]:
        """The decisions; a failed call is a `terminate` that says so."""
        try:
            return ask()
        except ModelFailed as error:
            return [Decision("terminate", str(error), failed=True)]
