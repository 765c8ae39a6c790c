"""Objects, persons, names in a text, and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.language.en.identities import (
    is_indistinct,
    is_unknown,
    mentioned_names,
    named_in,
    object_key,
    person_key,
)
from amr_neo4j.language.en.sentences import (
    gerund,
    joined,
    past_participle,
    past_tense,
    sentence,
    with_article,
)
from amr_neo4j.language.languages import language
from amr_neo4j.language.nouns import KnownNames, PersonKey


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Mugs", "mug"),
        ("Anna's mug", "mug"),
        ("the boss’s chair", "chair"),
        ("a pair of scissors", "scissors"),
        ("two knives", "knife"),
        ("tomatoes", "tomato"),
        ("buses", "bus"),
        ("bus", "bus"),
        ("dress", "dress"),
        ("glass", "glass"),
        ("his glasses", "glasses"),
        ("wine glasses", "wine glass"),
        ("bags of rice", "bag of rice"),
        ("pots and pans", "pot and pan"),
        ("chopping  boards", "chopping board"),
        ("AirPods", "airpod"),
        ("shepherd's pie", "shepherd's pie"),
        ("“Phone”", "phone"),
        ("washing_up liquid", "washing up liquid"),
        ("the", "the"),
    ],
)
def test_one_object_has_one_key(name: str, key: str) -> None:
    assert object_key(name) == key


@pytest.mark.parametrize("name", ["schlüssel", "clés", "taza", "鍵", "haus", "glas", "autobús", "ключи", "مفتاح"])
def test_words_of_other_languages_are_unchanged(name: str) -> None:
    assert object_key(name) == name


def test_composed_and_decomposed_letters_give_one_key() -> None:
    assert object_key("Cafe\u0301-Tasse") == object_key("café-tasse")


PIECES = [
    "the",
    "a",
    "'s",
    "Anna's",
    "boss's",
    "mugs",
    "glasses",
    "of",
    "and",
    "pair of",
    "-",
    ".",
    "_",
    "xes",
    "ß",
    "İ",
]


@given(st.text(min_size=1) | st.lists(st.sampled_from(PIECES), min_size=1).map(" ".join))
def test_a_key_is_never_empty_and_is_its_own_key(name: str) -> None:
    """The key of a key is the key; a name that is not empty has one that is not empty."""
    key = object_key(name)
    assert key
    assert object_key(key) == key


@pytest.mark.parametrize(
    "thing", ["mug", "tomato", "knife", "box", "dish", "key", "battery", "glove", "chopping board"]
)
@given(determiner=st.sampled_from(["", "the ", "A ", "her ", "Ben's ", "the man's ", "two "]), shout=st.booleans())
def test_articles_owners_and_case_do_not_change_the_identity(thing: str, determiner: str, shout: bool) -> None:
    """Neither its owner nor its spelling changes an object's identity."""
    name = determiner + thing
    assert object_key(name.upper() if shout else name) == thing


@pytest.mark.parametrize(
    ("words", "person_id", "is_name"),
    [
        ("Anna", "anna", True),
        ("Mr. Smith", "mr_smith", True),
        ("Dr Lee", "dr_lee", True),
        ("Anna Maria Rossi", "anna_maria_rossi", True),
        ("Vincent van Gogh", "vincent_van_gogh", True),
        ("O'Brien", "obrien", True),
        ("María José", "maría_josé", True),
        ("P01", "p01", True),
        ("Anna in a red dress", "anna", True),
        ("Anna, the girl in black", "anna", True),
        ("C1", "c1", False),
        ("SPEAKER_00", "speaker_00", False),
        ("Person_1", "person_1", False),
        ("N/A", "n", False),
        ("Na Moon", "na_moon", True),
        ("girl in black hoodie", "girl_black_hoodie", False),
        ("Girl in a black hoodie", "girl_black_hoodie", False),
        ("older man with glasses", "older_man_glasses", False),
        ("person in a black top and blue trousers", "person_black_top_blue_trousers", False),
        ("MAN IN BLACK", "man_black", False),
        ("The man", "man", False),
        ("Anna's sister", "anna_sister", False),
    ],
)
def test_the_person_that_a_name_or_description_denotes(words: str, person_id: str, is_name: bool) -> None:
    assert person_key(words) == PersonKey(person_id, is_name)


