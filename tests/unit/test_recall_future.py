"""A question is one of the future only where that is certain: not by a name, nor by what was done."""

from __future__ import annotations

import json

import pytest

from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.glossary import glossary
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.language.plans import PlanQuestion
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

SEEN = [
    ("Rosa", "Rosa carries a crate of lemons into the cellar."),
    ("Will", "Will gives Rosa the keys."),
    ("Rosa", "Rosa gives Will the red folder."),
    ("Sandra", "Sandra puts the keys on the table."),
    ("Will", "Will loads the truck."),
    ("Samira", "Samira opens the window."),
    ("Rosa", "Rosa meets Samira in the garden."),
]

# Of the past or the present, by a word that looks like "will" or like a form for what will be.
NOT_OF_FUTURE = [
    ("en", "Who is Will?"),
    ("en", "What does Will like?"),
    ("en", "Where does Will live?"),
    ("en", "Where did Will go?"),
    ("en", "When is Will's birthday?"),
    ("en", "Who gave Will the keys?"),
    ("en", "Who saw Will?"),
    ("en", "Who came with Will?"),
    ("en", "What happened when Will came?"),
    ("en", "Who left before Will came?"),
    ("en", "Which cup belongs to Will?"),
    ("en", "Where was Will yesterday?"),
    ("en", "Who helped Will the other day?"),
    ("en", "What Will said, who heard it?"),
    ("en", "Will gave the keys to whom?"),
    ("en", "Will and Ann went where?"),
    ("en", "Will Smith was where?"),
    ("en", "Whom did Rosa give Will's keys?"),
    ("en", "What happened to will yesterday?"),
    ("en", "Which will did Ann sign?"),
    ("en", "Who read the will?"),
    ("en", "Who is going to lunch?"),
    ("en", "Who is about to enter the car?"),
    ("en", "Where does the path through the woods, where Will walks, end?"),
    ("fr", "Où Sandra a-t-elle posé les clés ?"),
    ("fr", "Quand Samira a-t-elle ouvert la fenêtre ?"),
    ("fr", "Qui a vu Alexandra ?"),
    ("fr", "Où Elvira est-elle allée ?"),
    ("fr", "Qui a appelé Shakira ?"),
    ("fr", "Que fait Indira ?"),
    ("fr", "Que découvrons-nous ?"),
    ("fr", "Où retirons-nous l'argent ?"),
    ("fr", "Qui retira la nappe ?"),
    ("fr", "Qui montra la photo ?"),
    ("fr", "Qui entra dans la cuisine ?"),
    ("fr", "Où va le boulanger ?"),
    ("fr", "Où va la voiture ?"),
    ("fr", "Comment va Olivier ?"),
    ("fr", "Qui va à la gare pour lire ?"),
    ("fr", "Où rencontrons-nous Luc ?"),
    ("it", "Cosa comprò Marco?"),
    ("it", "Chi tirò la palla?"),
    ("it", "Chi preparò la zuppa?"),
    ("it", "Chi incontrò Anna?"),
    ("it", "Quando entrò Samira?"),
    ("it", "Chi girò la chiave?"),
    ("it", "Chi lavorò a Sanremo?"),
    ("it", "Dove mostrò Sandra la foto?"),
    ("it", "Chi ritirò il pacco?"),
    ("it", "Che cosa liberò Sandra?"),
    ("it", "Quando superò Will l'esame?"),
    ("it", "Però chi aprì la porta?"),
    ("es", "¿Dónde tiré la basura?"),
    ("es", "¿Qué miré ayer?"),
    ("es", "¿A quién esperé?"),
    ("es", "¿Qué preparé?"),
    ("es", "¿Cuándo retiré el paquete?"),
    ("es", "¿Qué celebré ayer?"),
    ("es", "¿Cuánto cobré?"),
    ("es", "¿Qué queremos hacer?"),
    ("es", "¿Quién vive en Teherán?"),
    ("es", "¿Dónde vive Terán?"),
    ("es", "¿Quién va a Gibraltar?"),
    ("es", "¿Dónde entré?"),
    ("es", "¿Qué tiró Samira?"),
    ("es", "¿A quién vio Sandra detrás de Will?"),
    ("de", "Wann wird der Lastwagen beladen?"),
    ("de", "Was wird in dem Haus verloren?"),
    ("de", "Wann wird die Tasse zerbrochen?"),
    ("de", "Wann wird der Garten betreten?"),
    ("de", "Von wem wird der Brief unterschrieben?"),
    ("de", "Wer wird entlassen?"),
    ("de", "Was wird oft vergessen?"),
    ("de", "Wann werden die Kisten verladen?"),
    ("de", "Wann wird die Wand durchbrochen?"),
    ("de", "Wer wird einbezogen?"),
    ("de", "Was wird gemacht im Garten?"),
    ("de", "Wer wird müde im Garten?"),
    ("de", "Wann wird die Tür offen gelassen?"),
    ("de", "Wo wird Samira von Karen gesehen?"),
]

