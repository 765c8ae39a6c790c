"""A question about who asks is answered by what people said, never by what an assistant said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.domain.recall import Answer
from amr_neo4j.recall.answer.render import MAX_EVIDENCE
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.score import best_first


def that_may_answer(parsed: ParsedQuestion, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without the turns of an assistant, where the question is about who asks; all if none is left."""
    if not parsed.asks_for_speaker:
        return candidates
    return [each for each in candidates if not (each.event.turn and each.event.turn.by_assistant)] or candidates


def with_evidence_of_all(answer: Answer, candidates: Sequence[Candidate]) -> Answer:
    """The answer, and as its evidence what it rests on and then the best of all candidates."""
    first = answer.evidence[: max(1, len(answer.citations))]
    there = {hit.event.node_id for hit in first}
    others = (each.hit() for each in best_first(candidates) if each.node_id not in there)
    return replace(answer, evidence=(*first, *others)[:MAX_EVIDENCE])
