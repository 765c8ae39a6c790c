"""Questions about the films themselves: how many, which, how long, when, and what goes on in one or in all."""

from __future__ import annotations

import pytest

from amr_neo4j.recall.pipeline import ask, search
from tests.unit.test_recall_places import Recorded, sources

BELL = ("Ben rings the bell.", ("Ben", "ring", "bell"))
FILMS: list[Recorded] = [
    ("shop", "", "", [BELL, ("A car passes.", None)] * 4),
    ("yard", "", "", [BELL, ("A car passes.", None)]),
    ("beach", "", "", [("A dog runs.", None), ("Anna swims.", None)]),
]
# How an answer says that it knows nothing of a film.
FILM_WORDS = [
    f"{before}{word}{behind}"
    for before, behind in ("“”", "„“", "«»", ("« ", " »"))
    for word in ("film", "Film", "video", "Video", "vidéo", "vídeo", "película", "recording", "movie")
]
ALL = ["beach", "shop", "yard"]


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "How many videos are there?"),
        ("en", "What is the number of videos?"),
        ("en", "How many films have I got in memory?"),
        ("en", "Which videos are there?"),
        ("en", "What films do you have?"),
        ("en", "List all videos."),
        ("en", "Show me my recordings."),
        ("de", "Wie viele Filme hast du?"),
        ("de", "Welche Videos gibt es?"),
        ("de", "Liste alle Videos auf."),
        ("fr", "Combien de films as-tu ?"),
        ("fr", "Quelles vidéos y a-t-il ?"),
        ("es", "¿Cuántas películas tienes?"),
        ("es", "¿Qué vídeos hay?"),
        ("it", "Quanti film hai?"),
        ("it", "Quali video ci sono?"),
    ],
)
def test_the_films_are_listed_from_their_data(code: str, question: str) -> None:
    answer = ask(question, sources(FILMS, code))
    assert answer.text.startswith("3 ") and all(name in answer.text for name in ALL) and not answer.citations


@pytest.mark.parametrize(
    ("code", "question", "longest"),
    [
        ("en", "Which film is the longest?", True),
        ("en", "What is the shortest video?", False),
        ("de", "Welcher Film ist der längste?", True),
        ("de", "Welches Video ist das kürzeste?", False),
        ("fr", "Quel est le film le plus long ?", True),
        ("fr", "Quelle est la vidéo la plus courte ?", False),
        ("es", "¿Cuál es la película más larga?", True),
        ("es", "¿Cuál es el vídeo más corto?", False),
        ("it", "Qual è il film più lungo?", True),
        ("it", "Qual è il video più corto?", False),
    ],
)
def test_the_longest_and_the_shortest_film(code: str, question: str, longest: bool) -> None:
    films = FILMS[:2]
    answer = ask(question, sources(films, code))
    assert answer.text.startswith("shop," if longest else "yard,") and not answer.citations


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "When was the beach film recorded?"),
        ("de", "Wann wurde der Film beach aufgenommen?"),
        ("fr", "Quand le film beach a-t-il été enregistré ?"),
        ("es", "¿Cuándo se grabó la película beach?"),
        ("it", "Quando è stato registrato il film beach?"),
        ("de", "Wie lang ist das Beach-Video?"),
    ],
)
def test_what_is_asked_of_one_film_is_told_of_it(code: str, question: str) -> None:
    answer = ask(question, sources(FILMS, code))
    assert answer.text.startswith("beach") and "shop" not in answer.text and not answer.citations


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What is the beach film about?"),
        ("en", "Sum up the beach video."),
        ("en", "What does the beach film show?"),
        ("de", "Worum geht es im Film beach?"),
        ("fr", "De quoi parle le film beach ?"),
        ("es", "¿De qué trata la película beach?"),
        ("it", "Di cosa parla il film beach?"),
    ],
)
def test_one_film_is_summarised(code: str, question: str) -> None:
    answer = ask(question, sources(FILMS, code))
    assert [each.event.video_id for each in answer.evidence[:2]] == ["beach", "beach"]
    assert "A dog runs" in answer.text and "Anna swims" in answer.text and "bell" not in answer.text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Give me a summary of everything."),
        ("en", "Give me a summary."),
        ("de", "Gib mir eine Zusammenfassung."),
        ("fr", "Fais-moi un résumé de tout."),
        ("es", "Hazme un resumen de todo."),
        ("it", "Fammi un riassunto."),
    ],
)
def test_all_films_are_summarised(code: str, question: str) -> None:
    answer = ask(question, sources(FILMS, code))
    assert answer.found and all(f", {name}," in answer.text for name in ALL)


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "How many times did Ben ring the bell in the yard video?"),
        ("en", "How often did Ben ring the bell in the video yard?"),
        ("de", "Wie oft hat Ben im Video yard geklingelt?"),
        ("fr", "Combien de fois Ben a-t-il sonné dans la vidéo yard ?"),
        ("es", "¿Cuántas veces tocó Ben el timbre en el vídeo yard?"),
        ("it", "Quante volte Ben ha suonato il campanello nel video yard?"),
    ],
)
def test_what_is_counted_in_a_film_is_counted_in_that_film_alone(code: str, question: str) -> None:
    answer = ask(question, sources(FILMS, code))
    assert {each.event.video_id for each in search(question, sources(FILMS, code)).items} == {"yard"}
    assert "shop" not in answer.text


