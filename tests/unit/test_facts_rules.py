"""Confidence, contradictions and merging, as laws."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.belief import Belief, HeardTurn, Near, Plan, Support
from amr_neo4j.domain.fact import Triple, fact_id
from amr_neo4j.domain.relations import relation_kind, relation_names, share_kept
from amr_neo4j.domain.replies import Verdict, Verdicts
from amr_neo4j.errors import ModelUnavailable
from amr_neo4j.facts.comparison import Comparer, Likeness, Senses, no_senses
from amr_neo4j.facts.confidence import decayed, raised, supports, updated
from amr_neo4j.facts.consolidate import EarlierDecisions, plan, sensible
from amr_neo4j.facts.evidence import said_again
from amr_neo4j.facts.rules import fact_rules
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.synonyms import SenseKeys, Synonyms

RULES = fact_rules()
MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def belief(subject: str, relation: str, object: str, *, said: float = 0.0, **values: object) -> Belief:
    triple = Triple(subject, relation, object)
    fact = Belief(fact_id(triple), triple, " ".join(triple), 0.7, 1, 1, MARCH, said, MARCH, language="en")
    return replace(fact, category=relation_kind(relation).category, **values)


def night(
    *beliefs: Belief, cosine: float = 0.9, object_cosine: float = 0.9, senses: Senses = no_senses, **values: object
) -> Plan:
    near = [Near(min(a.fact_id, b.fact_id), max(a.fact_id, b.fact_id), cosine) for a, b in combinations(beliefs, 2)]
    given = {"supports": (), "known": EarlierDecisions(), "now": MARCH, "since": MARCH, **values}
    comparer = Comparer(RULES, lambda one, other: object_cosine, senses)
    return plan(beliefs, near=near, comparer=comparer, **given)


def after(made: Plan, fact: Belief) -> dict[str, object]:
    return {k: v for u in made.units for c in u.changes if c.fact_id == fact.fact_id for k, v in c.after.items()}


# --- confidence

steps = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40)), max_size=30)


@given(st.floats(0, 1), steps)
def test_confidence_stays_between_0_and_1(start: float, nights: list[tuple[int, int]]) -> None:
    fact, now = belief("you", "likes", "tea", confidence=start), MARCH
    for supporting, days in nights:
        now += timedelta(days=days)
        fact = updated(fact, supporting=supporting, latest=now if supporting else None, now=now, rules=RULES)
        assert 0 <= fact.confidence <= 1


@given(st.integers(0, 400), st.lists(st.integers(0, 30 * 24), max_size=40))
def test_nightly_runs_equal_one_at_the_end(days: int, hours: list[int]) -> None:
    fact, end = belief("you", "likes", "tea"), MARCH + timedelta(days=days, hours=5)
    nightly = fact
    for hour in sorted(hours):
        nightly = decayed(nightly, min(end, MARCH + timedelta(hours=hour)))
    once, nightly = (decayed(each, end) for each in (fact, nightly))
    assert nightly.confidence == pytest.approx(once.confidence, rel=1e-12)
    assert decayed(once, end + timedelta(hours=18)) == once


def test_numbers_of_the_specification() -> None:
    assert raised(0.7, 1, RULES.growth) == pytest.approx(0.715)
    later = decayed(belief("you", "likes", "tea"), MARCH + timedelta(days=10))
    assert later.confidence == pytest.approx(0.7 * 0.9048, rel=1e-3)
    assert later.decayed_at == MARCH + timedelta(days=10)


def test_what_was_said_long_before_its_first_run_decays_from_the_run_before_that() -> None:
    fact, now, week = belief("you", "likes", "tea"), MARCH + timedelta(days=400), timedelta(days=7)
    new = replace(fact, decayed_at=None)
    assert after(night(new, now=now, since=now), new) == {"decayed_at": now}
    later = after(night(new, now=now, since=now - week), new)
    assert later == {"confidence": pytest.approx(0.7 * 0.9324, rel=1e-3), "decayed_at": now}
    assert after(night(fact, now=now, since=now - week), fact)["status"] == "deprecated"


@pytest.mark.parametrize(
    ("relation", "object", "said", "supported"),
    [
        ("likes", "tea", "tea is what I like", True),
        ("likes", "tea", "I don't like tea", False),
        ("dislikes", "tea", "I don't like tea", True),
        ("dislikes", "tea", "tea is what I like", False),
        ("has", "no car", "I don't have a car", True),
        ("has", "no car", "I have a car", False),
    ],
)
def test_a_turn_supports_only_what_it_does_not_deny(relation: str, object: str, said: str, supported: bool) -> None:
    turn = HeardTurn(
        number=0, episode_id="e", session_id="s", actor="user", actor_id="user", text=said, at=MARCH, states=False
    )
    alike = np.ones((1, 1), np.float32)
    fact = belief("you", relation, object)
    found = supports([fact], [turn], RULES, vectors=alike, turn_vectors=alike, unrelated=0.3)
    assert len(list(found)) == supported


def test_what_is_said_again_in_other_words_is_evidence() -> None:
    """Four turns raise the confidence to 0.756, as the specification says, though no vector is near."""
    fact = replace(belief("you", "lives_in", "porto"), confidence=0.7)
    texts = ["Porto has been home for me for years", "My flat is in Porto", "I love my house here in Porto"]
    texts += ["Back in Porto, my town", "The train to Porto was late", "I saw Porto win"]
    turns = [HeardTurn(n, str(n), "s", "user", "user", text, MARCH, states=False) for n, text in enumerate(texts)]
    one, apart = np.eye(2, dtype=np.float32)[[0]], np.tile(np.array([0.5, 0.866], np.float32), (len(texts), 1))
    found = list(supports([fact], turns, RULES, vectors=one, turn_vectors=apart, unrelated=0.3))
    assert [support.episode_id for support in found] == ["0", "1", "2", "3"]
    assert after(night(fact, supports=found), fact)["confidence"] == pytest.approx(0.756, abs=0.001)
    far = np.tile(np.array([0.2, 0.98], np.float32), (len(texts), 1))
    assert not list(supports([fact], turns, RULES, vectors=one, turn_vectors=far, unrelated=0.3))


def test_sentences_that_say_a_fact_again_are_told_from_those_that_only_name_its_thing() -> None:
    """In five languages. The sets were written before the rule."""
    sets = yaml.safe_load((Path(__file__).parents[1] / "gold" / "restated.yaml").read_text(encoding="utf-8"))
    for name, facts in sets.items():
        told, wrong, again, beside = 0, 0, 0, 0
        for each in facts:
            code, relation, object = each["fact"]
            triple = [Triple("you", relation, object)]
            told += len(said_again(triple, [code], each["again"]))
            wrong += len(said_again(triple, [code], each["beside"]))
            again, beside = again + len(each["again"]), beside + len(each["beside"])
        assert (told / again, wrong / beside) >= (0.55, 0.0) and wrong <= 0.06 * beside, name


KIN = [Triple("you", "brother", "ben"), Triple("you", "friend_of", "clara"), Triple("clara", "likes", "tea")]


def test_sentences_that_say_a_fact_of_others_again_are_told_from_those_of_somebody_else() -> None:
    """By a name and by "my brother", in five languages. The sets were written before the rule, one was put aside."""
    sets = yaml.safe_load((Path(__file__).parents[1] / "gold" / "restated_others.yaml").read_text(encoding="utf-8"))
    for name, facts in sets.items():
        found, told, again = 0, [], 0
        for each in facts:
            code, *triple = each["fact"]
            triples, codes = [Triple(*triple), *KIN], [code] * (1 + len(KIN))
            found += len([1 for fact, _ in said_again(triples, codes, each["again"]) if fact == 0])
            told += [each["beside"][turn] for fact, turn in said_again(triples, codes, each["beside"]) if fact == 0]
            again += len(each["again"])
        assert found >= 0.8 * again and not told, name


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "My brother's flat is in Porto"),
        ("de", "Die Wohnung meiner Schwester ist in Porto"),
        ("fr", "La maison de mon frère est à Porto"),
        ("es", "La casa de mi hermano está en Porto"),
        ("it", "La casa di mio fratello è a Porto"),
    ],
)
def test_what_is_said_of_a_relative_is_no_evidence_about_the_user(code: str, text: str) -> None:
    assert not said_again([Triple("you", "lives_in", "porto"), *KIN], [code] * 4, [text])


def test_what_is_said_of_ben_again_raises_the_confidence_of_his_fact() -> None:
    """Though no vector is near: four turns raise it as they raise the user's own."""
    beliefs = [belief("ben", "lives_in", "oslo"), belief("you", "brother", "ben")]
    texts = ["Ben's home is Oslo", "My brother's flat is in Oslo", "Oslo is home to Ben", "Ben has a house in Oslo"]
    turns = [HeardTurn(n, str(n), "s", "user", "user", text, MARCH, states=False) for n, text in enumerate(texts)]
    two, apart = np.eye(2, dtype=np.float32)[[0, 0]], np.tile(np.array([0.5, 0.866], np.float32), (len(texts), 1))
    found = list(supports(beliefs, turns, RULES, vectors=two, turn_vectors=apart, unrelated=0.3))
    assert [(each.fact_id, each.episode_id) for each in found] == [(beliefs[0].fact_id, str(n)) for n in range(4)]
    assert after(night(beliefs[0], supports=found), beliefs[0])["confidence"] == pytest.approx(0.756, abs=0.001)


