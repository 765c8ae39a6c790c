"""Answers questions for plans: "What did we still want to buy?", "What is planned for Friday?"."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.language.languages import Language
from amr_neo4j.language.plans import PlanQuestion
from amr_neo4j.recall.answer.claim import Claim, Claims
from amr_neo4j.recall.retrieve.candidate import Candidate

_PAUSE = re.compile(r"[,;:]")
# An answer lists at most this many plans.
_MOST_PLANS = 20


def fitting(
    question: PlanQuestion, planned: Sequence[Planned], persons: Collection[str], now: datetime | None, of: Language
) -> list[Planned]:
    """Return the plans that a question asks for, the latest first.

    persons: the ids of the persons whom it names. now: the moment that "tomorrow" is counted from.
    of: the language of the question.
    """
    names = {part for person in persons for part in person.split("_")}
    latest: dict[str, Planned] = {}
    for plan in planned:
        is_named = not persons or plan.who.replace(" ", "_") in persons or not names.isdisjoint(plan.what.split())
        if is_named and of.is_plan_asked_for(plan.what, question, names):
            # Whoever states a plan again moves it to another day, so only the latest counts.
            latest.setdefault(plan.what, plan)
    return [each for each in latest.values() if question.is_for(each.ends_at, now)]


def carries_out(plan: Planned, event: Event, language: Language, *, shared: bool) -> bool:
    """Return whether a later event shows that a plan was carried out.

    Sentences that deny, ask or plan show nothing; what is left of a line must have all words of the plan. Speech must
    also have another form of the verb: "I bought the milk" carries out "buy milk", and "buy milk" repeats it.

    shared: the plan was said of several ("we still need to"). Anybody may carry out such a plan, and get things; any
        other deed must be of the person who planned it, if the line says whose it is.
    """
    plans, verb = language.plans, language.plans.verb_of(plan.what)
    words = [
        word.forms | language.forms_in_plans(word.word)
        for word in language.content_words(plans.without_hours(plan.what))
    ]
    of_anybody = shared or plan.who == "you" or plans.gets(verb)
    for speaker, line, is_said in _lines(event):
        telling = [part for sentence in language.sentences(line) for part in _telling(sentence, language)]
        there = language.all_forms(" ".join(telling))
        if not words or any(each.isdisjoint(there) for each in words):
            continue
        if is_said and verb in language.words_of(line):
            continue
        if of_anybody or _may_be_of(plan, speaker, telling, language):
            return True
    return False


def _lines(event: Event) -> list[tuple[str, str, bool]]:
    """Return (speaker, line, whether it was said) for what an event tells."""
    said = list(event.dialogue_snippets) + ([event.summary_text] if event.turn else [])
    seen = [] if event.turn or event.heard else [("", event.summary_text, False)]
    return [(*speaker_and_words(line), True) for line in said] + seen


def _telling(sentence: str, language: Language) -> list[str]:
    """Return the parts of a sentence that may tell that something was done: "no problem, I bought the milk".

    Of a part that denies something, only the words before the denial do: "I bought milk and forgot nothing".
    """
    if sentence.endswith("?") or language.plans.read(sentence):
        return []
    told = [language.plans.before_denial(part) for part in _PAUSE.split(sentence)]
    return [language.asking.denied.split(part, maxsplit=1)[0] for part in told]


def _may_be_of(plan: Planned, speaker: str, sentences: Sequence[str], language: Language) -> bool:
    """Return whether what these sentences tell may be a deed of the person who planned it.

    It may if that person tells it: "Visited Ben with Carl", "The bike is fixed, thanks to Ben".
    """
    text = " ".join(sentences)
    known = plan.who.split()
    named = language.persons_named(text, known, caption=True)
    names = {part for name in named for part in name.casefold().split()} - {*plan.what.split()}
    speaking = {*speaker.casefold().split()}
    if any(map(language.is_first_person, text.split())):
        names |= speaking
    return not names or not (names | speaking).isdisjoint(known)


def plan_claims(
    plans: Sequence[Planned],
    done: Mapping[Planned, Event],
    said: Mapping[int, Event],
    *,
    now: datetime | None,
    language: Language,
) -> Claims | None:
    """Return a claim for each plan that is still open, else for each that was done, dropped or has passed.

    done: {plan: the event that carried it out}. said: {node_id: the event in which a plan was said}.
    """
    states = {plan: _state(plan, plan in done, now) for plan in plans if plan.node_id in said}
    shown = [plan for plan in states if states[plan] == "open"] or list(states)
    claims: list[Claim] = []
    for plan in shown[:_MOST_PLANS]:
        day = plan.ends_at and (plan.ends_at - timedelta(minutes=1)).astimezone(now.tzinfo if now else None)
        text = f"{plan.text} ({language.plans.state(states[plan], day)})"
        claims.append(Claim(text, Candidate.found_alone(said[plan.node_id], language)))
        if plan in done:
            claims.append(Claim(done[plan].summary_text.rstrip("."), Candidate.found_alone(done[plan], language)))
    if shown[_MOST_PLANS:]:
        claims[0] = claims[0].put_into("first_plans", count=len(shown), shown=_MOST_PLANS)
    return Claims(tuple(claims), confidence=shown[0].confidence) if claims else None


def _state(plan: Planned, is_done: bool, now: datetime | None) -> str:
    if is_done or plan.dropped:
        return "done" if is_done else "dropped"
    return "passed" if plan.ends_at and now and plan.ends_at <= now else "open"