@pytest.mark.parametrize(
    ("words", "unknown", "vague"),
    [
        ("Unknown", True, True),
        ("N/A", True, True),
        ("[no_one]", True, True),
        ("the speaker", False, True),
        ("unknown_person", False, True),
        ("off-screen voice", False, True),
        ("_", False, True),
        ("narrator", False, False),
        ("unknown man", False, False),
        ("man", False, False),
        ("鍵", False, False),
    ],
)
def test_words_that_denote_no_person(words: str, unknown: bool, vague: bool) -> None:
    assert (is_unknown(words), is_indistinct(words)) == (unknown, vague)


@given(st.text(min_size=1).filter(str.strip))
def test_everybody_has_an_id(words: str) -> None:
    """A description that is not blank has an id that is not empty and holds no space."""
    assert person_key(words).person_id


@pytest.mark.parametrize(
    ("text", "known", "names"),
    [
        ("Yesterday Anna met Mr. Smith in Paris on Monday.", [], ["Anna", "Mr Smith"]),
        ("Anna says hello to Ben.", [], ["Ben"]),
        ("Anna says hello to Ben.", ["Anna"], ["Anna", "Ben"]),
        ('He says: "Ben, take the TV."', ["Ben"], ["Ben"]),
        ("Ben's keys are gone! I know that Ben looked.", [], ["Ben"]),
        ("I think P01 called Anna Maria Rossi.", [], ["P01", "Anna Maria Rossi"]),
        ("the man waits in the hall", [], []),
        ("In the hall SPEAKER_00 meets P02.", [], ["P02"]),
        ("The voice is heard. Yellow light falls in.", ["voice on the radio", "man_yellow_jacket"], []),
        ("so there It is and Oh I Don't know Where The keys are", [], []),
        ("i saw it\nThat was Ben's\nRoss left", [], ["Ben"]),
    ],
)
def test_names_are_found_in_a_text(text: str, known: list[str], names: list[str]) -> None:
    assert mentioned_names(text, known) == names


