"""Answers who did something, and what was said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from amr_neo4j.domain.event import speaker_and_words
from amr_neo4j.domain.scene import Companion, Company
from amr_neo4j.recall.answer.checks import doubt
from amr_neo4j.recall.answer.claim import (
    Claim,
    Claims,
    Reason,
    Unknown,
    caveats,
    event_claim,
    person_name,
    spoken_claim,
)
from amr_neo4j.recall.answer.operators.events import claims_or_event, likeliest
from amr_neo4j.recall.evidence.actors import actors_asked_for, people_at_place
from amr_neo4j.recall.evidence.dialogue import bears_on, does_act, is_by_another, line_asked_for, lines_about
from amr_neo4j.recall.evidence.premise import asked_words, lacks, of_other_senses, unmet
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.evidence.watched import people_in
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate

# Whoever acts or speaks so near an event is named first, before the others in its scene.
NEAR_SEC = 30.0


def _certain_first(parsed: ParsedQuestion, evidence: Evidence) -> Sequence[Candidate]:
    """Return the selected events, unless the first is doubtful ("perhaps a dog"): then the sure ones, if there are
    any.

    Sure events must support the whole question. They are looked for in everything that was found, because an event
    with another verb matches fewer words and ranks low.
    """
    is_in_doubt, events = parsed.language.grammar.is_in_doubt, evidence.events
    if not events or parsed.reference or not is_in_doubt(events[0].summary):
        return events
    sure = [c for c in evidence.found if not is_in_doubt(c.summary) and not unmet(parsed, parsed.main, c).words]
    if parsed.order:
        sure = chronological(sure, latest_first=parsed.order is Order.LAST)
    return sure or events


def _seen_at_an_end(parsed: ParsedQuestion, evidence: Evidence) -> Sequence[Candidate]:
    """Return the events with people, in the order of "Who was seen last?"; empty for any other question.

    It has no word by which an event with a person ranks above the many things that were seen later.
    """
    if parsed.order not in (Order.FIRST, Order.LAST) or parsed.main.is_specific or parsed.main.names:
        return ()
    people = [each for each in evidence.found if people_in(each) and not each.event.turn]
    if not all(parsed.language.asking.arrives.fullmatch(word.word) for word in parsed.main.named_verbs):
        # Whoever is seen has come, but only some of them left.
        people = [each for each in people if not unmet(parsed, parsed.main, each).words] or people
    return chronological(people, latest_first=parsed.order is Order.LAST)


def person(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer who did it: the people of the best event, and of others that match the question fully."""
    there = people_at_place(parsed.main, evidence.events) if parsed.asks_who_is_there else []
    if parsed.asks_who_is_there and not there:
        nearest = tuple(event_claim(candidate) for candidate in evidence.events[:1])
        return Unknown(Reason.IN_DOUBT, nearest, never_sure=True)
    events = evidence.events if there else _seen_at_an_end(parsed, evidence) or _certain_first(parsed, evidence)
    # "Who left?": whoever only leaves a thing there did not go.
    events = [each for each in events if not lacks(parsed.main, each, of_other_senses)] or events
    if not (parsed.main.is_specific or parsed.main.names):
        # "Who was seen?" asks for people. What did something may be a dog.
        found = [each for each in events if each.event.turn or people_in(each)]
        events = found or [each for each in events if not each.people]
        if not events and evidence.events:
            return Unknown()
    # "Who poured me tea?" asks for somebody else.
    besides = parsed.askers if parsed.askers and parsed.language.says_me(parsed.main.text) else ()
    claims = (
        _who_did(candidate, actors, parsed, evidence)
        for candidate, actors in there or actors_asked_for(parsed.main, events, besides)
    )
    found = claims_or_event(
        islice(claims, 1) if parsed.order in (Order.FIRST, Order.LAST) else claims, parsed, evidence
    )
    unnamed = _by_nobody(parsed, evidence)
    if unnamed and isinstance(found, Claims) and unnamed is not found.claims[0].rests_on:
        by_named = (claim for claim in found.claims if not unmet(parsed, parsed.main, claim.rests_on).words)
        return Unknown(Reason.IN_DOUBT, (event_claim(unnamed), *by_named), never_sure=True)
    return found


def _by_nobody(parsed: ParsedQuestion, evidence: Evidence) -> Candidate | None:
    """Return the event that "Who left last?" asks for, if it names no person ("a car drives off"), else None."""
    if parsed.order not in (Order.FIRST, Order.LAST) or parsed.main.names or not parsed.main.named_verbs:
        return None
    films = (each for each in evidence.found if not each.event.turn and (each.people or _may_hide_somebody(each)))
    doing = [each for each in films if not unmet(parsed, parsed.main, each).words]
    return next((c for c in chronological(doing, latest_first=parsed.order is Order.LAST)[:1] if not c.people), None)


def _may_hide_somebody(candidate: Candidate) -> bool:
    """Return whether an event tells of a vehicle or of an unnamed person: "the light goes out" does not."""
    language = candidate.language
    told = language.all_forms(language.told_in_english(candidate.summary))
    return not language.asking.movers.isdisjoint(told)


