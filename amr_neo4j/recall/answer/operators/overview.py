"""What there is to see in a film, or at its beginning or end."""

from __future__ import annotations

from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.operators.event import event
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.support import MAX_EVENTS
from amr_neo4j.recall.evidence.watched import of_films
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion

# Events that tell of the beginning or the end.
AT_AN_END = 2


def overview(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The events that tell most, in their order; of a beginning or an end the first or last.

    Of several films the one with the best match.
    """
    films = of_films(evidence.found)
    if not films or parsed.reference:
        return event(parsed, evidence)
    best = next(c for c in (*evidence.events, *films) if not c.event.turn)
    film = [c for c in films if c.event.video_id == best.event.video_id]
    if parsed.order in (Order.FIRST, Order.LAST):
        at_end = film[:AT_AN_END] if parsed.order is Order.FIRST else film[-AT_AN_END:]
        return Claims(tuple(map(event_claim, at_end)))
    telling = sorted(film, key=_tells, reverse=True)[:MAX_EVENTS]
    claims = [event_claim(c) for c in film if c in telling]
    if len(film) > MAX_EVENTS:
        said = parsed.language.grammar.most_telling(len(film), len(claims), claims[0].text)
        claims[0] = replace(claims[0], text=said)
    return Claims(tuple(claims))


def _tells(candidate: Candidate) -> tuple[bool, int]:
    """What is sure before what is in doubt; the more people, things and actions the more it tells."""
    event_, doubted = candidate.event, candidate.language.grammar.is_in_doubt(candidate.event.summary_text)
    return not doubted, len(candidate.people) + len(candidate.objects) + len(event_.actions)
