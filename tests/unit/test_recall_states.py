"""What state a thing is in: what was told of it last holds, be that a deed, a caption or a line."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from benchmarks.worlds import has_caveat
from tests.support.fake_graph import HashedWords, graph_of_lines

# Captions in order, each with the action that it lists.
DOOR = [("Ben opens the back door.", ("Ben", "open", "back door")), ("The back door is closed.", None)]
SCREEN = [("Anna repairs the screen.", ("Anna", "repair", "screen")), ("The screen is cracked.", None)]
LAMP = [("Ida switches on the lamp.", ("Ida", "switch on", "lamp")), ("The lamp is off.", None)]
WINDOW = [("Anna cleans the window.", ("Anna", "clean", "window")), ("The window is dirty again.", None)]
SHED = [("Ida locks the shed.", ("Ida", "lock", "shed")), ("The shed isn't locked.", None)]
VASE = [("Ben drops the vase.", ("Ben", "drop", "vase")), ("The vase lies broken on the floor.", None)]
WINDOWS = [("Ida closes the windows.", ("Ida", "close", "windows")), ("The windows are open.", None)]


def told(
    question: str, captions: Sequence[tuple[str, tuple[str, str, str] | None]], code: str = "en"
) -> tuple[str, bool]:
    """Return (the answer, whether it is in doubt)."""
    events = []
    for number, (caption, action) in enumerate(captions):
        event = {"time_start": 60 * number, "time_end": 60 * number + 4, "summary": caption}
        if action:
            event |= {"actors": action[:1], "actions": [dict(zip(("actor", "verb", "object"), action, strict=True))]}
        events.append(event)
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 4000}
    graph = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})])
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    answer = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), language))
    return answer.text, has_caveat(answer)


@pytest.mark.parametrize(
    ("question", "captions"),
    [
        ("Is the back door open?", DOOR),
        ("Is the back door closed?", DOOR),
        ("What state is the back door in?", DOOR),
        ("What is the condition of the screen?", SCREEN),
        ("Is the screen broken?", SCREEN),
        ("Is the screen cracked?", SCREEN),
        ("How is the screen?", SCREEN),
        ("Is the lamp on?", LAMP),
        ("Is the window clean?", WINDOW),
        ("Is the shed locked?", SHED),
        ("Is the vase broken?", VASE),
        ("Are the windows closed?", WINDOWS),
    ],
)
def test_what_is_told_of_a_thing_after_a_deed_is_its_state(
    question: str, captions: list[tuple[str, tuple[str, str, str] | None]]
) -> None:
    text, in_doubt = told(question, captions)
    assert captions[1][0].rstrip(".") in text.split("[")[0] and not in_doubt


@pytest.mark.parametrize(
    ("code", "question", "captions"),
    [
        ("de", "Ist die Hintertür offen?", DOOR),
        ("de", "Ist die Lampe an?", LAMP),
        ("fr", "La porte de derrière est-elle ouverte ?", DOOR),
        ("fr", "Dans quel état est l'écran ?", SCREEN),
        ("es", "¿Está abierta la puerta trasera?", DOOR),
        ("es", "¿En qué estado está la pantalla?", SCREEN),
        ("es", "¿Está encendida la lámpara?", LAMP),
        ("it", "La porta sul retro è aperta?", DOOR),
        ("it", "In che stato è lo schermo?", SCREEN),
        ("it", "La lampada è accesa?", LAMP),
    ],
)
def test_a_state_is_told_to_whoever_asks_in_another_language(
    code: str, question: str, captions: list[tuple[str, tuple[str, str, str] | None]]
) -> None:
    assert captions[1][0].rstrip(".") in told(question, captions, code)[0].split("[")[0]


def test_a_deed_after_what_was_told_is_the_state() -> None:
    text, _ = told("What is the condition of the screen?", SCREEN[::-1])
    assert text.startswith("The screen was last repaired") and "cracked" not in text


@pytest.mark.parametrize(
    "caption", ["The back door is green.", "The front door is closed.", "The key is near the back door."]
)
def test_what_tells_nothing_of_open_or_closed_changes_no_answer(caption: str) -> None:
    text, in_doubt = told("Is the back door open?", [DOOR[0], (caption, None)])
    assert text.startswith("The back door was last opened") and not in_doubt


CLOSED = [("Ben closes the back door.", ("Ben", "close", "back door"))]
FRIDGE = [("Ben closes the fridge.", ("Ben", "close", "fridge"))]
BOTTLE = [("Ben fills the bottle.", ("Ben", "fill", "bottle"))]
HALL = [("Ida closes the door in the hall.", ("Ida", "close", "door"))]


@pytest.mark.parametrize(
    ("question", "captions", "other"),
    [
        ("Is the fridge open?", FRIDGE, "The fridge door is open."),
        ("Is the bottle full?", BOTTLE, "The bottle opener is full of dirt."),
        ("Is the door in the hall open?", HALL, "In the kitchen, the door is open."),
        ("What is the condition of the screen?", SCREEN[:1], "The screen is visible behind Ben."),
    ],
)
def test_what_is_told_of_another_thing_is_no_state(
    question: str, captions: list[tuple[str, tuple[str, str, str] | None]], other: str
) -> None:
    text, _ = told(question, [*captions, (other, None)])
    assert " was last " in text.split("[")[0] and other.rstrip(".") not in text


@pytest.mark.parametrize("line", ["The back door was open all night.", "The back door is open, isn't it?"])
def test_talk_of_how_a_thing_was_or_a_question_is_no_state(line: str) -> None:
    events = [
        {
            "time_start": 60 * number,
            "time_end": 60 * number + 4,
            "summary": f"{who} {verb}s {thing}.",
            "actors": [who],
            "actions": [{"actor": who, "verb": verb, "object": thing}],
            "dialogue": said,
        }
        for number, (who, verb, thing, said) in enumerate(
            [("Ben", "close", "back door", []), ("Anna", "peel", "apple", [f"Anna: {line}"])]
        )
    ]
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 4000}
    graph = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})])
    answer = ask("Is the back door open?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert answer.text.startswith("The back door was last closed")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How is the cake made?", "Anna bakes the cake"),
        ("How is the table set?", "Anna sets the table"),
        ("How are the chairs arranged?", "Anna arranges the chairs"),
    ],
)
def test_how_a_thing_is_made_asks_for_no_state(question: str, said: str) -> None:
    thing = said.partition(" the ")[2]
    deeds = [said, f"Anna cleans the {thing}"]
    text, _ = told(question, [(f"{deed}.", ("Anna", deed.split()[1].rstrip("s"), thing)) for deed in deeds])
    assert said in text.split("[")[0] and "last cleaned" not in text


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("The back door is closed again.", [("back door", "closed")]),
        ("It rains, and the windows are still open.", [("windows", "open")]),
        ("The lid of the pan is off.", []),
        ("The cup is on the table.", []),
        ("The cup is red.", []),
        ("The lamp is off.", [("lamp", "off")]),
        ("Anna is happy that the box stays shut", [("anna", "happy"), ("box", "shut")]),
    ],
)
def test_sentences_that_say_how_a_thing_is(text: str, states: list[tuple[str, str]]) -> None:
    assert [(" ".join(thing), state) for thing, state in ENGLISH.states_told(text)] == states


BENS = [("Ben's cup is empty.", None)]
BOTTLE_FILLED = [("Anna fills the bottle.", ("Anna", "fill", "bottle"))]


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Is my cup empty?"),
        ("de", "Ist meine Tasse leer?"),
        ("fr", "Ma tasse est-elle vide ?"),
        ("es", "¿Está vacía mi taza?"),
        ("it", "La mia tazza è vuota?"),
    ],
)
def test_the_thing_of_another_is_not_mine(code: str, question: str) -> None:
    grammar = ENGLISH.grammar if code == "en" else AskedLanguage(code, "en").grammar
    text, _ = told(question, BENS, code)
    assert text.startswith(grammar.not_found().split(".")[0][:7]) and not text.startswith("At ")


def test_where_my_things_are_is_not_told_by_those_of_another() -> None:
    text, in_doubt = told("Where are my keys?", [("Anna puts Ben's keys on the shelf.", ("Anna", "put", "keys"))])
    assert in_doubt and "“my”" in text
    # Nothing says whose these are.
    assert not told("Where are my keys?", [("Anna puts the keys on the shelf.", ("Anna", "put", "keys"))])[1]


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Is the bottle full?"),
        ("en", "Is the bottle empty?"),
        ("de", "Ist die Flasche voll?"),
        ("fr", "La bouteille est-elle pleine ?"),
        ("es", "¿Está llena la botella?"),
        ("it", "La bottiglia è piena?"),
    ],
)
def test_a_deed_tells_the_state_that_it_leaves_whatever_the_word(code: str, question: str) -> None:
    assert "00:00:00" in told(question, BOTTLE_FILLED, code)[0]


@pytest.mark.parametrize("question", ["Is the bottle broken?", "Is the bottle clean?", "Is the bottle locked?"])
def test_a_change_of_another_kind_tells_no_state(question: str) -> None:
    text, in_doubt = told(question, BOTTLE_FILLED)
    assert in_doubt and "last filled" not in text.split("[")[0]
