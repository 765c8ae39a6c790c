"""What makes a fact, and words that only look like one, in the wordings that people use."""

import pytest

from amr_neo4j.domain.fact import Triple
from amr_neo4j.turn_reader.understand import read_by_rules

STATED = {
    "a duration in one word": ("it", "il film dura 3h", [("film", "duration", "3h")]),
    "an appointment named by whom it is with": ("en", "The dentist is at 3 pm.", [("dentist", "time", "3 pm")]),
    "a compound noun with da": ("it", "Ho una macchina da cucire.", [("you", "has", "macchina da cucire")]),
    "an old car, no mother": ("fr", "J'ai une vieille Clio.", [("you", "has", "vieille clio")]),
    "what never pleased": ("fr", "Je n'ai jamais pu souffrir les menteurs.", [("you", "dislikes", "menteurs")]),
    "what one cannot do without": ("es", "no me canso de las series", [("you", "likes", "series")]),
    "a name given": ("de", "Unsere Katze haben wir Minka genannt.", [("you", "cat", "minka")]),
    "a trip, no move": ("es", "Nos fuimos a Cádiz el fin de semana.", [("you", "went_to", "cádiz")]),
    "a subject and where it is studied": (
        "en",
        "I study marine biology at Plymouth",
        [("you", "studies", "marine biology")],
    ),
    "the studies of somebody else": ("de", "Kemal studiert Jura und lernt nur", [("kemal", "studies", "jura")]),
    "studies without the verb for it": ("fr", "moi je fais de la chimie", [("you", "studies", "chimie")]),
    "studies with an article inside": (
        "es",
        "Estudio historia del arte en León",
        [("you", "studies", "historia del arte")],
    ),
    "a course that somebody takes": ("it", "Lavinia fa medicina a Pavia", [("lavinia", "studies", "medicina")]),
    "an instrument": ("en", "I play the cello in an amateur orchestra", [("you", "plays_instrument", "cello")]),
    "a trombone": ("de", "ich spiele Posaune im Musikverein", [("you", "plays_instrument", "posaune")]),
    "a harp": ("fr", "Je joue de la harpe dans un petit ensemble", [("you", "plays_instrument", "harpe")]),
    "a sport": ("es", "Mario juega al balonmano", [("mario", "plays_sport", "balonmano")]),
    "a sport of somebody else": ("it", "Diego gioca a pallamano", [("diego", "plays_sport", "pallamano")]),
    "a language that one learns": ("it", "sto imparando il sardo", [("you", "learns", "sardo")]),
    "a language, for two years": ("fr", "j'apprends le breton depuis deux ans", [("you", "learns", "breton")]),
    "a language that one speaks": ("en", "I speak fluent Italian", [("you", "speaks", "italian")]),
    "a landlord": ("de", "Mein Vermieter ist Herr Osterkamp", [("you", "landlord", "herr osterkamp")]),
    "a landlord of two words": ("it", "il mio padrone di casa si chiama Olindo", [("you", "landlord", "olindo")]),
}
NOT_STATED = {
    "an hour is no trade": ("es", "el dentista a las 5"),
    "a means of travel is no name": ("en", "I go by train."),
    "who lifts a receiver buys nothing": ("en", "I picked up the phone and nobody answered."),
    "a start still to come": ("es", "El lunes empiezo en Bosch."),
    "what one would rather not": ("es", "prefiero no hablar de eso"),
    "an instrument that nobody plays": ("en", "I don't play the piano"),
    "one that was played once": ("en", "My sister used to play the violin"),
    "a language that one would like to learn": ("en", "I'd love to learn Japanese"),
    "a landlord's rules": ("en", "no pets here, landlord's rules"),
    "where somebody was before": ("en", "Before Hamburg I lived in Zurich."),
}


@pytest.mark.parametrize(("code", "text", "triples"), STATED.values(), ids=STATED)
def test_stated(code: str, text: str, triples: list[tuple[str, str, str]]) -> None:
    assert [fact.triple for fact in read_by_rules(text, code).facts] == [Triple(*triple) for triple in triples]


@pytest.mark.parametrize(("code", "text"), NOT_STATED.values(), ids=NOT_STATED)
def test_not_stated(code: str, text: str) -> None:
    stated = [fact.triple for fact in read_by_rules(text, code).facts]
    assert not [
        triple
        for triple in stated
        if triple.relation in {"is", "name", "owns", "works_at", "lives_in", "dislikes"}
        or triple.relation in {"studies", "plays_instrument", "learns", "landlord"}
    ]


@pytest.mark.parametrize(
    ("code", "text", "retracted"),
    [
        ("en", "We gave the piano away.", ("you", "owns", "piano")),
        ("en", "I sold the Corsa last week.", ("you", "owns", "corsa")),
        ("fr", "j'ai plaqué mon taf chez Ikea", ("you", "works_at", "ikea")),
        ("it", "Ho smesso di essere vegano.", ("you", "is", "vegano")),
    ],
)
def test_over(code: str, text: str, retracted: tuple[str, str, str]) -> None:
    understood = read_by_rules(text, code)
    assert list(understood.retracted) == [Triple(*retracted)]
    assert not understood.facts
