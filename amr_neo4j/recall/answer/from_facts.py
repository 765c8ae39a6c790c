"""Answers from facts that memory believes about the user, and from relations that turns state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from amr_neo4j.domain.event import Event, Turn, speaker_and_words
from amr_neo4j.domain.fact import NEW_CONFIDENCE
from amr_neo4j.domain.mention import Stated
from amr_neo4j.domain.ports import Beliefs
from amr_neo4j.domain.recall import Recalled, Replacement, Scope, TurnCitation, first_of
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.answer.claim import MOST_SAID, Claim, Claims
from amr_neo4j.recall.question.answer_types import Trait
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.sources import Knowledge, Sources

_MOST_CLAIMS = 5
# A fact with a higher confidence is sure. A hedged fact has at most this confidence; one said long ago has less.
_SURE = 0.5
_LONGEST_NAME = 6  # words
_BELIEVED = ("active", "candidate")


def claims_from_facts(
    parsed: ParsedQuestion,
    candidates: Sequence[Candidate],
    outdated: Mapping[int, Replacement],
    then: Scope,
    *,
    sources: Sources,
    knowledge: Knowledge,
) -> Claims | None:
    """Return the claims of the facts that answer a question, else of the relations; None if there are none.

    outdated: {node_id of a turn: the later turn that replaced it}.
    then: the scope as of the time that the question asks for.
    """
    scope, question, beliefs = sources.scope, parsed.question.text, knowledge.beliefs
    known = {candidate.node_id: candidate for candidate in candidates}

    def turns(node_ids: Sequence[int]) -> list[Candidate]:
        # Most facts rest on turns that recall has found anyway. Only the others are read, in one call.
        unknown = [node_id for node_id in dict.fromkeys(node_ids) if node_id not in known]
        read = sources.reader.events(unknown, scope)
        new = [Candidate.found_alone(event, sources.language) for event in read]
        return [*(known[node_id] for node_id in node_ids if node_id in known), *new]

    # A fact that a corrected turn stated is out of date, even if the correction has not reached the facts yet.
    corrected = {node_id for node_id, each in outdated.items() if each.is_correction}
    facts = _facts_answering(parsed, then, scope, beliefs)
    facts = [fact for fact in facts if not (fact.source and fact.source.node_id in corrected)]
    # A "who" question needs no check for denials: a later turn that names somebody does not deny who they are.
    denying = () if facts and beliefs.asks_who(question, scope) else candidates
    cited = {
        fact.source.node_id: _without_words(fact.source, scope.group_id, sources.language)
        for fact in facts
        # What was taken back since may be what its speaker asked to forget.
        if isinstance(fact.source, TurnCitation) and fact.status in _BELIEVED and _is_by_then(fact.source, then)
    }

    def resting_on(node_ids: Sequence[int]) -> list[Candidate]:
        found = {turn.node_id: turn for turn in turns(node_ids)}
        return [each for node_id in node_ids if (each := found.get(node_id) or cited.get(node_id))]

    found = believed_claims(parsed, facts, resting_on, denying)
    if found:
        return found
    if not scope.has_turns:
        return None
    # Relations are read only if no fact answers: each read is a call to the database.
    relations = knowledge.stated.about(names_in(question), scope)
    claims = stated_claims(parsed, [each for each in relations if each.node_id not in outdated], turns)
    return Claims(claims, confidence=NEW_CONFIDENCE) if claims else None


def _is_by_then(said: TurnCitation, then: Scope) -> bool:
    """Return whether a turn was said by the end of a scope. A fact of that time may rest on a later turn, too."""
    ends = [moment for moment in (then.as_of, then.until) if isinstance(moment, datetime)]
    return not ends or (said.valid_at is not None and said.valid_at <= min(ends))


def _facts_answering(parsed: ParsedQuestion, then: Scope, scope: Scope, beliefs: Beliefs) -> list[Recalled]:
    if parsed.span is None:
        return beliefs.answering(parsed.question.text, then)
    # With a date the main clause is asked, without the words for the date: no fact has those.
    asks_for_no_date = then == scope
    return [] if asks_for_no_date else beliefs.answering(parsed.main.text, then)


def believed_claims(
    parsed: ParsedQuestion,
    facts: Sequence[Recalled],
    turns: Callable[[Sequence[int]], list[Candidate]],
    found: Sequence[Candidate],
) -> Claims | None:
    """Return a claim per fact, in order, with a caveat if any fact is not sure; None if no fact answers.

    A question that counts from another event also gets None.

    turns: returns the candidates with these node_ids.
    found: retrieved turns that may deny a fact. If one of them is later than the fact and has the object that the
        question names, that turn answers and not the fact.
    """
    if parsed.order or parsed.reference:
        return None
    shown = first_of([fact for fact in facts if fact.source], _MOST_CLAIMS)
    resting = [(fact, fact.source.node_id) for fact in shown if fact.source]
    of = {turn.node_id: turn for turn in turns([node_id for _, node_id in resting])} if resting else {}
    there = [(fact, of[i]) for fact, i in resting if i in of and not _is_said_again(parsed, fact, of[i], found)]
    if not there:
        return None
    grammar = parsed.language.grammar
    unsure = any(fact.confidence <= _SURE for fact, _ in there)
    claims = tuple(
        Claim(
            grammar.corrected(fact.text, turn.event)
            if fact.by_hand
            else grammar.believed_at(fact.text, turn.event, _own_words(turn, fact.text)),
            turn,
        )
        for fact, turn in there
    )
    least = min(fact.confidence for fact, _ in there)
    return Claims(claims, (grammar.say("hardly_believed"),) if unsure else (), confidence=least)


def _without_words(source: TurnCitation, group_id: str, language: Language) -> Candidate:
    """Return a turn as a fact cites it, without its words.

    If its speaker asked memory to forget something else that it states, no read returns the turn any more.
    """
    said_in = Turn(source.episode_id, source.session_id, source.turn, source.turn_id, source.actor)
    event = Event(
        node_id=source.node_id,
        group_id=group_id,
        video_id=source.session_id,
        clip_ids=(),
        ordinal=source.turn,
        time_start=0.0,
        time_end=0.0,
        summary_text="",
        persons=(source.actor,),
        at=source.valid_at,
        turn=said_in,
    )
    return Candidate.found_alone(event, language)


def _is_said_again(parsed: ParsedQuestion, fact: Recalled, turn: Candidate, found: Sequence[Candidate]) -> bool:
    """Return whether a later turn has the fact's object, if the question names that object ("Am I vegetarian?").

    Such a turn may deny the fact.
    """
    language = parsed.language
    named = set(language.words_of(fact.triple.object)) if fact.triple else set[str]()
    if not named or not named <= set(language.words_of(parsed.question.text)):
        return False
    return any(
        _is_later(each, turn) and not language.only_asks(each.event.summary_text)
        for each in found
        if each.event.turn and not each.event.turn.by_assistant
        if named <= set(language.words_of(each.event.summary_text))
    )


def _is_later(one: Candidate, other: Candidate) -> bool:
    return bool(one.event.at and other.event.at and one.event.at > other.event.at)


def names_in(text: str) -> list[str]:
    """Return every run of words of a question that may be a mention, as written, the longest first."""
    words = [word.strip(".,;:!?\"'()“”„«»").removesuffix("'s").removesuffix("’s") for word in text.split()]
    runs = [
        " ".join(words[start : start + length])
        for length in range(min(_LONGEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    return [run for run in dict.fromkeys(runs) if run]


def stated_claims(
    parsed: ParsedQuestion, stated: Sequence[Stated], turns: Callable[[Sequence[int]], list[Candidate]]
) -> tuple[Claim, ...]:
    """Return a claim per relation that answers the question, the latest first.

    A relation answers if the question has the words of its type and names exactly one of its ends: "Who wrote Animal
    Farm?".
    turns: returns the candidates with these node_ids.
    """
    if Trait.OF_FACT not in parsed.traits or parsed.reference or parsed.order:
        return ()
    asked = parsed.language.all_forms(parsed.question.text)
    fitting = [each for each in stated if _is_asked(each, parsed, asked)]
    # The relations come in order of time. The mapping keeps the latest of equal ones, at the place of the first.
    one_each = list({(each.type, each.source, each.target): each for each in fitting}.values())[::-1][:_MOST_CLAIMS]
    of = {turn.node_id: turn for turn in turns([each.node_id for each in one_each])} if one_each else {}
    grammar = parsed.language.grammar
    claims: list[Claim] = []
    for each in one_each:
        if turn := of.get(each.node_id):
            said = f"{each.source} {each.type.replace('_', ' ').casefold()} {each.target}"
            claims.append(Claim(grammar.believed_at(said, turn.event, _own_words(turn, said)), turn))
    return tuple(claims)


def _own_words(turn: Candidate, stated: str) -> str:
    """Return the words of the turn that states this; of a long turn, the sentence with most of it."""
    _, words = speaker_and_words(turn.language.grammar.summary(turn.event))
    if len(words) > MOST_SAID:
        wanted = turn.language.all_forms(stated)
        words = max(turn.language.sentences(words), key=lambda each: len(wanted & turn.language.all_forms(each)))
    if len(words) <= MOST_SAID:
        return words
    begin = words[:MOST_SAID]
    return f"{begin.rpartition(' ')[0] or begin}…"  # an address, or Japanese, has no space to cut at


def _is_asked(each: Stated, parsed: ParsedQuestion, asked: frozenset[str]) -> bool:
    """Return whether the question has the words of the relation, and exactly one of its two ends."""
    language = parsed.language
    telling = language.content_words(each.type.replace("_", " "))
    sides = [
        set(language.words_of(side)) <= set(language.words_of(parsed.question.text))
        for side in (each.source, each.target)
    ]
    # If both ends are named ("Did Orwell write Animal Farm?"), there is nothing left to answer with.
    return bool(telling) and all(not word.forms.isdisjoint(asked) for word in telling) and sides.count(True) == 1