def _who_did(candidate: Candidate, actors: Sequence[str], parsed: ParsedQuestion, evidence: Evidence) -> Claim:
    """Return the line that tells who did it, else the names of the actors. actors: person_ids."""
    if said := spoken_claim(candidate, parsed.main, evidence.found):
        return said
    names = [person_name(candidate, who) for who in actors]
    return Claim(parsed.language.grammar.people_at(names, candidate.event), candidate)


def best_for_company(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the event whose scene tells who was there: the best-ranked caption.

    If any event lists what was done, it is the one that lacks the fewest words of the question. Returns None if there
    is no event of a video, or if the question names no event ("Who is there?").
    """
    clause = parsed.reference or parsed.main
    filmed = [candidate for candidate in candidates if not candidate.event.turn] if clause.specific_words else ()
    has_lists = any(candidate.event.lists_actions for candidate in filmed)

    def fit(one: Candidate) -> tuple[float, ...]:
        lacking = len(_lacking(clause, one)) if has_lists else 0
        return (-lacking, one.fused.get(clause.text, 0.0) if lacking else 0.0, one.score, -one.node_id)

    return max(filmed, key=fit, default=None)


def _lacking(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """Return the persons of a clause who are not in an event, and its words that the event does not have.

    Only the summary and the objects count, because what is talked about may happen elsewhere; the talk counts if the
    clause is about one ("Who discussed the eggs with me?").
    """
    event, of_talk = candidate.event, clause.language.asking.of_talk
    talk = event.dialogue_snippets if of_talk.search(clause.text) else ()
    is_there = not candidate.people.keys().isdisjoint((*clause.persons, *clause.aliases))
    persons: Sequence[str] = () if is_there else clause.persons
    forms = clause.language.all_forms(" . ".join((candidate.summary, *event.objects, *talk)))
    words = (word for word in clause.specific_words if forms.isdisjoint(clause.language.alike(word)))
    needed = (word.word for word in words if not (talk and of_talk.fullmatch(word.word)))
    return (*persons, *(word for word in needed if word not in clause.name_parts))


def with_companion(company: Company, there: Companion) -> Company:
    """Return the company with one more companion. If they are in it already, the two time ranges are united."""
    known = [each for each in company.present if each.person_id == there.person_id]
    since, until = min(each.since for each in (*known, there)), max(each.until for each in (*known, there))
    others = [each for each in company.present if each.person_id != there.person_id]
    return company._replace(present=(there._replace(since=since, until=until, away=0.0), *others))


def company_claims(
    parsed: ParsedQuestion, candidate: Candidate, company: Company, *, askers: frozenset[str]
) -> Claims | Unknown:
    """Answer who was there when something happened, or who was not, from the scene of that event.

    askers: the person_ids of whoever asks. They and the people whom the question names are left out.
    """
    clause, grammar, event = parsed.reference or parsed.main, parsed.language.grammar, candidate.event
    named = {*askers, *parsed.whole.persons, *parsed.whole.aliases}
    present = [each for each in company.present if each.person_id not in named]
    if parsed.language.asking.absent.search(parsed.main.text):
        there = {each.person_id for each in company.present} | named
        absent = [
            name for who, name in company.others if who not in there and parsed.language.person_key(name).is_name
        ]
        text = grammar.not_in_company(absent, event)
    else:
        # Whoever acts in the event itself comes first, then the nearest to it.
        acting = {action.actor for action in event.actions}
        present.sort(key=lambda each: (each.person_id not in acting, each.away))
        near = [each for each in present if each.away <= NEAR_SEC]
        besides = [each for each in present if near and each not in near]
        text = grammar.company(_spans(near or present), event, besides=_spans(besides))
    claims = (Claim(text, candidate),)
    # That somebody is in the scene does not say that they sat next to somebody.
    lacking = _lacking(clause, candidate) or tuple(parsed.language.asking.beside.findall(parsed.main.text))
    if lacking:
        return Unknown(Reason.IN_DOUBT, claims, unmet_words=lacking)
    return Claims(claims, (*caveats(parsed), grammar.say("as_noticed")))


def _spans(companions: Iterable[Companion]) -> list[tuple[str, float, float]]:
    """Return (name, from, to) of each."""
    return [(each.name, each.since, each.until) for each in companions]


def speech(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the line about the question in the likeliest event that has one; otherwise with any spoken line."""
    found = line_asked_for(parsed.main, evidence.events)
    asks_who = parsed.language.asking.who_did.match(parsed.main.text)
    if asks_who and not (found and found[1] in lines_about(found[0], parsed.main)):
        return person(parsed, evidence)  # an event may tell who asked Ben to dance, even if no line does
    if found is None:
        return likeliest(parsed, evidence)
    candidate, line = found
    said = parsed.language.grammar.said_at(*speaker_and_words(line), candidate.event)
    claims = (Claim(said, candidate, line),)
    if is_by_another(line, parsed.main, asked_words(parsed)):
        return Unknown(Reason.NOT_STATED, claims)
    unseen = any(word.describes_person and word.forms.isdisjoint(candidate.forms) for word in parsed.main.words)
    if not does_act(line, parsed.main):
        return Unknown(Reason.IN_DOUBT, claims, never_sure=True)
    if bears_on(line, parsed.main, candidate) and not unseen:
        return Claims(claims)
    lacking = unmet(parsed, parsed.main, candidate).things
    return Unknown(doubt(parsed, candidate) if lacking else Reason.IN_DOUBT, claims, unmet_words=lacking)
