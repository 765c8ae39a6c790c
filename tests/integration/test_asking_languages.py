"""Questions about conversations are answered in the language of the question."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from amr_neo4j.wiring.embedder import open_embedder
from tests.support.chatting import talking

SAID = {
    "de": [
        "Ich wohne in Bremen.",
        "Meine Schwester Birgit arbeitet in einer Apotheke.",
        "Birgit kommt heute zum Essen.",
        "Das Treffen ist am Dienstag.",
        "Nein, ich meinte Freitag.",
    ],
    "es": [
        "Vivo en Bremen.",
        "Mi hermana Birgit trabaja en una farmacia.",
        "Birgit viene hoy a comer.",
        "El examen es el martes.",
        "No, quería decir el viernes.",
    ],
    "fr": [
        "J'habite à Bremen.",
        "Ma sœur Birgit travaille dans une pharmacie.",
        "Birgit vient manger aujourd'hui.",
        "L'examen est mardi.",
        "Non, je voulais dire vendredi.",
    ],
    "it": [
        "Abito a Bremen.",
        "Mia sorella Birgit lavora in una farmacia.",
        "Birgit viene oggi a mangiare.",
        "L'esame di chimica è martedì.",
        "No, volevo dire venerdì.",
    ],
    "en": ["The exam is on Tuesday.", "My favourite food is risotto.", "No, I meant Friday."],
}

FACTS = [
    (
        "de",
        "Wo wohne ich?",
        "Du wohnst in Bremen, gesagt am 1. Mai 2026 um 09:00 UTC: „Ich wohne in Bremen“ [turn 0, monday, user].",
    ),
    (
        "es",
        "¿Dónde vivo?",
        "Vives en Bremen, dicho el 1 de mayo de 2026 a las 09:00 UTC: «Vivo en Bremen» [turn 0, monday, user].",
    ),
    (
        "fr",
        "Où est-ce que j'habite ?",
        "Tu habites à Bremen, dit le 1er mai 2026 à 09:00 UTC : « J'habite à Bremen » [turn 0, monday, user].",
    ),
    (
        "it",
        "Dove abito?",
        "Vivi a Bremen, detto il 1 maggio 2026 alle 09:00 UTC: «Abito a Bremen» [turn 0, monday, user].",
    ),
]
# What was said in another language.
ACROSS = [
    ("de", "Where do I live?", "You live in Bremen, said on 1 May 2026"),
    ("es", "Wo wohne ich?", "Du wohnst in Bremen, gesagt am 1. Mai"),
]
# Whatever is said of them later.
WHO = [
    ("de", "Wer ist Birgit?", "Deine Schwester heißt Birgit, gesagt am 2. Mai"),
    ("es", "¿Quién es Birgit?", "Tu hermana es Birgit, dicho el 2 de mayo"),
    ("fr", "Qui est Birgit ?", "Ta sœur s'appelle Birgit, dit le 2 mai"),
    ("it", "Chi è Birgit?", "Tua sorella si chiama Birgit, detto il 2 maggio"),
]
# Whose the fact is.
WHOSE = [
    ("de", "Wer wohnt in Bremen?", "Du wohnst in Bremen, gesagt am 1. Mai"),
    ("es", "¿Quién vive en Bremen?", "Vives en Bremen, dicho el 1 de mayo"),
    ("fr", "Qui habite à Bremen ?", "Tu habites à Bremen, dit le 1er mai"),
    ("it", "Chi abita a Bremen?", "Vivi a Bremen, detto il 1 maggio"),
]
# The nearest turn does not say all that is asked.
IN_DOUBT = [
    ("de", "Arbeitet Birgit in Bremen?", "Nichts Gefundenes sagt „Bremen“; am nächsten kommt dies."),
    ("es", "¿Trabaja Birgit en Bremen?", "Puede que la memoria no tenga la respuesta; esto es lo más cercano. El 2"),
    ("fr", "Birgit travaille à Bremen ?", "La mémoire n'a peut-être pas la réponse ; voici le plus proche. Le 2"),
    ("it", "Birgit lavora a Bremen?", "La memoria forse non ha la risposta; questo è il più vicino. Il 2"),
    ("de", "Wie alt ist Birgit?", "Nichts im Gedächtnis sagt das mit „alt“; am nächsten kommt dies."),
    ("fr", "Quel âge a Birgit ?", "Rien dans la mémoire ne le dit avec « âge » ; voici le plus proche."),
]
# Memory has no word for it.
UNKNOWN = [
    ("de", "Wo ist mein Fahrrad?", "Nichts im Gedächtnis passt dazu: von „Fahrrad“ weiß es nichts."),
    ("es", "¿Dónde está mi bicicleta?", "Nada en la memoria responde a eso: no sabe nada de «bicicleta»."),
    ("fr", "Où est mon vélo ?", "Rien dans la mémoire n'y répond : elle ne sait rien de « vélo »."),
    ("it", "Dov'è la mia bicicletta?", "Niente nella memoria risponde a questo: non sa nulla di «bicicletta»."),
]
# A turn corrected another one without saying of what: the question, the new value, and what it replaced.
CORRECTED = [
    ("en", "When is the exam?", "Friday", "Something else was said on "),
    ("de", "Wann ist das Treffen?", "Freitag", "Etwas anderes wurde am "),
    ("es", "¿Cuándo es el examen?", "viernes", "esto sustituye a lo dicho el "),
    ("fr", "Quand est l'examen ?", "vendredi", "Autre chose a été dit le "),
    ("it", "Quando è l'esame?", "venerdì", "Altro è stato detto il "),
]


# The rules of five languages are compiled.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def memory(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    embedder = open_embedder(load())
    with talking(neo4j_connection, f"test-{uuid4()}", tmp_path_factory.mktemp("asking"), embedder=embedder) as memory:
        for code, turns in SAID.items():
            memory.remember(
                [{"content": text, "at": f"2026-05-0{n + 1}T09:00:00Z"} for n, text in enumerate(turns)],
                user_id=code,
                session_id="monday",
            )
            memory.extract(user_id=code)
        yield memory


@pytest.mark.parametrize(("user", "question", "text"), [*FACTS, *ACROSS, *WHO, *WHOSE, *IN_DOUBT, *UNKNOWN])
def test_an_answer_is_in_the_language_of_the_question(memory: Memory, user: str, question: str, text: str) -> None:
    answer = memory.ask(question, user_id=user)
    assert answer.text.startswith(text)
    if (user, question, text) in UNKNOWN:
        assert not answer.found


def test_who_somebody_is_takes_one_reading_of_the_facts(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    database, read = memory._parts.database, []
    original = database.read
    monkeypatch.setattr(database, "read", lambda name, **params: read.append(name) or original(name, **params))
    memory.ask("Wer ist Birgit?", user_id="de")
    assert read.count("facts/facts_about") == 1


@pytest.mark.parametrize(
    ("question", "pasted"),
    [
        ("Where do I live?", "Dr. Miriam Salt lives in Zurich and works at ETH. She is 47."),
        ("Wo wohne ich?", '"Ich heiße Paul Wirth und wohne in Kiel."'),
        ("¿Cómo me llamo?", 'estamos con un poema en clase: "Me llamo barro aunque Miguel me llame"'),
        ("Où est-ce que j'habite ?", "« J'habite à Brest », dit la chanson, et tout le monde chante."),
        ("Dove vivo?", '"Mi chiamo Paolo Ricci, ho 45 anni, vivo a Milano e lavoro da Prada."'),
    ],
)
def test_a_text_that_states_nothing_of_the_user_is_no_answer(memory: Memory, question: str, pasted: str) -> None:
    user = f"pasted-{question}"
    memory.remember([pasted], user_id=user, session_id="monday")
    answer = memory.ask(question, user_id=user)
    assert not answer.found
    assert not answer.citations
    assert [hit.event.turn is not None for hit in answer.evidence] == [True], "the nearest is shown"


@pytest.mark.parametrize(
    ("code", "said", "questions"),
    [
        ("en", "Marie and Luc are friends.", ["And Luc?", "Who are Luc's friends?"]),
        ("de", "Marie und Luc sind Freunde.", ["Und Luc?", "Wer sind die Freunde von Luc?"]),
        ("fr", "Marie et Luc sont amis.", ["Et Luc ?", "Qui sont les amis de Luc ?"]),
        ("es", "Marie y Luc son amigos.", ["¿Y Luc?", "¿Quiénes son los amigos de Luc?"]),
        ("it", "Marie e Luc sono amici.", ["E Luc?", "Chi sono gli amici di Luc?"]),
    ],
)
def test_a_friendship_is_found_from_both_sides_at_every_door(
    memory: Memory, code: str, said: str, questions: list[str]
) -> None:
    user, friends = f"friends-{code}", ("marie", "friend_of", "luc")
    memory.remember([said], user_id=user, session_id="monday")
    memory.extract(user_id=user)
    memory.embed_facts()
    for question in questions:
        answer = memory.ask(question, user_id=user)
        assert answer.found and answer.text.startswith("Marie ") and said.rstrip(".") in answer.text
        hints = memory.chat(user_id=user, session_id=question).observe(question).hints
        assert [hint.triple for hint in hints] == [friends]
        best = memory.search_memory(question, user_id=user)[0]
        assert best.triple == friends or said in best.text


def test_the_most_certain_facts_answer_first(memory: Memory) -> None:
    """Of equal ones the newest, as in the hints of a conversation."""
    turns = ["I like opera.", "I like jazz.", "I think I like chess.", "I like hiking.", "I like jazz."]
    memory.remember(turns, user_id="taste", session_id="monday")
    memory.extract(user_id="taste")
    answer = memory.ask("What do I like?", user_id="taste")
    places = [answer.text.index(thing) for thing in ("jazz", "hiking", "opera", "chess")]
    assert places == sorted(places)
    hints = memory.chat(user_id="taste", session_id="later").observe("What do I like?").hints
    assert [hint.triple.object for hint in hints] == ["jazz", "hiking", "opera", "chess"]


def test_a_favourite_of_another_kind_is_in_doubt(memory: Memory) -> None:
    answer = memory.ask("What's my favourite colour?", user_id="en")
    assert answer.text.startswith("Memory ") or not answer.found


@pytest.mark.parametrize(("user", "question", "new", "before"), CORRECTED)
def test_a_correction_without_its_subject_answers_for_what_it_corrects(
    memory: Memory, user: str, question: str, new: str, before: str
) -> None:
    answer = memory.ask(question, user_id=user)
    first, _, rest = answer.text.partition(before)
    assert new in first
    assert rest
    assert answer.found


# Where the user lived: since March 2024, since April 2025, and since June 2026; then questions for the first two.
MOVES = {
    "en": ["I live in York.", "I moved to Leeds.", "I moved to Bath."],
    "de": ["Ich wohne in York.", "Ich bin nach Leeds gezogen.", "Ich bin nach Bath gezogen."],
    "fr": ["J'habite à York.", "J'ai déménagé à Leeds.", "J'ai déménagé à Bath."],
    "es": ["Vivo en York.", "Me mudé a Leeds.", "Me mudé a Bath."],
    "it": ["Abito a York.", "Mi sono trasferito a Leeds.", "Mi sono trasferito a Bath."],
}
THEN = [
    ("en", "Where did I live in May 2024?", "Where did I live in May?"),
    ("de", "Wo habe ich im Mai 2024 gewohnt?", "Wo habe ich im Mai gewohnt?"),
    ("fr", "Où est-ce que j'habitais en mai 2024 ?", "Où habitais-je en mai ?"),
    ("es", "¿Dónde vivía en mayo de 2024?", "¿Dónde vivía en mayo?"),
    ("it", "Dove abitavo nel maggio 2024?", "Dove abitavo a maggio?"),
]


@pytest.mark.parametrize(("code", "first", "second"), THEN)
def test_a_question_for_a_day_is_answered_as_of_that_day(memory: Memory, code: str, first: str, second: str) -> None:
    user = f"moved-{code}"
    at = ["2024-03-10T09:00:00Z", "2025-04-20T09:00:00Z", "2026-06-15T09:00:00Z"]
    turns = [{"content": text, "at": when} for text, when in zip(MOVES[code], at, strict=True)]
    memory.remember(turns, user_id=user, session_id="moves")
    memory.extract(user_id=user)
    then = datetime(2026, 7, 1, 9, tzinfo=UTC)
    said = [memory.ask(question, user_id=user, as_of=then) for question in (first, second)]
    assert [next(city for city in ("York", "Leeds", "Bath") if city in each.text) for each in said] == [
        "York",
        "Leeds",
    ]
    assert all(each.found for each in said)


# A question for a time that no turn states, one for a time that a turn states, and one for the weather.
WHEN = {
    "en": (
        ["My sister Clara is marrying Tom.", "My exam is on 12 June.", "The choir sings in the old church."],
        ["When is Clara marrying Tom?", "When does the choir sing?", "What's the weather like?"],
        "When is my exam?",
    ),
    "de": (
        ["Meine Schwester Clara heiratet Tom.", "Meine Prüfung ist am 12. Juni.", "Der Chor singt in der Kirche."],
        ["Wann heiratet Clara?", "Wann singt der Chor?", "Wie ist das Wetter?"],
        "Wann ist meine Prüfung?",
    ),
    "fr": (
        ["Ma sœur Clara épouse Tom.", "Mon examen est le 12 juin.", "La chorale chante dans la vieille église."],
        ["Quand Clara épouse-t-elle Tom ?", "Quand chante la chorale ?", "Quel temps fait-il ?"],
        "Quand est mon examen ?",
    ),
    "es": (
        ["Mi hermana Clara se casa con Tom.", "Mi examen es el 12 de junio.", "El coro canta en la iglesia vieja."],
        ["¿Cuándo se casa Clara?", "¿Cuándo canta el coro?", "¿Qué tiempo hace?"],
        "¿Cuándo es mi examen?",
    ),
    "it": (
        ["Mia sorella Clara sposa Tom.", "Il mio esame è il 12 giugno.", "Il coro canta nella chiesa vecchia."],
        ["Quando sposa Tom, Clara?", "Quando canta il coro?", "Com'è il tempo?"],
        "Quando è il mio esame?",
    ),
}


@pytest.mark.parametrize("code", WHEN)
def test_a_turn_without_a_time_is_no_plain_answer_to_when(memory: Memory, code: str) -> None:
    said, unsaid, known = WHEN[code]
    memory.remember(said, user_id=f"when-{code}", session_id="monday")
    answers = [memory.ask(question, user_id=f"when-{code}") for question in unsaid]
    assert not any(each.found for each in answers)
    assert "12" in memory.ask(known, user_id=f"when-{code}").text


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Ich habe am Dienstag einen Termin beim Zahnarzt.", "Wann ist mein Zahnarzttermin?"),
        ("Mein Zahnarzttermin ist am Dienstag.", "Wann ist mein Termin beim Zahnarzt?"),
        ("Die Kiste mit dem Werkzeug steht am Dienstag in der Garage.", "Wo ist die Werkzeugkiste?"),
    ],
)
def test_a_compound_is_found_by_its_parts(memory: Memory, said: str, question: str) -> None:
    user = f"compound-{question}"
    memory.remember([said, "Am Freitag ist ein Termin beim Friseur."], user_id=user, session_id="monday")
    answer = memory.ask(question, user_id=user)
    assert answer.found and "Dienstag" in answer.text
    [hint] = memory.chat(user_id=user, session_id="later").observe(question).hints
    assert said.rstrip(".") in hint.text


def test_a_compound_of_which_one_part_was_said_is_no_answer(memory: Memory) -> None:
    memory.remember(["Am Freitag ist ein Termin beim Friseur."], user_id="barber", session_id="monday")
    assert not memory.ask("Wann ist mein Zahnarzttermin?", user_id="barber").found
