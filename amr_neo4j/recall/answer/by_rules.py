"""Answers without a chat model. The answers are extractive: every claim quotes the event that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.recall.answer.by_type import BY_TYPE
from amr_neo4j.recall.answer.checks import borne_out, is_of_named, is_stated, is_together, texts_of
from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown, caveats, event_claim
from amr_neo4j.recall.answer.operators.counts import count_claims
from amr_neo4j.recall.answer.operators.duration import Stay, visits_asked_for
from amr_neo4j.recall.answer.operators.events import all_events
from amr_neo4j.recall.evidence.premise import contradicted, unmet
from amr_neo4j.recall.evidence.spatial import is_place_of_another_deed
from amr_neo4j.recall.evidence.support import MAX_EVENTS
from amr_neo4j.recall.evidence.timeline import seconds_between
from amr_neo4j.recall.evidence.watched import is_heard, is_watched, of_films, people_in, untold_looks
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence, SelectedEvents, evidence_for
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first


def claims_by_rules(
    parsed: ParsedQuestion, candidates: Sequence[Candidate], found: Sequence[Candidate] = ()
) -> Claims | Unknown:
    """Return the claims that the candidates support, with caveats; else why there are none, with the closest events.

    candidates: best first, at least one.
    found: everything that may be relevant.
    """
    films = of_films(found or candidates) if parsed.nth_visitor and not parsed.reference else []
    visit = _visit_meant(parsed, films) if films else None
    if isinstance(visit, Unknown):
        return visit
    if visit:
        candidates = found = visit.events
    evidence = evidence_for(parsed, candidates, found)
    claims = borne_out(parsed, evidence, _claims(parsed, evidence))
    if isinstance(claims, Unknown):
        return _unanswered(parsed, evidence, claims)
    if doubted := _doubted(parsed, claims):
        return doubted
    # Nothing in the time of the clause is what it says: "after the bell rang on Friday", where it rang on Saturday.
    if parsed.reference_ranges and not evidence.selection.reference:
        return Unknown(Reason.IN_DOUBT, claims.claims, never_sure=True)
    untold = untold_looks(parsed, claims.claims[0].rests_on)
    sex = [parsed.language.grammar.looks_untold(untold)] if untold else []
    return _beside_reference(parsed, evidence.selection, replace(claims, caveats=(*caveats(parsed), *sex)))


def _doubted(parsed: ParsedQuestion, claims: Claims) -> Unknown | None:
    """Return claims as in doubt if their first event may not be what is asked for; None if it is."""
    first = claims.claims[0].rests_on
    # Footage says nothing about the future.
    is_over = parsed.is_of_future and not (first.event.turn or first.event.heard or claims.claims[0].line)
    is_silent = parsed.asks_for_sound and not (first.event.turn or is_heard(parsed, first))
    if is_over or is_silent or _is_of_another_kind(parsed, claims):
        return Unknown(Reason.IN_DOUBT, claims.claims, never_sure=True)
    is_apart = not (parsed.is_aggregate or is_together(parsed.main, first))
    # The operator found nothing of the kind asked for, so its stand-in must have every word.
    is_guess = claims.likeliest and not is_stated(parsed.main, first)
    if is_apart or is_guess or not is_of_named(parsed, first):
        return Unknown(Reason.IN_DOUBT, claims.claims)
    worn = tuple(dict.fromkeys(guess.word for guess in parsed.guesses if guess.reported))
    # Reports do not say what garment it is. Without a colour in the question, anybody may be meant.
    return Unknown(Reason.IN_DOUBT, claims.claims, unmet_words=worn) if worn and not parsed.main.colours else None


def _is_of_another_kind(parsed: ParsedQuestion, claims: Claims) -> bool:
    """Return whether the first event only plans what is asked, denies it, or is not of the kind that is asked for."""
    first = claims.claims[0].rests_on
    if _only_plans(parsed, claims.claims[0]) or _lacks_deed(parsed, claims.claims[0]):
        return True
    # Who did water the basil is no answer to "Who did not water the basil?".
    if _is_contrary(parsed, first):
        return True
    # No event states a rank ("Who was second?"). "The second time" and "the second visitor" are counted.
    is_counted = parsed.nth or parsed.nth_visitor
    if not is_counted and parsed.language.asking.is_in_rank(parsed.whole.text):
        return True
    if claims.likeliest and parsed.language.asking.denied.search(first.summary):
        return True
    if first.event.turn:
        return False
    names_nobody = claims.likeliest and parsed.answer_type is AnswerType.PERSON
    is_place = parsed.answer_type is AnswerType.PLACE
    return names_nobody or (is_place and is_place_of_another_deed(first.summary, parsed.main))


def _unanswered(parsed: ParsedQuestion, evidence: Evidence, unknown: Unknown) -> Unknown:
    """Return what is said where an operator found no answer, with the nearest that memory has."""
    # There is no nth time: show the times that there were.
    if parsed.nth:
        return Unknown(
            Reason.FEWER_OCCURRENCES, count_claims(parsed.main, evidence.found, parsed.language.grammar.counted)
        )
    # No event of the same video lies on the asked side of the reference.
    if parsed.reference and not unknown.nearest:
        nearest = (event_claim(best_first(evidence.candidates)[0], parsed.main),)
        return Unknown(Reason.IN_DOUBT, nearest, never_sure=bool(parsed.reference_ranges) or parsed.asks_for_sound)
    return unknown


def _visit_meant(parsed: ParsedQuestion, films: Sequence[Candidate]) -> Stay | Unknown:
    """Return the visit of "the second visitor"; Unknown if there was none, or if it is that of one who came again.

    Only reports of the local analyser state every arrival.
    """
    visits = visits_asked_for(parsed, films) if is_watched(films) else []
    if not visits:
        return Unknown(Reason.IN_DOUBT, (event_claim(best_first(films)[0], parsed.main),), never_sure=True)
    before, rest = visits[: parsed.nth_visitor - 1], visits[parsed.nth_visitor - 1 :]
    if not rest:
        return Unknown(Reason.FEWER_OCCURRENCES, tuple(event_claim(visit.events[0]) for visit in visits[:MAX_EVENTS]))
    came = [people_in(event) for visit in before for event in visit.events]
    if not people_in(rest[0].events[0]).isdisjoint(who for people in came for who in people):
        return Unknown(Reason.IN_DOUBT, (event_claim(rest[0].events[0]),), never_sure=True)
    return rest[0]


def _is_contrary(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether a question asks for the opposite of what an event shows, or for people other than its actors."""
    if parsed.excepted and candidate.doing <= parsed.excepted:
        return True
    if not parsed.denied_forms:
        return False
    stated = (denied for text in texts_of(candidate) for _, denied in parsed.language.denied_in(text))
    return all(denied.isdisjoint(parsed.denied_forms) for denied in stated)