def test_an_episode_supports_a_fact_once_and_a_pinned_one_does_not_decay() -> None:
    tea = belief("you", "likes", "tea")
    support = [Support(tea.fact_id, "e1", MARCH + timedelta(days=1), 0.8)]
    made = night(tea, supports=support, now=MARCH + timedelta(days=1))
    assert after(made, tea) | {"confidence": 0} == {
        "confidence": 0, "evidence_count": 2, "counted": 2, "last_updated": MARCH + timedelta(days=1)
    }  # fmt: skip
    [link] = [link for unit in made.units for link in unit.links]
    assert (link.link, link.target, link.props["similarity"]) == ("DERIVED_FROM", "e1", 0.8)
    assert not night(replace(tea, pinned=True), now=MARCH + timedelta(days=400)).units


# --- what facts are to each other

# From a word net. Vacation and holiday share their usual sense, and bike shares its second sense with bicycle. Rock
# as music shares no sense with stone.
NET = {"vacation": [1, 2], "holiday": [1, 3], "bicycle": [4], "bike": [5, 4], "rock": [6, 7], "stone": [7, 8]}
NET |= {"autumn": [9], "fall": [9, 10], "jazz": [6, 11], "crossword": [12], "crossword puzzle": [12]}


def senses(fact: Belief) -> SenseKeys:
    return Synonyms(NET, ENGLISH.opposites, ENGLISH.forms).keys(fact.triple.object)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("holidays", "vacations", True),
        ("the bicycle", "bikes", True),
        ("autumn leaves", "fall leaves", True),
        ("crosswords", "crossword puzzles", True),
        ("beach holidays", "city holidays", False),
        ("holidays in spain", "vacations in italy", False),
        ("rocks", "stones", False),  # they share a sense, but it is the first one of neither
        ("autumn leaves", "leaves", False),
        ("tea", "coffee", False),
    ],
)
def test_synonyms_of_a_word_net_are_one_thing(one: str, other: str, same: bool) -> None:
    net = {**NET, "stone": [8, 7]}
    keys = [Synonyms(net, ENGLISH.opposites, ENGLISH.forms).keys(words) for words in (one, other)]
    assert keys[0].meets(keys[1]) == keys[1].meets(keys[0]) == same


