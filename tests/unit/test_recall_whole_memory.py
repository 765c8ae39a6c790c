"""Questions for all of something: every scene, every time, every film, the state of a thing, and where it was put."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from amr_neo4j.domain.recall import Answer, Citation, Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

# (second, who, summary, thing, verb)
Deed = tuple[int, str, str, str, str]
SHOP: list[Deed] = [
    (5, "Rosa", "Rosa drops a jar of olives in aisle 7.", "jar of olives", "drop"),
    (60, "Rosa", "Rosa fills a basket of lemons.", "basket of lemons", "fill"),
    (160, "Nina", "Nina rings a bell.", "bell", "ring"),
    (200, "Nina", "Nina rings a bell.", "bell", "ring"),
]
HALL: list[Deed] = [
    (10, "Omar", "Omar hangs up his coat.", "coat", "hang up"),
    (50, "Nina", "Nina drops her phone.", "phone", "drop"),
    (90, "Nina", "Nina puts the phone on the shelf.", "phone", "put"),
]
DOOR: list[Deed] = [
    (10, "Omar", "Omar signs for a parcel.", "parcel", "sign for"),
    (220, "Nina", "Nina rings a bell.", "bell", "ring"),
]


def lines(video: str, scene: str, deeds: list[Deed]) -> list[str]:
    found: list[str] = []
    for second, who, summary, thing, verb in deeds:
        event = {"time_start": 0, "time_end": 5, "summary": summary, "actors": ["C1"], "objects": [{"name": thing}]}
        event |= {"actions": [{"actor": "C1", "verb": verb, "object": thing}]}
        people = [{"local_character_id": "C1", "name_or_description": who}]
        analysis = {"clip_summary": "", "scene_type": scene, "characters": people, "events": [event]}
        place = {"video_id": video, "clip_id": str(second), "t_start": second, "t_end": second + 5}
        found.append(json.dumps(place | {"analysis": analysis}))
    return found


@pytest.fixture(scope="module")
def graph() -> FakeGraph:
    films = [*lines("shop_cam", "supermarket", SHOP), *lines("hall_cam", "hallway", HALL)]
    graph = graph_of_lines([*films, *lines("door_cam", "porch", DOOR)])
    begun = datetime(2026, 5, 4, 9, tzinfo=UTC)
    videos = [Video("test", f"{name}_cam", duration_s=240.0, recorded_at=begun) for name in ("shop", "hall", "door")]
    graph.recorded = {video.video_id: video for video in videos}
    return graph


def asked(question: str, graph: FakeGraph) -> Answer:
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))


@pytest.mark.parametrize(
    "question",
    [
        "When is a bell rung?",
        "When did Nina ring a bell?",
        "List all scenes in which a bell is rung",
        "Show me every moment in which a bell is rung",
        "List all events where Nina rings a bell",
    ],
)
def test_every_time_is_told(question: str, graph: FakeGraph) -> None:
    found = asked(question, graph)
    assert found.found and not found.text.startswith("Memory")
    assert [citation.time_start for citation in found.citations] == [160, 200, 220]


@pytest.mark.parametrize("question", ["In which of them is a bell rung?", "Which videos show a bell?"])
def test_which_films_show_it_is_told_by_an_event_of_each(question: str, graph: FakeGraph) -> None:
    found = asked(question, graph)
    assert found.found and [citation.time_start for citation in found.citations] == [160, 220]


@pytest.mark.parametrize("question", ["Which films show a bell?", "In how many films was a bell rung?"])
def test_a_film_that_somebody_watches_is_none_that_shows_it(question: str) -> None:
    sofa = lines("sofa_cam", "living room", [(5, "Rosa", "Rosa watches a film.", "film", "watch")])
    found = asked(question, graph_of_lines([*lines("shop_cam", "supermarket", SHOP), *sofa]))
    assert [citation.time_start for citation in found.citations if isinstance(citation, Citation)] == [160]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long is the shop cam video?", "shop_cam, 4 min."),
        ("How long is the hall_cam recording?", "hall_cam, 4 min."),
        ("When does the door cam video start?", "door_cam: Monday 4 May 2026 from 09:00:00 to 09:04:00 UTC."),
    ],
)
def test_a_film_that_is_named_is_told_of_from_its_data(question: str, text: str, graph: FakeGraph) -> None:
    found = asked(question, graph)
    assert (found.text, found.citations) == (text, ())


def test_a_film_that_nobody_knows_is_not_told_of(graph: FakeGraph) -> None:
    assert "min" not in asked("How long is the cellar cam video?", graph).text.partition(" [")[0]


@pytest.mark.parametrize(
    "question",
    [
        "Give me a summary of everything.",
        "Can you sum up what happened overall?",
        "Please summarise all the videos.",
    ],
)
def test_all_films_are_summed_up_by_an_event_of_each(question: str, graph: FakeGraph) -> None:
    found = asked(question, graph)
    assert found.found
    assert {graph.stored[citation.node_id].video_id for citation in found.citations} == {
        "shop_cam",
        "hall_cam",
        "door_cam",
    }


def test_where_a_thing_was_put_does_not_say_that_it_is_broken(graph: FakeGraph) -> None:
    assert asked("Is the phone broken?", graph).text.startswith(("Memory", "Nothing"))


@pytest.mark.parametrize(
    ("question", "told", "is_plain"),
    [
        ("Where did Rosa drop the jar?", "Rosa drops a jar of olives in aisle 7", True),
        ("Where did Omar hang up his coat?", "Omar hangs up his coat (hallway)", False),
    ],
)
def test_a_place_that_no_action_states_is_told_by_the_event_or_its_scene(
    question: str, told: str, is_plain: bool, graph: FakeGraph
) -> None:
    found = asked(question, graph)
    assert told in found.text
    assert found.text.startswith("Memory") is not is_plain


@pytest.mark.parametrize(
    ("language", "question", "cited", "text"),
    [
        ("de", "Wann hat Nina eine Glocke geläutet?", [160, 200, 220], ""),
        ("de", "In welchen Videos läutet Nina eine Glocke?", [160, 220], ""),
        ("de", "Wie lang ist das Video shop_cam?", [], "shop_cam, 4 min."),
        ("de", "Wie viele Videos gibt es?", [], "3 Videos: "),
        ("de", "Fasse alles zusammen", [5, 10, 10], ""),
        ("fr", "Quelle est la durée de la vidéo shop_cam ?", [], "shop_cam, 4 min."),
        ("fr", "Résume toutes les vidéos", [5, 10, 10], ""),
        ("es", "Enumera todas las escenas con una campana", [160, 200, 220], ""),
        ("es", "¿Cuánto dura el vídeo shop_cam?", [], "shop_cam, 4 min."),
        ("es", "Resume todos los vídeos", [5, 10, 10], ""),
        ("it", "Quando Nina suona una campana?", [160, 200, 220], ""),
        ("it", "In quali video Nina suona una campana?", [160, 220], ""),
        ("it", "Quanto dura il video shop_cam?", [], "shop_cam, 4 min."),
        ("it", "Riassumi tutti i video", [5, 10, 10], ""),
    ],
)
def test_all_of_something_is_asked_for_in_other_languages(
    language: str, question: str, cited: list[int], text: str, graph: FakeGraph
) -> None:
    asked_in = AskedLanguage(language, "en")
    found = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), asked_in))
    assert found.found and found.text.startswith(text)
    assert sorted(citation.time_start for citation in found.citations) == cited


# (second, who, summary, thing, verb) of a day on a farm.
YARD: list[Deed] = [
    (10, "Omar", "Omar signs for a parcel.", "parcel", "sign for"),
    (40, "Rosa", "Rosa carries a basket of lemons to the till.", "basket of lemons", "carry"),
    (60, "Omar", "Omar signs for two parcels.", "parcel", "sign for"),
    (80, "Rosa", "Rosa drops her glasses and gropes for them.", "glasses", "drop"),
    (90, "Omar", "Omar lays the glasses on the windowsill.", "glasses", "lay"),
    (100, "Nina", "Nina gives Omar two white tablets.", "white tablet", "give"),
    (140, "Nina", "Nina gives Omar one more tablet.", "tablet", "give"),
]
BARN: list[Deed] = [(5, "Omar", "Omar milks a goat.", "goat", "milk")]


@pytest.fixture(scope="module")
def farm() -> FakeGraph:
    return graph_of_lines([*lines("yard_cam", "yard", YARD), *lines("barn_cam", "barn", BARN)])


@pytest.mark.parametrize(
    ("question", "language", "said"),
    [
        ("How many films show Omar?", "en", "At least two"),
        ("In how many videos is Omar?", "en", "At least two"),
        ("How many videos is Omar in?", "en", "At least two"),
        ("How many films show Nina?", "en", "At least one"),
        ("Wie viele Filme zeigen Omar?", "de", "Mindestens 2"),
        ("In wie vielen Videos kommt Omar vor?", "de", "Mindestens 2"),
        ("Dans combien de films apparaît Omar ?", "fr", "Au moins 2"),
        ("¿Cuántas películas muestran a Omar?", "es", "Al menos 2"),
        ("In quanti video appare Omar?", "it", "Almeno 2"),
        # The first parcel and the two later ones; the white tablets and the one more.
        ("How many parcels did Omar sign for?", "en", "At least three"),
        ("How many tablets did Nina give Omar?", "en", "At least three"),
        ("Für wie viele Pakete hat Omar unterschrieben?", "de", "Mindestens 3"),
        ("Pour combien de colis Omar a-t-il signé ?", "fr", "Au moins 3"),
        ("¿Cuántos paquetes firmó Omar?", "es", "Al menos 3"),
        ("Per quanti pacchi ha firmato Omar?", "it", "Almeno 3"),
        ("How many times did Nina give Omar tablets?", "en", "Twice"),
    ],
)
def test_films_and_things_are_counted(question: str, language: str, said: str, farm: FakeGraph) -> None:
    found = ask(question, Sources(Scope("test"), farm, farm, HashedWords(), AskedLanguage(language, "en")))
    assert found.found and found.text.startswith((f"{said}:", f"{said} :"))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many windows did Omar open?", "At least one:"),
        ("How many goats did Omar feed?", "At least two:"),
        ("How many books did Rosa read?", "At least two:"),
    ],
)
def test_a_thing_that_was_told_of_before_is_counted_once(question: str, said: str) -> None:
    deeds: list[Deed] = [
        (10, "Omar", "Omar opens the window.", "window", "open"),
        (20, "Omar", "Omar opens the window again.", "window", "open"),
        (30, "Omar", "Omar feeds two goats.", "goat", "feed"),
        (40, "Omar", "Omar feeds the two goats.", "goat", "feed"),
        (50, "Rosa", "Rosa reads a book.", "book", "read"),
        (60, "Rosa", "Rosa reads her book.", "book", "read"),
        (70, "Rosa", "Rosa reads another book.", "book", "read"),
    ]
    assert asked(question, graph_of_lines(lines("yard_cam", "yard", deeds))).text.startswith(said)


@pytest.mark.parametrize(
    "question", ["Which cameras did Omar carry in?", "Which videos did Omar bring in?", "Which cameras were left on?"]
)
def test_cameras_of_a_deed_are_not_those_that_show_it(question: str, farm: FakeGraph) -> None:
    assert asked(question, farm).text.startswith(("Memory", "Nothing"))


@pytest.mark.parametrize(
    ("question", "language"),
    [("Where are the lemons?", "en"), ("Wo sind die Zitronen?", "de"), ("Où sont les citrons ?", "fr")],
)
def test_a_place_that_only_the_words_tell_is_told(question: str, language: str, farm: FakeGraph) -> None:
    found = ask(question, Sources(Scope("test"), farm, farm, HashedWords(), AskedLanguage(language, "en")))
    assert found.found and "to the till" in found.text


@pytest.mark.parametrize(
    ("summary", "is_goal"),
    [
        ("Rosa carries the jug and talks to Omar.", False),
        ("Rosa carries the jug and looks into the mirror.", False),
        ("Rosa carries the cups and the jug to the kitchen.", True),
        ("Rosa lifts the jug and carries it to the kitchen.", True),
    ],
)
def test_only_where_a_thing_itself_is_brought_is_its_place(summary: str, is_goal: bool) -> None:
    graph = graph_of_lines(lines("yard_cam", "yard", [(10, "Rosa", summary, "jug", "carry")]))
    assert ("Nothing later says" not in asked("Where is the jug?", graph).text) == is_goal


def test_an_owner_is_not_whoever_did_something_to_the_thing(farm: FakeGraph) -> None:
    assert "on the windowsill" in asked("Where are Rosa's glasses?", farm).text


def test_whoever_drops_a_thing_did_not_fall(farm: FakeGraph) -> None:
    found = asked("When did Rosa fall?", farm)
    assert not found.found or found.text.startswith(("Memory", "Nothing"))


def test_who_left_last_is_in_doubt_where_a_car_drives_off_later() -> None:
    deeds: list[Deed] = [(10, "Omar", "Omar leaves the yard.", "yard", "leave")]
    [line] = lines("gate_cam", "gate", [(90, "", "A red car drives off.", "red car", "")])
    car = json.loads(line)
    car["analysis"]["characters"] = []
    car["analysis"]["events"][0] |= {"actors": [], "actions": []}
    gate = graph_of_lines([*lines("gate_cam", "gate", deeds), json.dumps(car)])
    found = asked("Who left last?", gate)
    assert found.text.startswith("Memory") and "A red car drives off" in found.text
    assert asked("Who left first?", gate).text.startswith("Omar")


def test_what_is_nobody_and_holds_nobody_leaves_no_doubt_who_left_last() -> None:
    light = json.loads(lines("yard_cam", "yard", [(90, "", "The light goes out.", "light", "")])[0])
    light["analysis"]["characters"] = []
    light["analysis"]["events"][0] |= {"actors": [], "actions": []}
    deeds: list[Deed] = [(10, "Omar", "Omar leaves the yard.", "yard", "leave")]
    graph = graph_of_lines([*lines("yard_cam", "yard", deeds), json.dumps(light | {"clip_id": "later"})])
    for question in ("Who left last?", "Who went out last?"):
        assert asked(question, graph).text.startswith("Omar")


def test_what_is_put_beside_a_moved_thing_may_be_in_it() -> None:
    towel = json.loads(
        lines("hall_cam", "hall", [(5, "Rosa", "Rosa packs her bag: she puts in a towel.", "bag", "pack")])[0]
    )
    towel["analysis"]["events"][0]["actions"].append({"actor": "C1", "verb": "put", "object": "towel"})
    found = asked("What did Rosa put in her bag?", graph_of_lines([json.dumps(towel)]))
    assert found.found and "towel" in found.text and not found.text.startswith(("Memory", "Nothing"))


def test_a_glass_of_wine_tells_what_is_in_the_glass() -> None:
    deeds: list[Deed] = [(5, "Rosa", "Rosa pours a glass of red wine.", "glass of red wine", "pour")]
    found = asked("What kind of wine was in the glass?", graph_of_lines(lines("hall_cam", "hall", deeds)))
    assert found.found and not found.text.startswith(("Memory", "Nothing"))
