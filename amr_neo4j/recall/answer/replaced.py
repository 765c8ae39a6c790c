"""Says what an answer replaced, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from amr_neo4j.domain.recall import Answer
from amr_neo4j.domain.replacement import Replacement
from amr_neo4j.language.base import Grammar
from amr_neo4j.recall.answer.citations import citation, cite
from amr_neo4j.recall.evidence.candidate import Candidate


def with_replaced(
    answer: Answer, candidates: Sequence[Candidate], outdated: Mapping[int, Replacement], grammar: Grammar
) -> Answer:
    """The answer, and after it the turn that states what was so before, where it cites one that replaced it.

    candidates: everything that was found. Of several older turns the latest is named.
    """
    cited = {each.node_id for each in answer.citations}
    older = [c for c in candidates if c.node_id in outdated and outdated[c.node_id].new in cited]
    if not older:
        return answer
    before = max(older, key=lambda c: (c.event.at.timestamp() if c.event.at else 0.0, c.node_id))
    quoted = f"“{before.event.summary_text}” {cite(before.event)}"
    text = f"{answer.text} {grammar.replaced(quoted, outdated[before.node_id].at)}"
    hits = tuple(each for each in answer.evidence if each.event.node_id != before.node_id)
    return replace(
        answer, text=text, citations=(*answer.citations, citation(before.event)), evidence=(*hits, before.hit())
    )
