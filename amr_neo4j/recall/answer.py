"""An answer out of the evidence's own words: every claim names the event it rests on, or there is no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Answer, Citation, TurnCitation
from amr_neo4j.recall import reckoning
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.choose import choose, matching
from amr_neo4j.recall.claim import Claim, happened
from amr_neo4j.recall.claims import claims_of
from amr_neo4j.recall.reading import Aim, Order, Reading
from amr_neo4j.recall.verify import best_first

MOST_EVIDENCE = 10
_SAYS_SO = (Aim.EVENT, Aim.PERSON, Aim.MOMENT)
_LEAD = {Order.BEFORE: "before that, ", Order.AFTER: "after that, ", Order.DURING: "about then, "}


def answer(reading: Reading, candidates: Sequence[Candidate], found: Sequence[Candidate] = ()) -> Answer:
    """The answer that the candidates, best first, bear out; at least one is needed.

    found: whatever else may bear on the question; the best of it is shown beside what the answer cites.
    """
    return _claimed(reading, candidates, found or candidates) or _unmet(reading, candidates, found or candidates)


def reckoned(reading: Reading, found: Sequence[Candidate]) -> Answer | None:
    """The answer to how often, how long, which time or what lies between; None where nothing is to be reckoned."""
    return _claimed(reading, found, found) if reading.is_reckoned else None


def _claimed(reading: Reading, candidates: Sequence[Candidate], found: Sequence[Candidate]) -> Answer | None:
    choice = choose(reading, found if reading.is_reckoned else candidates)
    claims = claims_of(reading, choice)
    if not claims:
        return None
    owned_up = [*_guesses(reading), *_unsaid(reading, claims[0])]
    lead = _LEAD.get(reading.order) if reading.order else None
    if lead and choice.told_from and choice.told_from is not claims[0].rests_on:
        claims = [happened(choice.told_from), replace(claims[0], text=lead + claims[0].text), *claims[1:]]
    return _told(reading, owned_up, claims, found)


def _told(reading: Reading, owned_up: Sequence[str], claims: Sequence[Claim], found: Sequence[Candidate]) -> Answer:
    cited = {claim.rests_on.node_id: claim.rests_on for claim in claims}
    others = [candidate for candidate in best_first(found) if candidate.node_id not in cited]
    return Answer(
        question=reading.question,
        text=" ".join([*owned_up, *map(str, claims)]),
        found=True,
        evidence=tuple(candidate.hit() for candidate in [*cited.values(), *others][:MOST_EVIDENCE]),
        citations=tuple(citation(candidate.event) for candidate in cited.values()),
    )


def _unmet(reading: Reading, candidates: Sequence[Candidate], found: Sequence[Candidate]) -> Answer:
    """That memory does not tell of it, with what comes nearest: fewer times, or the event that fits best."""
    lead, claims = "Memory tells of no such time; the nearest is this.", list[Claim]()
    if reading.nth:
        lead, claims = f"Memory tells of no time number {reading.nth}.", list(reckoning.count(reading, found))
    elif reading.aim in (Aim.COUNT, Aim.DURATION):
        claims = [happened(best_first(matching(reading.main, candidates))[0])]
    return _told(reading, [lead], claims, found) if claims else nothing(reading)


def nothing(reading: Reading, missing: Sequence[str] = ()) -> Answer:
    """That nothing in memory fits, and which words of the question it has never met."""
    unknown = " or ".join(f"“{word}”" for word in dict.fromkeys(missing))
    reason = f": it knows nothing of {unknown}" if unknown else ""
    then = " that time" if reading.span else ""
    return Answer(reading.question, f"Nothing in memory fits{then}{reason}.", found=False)


def _guesses(reading: Reading) -> list[str]:
    """Which names of the question memory only has something like."""
    spelt = [str(slip) for slip in reading.respellings]
    return spelt + [
        f"Memory knows no “{guess.word}”, only something near: the {guess.thing}." for guess in reading.guesses
    ]


def _unsaid(reading: Reading, claim: Claim) -> list[str]:
    """What is asked to have been done, where the event that is claimed has no word for it."""
    deeds, found = reading.main.deeds, claim.rests_on
    said = reading.main.effects & found.effects or any(not word.forms.isdisjoint(found.forms) for word in deeds)
    if said or not deeds or reading.aim not in _SAYS_SO:
        return []
    return [f"Nothing says “{' '.join(word.word for word in deeds)}”; the nearest is this."]


def citation(event: Event) -> Citation | TurnCitation:
    """Where to look for it: the seconds of a video, or the turn of a session."""
    if turn := event.turn:
        place = (turn.episode_id, turn.session_id, turn.number, turn.turn_id, turn.actor)
        return TurnCitation(event.node_id, *place, event.at)
    return Citation(event.node_id, event.video_id, event.time_start, event.time_end)
