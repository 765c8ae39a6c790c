"""How far a search goes. The defaults are those of the settings, which have the same names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchLimits:
    """How far a search goes.

    anchors_sparse, anchors_dense: how many events each ranking returns: by words, by vector.
    anchors: how many events a walk starts from.
    beam_width: how many events the walk keeps per hop.
    max_hops: how many hops it takes at most.
    max_visited: how many events it keeps at most, over all hops.
    convergence: it stops when the best score changes by less than this from one hop to the next.
    group_gap_sec, group_span_sec: the longest pause within a group of events, and the longest group.
    groups: how many groups are kept.
    judged_groups: how many groups a model judges; 0 means all.
    wrong_answer_cost: how much worse a wrong answer is than none, as a multiple of what a right one is worth. With
        more, more answers are doubted or declined.
    """

    anchors_sparse: int = 50
    anchors_dense: int = 50
    anchors: int = 8
    beam_width: int = 20
    max_hops: int = 4
    max_visited: int = 500
    convergence: float = 0.001
    group_gap_sec: float = 15.0
    group_span_sec: float = 60.0
    groups: int = 4
    judged_groups: int = 0
    wrong_answer_cost: float = 1.0
