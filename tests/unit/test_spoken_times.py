"""Times in questions about talk are read in every language, by the English words for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from amr_neo4j.app.beliefs import language_asked
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH, Language
from amr_neo4j.language.time_expressions import NamedTime

LANGUAGES = ("en", "de", "fr", "es", "it")
# The time in English; then a question in each language, with and without it.
TIMES = {
    "in may": [
        ("de", "Wo habe ich im Mai gewohnt?", "Wo habe ich gewohnt?"),
        ("fr", "Où habitais-je en mai ?", "Où habitais-je ?"),
        ("es", "¿Dónde vivía en mayo?", "¿Dónde vivía ?"),
        ("it", "Dove abitavo a maggio?", "Dove abitavo ?"),
    ],
    "last week": [
        ("de", "Was habe ich letzte Woche gekauft?", "Was habe ich gekauft?"),
        ("fr", "Qu'est-ce que j'ai acheté la semaine dernière ?", "Qu'est-ce que j'ai acheté ?"),
        ("es", "¿Qué compré la semana pasada?", "¿Qué compré ?"),
        ("it", "Che cosa ho comprato la settimana scorsa?", "Che cosa ho comprato ?"),
    ],
    "on 3 march": [
        ("de", "Was habe ich am 3. März gekocht?", "Was habe ich gekocht?"),
        ("fr", "Qu'ai-je fait le 3 mars ?", "Qu'ai-je fait ?"),
        ("es", "¿Qué hice el 3 de marzo?", "¿Qué hice ?"),
        ("it", "Cosa ho fatto il 3 marzo?", "Cosa ho fatto ?"),
    ],
    "before june": [
        ("de", "Wo habe ich vor Juni gearbeitet?", "Wo habe ich gearbeitet?"),
        ("fr", "Où travaillais-je avant juin ?", "Où travaillais-je ?"),
        ("es", "¿Dónde trabajaba antes de junio?", "¿Dónde trabajaba ?"),
        ("it", "Dove lavoravo prima di giugno?", "Dove lavoravo ?"),
    ],
    "2 years ago": [
        ("de", "Wo habe ich vor zwei Jahren gewohnt?", "Wo habe ich gewohnt?"),
        ("fr", "Où habitais-je il y a deux ans ?", "Où habitais-je ?"),
        ("es", "¿Dónde vivía hace dos años?", "¿Dónde vivía ?"),
        ("it", "Dove abitavo due anni fa?", "Dove abitavo ?"),
    ],
    "between march and may": [
        ("de", "Wo war ich zwischen März und Mai?", "Wo war ich ?"),
        ("fr", "Où étais-je entre mars et mai ?", "Où étais-je ?"),
        ("es", "¿Dónde estuve entre marzo y mayo?", "¿Dónde estuve ?"),
        ("it", "Dove sono stato tra marzo e maggio?", "Dove sono stato ?"),
    ],
    "in 2019": [
        ("de", "Wo hat Anna 2019 gewohnt?", "Wo hat Anna gewohnt?"),
        ("fr", "Où est-ce que j'habitais en 2019 ?", "Où est-ce que j'habitais ?"),
        ("es", "¿Dónde vivía en 2019?", "¿Dónde vivía ?"),
        ("it", "Dove abitavo nel 2019?", "Dove abitavo ?"),
    ],
}
PAST = [
    ("de", "Wo habe ich am Montag gegessen?", "Wo esse ich am Montag?"),
    ("de", "Wo wohnte ich im Mai?", "Wo wohne ich im Mai?"),
    ("de", "War der Kurs am Dienstag?", "Wann ist der Kurs am Dienstag?"),
    ("fr", "Qui ai-je vu lundi ?", "Qui est-ce que je vois lundi ?"),
    ("fr", "Où travaillait Anna en mai ?", "Où travaille Anna en mai ?"),
    ("fr", "Où est allée Anna mardi ?", "Où est le cours mardi ?"),
    ("es", "¿Qué hice el lunes?", "¿Qué hago el lunes?"),
    ("es", "¿Dónde vivía Ana en mayo?", "¿Dónde vive Ana en mayo?"),
    ("es", "¿Qué compré el martes?", "¿Qué día es la cita del martes?"),
    ("it", "Chi ho visto lunedì?", "Chi vedo lunedì?"),
    ("it", "Dove abitava Anna a maggio?", "Dove abita Anna a maggio?"),
    ("it", "Dove è andata Anna martedì?", "Quando è il corso di martedì?"),
    ("en", "What did I do on 3 March?", "What do I do on 3 March?"),
    # Nouns and names are spelt as verbs are.
    ("de", "Hatte ich am Dienstag Unterricht?", "Wann habe ich am Dienstag Unterricht?"),
    ("de", "Wo habe ich gestern gearbeitet?", "Wo arbeite ich heute?"),
    ("de", "Wo wart ihr am Montag?", "Was möchte ich am Montag essen?"),
    ("de", "Ist Anna gestern angekommen?", "Mit wem ist Anna heute verheiratet?"),
    ("de", "Wann sah ich gestern Anna?", "Wann habe ich übermorgen den Kurs?"),
    ("de", "Was tranken wir in Las Vegas?", "Wann bin ich am Montag in Las Vegas?"),
    ("fr", "Quand étions-nous au palais ?", "Quand sont les réunions de lundi ?"),
    ("fr", "Qu'ai-je déjà acheté mardi ?", "À quelle heure ai-je le marché mardi ?"),
    ("fr", "Quel âge avait Chloé en mai ?", "Quel âge a Chloé en mai ?"),
    ("fr", "Où Anna a-t-elle dîné lundi ?", "À quelle heure Anna a-t-elle sa soirée lundi ?"),
    ("fr", "Que voulais-je faire lundi ?", "Que pourrais-je faire lundi ?"),
    ("es", "¿Dónde comió María el lunes?", "¿Dónde come María el lunes?"),
    ("es", "¿A qué hora comí ayer?", "¿A qué hora como hoy a mediodía?"),
    ("es", "¿Dónde ha nacido el bebé?", "¿Cuándo nace el bebé?"),
    ("es", "¿Quién asistió al curso el lunes?", "¿Quién asiste al curso el lunes?"),
    ("it", "Dove ho giocato la partita?", "A che ora è la partita di sabato?"),
    ("it", "Quando ho preso appuntamento?", "Quando ho appuntamento dal dentista?"),
    ("it", "Dov'era l'aperitivo di lunedì?", "Dov'è l'aperitivo di lunedì?"),
    ("it", "Che lavoro ha fatto Marta?", "Che lavoro ha Marta adesso?"),
]


def spoken(code: str, question: str) -> Language:
    scope = Scope("test", user_id="anna")
    found = language_asked(question, scope, LANGUAGES, ENGLISH)
    assert found.code == code
    return found


def timeless(named: NamedTime | None) -> NamedTime:
    assert named is not None
    return replace(named, words="")


@pytest.mark.parametrize(
    ("english", "code", "question", "rest"),
    [(english, *row) for english, rows in TIMES.items() for row in rows],
)
def test_a_time_means_what_its_english_words_mean(english: str, code: str, question: str, rest: str) -> None:
    without, named = spoken(code, question).time_in(question)
    assert timeless(named) == timeless(ENGLISH.time_in(f"Where was I {english}?")[1])
    assert without == rest


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "Wo wohne ich?"),
        ("de", "In welchem Jahr bin ich geboren?"),
        ("de", "Wo steht der Peugeot 2008?"),
        ("fr", "En quelle année suis-je né ?"),
        ("es", "¿En qué año nací?"),
        ("it", "In che anno sono nato?"),
    ],
)
def test_a_question_for_a_time_names_none(code: str, question: str) -> None:
    assert spoken(code, question).time_in(question) == (question, None)


@pytest.mark.parametrize(("code", "of_past", "of_present"), PAST)
def test_the_tense_of_a_question(code: str, of_past: str, of_present: str) -> None:
    assert not spoken(code, of_past).asks_of_present(of_past)
    assert spoken(code, of_present).asks_of_present(of_present)


@pytest.mark.parametrize(
    ("code", "said", "value"),
    [
        ("en", "I lived in Lyon in May 2024.", "in May 2024"),
        ("de", "Gestern war ich in Ulm.", "31 May 2026"),
        ("fr", "J'habitais à Lyon en mai 2024.", "in may 2024"),
        ("es", "Hace dos años vivía en León.", "2024"),
        ("it", "Ieri ero in un bar a Como con mia sorella.", "31 May 2026"),
    ],
)
def test_the_time_that_a_turn_states(code: str, said: str, value: str) -> None:
    [stated] = spoken(code, said).times_stated(said, datetime(2026, 6, 1, tzinfo=UTC))
    assert stated.value == value


def test_the_genitive_of_a_name_is_the_name_unless_it_is_another_name() -> None:
    german = spoken("de", "Wo ist Adas Haus?")
    assert "ada" in german.all_forms("Adas Haus") and "ada" in german.forms("adas")
    assert not {"andrea", "jona", "luka"} & german.all_forms("Andreas, Jonas und Lukas wohnen hier")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "My class is right after lunch."),
        ("de", "Mein Kurs ist vormittags."),
        ("de", "Mein Kurs ist nach dem Mittagessen."),
        ("fr", "Mon cours est après-demain."),
        ("fr", "Mon cours est pendant les vacances."),
        ("es", "Mi clase es después de comer."),
        ("it", "La mia lezione è la settimana prossima."),
        ("it", "La mia lezione è tra due settimane."),
    ],
)
def test_a_turn_that_states_a_time_without_a_date(code: str, said: str) -> None:
    assert spoken(code, said).states_time(said)
