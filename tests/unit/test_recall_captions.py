"""Captions are answered from as they are: of their sentences only plain ones were read into lists."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from benchmarks.worlds import has_caveat
from tests.support.fake_graph import HashedWords, graph_of_lines

EMBEDDER = HashedWords()


def answer(question: str, *captions: str) -> Answer:
    """captions: a summary each, one every ten minutes; after "|" what somebody says in it, as "Ann: words"."""
    events, turns = list[dict[str, object]](), list[dict[str, object]]()
    names = sorted({name for each in captions for name in ("Ann", "Ben", "Cleo", "Doctor Ruiz") if name in each})
    ids = {name: f"C{number}" for number, name in enumerate(names)}
    for number, caption in enumerate(captions):
        summary, _, said = caption.partition("|")
        begin, (speaker, _, words) = number * 600, said.partition(": ")
        events.append({"time_start": begin, "time_end": begin + 30, "summary": summary})
        if said:
            turns.append({"speaker_id": ids[speaker], "utterance": words, "time_start": begin, "time_end": begin + 5})
    characters = [{"local_character_id": ids[name], "name_or_description": name} for name in names]
    analysis = {"clip_summary": "", "characters": characters, "events": events, "speaker_turns": turns}
    line = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": len(captions) * 600, "analysis": analysis}
    line |= {"recorded_at": "2026-05-04T07:00:00+00:00"}
    graph = graph_of_lines([json.dumps(line)], EMBEDDER)
    now = datetime(2026, 5, 4, 20, tzinfo=UTC)
    return ask(question, Sources(Scope("test"), graph, graph, EMBEDDER, ENGLISH, now))


OTHERS = ("Cleo waters the roses.", "A van parks in the yard.", "Ben sweeps the hall.")


@pytest.mark.parametrize(
    ("question", "captions", "first"),
    [
        # "Doctor Ruiz presses" is no plain sentence, so nothing is listed of it.
        (
            "Who was the last to press the bell button?",
            ("Ann presses the bell button.", "Doctor Ruiz presses the bell button."),
            "Ruiz",
        ),
        (
            "Who was the first to feed the cat?",
            ("Ann feeds the cat Mimi and fills a bowl.", "Ben feeds the cat."),
            "Ann",
        ),
    ],
)
def test_the_first_and_the_last_are_looked_for_in_the_words_too(
    question: str, captions: tuple[str, ...], first: str
) -> None:
    found = answer(question, *captions, *OTHERS)
    assert found.text.startswith(first), found.text


@pytest.mark.parametrize(
    ("question", "captions"),
    [
        # Whoever had it before need not have it now.
        (
            "Who has the umbrella now?",
            ("Ben carries the umbrella.", "Cleo is back and Ann gives her the umbrella."),
        ),
        # What may, shall or would be done was not done by that.
        ("How did Ann travel home?", ("Doctor Ruiz looks at Ann's knee.|Doctor Ruiz: You may go home tomorrow.",)),
        (
            "How did Ann travel home?",
            ("Doctor Ruiz looks at Ann.|Doctor Ruiz: Sie dürfen morgen nach Hause, go.",),
        ),
        ("Who repaired the heater?", ("Ben looks at the heater.|Ann: Cleo should repair the heater.",)),
        ("Did Ben pass the driving test?", ("Ann drinks tea.|Ann: Ben has the driving test today.",)),
        # What the man got was not for the boy.
        ("How many rolls did Ann sell to the boy?", ("Ann sells four rolls to a man.",)),
        ("What did Ann sell to the lady?", ("Ann sells four rolls to a boy.",)),
        # Whoever drops a cup did not fall.
        ("When did Ben fall out of bed?", ("Ben drops a cup under the bed.",)),
        # The place is that of another deed.
        ("Where did Ben find the key?", ("Ben finds the key and hangs it on the hook.",)),
        ("Where was the scarf found?", ("Ann finds the scarf, then puts it in the drawer.",)),
    ],
)
def test_another_deed_or_none_is_no_sure_answer(question: str, captions: tuple[str, ...]) -> None:
    found = answer(question, *captions, *OTHERS)
    assert not found.found or has_caveat(found), found.text


@pytest.mark.parametrize(
    ("question", "captions", "said"),
    [
        ("Who has the umbrella now?", ("Ann takes the umbrella.",), "Ann"),
        ("How many rolls did Ann sell to the gentleman?", ("Ann sells four rolls to a man.",), "four rolls"),
        # A till is a thing, and begins no clause.
        ("Where is the till key?", ("Ben hangs the till key on the hook.", "Cleo wipes a key."), "on the hook"),
        # That it is a birthday does not say which.
        ("How old is Ben now?", ("Ben celebrates his birthday.|Ann: Happy birthday, now you are eight!",), "eight"),
        (
            "What was Ben's temperature?",
            ("Ann takes Ben's temperature.|Ann: Thirty-eight point two.",),
            "Thirty-eight",
        ),
        ("Where are Ben's boots?", ("Ben drops his boots.", "Cleo lays the boots in the crate."), "in the crate"),
        ("Who has the key now?", ("Ann puts the key in her pocket.",), "Ann"),
        ("Who put the umbrella in the stand?", ("Ann puts the umbrella in the stand.",), "Ann"),
        ("Who repaired the heater?", ("Ben looks at the heater.|Ann: Cleo repaired the heater.",), "Cleo repaired"),
        ("Where did Ben find the key?", ("Ben finds the key under the mat and hangs it on the hook.",), "mat"),
        ("Who repaired the heater?", ("Ben looks at the heater.|Ann: Will repaired the heater.",), "Will repaired"),
        ("Who repaired the heater?", ("Ben looks at the heater.|Ann: Cleo repaired the heater in May.",), "in May"),
        (
            "Who repaired the heater?",
            ("Ben looks at the heater.|Ann: I hope you know that Cleo repaired the heater.",),
            "Cleo repaired",
        ),
        (
            "Who repaired the heater?",
            ("Ben looks at the heater.|Ann: I can see that Cleo repaired the heater.",),
            "Cleo repaired",
        ),
        ("Who repaired the heater?", ("Ben looks at it.|Ann: Cleo repaired the heater, if you ask me.",), "Cleo"),
        ("Where did Ben hang the key?", ("Ben finds the key and hangs it on the hook.",), "hook"),
    ],
)
def test_the_deed_that_is_asked_for_is_a_sure_answer(question: str, captions: tuple[str, ...], said: str) -> None:
    found = answer(question, *captions, *OTHERS)
    assert found.found and said in found.text and not has_caveat(found), found.text


TOOK, FED = "Ann takes the key.", "Ann feeds the cat."
OPENED, WATERED = "Ann opens the window.", "Ann waters the tulips."


@pytest.mark.parametrize(
    ("question", "captions", "said"),
    [
        # A caption that only names the thing is about no holder.
        ("Who has the key now?", (TOOK, "Ben unlocks the door and enters the hall without the key."), "Ann"),
        ("Who has the key now?", (TOOK, "Ben has no key and waits."), "Ann"),
        ("Who has the key now?", (TOOK, "Ben searches for the key."), "Ann"),
        ("Who has the key now?", (TOOK, "Ben asks Ann for the key."), "Ann"),
        ("Who has the umbrella?", ("Ann takes the umbrella.", "Ben talks about the umbrella."), "Ann"),
        ("Who has the umbrella?", ("Ann takes the umbrella.", "Ben and Cleo look at the umbrella."), "Ann"),
        ("Who has the book?", ("Ann takes the book.", "Ben walks past the book shop."), "Ann"),
        # Nor does a caption tell of a deed by a word for it that is no verb of the thing.
        ("Who was the last to feed the cat?", (FED, "Ben forgets to feed the cat."), "Ann"),
        ("Who was the last to feed the cat?", (FED, "Ben buys feed for the cat."), "Ann"),
        ("Who was the last to open the window?", (OPENED, "Ben closes the open window."), "Ann"),
        ("Who was the last to open the window?", (OPENED, "Ben tries to open the window, but it is stuck."), "Ann"),
        ("Who was the last to water the tulips?", (WATERED, "Ben waters the lawn and looks at the tulips."), "Ann"),
        ("How often was the window opened?", (OPENED, "Ben closes the open window."), "Once"),
        ("How often was the cat fed?", (FED, "Ben feeds the dog while the cat sleeps."), "Once"),
        ("How often were the tulips watered?", (WATERED, "Ben waters the lawn and looks at the tulips."), "Once"),
        ("How often did Ann call Ben?", ("Ann calls Ben.", "Cleo calls a taxi for Ben."), "Once"),
        (
            "How often was the lamp turned on?",
            ("Ann turns on the lamp.", "Ben turns off the lamp.", "Cleo turns the page under the lamp."),
            "Once",
        ),
    ],
)
def test_a_caption_that_only_names_it_is_no_other_answer(question: str, captions: tuple[str, ...], said: str) -> None:
    found = answer(question, *captions, *OTHERS)
    assert found.text.startswith(said) and not has_caveat(found), found.text
