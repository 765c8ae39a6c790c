"""Answers what happened, when, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.language.nouns import forms_of
from amr_neo4j.language.values import StatedValue
from amr_neo4j.recall.answer.claim import (
    Claim,
    Claims,
    Reason,
    Unknown,
    event_claim,
    listed_claims,
    spoken_claim,
    with_words,
)
from amr_neo4j.recall.evidence.dialogue import bears_on, is_by_another, line_about
from amr_neo4j.recall.evidence.occurrences import events_of, occurrences, times_of
from amr_neo4j.recall.evidence.premise import asked_words, unmet
from amr_neo4j.recall.evidence.support import MAX_EVENTS, listed_of_all
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.evidence.watched import are_watched, stretches
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate

_WORD = re.compile(r"[^\W_]+")


def event(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the likeliest event. If a manner or a choice is asked for, also quote what was said in it.

    If it is asked what is heard during something else, answer with each sound.
    """
    during = evidence.selection.reference if parsed.order is Order.DURING and parsed.asks_for_sound else None
    events = _sounds_during(evidence, during) if during else evidence.events[:1]
    claims = tuple(event_claim(candidate, parsed.main, evidence.found) for candidate in events)
    asking, text = parsed.language.asking, parsed.question.text
    if parsed.asks_for_sound or asking.of_manner.search(text) or asking.which.search(text):
        claims = tuple(map(with_words, claims))
    return Claims(claims) if claims else Unknown()


def _sounds_during(evidence: Evidence, during: Candidate) -> list[Candidate]:
    """Return the first event of each sound that is heard during another event."""
    there = [candidate for candidate in evidence.events if _are_together(candidate.event, during.event)]
    sounds = {each.summary: each for each in chronological(there, latest_first=True)}
    return chronological(sounds.values())[:MAX_EVENTS]


def _are_together(one: Event, other: Event) -> bool:
    return one.video_id == other.video_id and one.time_start <= other.time_end and other.time_start <= one.time_end


