"""How much each word of a question counts among its candidates."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from amr_neo4j.recall.question.clause import Clause


@dataclass(frozen=True)
class WordWeights:
    """word -> weight; a word without one weighs 1. rank/score.py computes them."""

    by_word: Mapping[str, float] = field(default_factory=dict[str, float])

    def matched(self, clause: Clause, forms: Collection[str]) -> float:
        """The weight of the words of a clause that have one of these forms."""
        return sum(self.by_word.get(word.word, 1.0) for word in clause.words if not word.forms.isdisjoint(forms))


UNWEIGHTED = WordWeights()
