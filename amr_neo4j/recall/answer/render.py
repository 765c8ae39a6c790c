"""Claims as an Answer: its text, its evidence and its citations."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.domain.recall import Answer
from amr_neo4j.recall.answer.citations import citation
from amr_neo4j.recall.answer.claim import Claims, ModelClaims, Reason, Unknown
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.score import best_first

MAX_EVIDENCE = 10


def render(parsed: ParsedQuestion, result: Claims | ModelClaims | Unknown, found: Sequence[Candidate]) -> Answer:
    """The answer. found: the best of it is listed after what the claims cite."""
    if isinstance(result, Unknown):
        if not result.nearest:
            return not_found(parsed, result.missing_words, result.attribute)
        result = Claims(result.nearest, caveats=(_lead(parsed, result),))
    caveats = result.caveats if isinstance(result, Claims) else ()
    cited = {event.node_id: event for claim in result.claims for event in claim.events}
    others = [candidate for candidate in best_first(found) if candidate.node_id not in cited]
    return Answer(
        question=parsed.question,
        text=" ".join([*caveats, *map(str, result.claims)]),
        found=True,
        evidence=tuple(candidate.hit() for candidate in [*cited.values(), *others][:MAX_EVIDENCE]),
        citations=tuple(citation(candidate.event) for candidate in cited.values()),
    )


def not_found(parsed: ParsedQuestion, missing_words: Sequence[str] = (), attribute: str = "") -> Answer:
    """The answer that nothing was found.

    missing_words: words of the question that memory does not have; attribute: what it asks for and nothing states.
    """
    grammar = parsed.language.grammar
    without = grammar.attribute_not_stated(attribute) if attribute else ""
    text = without or grammar.not_found(missing_words, in_time_span=bool(parsed.span))
    return Answer(parsed.question, text, found=False)


def _lead(parsed: ParsedQuestion, result: Unknown) -> str:
    grammar = parsed.language.grammar
    match result.reason:
        case Reason.FEWER_OCCURRENCES:
            return grammar.fewer_occurrences(parsed.nth)
        case Reason.NO_OCCURRENCE:
            return grammar.no_occurrence()
        case _:
            return grammar.in_doubt(result.missing_words, result.attribute)
