"""Claims as an Answer: its text, its evidence and its citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.domain.recall import Answer, Citation, TurnCitation
from amr_neo4j.recall.answer.citations import citation
from amr_neo4j.recall.answer.claim import Claim, Claims, ModelClaim, ModelClaims, Reason, Unknown
from amr_neo4j.recall.answer.cues import Heard, at_cues, nothing_heard
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.rank.score import best_first

MAX_EVIDENCE = 10


def render(
    parsed: ParsedQuestion,
    result: Claims | ModelClaims | Unknown,
    found: Sequence[Candidate],
    heard: Heard = nothing_heard,
) -> Answer:
    """The answer. found: the best of it is listed after what the claims cite. heard: the cues of an event.

    One that memory does not state quotes the nearest event, and cites nothing.
    """
    declines = isinstance(result, Unknown) and result.declines
    if isinstance(result, Unknown):
        if not result.nearest:
            return not_found(parsed, found, result.missing_words, result.attribute)
        result = Claims(result.nearest, caveats=(_lead(parsed, result),))
    caveats = result.caveats if isinstance(result, Claims) else ()
    cited = {event.node_id: event for claim in result.claims for event in claim.events}
    others = [candidate for candidate in best_first(found) if candidate.node_id not in cited]
    claims = tuple(map(_doubted, at_cues(result.claims, heard))) if isinstance(result, Claims) else result.claims
    return Answer(
        question=parsed.question,
        text=" ".join([*caveats, *map(str, claims)]),
        found=not declines,
        evidence=tuple(candidate.hit() for candidate in [*cited.values(), *others][:MAX_EVIDENCE]),
        citations=() if declines else _citations(claims),
    )


def _doubted(claim: Claim) -> Claim:
    """A claim in words of its own keeps the doubt that its event has about what the claim names."""
    language, summary = claim.rests_on.language, claim.rests_on.event.summary_text
    doubts = [language.words_of(thing) for thing in language.grammar.things_in_doubt(summary)]
    said = language.words_of(claim.text)
    if language.grammar.says_perhaps(claim.text) or not any(thing[-1] in said for thing in doubts if thing):
        return claim
    return replace(claim, text=language.grammar.perhaps(claim.text))


def _citations(claims: Sequence[Claim | ModelClaim]) -> tuple[Citation | TurnCitation, ...]:
    """Each place that a claim rests on, once."""
    lines = [
        (candidate, claim.line if isinstance(claim, Claim) else "") for claim in claims for candidate in claim.events
    ]
    return tuple(dict.fromkeys(citation(candidate.event, line) for candidate, line in lines))


def not_found(
    parsed: ParsedQuestion, found: Sequence[Candidate] = (), missing_words: Sequence[str] = (), attribute: str = ""
) -> Answer:
    """The answer that nothing was found; as its evidence the best of what was looked at.

    missing_words: words of the question that memory does not have; attribute: what it asks for and nothing states.
    """
    grammar = parsed.language.grammar
    without = grammar.attribute_not_stated(attribute) if attribute else ""
    text = without or grammar.not_found(missing_words, in_time_span=bool(parsed.span))
    if parsed.answer_type is AnswerType.PRESENCE and found:
        text = f"{text} {grammar.absence_unproven()}"
    nearest = tuple(candidate.hit() for candidate in best_first(found)[:MAX_EVIDENCE])
    return Answer(parsed.question, text, found=False, evidence=nearest)


def _lead(parsed: ParsedQuestion, result: Unknown) -> str:
    grammar = parsed.language.grammar
    match result.reason:
        case Reason.FEWER_OCCURRENCES:
            return grammar.fewer_occurrences(parsed.nth)
        case Reason.NO_OCCURRENCE:
            return grammar.no_occurrence()
        case Reason.NOT_STATED:
            return grammar.not_stated(result.missing_words or result.unmet_words, result.attribute)
        case _ if result.unmet_words and not result.attribute:
            return grammar.words_not_found(result.unmet_words)
        case _:
            return grammar.in_doubt(result.missing_words, result.attribute)