def test_synonyms_are_merged_and_contradict_each_other() -> None:
    """They do not if their vectors are so far apart that other senses are meant."""
    likes, again = belief("you", "likes", "vacations"), belief("you", "likes", "holidays")
    for object_cosine, merged in ((0.5, 1), (0.3, 0)):
        made = night(likes, again, cosine=0.7, object_cosine=object_cosine, senses=senses)
        assert made.counts.get("merged", 0) == merged
    hates = belief("you", "dislikes", "holidays")
    assert night(likes, hates, cosine=0.7, object_cosine=0.5, senses=senses).counts["contradictions"] == 1


def test_synonyms_are_found_among_many_facts_of_a_relation() -> None:
    many = [belief("you", "likes", f"thing{n}") for n in range(100)]
    pair = [belief("you", "likes", "vacations"), belief("you", "likes", "holidays")]
    made = plan(
        [*many, *pair], (), (), known=EarlierDecisions(), now=MARCH, since=MARCH,
        comparer=Comparer(RULES, lambda one, other: 0.5, senses),
    )  # fmt: skip
    assert made.counts["merged"] == 1


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("you lives_in porto", "you lives_in ghent", "value"),
        ("you lives_in seattle", "you lives_in seattle-washington", "same"),
        ("you likes tea", "you dislikes tea", "opposite"),
        ("you likes tea", "you dislikes coffee-ice", "apart"),
        ("you is married", "you is single", "opposite"),
        ("you is employed", "you is jobless", "opposite"),
        ("you is sick", "you is ill", "apart"),
        ("you is vegetarian", "you is not-vegetarian", "opposite"),
        ("you is a-nurse", "you is a-father", "apart"),
        ("tom likes tea", "you dislikes tea", "apart"),
        ("you likes movies", "you likes movie", "same"),
        ("you owns car", "you has car", "same"),
        ("you owns red-car", "you owns blue-car", "apart"),
        ("you has 2-cats", "you has 3-cats", "apart"),
        ("you friend_of ann", "you friend_of anne", "apart"),
        ("you dog rex", "you dog max", "apart"),
        ("you likes beach-walks", "you went_to beach-walks", "apart"),
    ],
)
def test_triples_tell_what_facts_are_to_each_other(one: str, other: str, relation: str) -> None:
    pair = [belief(*(part.replace("-", " ") for part in text.split())) for text in (one, other)]
    for a, b in (pair, pair[::-1]):
        found = Comparer(RULES, lambda _, __: 0.5).related(a, b, 0.5)
        assert found is Likeness(relation)


