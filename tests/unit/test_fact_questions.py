"""Which believed facts answer a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.kinship import knowing_kin
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.fact_questions.answering import FactQuestion, _relation_words, favorite_asked, language_of, prepare
from amr_neo4j.fact_questions.same_person import is_told_of_speaker
from amr_neo4j.language.stems import stems

NOW = datetime(2026, 5, 1, tzinfo=UTC)
FACTS = [
    ("you", "lives_in", "berlin"),
    ("you", "works_at", "charité"),
    ("you", "is", "vegetarian"),
    ("you", "age", "34"),
    ("you", "likes", "dark chocolate"),
    ("you", "dislikes", "pink"),
    ("you", "dog", "bruno"),
    ("you", "boyfriend", "max"),
    ("you", "name", "lena"),
    ("you", "born_in", "gdańsk"),
    ("you", "favorite_color", "green"),
    ("sister", "lives_in", "lyon"),
    ("sister", "age", "30"),
    ("dentist appointment", "time", "3 pm"),
]


# As the rules read them, of a person in each language.
PEOPLE = [
    ("you", "sister", "fiona"),
    ("fiona", "is", "vet"),
    ("fiona", "is", "veterinaria"),
    ("fiona", "is", "vétérinaire"),
    ("fiona", "is", "tierärztin"),
    ("fiona", "is", "italian"),
    ("fiona", "works_at", "clinic"),
    ("you", "dog", "rex"),
    ("you", "favorite_food", "lasagne"),
    ("you", "likes", "tea"),
    ("you", "dislikes", "olives"),
    ("guitars", "quantity", "3"),
    ("gitarren", "quantity", "3"),
    ("guitarras", "quantity", "3"),
    ("guitares", "quantity", "3"),
    ("chitarre", "quantity", "3"),
    ("you", "neighbor", "tess"),
    ("tess", "has", "red car"),
    ("tess", "likes", "chess"),
    ("tess", "lives_in", "york"),
    ("tess", "age", "40"),
    ("max", "friend_of", "you"),
]
LANGUAGES = ("en", "es", "fr", "de", "it")


def answers(
    question: str, language: str = "en", user: str = "lena", known: Sequence[tuple[str, ...]] = FACTS
) -> list[tuple[str, ...]]:
    facts = [Recalled("fact", " ".join(each), 0.8, NOW, None, triple=Triple(*each)) for each in known]
    asked = FactQuestion.of(question, user, language)
    asked = knowing_kin(
        asked,
        lambda subjects, relations: [Triple(*each) for each in known if each[0] in subjects and each[1] in relations],
    )
    held = asked.relations if asked.asks_who else asked.two_sided
    read = [
        fact
        for fact in facts
        if (triple := fact.triple)
        and (
            (triple.subject in asked.subjects and triple.relation in asked.relations)
            or (triple.object in asked.objects and triple.relation in held)
        )
    ]
    return [fact.triple for fact in asked.answered_by(read) if fact.triple]


@pytest.mark.parametrize(
    ("question", "relation", "named"),
    [
        ("Where do I live?", "lives_in", "berlin"),
        ("where do i live", "lives_in", "berlin"),
        ("Which city do I live in?", "lives_in", "berlin"),
        ("Where does Lena live?", "lives_in", "berlin"),
        ("Where do I work?", "works_at", "charité"),
        ("What do I do for a living?", "works_at", "charité"),
        ("How old am I?", "age", "34"),
        ("Do I like pink?", "dislikes", "pink"),
        ("Do I like dark chocolate?", "likes", "dark chocolate"),
        ("What is my dog called?", "dog", "bruno"),
        ("What's my dog's name?", "dog", "bruno"),
        ("Who is Max?", "boyfriend", "max"),
        ("What is my name?", "name", "lena"),
        ("Where was I born?", "born_in", "gdańsk"),
        ("What is my favorite color?", "favorite_color", "green"),
        ("Where does my sister live?", "lives_in", "lyon"),
        ("How old is my sister?", "age", "30"),
        ("Am I vegetarian?", "is", "vegetarian"),
        ("When is my dentist appointment?", "time", "3 pm"),
    ],
)
def test_a_fact_answers_what_its_words_ask_for(question: str, relation: str, named: str) -> None:
    assert [(each[1], each[2]) for each in answers(question)] == [(relation, named)]


@pytest.mark.parametrize(
    "question",
    [
        "Where does he live?",
        "Where do you live?",
        "Where did I live?",
        "Where did I live in 2019?",
        "Where do I live in summer?",
        "Do I live in Rome?",
        "Where should I live?",
        "Why do I live in Berlin?",
        "When did I move to Berlin?",
        "What am I?",
        "Who am I meeting?",
        "Where does my brother live?",
        "How old is my brother?",
        "What colour is the parcel?",
        "Do I like chocolate cake?",
        "Where does Max live?",
        "What did my dog eat?",
        "",
    ],
)
def test_no_fact_answers_what_it_does_not_state(question: str) -> None:
    assert answers(question) == []


@pytest.mark.parametrize(
    ("question", "language", "relation"),
    [
        ("¿Dónde vivo?", "es", "lives_in"),
        ("Où est-ce que j'habite ?", "fr", "lives_in"),
        ("Wo wohne ich?", "de", "lives_in"),
        ("Dove abito?", "it", "lives_in"),
        ("Wie alt bin ich?", "de", "age"),
        ("¿Cuántos años tengo?", "es", "age"),
        ("Wo arbeite ich?", "de", "works_at"),
        ("Dove lavoro?", "it", "works_at"),
    ],
)
def test_questions_in_other_languages(question: str, language: str, relation: str) -> None:
    assert language_of(question, LANGUAGES) == language
    assert [each[1] for each in answers(question, language)] == [relation]


@pytest.mark.parametrize(
    ("question", "language", "relation"),
    [
        ("Wo habe ich im Mai gewohnt?", "de", "lives_in"),
        ("Wo habe ich damals gelebt?", "de", "lives_in"),
        ("Wo habe ich im Mai gearbeitet?", "de", "works_at"),
        ("Welches Instrument habe ich gespielt?", "de", "plays_instrument"),
        ("Welche Sprachen habe ich gesprochen?", "de", "speaks"),
        ("Was habe ich damals gemocht?", "de", "likes"),
        ("Wie hieß ich?", "de", "name"),
        ("Où ai-je vécu en mai ?", "fr", "lives_in"),
        ("Où vivais-je en mai ?", "fr", "lives_in"),
        ("¿Qué poseía?", "es", "owns"),
        ("Dove ho vissuto?", "it", "lives_in"),
    ],
)
def test_a_question_of_the_past_asks_for_the_same_relation(question: str, language: str, relation: str) -> None:
    asked = FactQuestion.of(question, "", language, then=True)
    assert relation in asked.relations and not asked.asks_about


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("en", "Where does my sister work?", ["clinic"]),
        ("de", "Wo arbeitet meine Schwester?", ["clinic"]),
        ("es", "¿Dónde trabaja mi hermana?", ["clinic"]),
        ("fr", "Où travaille ma sœur ?", ["clinic"]),
        ("it", "Dove lavora mia sorella?", ["clinic"]),
        ("en", "What does Fiona do?", ["vet", "clinic"]),
        ("de", "Was macht meine Schwester beruflich?", ["tierärztin", "clinic"]),
        ("es", "¿A qué se dedica mi hermana?", ["veterinaria", "clinic"]),
        ("fr", "Que fait ma sœur dans la vie ?", ["vétérinaire", "clinic"]),
        ("it", "Che lavoro fa mia sorella?", ["veterinaria", "clinic"]),
        ("de", "Wie heißt mein Hund?", ["rex"]),
        ("es", "¿Cómo se llama mi perro?", ["rex"]),
        ("fr", "Comment s'appelle mon chien ?", ["rex"]),
        ("it", "Come si chiama il mio cane?", ["rex"]),
        ("en", "What's my favourite food?", ["lasagne"]),
        ("de", "Was ist mein Lieblingsessen?", ["lasagne"]),
        ("es", "¿Cuál es mi comida favorita?", ["lasagne"]),
        ("fr", "Quel est mon plat préféré ?", ["lasagne"]),
        ("it", "Qual è il mio piatto preferito?", ["lasagne"]),
        ("en", "What don't I like?", ["olives"]),
        ("de", "Was mag ich nicht?", ["olives"]),
        ("es", "¿Qué no me gusta?", ["olives"]),
        ("fr", "Qu'est-ce que je n'aime pas ?", ["olives"]),
        ("it", "Cosa non mi piace?", ["olives"]),
        ("en", "How many guitars do I have?", ["3"]),
        ("de", "Wie viele Gitarren habe ich?", ["3"]),
        ("es", "¿Cuántas guitarras tengo?", ["3"]),
        ("fr", "Combien de guitares est-ce que j'ai ?", ["3"]),
        ("it", "Quante chitarre ho?", ["3"]),
        ("de", "Was hat Tess?", ["red car"]),
        ("de", "Wer ist Max?", ["you"]),
    ],
)
def test_facts_of_people_answer_in_five_languages(language: str, question: str, expected: list[str]) -> None:
    found = answers(question, language, known=PEOPLE)
    assert sorted(each[2] for each in found if each[2] in expected) == sorted(expected)
    assert "italian" not in {each[2] for each in found}, "no profession"
    assert {each[1] for each in found} <= {
        *("works_at", "is", "dog", "favorite_food", "dislikes", "quantity", "has", "friend_of")
    }


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "Marie?"), ("de", "Und Marie?"), ("fr", "Marie ?"), ("es", "¿Y Marie?"), ("it", "E Marie?")],
)
def test_a_name_is_no_word_that_asks_for_a_relation(language: str, question: str) -> None:
    """In two languages "Marie" has the stem of a husband."""
    friends = ("marie", "friend_of", "luc")
    assert answers(question, language, known=[friends]) == [friends]


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("en", "And Luc? Who is Luc? Who are Luc's friends? Who is Luc friends with?"),
        ("de", "Und Luc? Wer ist Luc? Wer sind die Freunde von Luc? Wer ist mit Luc befreundet?"),
        ("fr", "Et Luc ? Qui est Luc ? Qui sont les amis de Luc ?"),
        ("es", "¿Y Luc? ¿Quién es Luc? ¿Quiénes son los amigos de Luc?"),
        ("it", "E Luc? Chi è Luc? Chi sono gli amici di Luc?"),
    ],
)
def test_a_mutual_relation_is_found_from_both_sides(language: str, questions: str) -> None:
    friends, cousins = ("marie", "friend_of", "luc"), ("luc", "cousin", "tom")
    known = [friends, cousins, ("tess", "friend_of", "marie"), ("marie", "likes", "luc")]
    for question in re.findall(r"[^?]+\?", questions):
        assert friends in answers(question, language, known=known), question
        assert friends not in answers(question.replace("Luc", "Paul"), language, known=known), question
        assert friends in answers(question.replace("Luc", "Marie"), language, known=known), question


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Who are my friends?"),
        ("de", "Wer sind meine Freunde?"),
        ("fr", "Qui sont mes amis ?"),
        ("es", "¿Quiénes son mis amigos?"),
        ("it", "Chi sono i miei amici?"),
    ],
)
def test_friends_of_the_user_are_those_who_are_a_friend_of_theirs(language: str, question: str) -> None:
    known = [("ana", "friend_of", "you"), ("marie", "friend_of", "luc"), ("you", "friend_of", "bo")]
    assert answers(question, language, known=known) == [known[0], known[2]]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Who is Eva?"),
        ("de", "Wer ist Eva?"),
        ("fr", "Qui est Eva ?"),
        ("es", "¿Quién es Eva?"),
        ("it", "Chi è Eva?"),
        ("en", "Eva?"),
    ],
)
def test_who_somebody_is_the_role_that_they_have_for_another_tells(language: str, question: str) -> None:
    known = [("ana", "sister", "eva"), ("ana", "sister", "lea")]
    assert answers(question, language, known=known) == known[:1]


@pytest.mark.parametrize(
    ("language", "question"), [("en", "Who is Tess?"), ("de", "Wer ist Tess?"), ("es", "¿Quién es Tess?")]
)
def test_who_somebody_is_comes_before_some_of_what_is_known_of_them(language: str, question: str) -> None:
    first, *others = answers(question, language, known=[*PEOPLE[17:], PEOPLE[16]])
    assert first == ("you", "neighbor", "tess")
    assert [each[1] for each in others] == ["has", "likes", "lives_in"]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How is my dog?"),
        ("en", "Where don't I live?"),
        ("de", "Wie geht es meinem Hund?"),
        ("de", "Wo arbeitet mein Bruder?"),
        ("es", "¿Cuál es mi color favorito?"),
        ("it", "Quando è il compleanno di Fiona?"),
        ("fr", "Quel âge a ma sœur ?"),
    ],
)
def test_no_fact_of_people_answers_what_it_does_not_state(language: str, question: str) -> None:
    assert answers(question, language, known=PEOPLE) == []


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("¿Quién es Pilar?", "es"),
        ("Où travaille Bruno ?", "fr"),
        ("Dove lavora Ugo?", "it"),
        ("Wer ist Uwe?", "de"),
        ("Arbeitet Uwe in Bremen?", "de"),
    ],
)
def test_interrogatives_tell_the_language(question: str, language: str) -> None:
    assert language_of(question, LANGUAGES) == language


@pytest.mark.parametrize("question", ["Where does my sister live?", "Where does Anna live?"])
def test_a_relative_is_one_person_by_kinship_and_by_name(question: str) -> None:
    kin, named, name = ("sister", "lives_in", "lyon"), ("anna", "lives_in", "ghent"), ("you", "sister", "anna")
    assert answers(question, known=[name, kin]) == [kin]
    assert answers(question, known=[named, name, kin]) == [named]


def test_of_two_sisters_the_one_that_is_called_by_name_is_meant() -> None:
    known = [("berta", "lives_in", "rome"), ("you", "sister", "berta"), ("you", "sister", "anna")]
    assert answers("Where does Anna live?", known=[*known, ("sister", "lives_in", "lyon")]) == []
    assert answers("Where does Berta live?", known=known) == known[:1]


@pytest.mark.parametrize(
    ("language", "question", "turn", "answers"),
    [
        ("en", "What's my favourite colour?", "My favourite food is risotto", False),
        ("en", "What's my favourite colour?", "I painted it a nice colour", False),
        ("en", "What's my favourite colour?", "I love the colour blue", True),
        ("en", "What's my favourite film?", "my favorite movie is Alien", True),
        ("es", "¿Cuál es mi color favorito?", "Mi comida favorita es la paella", False),
        ("es", "¿Cuál es mi color favorito?", "Mi color favorito es el verde", True),
        ("fr", "Quelle est ma couleur préférée ?", "Mon plat préféré est la daube", False),
        ("it", "Qual è il mio colore preferito?", "Il mio piatto preferito è il risotto", False),
        ("en", "Where do I live?", "Hello", True),
    ],
)
def test_a_favourite_is_of_the_kind_that_is_asked_for(
    language: str, question: str, turn: str, *, answers: bool
) -> None:
    needed = favorite_asked(question, language)
    said = stems(turn, language)
    assert all(not each.isdisjoint(said) for each in needed.values()) == answers


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Where does Sean O'Brien live?", "sean o'brien"),
        ("Where does O’Brien live?", "sean o'brien"),
        ("Where is Sean's home?", "sean o'brien"),
        ("Where does Anne-Marie live?", "anne-marie"),
        ("¿Dónde vive Etxeberría?", "íñigo etxeberría"),
        ("Où habite Anaïs L'Hermitte ?", "anaïs l'hermitte"),
        ("Wo wohnt Müller-Lüdenscheidt?", "jörg müller-lüdenscheidt"),
        ("Dove vive D'Angelo?", "marco d'angelo"),
        ("Where does Max Weber live?", ""),
    ],
)
def test_a_name_is_found_by_all_and_by_any_of_its_parts(question: str, name: str) -> None:
    people = ["sean o'brien", "anne-marie", "íñigo etxeberría", "anaïs l'hermitte", "max planck"]
    people += ["jörg müller-lüdenscheidt", "marco d'angelo"]
    code = language_of(question, LANGUAGES)
    asked = FactQuestion.of(question, "anna", code)
    parts = asked.name_parts
    full = frozenset(each for each in people if " " in each and {each.split()[0], each.split()[-1]} & {*parts})
    asked = replace(asked, full_names=full)
    facts = [Triple(each, "lives_in", "cork") for each in people if each in asked.subjects]
    found = asked.answered_by([Recalled("fact", "", 0.7, NOW, None, triple=each) for each in facts])
    assert [fact.triple.subject for fact in found if fact.triple] == ([name] if name else [])


LEARNT = [
    ("you", "studies", "history"),
    ("you", "plays_instrument", "cello"),
    ("you", "plays_sport", "tennis"),
    ("you", "learns", "japanese"),
    ("you", "landlord", "mr osei"),
    ("becca", "studies", "law"),
]


@pytest.mark.parametrize(
    ("language", "questions"),
    [
        ("en", "What do I study? Which instrument do I play? What sport do I play? Which language am I learning?"),
        (
            "de",
            "Was studiere ich? Welches Instrument spiele ich? Welchen Sport spiele ich? Welche Sprache lerne ich?",
        ),
        (
            "fr",
            "Qu'est-ce que j'étudie ? De quel instrument je joue ? À quel sport je joue ? Quelle langue j'apprends ?",
        ),
        ("es", "¿Qué estudio? ¿Qué instrumento toco? ¿A qué deporte juego? ¿Qué idioma estoy aprendiendo?"),
        ("it", "Cosa studio? Che strumento suono? A che sport gioco? Che lingua sto imparando?"),
    ],
)
def test_what_somebody_studies_plays_and_learns_answers(language: str, questions: str) -> None:
    asked = [f"{question.strip()}?" for question in questions.split("?")[:-1]]
    found = [answers(question, language, known=LEARNT) for question in asked]
    assert [each[0] for each in found] == LEARNT[:4]
    assert all(len(each) == 1 for each in found)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "Who's my landlord?"),
        ("de", "Wer ist mein Vermieter?"),
        ("fr", "Qui est mon propriétaire ?"),
        ("es", "¿Quién es mi casero?"),
        ("it", "Chi è il mio padrone di casa?"),
    ],
)
def test_who_a_landlord_is(language: str, question: str) -> None:
    assert answers(question, language, known=LEARNT) == [("you", "landlord", "mr osei")]


KIN = [
    ("you", "cousin", "kim"),
    ("you", "sister", "anna"),
    ("you", "grandfather", "otto"),
    ("you", "father", "karl"),
    ("you", "brother_in_law", "denis"),
    ("you", "brother", "luc"),
    ("you", "partner", "max"),
    ("you", "name", "lena"),
]


@pytest.mark.parametrize(
    ("language", "question", "relation"),
    [
        ("en", "Who is my sister?", "sister"),  # not the "cousin-sister"
        ("en", "What's my sister called?", "sister"),
        ("en", "What's my name?", "name"),  # not the "s.o."
        ("en", "Who is my brother?", "brother"),
        ("fr", "Qui est mon père ?", "father"),  # not the "grand-père"
        ("fr", "Qui est mon grand-père ?", "grandfather"),
        ("fr", "Comment s'appelle mon frère ?", "brother"),
        ("fr", "Comment s'appelle mon beau-frère ?", "brother_in_law"),
        ("de", "Wer ist mein Bruder?", "brother"),
        ("es", "¿Quién es mi hermana?", "sister"),
        ("it", "Chi è mio padre?", "father"),
    ],
)
def test_a_word_that_is_part_of_another_role_names_only_its_own(language: str, question: str, relation: str) -> None:
    assert [each[1] for each in answers(question, language, known=KIN)] == [relation]


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("en", "Tell me about my family.", ["anna", "ida"]),
        ("en", "Tell me about my work.", ["bmw", "kim"]),
        ("en", "Where do I work?", ["bmw"]),
        ("es", "¿Mi familia?", ["anna", "ida"]),
        ("fr", "Parle-moi de ma famille.", ["anna", "ida"]),
        ("fr", "Mon travail ?", ["bmw", "kim"]),
        ("de", "Meine Familie?", ["anna", "ida"]),
        ("de", "Meine Arbeit?", ["bmw", "kim"]),
        ("it", "Il mio lavoro?", ["bmw", "kim"]),
        ("it", "La mia famiglia?", ["anna", "ida"]),
    ],
)
def test_kin_are_the_family_and_relations_of_work_the_work(language: str, question: str, expected: list[str]) -> None:
    known = ["you sister anna", "you mother_in_law ida", "you works_at bmw", "you boss kim", "you dog rex"]
    found = answers(question, language, known=[tuple(each.split()) for each in known])
    assert sorted(each[2] for each in found) == expected


@pytest.mark.parametrize(
    ("language", "known", "own", "of_another"),
    [
        ("es", "prima", "¿Dónde vive mi prima?", "¿Dónde vive mi primo?"),
        ("es", "primo", "¿Dónde vive mi primo?", "¿Dónde vive mi prima?"),
        ("fr", "cousine", "Où habite ma cousine ?", "Où habite mon cousin ?"),
        ("de", "cousine", "Wo wohnt meine Cousine?", "Wo wohnt mein Cousin?"),
        ("it", "cugina", "Dove vive mia cugina?", "Dove vive mio cugino?"),
        ("it", "figlia", "Dove vive mia figlia?", "Dove vive mio figlio?"),
        ("en", "grandmother", "Where does my grandmother live?", "Where does my grandfather live?"),
    ],
)
def test_a_fact_of_a_relative_of_another_gender_answers_nothing(
    language: str, known: str, own: str, of_another: str
) -> None:
    fact = (known, "lives_in", "york")
    assert answers(own, language, known=[fact]) == [fact]
    assert answers(of_another, language, known=[fact]) == []


@pytest.mark.parametrize(
    ("language", "one", "several", "another"),
    [
        ("es", "hermana", "hermanas", "hermano"),
        ("fr", "cousine", "cousines", "cousin"),
        ("de", "Cousine", "Cousinen", "Cousin"),
        ("it", "nonna", "nonne", "nonno"),
    ],
)
def test_relatives_of_two_genders_are_two_words(language: str, one: str, several: str, another: str) -> None:
    assert not stems(one, language).isdisjoint(stems(several, language))
    assert stems(one, language).isdisjoint(stems(another, language))


@pytest.mark.parametrize("code", ["en", "es", "fr", "de", "it"])
def test_what_the_first_question_needs_is_read_before(code: str) -> None:
    _relation_words.cache_clear()
    prepare(code)
    read = _relation_words.cache_info().misses
    asked = FactQuestion.of("Tom?", "anna", code)
    assert asked.object_words is not None
    assert read == _relation_words.cache_info().misses == 1


HOLDERS = [
    ("you", "lives_in", "york"),
    ("tess", "lives_in", "york"),
    ("rob", "works_at", "jaguar land rover"),
    ("leah", "lives_in", "dublin"),
    ("tom", "likes", "anna"),
    ("tom", "boss", "anna"),
]


@pytest.mark.parametrize(
    ("code", "question", "whose"),
    [
        ("en", "Who lives in Dublin?", ["leah"]),
        ("en", "Who works at Jaguar Land Rover?", ["rob"]),
        ("en", "Who lives in York?", ["you", "tess"]),
        ("en", "Who lives in Paris?", []),
        ("en", "Who works in Dublin?", []),
        ("en", "Who took the mug in Dublin?", []),
        ("en", "Who does Anna like?", []),
        ("en", "Who is Anna's boss?", []),
        ("es", "¿Quién es el jefe de Anna?", []),
        ("fr", "Qui est le chef d'Anna ?", []),
        ("de", "Wer wohnt in Dublin?", ["leah"]),
        ("fr", "Qui habite à Dublin ?", ["leah"]),
        ("es", "¿Quién vive en Dublin?", ["leah"]),
        ("it", "Chi vive a Dublin?", ["leah"]),
    ],
)
def test_who_has_a_fact_is_answered_by_its_relation_and_its_object(
    code: str, question: str, whose: list[str]
) -> None:
    assert [subject for subject, *_ in answers(question, code, known=HOLDERS)] == whose


def _questions() -> list[tuple[str, str, str]]:
    tables = yaml.safe_load((Path(__file__).parents[1] / "gold" / "questions.yaml").read_text(encoding="utf-8"))
    return [
        (code, relation, question)
        for code, table in tables.items()
        for relation, questions in table["questions"].items()
        for question in questions
        if "? " not in question  # one sentence
    ]


@pytest.mark.parametrize(("code", "relation", "question"), _questions())
def test_a_question_is_answered_by_its_relation_alone(code: str, relation: str, question: str) -> None:
    asked = FactQuestion.of(question, "u", code)
    relations = {each for other, each, _ in _questions() if other == code}
    assert {each for each in relations if asked.is_answered_by(Triple("you", each, "anna7"))} == {relation}


@pytest.mark.parametrize(
    ("code", "question", "answer", "none"),
    [
        ("en", "What's my job?", ("you", "is", "glazier"), ("you", "is", "vegan")),
        ("de", "Was ist mein Beruf?", ("you", "is", "schweißer"), ("you", "is", "französin")),
        ("es", "¿Cuál es mi profesión?", ("you", "is", "soldadora"), ("you", "is", "celíaca")),
        ("fr", "C'est quoi mon travail ?", ("you", "is", "soudeuse"), ("you", "is", "retraitée")),
        ("it", "Che lavoro faccio?", ("you", "is", "saldatrice"), ("you", "is", "pensionata")),
        ("en", "Who am I?", ("you", "name", "clara"), ("you", "is", "vegan")),
        ("de", "Wer bin ich?", ("you", "name", "clara"), ("you", "is", "veganerin")),
        ("es", "¿Quién soy?", ("you", "name", "clara"), ("you", "is", "vegana")),
        ("fr", "Qui suis-je ?", ("you", "name", "clara"), ("you", "is", "végane")),
        ("it", "Chi sono?", ("you", "name", "clara"), ("you", "is", "vegana")),
        ("en", "Where did I live before?", ("you", "moved_from", "lima"), ("you", "lives_in", "oslo")),
        ("de", "Wo habe ich früher gewohnt?", ("you", "moved_from", "lima"), ("you", "lives_in", "oslo")),
        ("es", "¿Dónde vivía antes?", ("you", "moved_from", "lima"), ("you", "lives_in", "oslo")),
        ("fr", "Où est-ce que j'habitais avant ?", ("you", "moved_from", "lima"), ("you", "lives_in", "oslo")),
        ("it", "Dove vivevo prima?", ("you", "moved_from", "lima"), ("you", "lives_in", "oslo")),
        ("de", "Was ist mein Alter?", ("you", "age", "41"), ("you", "daughter", "mia")),
        ("fr", "Quel est mon âge ?", ("you", "age", "41"), ("mia", "age", "6")),
    ],
)
def test_plain_questions_about_oneself(
    code: str, question: str, answer: tuple[str, str, str], none: tuple[str, str, str]
) -> None:
    asked = FactQuestion.of(question, "u", code)
    assert asked.is_answered_by(Triple(*answer)) and not asked.is_answered_by(Triple(*none))


@pytest.mark.parametrize(
    ("code", "question", "fact"),
    [
        ("en", "How long have I been married?", ("wife", "works_at", "bakery")),
        ("it", "Quando mi sono sposata?", ("moglie", "works_at", "panificio")),
        ("de", "Wie lange bin ich verheiratet?", ("frau", "works_at", "bäckerei")),
    ],
)
def test_a_question_for_a_time_is_answered_by_no_other_fact_of_the_spouse(
    code: str, question: str, fact: tuple[str, str, str]
) -> None:
    asked = FactQuestion.of(question, "u", code)
    assert not asked.knowing([Triple(*fact)]).is_answered_by(Triple(*fact))


OTHERS = [
    ("you", "father", "leo"),
    ("leo", "is", "retired postman"),
    ("leo", "is", "postino"),
    ("leo", "is", "Briefträger"),
    ("you", "girlfriend", "aitana"),
    ("aitana", "is", "swimmer"),
    ("aitana", "is", "nadadora"),
    ("aitana", "is", "schwimmerin"),
    ("you", "is", "coeliac"),
    ("you", "is", "celiaca"),
    ("you", "is", "nurse"),
    ("you", "boss", "dottoressa conti"),
    ("dottoressa conti", "lives_in", "novara"),
    ("you", "landlord", "herr osterkamp"),
    ("herr osterkamp", "owns", "kneipe"),
    ("you", "brother_in_law", "oscar"),
    ("oscar", "has", "camper"),
    ("svenja", "son", "emil"),
]


@pytest.mark.parametrize(
    ("language", "question", "fact"),
    [
        ("en", "What did my dad work as?", ("leo", "is", "retired postman")),
        ("it", "Che lavoro faceva mio padre?", ("leo", "is", "postino")),
        ("es", "¿Qué deporte hace Aitana?", ("aitana", "is", "nadadora")),
        ("en", "Which sport does Aitana do?", ("aitana", "is", "swimmer")),
        ("de", "Welchen Sport macht Aitana?", ("aitana", "is", "schwimmerin")),
        ("en", "What illness do I have?", ("you", "is", "coeliac")),
        ("it", "Che malattia ho?", ("you", "is", "celiaca")),
        ("it", "Dove abita la direttrice?", ("dottoressa conti", "lives_in", "novara")),
        ("en", "Where does the boss live?", ("dottoressa conti", "lives_in", "novara")),
        ("de", "Was gehört Herrn Osterkamp?", ("herr osterkamp", "owns", "kneipe")),
        ("it", "Cosa ha mio cognato?", ("oscar", "has", "camper")),
        ("en", "What does my brother-in-law own?", ("oscar", "has", "camper")),
        ("de", "Wie heißt Svenjas Sohn?", ("svenja", "son", "emil")),
    ],
)
def test_questions_about_others(language: str, question: str, fact: tuple[str, ...]) -> None:
    assert answers(question, language, known=OTHERS)[:1] == [fact]


@pytest.mark.parametrize(
    "question",
    [
        "What did my dad do before?",
        "What did I work as?",
        "Where does the boss of Tesla live?",
        "Which sport do I do?",
    ],
)
def test_neither_a_job_before_nor_the_boss_of_somebody_else(question: str) -> None:
    assert answers(question, "en", known=OTHERS) == []


def test_a_turn_that_tells_only_of_something_else_does_not_answer() -> None:
    asked = FactQuestion.of("¿Cuántos años tiene Jorge?", "lena", "es")
    assert asked.asks_for_else([Triple("jorge", "has", "casa")])
    assert not asked.asks_for_else([Triple("jorge", "age", "30"), Triple("jorge", "has", "casa")])
    assert not asked.asks_for_else([Triple("you", "father", "jorge")])
    asked = FactQuestion.of("What does Ann do for a living?", "lena", "en")
    assert not asked.asks_for_else([Triple("ann", "has", "bakery")])


@pytest.mark.parametrize(
    ("code", "question", "fact"),
    [
        ("en", "What do I like?", "vegetarian"),
        ("de", "Was mag ich?", "vegetarierin"),
        ("fr", "Qu'est-ce que j'aime ?", "végétarienne"),
        ("es", "¿Qué me gusta?", "vegetariana"),
        ("it", "Cosa mi piace?", "vegetariana"),
    ],
)
def test_what_somebody_is_is_nothing_that_they_like(code: str, question: str, fact: str) -> None:
    assert not FactQuestion.of(question, "u", code).is_answered_by(Triple("you", "is", fact))


@pytest.mark.parametrize(
    ("code", "question"),
    [("de", "Wie viel kostet der Kurs?"), ("de", "Wie heißt der Zahnarzt?"), ("en", "How old is the dentist?")],
)
def test_a_word_that_permits_more_asks_for_no_favourite(code: str, question: str) -> None:
    assert not favorite_asked(question, code)


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Who do I live with in Delft?"),
        ("fr", "Avec qui est-ce que j'habite à Delft ?"),
        ("es", "¿Con quién vivo en Delft?"),
        ("it", "Con chi abito a Delft?"),
    ],
)
def test_a_place_answers_no_question_for_a_person(code: str, question: str) -> None:
    assert not FactQuestion.of(question, "anna", code).is_answered_by(Triple("you", "lives_in", "delft"))


@pytest.mark.parametrize(
    ("code", "with_other", "of_anybody"),
    [
        ("en", "Who came home before me?", "Who came home at six?"),
        ("de", "Wer kam vor mir nach Hause?", "Wer kam um sechs nach Hause?"),
        ("fr", "Qui est rentré avant moi ?", "Qui est rentré à six heures ?"),
        ("es", "¿Quién llegó a casa antes que yo?", "¿Quién llegó a casa a las seis?"),
        ("it", "Chi è tornato a casa prima di me?", "Chi è tornato a casa alle sei?"),
    ],
)
def test_who_else_is_asked(code: str, with_other: str, of_anybody: str) -> None:
    assert FactQuestion.of(with_other, "anna", code).asks_for_other
    assert not FactQuestion.of(of_anybody, "anna", code).asks_for_other


@pytest.mark.parametrize(
    ("code", "of_speaker", "of_other"),
    [
        ("en", "I came home at six.", "A mechanic fixed my bike."),
        ("de", "Ich kam um sechs nach Hause.", "Ein Mechaniker hat mein Fahrrad repariert."),
        ("fr", "Je suis rentrée à six heures.", "Un mécanicien a réparé mon vélo."),
        ("es", "Llegué a casa a las seis.", "Un mecánico arregló mi bici."),
        ("it", "Sono tornata a casa alle sei.", "Un meccanico ha riparato la mia bici."),
    ],
)
def test_the_speaker_is_the_subject(code: str, of_speaker: str, of_other: str) -> None:
    assert is_told_of_speaker(of_speaker, code)
    assert not is_told_of_speaker(of_other, code)


@pytest.mark.parametrize(
    ("code", "question", "others"),
    [
        ("en", "Where does my brother live?", {"ben", "brother"}),
        ("en", "the user's brother's home", {"ben", "brother"}),
        ("en", "Where does Ben live?", {"ben", "brother"}),
        ("en", "Where does my friend Ben live?", {"ben"}),
        ("en", "Where do I live?", set()),
        ("en", "home of the user", set()),
        ("en", "family members of the user", set()),
        ("es", "mascotas de la usuaria", set()),
        ("fr", "animaux de l'utilisatrice", set()),
        ("de", "Familie der Nutzerin", set()),
        ("it", "animale domestico dell'utente", set()),
        ("en", "What did my brother give me?", set()),
        ("en", "Where does Ben's sister live?", set()),  # she is not Ben
        ("en", "What does my brother's dog like?", set()),
        ("en", "Who lives in Bath?", set()),
        ("de", "Wo wohnt mein Bruder?", {"ben", "bruder"}),
        ("de", "Wo wohnt Frau Lang?", {"lang"}),
        ("de", "Wo wohnt Bens Schwester?", set()),
        ("fr", "Où habite mon frère ?", {"ben", "frère"}),
        ("fr", "ville du frère de l'utilisatrice", {"ben", "frère"}),
        ("fr", "Où est-ce que j'habite ?", set()),
        ("es", "¿Dónde vive mi hermano?", {"ben", "hermano"}),
        ("es", "el trabajo de Ben", {"ben", "hermano"}),
        ("es", "¿Dónde vivo?", set()),
        ("it", "Dove abita mio fratello?", {"ben", "fratello"}),
        ("it", "casa del fratello dell'utente", {"ben", "fratello"}),
        ("it", "Dove abito?", set()),
    ],
)
def test_a_question_is_about_others_or_may_be_about_its_speaker(code: str, question: str, others: set[str]) -> None:
    user = {"en": "user", "de": "nutzerin", "fr": "utilisatrice", "es": "usuario", "it": "utente"}[code]
    asked = FactQuestion.of(question, user, code).knowing([Triple("you", "brother", "ben")])
    assert others <= asked.others and bool(others) == bool(asked.others)


KIN_OF_OTHERS = [
    ("you", "wife", "lorena"),
    ("you", "brother", "ben"),
    ("you", "sister", "ann"),
    ("you", "dog", "rex"),
    ("ann", "lives_in", "oslo"),
    ("lorena", "lives_in", "rome"),
    ("lorena", "sister", "berta"),
    ("berta", "lives_in", "munich"),
    ("ben", "dog", "fido"),
    ("fido", "age", "3"),
    ("rex", "age", "9"),
]


@pytest.mark.parametrize(
    ("code", "sister", "dog"),
    [
        ("en", "Where does Lorena's sister live?", "How old is my brother's dog?"),
        ("de", "Wo wohnt Lorenas Schwester?", "Wie alt ist der Hund von meinem Bruder?"),
        ("de", "Wo wohnt die Schwester von Lorena?", "Wie alt ist Bens Hund?"),
        ("es", "¿Dónde vive la hermana de Lorena?", "¿Cuántos años tiene el perro de mi hermano?"),
        ("fr", "Où habite la sœur de Lorena ?", "Quel âge a le chien de mon frère ?"),
        ("it", "Dove abita la sorella di Lorena?", "Quanti anni ha il cane di mio fratello?"),
    ],
)
def test_relatives_of_others_are_known_by_what_was_said_of_them(code: str, sister: str, dog: str) -> None:
    """The user's own sister and dog answer neither question, and Lorena is not her sister."""
    assert answers(sister, code, known=KIN_OF_OTHERS) == [("berta", "lives_in", "munich")]
    assert answers(dog, code, known=KIN_OF_OTHERS) == [("fido", "age", "3")]
    unknown = [each for each in KIN_OF_OTHERS if each[2] not in ("berta", "fido")]
    assert answers(sister, code, known=unknown) == answers(dog, code, known=unknown) == []


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Where does Lorena's sister live?"),
        ("de", "Wo wohnt Lorenas Schwester?"),
        ("es", "¿Dónde vive la hermana de Lorena?"),
        ("fr", "Où habite la sœur de Lorena ?"),
        ("it", "Dove abita la sorella di Lorena?"),
    ],
)
def test_several_relatives_of_others_answer_all(code: str, question: str) -> None:
    known = [*KIN_OF_OTHERS, ("lorena", "sister", "cora"), ("cora", "lives_in", "turin")]
    found = answers(question, code, known=known)
    assert found == [("berta", "lives_in", "munich"), ("cora", "lives_in", "turin")]


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What is my mother's mother tongue?"),
        ("en", "What is my mother's first language?"),
        ("de", "Was ist die Muttersprache meiner Mutter?"),
        ("es", "¿Cuál es la lengua materna de mi madre?"),
        ("fr", "Quelle est la langue maternelle de ma mère ?"),
        ("it", "Qual è la lingua madre di mia madre?"),
    ],
)
def test_the_mother_of_a_mother_tongue_is_nobody(code: str, question: str) -> None:
    known = [("you", "speaks", "welsh"), ("you", "mother", "carol")]
    assert answers(question, code, known=known) == []
    assert answers(question, code, known=[*known, ("carol", "speaks", "dutch")]) == [("carol", "speaks", "dutch")]


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "How old is grandad?"),
        ("de", "Wie alt ist Opa?"),
        ("es", "¿cuántos años tiene el abuelo?"),
        ("fr", "quel âge a papy ?"),
        ("it", "quanti anni ha il nonno?"),
    ],
)
def test_a_relative_may_be_called_by_a_word_like_a_name(code: str, question: str) -> None:
    known = [("you", "grandfather", "aldo"), ("aldo", "age", "90"), ("you", "age", "30")]
    assert answers(question, code, known=known) == [("aldo", "age", "90")]


