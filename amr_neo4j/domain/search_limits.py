"""How far a search goes, as the settings of the same names say. Their defaults stand here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchLimits:
    """How far a search goes.

    beam_width: how many events the walk keeps per hop.
    max_hops: how many hops it takes at most.
    groups: how many groups are kept.
    judged_groups: how many groups a model judges; 0 means all.
    wrong_answer_cost: how much worse a wrong answer is than none, as a multiple of what a right one is worth. With
        more, more answers are doubted or declined.
    context_tokens: how many tokens of evidence a model is sent in one call.
    """

    beam_width: int = 20
    max_hops: int = 4
    groups: int = 4
    judged_groups: int = 0
    wrong_answer_cost: float = 1.0
    context_tokens: int = 3000
