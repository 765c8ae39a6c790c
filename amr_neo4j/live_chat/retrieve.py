"""Chooses the facts for a turn (specification 001 2).

What answers the question of the turn comes first: facts of the subject that it asks about, and of no other. The other
candidates are scored. Those that are too weak, were shown lately or repeat a relation are dropped, and the best stay.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from itertools import chain, zip_longest

from amr_neo4j.domain.episode import SaidTurn
from amr_neo4j.domain.fact import NEW_CONFIDENCE, SAID, SPEAKER, Intent, KnownFact, Triple
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.kinship import knowing_kin
from amr_neo4j.domain.ports import AskedFacts, TurnsLike
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.domain.relations import INSTRUCTION, PLANS, relation_kind, relation_names, share_kept
from amr_neo4j.language.languages import folded_first_names, language
from amr_neo4j.language.question_words import QuestionWords, Words, all_forms, question_words
from amr_neo4j.language.role_phrases import role_spans
from amr_neo4j.language.stems import words_in
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.score import score_table
from amr_neo4j.live_chat.subjects import speaks_of_others_alone

_HOUR = 3600.0
_DAY = 24 * _HOUR
# Turns that state something: here facts help without being asked for.
_STATES = {Intent.FACT_STATEMENT, Intent.QUESTION_WITH_FACT, Intent.MULTIPLE_FACTS, Intent.CORRECTION}
# A turn that states nothing gets at most this many hints.
_MOST_UNASKED = 2
_ROLES = tuple(name for name in relation_names() if relation_kind(name).role)


@dataclass(frozen=True, slots=True)
class Hint:
    """A fact for the prompt; or, if no fact answers, a quotation of the user with the triple (you, said, words).

    text: its sentence.
    score: in [0, 1.3]; boosts lift it above 1.
    asked: the turn asks for it.
    """

    triple: Triple
    text: str
    score: float
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What retrieval needs to know of a turn.

    number: the number of the turn in its session, from 0.
    entities: what it names.
    stated: the facts that it states itself, which are in the prompt anyway.
    questions: what it asks, each as a question about facts, in its order.
    turns_like: see PassiveMemory.
    """

    text: str
    language: str
    intent: Intent
    session_id: str
    at: datetime
    number: int
    entities: Sequence[str] = ()
    stated: Collection[Triple] = ()
    questions: Sequence[AskedFacts] = ()
    turns_like: TurnsLike = lambda question, read_as: {}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The hints of a turn, best first.

    considered: the number of candidates.
    gated: there were candidates, and none was good enough.
    """

    hints: tuple[Hint, ...]
    considered: int
    gated: bool


def choose(
    asked: Asked, index: HotIndex, asking: QuestionWords, options: HotOptions, injected: Mapping[Triple, int]
) -> Chosen:
    """Choose the facts to inject before a turn.

    asking: the words by which its language asks for relations.
    injected: {fact: number of the turn it was last injected in}.
    """
    questions = [_knowing_kin(each, index) for each in asked.questions]
    known = [_answers(each, asked, index, options) for each in questions]
    if questions and not known[-1]:
        known[-1] = _quoted(questions[-1], asked, index)
    # The first answer to each question, then the second to each.
    in_turn = [hint for hint in chain.from_iterable(zip_longest(*known)) if hint]
    told = index.about([SPEAKER], [INSTRUCTION]) if asked.intent is not Intent.REACTION else []
    if told:
        in_turn += _applying(told, asked, asking, options=options, injected=injected)
    answers = with_opposed(in_turn, index, options.bullets_max)
    if asked.intent not in _STATES and questions:
        return Chosen(answers, len(answers), gated=False)
    scored, considered = _scored(asked, index, asking, options=options)
    threshold = _threshold([hint.score for hint in scored])
    fitting: list[Hint] = []
    for hint in scored:
        last = injected.get(hint.triple)
        was_shown = last is not None and last >= asked.number - options.novelty_turns
        # A fact that was shown lately may be shown again if the turn asks for it.
        if (hint.asked or not was_shown) and _fits(hint, asked.intent, threshold):
            fitting.append(hint)
    answered = {hint.triple for hint in answers}
    others = [hint for hint in _diverse(fitting, threshold) if hint.triple not in answered]
    most = options.bullets_max if asked.intent in _STATES else min(_MOST_UNASKED, options.bullets_max)
    hints = with_opposed((*answers, *others), index, most)
    return Chosen(hints, considered, gated=bool(scored) and not hints)


def _applying(
    told: Sequence[KnownFact],
    asked: Asked,
    asking: QuestionWords,
    *,
    options: HotOptions,
    injected: Mapping[Triple, int],
) -> list[Hint]:
    """Return the instructions of the user that hold always, or whenever the topic of the turn comes up, newest first.

    What was shown in the last turns is still in the prompt, so it is left out.
    """
    named = all_forms(asking.of_turn(asked.text, asked.entities))

    def applies(fact: KnownFact) -> bool:
        spoken = fact.language or asked.language
        topic = language(spoken).instructions.topic(fact.triple.object)
        words = all_forms(question_words(spoken).of_turn(topic, ()))
        last = injected.get(fact.triple)
        was_shown = last is not None and last >= asked.number - options.novelty_turns
        return not was_shown and fact.triple not in asked.stated and (not words or not words.isdisjoint(named))

    return [
        Hint(fact.triple, fact.text, fact.certainty)
        for fact in sorted(filter(applies, told), key=lambda fact: -fact.said)
    ]


def _knowing_kin(question: AskedFacts, index: HotIndex) -> AskedFacts:
    """Return a question with the relatives whom it mentions."""

    def about(subjects: Collection[str], relations: Collection[str]) -> list[Triple]:
        return [fact.triple for fact in index.about(subjects, relations)]

    return knowing_kin(question, about)


def _scored(asked: Asked, index: HotIndex, asking: QuestionWords, options: HotOptions) -> tuple[list[Hint], int]:
    """Return (the facts that may go with a turn, best first; how many facts were considered)."""
    words = asking.of_turn(asked.text, asked.entities)
    named = all_forms(words)
    known = index.candidates(named, asking.relations_asked(named))
    beside = _people_not_meant(asked, known, named, index, asking)
    says_whom = any(asking.roles_of(word) for word in words_in(asked.text))
    fresh = [
        fact
        for fact in known
        if fact.triple not in asked.stated
        and fact.triple.relation != INSTRUCTION
        and not _expired(fact, asked, options)
        and not (_whose(fact.triple) and beside.issuperset(_whose(fact.triple)))
        # "My dog" asks for no aunt, either.
        and not (says_whom and fact.triple.subject == SPEAKER and _is_role_of_any(fact.triple, beside))
    ]
    # Words that no fact has say nothing about which fact is meant, so they get no weight.
    weighted = _weighted(words, fresh, asking)
    rare = index.rarity(named) if options.full_text_boost else {}
    hints = [_hint(fact, asked, asking, options, words=weighted, rare=rare) for fact in fresh]
    return sorted(hints, key=lambda hint: (-hint.score, hint.triple)), len(known)


def _people_not_meant(
    asked: Asked, known: Iterable[KnownFact], named: frozenset[str], index: HotIndex, asking: QuestionWords
) -> set[str]:
    """Return the people whom facts are about and a turn does not mean, the user among them: these facts do not go
    with it.

    It means those whom it calls by their name or by a noun for what they are to the user ("my mum"). If it calls
    nobody so, "she" may mean any woman. The user is meant unless the turn is certainly only about others.
    named: the forms of the turn's words.
    """
    said = words_in(asked.text)
    # "Ma belle-mère" names no mother.
    phrases = [span for span in role_spans(said, asked.language) if span[1] - span[0] > 1]
    within = {at for start, end, _ in phrases for at in range(start, end)}
    singly = all_forms(asking.of_turn(" ".join(word for at, word in enumerate(said) if at not in within), ()))
    phrased = {role for _, _, names in phrases for role in names}
    # With a noun in the turn, "called" asks for the name of that one: "what my dog is called" is nothing of an aunt.
    says_whom = any(asking.roles_of(word) for word in said)
    names_role = asking.says_role if says_whom else asking.names_role
    roles = _roles(index)
    people: dict[str, set[str]] = {}
    for fact in known:
        relation = relation_kind(fact.triple.relation)
        if relation.of_things and not relation.people_only:
            continue
        nouns = question_words(fact.language or asked.language)
        for person in _whose(fact.triple) - {SPEAKER}:
            found = {*roles.get(person, ()), *nouns.roles_of(person)}
            if found or relation.people_only or person.split()[0] in folded_first_names():
                people[person] = found
    meant = {
        person
        for person, found in people.items()
        if not named.isdisjoint(all_forms(asking.of_turn(person, ())))
        or any(role in phrased or names_role(role, singly) for role in found.union(*map(_wider, found)))
    }
    if not meant and not says_whom:
        pronouns = {asking.pronouns[word] for word in said if word in asking.pronouns}
        genders = pronouns - {""} or pronouns  # in "il aime son travail", "il" says who "son" is
        for person, found in people.items():
            own = {asking.genders.get(role, "") for role in found or [""]}
            if genders and ("" in genders | own or genders & own):
                meant.add(person)
    beside = people.keys() - meant
    names = {word for person in meant for word in words_in(person)}
    return beside | {SPEAKER} if speaks_of_others_alone(asked.text, asked.language, names) else beside


def _whose(triple: Triple) -> set[str]:
    """Return whom a fact is about: its subject, and the object too if it holds both ways. For the user's own facts it
    is the user, and nobody where it says who somebody is to them.
    """
    kind = relation_kind(triple.relation)
    if triple.subject == SPEAKER:
        return set() if kind.role else {SPEAKER}
    return {triple.subject, triple.object} - {SPEAKER} if kind.mutual else {triple.subject}


def _is_role_of_any(triple: Triple, people: Collection[str]) -> bool:
    """Return whether a fact says what one of these people is to the user."""
    return bool(relation_kind(triple.relation).role) and triple.object in people


def _wider(role: str) -> Collection[str]:
    """Return the role that may be said in place of one: a husband is a partner, too."""
    return ("partner",) if relation_kind(role).bond else ()


def _roles(index: HotIndex) -> Mapping[str, set[str]]:
    """Return {name: what they are to the user}, of the people and pets of the user."""
    roles: dict[str, set[str]] = {}
    for fact in index.candidates((), _ROLES):
        subject, relation, object = fact.triple
        if relation_kind(relation).role and SPEAKER in (subject, object):
            roles.setdefault(object if subject == SPEAKER else subject, set()).add(relation)
    return roles


def _answers(question: AskedFacts, asked: Asked, index: HotIndex, options: HotOptions) -> list[Hint]:
    """Return the facts that answer a question of a turn, the most certain first, and the newest of equal ones.

    The main value comes before those beside it: a job before the one on weekends.
    """
    known = index.about(
        question.subjects,
        question.relations,
        naming=question.object_words,
        of_anybody=question.asks_who,
        objects=frozenset(question.objects),
        two_sided=question.two_sided,
    )
    facts = [fact for fact in known if not _expired(fact, asked, options)]
    facts.sort(
        key=lambda fact: (
            fact.triple.subject != SPEAKER,
            fact.strength == "beside",
            -fact.certainty,
            -fact.said,
            fact.triple,
        )
    )
    found = question.answered_by(map(_recalled, facts))
    if not found:
        plans = [plan for plan in index.about([SPEAKER], [PLANS]) if question.asks_for_plan(plan, asked.at)]
        found = [_recalled(plan) for plan in sorted(plans, key=lambda plan: -plan.said)]
    return [Hint(each.triple, each.text, each.confidence, asked=True) for each in found if each.triple]


def _quoted(question: AskedFacts, asked: Asked, index: HotIndex) -> list[Hint]:
    """Return the user's turn that answers a question of a turn, quoted with its date; else nothing."""
    turn = index.quotable(question, asked.turns_like)
    if turn is None:
        return []
    text = quotation(turn, asked.language, asked.at.tzinfo)
    return [Hint(Triple(SPEAKER, SAID, turn.text), text, NEW_CONFIDENCE, asked=True)]