@pytest.mark.parametrize(
    ("code", "text", "talk", "caption"),
    [
        ("en", "We met in Beijing and paid with WeChat.", [], []),
        ("en", "Shure, help me with the shelf.", ["Shure"], ["Shure"]),
        ("en", "Then Shure walks to the door.", [], ["Shure"]),
        ("en", "Lucy and Shure are eating cake.", ["Lucy"], ["Lucy", "Shure"]),
        ("en", "It is Mr. Yang, ask Shure.", ["Mr Yang", "Shure"], ["Mr Yang", "Shure"]),
        ("en", "Can you see that Today is Earth Day?", [], []),
        ("en", "Hahaha, you know the Rubik cube.", [], []),
        ("en", "We fly from Florence to Paris.", [], []),
        ("de", "Der Mann stellt die Tasse auf den Tisch.", [], []),
        ("de", "Danke, dass du Anna gefragt hast.", ["Anna"], ["Anna"]),
        ("de", "Schirin, komm bitte her.", ["Schirin"], ["Schirin"]),
        ("es", "Habla con Choixt en Madrid.", ["Choixt"], ["Choixt"]),
        ("fr", "Alors Choixt ouvre la porte.", ["Choixt"], ["Choixt"]),
        ("it", "Grazie, Choixt!", ["Choixt"], ["Choixt"]),
        ("en", "Someone gives it to Anna.", ["Anna"], ["Anna"]),
        ("en", "A letter from Ben lies here.", ["Ben"], ["Ben"]),
        ("en", "A man stands near Carla.", ["Carla"], ["Carla"]),
        ("en", "We walk to Anna Street.", [], []),
        ("en", "The train goes to Florence.", [], []),
        ("en", "In Anna it is warm.", [], []),
        ("de", "Der Brief von Ben liegt hier.", ["Ben"], ["Ben"]),
        ("de", "Wir fahren nach Paris.", [], []),
        ("es", "El tren va hacia Valencia.", [], []),
        ("es", "Va hacia Carmen.", ["Carmen"], ["Carmen"]),
        ("fr", "Il donne la clé à Julie.", ["Julie"], ["Julie"]),
        ("fr", "On va à Nancy.", [], []),
        ("it", "La lettera di Marco è qui.", ["Marco"], ["Marco"]),
        ("it", "Va a Siena.", [], []),
        (
            "de",
            "Frau Müller bringt Herrn Schmidt die Rechnung.",
            ["Frau Müller", "Herrn Schmidt"],
            ["Frau Müller", "Herrn Schmidt"],
        ),
        ("de", "Während die Frau Kaffee kocht, winkt ein Herr.", [], []),
        ("fr", "M. Leroy apporte l'addition à Mme Dupont.", ["M Leroy", "Mme Dupont"], ["M Leroy", "Mme Dupont"]),
        ("fr", "Le docteur entre.", [], []),
        (
            "es",
            "El Sr. Pérez trae la cuenta a la señora López.",
            ["Sr Pérez", "Señora López"],
            ["Sr Pérez", "Señora López"],
        ),
        ("es", "La señora abre la puerta.", [], []),
        (
            "it",
            "Il signor Bianchi porta il conto alla signora Rossi.",
            ["Signor Bianchi", "Signora Rossi"],
            ["Signor Bianchi", "Signora Rossi"],
        ),
        ("it", "La signora esce.", [], []),
        ("de", "Während eine junge Frau Kaffee trinkt, regnet es.", [], []),
        ("de", "Dort sitzt, weil jede Frau Schuhe trägt, niemand.", [], []),
        ("de", "Die alte Frau. Regen fällt.", [], []),
        ("de", "Dann fragte Frau Müller ihn.", ["Frau Müller"], ["Frau Müller"]),
        ("de", "Ben umarmt die Frau. Anna lacht.", ["Ben", "Anna"], ["Ben", "Anna"]),
        ("en", "Ben hugs the lady. Anna laughs.", ["Ben", "Anna"], ["Ben", "Anna"]),
        ("es", "Habla con la señora. Anna ríe.", ["Anna"], ["Anna"]),
        ("it", "Parla con la signora. Anna ride.", ["Anna"], ["Anna"]),
        ("it", "Ecco il dott. Bianchi.", ["Dott Bianchi"], ["Dott Bianchi"]),
        ("fr", "Elle parle à Madame. Anna rit.", ["Anna"], ["Anna"]),
        ("fr", "Il voit la docteure. Anna rit.", ["Anna"], ["Anna"]),
        ("fr", "Il a 5 m. Paul saute.", ["Paul"], ["Paul"]),
        ("fr", "À 5 m Paul saute.", ["Paul"], ["Paul"]),
        ("de", "Mein Doktor Müller kommt.", ["Doktor Müller"], ["Doktor Müller"]),
        ("de", "Gestern kam unsere Frau Müller.", ["Frau Müller"], ["Frau Müller"]),
        ("de", "Dort wartet mein lieber Herr Müller.", ["Herr Müller"], ["Herr Müller"]),
        ("de", "Dort steht, während meine Frau Kaffee kocht, niemand.", [], []),
        ("de", "Während eine sehr junge Frau Kaffee kocht, regnet es.", [], []),
        ("de", "Während eine nette junge Frau Kaffee kocht, regnet es.", [], []),
        ("de", "Das hat heute Frau Müller gesagt.", ["Frau Müller"], ["Frau Müller"]),
        ("de", "Das machte Frau Müller.", ["Frau Müller"], ["Frau Müller"]),
        ("de", "Ihr winkte Frau Müller zu.", ["Frau Müller"], ["Frau Müller"]),
        ("de", "Dort wartet Hr. Müller.", ["Hr Müller"], ["Hr Müller"]),
        ("de", "Termin ist Fr. Anna kommt mit.", ["Anna"], ["Anna"]),
        ("de", "Er zahlt 20 Fr. Eintritt.", [], []),
        ("fr", "Il parle avec m. Dupont.", ["M Dupont"], ["M Dupont"]),
        ("fr", "Je m'appelle Paul.", ["Paul"], ["Paul"]),
        ("fr", "Il mesure 2 M. Paul saute.", ["Paul"], ["Paul"]),
        ("fr", "Voici Me Dupont.", ["Me Dupont"], ["Me Dupont"]),
        ("fr", "Elle me regarde.", [], []),
        ("en", "He lives on Main St. Anna laughs.", ["Anna"], ["Anna"]),
        ("en", "At 5 Mr. Smith laughs.", ["Mr Smith"], ["Mr Smith"]),
        ("en", "They pray to St. Anna.", ["St Anna"], ["St Anna"]),
        ("en", "The Lady's hat is red.", [], []),
        ("es", "Ahí está Dña. Pérez.", ["Dña Pérez"], ["Dña Pérez"]),
        ("es", "Ahí está la Lic. Pérez.", ["Lic Pérez"], ["Lic Pérez"]),
        ("it", "Ecco la Sig.ra Rossi.", ["Sig.ra Rossi"], ["Sig.ra Rossi"]),
        ("it", "Ecco la Dott.ssa Rossi.", ["Dott.ssa Rossi"], ["Dott.ssa Rossi"]),
        ("it", "Ecco la Prof.ssa Rossi.", ["Prof.ssa Rossi"], ["Prof.ssa Rossi"]),
        ("it", "Ecco l'Avv. Rossi.", ["Avv Rossi"], ["Avv Rossi"]),
        ("it", "Ecco Avv. Rossi.", ["Avv Rossi"], ["Avv Rossi"]),
    ],
)
def test_more_than_a_capital_shows_a_person(code: str, text: str, talk: list[str], caption: list[str]) -> None:
    spoken = language(code)
    assert list(spoken.persons_named(text, [], caption=False)) == talk
    assert list(spoken.persons_named(text, [], caption=True)) == caption


