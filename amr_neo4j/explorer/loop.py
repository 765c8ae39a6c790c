"""The loop of an exploration: cut the best path, look at it, judge it, until there is an answer or a reason to
stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.exploration import Decision, Look, ProposedPath, Segment, Span, Stopped, Visit
from amr_neo4j.domain.ports import ClipTool, Looker, Planner
from amr_neo4j.errors import CostLimit, InputError, ModelError, ModelFailed, NoSpace
from amr_neo4j.explorer.policy import Policy, novelty, priority, stays_low, unseen
from amr_neo4j.explorer.proposals import NodeLimits, admit
from amr_neo4j.explorer.tree import ROOT, Node, Tree, ancestors
from amr_neo4j.threads import side_by_side

# If less than this share of the video is unseen, all of it counts as seen, because the ends of ranges are rounded.
_UNSEEN = 0.001
# After these endings the planner is still asked for an answer.
_UNANSWERED = ("exhausted", "max_looks", "low_confidence", "no_space")
Clock = Callable[[], float]
Save = Callable[[Tree, Stopped], None]


@dataclass(frozen=True)
class _Looked:
    """A node and what its look at the video found.

    error: why nothing was seen.
    """

    node: Node
    segment: Segment | None = None
    look: Look | None = None
    error: ModelFailed | InputError | NoSpace | None = None
    usage: Usage = field(default_factory=Usage)


class ExplorationLoop:
    """Runs one exploration."""

    def __init__(
        self,
        planner: Planner,
        looker: Looker,
        clip: ClipTool,
        *,
        duration_s: float,
        policy: Policy,
        clock: Clock,
        save: Save = lambda tree, stopped: None,
        tree: Tree | None = None,
    ) -> None:
        """duration_s: the length of the video.
        clock: returns seconds.
        save: called with the tree so far after each node.
        tree: that of an earlier run, to continue it.
        """
        self._planner, self._looker, self._clip = planner, looker, clip
        self._duration_s, self._policy = duration_s, policy
        self._clock, self._save = clock, save
        self.tree = tree or Tree()
        self._began = clock() - self.tree.elapsed
        self._failures = 0
        self._judged: list[Decision] = []
        self.stopped: Stopped = "running"

    def run(self, anchors: Sequence[ProposedPath] = ()) -> Tree:
        """Explore, and return the tree.

        A failed model call and a full disk budget end the run with what was found so far.

        anchors: ranges where memory expects the answer; they are looked at beside those of the planner.
        Raises ModelDenied, NoSuchModel, ModelMoved, ToolError and KeyboardInterrupt, all after the tree was saved.
        """
        try:
            self._explore(anchors)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            raise
        # A single failed call (ModelFailed) is handled where it is made. The others end the run.
        except ModelError:
            self.stopped = "model_failed"
            raise
        finally:
            self._save(self.tree, self.stopped)
        return self.tree

    def _explore(self, anchors: Sequence[ProposedPath]) -> None:
        if self.tree.root:
            self._resume(self.tree.root)
        else:
            self._begin(anchors)
        while self.stopped == "running":
            batch = self._next()
            if batch:
                self._visit(batch)
                if self.stopped == "running" and not self._roots_wait() and stays_low(self._judged, self._policy):
                    self.stopped = "low_confidence"
            # Either the limit of looks is reached while something is left, or nothing is left.
            elif not self._asked_for_more():
                self.stopped = "max_looks" if self._left() <= 0 and self._has_more() else "exhausted"
        # The run ended without an answer, so the planner is asked for the best one that it can give.
        if self.stopped in _UNANSWERED:
            closing = self._concluded()
            # It may name ranges that it wants to see first. It is asked for them once, so that the run ends.
            if closing.kind == "expand" and self._left() > 0 and self._with_roots(closing):
                self.tree.further.append(closing)  # it was paid for, too
                while self.stopped in _UNANSWERED and (batch := self._next()):
                    self._visit(batch)
                if self.stopped not in _UNANSWERED:
                    return
                closing = self._concluded()
            self.tree.closing = self._located(_final(closing))
            if why := self.tree.closing.failed:
                self.stopped = why

    def _concluded(self) -> Decision:
        return self._safely(lambda: [self._planner.conclude(self.stopped)])[0]

    def _asked_for_more(self) -> bool:
        """Ask the planner for new first paths where looks remain. Returns whether the run continues."""
        gaps = unseen(self._duration_s, (node.span for node in self.tree.seen()))
        if self._left() <= 0 or sum(gap.seconds for gap in gaps) <= _UNSEEN * self._duration_s:
            return False
        decisions = self._safely(lambda: self._planner.more(gaps, self._left()))
        if not decisions:
            return False
        decision = self._located(decisions[0])
        self.tree.further.append(decision)
        if decision.kind == "expand":
            return self._with_roots(decision)
        if decision.kind == "answer":
            self._apply(decision)
            return True
        return False

    def _with_roots(self, decision: Decision) -> bool:
        """Add first paths. Returns whether any was accepted."""
        wide = NodeLimits(self._policy.root_limit, self._policy.max_depth, self._duration_s)
        return bool(admit(self.tree, ROOT, decision.paths, limits=wide))

    def _roots_wait(self) -> bool:
        return any(node.status == "queued" and not node.parent for node in self.tree.nodes.values())

    # The root

    def _resume(self, root: Decision) -> None:
        """Go on from the tree of an earlier run: what failed or was not decided is looked at once more."""
        visits: list[tuple[Visit, Decision]] = []
        for node in sorted(self.tree.nodes.values(), key=lambda node: node.timings.at):
            if node.status == "seen" and node.decision and not node.decision.failed and node.segment:
                look = Look(node.seen, finds=node.finds)
                visits.append((self._as_visit(_Looked(node, node.segment, look)), node.decision))
            else:
                node.status, node.decision = "queued", None
        self._planner.resume(root, visits)

    def _begin(self, anchors: Sequence[ProposedPath]) -> None:
        before = self._clock()
        [decision] = self._safely(lambda: [self._planner.begin()])
        if decision.kind == "discard" or (decision.kind == "expand" and not (decision.paths or anchors)):
            note = f"the first decision was {decision.kind} without a path; taken as terminate"
            decision = replace(decision, kind="terminate", notes=(*decision.notes, note))
        decision = self._located(decision)
        self.tree.root, self.tree.root_seconds = decision, self._clock() - before
        if decision.kind == "expand":
            wide = NodeLimits(self._policy.root_limit, self._policy.max_depth, self._duration_s)
            # Anchors and the planner's paths have the limit each, so that anchors displace none of its paths.
            admit(self.tree, ROOT, anchors, limits=wide, origin="memory")
            admit(self.tree, ROOT, decision.paths, limits=wide)
        self._apply(decision)
        self._save(self.tree, self.stopped)

    def _apply(self, decision: Decision) -> None:
        """End the run if the decision says so. An answer takes precedence over every other reason to stop."""
        if decision.kind == "answer":
            self.stopped = "answer"
        elif decision.kind == "terminate" and self.stopped == "running":
            self.stopped = decision.failed or "terminate"

    # The queue

    def _queue(self) -> list[Node]:
        """Return the waiting nodes, best first. Equal ones keep the order in which they were proposed."""
        seen = {node.id: node.span for node in self.tree.nodes.values() if node.status == "seen"}
        waiting = [node for node in self.tree.nodes.values() if node.status == "queued"]
        # Computed anew each time, because every look makes other ranges less novel.
        for node in waiting:
            parent = self.tree.nodes[node.parent].decision if node.parent else self.tree.root
            # The node is a closer look at part of its ancestors' ranges, so these do not count against its novelty.
            above = {node.id, *ancestors(node.id)}
            elsewhere = [span for path_id, span in seen.items() if path_id not in above]
            confidence = max(parent.confidence if parent else 0.0, node.backing)
            node.priority = priority(confidence, novelty(node.span, elsewhere), node.score)
        return sorted(waiting, key=lambda node: -node.priority)

    def _has_more(self) -> bool:
        """Return whether a path is waiting, or a part of the video was not looked at."""
        seen = [node.span for node in self.tree.seen()]
        return bool(self._queue()) or novelty(Span(0.0, self._duration_s), seen) > _UNSEEN

    def _left(self) -> int:
        # Failed looks count too: they took time, and perhaps a paid call.
        return self._policy.max_looks - sum(node.looks for node in self.tree.nodes.values())

    def _next(self) -> list[Node]:
        return self._queue()[: min(self._policy.parallel, max(0, self._left()))]

    # A visit

    def _visit(self, batch: list[Node]) -> None:
        looked = side_by_side(self._look, batch)
        for each in looked:
            self._record(each)
        visits = [self._as_visit(each) for each in looked if each.look]
        if visits:
            before = self._clock()
            decisions = self._safely(lambda: self._planner.decide(visits))
            seconds = (self._clock() - before) / len(visits)
            # A failed call gives a single decision for all visits, so the lists may differ in length.
            for visit, decision in zip(visits, decisions, strict=False):
                self._settle(self.tree.nodes[visit.node_id], decision, seconds)
        if self.stopped == "running":
            self.stopped = self._stopped_by(looked)
        self._save(self.tree, self.stopped)

    def _stopped_by(self, looked: list[_Looked]) -> Stopped:
        """Return why the errors of these looks end the run, or "running" if they do not."""
        if any(isinstance(each.error, NoSpace) for each in looked):
            return "no_space"
        if any(isinstance(each.error, CostLimit) for each in looked):
            return "max_cost"
        if self._failures < self._policy.failures:
            return "running"
        decided = [each.node.decision for each in looked]
        is_model = any(isinstance(each.error, ModelFailed) for each in looked) or any(
            each.failed for each in decided if each
        )
        return "model_failed" if is_model else "exhausted"

    def _look(self, node: Node) -> _Looked:
        """Cut the segment and look at it.

        A range that cannot be read, or a failed call, is an error of this node alone.
        """
        node.timings.at = self._clock() - self._began
        segment = None
        try:
            before = self._clock()
            segment = self._clip(node.span)
            cut = self._clock()
            node.timings.clip = cut - before
            look = self._looker(segment)
            node.timings.look = self._clock() - cut
        except (InputError, ModelFailed, NoSpace) as error:
            return _Looked(node, segment, None, error)
        return _Looked(node, segment, None if look.error else look, look.error, look.usage)

    def _record(self, looked: _Looked) -> None:
        node, look = looked.node, looked.look
        node.segment, node.usage, node.looks = looked.segment, node.usage + looked.usage, node.looks + 1
        if look is None:
            node.status = "failed"
            node.notes.append(str(looked.error))
            self._failures += 1
            return
        node.status, node.seen, node.finds = "seen", look.text, look.finds
        node.analysis, node.shown = look.analysis, bool(look.attachments)
        node.notes += look.notes
        self.tree.look_notes |= dict.fromkeys(look.notes)

    def _as_visit(self, looked: _Looked) -> Visit:
        node = looked.node
        assert looked.segment and looked.look  # noqa: S101 - the caller leaves out nodes without
        may_expand = node.depth < self._policy.max_depth
        return Visit(
            node_id=node.id,
            depth=node.depth,
            strategy=node.strategy,
            span=node.span,
            segment=looked.segment,
            look=looked.look,
            may_expand=may_expand,
            score=node.score,
        )

    def _settle(self, node: Node, decision: Decision, seconds: float) -> None:
        """Store a decision at its node, and its paths as children."""
        # `_stopped_by` counts failures in a row. A look whose decision can be read ends the row.
        self._failures = self._failures + 1 if decision.failed else 0
        node.timings.decide = seconds
        if decision.kind == "expand" and not decision.paths:
            note = "expand without a path; taken as discard"
            decision = replace(decision, kind="discard", notes=(*decision.notes, note))
        node.decision = decision = self._located(decision, node)
        node.usage += decision.usage
        self._judged.append(decision)
        if decision.kind == "expand":
            limits = NodeLimits(self._policy.per_expand_limit, self._policy.max_depth, self._duration_s)
            admit(self.tree, node.id, decision.paths, limits=limits)
        self._apply(decision)

    def _located(self, decision: Decision, at: Node | None = None) -> Decision:
        """Return an answer with the node that it rests on, and what of its span lies within that node.

        at: the node that it was decided at. It may rest on another one: that which it names, or that whose range
            shares most with its span. Without any, its span may lie anywhere in the video.
        """
        if decision.kind != "answer":
            return decision
        span = decision.span
        seen = [node for node in (self.tree.nodes.get(decision.node), at) if node and node.status == "seen"]
        if not seen:
            return replace(decision, node="", span=_within(span, Span(0.0, self._duration_s)))
        others = sorted(self.tree.seen(), key=lambda node: -node.span.shared(span)) if span else []
        shows = next((node for node in (*seen, *others) if span and node.span.shared(span) > 0), seen[0])
        return replace(decision, node="" if shows is at else shows.id, span=_within(span, shows.span))

    @staticmethod
    def _safely(ask: Callable[[], list[Decision]]) -> list[Decision]:
        """Return the decisions. A failed call becomes a `terminate` decision that gives the reason."""
        try:
            return ask()
        except ModelFailed as error:
            why = "max_cost" if isinstance(error, CostLimit) else "model_failed"
            return [Decision("terminate", str(error), failed=why)]


def _within(span: Span | None, bounds: Span) -> Span | None:
    if span is None:
        return None
    start, end = max(span.start_s, bounds.start_s), min(span.end_s, bounds.end_s)
    return Span(start, end) if start < end else None


def _final(closing: Decision) -> Decision:
    """Return the last decision, which is `answer` or `terminate`."""
    if closing.kind in ("answer", "terminate"):
        return closing
    note = f"the last decision was {closing.kind}; taken as terminate"
    return replace(closing, kind="terminate", paths=(), notes=(*closing.notes, note))
