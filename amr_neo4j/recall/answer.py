"""An answer out of the evidence's own words: every claim names the event it rests on, or there is no answer."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.domain.recall import Answer, Citation
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.choose import choose, refer
from amr_neo4j.recall.claims import Claim, claims_for, happened
from amr_neo4j.recall.reading import Aim, Order, Reading

MOST_EVIDENCE = 8
_DEFAULT_ORDER = {Aim.PLACE: Order.LAST, Aim.STATE: Order.LAST}
_LEAD = {Order.BEFORE: "before that, ", Order.AFTER: "after that, ", Order.DURING: "about then, "}


def answer(reading: Reading, candidates: Sequence[Candidate]) -> Answer:
    """The answer that the candidates, best first, bear out; at least one is needed."""
    claims = claims_for(reading, choose(reading, candidates, _DEFAULT_ORDER.get(reading.aim)))
    if reading.reference and claims:
        claims = _told_from(reading, refer(reading.reference, candidates), claims)
    if not claims:
        return nothing(reading)
    cited = list({claim.rests_on.node_id: claim.rests_on for claim in claims}.values())
    others = [candidate for candidate in candidates if candidate not in cited]
    return Answer(
        question=reading.question,
        text=" ".join(str(claim) for claim in claims),
        found=True,
        evidence=tuple(candidate.hit() for candidate in [*cited, *others][:MOST_EVIDENCE]),
        citations=tuple(citation(candidate) for candidate in cited),
    )


def nothing(reading: Reading, missing: Sequence[str] = ()) -> Answer:
    """That nothing in memory fits, and which words of the question it has never met."""
    unknown = " or ".join(f"“{word}”" for word in dict.fromkeys(missing))
    reason = f": it knows nothing of {unknown}" if unknown else ""
    return Answer(reading.question, f"Nothing in memory fits{reason}.", found=False)


def citation(candidate: Candidate) -> Citation:
    """Where a candidate is to be seen."""
    event = candidate.event
    return Citation(event.node_id, event.video_id, event.time_start, event.time_end)


def _told_from(reading: Reading, reference: Candidate, claims: list[Claim]) -> list[Claim]:
    """The claims with the event that they are told from before them."""
    if reading.reference is None or reading.order is None or claims[0].rests_on is reference:
        return claims
    first = claims[0]
    following = Claim(_LEAD[reading.order] + first.text, first.rests_on)
    return [happened(reference, reading.reference), following, *claims[1:]]