@pytest.mark.parametrize(
    ("code", "question", "relation"),
    [
        ("en", "What's my mother tongue?", "speaks"),
        ("de", "Was ist meine Muttersprache?", "speaks"),
        ("es", "¿Cuál es mi lengua materna?", "speaks"),
        ("fr", "C'est quoi, ma langue maternelle ?", "speaks"),
        ("it", "Qual è la mia lingua madre?", "speaks"),
        ("en", "My place of birth?", "born_in"),
        ("de", "Was ist mein Geburtsort?", "born_in"),
        ("es", "¿Cuál es mi lugar de nacimiento?", "born_in"),
        ("fr", "Quel est mon lieu de naissance ?", "born_in"),
        ("it", "Qual è il mio luogo di nascita?", "born_in"),
    ],
)
def test_what_a_form_asks_for_is_answered(code: str, question: str, relation: str) -> None:
    known = [
        ("you", "speaks", "welsh"),
        ("you", "born_in", "gdańsk"),
        ("you", "wife", "ida"),
        ("ida", "speaks", "dutch"),
    ]
    assert [each[1] for each in answers(question, code, known=known)] == [relation]


@pytest.mark.parametrize(
    ("language", "question", "allergy", "trade"),
    [
        ("en", "What am I allergic to?", "allergic to nuts", "nurse"),
        ("de", "Wogegen bin ich allergisch?", "allergisch gegen nüsse", "krankenschwester"),
        ("de", "Welche Allergie habe ich?", "allergisch gegen nüsse", "zahnarzt"),
        ("es", "¿A qué soy alérgica?", "alérgica a las nueces", "enfermera"),
        ("es", "¿Qué alergia tengo?", "alérgica a las nueces", "enfermera"),
        ("fr", "À quoi suis-je allergique ?", "allergique aux noix", "infirmière"),
        ("fr", "Quelle est mon allergie ?", "allergique aux noix", "infirmière"),
        ("it", "A cosa sono allergica?", "allergica alle noci", "infermiera"),
        ("it", "Che allergia ho?", "allergica alle noci", "infermiera"),
    ],
)
def test_who_works_in_a_hospital_has_no_illness_by_it(language: str, question: str, allergy: str, trade: str) -> None:
    known = [("you", "is", allergy), ("you", "is", trade)]
    assert answers(question, language, known=known) == known[:1]
