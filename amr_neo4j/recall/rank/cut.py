"""Ends a list of results where they no longer bear on the question."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.tables import Share, Table, load


class CutTable(Table):
    """cut.yaml. Its header documents the keys."""

    fitted_on: tuple[str, ...]
    of_best: Share
    looked_at: int


_TABLE = load("amr_neo4j.recall.rank", "cut.yaml", CutTable)


def bearing(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the results that bear on the question, in their order; of any results, at least the best."""
    best = [each.score for each in best_first(found)[: _TABLE.looked_at]]
    least = fmean((_TABLE.of_best * best[0], fmean(best))) if best else 0.0
    return [each for each in found if each.score >= least]
