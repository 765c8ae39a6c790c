"""Answers questions for plans: "What did we still want to buy?", "What is planned for Friday?"."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.language.languages import Language
from amr_neo4j.language.plans import PlanQuestion, forms_alike
from amr_neo4j.recall.answer.claim import Claim, Claims
from amr_neo4j.recall.retrieve.candidate import Candidate

_MOST_CLAIMS = 8


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
        if is_named and question.names(plan.what, of, names):
            # Whoever states a plan again moves it to another day, so only the latest counts.
            latest.setdefault(plan.what, plan)
    return [each for each in latest.values() if question.is_for(each.ends_at, now)]


def carries_out(plan: Planned, event: Event, language: Language) -> bool:
    """Return whether a later event shows that a plan was carried out.

    A line of it must have all words of the plan, and must not be a question or a plan itself. Speech must also have
    another form of the verb: "I bought the milk" carries out "buy milk", and "buy milk" repeats it.
    """
    deed, *_ = plan.what.split()
    words = [word.forms | forms_alike(word.word, language) for word in language.content_words(plan.what)]
    lines = [(speaker_and_words(line)[1], True) for line in event.dialogue_snippets]
    lines += [(speaker_and_words(event.summary_text)[1], True)] if event.turn else []
    lines += [] if event.turn or event.heard else [(event.summary_text, False)]
    for line, is_said in lines:
        there = language.all_forms(line)
        if not words or any(each.isdisjoint(there) for each in words):
            continue
        asks_or_plans = any(
            sentence.endswith("?") or language.plans.read(sentence) for sentence in language.sentences(line)
        )
        if not asks_or_plans and not (is_said and deed in language.words_of(line)):
            return True
    return False


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
    for plan in shown[:_MOST_CLAIMS]:
        day = plan.ends_at and (plan.ends_at - timedelta(minutes=1)).astimezone(now.tzinfo if now else None)
        text = f"{plan.text} ({language.plans.state(states[plan], day)})"
        claims.append(Claim(text, Candidate.found_alone(said[plan.node_id], language)))
        if plan in done:
            claims.append(Claim(done[plan].summary_text.rstrip("."), Candidate.found_alone(done[plan], language)))
    return Claims(tuple(claims), confidence=shown[0].confidence) if claims else None


def _state(plan: Planned, is_done: bool, now: datetime | None) -> str:
    if is_done or plan.dropped:
        return "done" if is_done else "dropped"
    return "passed" if plan.ends_at and now and plan.ends_at <= now else "open"
