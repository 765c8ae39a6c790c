"""An answer out of the evidence's own words: every claim names the event it rests on, or there is no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Answer, Citation, TurnCitation
from amr_neo4j.language.en.grammar import respelled_name
from amr_neo4j.recall.answer.claim import Claim, happened
from amr_neo4j.recall.answer.operators import aggregates
from amr_neo4j.recall.answer.operators.registry import claims_of
from amr_neo4j.recall.answer.select import choose, matching
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import AnswerType, Order, ParsedQuestion
from amr_neo4j.recall.rank.score import best_first

MOST_EVIDENCE = 10
_SAYS_SO = (AnswerType.EVENT, AnswerType.PERSON, AnswerType.MOMENT)
_LEAD = {Order.BEFORE: "before that, ", Order.AFTER: "after that, ", Order.DURING: "about then, "}


def answer(parsed: ParsedQuestion, candidates: Sequence[Candidate], found: Sequence[Candidate] = ()) -> Answer:
    """The answer that the candidates, best first, bear out; at least one is needed.

    found: whatever else may bear on the question; the best of it is shown beside what the answer cites.
    """
    return _claimed(parsed, candidates, found or candidates) or _unmet(parsed, candidates, found or candidates)


def reckoned(parsed: ParsedQuestion, found: Sequence[Candidate]) -> Answer | None:
    """The answer to how often, how long, which time or what lies between; None where nothing is to be reckoned."""
    return _claimed(parsed, found, found) if parsed.is_aggregate else None


def _claimed(parsed: ParsedQuestion, candidates: Sequence[Candidate], found: Sequence[Candidate]) -> Answer | None:
    choice = choose(parsed, found if parsed.is_aggregate else candidates)
    claims = claims_of(parsed, choice)
    if not claims:
        return None
    owned_up = [*_guesses(parsed), *_unsaid(parsed, claims[0])]
    lead = _LEAD.get(parsed.order) if parsed.order else None
    if lead and choice.told_from and choice.told_from is not claims[0].rests_on:
        claims = [happened(choice.told_from), replace(claims[0], text=lead + claims[0].text), *claims[1:]]
    return _told(parsed, owned_up, claims, found)


def _told(
    parsed: ParsedQuestion, owned_up: Sequence[str], claims: Sequence[Claim], found: Sequence[Candidate]
) -> Answer:
    cited = {claim.rests_on.node_id: claim.rests_on for claim in claims}
    others = [candidate for candidate in best_first(found) if candidate.node_id not in cited]
    return Answer(
        question=parsed.question,
        text=" ".join([*owned_up, *map(str, claims)]),
        found=True,
        evidence=tuple(candidate.hit() for candidate in [*cited.values(), *others][:MOST_EVIDENCE]),
        citations=tuple(citation(candidate.event) for candidate in cited.values()),
    )


def _unmet(parsed: ParsedQuestion, candidates: Sequence[Candidate], found: Sequence[Candidate]) -> Answer:
    """That memory does not tell of it, with what comes nearest: fewer times, or the event that fits best."""
    lead, claims = "Memory tells of no such time; the nearest is this.", list[Claim]()
    if parsed.nth:
        lead, claims = f"Memory tells of no time number {parsed.nth}.", list(aggregates.count(parsed, found))
    elif parsed.answer_type in (AnswerType.COUNT, AnswerType.DURATION):
        claims = [happened(best_first(matching(parsed.main, candidates))[0])]
    return _told(parsed, [lead], claims, found) if claims else nothing(parsed)


def nothing(parsed: ParsedQuestion, missing: Sequence[str] = ()) -> Answer:
    """That nothing in memory fits, and which words of the question it has never met."""
    unknown = " or ".join(f"“{word}”" for word in dict.fromkeys(missing))
    reason = f": it knows nothing of {unknown}" if unknown else ""
    then = " that time" if parsed.span else ""
    return Answer(parsed.question, f"Nothing in memory fits{then}{reason}.", found=False)


def _guesses(parsed: ParsedQuestion) -> list[str]:
    """Which names of the question memory only has something like."""
    spelt = [respelled_name(slip.word, slip.taken_as) for slip in parsed.respellings]
    return spelt + [
        f"Memory knows no “{guess.word}”, only something near: the {guess.thing}." for guess in parsed.guesses
    ]


def _unsaid(parsed: ParsedQuestion, claim: Claim) -> list[str]:
    """What is asked to have been done, where the event that is claimed has no word for it."""
    deeds, found = parsed.main.action_words, claim.rests_on
    said = parsed.main.effects & found.effects or any(not word.forms.isdisjoint(found.forms) for word in deeds)
    if said or not deeds or parsed.answer_type not in _SAYS_SO:
        return []
    return [f"Nothing says “{' '.join(word.word for word in deeds)}”; the nearest is this."]


def citation(event: Event) -> Citation | TurnCitation:
    """Where to look for it: the seconds of a video, or the turn of a session."""
    if turn := event.turn:
        place = (turn.episode_id, turn.session_id, turn.number, turn.turn_id, turn.actor)
        return TurnCitation(event.node_id, *place, event.at)
    return Citation(event.node_id, event.video_id, event.time_start, event.time_end)