@pytest.mark.parametrize("question", ["How many videos show a car?", "Which films did Ben watch?", "List all cars."])
def test_what_the_films_show_is_not_told_from_their_data(question: str) -> None:
    assert not ask(question, sources(FILMS)).text.startswith("3 videos")


@pytest.mark.parametrize(
    ("code", "question", "film"),
    [
        ("en", "When was the first video recorded?", "shop"),
        ("en", "Which film was shot last?", "beach"),
        ("en", "Which of the films is the oldest?", "shop"),
        ("en", "How long is the second video?", "yard"),
        ("de", "Wann wurde das erste Video aufgenommen?", "shop"),
        ("de", "Welcher Film wurde zuletzt aufgenommen?", "beach"),
        ("fr", "Quand la première vidéo a-t-elle été enregistrée ?", "shop"),
        ("fr", "Quel est le dernier film ?", "beach"),
        ("es", "¿Cuándo se grabó el primer vídeo?", "shop"),
        ("es", "¿Cuál es el último vídeo?", "beach"),
        ("it", "Quando è stato registrato il primo video?", "shop"),
        ("it", "Qual è l'ultimo film?", "beach"),
    ],
)
def test_a_film_is_found_by_its_place_in_time(code: str, question: str, film: str) -> None:
    answer = ask(question, sources(FILMS, code, days_apart=1))
    assert answer.text.startswith(film) and answer.confidence == 1.0


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What happens in the last film?"),
        ("en", "What was the last film about?"),
        ("de", "Was passiert im letzten Film?"),
        ("fr", "Que montre le dernier film ?"),
        ("es", "¿Qué pasa en el último vídeo?"),
        ("it", "Cosa succede nell'ultimo video?"),
    ],
)
def test_the_last_film_is_summarised(code: str, question: str) -> None:
    text = ask(question, sources(FILMS, code, days_apart=1)).text
    assert "A dog runs" in text and "Anna swims" in text and "bell" not in text


@pytest.mark.parametrize("question", ["What is the evening video about?", "What happens in the evening video?"])
def test_a_film_is_found_by_a_word_of_its_name_that_no_other_has(question: str) -> None:
    films = [("house_morning", *FILMS[0][1:]), ("house_evening", *FILMS[2][1:])]
    text = ask(question, sources(films)).text
    assert "A dog runs" in text and "Anna swims" in text and "bell" not in text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Which film did Ben watch?"),
        ("en", "What video did Ben see?"),
        ("en", "Which movie did Ben talk about?"),
        ("en", "Was the film good?"),
        ("en", "Who opened the video on the phone?"),
        ("en", "Where did Ben put the recording?"),
        ("en", "What was the first film that Ben watched?"),
        ("de", "Welchen Film hat Ben gesehen?"),
        ("de", "War der Film gut?"),
        ("de", "Wer hat das Video auf dem Handy geöffnet?"),
        ("fr", "Quel film ont-ils regardé ?"),
        ("fr", "Qui a ouvert la vidéo sur le téléphone ?"),
        ("es", "¿La película fue buena?"),
        ("es", "¿Quién abrió el vídeo en el teléfono?"),
        ("it", "Che film hanno guardato?"),
        ("it", "Hanno guardato un film?"),
        ("it", "Chi ha aperto il video sul telefono?"),
    ],
)
def test_a_film_that_somebody_watches_is_a_thing(code: str, question: str) -> None:
    """Words for films were taken for the memory's own, so any event with the other words was plainly an answer."""
    watching: list[Recorded] = [
        (
            "den",
            "",
            "",
            [
                ("Ben looks around.", ("Ben", "look around", "room")),
                ("Ben talks on the phone.", ("Ben", "talk", "phone")),
                ("Ben opens his phone.", ("Ben", "open", "phone")),
                ("Ben puts the keys on the shelf.", ("Ben", "put", "keys")),
                ("Anna says that the soup is good.", None),
            ],
        )
    ]
    answer = ask(question, sources(watching, code))
    assert any(film in answer.text for film in FILM_WORDS)


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Who does the film show?"),
        ("en", "Who appears in the first video?"),
        ("en", "Is there a video of a dog?"),
        ("en", "Which video shows a dog?"),
        ("de", "Welches Video zeigt einen Hund?"),
        ("fr", "Quelle vidéo montre un chien ?"),
        ("es", "¿Qué vídeo muestra un perro?"),
        ("it", "Quale video mostra un cane?"),
    ],
)
def test_the_memory_s_own_films_are_no_things(code: str, question: str) -> None:
    answer = ask(question, sources(FILMS, code))
    assert answer.found and not any(film in answer.text for film in FILM_WORDS)