def _only_plans(parsed: ParsedQuestion, claim: Claim) -> bool:
    """Return whether a question for a deed has only a plan as its answer: "Let's call him tomorrow"."""
    plans, event = parsed.language.plans, claim.rests_on.event
    # The summary of an event that is only talk quotes its dialogue.
    lines = [line for line in event.dialogue_snippets if speaker_and_words(line)[1] in event.summary_text]
    if claim.line or event.turn:
        lines = [claim.line or event.summary_text]
    if not lines or parsed.answer_type is AnswerType.SPEECH or not plans.asks_deed(parsed.question.text):
        return False
    words = [speaker_and_words(line)[1] for line in lines]
    return any(plans.read(sentence) for each in words for sentence in parsed.language.sentences(each))


def _lacks_deed(parsed: ParsedQuestion, claim: Claim) -> bool:
    """Return whether the answer to a question for a deed is a line without a word for it: "Ben has his test".

    A caption never says what should be done.
    """
    event = claim.rests_on.event
    if not (claim.line or event.turn or event.lists_actions):
        return bool(parsed.language.asking.of_duty.search(parsed.question.text))
    verbs = [word for word in parsed.main.words if word.acts and word.word not in parsed.main.name_parts]
    if not (verbs and claim.line and parsed.asks_deed):
        return False
    said = parsed.language.all_forms(speaker_and_words(claim.line)[1])
    return all(said.isdisjoint(parsed.language.alike(word)) for word in verbs)


def aggregate_claims(parsed: ParsedQuestion, found: Sequence[Candidate]) -> Claims | None:
    """Answer how often, how long, which time, or what lies between two events, from everything that was found.

    Returns None if the question asks for something else, or if nothing answers it.
    """
    claims = claims_by_rules(parsed, found) if parsed.is_aggregate else None
    return claims if isinstance(claims, Claims) else None


def in_doubt(claims: Claims | Unknown) -> Unknown:
    """Return an answer by rules as one that is in doubt, because a model did not find it in the same evidence."""
    return Unknown(Reason.IN_DOUBT, claims.claims) if isinstance(claims, Claims) else claims


