"""Which results are left out: those that state what is asked of somebody else, or what a later one renews."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.ports import FactAsked, MemoryCandidate
from amr_neo4j.domain.recall import Recalled, TurnCitation
from amr_neo4j.facts.query_filter import QueryFilter, QueryWords
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.language.topics import kin_named, topics_asked

NOW = datetime(2026, 3, 1, tzinfo=UTC)
EN = ENGLISH.bullets
PERSONS = {"son", "karim", "paula"}


def asked(query: str) -> QueryFilter:
    words = QueryWords.of(query, ENGLISH, {"user"})
    of_user = "user" in ENGLISH.words_of(query)
    return QueryFilter(query, words, EN.asking, PERSONS, "anna", of_user)


class Home(FactAsked):
    """The home of these people; of the user if there are none."""

    def __init__(self, *whose: str) -> None:
        self._whose = frozenset(whose)

    @property
    def whose(self) -> frozenset[str]:
        return self._whose

    @property
    def relations(self) -> tuple[str, ...]:
        return ("lives_in",)


def turn(text: str, day: int = 0, *, actor: str = "user") -> MemoryCandidate:
    at = NOW + timedelta(days=day)
    said = TurnCitation(-1 - day, f"ep_{day}", "s", day, f"turn_{day}", actor, at)
    return MemoryCandidate(Recalled("turn", f"{actor}: {text}", 0.7, at, said), 0.5)


def fact(text: str, triple: str, day: int = 0) -> MemoryCandidate:
    of_turn = turn("", day).found
    parts = Triple(*triple.split(" ", 2))
    return MemoryCandidate(Recalled("fact", text, 0.7, of_turn.timestamp, of_turn.source, 0.0, parts), 0.5)


@pytest.mark.parametrize(
    ("query", "text", "of_another"),
    [
        ("Which instrument does the user play?", "My son Karim plays the cello.", True),
        ("Which bones did the user break?", "Paula broke her wrist in March.", True),
        ("Which instrument does the user play?", "My son Karim and I play the cello.", False),
        ("Which instrument does the user play?", "Karim plays the cello. I play the harp.", False),
        ("Which instrument does the user play?", "My son is tall.", False),  # says nothing of what is asked for
        ("When does the user leave?", "The train leaves at seven.", False),  # nobody's
        ("Which instrument does Karim play?", "My son Karim plays the cello.", False),
    ],
)
def test_what_somebody_else_does_is_not_the_users(query: str, text: str, *, of_another: bool) -> None:
    assert asked(query).are_of_another(turn(text).found) is of_another


def test_what_somebody_else_says_is_not_judged() -> None:
    assert not asked("Which bones did the user break?").are_of_another(turn("Paula broke a leg.", actor="Ben").found)


BEN = Home("ben", "brother")


@pytest.mark.parametrize(
    ("text", "of_another"),
    [
        ("I live in Paris.", True),
        ("My son Karim lives in Rome.", True),
        ("Ben lives in Oslo.", False),
        ("My brother and I live in Oslo.", False),
        ("The train leaves at seven.", False),  # nobody's
    ],
)
def test_what_is_asked_of_somebody_is_not_told_by_what_the_user_or_others_do(text: str, *, of_another: bool) -> None:
    for query in ("Where does my brother live?", "Where does Ben live?"):
        assert replace(asked(query), fact=BEN).are_of_another(turn(text).found) is of_another


@pytest.mark.parametrize(
    ("code", "query", "may_be_of_ben", "of_user"),
    [
        ("en", "gift for Ben", "I bought him a scarf as a gift.", "I bought a scarf as a gift."),
        ("en", "When did Ben visit?", "I had a visit from him in May.", "I had a visit from the plumber in May."),
        ("en", "dinner with Ben", "We are having dinner on Friday.", "I have dinner on Friday."),
        (
            "de",
            "Geschenk für Ben",
            "Ich habe ihm einen Schal als Geschenk gekauft.",
            "Ich habe ein Geschenk gekauft.",
        ),
        ("de", "Abendessen mit Ben", "Wir planen ein Abendessen.", "Ich plane ein Abendessen."),
        ("fr", "cadeau pour Ben", "Je lui ai acheté un cadeau.", "Je veux un cadeau."),
        ("fr", "dîner avec Ben", "Nous avons un dîner vendredi.", "Je prépare un dîner."),
        ("es", "cumpleaños de Ben", "Yo fui a su cumpleaños.", "Yo fui a un cumpleaños."),
        ("es", "la cena con Ben", "Nosotros tenemos una cena.", "Yo tengo una cena."),
        ("it", "compleanno di Ben", "Io vado al suo compleanno.", "Io vado a un compleanno."),
        ("it", "cena con Ben", "Noi abbiamo una cena.", "Io ho una cena."),
    ],
)
def test_who_may_be_meant_by_a_pronoun_is_not_left_out(
    code: str, query: str, may_be_of_ben: str, of_user: str
) -> None:
    spoken = language(code)
    words = QueryWords.of(query, spoken, {*spoken.bullets.function_words})
    filter_of = QueryFilter(
        query, words, spoken.bullets.asking, PERSONS, "anna", asks_of_user=False, code=code, fact=BEN
    )
    assert [filter_of.are_of_another(turn(text).found) for text in (may_be_of_ben, of_user)] == [False, True]


@pytest.mark.parametrize(
    ("text", "triple", "of_another", "gains"),
    [
        ("You live in Paris", "you lives_in paris", True, False),
        ("Karim lives in Rome", "karim lives_in rome", True, False),
        ("Ben lives in Oslo", "ben lives_in oslo", False, True),
        ("Ben likes tea", "ben likes tea", False, False),
        ("Your brother is Ben", "you brother ben", False, True),
        ("The train leaves at seven", "train time seven", False, False),
    ],
)
def test_facts_of_whom_is_asked_gain_and_others_are_left_out(
    text: str, triple: str, *, of_another: bool, gains: bool
) -> None:
    query = "Where does my brother live?"
    filter_of = replace(asked(query), fact=BEN, kin=kin_named(query, "en"))
    found = fact(text, triple).found
    assert (filter_of.are_of_another(found), filter_of.is_of_topic(found)) == (of_another, gains)


def test_facts_of_others_are_left_out_where_the_user_is_asked_about() -> None:
    filter_of = replace(asked("Where does the user live?"), fact=Home())
    found = [
        fact("Karim lives in Rome", "karim lives_in rome").found,
        fact("You live here", "you lives_in here").found,
    ]
    assert [filter_of.are_of_another(each) for each in found] == [True, False]
    assert not filter_of.are_of_another(fact("Karim likes tea", "karim likes tea").found), "that is not asked for"


@pytest.mark.parametrize(
    ("code", "query", "of_it", "not_of_it"),
    [
        ("en", "user's hobbies", "I sing in a choir", "My fridge is broken"),
        ("en", "user's family", "my mother-in-law is visiting", "My boss is ill"),
        ("en", "the job of the user's spouse", "my wife is a baker", "I am a baker by profession"),
        ("es", "problemas de salud del usuario", "el jueves tengo dentista", "el coche no arranca"),
        ("fr", "famille de l'utilisatrice", "ma belle-sœur est pilote", "mon chef est pilote"),
        ("de", "Reisepläne", "im Juli fliegen wir nach Oslo", "ich habe Asthma"),
        ("en", "the user's home", "We live in Paris", "I like tea"),
        ("de", "das Zuhause des Nutzers", "ich wohne in Ulm", "ich mag Tee"),
        ("fr", "le logement de l'utilisatrice", "j'habite à Lyon", "j'aime le thé"),
        ("es", "la casa del usuario", "vivo en Vigo", "me gusta el té"),
        ("it", "la casa dell'utente", "abitiamo a Lecce", "mi piace il tè"),
        ("it", "animali dell'utente", "la nostra tartaruga dorme", "mio fratello dorme"),
    ],
)
def test_a_query_for_a_topic_finds_what_is_of_it(code: str, query: str, of_it: str, not_of_it: str) -> None:
    filter_of = replace(asked(query), topics=topics_asked(query, code), kin=kin_named(query, code), code=code)
    assert filter_of.is_of_topic(turn(of_it).found)
    assert not filter_of.is_of_topic(turn(not_of_it).found)
    assert not filter_of.is_of_topic(turn(of_it, actor="assistant").found), "a program's words are of no topic"


def test_facts_of_a_category_are_of_the_topic_with_its_name() -> None:
    work = replace(asked("user's work projects"), topics=frozenset({"work"}))
    assert work.is_of_topic(fact("You are at BMW", "you works_at bmw").found)
    assert not work.is_of_topic(fact("You live in Rome", "you lives_in rome").found)


@pytest.mark.parametrize(
    ("query", "older", "newer", "renewed"),
    [
        ("Who is the user's boss?", "My boss is Mr Tanaka.", "My new boss is Ms Dubois.", True),
        ("When is the meeting?", "The meeting is on Thursday.", "The meeting moved to Friday.", True),
        ("Who is the user's boss?", "My boss is Mr Tanaka.", "My boss sings.", False),  # nothing is new
        ("Who is the user's boss?", "My boss is Mr Tanaka.", "My boss sings. I have a new bike.", False),
        ("Where did the user's boss live?", "My boss lived in Porto.", "My boss lives in Ghent now.", False),
        ("When does the boss meet us?", "We meet the boss on Monday.", "My new boss is Ms Dubois.", False),
    ],
)
def test_what_a_later_turn_renews_does_not_stand(query: str, older: str, newer: str, *, renewed: bool) -> None:
    found = [turn(older, 0), turn(newer, 1)]
    assert asked(query).standing(found) == (found[1:] if renewed else found)
    first = [turn(newer, 0), turn(older, 1)]  # what is said later stands
    assert asked(query).standing(first) == first


def test_a_fact_is_renewed_as_a_turn_is() -> None:
    found = [fact("Your boss is Mr Tanaka", "you boss mr tanaka"), turn("My new boss is Ms Dubois.", 1)]
    assert asked("Who is the user's boss?").standing(found) == found[1:]


def test_that_there_is_a_thing_goes_without_saying_beside_the_turn() -> None:
    key = fact("You have spare key", "you has spare key")
    said, other = turn("The spare key is under the pot.", 0), turn("I lost a key.", 1)
    assert asked("Where is the spare key?").standing([key, said]) == [said]
    assert asked("Where is the spare key?").standing([key, other]) == [key, other]
