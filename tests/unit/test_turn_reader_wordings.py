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
}
NOT_STATED = {
    "an hour is no trade": ("es", "el dentista a las 5"),
    "a means of travel is no name": ("en", "I go by train."),
    "who lifts a receiver buys nothing": ("en", "I picked up the phone and nobody answered."),
    "a start still to come": ("es", "El lunes empiezo en Bosch."),
    "what one would rather not": ("es", "prefiero no hablar de eso"),
    "where somebody was before": ("en", "Before Hamburg I lived in Zurich."),
}


@pytest.mark.parametrize(("code", "text", "triples"), STATED.values(), ids=STATED)
def test_stated(code: str, text: str, triples: list[tuple[str, str, str]]) -> None:
    assert [fact.triple for fact in read_by_rules(text, code).facts] == [Triple(*triple) for triple in triples]


@pytest.mark.parametrize(("code", "text"), NOT_STATED.values(), ids=NOT_STATED)
def test_not_stated(code: str, text: str) -> None:
    stated = [fact.triple for fact in read_by_rules(text, code).facts]
    assert not [
        triple for triple in stated if triple.relation in {"is", "name", "owns", "works_at", "lives_in", "dislikes"}
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
