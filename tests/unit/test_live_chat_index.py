"""The facts in memory: replaced, taken back, reinforced; and the choice among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.app.chatting import about_facts
from amr_neo4j.domain.episode import SaidTurn
from amr_neo4j.domain.fact import FactChange, Intent, KnownFact, Triple
from amr_neo4j.domain.hot_options import HotOptions, Weights
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.question_words import question_words
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.inject import InjectItem, of_window
from amr_neo4j.live_chat.retrieve import Asked, Chosen, Hint, choose, with_opposed, without_lone_sides

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
EN = ENGLISH.bullets
ASKING = question_words("en")
HOME, OLD_HOME = Triple("you", "lives_in", "ghent"), Triple("you", "lives_in", "porto")
WORK, TEA = Triple("you", "works_at", "bmw"), Triple("you", "likes", "green tea")


def stated(triple: Triple, ago: float = 0.0, *, session: str = "s", confidence: float = 0.7) -> FactChange:
    said = (NOW - timedelta(days=ago)).timestamp()
    return FactChange(triple, said, EN.bullet(triple), confidence, session_id=session, language="en")


def index_of(*changes: FactChange) -> HotIndex:
    index = HotIndex()
    index.apply(changes)
    return index


def triples(index: HotIndex) -> set[Triple]:
    return {fact.triple for fact in index.facts()}


def asked(text: str, intent: Intent = Intent.PURE_QUESTION, number: int = 0, *entities: str) -> Asked:
    turn = Asked(text, "en", intent, "s", NOW, number, entities or ("you",))
    return replace(turn, questions=[about_facts("lena", text, "en")]) if intent is Intent.PURE_QUESTION else turn


def asked_of(text: str, code: str) -> Asked:
    """Return a question of the user in a language."""
    return replace(asked(text), language=code, questions=[about_facts("lena", text, code)])


def chosen(
    index: HotIndex, turn: Asked, options: HotOptions | None = None, injected: dict[Triple, int] | None = None
) -> list[Triple]:
    return [hint.triple for hint in found(index, turn, options, injected).hints]


def found(
    index: HotIndex, turn: Asked, options: HotOptions | None = None, injected: dict[Triple, int] | None = None
) -> Chosen:
    return choose(turn, index, ASKING, options or HotOptions(), injected or {})


class TestIndex:
    def test_a_new_value_replaces_the_old_one(self) -> None:
        assert triples(index_of(stated(OLD_HOME, 2), stated(HOME, 1))) == {HOME}

    def test_an_older_statement_that_comes_later_does_not(self) -> None:
        assert triples(index_of(stated(HOME, 1), stated(OLD_HOME, 2))) == {HOME}

    def test_likes_stand_side_by_side(self) -> None:
        assert len(triples(index_of(stated(TEA), stated(Triple("you", "likes", "jazz"))))) == 2

    def test_a_fact_is_taken_back(self) -> None:
        back = replace(stated(TEA), retracted=True)
        assert not triples(index_of(stated(TEA, 1), back))
        assert not triples(index_of(back, stated(TEA, 1)))  # in whatever order
        assert triples(index_of(back, replace(stated(TEA), said=back.said + 1)))  # and stated again

    @pytest.mark.parametrize(
        ("relation", "believed", "said", "stay"),
        [
            ("works_at", ["lindqvist shipping"], "lindqvist", []),
            ("works_at", ["lindqvist"], "lindqvist shipping", []),
            ("works_at", ["lindqvistson"], "lindqvist", ["lindqvistson"]),
            ("owns", ["red bike"], "bike", []),
            ("owns", ["red bike", "bike"], "bike", ["red bike"]),
            ("owns", ["red bike", "blue bike"], "bike", ["red bike", "blue bike"]),
            ("likes", ["coffee"], "coffee at night", ["coffee"]),
        ],
    )
    def test_what_is_taken_back_may_have_a_shorter_or_longer_name(
        self, relation: str, believed: list[str], said: str, stay: list[str]
    ) -> None:
        index = index_of(*(stated(Triple("you", relation, each), 1) for each in believed))
        index.apply([replace(stated(Triple("you", relation, said)), retracted=True)])
        assert {triple.object for triple in triples(index)} == set(stay)

    def test_all_of_a_relation_is_taken_back(self) -> None:
        jazz = Triple("you", "likes", "jazz")
        index = index_of(stated(TEA, 1), stated(jazz, 1), stated(WORK, 1))
        index.apply([replace(stated(Triple("you", "likes", "")), retracted=True)])
        assert triples(index) == {WORK}

    def test_each_statement_adds_weight(self) -> None:
        index = index_of(*[stated(TEA)] * 3)
        assert index.by_triple[TEA].weight == pytest.approx(1 - 0.3 * 0.7**2)

    def test_what_the_graph_says_is_taken_over_unless_something_later_is_known(self) -> None:
        index = index_of(stated(OLD_HOME, 2), stated(TEA))
        home = KnownFact(HOME, "You live in Ghent", 0.8, NOW.timestamp(), "t", "en")
        tea = KnownFact(TEA, "", 0.5, (NOW - timedelta(days=1)).timestamp(), "t", "en")
        index.merge([home], [tea])
        assert triples(index) == {HOME, TEA}
        index.merge([], [home])
        assert triples(index) == {TEA}

    def test_what_is_said_later_neither_replaces_nor_takes_back_what_is_pinned(self) -> None:
        pinned = KnownFact(OLD_HOME, "You live in Porto", 0.8, NOW.timestamp() - 9, "t", "en", pinned=True)
        index = index_of(stated(WORK))
        index.load([pinned])
        index.apply([stated(HOME), replace(stated(OLD_HOME), retracted=True)])
        assert triples(index) == {OLD_HOME, WORK}
        index.merge([replace(pinned, pinned=False)], [])
        index.apply([stated(HOME)])
        assert triples(index) == {HOME, WORK}

    def test_what_another_process_pins_drops_a_later_value(self) -> None:
        index = index_of(stated(HOME))
        index.merge([KnownFact(OLD_HOME, "", 0.8, NOW.timestamp() - 9, "t", "en", pinned=True)], [])
        assert triples(index) == {OLD_HOME}

    def test_forgetting_by_subject_relation_or_object(self) -> None:
        index = index_of(stated(TEA), stated(HOME), stated(WORK))
        assert index.remove("you", "likes", "green tea") == [TEA]
        assert index.remove("you", "lives_in") == [HOME]
        assert index.remove("you") == [WORK]
        assert not index.entity_index
        assert not index.slots

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.booleans()), max_size=12))
    def test_one_value_at_a_time(self, steps: list[tuple[str, int, bool]]) -> None:
        """A single-valued relation never has two values, and no word leads to a fact that is gone."""
        index = HotIndex()
        for place, when, back in steps:
            change = replace(stated(Triple("you", "lives_in", place)), said=float(when), retracted=back)
            index.apply([change])
            assert len(index) <= 1
            assert {t for facts in index.entity_index.values() for t in facts} == set(index.by_triple)

    @given(st.permutations(range(5)))
    def test_the_order_of_arrival_does_not_matter(self, order: list[int]) -> None:
        """The value that was stated last is believed, whatever came in first."""
        changes = [replace(stated(Triple("you", "lives_in", str(n))), said=float(n)) for n in range(5)]
        assert triples(index_of(*(changes[n] for n in order))) == {Triple("you", "lives_in", "4")}


class TestChoice:
    def test_a_question_gets_what_it_asks_for(self) -> None:
        index = index_of(stated(HOME), stated(WORK), stated(TEA))
        assert chosen(index, asked("Where do I live?"))[0] == HOME
        assert chosen(index, asked("What company do I work for?"))[0] == WORK

    def test_a_person_is_found_by_name(self) -> None:
        tom = Triple("tom", "works_at", "siemens")
        index = index_of(stated(HOME), stated(tom))
        assert chosen(index, asked("What is Tom doing?", Intent.PURE_QUESTION, 0, "tom"))[0] == tom

    def test_a_reaction_gets_nothing(self) -> None:
        index = index_of(stated(HOME), stated(WORK))
        assert found(index, asked("haha nice", Intent.REACTION)) == Chosen((), 2, gated=True)

    def test_a_statement_gets_up_to_five_of_different_relations(self) -> None:
        others = [Triple("you", "likes", f"thing {n}") for n in range(8)]
        kinds = ["lives_in", "works_at", "born_in", "moved_from", "participated_in", "friend_of", "name"]
        named = [Triple("you", kind, f"object {n}") for n, kind in enumerate(kinds)]
        index = index_of(*map(stated, others + named))
        options = HotOptions(weights=Weights(1, 0, 0, 0))
        got = chosen(index, asked("I am off to bed.", Intent.FACT_STATEMENT), options)
        assert 2 <= len(got) <= 5
        assert len({t.relation for t in got}) == len(got)

    def test_a_second_fact_of_a_relation_is_of_another_subject_where_there_is_one(self) -> None:
        """Two likes of Maria's and one of Tom's fit equally well. The two that are shown are one of each."""
        likes = [
            Triple("maria", "likes", "tea"),
            Triple("maria", "likes", "tea cakes"),
            Triple("tom", "likes", "tea"),
        ]
        index = index_of(*(stated(triple, n) for n, triple in enumerate(likes)))
        shown = chosen(index, asked("I made tea for Maria and Tom", Intent.FACT_STATEMENT, 0, "maria", "tom", "tea"))
        assert [triple.subject for triple in shown] == ["maria", "tom"]

    def test_the_boost_of_full_text_prefers_the_rarer_word(self) -> None:
        """Two facts have one word of the turn each. The one whose word fewer facts have scores higher."""
        many = [stated(Triple("you", "owns", f"red thing {n}"), 1) for n in range(9)]
        index = index_of(*many, stated(Triple("you", "likes", "lobster"), 1))
        turn = asked("red lobster", Intent.FACT_STATEMENT)

        def scores(boost: float) -> dict[str, float]:
            hints = found(index, turn, HotOptions(full_text_boost=boost, weights=Weights(0, 0, 1, 0))).hints
            return {hint.triple.relation: hint.score for hint in hints}

        assert scores(0.0)["likes"] == pytest.approx(scores(0.0)["owns"])
        assert scores(0.1)["likes"] == pytest.approx(scores(0.0)["likes"] + 0.1)
        assert scores(0.1)["owns"] < scores(0.1)["likes"]

    def test_a_fact_is_not_shown_again_within_three_turns_unless_asked_for(self) -> None:
        index = index_of(stated(HOME), stated(WORK))
        states = asked("Today I feel fine.", Intent.FACT_STATEMENT, 4)
        assert HOME in chosen(index, states)
        assert HOME not in chosen(index, states, None, {HOME: 1})
        assert HOME in chosen(index, states, None, {HOME: 0})
        assert HOME in chosen(index, asked("Where do I live?", number=4), None, {HOME: 3})

    def test_what_the_turn_states_itself_is_left_out(self) -> None:
        turn = replace(asked("I live in Ghent.", Intent.FACT_STATEMENT), stated={HOME})
        assert HOME not in chosen(index_of(stated(HOME)), turn)

    def test_a_fact_of_a_relation_with_a_time_limit_expires(self) -> None:
        meeting = Triple("meeting", "time", "5 pm")
        index = index_of(stated(meeting, 3))
        turn = asked("When is the meeting?", Intent.PURE_QUESTION, 0, "meeting")
        assert chosen(index, turn, HotOptions(weights=Weights(0, 0, 1, 0)))
        assert not chosen(index, turn, HotOptions(weights=Weights(0, 0, 1, 0), ttl_days={"time": 2}))

    def test_recent_facts_and_those_of_this_session_come_first(self) -> None:
        options = HotOptions(weights=Weights(0, 1, 0, 0))
        a, b = Triple("you", "likes", "tea"), Triple("you", "owns", "tea")
        turn = asked("tea", Intent.FACT_STATEMENT, 0, "tea")
        scores = {
            h.triple: h.score
            for h in found(index_of(stated(a, 0.3), stated(b, 0.3, session="t")), turn, options).hints
        }
        assert scores[a] == pytest.approx(1.2 * scores[b])
        scores = {h.triple: h.score for h in found(index_of(stated(a, 0.5), stated(b, 0.1)), turn, options).hints}
        assert scores[b] > scores[a]

    def test_it_never_returns_more_than_allowed(self) -> None:
        index = index_of(*(stated(Triple("you", f"favorite_{n}", "tea")) for n in range(30)))
        got = chosen(index, asked("tea", Intent.MULTIPLE_FACTS, 0, "tea"), HotOptions(bullets_max=3))
        assert len(got) == 3


class TestWhoseFact:
    """Each of a family has a home, and is asked for theirs alone."""

    FAMILY = (
        Triple("you", "sister", "anna"),
        Triple("you", "brother", "ben"),
        Triple("you", "lives_in", "paris"),
        Triple("anna", "lives_in", "lyon"),
        Triple("ben", "lives_in", "oslo"),
        Triple("anna", "likes", "tea"),
    )

    @pytest.mark.parametrize(
        ("code", "questions"),
        [
            (
                "en",
                [
                    "Where do I live?",
                    "Where does my brother live?",
                    "Can you tell me where Ben lives now?",
                    "Where does my mother live?",
                    "Where do penguins live?",
                ],
            ),
            (
                "de",
                [
                    "Wo wohne ich?",
                    "Wo wohnt mein Bruder?",
                    "Weißt du noch, wo Ben wohnt?",
                    "Wo wohnt meine Mutter?",
                    "Wo leben Pinguine?",
                ],
            ),
            (
                "fr",
                [
                    "Où est-ce que j'habite ?",
                    "Où habite mon frère ?",
                    "Tu te souviens où habite Ben ?",
                    "Où habite ma mère ?",
                    "Où vivent les pingouins ?",
                ],
            ),
            (
                "es",
                [
                    "¿Dónde vivo?",
                    "¿Dónde vive mi hermano?",
                    "¿Sabes dónde vive Ben ahora?",
                    "¿Dónde vive mi madre?",
                    "¿Dónde viven los pingüinos?",
                ],
            ),
            (
                "it",
                [
                    "Dove vivo?",
                    "Dove vive mio fratello?",
                    "Puoi dirmi dove vive Ben?",
                    "Dove vive mia madre?",
                    "Dove vivono i pinguini?",
                ],
            ),
        ],
    )
    def test_only_facts_of_the_subject_asked_for_are_hints(self, code: str, questions: list[str]) -> None:
        index = index_of(*map(stated, self.FAMILY))
        homes = [("you", "paris"), ("ben", "oslo"), ("ben", "oslo"), None, None]
        for question, home in zip(questions, homes, strict=True):
            expected = [Triple(home[0], "lives_in", home[1])] if home else []
            assert chosen(index, asked_of(question, code)) == expected, question

    @pytest.mark.parametrize(
        ("code", "question"),
        [
            ("en", "Tell me what I like"),
            ("de", "Sag mir, was ich mag"),
            ("fr", "Dis-moi ce que j'aime"),
            ("es", "Dime lo que me gusta"),
            ("it", "Dimmi cosa mi piace"),
        ],
    )
    def test_all_that_is_liked_is_given_the_most_certain_and_newest_first(self, code: str, question: str) -> None:
        old, new, sure = (Triple("you", "likes", each) for each in ("jazz", "chess", "hiking"))
        index = index_of(*map(stated, self.FAMILY), stated(old, 3), stated(new, 1), stated(sure, 5, confidence=0.9))
        assert chosen(index, asked_of(question, code)) == [sure, new, old]

    def test_the_main_job_answers_and_not_a_later_one_beside_it(self) -> None:
        beside = replace(stated(Triple("you", "works_at", "bakery")), strength="beside")
        assert chosen(index_of(stated(WORK, 3), beside), asked_of("Where do I work?", "en")) == [WORK]

    @pytest.mark.parametrize("question", ["And my sister?", "Anna?", "What do you know about Anna?"])
    def test_a_question_that_only_names_somebody_gets_what_is_known_of_them(self, question: str) -> None:
        index = index_of(*map(stated, self.FAMILY))
        assert {triple.object for triple in chosen(index, asked_of(question, "en"))} == {"anna", "lyon", "tea"}

    @pytest.mark.parametrize(
        ("code", "question"),
        [
            ("en", "And the olives?"),
            ("de", "Mag ich Olives?"),
            ("fr", "Est-ce que j'aime les olives ?"),
            ("es", "¿Me gustan las olives?"),
            ("it", "E le olives?"),
        ],
    )
    def test_of_many_facts_of_the_user_only_those_with_the_thing_named_are_read(
        self, code: str, question: str
    ) -> None:
        liked = [Triple("you", "likes", f"thing {number}") for number in range(20)]
        olives, sister = Triple("you", "likes", "olives"), Triple("you", "sister", "anna")
        index = index_of(*map(stated, [*liked, olives, sister]))
        naming = about_facts("lena", question, code).object_words
        assert [fact.triple for fact in index.about(["you"], ["likes", "sister"], naming=naming)] == [olives]
        assert len(index.about(["you"], ["likes", "sister"])) == len(liked) + 2

    @pytest.mark.parametrize(
        ("code", "question"),
        [
            ("en", "Who lives in Lyon?"),
            ("de", "Wer wohnt in Lyon?"),
            ("fr", "Qui habite à Lyon ?"),
            ("es", "¿Quién vive en Lyon?"),
            ("it", "Chi abita a Lyon?"),
        ],
    )
    def test_who_has_a_fact_is_a_hint(self, code: str, question: str) -> None:
        index = index_of(stated(Triple("anna", "lives_in", "lyon")), stated(Triple("you", "lives_in", "rome")))
        assert [each.subject for each in chosen(index, asked_of(question, code))] == ["anna"]


def test_both_sides_of_an_open_contradiction_are_hints_the_newest_first() -> None:
    """Whichever of them the turn asks for. Doubt also ranks a fact behind others."""
    married, single = Triple("you", "is", "married"), Triple("you", "is", "single")
    said = NOW.timestamp()
    known = [
        KnownFact(married, "You are married", 0.7, said - 60, confidence=0.35, opposed=(single,)),
        KnownFact(single, "You are single", 0.7, said - 30, confidence=0.35, opposed=(married,)),
        KnownFact(Triple("you", "likes", "jazz"), "You like jazz", 0.7, said - 5, confidence=0.35),
        KnownFact(TEA, "You like green tea", 0.7, said - 90),
    ]
    index = HotIndex()
    index.load(known)
    assert chosen(index, asked("Am I married?")) == [single, married]
    assert chosen(index, asked("What do I like?")) == [TEA, Triple("you", "likes", "jazz")]
    index.merge([replace(known[1], confidence=0.7, opposed=())], [known[0]])
    assert chosen(index, asked("Am I single?")) == [single]


@pytest.mark.parametrize("liked", [3, 4])
def test_one_side_of_an_open_contradiction_is_never_shown_alone(liked: int) -> None:
    """Where there is no room for both, neither is shown."""
    others = [stated(Triple("you", "likes", thing), 1) for thing in ("jazz", "opera", "chess", "hiking")[:liked]]
    index = index_of(*others)
    likes, dislikes = Triple("you", "likes", "tea"), Triple("you", "dislikes", "tea")
    said = NOW.timestamp()
    sides = [
        KnownFact(likes, "You like tea", 0.7, said - 60, confidence=0.35, opposed=(dislikes,)),
        KnownFact(dislikes, "You dislike tea", 0.7, said - 30, confidence=0.35, opposed=(likes,)),
    ]
    index.merge(sides, [])
    hints = found(index, asked("What do I like?"), HotOptions(bullets_max=5)).hints
    expected = [dislikes, likes] if liked == 3 else []
    assert [hint.triple for hint in hints if hint.triple.object == "tea"] == expected
    every = found(index, asked("What do I like?"), HotOptions(bullets_max=6)).hints
    window = [InjectItem(0, hint) for hint in every]
    for most in range(1, 7):
        cut = {hint.triple for hint in with_opposed(of_window(window), index, most)}
        assert (likes in cut) == (dislikes in cut)


@pytest.mark.parametrize(
    ("code", "statement", "naming"),
    [
        ("en", "I am looking for a new flat where I live alone.", "My sister has no flat."),
        ("de", "Meine Arbeit ist stressig.", "Die Arbeit von Eva ist stressig."),
        ("fr", "Mon travail est stressant.", "Le travail de ma sœur est stressant."),
        ("es", "Mi trabajo es estresante.", "El trabajo de mi hermana es estresante."),
        ("it", "Il mio lavoro è stressante.", "Il lavoro di Eva è stressante."),
    ],
)
def test_facts_of_others_go_only_with_turns_that_name_them(code: str, statement: str, naming: str) -> None:
    facts = [
        ("you", "sister", "eva"),
        ("eva", "works_at", "bosch"),
        ("eva", "lives_in", "turin"),
        ("you", "has", "car"),
    ]
    index = index_of(*(stated(Triple(*fact)) for fact in facts))

    def subjects(text: str) -> set[str]:
        turn = replace(asked(text, Intent.FACT_STATEMENT), language=code)
        hints = choose(turn, index, question_words(code), HotOptions(), {}).hints
        return {hint.triple.subject for hint in hints}

    assert "eva" not in subjects(statement)
    assert "eva" in subjects(naming)


MOTHER = ("you", "mother", "eva"), ("eva", "works_at", "bosch")
HUSBAND = ("you", "husband", "tom"), ("tom", "works_at", "bmw")
FRIEND = ("jonas", "friend_of", "you"), ("jonas", "lives_in", "ulm")


@pytest.mark.parametrize(
    ("code", "facts", "text"),
    [
        ("en", MOTHER, "My mum finds her work stressful."),
        ("de", MOTHER, "Meine Mama hat viel Arbeit."),
        ("fr", MOTHER, "Maman a beaucoup de travail."),
        ("es", MOTHER, "Mi mamá tiene mucho trabajo."),
        ("it", MOTHER, "La mia mamma ha molto lavoro."),
        ("en", [("mother", "works_at", "bosch")], "My mum finds her work stressful."),
        ("de", [("mutter", "works_at", "bosch")], "Meine Mama hat viel Arbeit."),
        ("fr", [("mère", "works_at", "bosch")], "Ma maman a beaucoup de travail."),
        ("es", [("madre", "works_at", "bosch")], "Mi mamá tiene mucho trabajo."),
        ("it", [("madre", "works_at", "bosch")], "La mia mamma ha molto lavoro."),
        ("en", HUSBAND, "My partner works too much."),
        ("de", HUSBAND, "Mein Partner hat zu viel Arbeit."),
        ("fr", HUSBAND, "Mon partenaire a trop de travail."),
        ("es", HUSBAND, "Mi pareja tiene mucho trabajo."),
        ("it", HUSBAND, "Il mio compagno ha molto lavoro."),
        ("en", FRIEND, "My friend is looking for a flat."),
        ("de", FRIEND, "Mein Freund sucht eine Wohnung."),
        ("fr", FRIEND, "Mon ami cherche un appartement."),
        ("es", FRIEND, "Mi amigo busca una casa."),
        ("it", FRIEND, "Il mio amico cerca una casa."),
        ("en", HUSBAND, "He works too much, his job is hard."),
        ("de", HUSBAND, "Er arbeitet zu viel, seine Arbeit ist hart."),
        ("fr", HUSBAND, "Il travaille trop, son travail est dur."),
        ("es", HUSBAND, "Su trabajo es duro."),
        ("it", HUSBAND, "Il suo lavoro è duro."),
        ("en", [("you", "dog", "rex"), ("rex", "likes", "cheese")], "The puppy likes everything."),
        ("en", [("car", "color", "red")], "I painted it, the colour is nice."),
        ("en", [("cats", "quantity", "2")], "How many pets I have is a lot."),
    ],
)
def test_a_turn_names_others_by_any_word_for_them(code: str, facts: list[tuple[str, str, str]], text: str) -> None:
    assert Triple(*facts[-1]) in hints_of_statement(code, facts, text)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "He works too much, his job is hard."),
        ("de", "Er arbeitet zu viel, seine Arbeit ist hart."),
        ("fr", "Il travaille trop, son travail est dur."),
        ("es", "Él trabaja demasiado, el trabajo es duro."),
        ("it", "Lui lavora troppo, il suo lavoro è duro."),
    ],
)
def test_he_is_no_mother(code: str, text: str) -> None:
    assert Triple(*MOTHER[-1]) not in hints_of_statement(code, MOTHER, text)


@pytest.mark.parametrize(
    ("code", "others", "own"),
    [
        ("en", "My sis works a lot, her job is hard.", "My sister and I work a lot."),
        ("de", "Meine Schwester arbeitet viel, ihre Arbeit ist hart.", "Meine Schwester und ich arbeiten viel."),
        ("fr", "Ma sœur travaille beaucoup, son travail est dur.", "Ma sœur et moi avons beaucoup de travail."),
        ("es", "Mi hermana tiene mucho empleo, su empleo es duro.", "Mi hermana y yo tenemos mucho trabajo."),
        ("it", "Mia sorella ha un impiego duro.", "Mia sorella e io abbiamo molto lavoro."),
    ],
)
def test_the_users_own_facts_go_only_with_turns_that_speak_of_them(code: str, others: str, own: str) -> None:
    work = Triple("you", "works_at", "siemens")
    assert work not in hints_of_statement(code, [work], others)
    assert work in hints_of_statement(code, [work], own)


PIZZA = Triple("you", "likes", "pizza")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Having pizza with mum tonight."),
        ("en", "Eating pizza with my sister tonight."),
        ("en", "Let's get pizza, it is her birthday."),
        ("en", "She wants pizza tonight, what about ours?"),
        ("en", "Pizza with my sister tonight!"),
        ("en", "Order a pizza for my sister, she is coming."),
        ("en", "My sister comes over, so pizza it is."),
        ("en", "Mum, order a pizza."),
        ("en", "If my sister comes, pizza tonight."),
        ("en", "She says let's have pizza."),
        ("en", "My sister wants a pizza like ours."),
        ("en", "Get my brother a pizza."),
        ("en", "Mum's pizza tonight!"),
        ("de", "Heute gibt es Pizza mit meiner Schwester."),
        ("de", "Pizza mit meiner Schwester!"),
        ("de", "Bestell eine Pizza für meine Schwester."),
        ("de", "Meine Schwester kommt, also Pizza."),
        ("de", "Hole Pizza für Mama."),
        ("de", "Mit meiner Schwester Pizza essen."),
        ("de", "Sie will Pizza, und wir?"),
        ("de", "Esse gerade Pizza mit Mama."),
        ("de", "Wenn meine Schwester kommt, gibt es Pizza."),
        ("de", "Meine Schwester mag unsere Pizza."),
        ("de", "Schwester kommt, Pizza!"),
        ("fr", "On mange une pizza avec ma sœur."),
        ("fr", "Pizza avec ma sœur ce soir !"),
        ("fr", "Commande une pizza pour ma sœur."),
        ("fr", "Il y a de la pizza chez ma sœur."),
        ("fr", "Il faut une pizza pour maman."),
        ("fr", "Ma sœur arrive, pizza ce soir."),
        ("fr", "Elle veut de la pizza, et nous ?"),
        ("fr", "Ce soir pizza avec maman."),
        ("fr", "Quand ma sœur vient, on mange une pizza."),
        ("fr", "Une pizza pour ma sœur et moi."),
        ("fr", "Ma sœur veut qu'on mange une pizza."),
        ("es", "Esta noche como pizza con mi hermana."),
        ("es", "Pizza con mi hermana esta noche."),
        ("es", "Pide una pizza para mi hermana."),
        ("es", "Mi hermana viene y como pizza con ella."),
        ("es", "Mi hermana dice que como mucha pizza."),
        ("es", "Hay pizza para mi abuela."),
        ("es", "Ella quiere pizza, ¿y nosotros?"),
        ("es", "Comiendo pizza con mamá."),
        ("es", "Si viene mi hermana, pizza."),
        ("es", "Comí pizza con mi hermana."),
        ("es", "Mi hermana nos trae pizza."),
        ("it", "Stasera mangio la pizza con mia sorella."),
        ("it", "Pizza con mia sorella stasera!"),
        ("it", "Ordina una pizza per mia sorella."),
        ("it", "Mia sorella dice che mangio troppa pizza."),
        ("it", "Mia sorella viene e mangio la pizza con lei."),
        ("it", "C'è la pizza per mia nonna."),
        ("it", "Lei vuole la pizza, e noi?"),
        ("it", "Mangiando la pizza con mamma."),
        ("it", "Se viene mia sorella, pizza."),
        ("it", "Ho mangiato la pizza con mia sorella."),
        ("it", "Stasera pizza da mamma."),
        ("es", "Toqué una canción sobre la pizza para mi abuela."),
    ],
)
def test_the_users_own_facts_go_with_a_turn_that_may_be_about_them(code: str, text: str) -> None:
    assert PIZZA in hints_of_statement(code, [PIZZA], text)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "My sister loves pizza."),
        ("en", "She wants pizza."),
        ("en", "My brother eats pizza every day."),
        ("en", "Mum cooks pizza on Fridays."),
        ("en", "My little sister burnt the pizza."),
        ("en", "My sister and her husband make pizza."),
        ("en", "When my sister is home, she bakes pizza."),
        ("en", "They eat pizza a lot."),
        ("en", "My sis is a cook, her pizza is famous."),
        ("en", "And he hates pizza."),
        ("de", "Meine Schwester mag Pizza."),
        ("de", "Sie will Pizza."),
        ("de", "Mein Bruder isst jeden Tag Pizza."),
        ("de", "Mama backt freitags Pizza."),
        ("de", "Meine kleine Schwester hat die Pizza verbrannt."),
        ("de", "Meine Schwester und ihr Mann machen Pizza."),
        ("de", "Er hasst Pizza."),
        ("de", "Meine Mutter isst Pizza, weil sie müde ist."),
        ("de", "Und meine Tante verkauft Pizza."),
        ("fr", "Ma sœur adore la pizza."),
        ("fr", "Elle veut de la pizza."),
        ("fr", "Mon frère mange de la pizza."),
        ("fr", "Maman prépare une pizza le vendredi."),
        ("fr", "Ma petite sœur a brûlé la pizza."),
        ("fr", "Ma sœur et son mari font une pizza."),
        ("fr", "Il déteste la pizza."),
        ("fr", "Ils mangent souvent une pizza."),
        ("fr", "Mon père mange une pizza quand il travaille."),
        ("es", "Mi hermana adora la pizza."),
        ("es", "Ella quiere pizza."),
        ("es", "Mi hermano come pizza."),
        ("es", "Mamá prepara pizza los viernes."),
        ("es", "Mi hermana pequeña quemó la pizza."),
        ("es", "Mi hermana y su marido hacen pizza."),
        ("es", "Él odia la pizza."),
        ("es", "Ellos comen mucha pizza."),
        ("es", "Mi padre come pizza cuando ella trabaja."),
        ("it", "Mia sorella adora la pizza."),
        ("it", "Lei vuole la pizza."),
        ("it", "Mio fratello mangia la pizza."),
        ("it", "Mamma prepara la pizza il venerdì."),
        ("it", "La mia ragazza ha bruciato la pizza."),
        ("it", "Mia sorella e suo marito fanno la pizza."),
        ("it", "Lui odia la pizza."),
        ("it", "Loro mangiano spesso la pizza."),
        ("it", "Mio padre mangia la pizza quando lei lavora."),
    ],
)
def test_the_users_own_facts_do_not_go_with_a_turn_whose_subject_is_another(code: str, text: str) -> None:
    assert PIZZA not in hints_of_statement(code, [PIZZA], text)


@pytest.mark.parametrize(
    ("code", "role", "text"),
    [
        ("fr", "mother", "Ma belle-mère a beaucoup de travail."),
        ("fr", "father", "Mon grand-père a beaucoup de travail."),
        ("fr", "sister", "Ma belle-sœur a beaucoup de travail."),
        ("en", "mother", "My mother-in-law finds her work stressful."),
        ("en", "father", "My step dad finds his work stressful."),
        ("de", "mother", "Meine Schwiegermutter hat viel Arbeit."),
        ("es", "friend_of", "Mi compañero de piso tiene mucho trabajo."),
    ],
)
def test_a_word_within_the_phrase_for_another_role_names_nobody(code: str, role: str, text: str) -> None:
    facts = [("you", role, "eva"), ("eva", "works_at", "bosch")]
    assert Triple(*facts[1]) not in hints_of_statement(code, facts, text)


@pytest.mark.parametrize(
    ("code", "question", "statement"),
    [
        ("en", "And Luc?", "I had lunch with Luc."),
        ("de", "Und Luc?", "Ich war mit Luc essen."),
        ("fr", "Et Luc ?", "J'ai mangé avec Luc."),
        ("es", "¿Y Luc?", "Comí con Luc."),
        ("it", "E Luc?", "Ho pranzato con Luc."),
    ],
)
def test_a_friendship_is_a_hint_for_either_friend(code: str, question: str, statement: str) -> None:
    friends = Triple("marie", "friend_of", "luc")
    index = index_of(stated(friends))
    assert [hint.triple for hint in choose_of(index, asked_of(question, code))] == [friends]
    assert choose_of(index, asked_of(question.replace("Luc", "Paul"), code)) == ()
    assert friends in hints_of_statement(code, [friends], statement)
    assert friends not in hints_of_statement(code, [friends], statement.replace("Luc", "Paul"))


def choose_of(index: HotIndex, turn: Asked) -> Sequence[Hint]:
    return choose(turn, index, question_words(turn.language), HotOptions(), {}).hints


def hints_of_statement(code: str, facts: Sequence[tuple[str, str, str]], text: str) -> list[Triple]:
    index = index_of(*(replace(stated(Triple(*fact)), language=code) for fact in facts))
    turn = replace(asked(text, Intent.FACT_STATEMENT), language=code, entities=())
    return [hint.triple for hint in choose(turn, index, question_words(code), HotOptions(), {}).hints]


def with_tea(*liked: str) -> HotIndex:
    """Return an index of things that the user likes, and of an open contradiction: whether they like tea."""
    likes, dislikes = Triple("you", "likes", "tea"), Triple("you", "dislikes", "tea")
    said = NOW.timestamp()
    index = index_of(*(stated(Triple("you", "likes", thing), 1) for thing in liked))
    index.merge(
        [
            KnownFact(likes, "You like tea", 0.7, said - 60, confidence=0.8, opposed=(dislikes,)),
            KnownFact(dislikes, "You dislike tea", 0.7, said - 30, confidence=0.8, opposed=(likes,)),
        ],
        [],
    )
    return index


def test_where_a_contradiction_has_no_room_the_next_hints_take_its_place() -> None:
    index = with_tea("jazz", "opera", "chess")
    hints = found(index, asked("What do I like?"), HotOptions(bullets_max=4)).hints
    assert len(hints) == 4
    others = [Hint(Triple("you", "likes", thing), thing, 0.5) for thing in ("jazz", "opera", "chess")]
    tea = Hint(Triple("you", "likes", "tea"), "You like tea", 0.5)
    assert with_opposed([others[0], tea, *others[1:]], index, 2) == (others[0], others[1])


def test_a_question_that_facts_answer_gets_no_quotation_of_one_side() -> None:
    index = with_tea()
    index.said_turns.add([SaidTurn("e1", "I like tea a lot", NOW.timestamp() - 60)])
    assert found(index, asked("Do I like tea?"), HotOptions(bullets_max=1)).hints == ()
    assert len(found(index, asked("Do I like tea?"), HotOptions(bullets_max=2)).hints) == 2


def test_a_side_without_the_other_goes_and_takes_no_place_of_others() -> None:
    hints = [Hint(Triple("you", "likes", thing), thing, 0.5) for thing in ("tea", "jazz", "opera")]
    assert without_lone_sides(hints, with_tea("jazz", "opera")) == hints[1:]
