"""Ids for described people: distinct within a clip, stable through the video."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import Character, ClipAnalysis, NotedAnalysis
from amr_neo4j.domain.chat import Prompt
from amr_neo4j.domain.ports import Shape
from amr_neo4j.domain.video import Video
from amr_neo4j.ingest.identify import PersonIdentifier
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.store.read.receipts import people_with_ids

SUIT, IN_HAT, WITH_HAT = "man in a black suit", "man in a hat", "man with a hat"


class Giving:
    """A model that returns these ids by local id, and records its calls."""

    model = "giver"

    def __init__(self, **ids: str) -> None:
        self.ids = ids
        self.asked: list[str] = []

    def ask(self, prompt: Prompt, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
        self.asked.append(prompt.messages[-1].text)
        persons = [{"local_character_id": local, "person_id": person} for local, person in self.ids.items()]
        return shape.model_validate({"persons": persons}), ()


def clip(*descriptions: str) -> NotedAnalysis:
    people = [
        Character(local_character_id=f"C{n}", name_or_description=words)
        for n, words in enumerate(descriptions, start=1)
    ]
    return NotedAnalysis(ClipAnalysis(clip_summary="", characters=tuple(people), events=()))


def ids(identified: NotedAnalysis) -> list[str]:
    return [person.person_id for person in identified.analysis.characters]


@pytest.mark.parametrize(
    ("people", "given_ids", "own", "notes"),
    [
        ((SUIT, SUIT), {"C1": "suit", "C2": "suit_2"}, ["suit", "suit_2"], []),
        ((SUIT, SUIT), {}, ["man_black_suit", "man_black_suit_2"], ["C2: man_black_suit is another person"]),
        ((IN_HAT, WITH_HAT), {"C1": "man_hat", "C2": "man_hat"}, ["man_hat", "man_hat_2"], ["the id is man_hat_2"]),
        (("old man", "young man"), {"C1": "man", "C2": "man"}, ["man", "young_man"], ["C2: man is another person"]),
        (("old man",), {"C1": "Old-Man Hat"}, ["old_man_hat"], []),
        (("old man",), {"c1": "man_hat"}, ["man_hat"], []),
        (("old man",), {"C1": "C1"}, ["old_man"], ["C1: C1 is not the id of one person; the id is old_man"]),
        (("old man",), {"C1": "unknown"}, ["old_man"], ["unknown is not the id of one person"]),
        (("old man",), {"C1": "person_1"}, ["old_man"], ["person_1 is not the id of one person"]),
        (("old man",), {"C1": "Speaker"}, ["old_man"], ["Speaker is not the id of one person"]),
        (("old man",), {"C1": "!?"}, ["old_man"], ["!? is not the id of one person"]),
        (("person", "person"), {}, ["person", "person_2"], ["the id is person_2"]),
    ],
)
def test_everybody_has_a_distinct_id(
    people: tuple[str, ...], given_ids: Mapping[str, str], own: list[str], notes: list[str]
) -> None:
    identified = PersonIdentifier({}, Giving(**given_ids), ENGLISH).identify(clip(*people))
    assert ids(identified) == own
    assert len(identified.notes) == len(notes) and all(
        part in note for part, note in zip(notes, identified.notes, strict=True)
    )


@given(
    st.lists(st.lists(st.sampled_from([SUIT, IN_HAT, WITH_HAT, "person", "Man in a hat"]), max_size=4), max_size=4)
)
def test_an_id_is_never_given_twice_in_a_clip(clips: list[list[str]]) -> None:
    """For people of any descriptions and any earlier people; with or without a model."""
    for model in (None, Giving(C1="man_hat", C2="man_hat", C3="man_black_suit")):
        identities = PersonIdentifier({}, model, ENGLISH)
        for people in clips:
            found = ids(identities.identify(clip(*people)))
            assert len(set(found)) == len(people) and "" not in found


def test_people_of_equal_description_keep_their_ids_through_the_video() -> None:
    identities = PersonIdentifier({}, None, ENGLISH)
    first = identities.identify(clip(SUIT, SUIT))
    again = identities.identify(clip(SUIT, SUIT))
    assert ids(first) == ids(again) == ["man_black_suit", "man_black_suit_2"]
    assert not again.notes
    later = PersonIdentifier({"man_black_suit_2": SUIT, "man_black_suit": SUIT}, None, ENGLISH)
    assert ids(later.identify(clip(SUIT, SUIT))) == ["man_black_suit", "man_black_suit_2"], "in any order"


def test_a_number_in_use_is_not_given_again() -> None:
    identities = PersonIdentifier({}, None, ENGLISH)
    identities.identify(clip(IN_HAT, WITH_HAT))
    assert ids(identities.identify(clip(IN_HAT, IN_HAT))) == ["man_hat", "man_hat_3"]


def test_an_id_in_use_is_accepted_with_any_description() -> None:
    identities = PersonIdentifier({"person_2": "person"}, Giving(C1="person_2"), ENGLISH)
    assert (ids(identities.identify(clip("figure at the door")))) == ["person_2"]


def test_people_seen_recently_are_shown_to_the_model_first() -> None:
    model = Giving()
    identities = PersonIdentifier({}, model, ENGLISH)
    identities.identify(clip("hero in a cape", "spare dancer"))
    for n in range(250):
        identities.identify(clip("hero in a cape", f"extra number {n}"))
    shown = re.findall(r"^(\w+): ", model.asked[-1], re.MULTILINE)
    assert "hero_cape" in shown and "spare_dancer" not in shown
    assert len([who for who in shown if who.startswith("extra_number")]) == 199


class Clips:
    """A database with the people of some committed clips."""

    def __init__(self, *clips: list[tuple[str, str]]) -> None:
        self.clips = clips

    def read(self, statement: str, **params: str) -> list[dict[str, str]]:
        listed = [
            [{"person_id": who, "name_or_description": words} for who, words in people] for people in self.clips
        ]
        return [{"characters": json.dumps(people)} for people in listed]


def test_a_resumed_run_knows_who_was_seen_last() -> None:
    clips: Any = Clips([("hero", "hero in a cape"), ("extra", "extra")], [("", "Anna"), ("hero", "tall hero")])
    assert [*people_with_ids(clips, Video("g", "film")).items()] == [("extra", "extra"), ("hero", "hero in a cape")]