def quotation(turn: SaidTurn, code: str, zone: tzinfo | None) -> str:
    """Return a turn of the user as a hint quotes it: 'You said on 3 May 2026: "..."'. code: of the language."""
    return language(code).quote(turn.text, datetime.fromtimestamp(turn.said, zone))


def with_opposed(hints: Sequence[Hint], index: HotIndex, most: int) -> tuple[Hint, ...]:
    """Return the first hints, at most `most`, with both sides of each open contradiction, the newer side first.

    If there is no room for both sides, neither is returned: one alone would look like the truth.
    """
    shown: dict[Triple, Hint] = {}
    for hint in hints:
        if len(shown) >= most:
            break
        sides = index.both_sides(hint.triple)
        group = [replace(hint, triple=side.triple, text=side.text) for side in sides] if len(sides) > 1 else [hint]
        new = {each.triple: each for each in group if each.triple not in shown}
        if len(shown) + len(new) <= most:
            shown |= new
    return tuple(shown.values())


def without_lone_sides(hints: Sequence[Hint], index: HotIndex) -> list[Hint]:
    """Return the hints, but drop a side of an open contradiction unless its other sides are among them too."""
    there = {hint.triple for hint in hints}
    return [hint for hint in hints if all(side.triple in there for side in index.both_sides(hint.triple))]