@pytest.mark.parametrize(
    ("one", "other", "object_cosine", "relation"),
    [("films", "movies", 0.3, "same"), ("italian food", "italian cuisine", 0.92, "same"),
     ("red wine", "red grapes", 0.7, "unclear"), ("winter hikes", "summer hikes", 0.95, "apart")],
)  # fmt: skip
def test_near_objects(one: str, other: str, object_cosine: float, relation: str) -> None:
    pair = belief("you", "likes", one), belief("you", "likes", other)
    assert Comparer(RULES, lambda _, __: object_cosine).related(*pair, 0.9) is Likeness(relation)


@pytest.mark.parametrize(
    ("code", "one", "other", "relation"),
    [("en", "a backend developer", "a frontend developer", "unclear"), ("en", "jazz music", "rock music", "unclear"),
     ("en", "front-end developer", "frontend developers", "same"), ("en", "hiking", "hiking trips", "same"),
     ("en", "a developer of games", "a developer for phones", "unclear"),
     ("de", "backend-entwickler", "frontend-entwickler", "unclear"),
     ("de", "backendentwicklerin", "frontendentwickler", "unclear"), ("de", "apfelkuchen", "käsekuchen", "unclear"),
     ("de", "filme", "filmabende", "same"),
     ("es", "desarrollador de backend", "desarrollador de frontend", "unclear"),
     ("fr", "développeur backend", "développeuse frontend", "unclear"),
     ("it", "sviluppatore backend", "sviluppatore frontend", "unclear"),
     ("it", "cibo italiano", "cucina italiana", "same")],
)  # fmt: skip
def test_other_kinds_of_a_thing_are_left_to_the_model(code: str, one: str, other: str, relation: str) -> None:
    """However close their vectors are."""
    first, second = (replace(belief("you", "likes", words), language=code) for words in (one, other))
    assert Comparer(RULES, lambda _, __: 0.99).related(first, second, 0.99) is Likeness(relation)
    denied = replace(belief("you", "dislikes", other), language=code)
    expected = Likeness.OPPOSITE if relation == "same" else Likeness.APART
    assert Comparer(RULES, lambda _, __: 0.99).related(first, denied, 0.99) is expected


