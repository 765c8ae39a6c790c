"""Answers questions for plans: "What did we still want to buy?", "What is planned for Friday?"."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.relations import PLANS
from amr_neo4j.language.languages import DEFAULT, Language, language
from amr_neo4j.language.plans import PlanQuestion
from amr_neo4j.language.spoken import forms_and_english, function_words, telling_words, tells_of_past
from amr_neo4j.recall.answer.claim import Claim, Claims
from amr_neo4j.recall.retrieve.candidate import Candidate

_PAUSE = re.compile(r"[,;:]")
_WORD = re.compile(r"\w+['’]?")
# An answer lists at most this many plans.
_MOST_PLANS = 20


def fitting(
    question: PlanQuestion,
    planned: Sequence[Planned],
    *,
    persons: Collection[str],
    now: datetime | None,
    of: Language,
    others: Mapping[str, Sequence[str]],
) -> list[Planned]:
    """Return the plans that a question asks for, the latest first.

    persons: the ids of the persons whom it names.
    now: the moment that "tomorrow" is counted from.
    of: the language of the question. What is planned may be said in another.
    others: {a word of the question: other words for the same}.
    """
    names = {part for person in persons for part in person.split("_")}
    saying_nothing = function_words(of.code) if of.code != DEFAULT else frozenset[str]()
    telling = question.words - names - saying_nothing
    words = [_alike((word, *others.get(word, ())), of.code) for word in telling]
    latest: dict[str, Planned] = {}
    for plan in planned:
        is_named = not persons or plan.who.replace(" ", "_") in persons or not names.isdisjoint(plan.what.split())
        there = forms_and_english(plan.what, plan.language or DEFAULT)
        if is_named and not any(each.isdisjoint(there) for each in words):
            # Whoever states a plan again moves it to another day, so only the latest counts.
            latest.setdefault(plan.what, plan)
    return [each for each in latest.values() if question.is_for(each.ends_at, now)]


def _alike(words: Sequence[str], code: str) -> frozenset[str]:
    """Return the forms of words and of their synonyms in plans, both in a language and in English."""
    same = frozenset[str]().union(*map(language(code).plans.alike, words))
    return forms_and_english(" ".join(same), code)


def carries_out(plan: Planned, event: Event, footage: Language, *, shared: bool) -> bool:
    """Return whether a later event shows that a plan was carried out.

    Sentences that deny, ask or plan show nothing; what is left of a line must have all words of the plan. Speech must
    also have another form of the verb: "I bought the milk" carries out "buy milk", and "buy milk" repeats it. Where
    the present may mean what is to come ("Ich kaufe Milch"), it must tell of the past.

    footage: the language of captions. What is said is read in the language of the plan.

    shared: the plan was said of several ("we still need to"). Anybody may carry out such a plan, and get things; any
        other deed must be of the person who planned it, if the line says whose it is.
    """
    spoken = language(plan.language or DEFAULT)
    verb = spoken.plans.verb_of(plan.what)
    words = [
        _alike((word,), spoken.code) for word in telling_words(spoken.plans.without_hours(plan.what), spoken.code)
    ]
    of_anybody = shared or plan.who == "you" or spoken.plans.gets(verb)
    for speaker, line, is_said in _lines(event):
        told_in = spoken if is_said else footage
        telling = [part for sentence in told_in.sentences(line) for part in _telling(sentence, told_in)]
        text = " ".join(telling)
        there = forms_and_english(text, told_in.code)
        if not words or any(each.isdisjoint(there) for each in words):
            continue
        if is_said and (verb in told_in.words_of(line) or not _may_tell_of_past(text, told_in)):
            continue
        if of_anybody or _may_be_of(plan, speaker, telling, told_in):
            return True
    return False


def _lines(event: Event) -> list[tuple[str, str, bool]]:
    """Return (speaker, line, whether it is speech) for each line of an event."""
    said = list(event.dialogue_snippets) + ([event.summary_text] if event.turn else [])
    seen = [] if event.turn or event.heard else [("", event.summary_text, False)]
    return [(*speaker_and_words(line), True) for line in said] + seen


def _may_tell_of_past(text: str, told_in: Language) -> bool:
    past = tells_of_past(text, told_in.code)
    return past is None or past


def _telling(sentence: str, told_in: Language) -> list[str]:
    """Return the parts of a sentence that may tell that something was done: "no problem, I bought the milk".

    Of a part that denies something, only the words before the denial do: "I bought milk and forgot nothing".
    """
    plans = told_in.plans
    if sentence.endswith("?") or plans.read(sentence):
        return []
    told = [plans.before_denial(part) for part in _PAUSE.split(sentence) if not plans.is_unreal(part)]
    return [told_in.asking.denied.split(part, maxsplit=1)[0] for part in told]


def _may_be_of(plan: Planned, speaker: str, sentences: Sequence[str], told_in: Language) -> bool:
    """Return whether what these sentences tell may be a deed of the person who planned it.

    It may if that person tells it: "Visited Ben with Carl", "The bike is fixed, thanks to Ben".
    """
    text = " ".join(sentences)
    known = plan.who.split()
    named = told_in.persons_named(text, known, caption=True)
    names = {part for name in named for part in name.casefold().split()} - {*plan.what.split()}
    speaking = {*speaker.casefold().split()}
    # "He llamado" names nobody: whoever says it did it, unless somebody else is named.
    rules = told_in.facts
    of_speaker = not names and rules is not None and rules.drops_subject
    if of_speaker or any(map(told_in.is_first_person, _WORD.findall(text))):
        names |= speaking
    return not names or not (names | speaking).isdisjoint(known)


def plan_claims(
    plans: Sequence[Planned],
    done: Mapping[Planned, Event],
    said: Mapping[int, Event],
    *,
    now: datetime | None,
    of: Language,
    footage: Language,
) -> Claims | None:
    """Return a claim for each plan that is still open, else for each that was done, dropped or has passed.

    done: {plan: the event that carried it out}.
    said: {node_id: the event in which a plan was said}.
    of: the language of the question.
    """
    states = {plan: _state(plan, plan in done, now) for plan in plans if plan.node_id in said}
    shown = [plan for plan in states if states[plan] == "open"] or list(states)
    claims: list[Claim] = []
    for plan in shown[:_MOST_PLANS]:
        day = plan.ends_at and (plan.ends_at - timedelta(minutes=1)).astimezone(now.tzinfo if now else None)
        text = f"{_sentence(plan, of)} ({of.plans.state(states[plan], day)})"
        claims.append(Claim(text, Candidate.found_alone(said[plan.node_id], footage)))
        if plan in done:
            claims.append(Claim(done[plan].summary_text.rstrip("."), Candidate.found_alone(done[plan], footage)))
    if shown[_MOST_PLANS:]:
        claims[0] = claims[0].put_into("first_plans", count=len(shown), shown=_MOST_PLANS)
    return Claims(tuple(claims), confidence=shown[0].confidence) if claims else None


def _sentence(plan: Planned, of: Language) -> str:
    """Return a plan as a sentence of the language; what is planned stays in the language in which it was said."""
    if of.code == (plan.language or of.code):
        return plan.text
    return of.bullets.bullet(Triple(plan.who, PLANS, plan.what), plan.text)


def _state(plan: Planned, is_done: bool, now: datetime | None) -> str:
    if is_done or plan.dropped:
        return "done" if is_done else "dropped"
    return "passed" if plan.ends_at and now and plan.ends_at <= now else "open"
