"""Names that stand for another person in one video."""

from __future__ import annotations

from dataclasses import replace

import pytest

from amr_neo4j.domain.event import Action, Event
from amr_neo4j.store.person_aliases import PersonAliases

SPLIT = PersonAliases(
    into={("hall", "anna_lee"): ("", "dora"), ("hall", "will"): ("", "max")},
    split={("hall", "anna_lee"): "Dora", ("hall", "will"): "Max"},
)


def event(video_id: str, text: str) -> Event:
    return Event(
        node_id=1,
        group_id="g",
        video_id=video_id,
        clip_ids=("c",),
        ordinal=0,
        time_start=0.0,
        time_end=1.0,
        summary_text=text,
        dialogue_snippets=(f"Anna Lee: {text}",),
        persons=("Anna Lee",),
        actions=(Action("anna_lee", "open", "door"), Action("max", "see", "anna_lee")),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Anna Lee opens Anna-Lee's door.", "Dora opens Dora's door."),
        ("ANNA LEE meets Anna and Annalee.", "Dora meets Anna and Annalee."),
        ("Will will help Anna Lee, as Will said.", "Max will help Dora, as Max said."),
        ("Was will Will? Anna Lee lacht.", "Was will Max? Dora lacht."),
        ("L'amie d'Anna Lee arrive.", "L'amie d'Dora arrive."),
    ],
)
def test_an_event_tells_of_who_it_is(text: str, told: str) -> None:
    found = SPLIT.renamed(event("hall", text))
    assert found == replace(
        event("hall", told),
        dialogue_snippets=(f"Dora: {told}",),
        persons=("Dora",),
        actions=(Action("dora", "open", "door"), Action("max", "see", "anna_lee")),
    )


def test_other_videos_keep_the_name() -> None:
    said = event("garden", "Anna Lee opens the door.")
    assert SPLIT.renamed(said) is said


def test_a_full_name_stays_as_it_is() -> None:
    """Its film already says Anna Lee in some places."""
    split = PersonAliases(into={("hall", "anna"): ("", "anna_lee")}, split={("hall", "anna"): "Anna Lee"})
    found = split.renamed(event("hall", "I am Anna Lee. Anna, Lee and Anna-Lee wave at ANNA."))
    told = "I am Anna Lee. Anna Lee, Lee and Anna-Lee wave at Anna Lee."
    assert (found.summary_text, found.dialogue_snippets) == (told, (f"Anna Lee: {told}",))
    assert found.persons == ("Anna Lee",)


def test_two_names_that_a_film_mixes_up_are_exchanged() -> None:
    split = PersonAliases(
        into={("hall", "anna"): ("", "ben"), ("hall", "ben"): ("", "anna")},
        split={("hall", "anna"): "Ben", ("hall", "ben"): "Anna"},
    )
    said = replace(event("hall", "Anna gives Ben a cup."), actions=(Action("anna", "give", "cup"),))
    found = split.renamed(said)
    assert found.summary_text == "Ben gives Anna a cup."
    assert [action.actor for action in found.actions] == ["ben"]
