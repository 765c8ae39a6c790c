"""What is said of somebody else is not taken for the speaker's, and what only looks like a verb is told apart."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple, TurnContext
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader import extract
from amr_neo4j.turn_reader.language_kit import language_kit
from amr_neo4j.turn_reader.understand import read_by_rules


def test_a_verb_of_somebody_else_is_not_the_speakers() -> None:
    """Where the subject is left out, the first verb tells whose it is."""
    assert extract("Acabó comprando una moto.", "es") == []


def test_a_denied_group_states_nothing() -> None:
    assert extract("I do not own a van.", "en") == []


WHOSE = [
    ("en", "My cousin's wife is a nurse.", [("cousin's wife", "is", "nurse")]),
    ("en", "My uncle's dog is called Rex.", [("uncle", "dog", "rex")]),
    ("en", "My uncle's a nurse.", [("uncle", "is", "nurse")]),
    ("es", "El primo de mi mujer es fontanero.", [("primo de mi mujer", "is", "fontanero")]),
    ("de", "Meine Tante hat ein Kanu gekauft.", [("tante", "owns", "kanu")]),
    ("en", "I bought my son a bike.", []),
    ("en", "My aunt bought a house in Kent.", [("aunt", "owns", "house")]),
]


BY_NAME = [
    ("en", "The dog of Eva is called Rex.", "dog"),
    ("de", "Evas Mann heißt Tom.", "husband"),
    ("de", "Evas Hund heißt Rex.", "dog"),
    ("de", "Lukas Sohn heißt Leo.", "son"),
    ("de", "Nachbars Hund heißt Rex.", "dog"),
    ("de", "Der Mann von Eva heißt Tom.", "husband"),
    ("fr", "Le mari d'Eva s'appelle Tom.", "husband"),
    ("fr", "Le chien d'Eva s'appelle Rex.", "dog"),
    ("fr", "Le fils de Marie s'appelle Leo.", "son"),
    ("es", "El marido de Eva se llama Tom.", "husband"),
    ("it", "Il cane di Eva si chiama Rex.", "dog"),
]


@pytest.mark.parametrize(
    ("code", "text", "whose"),
    [
        ("en", "Karl is the uncle of Ben.", "ben"),
        ("en", "Karl is an uncle of my wife.", "wife"),
        ("de", "Karl ist der Onkel von Ben.", "ben"),
        ("de", "Karl ist Patenonkel von Ben.", "ben"),
        ("en", "Karl is Ben's uncle.", "ben"),
        ("en", "Karl is my wife's uncle.", "wife"),
        ("de", "Karl ist der Onkel meiner Frau.", "frau"),
        ("fr", "Karl est l'oncle de Ben.", "ben"),
        ("es", "Karl es el tío de mi mujer.", "mujer"),
        ("it", "Karl è lo zio di Ben.", "ben"),
    ],
)
def test_a_name_may_stand_before_the_role_and_whose_it_is(code: str, text: str, whose: str) -> None:
    assert extract(text, code) == [(whose, "uncle", "karl")]
    assert (
        extract(text.replace("Karl", {"en": "He", "de": "Das", "fr": "Il", "es": "Esto", "it": "Questo"}[code]), code)
        == []
    )


def test_somebody_named_by_a_role_keeps_their_name() -> None:
    assert extract("Mi tío Blas es amigo de Evaristo.", "es") == [
        ("you", "uncle", "blas"),
        ("blas", "friend_of", "evaristo"),
    ]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Necessity is the mother of invention."),
        ("de", "Geiz ist der Vater von Reichtum."),
        ("es", "La necesidad es la madre de la invención."),
    ],
)
def test_the_mother_of_a_thing_is_nobodys(code: str, text: str) -> None:
    assert extract(text, code) == []


@pytest.mark.parametrize(("code", "text", "role"), BY_NAME)
def test_kin_of_somebody_with_a_name_are_not_the_speakers(code: str, text: str, role: str) -> None:
    facts = extract(text, code)
    assert code == "en" or [relation for _, relation, _ in facts] == [role]
    assert all(subject != "you" for subject, _, _ in facts)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Eva's husband works at BMW."),
        ("de", "Evas Mann arbeitet bei BMW."),
        ("fr", "Le mari d'Eva travaille chez BMW."),
        ("fr", "La sœur de Marie habite à Oslo."),
        ("es", "La hermana de Eva vive en Oslo."),
        ("it", "La sorella di Eva vive a Oslo."),
    ],
)
def test_what_kin_of_somebody_do_is_neither_hers_nor_the_speakers(code: str, text: str) -> None:
    assert extract(text, code) == []


@pytest.mark.parametrize(
    ("code", "text", "facts"),
    [
        (
            "de",
            "Mein Boss Lindqvist arbeitet in Ulm.",
            {("you", "boss", "lindqvist"), ("lindqvist", "works_in", "ulm")},
        ),
        (
            "de",
            "Mein Boss Lindqvist und ich spielen Tennis.",
            {("you", "boss", "lindqvist"), ("lindqvist", "plays_sport", "tennis"), ("you", "plays_sport", "tennis")},
        ),
        ("de", "Mein Boss Frau Lang mag Kaffee.", {("you", "boss", "frau lang"), ("frau lang", "likes", "kaffee")}),
        (
            "de",
            "Mein Paps Knut Lang wohnt in Ulm.",
            {("you", "father", "knut lang"), ("knut lang", "lives_in", "ulm")},
        ),
        ("de", "Mein Spitz Wuschel mag Käse.", {("you", "dog", "wuschel"), ("wuschel", "likes", "käse")}),
        ("de", "Opas Hund heißt Rex.", {("opa", "dog", "rex")}),
        ("de", "Omas Katze heißt Mimi.", {("oma", "cat", "mimi")}),
        ("de", "Meines Mannes Bruder heißt Max.", {("mann", "brother", "max")}),
        ("fr", "Ma sœur d'Orléans travaille chez Airbus.", {("sœur", "works_at", "airbus")}),
        ("fr", "Mon frère d'Amérique habite à Boston.", {("frère", "lives_in", "boston")}),
        ("fr", "Mon mari d'Angers s'appelle Tom.", {("you", "husband", "tom")}),
    ],
)
def test_a_role_is_no_genitive_and_a_place_no_name(code: str, text: str, facts: set[tuple[str, str, str]]) -> None:
    assert set(extract(text, code)) == facts


COUNTED = [
    ("en", "My sister has two cats.", "I have two cats."),
    ("de", "Meine Schwester hat zwei Katzen.", "Ich habe zwei Katzen."),
    ("fr", "Ma sœur a deux chats.", "J'ai deux chats."),
    ("es", "Mi hermana tiene dos gatos.", "Tengo dos gatos."),
    ("it", "Mia sorella ha due gatti.", "Ho due gatti."),
]


@pytest.mark.parametrize(("code", "others", "own"), COUNTED)
def test_only_what_the_speaker_has_is_counted(code: str, others: str, own: str) -> None:
    """A quantity does not say whose things it counts: the sister's would replace the speaker's."""
    assert extract(others, code)
    assert "quantity" not in {relation for _, relation, _ in extract(others, code)}
    assert "quantity" in {relation for _, relation, _ in extract(own, code)}


@pytest.mark.parametrize(("code", "text", "facts"), WHOSE)
def test_it_is_said_of_the_right_person(code: str, text: str, facts: list[tuple[str, str, str]]) -> None:
    assert extract(text, code) == facts


STRANGERS = [
    ("en", "Serena Williams lives in Florida."),
    ("de", "Manuel Neuer arbeitet bei Bayern."),
    ("fr", "Zinédine Zidane habite à Madrid."),
    ("es", "Penélope Cruz vive en Madrid."),
    ("it", "Sophia Loren abita a Ginevra."),
]


@pytest.mark.parametrize(("code", "text"), STRANGERS)
def test_a_full_name_that_nobody_introduced_is_a_strangers(code: str, text: str) -> None:
    assert extract(text, code) == []


@pytest.mark.parametrize(
    ("code", "text", "fact"),
    [
        ("en", "Greta lives in Graz.", ("greta", "lives_in", "graz")),
        ("fr", "Greta habite à Graz.", ("greta", "lives_in", "graz")),
        ("it", "Oliver lavora alla Fiat.", ("oliver", "works_at", "fiat")),
    ],
)
def test_friends_have_first_names_of_any_language(code: str, text: str, fact: tuple[str, str, str]) -> None:
    assert extract(text, code) == [fact]
    assert extract(text.lower(), code) != [fact] or fact[0] in language_kit(code).words.first_names


def test_who_was_spoken_of_before_is_known() -> None:
    known = ("lena marsh", "works_at", "shell")
    assert known in extract("Lena Marsh works at Shell.", "en", ["I share an office with Lena Marsh."])


def test_what_it_is_rather_than_is_cut() -> None:
    assert extract("I'm pescatarian rather than vegetarian.", "en") == [("you", "is", "pescatarian")]


def test_a_pet_of_childhood_is_no_pet_now() -> None:
    assert extract("As a kid I had a rabbit.", "en") == []


PRONOUNS = [
    ("en", "Peter is a cook. Aisling is a nurse. He lives in Leeds.", ("peter", "lives_in", "leeds")),
    ("en", "Aisling is a nurse. Peter is a cook. She lives in Leeds.", ("aisling", "lives_in", "leeds")),
    ("de", "Peter ist Koch. Malin ist Ärztin. Er wohnt in Köln.", ("peter", "lives_in", "köln")),
    ("fr", "Audrey est infirmière. Paul est cuisinier. Elle habite à Lyon.", ("audrey", "lives_in", "lyon")),
    ("es", "Pedro es cocinero. Azucena es enfermera. Él vive en Lima.", ("pedro", "lives_in", "lima")),
    ("it", "Angela è infermiera. Marco è cuoco. Lei vive a Roma.", ("angela", "lives_in", "roma")),
]


@pytest.mark.parametrize(("code", "text", "fact"), PRONOUNS)
def test_he_and_she_are_told_apart_by_first_names(code: str, text: str, fact: tuple[str, str, str]) -> None:
    """Whoever is no known woman was taken for a man."""
    assert fact in extract(text, code)


@pytest.mark.parametrize("code", ["en", "de", "fr", "es", "it"])
def test_a_first_name_stands_once(code: str) -> None:
    names = language(code).first_names.names
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(
    ("code", "turns", "triple"),
    [
        ("en", ["I had lunch with Martha and her husband Stefan."], ("martha", "husband", "stefan")),
        ("en", ["My daughter Ruby is eight.", "I met her teacher Mr Okoro."], ("ruby", "teacher", "mr okoro")),
        ("de", ["Gestern kam Jonas mit seiner Frau Meike vorbei."], ("jonas", "wife", "meike")),
        ("fr", ["J'ai croisé Luc avec sa femme Anne au marché."], ("luc", "wife", "anne")),
        ("es", ["Comimos con Marta y su marido Iván."], ("marta", "husband", "iván")),
        ("it", ["C'era anche Sara con suo marito Luigi."], ("sara", "husband", "luigi")),
    ],
)
def test_a_named_relative_of_somebody_else_is_theirs_wherever_it_stands(
    code: str, turns: list[str], triple: tuple[str, str, str]
) -> None:
    *earlier, last = turns
    facts = [fact.triple for fact in read_by_rules(last, code, TurnContext(tuple(earlier))).facts]
    assert Triple(*triple) in facts
    assert not [fact for fact in facts if fact.subject == "you" and fact.object == triple[2]]


@pytest.mark.parametrize(
    ("code", "turns", "name"),
    [
        ("en", ["My brother Bill and my friend Tom came over.", "I met his wife Eva."], "eva"),
        ("en", ["I told Tom about her husband Stefan."], "stefan"),
        ("en", ["I flew to Rome with her husband Stefan."], "stefan"),
        ("en", ["On Monday with his wife Eva it was fun."], "eva"),
        ("en", ["He and his wife Eva came over."], "eva"),
        ("fr", ["Je suis allé à Rome avec sa femme Eva."], "eva"),
        ("es", ["Fui a Madrid con su marido Iván."], "iván"),
        ("it", ["Sono andato a Roma con suo marito Luigi."], "luigi"),
        ("de", ["Mein Bruder Jan und mein Freund Tom waren da.", "Ich mag seine Frau Eva."], "eva"),
    ],
)
def test_a_relative_of_one_of_two_people_or_of_nobody_known_is_nobodys(
    code: str, turns: list[str], name: str
) -> None:
    *earlier, last = turns
    read = read_by_rules(last, code, TurnContext(tuple(earlier)))
    assert not [fact for fact in read.facts if fact.triple.object == name]


@pytest.mark.parametrize(
    ("code", "turns", "triple"),
    [
        ("fr", ["J'ai passé l'après-midi avec ma tante Odile.", "Elle est fleuriste."], ("odile", "is", "fleuriste")),
        ("de", ["Ich war gestern bei meiner Tante Helga.", "Sie wohnt in Kiel."], ("helga", "lives_in", "kiel")),
        ("es", ["Ayer cené con mi tía Carmen.", "Ella vive en Soria."], ("carmen", "lives_in", "soria")),
    ],
)
def test_a_relative_with_a_name_is_one_person_for_a_pronoun(
    code: str, turns: list[str], triple: tuple[str, str, str]
) -> None:
    *earlier, last = turns
    read = read_by_rules(last, code, TurnContext(tuple(earlier)))
    assert Triple(*triple) in [fact.triple for fact in read.facts]
    assert not read.unclear
