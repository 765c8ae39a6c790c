"""How people talk: profiles, what is said in passing, what used to be so, what a pronoun takes up."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple, TurnContext
from amr_neo4j.turn_reader.understand import read_by_rules

STATED: dict[str, tuple[str, str, list[str], set[tuple[str, str, str]]]] = {
    "a date before the hour": (
        "es",
        "La boda es el 9 de mayo a las 18:00 en la ermita.",
        [],
        {("boda", "time", "9 de mayo a las 18:00")},
    ),
    "a day without a preposition": (
        "en",
        "choir practice is tues 7pm in the hall",
        [],
        {("choir practice", "time", "7pm")},
    ),
    "a length in digits": ("en", "The course takes three weeks.", [], {("course", "duration", "3 weeks")}),
    "as it was typed": ("es", "soy profe d música", [], {("you", "is", "profe d música")}),
    "a home said in passing": (
        "en",
        "My wife grows lemons here in Palermo Heights.",
        [],
        {("you", "lives_in", "palermo heights")},
    ),
    "a place where one lives": (
        "es",
        "En Cartaya, donde vivo, hay un mercado los lunes.",
        [],
        {("you", "lives_in", "cartaya")},
    ),
    "a genitive without its apostrophe": ("en", "my neighbours name is Olga", [], {("you", "neighbor", "olga")}),
    "a verb that no rule knows after a conjunction": (
        "es",
        "Mi sobrino tiene un tambor y ensaya en el garaje.",
        [],
        {("sobrino", "has", "tambor")},
    ),
    "a denial after a conjunction": (
        "es",
        "soy cocinero y no pruebo el picante",
        [],
        {("you", "is", "cocinero")},
    ),
    "a relative clause that denies": (
        "es",
        "Tengo un perro que no ladra nunca.",
        [],
        {("you", "has", "perro")},
    ),
    "a wish after a statement": (
        "es",
        "Trabajo en Correos y ojalá me tocara la lotería.",
        [],
        {("you", "works_at", "correos")},
    ),
    "what a clause began with": ("en", "gazpacho on a hot day, i love it", [], {("you", "likes", "gazpacho")}),
    "somebody known by name": (
        "en",
        "She's 12.",
        ["Our Martha broke her arm at school."],
        {("martha", "age", "12")},
    ),
    "kin that the clause before spoke of": (
        "es",
        "mi suegra no para quieta, nació en Jaca",
        [],
        {("suegra", "born_in", "jaca")},
    ),
    "what belongs to somebody else": (
        "en",
        "I still have his watch.",
        ["My uncle Ned died last year."],
        {("you", "has", "watch")},
    ),
    "a club": ("en", "I'm a Sunderland fan.", [], {("you", "favorite_team", "sunderland")}),
    "nobody's possession": ("es", "Vivo con mis padres.", [], set()),
    "an order is no subject": ("en", "Sketch a barn for a farmer who lives in Derry and owns a mule.", [], set()),
    "an adverb between a verb and its place": (
        "de",
        "Ich wohne aber seit zwölf Jahren in Passau.",
        [],
        {("you", "lives_in", "passau")},
    ),
    "a participle after a noun": (
        "de",
        "Meine Tante Ulla hat die Mühle 1988 übernommen.",
        [],
        {("you", "aunt", "ulla")},
    ),
    "what was put somewhere": ("de", "Ich habe die rote Kiste gestern in den Keller gestellt.", [], set()),
    "what was left somewhere": ("de", "Ich habe den Schirm im Bus liegen lassen.", [], set()),
    "what was lent": ("de", "Ich habe die Leiter an den Nachbarn verliehen.", [], set()),
    "what is somewhere with the speaker": (
        "de",
        "Ich habe den Hund seit drei Jahren.",
        [],
        {("you", "has", "hund")},
    ),
    "what is liked better than something": ("en", "I prefer rowing to running.", [], {("you", "likes", "rowing")}),
    "never able to": ("en", "I've never been able to stand marzipan.", [], {("you", "dislikes", "marzipan")}),
    "what others think of the speaker": ("en", "Everybody assumes I work in a circus.", [], set()),
    "a verb that may be spelt like a name": ("en", "flatmate whistles like a kettle", [], set()),
    "what a thing has": ("en", "My shed has a tin roof.", [], set()),
    "whose kind somebody is": ("es", "Somos de queso y vino.", [], set()),
    "an answer of where": ("en", "at the foundry", ["Where do you work?"], {("you", "works_at", "foundry")}),
    "an answer of how old": ("en", "7", ["How old is my niece?"], {("niece", "age", "7")}),
    "an answer of how many": (
        "en",
        "three",
        ["How many donkeys do you have?"],
        {("you", "has", "donkeys"), ("donkeys", "quantity", "3")},
    ),
    "an answer of a name": ("de", "Ottokar", ["Wie heißt dein Hund?"], {("you", "dog", "ottokar")}),
    "an answer of a place": ("es", "en Lugo", ["¿Dónde vives?"], {("you", "lives_in", "lugo")}),
    "no answer": ("en", "no idea", ["Where do you work?"], set()),
    "another thing is said": ("en", "It rained.", ["Where do you work?"], set()),
    "a joke at the end": ("es", "Vivo en la luna, es broma.", [], set()),
}


@pytest.mark.parametrize(("code", "text", "context", "triples"), STATED.values(), ids=STATED)
def test_stated(code: str, text: str, context: list[str], triples: set[tuple[str, str, str]]) -> None:
    assert {tuple(fact.triple) for fact in read_by_rules(text, code, TurnContext(context)).facts} == triples


@pytest.mark.parametrize(
    ("code", "text", "context", "retracted"),
    [
        ("en", "I used to live in Truro.", [], ("you", "lives_in", "truro")),
        ("en", "I was a glazier for ten years before this.", [], ("you", "is", "glazier")),
        ("en", "Not with Vodafone any more, sadly.", ["I work at Vodafone."], ("you", "works_at", "vodafone")),
        ("es", "Trabajaba en Renfe.", [], ("you", "works_at", "renfe")),
    ],
)
def test_used_to_be_so(code: str, text: str, context: list[str], retracted: tuple[str, str, str]) -> None:
    understood = read_by_rules(text, code, TurnContext(context))
    assert list(understood.retracted) == [Triple(*retracted)]
    assert not understood.facts


@pytest.mark.parametrize(
    ("code", "old", "sold", "now"),
    [
        ("en", "My old flat in Oslo was tiny.", "I sold my house in Leeds.", "My new flat in Bath is great."),
        (
            "de",
            "Meine alte Wohnung in Oslo war winzig.",
            "Ich habe mein Haus in Leeds verkauft.",
            "Meine neue Wohnung in Bath ist toll.",
        ),
        (
            "fr",
            "Mon vieil appartement à Oslo était minuscule.",
            "J'ai vendu ma maison à Leeds.",
            "Mon nouvel appartement à Bath est super.",
        ),
        ("es", "Mi viejo piso en Oslo era diminuto.", "Vendí mi casa en Leeds.", "Mi nuevo piso en Bath es genial."),
        (
            "it",
            "Il mio vecchio appartamento a Oslo era minuscolo.",
            "Ho venduto la mia casa a Leeds.",
            "Il mio nuovo appartamento a Bath è bello.",
        ),
    ],
)
def test_an_old_home_and_one_that_was_sold_are_no_home(code: str, old: str, sold: str, now: str) -> None:
    for turn in (old, sold):
        assert "lives_in" not in {fact.triple.relation for fact in read_by_rules(turn, code).facts}
    assert ("you", "lives_in", "bath") in [fact.triple for fact in read_by_rules(now, code).facts]