@pytest.mark.parametrize(
    ("code", "text"),
    [
        *(("de", text) for text in ("Sie sagt nichts.", "Es kommt jemand.", "Niemand lacht.", "Regen kommt.")),
        *(("es", text) for text in ("Ella dice algo.", "Él abre la puerta.", "Nadie dice nada.")),
        *(("fr", text) for text in ("Elle prend la clé.", "Quelqu'un ouvre la porte.", "Personne ne dit rien.")),
        *(("it", text) for text in ("Lei dice di no.", "Lui apre la porta.", "Qualcuno apre la porta.")),
    ],
)
def test_a_pronoun_that_begins_a_sentence_is_no_person(code: str, text: str) -> None:
    assert not language(code).persons_named(text, [], caption=True)


def test_names_side_by_side_are_several_persons() -> None:
    assert [*language("en").persons_named("I see Anna Ben.", ["Anna", "Ben"], caption=True)] == ["Anna", "Ben"]


@pytest.mark.parametrize(
    ("text", "known", "named"),
    [
        ("I chat with AnnaBen.", ["Anna"], ["Anna", "Ben"]),
        ("ChoixtAnnaBen walked over.", ["Anna"], ["Choixt", "Anna", "Ben"]),
        ("MaryAnn walked over.", ["Mary", "MaryAnn"], ["MaryAnn"]),
        ("MaryAnn walked over.", ["Ben", "Mary Smith"], ["MaryAnn"]),
        ("McAnna walked over.", ["Anna"], ["McAnna"]),
        ("I chat with ÉlodieÉmile.", ["Émile"], ["Élodie", "Émile"]),
    ],
)
def test_names_written_as_one_word_are_several_persons(text: str, known: list[str], named: list[str]) -> None:
    assert [*language("en").persons_named(text, known, caption=True)] == named


@pytest.mark.parametrize("text", ["Open Choixt contacts.", "I opened Choixt messages.", "Checking Choixt notes."])
def test_what_something_is_done_to_does_not_act(text: str) -> None:
    assert not language("en").persons_named(text, [], caption=True)