def claims_or_event(claims: Iterable[Claim], parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the claims; with the likeliest event if there are none."""
    found = tuple(claims)
    return Claims(found) if found else likeliest(parsed, evidence)


def likeliest(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the likeliest event, for an operator that found nothing of the kind that is asked for."""
    found = event(parsed, evidence)
    return replace(found, likeliest=True) if isinstance(found, Claims) else found


def sequence(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with the likeliest events, in chronological order.

    If it is asked which of two came first, answer with both.
    """
    claims = tuple(event_claim(candidate) for candidate in chronological(evidence.events[:MAX_EVENTS]))
    lacking: list[str] = []
    if parsed.either:
        lacking = [word for each in evidence.events for word in unmet(parsed, parsed.main, each).verbs]
    if claims and (lacking or len(evidence.events) < len(parsed.either)):
        return Unknown(Reason.IN_DOUBT, claims, unmet_words=tuple(lacking))
    return Claims(claims) if claims else Unknown()


def all_events(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer with every selected event.

    If they are many, answer with their number and the first ones. If the question names nothing certain ("What did I
    do today?"), answer with the most telling one of each part of the time. "How many films" is answered with their
    number and the first event of each.
    """
    events = evidence.events
    if parsed.asks_for_videos:
        first_of = {each.event.video_id: each for each in chronological(events, latest_first=True)}
        events = chronological(first_of.values())
    shown = listed_of_all(parsed, events)
    claims = [event_claim(candidate) for candidate in shown]
    if not claims:
        return Unknown()
    if parsed.asks_for_videos and parsed.language.asking.counted.search(parsed.question.text):
        said = parsed.language.grammar.counted_visits(len(events), 0, 1, claims[0].text)
        claims[0] = replace(claims[0], text=said)
    elif len(events) > MAX_EVENTS:
        sentence = "first_of_many" if shown == list(events[:MAX_EVENTS]) else "most_telling"
        claims[0] = claims[0].put_into(sentence, count=len(events), shown=len(claims))
    return Claims(tuple(claims))


def moment(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer when: the moment of the likeliest event, or the time that a turn states for it.

    If it happened several times in films, every time is listed; if those are many, the first ones with their number.
    What goes on over several clips of a film that the local analyser watched has an event per clip, and these are
    joined to one stretch. If the question asks when something was said, the line is quoted.
    """
    if said := _words_said(parsed, evidence):
        return Claims((said,))
    times = _times_of_film(parsed, evidence)
    if times:
        claims = [_until(_claim(parsed, stretch[0], evidence.found), stretch[-1]) for stretch in times]
        return Claims(tuple(listed_claims(claims)))
    events = _times_done(parsed, evidence) or evidence.events[:1]
    claims = [_claim(parsed, candidate, evidence.found) for candidate in events[:MAX_EVENTS]]
    if len(events) > MAX_EVENTS:
        claims[0] = claims[0].put_into("first_of_many", count=len(events), shown=len(claims))
    return Claims(tuple(claims)) if claims else Unknown()


def _times_done(parsed: ParsedQuestion, evidence: Evidence) -> list[Candidate]:
    """Return the events of films in which what is asked for was done, if the likeliest event is one of several."""
    if parsed.order or parsed.nth or parsed.reference or not evidence.events:
        return []
    fitting = [c for c in evidence.found if not (c.event.turn or unmet(parsed, parsed.main, c).words)]
    done = events_of(times_of(occurrences(parsed.main, fitting), parsed.main))
    return done if len(done) > 1 and evidence.events[0] in done else []


def _words_said(parsed: ParsedQuestion, evidence: Evidence) -> Claim | None:
    """Return a claim with the line that is asked for ("When did Ann say hello?"); None if no video has it."""
    if not parsed.language.asking.of_saying.search(parsed.question.text):
        return None
    clause = parsed.main
    for candidate in evidence.events:
        line = line_about(candidate, clause)
        speaker, words = speaker_and_words(line)
        spoken = clause.language.all_forms(words)
        # What was said may look like the name of a speaker: "When did somebody say Berlin?"
        no_names = {*asked_words(parsed), *(word.word for word in clause.words if not word.forms.isdisjoint(spoken))}
        if line and bears_on(line, clause, candidate) and not is_by_another(line, clause, no_names):
            said = parsed.language.grammar.said_at(speaker, words, candidate.event)
            return Claim(said, candidate, line)
    return None


def _times_of_film(parsed: ParsedQuestion, evidence: Evidence) -> list[list[Candidate]]:
    """Return the continuous runs of reports that show what the question asks for."""
    if parsed.order or parsed.nth or parsed.reference or not are_watched(evidence.found):
        return []
    # The whole of what was found is searched, because "when" may have several times and only the best was selected.
    fitting = [c for c in evidence.found if not unmet(parsed, parsed.main, c).words]
    return stretches(events_of(occurrences(parsed.main, fitting)))


def _until(claim: Claim, last: Candidate) -> Claim:
    if claim.rests_on is last:
        return claim
    return replace(claim, text=last.language.grammar.goes_on(claim.text, last.event.time_end))


def _claim(parsed: ParsedQuestion, candidate: Candidate, found: Sequence[Candidate]) -> Claim:
    grammar, event = parsed.language.grammar, candidate.event
    if time := _stated_time(parsed, candidate):
        return Claim(grammar.stated_moment(time, event), candidate)
    if said := spoken_claim(candidate, parsed.main, found):
        return said
    date_asked = parsed.language.asking.asks_for_a_date(parsed.question.text)
    return Claim(grammar.moment(event, date_asked=date_asked, asked_at=parsed.asked_at), candidate)


def _stated_time(parsed: ParsedQuestion, candidate: Candidate) -> StatedValue | None:
    """Return the time that a turn states nearest to a word of the question, in the same sentence; None if none.

    A question for when something was said also gets None: that is the time of the turn itself.
    """
    language, event = parsed.language, candidate.event
    # "When did Anna say that she leaves on Friday?" asks for the time of the turn. "When does Anna leave?" asks for
    # Friday.
    of_saying = parsed.question.type is QuestionType.CROSS_MODAL or language.asking.of_saying.search(
        parsed.question.text
    )
    if not event.turn or of_saying:
        return None
    asked = forms_of(parsed.main.words)
    near: list[tuple[int, StatedValue]] = []
    for sentence in language.sentences(event.summary_text):
        words = [
            word for word in _WORD.finditer(sentence) if not asked.isdisjoint(language.forms(word[0].casefold()))
        ]
        if words:
            times = language.times_stated(sentence, event.at)
            near += [(min(abs(time.start - word.start()) for word in words), time) for time in times]
    return min(near, key=lambda each: each[0])[1] if near else None