@pytest.mark.parametrize(
    ("code", "words"),
    [("en", ("developer", "backend developer", "frontend developer")),
     ("de", ("entwickler", "backend-entwickler", "frontend-entwickler")),
     ("fr", ("développeur", "développeur backend", "développeur frontend")),
     ("es", ("desarrollador", "desarrollador de backend", "desarrollador de frontend")),
     ("it", ("sviluppatore", "sviluppatore backend", "sviluppatore frontend"))],
)  # fmt: skip
def test_what_both_kinds_of_a_thing_are_like_does_not_merge_them(code: str, words: tuple[str, ...]) -> None:
    """Two kinds of a thing with the thing itself between them."""
    facts = [replace(belief("you", "likes", each), language=code) for each in words]
    made = night(*facts, cosine=0.95)
    assert "merged" not in made.counts
    assert made.waiting == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [("en", ("developer", "backend developer", "frontend developer", "backend developers")),
     ("de", ("entwickler", "backend-entwickler", "frontend-entwickler", "backend-entwicklerin")),
     ("fr", ("développeur", "développeur backend", "développeur frontend", "développeurs backend")),
     ("es", ("desarrollador", "desarrollador de backend", "desarrollador de frontend", "desarrolladores de backend")),
     ("it", ("sviluppatore", "sviluppatore backend", "sviluppatore frontend", "sviluppatori backend"))],
)  # fmt: skip
def test_the_same_twice_is_merged_beside_what_is_unclear(code: str, words: tuple[str, ...]) -> None:
    facts = [replace(belief("you", "likes", each), language=code) for each in words]
    made = night(*facts, cosine=0.95)
    assert made.counts["merged"] == 1
    assert made.waiting == 1


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [("es", "soltero", "casado"), ("fr", "marié", "célibataire"), ("de", "ledig", "verheiratet"),
     ("it", "sposato", "divorziato")],
)  # fmt: skip
def test_antonyms_of_other_languages(code: str, one: str, other: str) -> None:
    pair = [replace(belief("you", "is", word), language=code) for word in (one, other)]
    assert Comparer(RULES, lambda _, __: 0.0).related(pair[0], pair[1], 0.0) is Likeness.OPPOSITE


# --- contradictions


def test_a_change_of_mind_replaces_and_keeps_the_evidence() -> None:
    old, new = belief("you", "likes", "tea"), belief("you", "dislikes", "tea", said=90_000.0)
    made = night(old, new)
    assert after(made, old) == {"status": "archived"} and not after(made, new)
    assert [(x.link, x.source, x.target) for u in made.units for x in u.links] == [
        ("CONTRADICTS", new.fact_id, old.fact_id)
    ]


def test_a_contradiction_halves_both_once_and_a_person_is_never_overruled() -> None:
    one, other = belief("you", "is", "married"), belief("you", "is", "single")
    made = night(one, other)
    assert after(made, one) == after(made, other) == {"confidence": 0.35, "flagged": True}
    pair = min(one.fact_id, other.fact_id), max(one.fact_id, other.fact_id)
    assert not night(one, other, known=EarlierDecisions(contradictions={pair: "open"})).units
    kept = replace(one, pinned=True)
    assert "confidence" not in after(night(kept, other), kept)
    newer = belief("you", "is", "single", said=1e6)
    assert after(night(kept, newer), newer) == {"status": "archived"}


