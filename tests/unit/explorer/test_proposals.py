"""Ids, and what becomes of proposed paths."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.exploration import Decision, ProposedPath
from amr_neo4j.explorer.proposals import NodeLimits, admit
from amr_neo4j.explorer.tree import Tree, ancestors, is_valid, next_free, parent_of

LIMITS = NodeLimits(per_parent=3, max_depth=3, duration_s=60.0)


def path(start: float, end: float, path_id: str = "") -> ProposedPath:
    return ProposedPath(path_id, "look", start, end)


def test_letters_and_digits_alternate() -> None:
    assert [next_free(parent, ()) for parent in ("", "P1", "P1a", "P1a1")] == ["P1", "P1a", "P1a1", "P1a1a"]
    assert [parent_of(path_id) for path_id in ("P12", "P1a", "P1a1", "P1a1aa")] == ["", "P1", "P1a", "P1a1"]
    assert [*ancestors("P1a1")] == ["P1a", "P1"]
    assert next_free("P1", {f"P1{chr(97 + n)}" for n in range(26)}) == "P1aa"


@pytest.mark.parametrize("path_id", ["", "P", "P0", "p1", "P1A", "1", "P1-a", "P1a0", "P1 "])
def test_other_ids_are_not_valid(path_id: str) -> None:
    assert not is_valid(path_id)


def test_an_id_in_use_and_a_child_of_nobody_get_the_next_free_id() -> None:
    tree = Tree()
    admit(
        tree,
        "",
        [path(0, 5, "P1"), path(10, 15, "P1"), path(20, 25, "P9a"), path(30, 35, "P3")],
        limits=NodeLimits(9, 3, 60.0),
    )
    assert list(tree.nodes) == ["P1", "P2", "P3", "P4"]
    assert [p.outcome for p in tree.root_proposals] == ["accepted", "renamed", "renamed", "renamed"]
    assert [p.notes[0] for p in tree.root_proposals[1:]] == [
        "id P1 was in use; taken as P2",
        "id P9a is no child of the root; taken as P3",
        "id P3 was in use; taken as P4",
    ]


@pytest.mark.parametrize(
    ("start", "end", "taken", "note"),
    [
        (15, 5, (5, 15), "inverted"),
        (50, 90, (50, 60), "clamped"),
        (-5, 5, (0, 5), "clamped"),
        (10, 10, (9.75, 10.25), "too short"),
        (60, 70, None, "outside"),
        (-9, -1, None, "outside"),
        (nan, 5, None, "not made of numbers"),
        (0, inf, None, "not made of numbers"),
    ],
)
def test_odd_ranges_have_an_outcome(start: float, end: float, taken: tuple[float, float] | None, note: str) -> None:
    tree = Tree()
    nodes = admit(tree, "", [path(start, end)], limits=LIMITS)
    assert [(node.span.start_s, node.span.end_s) for node in nodes] == ([taken] if taken else [])
    assert note in tree.root_proposals[0].notes[0]


def test_overlaps_are_noted_and_repeats_rejected() -> None:
    tree = Tree()
    admit(tree, "", [path(0, 10), path(5, 15), path(0.1, 10)], limits=LIMITS)
    assert list(tree.nodes) == ["P1", "P2"]
    assert [p.notes for p in tree.root_proposals] == [
        (),
        ("the range overlaps that of P1",),
        ("the same range as P1, which is now more urgent",),
    ]


def test_a_range_proposed_again_gains_the_confidence_of_the_new_decision() -> None:
    tree = Tree()
    tree.root = Decision("expand", confidence=0.2)
    admit(tree, "", [path(0, 10), path(20, 30)], limits=LIMITS)
    tree.nodes["P1"].status = "seen"
    tree.nodes["P1"].decision = Decision("expand", confidence=0.8)
    admit(tree, "P1", [path(20, 30), path(0, 10)], limits=LIMITS)
    assert tree.nodes["P2"].backing == 0.8
    assert [p.notes[0] for p in tree.nodes["P1"].proposals] == [
        "the same range as P2, which is now more urgent",
        "the same range as P1",
    ]


def test_limits_of_number_and_depth() -> None:
    tree = Tree()
    admit(tree, "", [path(start, start + 5) for start in (0, 10, 20, 30)], limits=LIMITS)
    assert tree.root_proposals[3].notes == ("over the limit of 3 paths",)
    for parent, start in (("P1", 1), ("P1a", 2), ("P1a1", 3)):
        admit(tree, parent, [path(start, start + 1)], limits=LIMITS)
    assert list(tree.nodes) == ["P1", "P2", "P3", "P1a", "P1a1"]
    assert tree.nodes["P1a1"].proposals[0].notes == ("max_depth 3 is reached",)


@given(
    ranges=st.lists(
        st.tuples(st.floats(), st.floats(), st.sampled_from(["", "P1", "P2", "P1a", "Q", "P1a1"])), max_size=8
    )
)
def test_whatever_is_proposed_every_node_lies_in_the_video(ranges: list[tuple[float, float, str]]) -> None:
    """Each proposal has one outcome; each node a valid id, its own, and a range in the video."""
    tree = Tree()
    admit(tree, "", [path(start, end, path_id) for start, end, path_id in ranges], limits=LIMITS)
    assert len(tree.root_proposals) == len(ranges)
    accepted = [proposal.id for proposal in tree.root_proposals if proposal.outcome != "rejected"]
    assert accepted == list(tree.nodes)
    for node in tree.nodes.values():
        assert is_valid(node.id) and 0 <= node.span.start_s < node.span.end_s <= 60
