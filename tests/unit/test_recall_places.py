"""Where a question asks: a camera's place, the name of a video and a type of scene bound it, and answer "where"."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask, context, search
from amr_neo4j.recall.sources import Sources
from benchmarks.worlds import has_caveat
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

Deed = tuple[str, str, str]
# (video, place, scene_type, captions), each caption with the deed that it lists.
Recorded = tuple[str, str, str, list[tuple[str, Deed | None]]]

SHOP: list[Recorded] = [
    ("cam1", "front_door", "porch", [("A dog barks.", None), ("Ben rings the bell.", ("Ben", "ring", "bell"))]),
    (
        "cam2",
        "hallway",
        "hall",
        [
            ("Ben takes off his shoes.", ("Ben", "take off", "shoes")),
            ("Anna drops a glass.", ("Anna", "drop", "glass")),
        ],
    ),
    (
        "cam3",
        "kitchen",
        "kitchen",
        [("Anna drops a plate.", ("Anna", "drop", "plate")), ("Ben makes coffee.", ("Ben", "make", "coffee"))],
    ),
    ("aisle_7-29b477d6", "", "shop", [("A woman drops a jar.", ("woman", "drop", "jar")), ("A dog sniffs.", None)]),
    ("aisle_8", "", "shop", [("A man drops a bottle.", ("man", "drop", "bottle"))]),
]
SCENES: list[Recorded] = [
    ("one", "", "garage", [("Ben washes the car.", ("Ben", "wash", "car"))]),
    ("two", "", "living room", [("Anna waters the plant.", ("Anna", "water", "plant")), ("A man falls.", None)]),
    ("three", "", "balcony", [("Ben waters the plant.", ("Ben", "water", "plant")), ("A woman falls.", None)]),
]


def graph_of(recorded: Iterable[Recorded], days_apart: int = 0) -> FakeGraph:
    lines: list[str] = []
    for n, (video, place, scene_type, captions) in enumerate(recorded):
        events = []
        for number, (caption, deed) in enumerate(captions):
            event = {"time_start": 60 * number, "time_end": 60 * number + 4, "summary": caption}
            if deed:
                event |= {"actors": deed[:1], "actions": [dict(zip(("actor", "verb", "object"), deed, strict=True))]}
            events.append(event)
        clip = {
            "video_id": video,
            "clip_id": "1",
            "t_start": 0,
            "t_end": 400,
            "recorded_at": f"2026-05-{11 + n * days_apart}T08:00:00Z",
        }
        clip |= {"place": place} if place else {}
        lines.append(
            json.dumps(clip | {"analysis": {"clip_summary": "", "scene_type": scene_type, "events": events}})
        )
    return graph_of_lines(lines)


def sources(recorded: Iterable[Recorded], code: str = "en", days_apart: int = 0) -> Sources:
    graph = graph_of(recorded, days_apart)
    return Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH if code == "en" else AskedLanguage(code, "en"))


@pytest.mark.parametrize(
    ("code", "question", "recorded", "video", "found"),
    [
        ("en", "What did Anna drop in the hallway?", SHOP, "cam2", "glass"),
        ("de", "Was hat Anna im Flur fallen lassen?", SHOP, "cam2", "glass"),
        ("fr", "Qu'est-ce qu'Anna a fait tomber dans le couloir ?", SHOP, "cam2", "glass"),
        ("es", "¿Qué dejó caer Anna en el pasillo?", SHOP, "cam2", "glass"),
        ("it", "Che cosa ha fatto cadere Anna nel corridoio?", SHOP, "cam2", "glass"),
        ("en", "Was a dog seen at the front door?", SHOP, "cam1", "dog barks"),
        ("en", "Was a dog seen in front of the front door?", SHOP, "cam1", "dog barks"),
        ("de", "War ein Hund an der Haustür?", SHOP, "cam1", "dog barks"),
        ("de", "Was für ein Hund war vor der Haustür?", SHOP, "cam1", "dog barks"),
        ("fr", "Y a-t-il eu un chien devant la porte d'entrée ?", SHOP, "cam1", "dog barks"),
        ("es", "¿Hubo un perro en la puerta principal?", SHOP, "cam1", "dog barks"),
        ("it", "C'era un cane alla porta d'ingresso?", SHOP, "cam1", "dog barks"),
        ("en", "What was dropped in aisle 7?", SHOP, "aisle_7-29b477d6", "jar"),
        ("en", "What was dropped in Aisle 8?", SHOP, "aisle_8", "bottle"),
        ("en", "Who dropped something on camera aisle_8?", SHOP, "aisle_8", "bottle"),
        ("de", "Was wurde in Gang 7 fallen gelassen?", SHOP, "aisle_7-29b477d6", "jar"),
        ("fr", "Que s'est-il passé dans l'allée 8 ?", SHOP, "aisle_8", "bottle"),
        ("es", "¿Qué pasó en el pasillo 8?", SHOP, "aisle_8", "bottle"),
        ("it", "Cosa è successo nella corsia 8?", SHOP, "aisle_8", "bottle"),
        ("de", "Wer hat in der Küche Kaffee gemacht?", SHOP, "cam3", "coffee"),
        ("en", "Who watered the plant in the living room?", SCENES, "two", "Anna"),
        ("de", "Wer hat im Wohnzimmer die Pflanze gegossen?", SCENES, "two", "Anna"),
        ("fr", "Qui a arrosé la plante sur le balcon ?", SCENES, "three", "Ben"),
        ("es", "¿Quién regó la planta en el balcón?", SCENES, "three", "Ben"),
        ("it", "Chi ha annaffiato la pianta sul balcone?", SCENES, "three", "Ben"),
        ("en", "What happens in the garage?", SCENES, "one", "car"),
    ],
)
def test_a_place_bounds_ask_search_and_context(
    code: str, question: str, recorded: list[Recorded], video: str, found: str
) -> None:
    asked = sources(recorded, code)
    answer = ask(question, asked)
    assert found in answer.text and not has_caveat(answer)
    assert {hit.event.video_id for hit in search(question, asked).items} == {video}
    shown = context(question, asked, tokens=2000)
    assert {line.citation.video_id for line in shown.lines if line.citation} == {video}  # pyright: ignore


@pytest.mark.parametrize(
    ("code", "question", "told"),
    [
        ("en", "Where did Ben make coffee?", "(kitchen)"),
        ("de", "Wo hat Ben Kaffee gemacht?", "(kitchen)"),
        ("fr", "Où Ben a-t-il fait du café ?", "(kitchen)"),
        ("es", "¿Dónde hizo café Ben?", "(kitchen)"),
        ("it", "Dove ha fatto il caffè Ben?", "(kitchen)"),
        ("en", "Where did Ben ring the bell?", "(front_door, porch)"),
        ("de", "Wo hat Ben geklingelt?", "(front_door, porch)"),
    ],
)
def test_a_place_answers_where_something_is_done(code: str, question: str, told: str) -> None:
    answer = ask(question, sources(SHOP, code))
    assert told in answer.text and not has_caveat(answer)


def test_where_in_a_scene_a_thing_is_stays_in_doubt() -> None:
    assert has_caveat(ask("Where is the glass?", sources(SHOP)))
    # The only scene of all tells little.
    assert has_caveat(ask("Where did Ben wash the car?", sources(SCENES[:1])))


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("Did a man fall on the balcony?", "man"),
        ("Did a woman fall in the living room?", "woman"),
        ("What was stolen in aisle 7?", ""),
        ("What fell in aisle 7?", ""),
    ],
)
def test_what_is_not_told_of_a_place_is_not_found(question: str, lacking: str) -> None:
    recorded = SHOP if "aisle" in question else SCENES
    answer = ask(question, sources(recorded))
    assert not answer.found and lacking in answer.text


@pytest.mark.parametrize(
    "question", ["Who came on Monday?", "Who got a letter from Anna?", "What happens in the film?"]
)
def test_a_video_of_the_name_of_a_day_a_person_or_a_film_is_no_place(question: str) -> None:
    recorded: list[Recorded] = [
        (name, "", "", [(f"Anna gives Ben a letter at {number}.", ("Anna", "give", "letter"))])
        for number, name in enumerate(("monday", "anna", "film", "other"))
    ]
    assert len({hit.event.video_id for hit in search(question, sources(recorded)).items}) in (0, 4)


FILES: list[Recorded] = [
    ("anna-29b477d6", "", "", [("Ben waters the plant.", ("Ben", "water", "plant"))]),
    ("table-29b477d6", "", "", [("Ben paints a chair.", ("Ben", "paint", "chair"))]),
    ("car", "", "", [("A dog barks.", None)]),
    ("front", "", "", [("A cat sleeps.", None)]),
    (
        "office-12b477d6",
        "",
        "",
        [
            ("Ben takes a book from Anna.", ("Ben", "take", "book")),
            ("Anna puts a cup on the table.", ("Anna", "put", "cup")),
            ("Anna puts a bag in the car.", ("Anna", "put", "bag")),
            ("A man stands in front of the shop.", ("man", "stand", "shop")),
            ("Tom wipes the table.", ("Tom", "wipe", "table")),
            ("Tom washes the car.", ("Tom", "wash", "car")),
        ],
    ),
]


@pytest.mark.parametrize(
    ("code", "question", "found"),
    [
        ("en", "What did Ben take from Anna?", "book"),
        ("en", "What did Anna put on the table?", "cup"),
        ("de", "Was hat Anna auf den Tisch gestellt?", "cup"),
        ("fr", "Qu'est-ce qu'Anna a mis sur la table ?", "cup"),
        ("es", "¿Qué puso Anna en la mesa?", "cup"),
        ("it", "Che cosa ha messo Anna sul tavolo?", "cup"),
        ("en", "What did Anna put in the car?", "bag"),
        ("de", "Was hat Anna ins Auto gelegt?", "bag"),
        ("en", "Who stands in front of the shop?", "man"),
        ("de", "Wer steht vor dem Laden?", "man"),
    ],
)
def test_a_video_of_the_name_of_a_person_or_a_thing_is_no_place(code: str, question: str, found: str) -> None:
    assert found in ask(question, sources(FILES, code)).text


@pytest.mark.parametrize("question", ["What happens in the table video?", "What happens in the video car?"])
def test_a_video_of_the_name_of_a_thing_may_be_named_as_a_video(question: str) -> None:
    name = "table-29b477d6" if "table" in question else "car"
    assert {hit.event.video_id for hit in search(question, sources(FILES)).items} == {name}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did Anna cut in the kitchen?", "cheese"),
        ("Who walks a dog on the street?", "woman"),
        ("Who rides a bike on the street?", "man"),
    ],
)
def test_a_type_of_scene_may_have_more_words_than_the_question(question: str, found: str) -> None:
    recorded: list[Recorded] = [
        ("one", "", "kitchen", [("Ben cuts bread.", ("Ben", "cut", "bread"))]),
        ("two", "", "kitchen and dining room", [("Anna cuts cheese.", ("Anna", "cut", "cheese"))]),
        ("three", "", "city street", [("A woman walks a dog.", ("woman", "walk", "dog"))]),
        ("four", "", "street", [("A man rides a bike.", ("man", "ride", "bike"))]),
    ]
    answer = ask(question, sources(recorded))
    assert found in answer.text and not has_caveat(answer)


def test_a_pronoun_may_be_whoever_is_asked_about() -> None:
    recorded: list[Recorded] = [("one", "", "", [("A man helps her up.", ("man", "help", ""))])]
    assert not has_caveat(ask("Who helped the woman up?", sources(recorded)))
