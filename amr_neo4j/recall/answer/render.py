"""Renders claims as an Answer, with its text, evidence and citations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from shlex import quote

from amr_neo4j.domain.event import Cue, Event, speaker_and_words
from amr_neo4j.domain.recall import Answer, Citation, Hit, Replacement, TurnCitation, citation
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.language.grammar import Grammar
from amr_neo4j.recall.answer.claim import (
    Claim,
    Claims,
    ModelClaim,
    ModelClaims,
    Reason,
    Unknown,
    hit_about,
    with_words,
)
from amr_neo4j.recall.evidence.timeline import Located
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parse import as_typed
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.spread import different_scenes, over_sessions
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first

MAX_EVIDENCE = 10
# Of this many of the best, those of different scenes come first.
_LOOKED_AT = 100
# Takes node_ids. Returns {node_id: the cues of the event's clip}. A cue is a line of subtitles with its seconds.
Heard = Callable[[Sequence[int]], Mapping[int, Sequence[Cue]]]


def render(
    parsed: ParsedQuestion,
    result: Claims | ModelClaims | Unknown,
    found: Sequence[Candidate],
    heard: Heard = lambda node_ids: {},
    located: Located | None = None,
) -> Answer:
    """Render claims, or the reason why there are none, as an Answer.

    If memory does not state the answer, the text quotes the nearest event, but the answer has no citations.

    found: everything that may be relevant. Its best candidates are listed as evidence after the events that the
        claims cite.
    heard: returns the cues of events. Without cues, a line is cited by the seconds of its event.
    located: returns an event in the time zone of its recording. If given, times get their date.
    """
    declines = isinstance(result, Unknown) and result.declines
    hint: list[str] = []
    if isinstance(result, Unknown):
        if not result.nearest:
            return not_found(parsed, found, result.missing_words, result.attribute)
        hint = _in_pictures(parsed, result.attribute, [claim.rests_on for claim in result.nearest])
        shown = _evidence(parsed, [event for claim in result.nearest for event in claim.events], found)
        # What was said there may be the answer.
        nearest = result.nearest if declines else tuple(map(with_words, result.nearest))
        result = Claims(nearest, caveats=(_lead(parsed, result, shown),))
    if isinstance(result, Claims):
        result = replace(result, claims=tuple(claim.as_cited for claim in result.claims))
    caveats = result.caveats if isinstance(result, Claims) else ()
    evidence = _evidence(parsed, [event for claim in result.claims for event in claim.events], found)
    # Only claims by rules quote lines of dialogue, so only they get the seconds of cues.
    claims = tuple(map(_doubted, at_cues(result.claims, heard))) if isinstance(result, Claims) else result.claims
    # Where nothing states the answer, how long ago the nearest event was would be taken for one.
    asks_when = parsed.answer_type in (AnswerType.SIGHTING, AnswerType.MOMENT)
    if asks_when and isinstance(result, Claims) and not declines:
        claims = (_with_ago(claims[0], parsed.asked_at), *claims[1:])
    if located:
        claims = tuple(_dated(claim, located) if isinstance(claim, Claim) else claim for claim in claims)
    return Answer(
        question=parsed.question,
        text=" ".join([*caveats, *map(str, claims), *hint]),
        found=not declines,
        evidence=tuple(hit_about(parsed.whole, candidate) for candidate in evidence),
        citations=() if declines else _citations(claims),
    )


def _evidence(parsed: ParsedQuestion, rests_on: Sequence[Candidate], found: Sequence[Candidate]) -> list[Candidate]:
    """Return what an answer rests on, then the best of all that was found, of different scenes unless few are."""
    first = list({event.node_id: event for event in rests_on}.values())
    cited = {event.node_id for event in first}
    ranked = over_sessions(parsed, best_first(found))
    others = [candidate for candidate in ranked if candidate.node_id not in cited]
    in_order = chain(*different_scenes([*first, *others[:_LOOKED_AT]]), others[_LOOKED_AT:])
    return [*first, *(candidate for candidate in in_order if candidate.node_id not in cited)][:MAX_EVIDENCE]


def _doubted(claim: Claim) -> Claim:
    """Add "perhaps" to a claim that names a thing, if the event's summary says "perhaps" of that thing."""
    language, summary = claim.rests_on.language, claim.rests_on.summary
    doubts = [language.words_of(thing) for thing in language.grammar.things_in_doubt(summary)]
    said = language.words_of(claim.text)
    if language.grammar.says_perhaps(claim.text) or not any(thing[-1] in said for thing in doubts if thing):
        return claim
    return claim.put_into("perhaps")