OF_FUTURE = [
    ("en", "Will Will give Rosa the keys?"),
    ("en", "Will the truck be loaded?"),
    ("en", "When will Will load the truck?"),
    ("en", "Who will load the truck?"),
    ("en", "What time will Sandra come?"),
    ("en", "How many crates will Rosa carry?"),
    ("en", "What kind of cake will Rosa bake?"),
    ("en", "When exactly will they come?"),
    ("en", "To whom will Rosa give the folder?"),
    ("en", "Who won't come?"),
    ("en", "When is Samira going to open the window?"),
    ("fr", "Quand Sandra arrosera-t-elle le basilic ?"),
    ("fr", "Qui ouvrira la fenêtre ?"),
    ("fr", "Quand prendrons-nous le train ?"),
    ("fr", "Que ferez-vous demain ?"),
    ("fr", "Qui achètera le pain ?"),
    ("fr", "Qui nettoiera la cuisine ?"),
    ("fr", "Qui appellera Samira ?"),
    ("fr", "Quand Samira va-t-elle ouvrir la fenêtre ?"),
    ("fr", "Qui va se laver ?"),
    ("fr", "Quand viendra Sandra ?"),
    ("it", "Quando Sandra comprerà il pane?"),
    ("it", "Chi aprirà la finestra?"),
    ("it", "Chi leggerà il libro?"),
    ("it", "Quando mangeranno la torta?"),
    ("it", "Dove giocheranno?"),
    ("it", "Quando verrà Samira?"),
    ("it", "Cosa faremo domani?"),
    ("it", "Chi sta per uscire?"),
    ("es", "¿Cuándo regará Sandra la albahaca?"),
    ("es", "¿Quién abrirá la ventana?"),
    ("es", "¿Dónde tiraré la basura?"),
    ("es", "¿Qué prepararemos?"),
    ("es", "¿Cuándo vendrá Samira?"),
    ("es", "¿Qué harán mañana?"),
    ("es", "¿Quién va a regarla?"),
    ("de", "Wann wird Sandra das Basilikum gießen?"),
    ("de", "Wer wird morgen kommen?"),
    ("de", "Wird Samira das Fenster öffnen?"),
    ("de", "Wann werden wir den Kuchen essen?"),
]


def is_of_future(code: str, question: str) -> bool:
    english = question if code == "en" else glossary(code).english(question).text
    return bool(ENGLISH.asking.of_future.search(english))


def asked_of_plans(question: str) -> PlanQuestion | None:
    plain, to_come = ENGLISH.asking.without_future(question)
    return ENGLISH.plans.asked(plain, to_come=to_come)


@pytest.mark.parametrize(("code", "question"), NOT_OF_FUTURE)
def test_what_only_looks_like_the_future_is_read_as_before(code: str, question: str) -> None:
    assert not is_of_future(code, question)


@pytest.mark.parametrize(("code", "question"), OF_FUTURE)
def test_what_is_certain_is_of_the_future(code: str, question: str) -> None:
    assert is_of_future(code, question)