def _recalled(fact: KnownFact) -> Recalled:
    said = datetime.fromtimestamp(fact.said, UTC)
    return Recalled("fact", fact.text, fact.certainty, said, None, triple=fact.triple)


def _expired(fact: KnownFact, asked: Asked, options: HotOptions) -> bool:
    """Return whether a fact was last stated longer ago than the `ttl_days` of its relation."""
    days = options.ttl_days.get(fact.triple.relation)
    return days is not None and asked.at.timestamp() - fact.said > days * _DAY


def _hint(
    fact: KnownFact,
    asked: Asked,
    asking: QuestionWords,
    options: HotOptions,
    *,
    words: Sequence[tuple[frozenset[str], float]],
    rare: Mapping[str, float],
) -> Hint:
    """Score a fact: the weighted sum of its relation's priority, recency, overlap with the turn, and own weight.

    words: (forms, weight) of the turn's words.
    rare: {word: rarity} for the boost by full text; empty without one.
    """
    parts = options.weights
    overlap = _overlap(words, fact.words | asking.asks_for(fact.triple.relation))
    priority = relation_kind(fact.triple.relation).priority / 100
    age = max(0.0, asked.at.timestamp() - fact.said)
    weight = fact.certainty * share_kept(fact.triple.relation, age / _DAY)
    score = (
        parts.priority * priority
        + parts.recency * _recency(fact, age, asked, options)
        + parts.overlap * overlap
        + parts.weight * weight
        + options.full_text_boost * max((rare[word] for word in fact.words & rare.keys()), default=0.0)
    )
    return Hint(fact.triple, fact.text, score, asked=overlap >= _OVERLAP_ASKED)


