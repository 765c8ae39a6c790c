"""Answers what a film shows: whether something is there, what somebody wears, what there is to see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown, event_claim
from amr_neo4j.recall.answer.operators.events import event
from amr_neo4j.recall.evidence.premise import unmet
from amr_neo4j.recall.evidence.support import MAX_EVENTS, most_telling, of_each_part
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.evidence.watched import (
    deeds,
    is_doubted,
    is_watched,
    of_films,
    people_in,
    shows,
    shows_somebody,
    unseen,
)
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first

# The answer states the clothes of at most this many people.
MAX_PERSONS = 3
# This many events stand for the beginning or the end of a film.
AT_AN_END = 2


def presence(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the first event that shows it, a sure one before a doubtful one; else say that none shows it.

    It never says that there was none, because what was not recognised may have been there. If a film has no reports
    of the local analyser and the question names several things ("a cup on the table"), the likeliest event answers.
    """
    films = of_films(evidence.found)
    if not films or (not is_watched(films) and sum(not word.acts for word in parsed.main.names) > 1):
        return event(parsed, evidence)
    seen = sorted((c for c in films if shows(parsed, c)), key=lambda c: is_doubted(parsed, c))
    # Reports may miss a thing and name it wrongly, so the answer is "yes" with the event, or that none shows it.
    if seen:
        claim = event_claim(seen[0])
        if parsed.guesses:  # a similar thing is no proof that it is there
            reason = Reason.IN_DOUBT if all(guess.reported for guess in parsed.guesses) else Reason.NOT_STATED
            words = tuple(dict.fromkeys(guess.word for guess in parsed.guesses))
            return Unknown(reason, (claim,), unmet_words=words)
        said = parsed.language.grammar.seen(claim.text, doubted=is_doubted(parsed, seen[0]))
        return Claims((replace(claim, text=said),))
    somebody = next((c for c in films if shows_somebody(parsed, c)), None)
    if somebody:
        return Unknown(Reason.IN_DOUBT, (event_claim(somebody),), unmet_words=unseen(parsed, somebody))
    return not_shown(parsed, evidence, films)


def not_shown(
    parsed: ParsedQuestion, evidence: Evidence, films: Sequence[Candidate], noun: tuple[str, ...] = ()
) -> Unknown:
    """Answer that no event shows it, with the nearest event and the words of the question that are not in it.

    noun: the words to report if the nearest event lacks none of the others.
    """
    nearest = (*evidence.events, *films)[0]
    lacking = unseen(parsed, nearest) or tuple(word.word for word in deeds(parsed)) or noun
    return Unknown(Reason.NOT_STATED, (event_claim(nearest),), unmet_words=lacking)


def clothing(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the events that say what the people in question wear, one event per look.

    If the question counts from another event or asks for the first or last, the answer has only one event.
    """
    shown = [c for c in _in_order(parsed, evidence) if _says(parsed, c)]
    looks = _different(shown)[: 1 if parsed.order or parsed.reference else MAX_PERSONS]
    if not looks:
        nearest = tuple(event_claim(candidate, parsed.main) for candidate in evidence.events[:1])
        return Unknown(Reason.IN_DOUBT, nearest, attribute="clothing")
    claims = tuple(event_claim(candidate) for candidate in looks)
    lacking = unseen(parsed, looks[0])
    # "What is he wearing?" means one person, and the film shows several.
    one_of_them = len(looks) > 1 and parsed.language.asking.pronouns.search(parsed.main.text)
    if lacking or one_of_them or is_doubted(parsed, looks[0]):
        return Unknown(Reason.IN_DOUBT, claims, unmet_words=lacking)
    return Claims(claims)


def _in_order(parsed: ParsedQuestion, evidence: Evidence) -> list[Candidate]:
    if parsed.reference:
        return list(evidence.events)
    if parsed.order:
        return chronological(evidence.found, latest_first=parsed.order is Order.LAST)
    return best_first(evidence.found)


def _says(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event says what somebody wears, and has the people and things that the question names."""
    main = parsed.main
    named = not main.persons or not {*main.persons, *main.aliases}.isdisjoint(candidate.people)
    stated = parsed.language.asking.clothes_stated.search(candidate.summary)
    before = candidate.summary[: stated.start()].split()[-1:] if stated else []
    # In "Ann meets a man in a hat", the man wears it.
    of_another = main.persons and any(
        word.describes_person and word.word not in main.name_parts
        for word in parsed.language.content_words(" ".join(before))
    )
    return bool(stated and named and not of_another) and not unmet(parsed, main, candidate).things


def _different(shown: Iterable[Candidate]) -> list[Candidate]:
    """Return the first candidate, and each other one that shows somebody whom none before it shows."""
    known: set[str] = set()
    found: list[Candidate] = []
    for candidate in shown:
        people = people_in(candidate)
        if not found or not people <= known:
            found.append(candidate)
        known |= people
    return found


def overview(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the most telling event of each part of the film; for a beginning or an end, with its first or last.

    If there are several films, the one with the best match is described; if all of them are asked for, the most
    telling event of each.
    """
    films = of_films(evidence.found)
    if not films or parsed.reference:
        return event(parsed, evidence)
    of_video: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in films:
        of_video[candidate.event.video_id].append(candidate)
    if len(of_video) > 1 and parsed.language.asking.of_every_film.search(parsed.question.text):
        telling = chronological(map(most_telling, of_video.values()))
        claims = [event_claim(c) for c in telling[:MAX_EVENTS]]
        if len(telling) > MAX_EVENTS:
            claims[0] = claims[0].put_into("first_of_many", count=len(telling), shown=len(claims))
        return Claims(tuple(claims))
    # Events of different films do not make one story.
    best = next(c for c in (*evidence.events, *films) if not c.event.turn)
    film = of_video[best.event.video_id]
    if parsed.order in (Order.FIRST, Order.LAST):
        at_end = film[:AT_AN_END] if parsed.order is Order.FIRST else film[-AT_AN_END:]
        return Claims(tuple(map(event_claim, at_end)))
    claims = [event_claim(c) for c in of_each_part(film)]
    if len(film) > MAX_EVENTS:
        claims[0] = claims[0].put_into("most_telling", count=len(film), shown=len(claims))
    return Claims(tuple(claims))