@pytest.mark.parametrize(
    ("code", "question"),
    [(code, each) for code, each in NOT_OF_FUTURE if not each.startswith("Who is")] + [("en", "Who is Will?")],
)
def test_what_only_looks_like_the_future_asks_for_no_plans(code: str, question: str) -> None:
    assert asked_of_plans(question) is None
    assert language(code).plans.asked(question) is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What will Ann buy?", {"ann", "buy"}),
        ("When will Will call?", {"will", "call"}),
        ("When shall we return the ladder?", {"return", "ladder"}),
        ("What does Will plan to buy?", {"will", "buy"}),
    ],
)
def test_a_name_that_is_spelt_like_the_auxiliary_says_whose_plans(question: str, words: set[str]) -> None:
    asked = asked_of_plans(question)
    assert asked is not None and asked.words == words


@pytest.fixture(scope="module")
def graph() -> FakeGraph:
    events = [
        {"time_start": 40.0 * at, "time_end": 40.0 * at + 8, "summary": text, "actors": [who], "actions": []}
        for at, (who, text) in enumerate(SEEN)
    ]
    clip = {"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 500}
    analysis = {"clip_summary": "", "events": events, "speaker_turns": []}
    return graph_of_lines([json.dumps({**clip, "analysis": analysis})], HashedWords())


def answered(graph: FakeGraph, code: str, question: str) -> Answer:
    spoken = ENGLISH if code == "en" else AskedLanguage(code, "en")
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), spoken))


@pytest.mark.parametrize(
    ("code", "question", "told"),
    [
        ("en", "Who gave Will the red folder?", "Rosa gives Will the red folder"),
        ("fr", "Où Sandra a-t-elle posé les clés ?", "Sandra puts the keys on the table"),
        ("fr", "Quand Samira a-t-elle ouvert la fenêtre ?", "Samira opens the window"),
        ("it", "Chi incontrò Samira?", "Rosa meets Samira in the garden"),
        ("de", "Wann wird der Lastwagen beladen?", "Will loads the truck"),
    ],
)
def test_what_was_seen_is_told(graph: FakeGraph, code: str, question: str, told: str) -> None:
    answer = answered(graph, code, question)
    assert answer.found and told in answer.text


@pytest.mark.parametrize(
    ("code", "question", "told"),
    [
        ("en", "When will Will load the truck?", "Will loads the truck"),
        ("fr", "Quand Samira ouvrira-t-elle la fenêtre ?", "Samira opens the window"),
        ("de", "Wann wird Samira das Fenster öffnen?", "Samira opens the window"),
    ],
)
def test_of_what_will_be_the_film_is_told_in_doubt(graph: FakeGraph, code: str, question: str, told: str) -> None:
    """Nothing says when it will be done, which is no reason to say that memory knows nothing of it."""
    answers, text = language(code).answers, answered(graph, code, question).text
    assert answers and text.startswith(answers.sentences["in_doubt"]) and told in text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "In wie vielen Tagen ist die Prüfung?"),
        ("fr", "Dans combien de jours est l'examen ?"),
        ("es", "¿En cuántos días es el examen?"),
        ("es", "¿Dentro de cuántos días es el examen?"),
        ("it", "Tra quanti giorni è l'esame?"),
        ("it", "Per quanti giorni Anna è stata via?"),
        ("de", "Für wie viele Tage war Anna weg?"),
    ],
)
def test_a_length_of_time_is_no_count_of_days_in_any_language(code: str, question: str) -> None:
    assert not ENGLISH.asking.answer_types["DAYS"].search(glossary(code).english(question).text)


@pytest.mark.parametrize(
    "question",
    [
        "In how many days is the exam?",
        "In how many days will Rosa come?",
        "For how many days was Anna away?",
        "For how many nights did Rosa stay?",
        "For how many days did it rain?",
        "For how many days has Rosa been ill?",
        "In how many weekends is the wedding?",
        "At how many days is the limit?",
    ],
)
def test_a_length_of_time_is_no_count_of_days(question: str) -> None:
    assert not ENGLISH.asking.answer_types["DAYS"].search(question)


@pytest.mark.parametrize(
    "question",
    [
        "On how many days did Rosa open the door?",
        "How many days did Rosa work?",
        "On how many weekends was Rosa here?",
    ],
)
def test_days_on_which_something_was_done_are_counted(question: str) -> None:
    assert ENGLISH.asking.answer_types["DAYS"].search(question)
