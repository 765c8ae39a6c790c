"""German and French as people type and say it: capitals, dialect, what stands before its clause."""

import pytest

from amr_neo4j.domain.fact import Triple, TurnContext
from amr_neo4j.turn_reader.understand import read_by_rules

STATED = {
    "a noun without an article": (
        "de",
        [],
        "Meine Schwägerin ist Deichgräferin.",
        [("schwägerin", "is", "deichgräferin")],
    ),
    "with its adjective": ("de", [], "Mein Onkel ist gelernter Koch.", [("onkel", "is", "gelernter koch")]),
    "a trade is no name": ("de", [], "Ich bin Kutschenbauer.", [("you", "is", "kutschenbauer")]),
    "a name behind an article": ("de", [], "bin der jaro", [("you", "name", "jaro")]),
    "dialect": ("de", [], "i mog koane Nudeln", [("you", "dislikes", "nudeln")]),
    "a noun is no filler": ("de", [], "Das Fest beginnt um 18 Uhr.", [("fest", "time", "18 uhr")]),
    "counted and owned": ("de", [], "Meine vier Enkel toben", [("you", "has", "enkel"), ("enkel", "quantity", "4")]),
    "a belonging in passing": ("de", [], "Mein Drucker streikt schon wieder.", [("you", "has", "drucker")]),
    "a former home": ("de", [], "Früher haben wir in Bremen gewohnt.", [("you", "moved_from", "bremen")]),
    "a name of the turn before": ("de", ["Jonas kommt nie pünktlich."], "Er ist Koch.", [("jonas", "is", "koch")]),
    "a denial of what follows alone": (
        "de",
        ["Mein Bruder Jan ist da."],
        "Er ist Koch und isst nie.",
        [("jan", "is", "koch")],
    ),
    "the object before, with a verb phrase": (
        "fr",
        [],
        "Les néons, je les ai en horreur.",
        [("you", "dislikes", "néons")],
    ),
    "employed at": (
        "fr",
        [],
        "Je suis juriste au CNRS.",
        [("you", "is", "juriste"), ("you", "works_at", "cnrs")],
    ),
    "names after their number": (
        "fr",
        [],
        "g deux chats, filou et noisette",
        [("you", "cat", "filou"), ("you", "cat", "noisette"), ("you", "has", "chats"), ("chats", "quantity", "2")],
    ),
    "at home": ("fr", [], "on est a montluçon", [("you", "lives_in", "montluçon")]),
    "more, not no more": ("fr", [], "j'aime de plus en plus le jazz", [("you", "likes", "jazz")]),
    "an hour, not a length": ("fr", [], "la tournée c'est 7h", [("tournée", "time", "7h")]),
}
NOT_STATED = {
    "an employer that could be any": ("fr", "Je travaille comme serveur dans un bistrot.", "works_at"),
    "hearsay": ("fr", "un type m'a dit je suis prof", "is"),
    "a name that is no fact of the speaker's": ("de", "Meine Schwiegermutter heißt Ottilie.", "name"),
    "what does not agree with one": ("de", "Ich vertrage keine Nüsse.", "dislikes"),
}


@pytest.mark.parametrize(("code", "before", "text", "triples"), STATED.values(), ids=STATED)
def test_stated(code: str, before: list[str], text: str, triples: list[tuple[str, str, str]]) -> None:
    assert {fact.triple for fact in read_by_rules(text, code, TurnContext(before)).facts} == {
        Triple(*one) for one in triples
    }


@pytest.mark.parametrize(("code", "text", "relation"), NOT_STATED.values(), ids=NOT_STATED)
def test_not_stated(code: str, text: str, relation: str) -> None:
    assert relation not in {fact.triple.relation for fact in read_by_rules(text, code).facts}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "I work in IT.", [("you", "works_in", "it")]),
        ("en", "I work in it.", []),
        ("en", "I WORK ON IT.", []),
        ("es", "Trabajo en IT.", [("you", "works_in", "it")]),
        ("fr", "Je travaille dans l'IT.", [("you", "works_in", "it")]),
        ("de", "Ich arbeite in der IT.", [("you", "works_in", "it")]),
        ("it", "Lavoro nell'IT.", [("you", "works_in", "it")]),
    ],
)
def test_a_field_of_work_in_capitals_is_no_pronoun(
    language: str, text: str, expected: list[tuple[str, str, str]]
) -> None:
    assert [fact.triple for fact in read_by_rules(text, language).facts] == expected
