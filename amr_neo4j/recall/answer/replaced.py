"""Says what an answer replaced, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from amr_neo4j.domain.recall import Answer, Hit
from amr_neo4j.domain.replacement import Replacement
from amr_neo4j.language.grammar import Grammar
from amr_neo4j.recall.answer.citations import citation, cite
from amr_neo4j.recall.evidence.candidate import Candidate


def with_replaced(
    answer: Answer, candidates: Sequence[Candidate], outdated: Mapping[int, Replacement], grammar: Grammar
) -> Answer:
    """The answer, and after it the turn that states what was so before, where it cites one that replaced it.

    candidates: everything that was found. Of several older turns the latest is named. One that is outdated by its
    value alone stays in the evidence, behind the newer one: it may state other things.
    """
    cited = {each.node_id for each in answer.citations}
    older = [c for c in candidates if c.node_id in outdated and outdated[c.node_id].new in cited]
    named = max(older, key=lambda c: (c.event.at.timestamp() if c.event.at else 0.0, c.node_id), default=None)
    kept = [c for c in candidates if c.node_id in outdated and (c is named or outdated[c.node_id].inferred)]
    answer = replace(answer, evidence=_with(answer.evidence, kept, outdated))
    if named is None:
        return answer
    how, quoted = outdated[named.node_id], f"“{named.event.summary_text}” {cite(named.event)}"
    text = f"{answer.text} {grammar.stated_before(quoted) if how.inferred else grammar.replaced(quoted, how.at)}"
    return replace(answer, text=text, citations=(*answer.citations, citation(named.event)))


def _with(hits: Sequence[Hit], kept: Sequence[Candidate], outdated: Mapping[int, Replacement]) -> tuple[Hit, ...]:
    """The hits, each followed by those of the kept candidates that it replaced."""
    behind = {outdated[c.node_id].new: c.hit() for c in kept}
    old = {c.node_id for c in kept}
    return tuple(
        each
        for hit in hits
        if hit.event.node_id not in old
        for each in (hit, *([behind[hit.event.node_id]] if hit.event.node_id in behind else []))
    )
