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
from amr_neo4j.recall.verify import best_first

MOST_EVIDENCE = 10
_SAYS_SO = (Aim.EVENT, Aim.PERSON, Aim.MOMENT)
_ABOUT_NOW = (Aim.PLACE, Aim.STATE, Aim.HISTORY, Aim.CONTENTS)
_LEAD = {Order.BEFORE: "before that, ", Order.AFTER: "after that, ", Order.DURING: "about then, "}


def answer(reading: Reading, candidates: Sequence[Candidate], found: Sequence[Candidate] = ()) -> Answer:
    """The answer that the candidates, best first, bear out; at least one is needed.

    found: whatever else may bear on the question; the best of it is shown beside what the answer cites.
    """
    choice = choose(reading, candidates, _default_order(reading))
    claims = claims_for(reading, choice.events)
    if not claims:
        return nothing(reading)
    owned_up = [*_guesses(reading), *_unsaid(reading, claims[0])]
    if reading.order and choice.told_from and choice.told_from is not claims[0].rests_on:
        following = replace(claims[0], text=_LEAD[reading.order] + claims[0].text)
        claims = [happened(choice.told_from), following, *claims[1:]]
    cited = {claim.rests_on.node_id: claim.rests_on for claim in claims}
    others = [candidate for candidate in best_first(found or candidates) if candidate.node_id not in cited]
    return Answer(
        question=reading.question,
        text=" ".join([*owned_up, *map(str, claims)]),
        found=True,
        evidence=tuple(candidate.hit() for candidate in [*cited.values(), *others][:MOST_EVIDENCE]),
        citations=tuple(_citation(candidate) for candidate in cited.values()),
    )


def nothing(reading: Reading, missing: Sequence[str] = ()) -> Answer:
    """That nothing in memory fits, and which words of the question it has never met."""
    unknown = " or ".join(f"“{word}”" for word in dict.fromkeys(missing))
    reason = f": it knows nothing of {unknown}" if unknown else ""
    return Answer(reading.question, f"Nothing in memory fits{reason}.", found=False)


def _default_order(reading: Reading) -> Order | None:
    """Where things are and who has them is asked of now; anything else of whenever it was."""
    has = reading.aim is Aim.PERSON and reading.main.objects and not reading.main.deeds
    return Order.LAST if has or reading.aim in _ABOUT_NOW else None


def _guesses(reading: Reading) -> list[str]:
    """Which names of the question memory only has something like."""
    return [f"Memory knows no “{guess.word}”, only something near: the {guess.thing}." for guess in reading.guesses]


def _unsaid(reading: Reading, claim: Claim) -> list[str]:
    """What is asked to have been done, where the event that is claimed has no word for it."""
    deeds, found = reading.main.deeds, claim.rests_on
    said = reading.main.effects & found.effects or any(not word.forms.isdisjoint(found.forms) for word in deeds)
    if said or not deeds or reading.aim not in _SAYS_SO:
        return []
    return [f"Nothing says “{' '.join(word.word for word in deeds)}”; the nearest is this."]


def _citation(candidate: Candidate) -> Citation:
    event = candidate.event
    return Citation(event.node_id, event.video_id, event.time_start, event.time_end)