def closest_claims(parsed: ParsedQuestion, candidates: Sequence[Candidate], missing_words: Sequence[str]) -> Unknown:
    """Return the best match, marked as only that: it may answer in other words, or not at all.

    The reason is NOT_STATED if the best match contradicts the question, or if it is asked whether there is such a
    thing; else IN_DOUBT.

    candidates: best first, at least one.
    missing_words: words of the question that memory does not have.
    """
    nearest = (event_claim(candidates[0], parsed.main, candidates),)
    # "Is there a dog?": that memory has something similar does not prove that there is one.
    asks_for_it = parsed.answer_type is AnswerType.PRESENCE and missing_words
    # No other wording can resolve a contradiction ("the red car" against a blue one).
    denied = () if missing_words else contradicted(parsed.main, candidates[0])
    reason = Reason.NOT_STATED if asks_for_it or denied else Reason.IN_DOUBT
    return Unknown(reason, nearest, tuple(missing_words), denied)


def unstated(parsed: ParsedQuestion, candidates: Sequence[Candidate], missing_words: Sequence[str]) -> Unknown:
    """Return "nothing states it", together with the best match. candidates: best first, at least one."""
    nearest = (event_claim(candidates[0], parsed.main, candidates),)
    return Unknown(Reason.NOT_STATED, nearest, tuple(missing_words))


def with_best_captions(parsed: ParsedQuestion, unsure: Unknown, best: Sequence[Candidate]) -> Unknown:
    """Return an answer in doubt that quotes the best-ranked event first, if that is a caption.

    An operator in doubt has chosen among many captions by a word or by their time. The ranking compares more. What
    the operator chose comes second, then the other best ones. What is counted, put in order or told of a whole film
    is left as it is, because it rests on many events.
    best: the best-ranked events of different scenes.
    """
    rests_on_many = parsed.is_aggregate or Trait.OF_FILM in parsed.traits or parsed.answer_type is AnswerType.SEQUENCE
    captions = [each for each in best if not (each.event.turn or each.event.lists_actions)]
    if rests_on_many or not captions or captions[0] is not best[0] or is_watched(captions[:1]):
        return unsure
    quoted = {claim.rests_on.node_id for claim in unsure.nearest}
    of_best = [claim for claim in unsure.nearest if claim.rests_on.node_id == captions[0].node_id]
    others = [event_claim(each, parsed.main) for each in captions if each.node_id not in quoted]
    told: dict[str, Claim] = {}
    for claim in (*of_best, *(() if of_best else others[:1]), *unsure.nearest, *others):
        told.setdefault(claim.text, claim)  # two captions may quote the same line
    lacking = unmet(parsed, parsed.main, captions[0]).words if unsure.unmet_words else ()
    return replace(unsure, nearest=tuple(told.values()), unmet_words=lacking)


def _claims(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    reference, until = evidence.selection.reference, evidence.selection.until
    if reference and until:
        return _between(parsed, evidence, event_claim(reference), event_claim(until))
    return _of_events(parsed, evidence)


def _of_events(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    operator = all_events if parsed.asks_for_all else BY_TYPE[parsed.answer_type].claims
    return operator(parsed, evidence)


def _between(parsed: ParsedQuestion, evidence: Evidence, start: Claim, end: Claim) -> Claims | Unknown:
    """Return what lies between two events, or the time from the end of the first to the start of the second."""
    grammar = parsed.language.grammar
    until = end.put_into("until")
    if parsed.answer_type is AnswerType.DURATION:
        seconds = _seconds_from_end(start.rests_on.event, end.rests_on.event)
        return Claims((replace(start, text=grammar.elapsed(seconds, start.text)), until))
    inside = _of_events(parsed, evidence)
    return Claims((start, *inside.claims, until)) if isinstance(inside, Claims) else inside


def _seconds_from_end(start: Event, end: Event) -> float:
    # seconds_between counts from start to start, so the length of the first event is taken off.
    length = start.time_end - start.time_start
    return max(0.0, (seconds_between(start, end) or 0.0) - length)


def _beside_reference(parsed: ParsedQuestion, selection: SelectedEvents, found: Claims) -> Claims:
    """Put the event that time is counted from first, then what was before, after or during it."""
    first, *others = found.claims
    if not (selection.reference and parsed.order) or selection.until or selection.reference is first.rests_on:
        return found
    beside = replace(first, text=parsed.language.grammar.beside(parsed.order.value, first.text))
    return replace(found, claims=(event_claim(selection.reference), beside, *others))