def _with_ago(claim: Claim | ModelClaim, asked_at: datetime | None) -> Claim | ModelClaim:
    """Return a claim about an event of a video whose time is followed by how long before the question it was."""
    event = claim.events[0].event
    if not isinstance(claim, Claim) or event.turn or not event.at or not asked_at:
        return claim
    grammar = claim.rests_on.language.grammar
    ago, when = grammar.ago(event, asked_at), grammar.when(event)
    # The time of an action may differ from that of its event.
    text = claim.text.replace(when, f"{when}, {ago}", 1) if when in claim.text else f"{claim.text}, {ago}"
    return claim if ago in claim.text else replace(claim, text=text)


def _dated(claim: Claim, located: Located) -> Claim:
    """Return a claim about an event of a video with its date, if the wall clock of the event is known."""
    event, grammar = claim.rests_on.event, claim.rests_on.language.grammar
    if event.turn or event.at is None or grammar.states_date(claim.text, event.at):
        return claim
    when, dated = grammar.when(event), grammar.when_dated(located(event))
    # The time of an action may differ from that of its event: the date is then added at the end.
    found = re.search(re.escape(when), claim.text, re.IGNORECASE)
    text = f"{claim.text[: found.start()]}{dated}{claim.text[found.end() :]}" if found else f"{claim.text}, {dated}"
    return replace(claim, text=text)


def _citations(claims: Sequence[Claim | ModelClaim]) -> tuple[Citation | TurnCitation, ...]:
    """Return the citation of each event that a claim rests on, once, in order."""
    lines = [
        (candidate, claim.line if isinstance(claim, Claim) else "") for claim in claims for candidate in claim.events
    ]
    return tuple(dict.fromkeys(citation(candidate.event, speaker_and_words(line)[0]) for candidate, line in lines))


def not_found(
    parsed: ParsedQuestion, found: Sequence[Candidate] = (), missing_words: Sequence[str] = (), attribute: str = ""
) -> Answer:
    """Return the answer that nothing was found, with the best candidates as its evidence.

    missing_words: words of the question that memory does not have.
    attribute: the attribute that is asked for and that nothing states.
    """
    grammar = parsed.language.grammar
    without = grammar.say("attribute_not_stated", attribute=attribute) if attribute else ""
    missing = _typed(parsed, missing_words)
    text = without or grammar.not_found(missing, in_time_span=parsed.within != (None, None))
    if parsed.answer_type is AnswerType.PRESENCE and found:
        text = f"{text} {grammar.say('absence')}"
    nearest = best_first(found)[:MAX_EVIDENCE]
    text = " ".join([text, *_in_pictures(parsed, attribute, nearest)])
    evidence = tuple(hit_about(parsed.whole, candidate) for candidate in nearest)
    return Answer(parsed.question, text, found=False, evidence=evidence)


def _in_pictures(parsed: ParsedQuestion, attribute: str, nearest: Sequence[Candidate]) -> list[str]:
    """Return the sentence that names where the film may show an attribute that nothing states; [] if it may not.

    nearest: best first. The film must be at hand.
    """
    films = [candidate.event for candidate in nearest[:1] if candidate.event.uri]
    if not (attribute and films and parsed.attribute and parsed.attribute.in_pictures):
        return []
    [event] = films
    since, until = clock(event.time_start), clock(event.time_end)
    return [parsed.language.grammar.say("in_pictures", video=quote(event.video_id), since=since, until=until)]


def _lead(parsed: ParsedQuestion, result: Unknown, shown: Sequence[Candidate]) -> str:
    """Return the sentence that says why there is no answer. The nearest claims follow it.

    shown: the evidence. Words that the nearest event lacks are named only if no event of the evidence has them.
    """
    grammar = parsed.language.grammar
    unsaid = _typed(parsed, _unsaid(parsed, result.unmet_words, shown))
    missing = _typed(parsed, result.missing_words)
    match result.reason:
        case Reason.FEWER_OCCURRENCES:
            return grammar.say("fewer_occurrences", number=abs(parsed.nth) or parsed.nth_visitor)
        case Reason.NO_OCCURRENCE:
            return grammar.say("no_occurrence")
        case Reason.NOT_STATED:
            return grammar.not_stated(missing or unsaid, result.attribute)
        # An attribute is named by its own sentence, even if words are unmet too.
        case _ if unsaid and not result.attribute:
            return grammar.words_not_found(unsaid)
        case _:
            return grammar.in_doubt(missing, result.attribute)


