"""The loop: order of looks, decisions, limits and faults. Planner and looker are scripted; nothing is cut."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Barrier

import pytest

from amr_neo4j.domain.exploration import Decision, Look, ProposedPath, Segment, Span, Stopped, Visit
from amr_neo4j.errors import InputError, ModelDenied, ModelUnavailable, NoSpace
from amr_neo4j.explorer.export import exported, result
from amr_neo4j.explorer.loop import ExplorationLoop
from amr_neo4j.explorer.policy import Policy, novelty, priority, stays_low
from amr_neo4j.explorer.tree import Tree
from amr_neo4j.files import write_atomically


def expand(*paths: tuple[float, float], confidence: float = 0.5) -> Decision:
    proposed = tuple(ProposedPath("", "look", start, end) for start, end in paths)
    return Decision("expand", "there may be more", proposed, confidence=confidence)


DISCARD = Decision("discard", "nothing here", confidence=0.9)
END = Decision("terminate", "it is not in the video", confidence=0.6)


def answer(text: str = "red", confidence: float = 0.9) -> Decision:
    return Decision("answer", "seen", answer=text, confidence=confidence)


class Scripted:
    """A planner that knows its decision for each node."""

    def __init__(self, root: Decision | Exception, decisions: dict[str, Decision | Exception] | None = None) -> None:
        self.root, self.decisions, self.closing = root, decisions or {}, END
        self.order: list[str] = []
        self.further, self.closings = list[Decision](), list[Decision]()
        self.asked_for_more: list[tuple[list[Span], int]] = []

    def resume(self, root: Decision, visits: Sequence[tuple[Visit, Decision]]) -> None:
        raise AssertionError("nothing is resumed here")

    def begin(self) -> Decision:
        return _given(self.root)

    def decide(self, visits: Sequence[Visit]) -> list[Decision]:
        self.order += [visit.node_id for visit in visits]
        return [_given(self.decisions.get(visit.node_id, DISCARD)) for visit in visits]

    def more(self, unseen: Sequence[Span], looks: int) -> list[Decision]:
        self.asked_for_more.append((list(unseen), looks))
        return [self.further.pop(0)] if self.further else []

    def conclude(self, why: str) -> Decision:
        return self.closings.pop(0) if self.closings else self.closing


def _given(decision: Decision | Exception) -> Decision:
    if isinstance(decision, Exception):
        raise decision
    return decision


class Eyes:
    def __init__(
        self, look: Callable[[Segment], Look] = lambda segment: Look("a street", notes=("a fallback",))
    ) -> None:
        self._look = look

    def __call__(self, segment: Segment) -> Look:
        return self._look(segment)


def cut(span: Span) -> Segment:
    return Segment(f"segment_{span.start_s:g}.mp4", span, 1000)


def run(
    planner: Scripted,
    eyes: Eyes | None = None,
    clip: Callable[[Span], Segment] = cut,
    anchors: Sequence[ProposedPath] = (),
    **policy: float,
) -> tuple[ExplorationLoop, list[Stopped]]:
    saved: list[Stopped] = []
    ticks = count()
    engine = ExplorationLoop(
        planner,
        eyes or Eyes(),
        clip,
        duration_s=60.0,
        policy=Policy(**policy),  # type: ignore[arg-type]
        clock=lambda: float(next(ticks)),
        save=lambda tree, stopped: saved.append(stopped),
    )
    engine.run(anchors)
    return engine, saved


def outcome(engine: ExplorationLoop) -> dict[str, str]:
    return {node.id: node.decision.kind if node.decision else node.status for node in engine.tree.nodes.values()}


def test_it_expands_discards_and_answers() -> None:
    planner = Scripted(
        expand((0, 10), (20, 30)), {"P1": expand((1, 3), (5, 7)), "P2": DISCARD, "P1b": answer("two people")}
    )
    engine, saved = run(planner)
    assert engine.stopped == "answer"
    assert planner.order[-1] == "P1b" and set(planner.order) <= {"P1", "P2", "P1a", "P1b"}
    assert engine.tree.best() == (answer("two people"), "P1b")
    assert saved[-1] == "answer" and saved[:-1].count("running") == len(saved) - 2


def test_the_root_may_answer_or_end_at_once() -> None:
    for root, stopped in ((answer(), "answer"), (END, "terminate")):
        engine, _ = run(Scripted(root))
        assert (engine.stopped, engine.tree.nodes) == (stopped, {})


@pytest.mark.parametrize("root", [DISCARD, expand()])
def test_a_root_without_paths_ends_the_run_and_says_so(root: Decision) -> None:
    engine, _ = run(Scripted(root))
    assert engine.stopped == "terminate"
    assert engine.tree.root and "taken as terminate" in engine.tree.root.notes[0]


def test_an_empty_expand_is_a_discard() -> None:
    engine, _ = run(Scripted(expand((0, 10)), {"P1": expand()}))
    decision = engine.tree.nodes["P1"].decision
    assert decision and decision.kind == "discard"
    assert decision.notes == ("expand without a path; taken as discard",)


def test_no_child_lies_deeper_than_max_depth() -> None:
    decisions: dict[str, Decision | Exception] = {"P1": expand((1, 3)), "P1a": expand((1, 2))}
    engine, _ = run(Scripted(expand((0, 10)), decisions), max_depth=2)
    assert outcome(engine) == {"P1": "expand", "P1a": "expand"}
    assert engine.tree.nodes["P1a"].proposals[0].notes == ("max_depth 2 is reached",)
    assert engine.stopped == "exhausted"


def test_per_expand_limit_holds_for_children() -> None:
    engine, _ = run(Scripted(expand((0, 10)), {"P1": expand((0, 1), (2, 3), (4, 5))}), per_expand_limit=2)
    assert list(engine.tree.nodes) == ["P1", "P1a", "P1b"]


def test_terminate_ends_and_an_answer_beside_it_wins() -> None:
    engine, _ = run(Scripted(expand((0, 5), (10, 15)), {"P1": END}))
    assert (engine.stopped, outcome(engine)) == ("terminate", {"P1": "terminate", "P2": "queued"})
    both = Scripted(expand((0, 5), (10, 15)), {"P1": END, "P2": answer()})
    engine, _ = run(both, parallel=2)
    assert engine.stopped == "answer"


def test_the_most_promising_path_is_looked_at_first() -> None:
    memory = [ProposedPath("", "remembered", 40, 50, score=0.9)]
    planner = Scripted(expand((0, 10), (20, 30)), {"P2": expand((21, 22), confidence=1.0)})
    run(planner, anchors=memory)
    assert planner.order[0] == "P1"  # the anchor
    assert set(planner.order) == {"P1", "P2", "P2a", "P3"}


def test_priority_weighs_confidence_novelty_and_score() -> None:
    assert priority(1, 1, 1) == pytest.approx(1)
    assert novelty(Span(0, 10), []) == 1
    assert novelty(Span(0, 10), [Span(0, 4), Span(2, 6), Span(20, 30)]) == pytest.approx(0.4)
    assert priority(0.5, 0.2, 0) < priority(0.5, 0.9, 0) < priority(0.5, 0.9, 0.5)


def test_stated_doubt_ends_the_run_once_no_first_path_waits() -> None:
    """Twelve first paths, each with another below it; then only doubt."""
    paths = [(float(start), start + 2.0) for start in range(0, 48, 4)]
    doubts: dict[str, Decision | Exception] = {
        f"P{n}": expand((4 * n - 4, 4 * n - 3), confidence=0.1) for n in range(1, 13)
    }
    engine, _ = run(Scripted(expand(*paths), doubts), patience=4)
    looked = [node.id for node in engine.tree.seen()]
    assert engine.stopped == "low_confidence" and set(looked) >= set(doubts)
    engine, _ = run(Scripted(expand(*paths), doubts), patience=0)
    assert (engine.stopped, len(engine.tree.seen())) == ("exhausted", 24)


def test_a_discarded_path_is_no_doubt_of_the_others() -> None:
    """Eleven paths are discarded, and the twelfth has the answer."""
    paths = [(float(start), start + 2.0) for start in range(0, 48, 4)]
    engine, _ = run(Scripted(expand(*paths, confidence=0.1), {"P12": answer()}), patience=4)
    assert engine.stopped == "answer" and not stays_low([DISCARD] * 9, Policy(patience=2))


@pytest.mark.parametrize(("looks", "taken"), [(5, 40), (40, 40), (60, 60)])
def test_as_many_first_paths_are_taken_as_there_are_looks(looks: int, taken: int) -> None:
    paths = [(float(start), start + 1.0) for start in range(60)]
    engine, _ = run(Scripted(expand(*paths)), max_looks=looks, patience=0)
    assert (len(engine.tree.seen()), len(engine.tree.nodes)) == (looks, taken)


def test_where_looks_remain_further_paths_are_asked_for() -> None:
    planner = Scripted(expand((0, 5), (10, 15)), {"P3": answer("blue")})
    planner.further = [expand((30, 35))]
    engine, _ = run(planner, max_looks=10)
    assert engine.stopped == "answer" and planner.order == ["P1", "P2", "P3"]
    assert planner.asked_for_more == [([Span(5, 10), Span(15, 60)], 8)]
    planner = Scripted(expand((0, 5)))
    planner.further = [expand((0, 5))]  # proposes only what was seen
    engine, _ = run(planner, max_looks=10)
    assert (engine.stopped, len(engine.tree.further)) == ("exhausted", 1)


def test_a_range_that_the_last_decision_names_is_looked_at() -> None:
    planner = Scripted(expand((0, 5)), {"P2": answer("blue")})
    planner.closings = [expand((30, 35))]
    engine, _ = run(planner, max_looks=10)
    assert (engine.stopped, planner.order) == ("answer", ["P1", "P2"])
    assert (
        engine.tree.closing is None and len(engine.tree.further) == 1
    )  # it did not end the run, and is counted once
    planner = Scripted(expand((0, 5)))
    planner.closing = expand((30, 35))  # asks again and again
    engine, _ = run(planner, max_looks=10)
    assert planner.order == ["P1", "P2"] and engine.tree.closing
    assert [each.kind for each in engine.tree.further] == ["expand"]  # its cost is counted
    assert engine.tree.closing.kind == "terminate" and "taken as terminate" in engine.tree.closing.notes[0]


@pytest.mark.parametrize(
    ("named", "span", "where"),
    [
        ("", None, ("P2", Span(10, 15))),
        ("", Span(11, 13), ("P2", Span(11, 13))),
        ("P2a", Span(11, 13), ("P2", Span(11, 13))),  # a new id of the same range
        ("P1", None, ("P1", Span(0, 5))),
        ("P1", Span(2, 4), ("P1", Span(2, 4))),
        ("", Span(2, 4), ("P1", Span(2, 4))),
        ("P2", Span(2, 4), ("P1", Span(2, 4))),
        ("P3", Span(20, 25), ("P2", Span(10, 15))),  # never looked at
    ],
)
def test_an_answer_rests_on_the_range_that_it_names(named: str, span: Span | None, where: tuple[str, Span]) -> None:
    """The model answers at one path and may name another one that it saw before."""
    decided = replace(answer(), node=named, span=span)
    engine, _ = run(Scripted(expand((0, 5), (10, 15), (20, 25)), {"P1": DISCARD, "P2": decided}))
    best = engine.tree.best()
    assert best
    decision, node_id = best
    assert (node_id, decision.span or engine.tree.nodes[node_id].span) == where


def test_max_looks_ends_the_run_and_asks_for_the_last_word() -> None:
    planner = Scripted(expand((0, 5), (10, 15), (20, 25)))
    planner.closing = Decision("answer", answer="blue", confidence=0.4, node="P2")
    engine, _ = run(planner, max_looks=2)
    assert engine.stopped == "max_looks" and len(engine.tree.seen()) == 2
    assert engine.tree.best() == (planner.closing, "P2")


def test_a_failed_model_ends_the_run_safely() -> None:
    broken = ModelUnavailable("no reply", hint="try again")
    engine, _ = run(Scripted(broken))
    assert engine.stopped == "model_failed"
    engine, saved = run(Scripted(expand((0, 5), (10, 15)), {"P1": broken}))
    assert (engine.stopped, saved[-1]) == ("model_failed", "model_failed")
    assert outcome(engine) == {"P1": "terminate", "P2": "queued"}


def test_what_the_user_must_correct_is_raised_after_the_tree_was_saved() -> None:
    saved: list[Stopped] = []
    denied = Scripted(expand((0, 5)), {"P1": ModelDenied("wrong key", hint="set api_key")})
    engine = ExplorationLoop(
        denied,
        Eyes(),
        cut,
        duration_s=60.0,
        policy=Policy(),
        clock=lambda: 0.0,
        save=lambda tree, stopped: saved.append(stopped),
    )
    with pytest.raises(ModelDenied):
        engine.run()
    assert saved[-1] == "model_failed"


def test_a_range_that_cannot_be_read_fails_alone() -> None:
    def broken_start(span: Span) -> Segment:
        if span.start_s < 5:
            raise InputError("nothing can be decoded", hint="check it")
        return cut(span)

    engine, _ = run(Scripted(expand((0, 4), (10, 15)), {"P2": answer()}), clip=broken_start)
    assert outcome(engine) == {"P1": "failed", "P2": "answer"}
    assert engine.tree.nodes["P1"].notes == ["nothing can be decoded (check it)"]


def test_looks_that_fail_in_a_row_end_the_run() -> None:
    def blind(segment: Segment) -> Look:
        raise ModelUnavailable("no reply")

    engine, _ = run(Scripted(expand(*[(start, start + 2.0) for start in range(0, 40, 4)])), Eyes(blind))
    assert (engine.stopped, list(outcome(engine).values()).count("failed")) == ("model_failed", 3)


def test_a_full_disk_budget_ends_the_run_with_the_last_word() -> None:
    def full(span: Span) -> Segment:
        raise NoSpace("the segments need more", hint="raise --disk-budget")

    engine, _ = run(Scripted(expand((0, 5), (10, 15))), clip=full)
    assert (engine.stopped, engine.tree.closing) == ("no_space", END)


def test_ctrl_c_saves_the_tree_and_is_raised() -> None:
    saved: list[Stopped] = []

    def pressed(segment: Segment) -> Look:
        raise KeyboardInterrupt

    engine = ExplorationLoop(
        Scripted(expand((0, 5))),
        Eyes(pressed),
        cut,
        duration_s=60.0,
        policy=Policy(),
        clock=lambda: 0.0,
        save=lambda t, s: saved.append(s),
    )
    with pytest.raises(KeyboardInterrupt):
        engine.run()
    assert saved[-1] == "interrupted"


def test_parallel_paths_are_looked_at_side_by_side() -> None:
    together = Barrier(3, timeout=5)

    def wait(segment: Segment) -> Look:
        together.wait()
        return Look("a street")

    planner = Scripted(expand((0, 5), (10, 15), (20, 25)), {"P2": answer("blue", 0.5), "P3": answer("red", 0.8)})
    engine, _ = run(planner, Eyes(wait), parallel=3)
    assert len(engine.tree.seen()) == 3
    assert engine.tree.best() == (answer("red", 0.8), "P3")


def test_a_hundred_nodes_cost_little_beside_clip_and_look(tmp_path: Path) -> None:
    """With the tree written after each node; 50 ms a node are allowed."""
    paths = [(n * 0.5, n * 0.5 + 0.5) for n in range(100)]
    planner, policy = Scripted(expand(*paths)), Policy(max_looks=100, patience=0)

    def save(tree: Tree, stopped: Stopped) -> None:
        video = {"path": "a.mp4", "duration_s": 60.0, "fingerprint": ""}
        document = exported(
            tree, question="What?", video=video, policy=policy, stopped=stopped, planner="scripted", seconds=1.0
        )
        write_atomically(tmp_path / "tree.json", json.dumps(document))

    began = time.process_time()
    engine = ExplorationLoop(planner, Eyes(), cut, duration_s=60.0, policy=policy, clock=time.monotonic, save=save)
    assert len(engine.run().seen()) == 100
    assert (time.process_time() - began) / 100 < 0.05


def test_the_result_says_where_the_answer_is() -> None:
    engine, _ = run(Scripted(expand((0, 5), (10, 15)), {"P1": DISCARD, "P2": answer()}))
    video = {"path": "a.mp4", "duration_s": 60.0}
    document = exported(
        engine.tree,
        question="What colour?",
        video=video,
        policy=Policy(),
        stopped=engine.stopped,
        planner="scripted",
        seconds=1.0,
    )
    found = result(engine.tree, document)
    assert (found.answer, found.found, found.node_id, found.span) == ("red", True, "P2", Span(10, 15))
    assert found.notes == ("a fallback",)
    assert (found.nodes, found.looks, found.terminated, found.segment) == (2, 2, False, "segment_10.mp4")
    assert (
        result(
            Tree(),
            exported(Tree(), question="?", video=video, policy=Policy(), stopped="running", planner="x", seconds=0),
        ).found
        is False
    )