# A turn with at least this overlap with a fact counts as asking for it.
_OVERLAP_ASKED = 0.5


def _weighted(words: Words, known: Iterable[KnownFact], asking: QuestionWords) -> list[tuple[frozenset[str], float]]:
    """Return (forms, weight) of those of the turn's words that a known fact has or that ask for a relation."""
    named = frozenset[str]().union(*(fact.words for fact in known))
    used = (each for each in words.values() if not each.isdisjoint(named) or not each.isdisjoint(asking.weights))
    return [(each, asking.weight(each)) for each in used]


def _overlap(words: Sequence[tuple[frozenset[str], float]], fact: frozenset[str]) -> float:
    """Return the weighted share of the turn's words that are in `fact`.

    fact: its own words, and those that ask for its relation. Decision 0096 explains why it is the share of the turn's
        words and not of the union.
    """
    whole = sum(weight for _, weight in words)
    return sum(weight for each, weight in words if not each.isdisjoint(fact)) / whole if whole else 0.0


def _recency(fact: KnownFact, age: float, asked: Asked, options: HotOptions) -> float:
    """Return exp(-age / recency_days), boosted for facts of this session and for those stated at this time of day.

    With the shipped table, the result is at most 1.2 * 1.05.

    age: in seconds.
    """
    table = score_table()
    recency = math.exp(-age / (options.recency_days * _DAY))
    if fact.session_id == asked.session_id:
        recency *= table.same_session_boost
    # The time of day is the same if the age is near a whole number of days, from either side.
    apart = age % _DAY
    if age > _DAY and min(apart, _DAY - apart) < _HOUR:
        recency *= table.same_hour_boost
    return recency


def _threshold(scores: Sequence[float]) -> float:
    """Return the score that a hint needs: a fixed one if there are few candidates, else a quantile of their scores.

    scores: in descending order.
    """
    table = score_table()
    if len(scores) < table.few:
        return table.baseline
    return scores[int((1 - table.quantile) * len(scores))]


def _fits(hint: Hint, intent: Intent, threshold: float) -> bool:
    """Return whether a hint is good enough. A turn that states nothing gets only the facts that it asks for."""
    if hint.asked:  # the quantile among many candidates may be high: what is asked for needs only the baseline
        return hint.score >= min(threshold, score_table().baseline)
    return hint.score >= threshold and intent in _STATES


def _diverse(hints: Iterable[Hint], threshold: float) -> list[Hint]:
    """Keep one hint of each relation, and a second one whose score is well above the threshold.

    The second should be about another subject than the first; hints about the speaker always qualify.
    hints: best first, as is the result.
    """
    firsts: dict[str, Hint] = {}
    seconds: dict[str, Hint] = {}
    for hint in hints:
        relation = hint.triple.relation
        if relation not in firsts:
            firsts[relation] = hint
        elif hint.score >= threshold + score_table().second_margin:
            other = _is_of_another(hint, firsts[relation])
            if relation not in seconds or (other and not _is_of_another(seconds[relation], firsts[relation])):
                seconds[relation] = hint
    return sorted([*firsts.values(), *seconds.values()], key=lambda hint: (-hint.score, hint.triple))


def _is_of_another(hint: Hint, first: Hint) -> bool:
    return hint.triple.subject == SPEAKER or hint.triple.subject != first.triple.subject