@pytest.mark.parametrize(
    "text",
    [
        *("Watching Choixt operate.", "Choixt contacts Anna.", "While Choixt notes it."),
        *("Doctor Choixt presses the bell.", "Guard Choixt walks the hall.", "Nurse Choixt parks the van."),
    ],
)
def test_whoever_does_something_acts(text: str) -> None:
    assert "Choixt" in language("en").persons_named(text, [], caption=True)


def test_a_name_is_seen_or_addressed_or_only_told() -> None:
    english = language("en")
    said = "Choixt, come here! Ask Anna. Anna, stop it!"
    assert english.persons_named(said, [], caption=False) == {"Choixt": "addressed", "Anna": "addressed"}
    assert english.persons_named("Ask Anna.", [], caption=False) == {"Anna": "told"}
    quoting = 'Ben says: "Ask Anna." Anna waves. Ben says: "Choixt, come here!"'
    assert english.persons_named(quoting, [], caption=True) == {"Ben": None, "Anna": None, "Choixt": "addressed"}


@pytest.mark.parametrize(
    ("text", "known", "named"),
    [
        ("Jane Brown takes the key.", ["Jane Brown"], ["Jane Brown"]),
        ("Dr. Smith takes the key.", ["Dr. Smith"], ["Dr Smith"]),
        ("Jane Anna Brown Ben sit.", ["Jane Anna Brown", "Ben"], ["Jane Anna Brown", "Ben"]),
        ("Mr. Brown and Jane Brown sit.", ["Jane Brown", "Mr. Brown"], ["Mr Brown", "Jane Brown"]),
        ("I see Jane Brown.", ["Jane Lee", "Tom Brown"], ["Jane", "Brown"]),
    ],
)
def test_a_known_name_of_several_words_is_one_person(text: str, known: list[str], named: list[str]) -> None:
    assert [*language("en").persons_named(text, known, caption=True)] == named


PERSONS = ["anna", "ben", "person", "man_yellow_jacket", "mr_smith", "clara_maria_rossi"]
OBJECTS = ["key", "mug", "coffee mug", "can", "umbrella", "knife"]


@pytest.mark.parametrize(
    ("text", "persons", "objects"),
    [
        ("Where did Anna put the keys?", ("anna",), ("key",)),
        ("where's anna's mug", ("anna",), ("mug",)),
        ("Are the coffee mugs in the sink?", (), ("coffee mug",)),
        ("Can you find my umbrella?", (), ("umbrella",)),
        ("Can you find the can?", (), ("can",)),
        ("Did the man in the yellow jacket meet Mr. Smith?", ("man_yellow_jacket", "mr_smith"), ()),
        ("What did Clara do with Ben's knives?", ("ben", "clara_maria_rossi"), ("knife",)),
        ("How often does a person find the can?", (), ("can",)),
        ("", (), ()),
    ],
)
def test_a_question_names_what_is_known(text: str, persons: tuple[str, ...], objects: tuple[str, ...]) -> None:
    assert named_in(text, PERSONS, OBJECTS) == KnownNames(persons, objects)


@pytest.mark.parametrize(
    "phrase",
    ["an umbrella", "a uniform", "an hour", "a one-eyed cat", "a European", "an LED lamp", "a USB stick", "a mug"],
)
def test_articles_follow_the_sound(phrase: str) -> None:
    assert with_article(phrase.partition(" ")[2]) == phrase


def test_sentences_are_well_formed() -> None:
    assert sentence("anna picks up the keys") == "Anna picks up the keys."
    assert sentence('Ben says: "Where?"') == 'Ben says: "Where?"'
    assert [joined(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert joined(["a", "b"], "or") == "a or b"
    assert [past_tense("put down"), past_tense("take off"), past_tense("pick up")] == [
        "put down",
        "took off",
        "picked up",
    ]
    assert [past_participle("take out"), past_participle("pick up")] == ["taken out", "picked up"]
    assert [gerund("put down"), gerund("hoover")] == ["putting down", "hoovering"]
