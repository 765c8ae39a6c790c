"""An answer out of the evidence's own words: every claim names the event it rests on, or there is no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.domain.recall import Answer, Citation
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.choose import choose
from amr_neo4j.recall.claim import Claim, happened
from amr_neo4j.recall.claims import claims_for
from amr_neo4j.recall.reading import Aim, Order, Reading

MOST_EVIDENCE = 8
_ABOUT_NOW = (Aim.PLACE, Aim.STATE, Aim.HISTORY, Aim.CONTENTS)
_LEAD = {Order.BEFORE: "before that, ", Order.AFTER: "after that, ", Order.DURING: "about then, "}


def answer(reading: Reading, candidates: Sequence[Candidate]) -> Answer:
    """The answer that the candidates, best first, bear out; at least one is needed."""
    choice = choose(reading, candidates, Order.LAST if reading.aim in _ABOUT_NOW else None)
    claims = claims_for(reading, choice.events)
    if not claims:
        return nothing(reading)
    if reading.order and choice.told_from and choice.told_from is not claims[0].rests_on:
        following = replace(claims[0], text=_LEAD[reading.order] + claims[0].text)
        claims = [happened(choice.told_from), following, *claims[1:]]
    return _answer(reading, claims, candidates)


def nothing(reading: Reading, missing: Sequence[str] = ()) -> Answer:
    """That nothing in memory fits, and which words of the question it has never met."""
    unknown = " or ".join(f"“{word}”" for word in dict.fromkeys(missing))
    reason = f": it knows nothing of {unknown}" if unknown else ""
    return Answer(reading.question, f"Nothing in memory fits{reason}.", found=False)


def _answer(reading: Reading, claims: Sequence[Claim], candidates: Sequence[Candidate]) -> Answer:
    cited = {claim.rests_on.node_id: claim.rests_on for claim in claims}
    others = [candidate for candidate in candidates if candidate.node_id not in cited]
    return Answer(
        question=reading.question,
        text=" ".join(str(claim) for claim in claims),
        found=True,
        evidence=tuple(candidate.hit() for candidate in [*cited.values(), *others][:MOST_EVIDENCE]),
        citations=tuple(_citation(candidate) for candidate in cited.values()),
    )


def _citation(candidate: Candidate) -> Citation:
    event = candidate.event
    return Citation(event.node_id, event.video_id, event.time_start, event.time_end)