def test_unrelated_facts_never_retire_each_other() -> None:
    """Their vectors do not matter."""
    words = [("you", "likes", "tea"), ("tom", "likes", "tea"), ("you", "works_at", "bmw"), ("tom", "works_at", "vw"),
             ("you", "dog", "rex"), ("you", "dog", "max"),
             ("you", "has", "two cats"), ("you", "has", "three cats")]  # fmt: skip
    facts = [belief(*triple, said=float(n * 1e6)) for n, triple in enumerate(words)]
    assert not night(*facts, cosine=0.99).units


# --- merging

objects = st.sampled_from(["movies", "movie", "the movies", "films", "cinema films", "tea", "green tea", "jazz"])
facts_of_you = st.lists(
    st.tuples(objects, st.floats(0.31, 1), st.integers(1, 9), st.integers(0, 10**6)),
    unique_by=lambda fact: fact[0], min_size=1, max_size=8,
)  # fmt: skip


@given(facts_of_you, st.randoms(use_true_random=False))
def test_any_order_merges_alike_and_evidence_is_conserved(
    made: list[tuple[str, float, int, int]], shuffled: random.Random
) -> None:
    beliefs = [
        belief("you", "likes", o, confidence=c, evidence_count=n, counted=n, said=float(s)) for o, c, n, s in made
    ]
    first = night(*beliefs)
    shuffled.shuffle(beliefs)
    assert night(*beliefs) == first
    will = {fact.fact_id: fact for fact in beliefs} | {
        c.fact_id: replace(next(b for b in beliefs if b.fact_id == c.fact_id), **c.after)
        for u in first.units for c in u.changes
    }  # fmt: skip
    assert set(will) == {fact.fact_id for fact in beliefs}
    standing = [fact for fact in will.values() if fact.status == "active"]
    assert sum(fact.evidence_count for fact in standing) == sum(fact.evidence_count for fact in beliefs)
    assert all(0 <= fact.confidence <= 1 for fact in will.values())


def test_evidence_is_handed_over_once() -> None:
    """A fact that was merged and is said again gives only what is new."""
    loser, best = belief("you", "likes", "movie", evidence_count=3, counted=3), belief("you", "likes", "movies")
    best = replace(best, evidence_count=5, counted=5, confidence=0.9)
    made = night(loser, best, known=EarlierDecisions(given={(loser.fact_id, best.fact_id): 2}))
    assert after(made, best)["evidence_count"] == 6
    [link] = [x for u in made.units for x in u.links]
    assert (link.props["evidence"], link.before) == (3, {"evidence": 2})


def test_evidence_that_comes_back_is_not_counted_twice() -> None:
    """The loser of an earlier night is said again and wins."""
    first = belief("you", "likes", "movies", evidence_count=2, counted=2, confidence=0.65)
    again = belief("you", "likes", "movie", evidence_count=2, counted=2, confidence=0.72)
    made = night(first, again, known=EarlierDecisions(given={(again.fact_id, first.fact_id): 1}))
    assert after(made, again)["evidence_count"] == 3


def test_the_unclear_is_asked_in_one_call_and_a_failure_leaves_it() -> None:
    facts = [belief("you", "likes", f"red {thing}") for thing in ("wine", "grapes", "plums")]
    asked: list[int] = []

    def judge(clusters) -> dict[int, Verdict]:
        asked.append(len(clusters))
        return {0: Verdict(cluster=1, decision="MERGE"), 1: Verdict(cluster=2, decision="KEEP_BOTH")}

    def broken(clusters) -> dict[int, Verdict]:
        raise ModelUnavailable("away")

    made = night(*facts, object_cosine=0.5, judge=judge)
    assert (asked, made.counts["merged"], made.waiting) == ([3], 1, 1)
    left = night(*facts, object_cosine=0.5, judge=broken)
    assert (left.units, left.waiting, len(left.problems)) == ((), 3, 1)
    pair = sorted(fact.fact_id for fact in facts[:2])
    known = EarlierDecisions(distinct=frozenset([(pair[0], pair[1])]))
    assert night(*facts[:2], object_cosine=0.5, known=known, judge=judge).waiting == 0


