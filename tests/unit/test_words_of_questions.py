"""Which words of a question an answer must have, and how the answer quotes them."""

from __future__ import annotations

import pytest

from amr_neo4j.language.languages import language
from amr_neo4j.language.spoken import AskedLanguage, SpokenLanguage
from amr_neo4j.recall.question.parse import as_typed


@pytest.mark.parametrize(
    ("code", "question", "words"),
    [
        ("de", "Wie lange arbeite ich schon an der Uniklinik?", ["arbeite", "uniklinik"]),
        ("de", "Um wie viel Uhr beginnt es?", ["beginnt"]),
        ("de", "Wie oft war ich beim Arzt?", ["arzt"]),
        ("de", "Wer ist Herr Krause?", ["krause"]),
        ("fr", "À quelle heure commence la réunion ?", ["commence", "réunion"]),
        ("fr", "Combien de fois suis-je allé chez le médecin ?", ["allé", "médecin"]),
        ("fr", "Qui est monsieur Dupont ?", ["dupont"]),
        ("es", "¿A qué hora empieza?", ["empieza"]),
        ("es", "¿Cuántas veces fui al médico?", ["médico"]),
        ("es", "¿Quién es el señor Pérez?", ["pérez"]),
        ("it", "A che ora comincia?", ["comincia"]),
        ("it", "Quante volte sono andato dal medico?", ["andato", "medico"]),
        ("it", "Chi è il signor Rossi?", ["rossi"]),
        # The same words may be what is asked for.
        ("de", "Wo ist meine Uhr?", ["uhr"]),
        ("de", "Wer ist der Herr mit dem Hut?", ["herr", "hut"]),
        ("fr", "Où est la dame ?", ["dame"]),
        ("fr", "Où est madame ?", ["madame"]),
        ("fr", "Quelle heure est-il ?", ["heure"]),
        ("es", "¿Dónde está la señora?", ["señora"]),
        ("es", "¿Qué hora es?", ["hora"]),
        ("it", "Dov'è il signore?", ["signore"]),
    ],
)
def test_no_answer_must_repeat_a_word_that_only_asks_how_much_or_a_title(
    code: str, question: str, words: list[str]
) -> None:
    spoken = language(code)
    assert spoken.answers is not None
    asked = SpokenLanguage(spoken, spoken.answers, lambda text: code, "en")
    assert [word.word for word in asked.content_words(question)] == words


@pytest.mark.parametrize(
    ("word", "question", "typed"),
    [
        ("heisst", "Wie heißt meine Frau?", "heißt"),
        ("zahnarzttermin", "Wann ist mein Zahnarzttermin?", "Zahnarzttermin"),
        ("zoe", "Where did Zoe put the keys?", "Zoe"),
        ("mug", "Where is the red cup?", "mug"),
    ],
)
def test_a_word_is_quoted_as_it_was_typed(word: str, question: str, typed: str) -> None:
    assert as_typed(word, question) == typed


# Question words, each asked of Ben. Some Spanish ones are often typed without their accents.
ASKING = {
    "de": "Wie Weshalb Wieso Wozu Wieviel Wieviele Wobei Wodurch Wogegen Woran Woraus Worin Worüber Worum Wovon",
    "fr": "Comment Pourquoi Lequel Lesquels Lesquelles Auquel Auxquelles Duquel Desquels",
    "es": "Cómo Dónde Donde Adonde Quién Quien Quienes Cuál Cual Cuánto Cuanto Cuantas Cuando",
    "it": "Come Dove Quando Quand' Quanto Quant' Quale Quali",
}


@pytest.mark.parametrize("code", ASKING)
def test_a_question_word_is_no_name_that_memory_must_have(code: str) -> None:
    """Of conversations in the language, and of English footage, where an unknown word stays as it is."""
    spoken = language(code)
    assert spoken.answers is not None
    of_talk, of_footage = SpokenLanguage(spoken, spoken.answers, lambda text: code, "en"), AskedLanguage(code, "en")
    for word in ASKING[code].split():
        question = f"{word} Ben?"
        english = of_footage.in_english(question, ["ben"], []).text
        for asked, text in ((of_talk, question), (of_footage, english)):
            assert [each.word for each in asked.content_words(text)] == ["ben"], (word, text)