def _unsaid(parsed: ParsedQuestion, words: Sequence[str], shown: Sequence[Candidate]) -> tuple[str, ...]:
    """Return those of the words that have no form in the evidence. The name of a video says nothing."""
    events = (candidate.event for candidate in shown)
    texts = (text for e in events for text in (e.summary_text, *e.dialogue_snippets, *e.persons, *e.objects))
    said, all_forms = parsed.language.all_forms(" ".join(texts)), parsed.language.all_forms
    return tuple(word for word in words if said.isdisjoint(all_forms(word)))


def _typed(parsed: ParsedQuestion, words: Sequence[str]) -> tuple[str, ...]:
    return tuple(as_typed(word, parsed.question.text) for word in words)


def at_cues(claims: Sequence[Claim], heard: Heard) -> list[Claim]:
    """Return the claims, with the exact seconds of its cue for each claim that quotes a line."""
    quoting = [claim.rests_on.node_id for claim in claims if claim.line]
    cues: Mapping[int, Sequence[Cue]] = heard(quoting) if quoting else {}
    return [_at_cue(claim, cues.get(claim.rests_on.node_id, ())) if claim.line else claim for claim in claims]


def _at_cue(claim: Claim, cues: Sequence[Cue]) -> Claim:
    event, when = claim.rests_on.event, claim.rests_on.language.grammar.when
    cue = next((cue for cue in cues if _is_said(cue, claim.line, event)), None)
    if cue is None:
        return claim
    # The claim's text states the event's time: replace it by the time of the cue.
    then = event.at and event.at + timedelta(seconds=cue.time_start - event.time_start)
    said = replace(event, time_start=cue.time_start, time_end=cue.time_end, at=then)
    text = claim.text.replace(when(event), when(said), 1)
    return replace(claim, text=text, rests_on=replace(claim.rests_on, event=said))


def _is_said(cue: Cue, line: str, event: Event) -> bool:
    meets = cue.time_start <= event.time_end and cue.time_end >= event.time_start
    return meets and cue.words.strip() in (line, speaker_and_words(line)[1])


def with_replaced(
    answer: Answer, candidates: Sequence[Candidate], outdated: Mapping[int, Replacement], grammar: Grammar
) -> Answer:
    """Add to an answer which older turn the cited turn replaced.

    If the cited turn replaced several, the latest of them is named. A turn with only one outdated value stays in the
    evidence, after the newer turn, because it may state other things.

    candidates: everything that was found.
    outdated: {node_id of a replaced turn: its replacement}.
    """
    cited = {each.node_id for each in answer.citations}
    older = [c for c in candidates if c.node_id in outdated and outdated[c.node_id].new in cited]
    named = max(older, key=lambda c: (c.event.at.timestamp() if c.event.at else 0.0, abs(c.node_id)), default=None)
    kept = [c for c in candidates if c.node_id in outdated and (c is named or outdated[c.node_id].inferred)]
    answer = replace(answer, evidence=_with(answer.evidence, kept, outdated))
    if named is None:
        return answer
    how, before = outdated[named.node_id], citation(named.event)
    if how.inferred:
        told = grammar.stated_before(named.event, before.label)
    else:
        told = grammar.replaced(named.event, before.label, how.at)
    return replace(answer, text=f"{answer.text} {told}", citations=(*answer.citations, before), replaced=named.hit())


def _with(hits: Sequence[Hit], kept: Sequence[Candidate], outdated: Mapping[int, Replacement]) -> tuple[Hit, ...]:
    """Return the hits, each followed by the kept candidate that it replaced, if any."""
    behind = {outdated[c.node_id].new: c.hit() for c in kept}
    old = {c.node_id for c in kept}
    shown: list[Hit] = []
    for hit in hits:
        if hit.event.node_id not in old:
            shown.append(hit)
            if replaced := behind.get(hit.event.node_id):
                shown.append(replaced)
    return tuple(shown)


def with_evidence_of_all(parsed: ParsedQuestion, answer: Answer, candidates: Sequence[Candidate]) -> Answer:
    """Return the answer with other evidence: first what the answer rests on, then the best of all candidates."""
    first = answer.evidence[: max(1, len(answer.citations))]
    there = {hit.event.node_id for hit in first}
    others = (hit_about(parsed.whole, each) for each in best_first(candidates) if each.node_id not in there)
    return replace(answer, evidence=(*first, *others)[:MAX_EVIDENCE])