@pytest.mark.parametrize(("stands", "confidence"), [(1, 0.7), (2, None)])
def test_a_model_resolves_an_open_contradiction(stands: int, confidence: float | None) -> None:
    pair = sorted((belief("you", "is", "married"), belief("you", "is", "single")), key=lambda fact: fact.fact_id)
    halved = [replace(fact, confidence=0.35, flagged=True) for fact in pair]

    def judge(clusters) -> dict[int, Verdict]:
        return {0: Verdict(cluster=1, decision="CONTRADICTION", stands=stands)}

    known = EarlierDecisions(contradictions={(pair[0].fact_id, pair[1].fact_id): "open"})
    made = night(*halved, known=known, judge=judge)
    assert after(made, pair[0]).get("confidence") == confidence
    assert after(made, pair[2 - stands])["status"] == "archived"
    # What a model decided is not reported as decided by rules.
    assert "replaced" not in made.counts and made.counts["settled by the model"] == 1
    assert any("the model decided" in reason for reason in made.reasons)


def test_replies_without_sense_decide_nothing() -> None:
    clusters = [[belief("you", "likes", "tea"), belief("you", "likes", "teas")]]
    wild = [Verdict(cluster=7, decision="MERGE"), Verdict(cluster=1, decision="CONTRADICTION", stands=9)]
    assert not sensible(Verdicts(decisions=wild), clusters)
    twice = [Verdict(cluster=1, decision="MERGE"), Verdict(cluster=1, decision="KEEP_BOTH")]
    assert not sensible(Verdicts(decisions=twice), clusters)


@pytest.mark.parametrize(("relation", "after_a_year"), [("name", 0.69), ("sister", 0.69), ("likes", 0.018)])
def test_who_somebody_is_hardly_fades(relation: str, after_a_year: float) -> None:
    later = decayed(belief("you", relation, "ada"), MARCH + timedelta(days=365))
    assert later.confidence == pytest.approx(after_a_year, abs=0.01)


def test_every_relation_of_identity_and_family_is_believed_for_a_year() -> None:
    """Moods and wishes aside, somebody who was said to be vegetarian or a girlfriend is so a year later."""
    lasting = [each for each in relation_names() if relation_kind(each).category in ("identity", "family")]
    fading = [each for each in lasting if RULES.stated * share_kept(each, 365) < RULES.deprecated_under]
    assert lasting and not fading


def test_an_age_is_believed_for_a_year() -> None:
    """Then it is another number."""
    years = replace(belief("you", "age", "34"), confidence=RULES.stated)
    for days, is_believed in ((365, True), (367, False)):
        now = MARCH + timedelta(days=days)
        assert (after(night(years, now=now), years).get("status") != "deprecated") is is_believed


def test_a_fact_that_is_asked_for_does_not_fade_and_gains_nothing() -> None:
    """Thirty days long, by one run or by many."""
    asked = replace(belief("you", "likes", "tea"), asked_at=MARCH + timedelta(days=10))
    end = MARCH + timedelta(days=60)
    once = decayed(asked, end)
    nightly = asked
    for day in range(61):
        nightly = decayed(nightly, MARCH + timedelta(days=day))
    assert once.confidence == pytest.approx(0.7 * math.exp(-0.01 * 30)) == pytest.approx(nightly.confidence)
    assert (once.evidence_count, once.last_updated) == (asked.evidence_count, asked.last_updated)
    monthly = belief("you", "likes", "tea")
    for month in range(1, 12):
        asked_at = MARCH + timedelta(days=30 * month)
        monthly = decayed(replace(monthly, asked_at=asked_at), asked_at + timedelta(days=29))
    assert monthly.confidence == pytest.approx(0.7 * math.exp(-0.01 * 30))
