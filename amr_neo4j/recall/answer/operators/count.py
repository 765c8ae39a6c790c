"""How often something was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.language.grammar import Grammar
from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.occurrences import listed, occurrences
from amr_neo4j.recall.evidence.report_checks import lacks, nobody
from amr_neo4j.recall.evidence.watched import is_watched, unseen_looks
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.selection import best_match


def count(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The number of times, and when; the event that matches best where it is zero."""
    claims = count_claims(parsed.main, [c for c in evidence.events if not lacks(parsed.main, c, nobody)])
    if not claims:
        return no_occurrence(parsed, evidence)
    counted = [claim.rests_on for claim in claims]
    if is_watched(counted):
        claims = (replace(claims[0], text=parsed.language.grammar.as_recognised(claims[0].text)), *claims[1:])
    lacking = unseen_looks(parsed, counted[0])
    return Unknown(Reason.IN_DOUBT, claims, unmet_words=lacking) if lacking else Claims(claims)


def no_occurrence(parsed: ParsedQuestion, evidence: Evidence) -> Unknown:
    """Reports that it never happened, with the best match as the closest event."""
    return Unknown(Reason.NO_OCCURRENCE, (event_claim(best_match(parsed.main, evidence.candidates)),))


def count_claims(clause: Clause, events: Sequence[Candidate]) -> tuple[Claim, ...]:
    """The number of times, and when; empty for none."""
    found = [occurrence.candidate for occurrence in occurrences(clause, events)]
    if not found:
        return ()
    grammar = clause.language.grammar
    every = [Claim(grammar.event_at(candidate.event), candidate) for candidate in found]
    [claim, *claims] = listed_claims(every, grammar)
    return (replace(claim, text=grammar.counted(len(found), claim.text)), *claims)


def listed_claims(claims: Sequence[Claim], grammar: Grammar) -> Sequence[Claim]:
    """All of a few; of many the first and the last, which say that they are."""
    if listed(claims) is claims:
        return claims
    first, last = listed(claims)
    return [replace(first, text=grammar.first(first.text)), replace(last, text=grammar.last(last.text))]
