"""Prefers the newest statement: what a later turn replaced is never given as present."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.domain.replacement import Replacement
from amr_neo4j.recall.evidence.candidate import Candidate

# Only so many of the best can be cited, so only those are looked after.
LOOKED_AFTER = 20
# A turn that also states other things is not outdated as a whole: its newer one must be found as well, about as good.
_ABOUT_AS_GOOD = 0.5
_ABOVE = 1e-6


def renewed(
    candidates: Sequence[Candidate], replacements: Sequence[Replacement], read: Callable[[Sequence[int]], list[Event]]
) -> tuple[list[Candidate], Mapping[int, Replacement]]:
    """The candidates with each newest statement just above what it replaced, and what was outdated, by node_id.

    read: the events with these node_ids. A newer turn that was not found, or that does not say of what it states a
    value, takes the older one's features.
    """
    there = {candidate.node_id: candidate for candidate in candidates}
    outdated = {each.old: each for each in replacements if each.old in there and _counts(each, there)}
    missing = [each.new for each in outdated.values() if each.new not in there]
    for event in read(missing) if missing else ():
        older = next(there[each.old] for each in outdated.values() if each.new == event.node_id)
        there[event.node_id] = replace(older, event=event, path=Path((event.node_id,), (), older.path.score))
    for each in outdated.values():
        if each.new in there:
            older, newer = there[each.old], there[each.new]
            best = max(older.score, newer.score)
            if each.is_correction:
                newer = replace(older, event=newer.event, corrects=older.event)
            there[each.new] = replace(newer, score=min(best + _ABOVE, 1.0))
    return list(there.values()), {old: each for old, each in outdated.items() if each.new in there}


def _counts(each: Replacement, there: Mapping[int, Candidate]) -> bool:
    if each.whole:
        return True
    newer = there.get(each.new)
    return newer is not None and newer.score >= _ABOUT_AS_GOOD * there[each.old].score
