"""Which questions of a turn are answered: the last ones, after a long paste too."""

from __future__ import annotations

import pytest

from amr_neo4j.turn_reader.understand import Understander
from tests.unit.test_quoted_turns import talk


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander(["en", "es", "fr", "de", "it"])


# {language: (what is said, a sentence that is pasted, a question, the hint's town, a request after it)}
PASTES = {
    "en": ("I live in Ghent.", "The committee met on Tuesday.", "Where do I live", "Ghent", "Be brief."),
    "de": ("Ich wohne in Gent.", "Der Ausschuss tagte am Dienstag.", "Wo wohne ich", "Gent", "Kurz bitte."),
    "fr": ("J'habite à Gand.", "Le comité s'est réuni mardi.", "Où est-ce que j'habite", "Gand", "Sois bref."),
    "es": ("Vivo en Gante.", "El comité se reunió el martes.", "Dónde vivo", "Gante", "Sé breve."),
    "it": ("Abito a Gand.", "Il comitato si è riunito martedì.", "Dove abito", "Gand", "Sii breve."),
}


@pytest.mark.parametrize("code", PASTES)
@pytest.mark.parametrize("end", ["?", ".", ". {request}"])
def test_a_question_after_a_long_paste_gets_its_hint(understander: Understander, code: str, end: str) -> None:
    said, pasted, question, town, request = PASTES[code]
    chat = talk(understander, [said])
    turn = chat.observe(" ".join([pasted] * 150 + [question + end.format(request=request)]))
    assert [hint.text for hint in turn.hints if town in hint.text]


# {language: (what is said, a question, a second one, the second one in short)}
TWO = {
    "en": (
        "I live in Paris. My brother Ben lives in Oslo.",
        "Where do I live?",
        "And where does Ben live?",
        "And Ben?",
    ),
    "de": ("Ich wohne in Paris. Mein Bruder Ben wohnt in Oslo.", "Wo wohne ich?", "Und wo wohnt Ben?", "Und Ben?"),
    "fr": ("J'habite à Paris. Mon frère Ben habite à Oslo.", "Où j'habite ?", "Et où habite Ben ?", "Et Ben ?"),
    "es": ("Vivo en París. Mi hermano Ben vive en Oslo.", "¿Dónde vivo?", "¿Y dónde vive Ben?", "¿Y Ben?"),
    "it": ("Abito a Parigi. Mio fratello Ben abita a Oslo.", "Dove abito?", "E dove abita Ben?", "E Ben?"),
}


@pytest.mark.parametrize("code", TWO)
def test_two_questions_of_a_turn_are_answered_in_their_order(understander: Understander, code: str) -> None:
    said, one, other, short = TWO[code]
    first, second = talk(understander, [said]).observe(f"{one} {other}").hints
    assert "Par" in first.text and "Oslo" in second.text
    texts = [hint.text for hint in talk(understander, [said]).observe(f"{one} {short}").hints]
    assert "Par" in texts[0] and any("Oslo" in text for text in texts[1:])
