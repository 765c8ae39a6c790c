"""Local ids in any spelling: each is resolved to one person, or dropped with a note."""

from __future__ import annotations

from typing import Any

import pytest

from amr_neo4j.domain.analysis import ClipAnalysis, NotedAnalysis
from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.dangling_ids import without_dangling_ids
from amr_neo4j.language.languages import ENGLISH

Json = dict[str, Any]
MAN, WOMAN = "old man in a green apron", "woman with a grey braid"


def character(local_id: str, words: str, **rest: str) -> Json:
    return {"local_character_id": local_id, "name_or_description": words, **rest}


PAIR = [character("C1", MAN), character("C2", WOMAN)]


def clip_of(
    actors: tuple[str, ...] = (), *, people: list[Json] = PAIR, by: str | None = None, speakers: tuple[str, ...] = ()
) -> NotedAnalysis:
    """An event with these actors, one action `by` somebody, and a turn of each speaker."""
    actions = [] if by is None else [{"actor": by, "verb": "lift", "object": "lid"}]
    event = {"time_start": 1, "time_end": 4, "summary": "The lid comes off.", "actors": actors, "actions": actions}
    turns = [
        {"speaker_id": who, "utterance": f"Hm {n}.", "time_start": 1, "time_end": 2} for n, who in enumerate(speakers)
    ]
    analysis = {"clip_summary": "", "characters": people, "speaker_turns": turns, "events": [event]}
    return without_dangling_ids(NotedAnalysis(ClipAnalysis.model_validate(analysis)), ENGLISH)


def composed(analysis: ClipAnalysis) -> EventDraft:
    [event] = compose(
        AnalysedClip(Video("g", "film"), Clip("c", 0.0, 10.0), analysis, "vision", "sha"), ENGLISH
    ).events
    return event


@pytest.mark.parametrize(
    ("written", "meant", "note"),
    [
        ("C1", ["C1"], ""),
        ("c1", ["C1"], ""),
        ("C-1", ["C1"], ""),
        (" C01", ["C1"], ""),
        ("C1 (old man)", ["C1"], "event 1: “C1 (old man)” is read as C1"),
        ("C2: the woman", ["C2"], "is read as C2"),
        ("C1, C2", ["C1", "C2"], "is read as C1, C2"),
        ("C2 and c1", ["C2", "C1"], "is read as C2, c1"),
        (MAN, [MAN], ""),
        ("Bob", ["Bob"], ""),
        ("C9", [], "event 1: C9 is not a listed character; dropped"),
        ("C1, C9", ["C1"], "C9 is not a listed character"),
        ("P1", [], "P1 is not a listed character"),
        ("PERSON_1", [], "PERSON_1 is not a listed character"),
        ("P1 (cook)", [], "P1 (cook) is not a listed character"),
        ("N/A", [], "N/A is not a listed character"),
        ("unknown", [], "unknown is not a listed character"),
        ("S1", [], "S1 is not a listed character"),
    ],
)
def test_an_actor_resolves_to_one_person_or_to_none(written: str, meant: list[str], note: str) -> None:
    clip = clip_of((written,), by=written)
    [event] = clip.analysis.events
    assert list(event.actors) == meant
    assert [action.actor for action in event.actions] == (meant or [""])
    assert any(note in line for line in clip.notes) if note else not clip.notes


def test_ids_are_matched_in_the_spelling_of_the_list() -> None:
    clip = clip_of(("p1", "Person 2"), people=[character("P1", MAN), character("PERSON_2", WOMAN)])
    assert (clip.analysis.events[0].actors, clip.notes) == (("P1", "PERSON_2"), ())


def test_an_actor_given_by_a_speaker_id_is_its_character() -> None:
    people = [character("C1", MAN), character("C2", WOMAN, speaker_id="s1")]
    clip = clip_of(("S1",), people=people, by="S1", speakers=("S1",))
    assert (clip.analysis.events[0].actors, clip.notes) == (("C2",), ())
    assert {(part.person_id, part.role) for part in composed(clip.analysis).involvements} == {
        ("woman_grey_braid", "actor"),
        ("woman_grey_braid", "speaker"),
    }


def test_an_id_shared_by_two_people_refers_to_neither() -> None:
    clip = clip_of(
        ("C1", "C2"), people=[character("C1", MAN), character("c1", WOMAN), character("C2", "Anna")], by="C1"
    )
    assert [person.local_character_id for person in clip.analysis.characters] == ["C1.1", "c1.2", "C2"]
    assert [part.person_id for part in composed(clip.analysis).involvements] == ["anna"]
    assert [note for note in clip.notes if MAN in note and "now C1.1" in note]
    assert "event 1: C1 is not a listed character; dropped" in clip.notes


def test_equal_entries_in_the_list_are_one_person() -> None:
    clip = clip_of(("C1",), people=[*PAIR, character("C1", MAN)])
    assert ([c.local_character_id for c in clip.analysis.characters], clip.notes) == (["C1", "C2"], ())


def test_words_that_fit_two_people_refer_to_neither() -> None:
    clip = clip_of(
        (MAN, "Anna"), people=[character(f"C{n}", words) for n, words in enumerate([MAN, MAN, "Anna", "Anna"])]
    )
    assert clip.analysis.events[0].actors == ("Anna",)
    assert clip.notes == (f"event 1: {MAN} fits several listed characters; dropped",)


def test_speaker_labels_are_local_to_the_clip() -> None:
    clip = clip_of(
        speakers=("SPEAKER_00", "SPEAKER_01", "S1", "speaker_00", "Anna", "unknown", "the speaker", "C1, C2")
    )
    speakers = [turn.speaker_id for turn in clip.analysis.speaker_turns]
    assert speakers == ["S2", "S3", "S1", "S2", "Anna", "", "", "C1", "C2"]
    assert [turn.utterance for turn in clip.analysis.speaker_turns][-2:] == ["Hm 7.", "Hm 7."]
    assert "speaker turn 1: SPEAKER_00 is not a listed character; kept as voice S2" in clip.notes
    assert len(clip.notes) == 5


def test_a_label_of_one_character_refers_to_that_character() -> None:
    clip = clip_of(people=[character("C1", MAN, speaker_id="SPEAKER_00")], speakers=("SPEAKER_00",))
    assert not clip.notes
    assert [part.person_id for part in composed(clip.analysis).involvements] == ["old_man_green_apron"]


@pytest.mark.parametrize(
    ("mans", "womans", "spoken", "speakers"),
    [
        ("C2", "", "C2", {"woman_grey_braid"}),
        ("unknown", "unknown", "unknown", set()),
        ("unknown", "", "unknown", set()),
        ("S1", "S1", "S1", set()),
        ("S1", "", "S1", {"old_man_green_apron"}),
        ("C1", "", "C1", {"old_man_green_apron"}),
    ],
)
def test_a_voice_refers_to_its_only_owner(mans: str, womans: str, spoken: str, speakers: set[str]) -> None:
    people = [character("C1", MAN, speaker_id=mans), character("C2", WOMAN, speaker_id=womans)]
    clip = clip_of(people=people, speakers=(spoken,))
    assert {part.person_id for part in composed(clip.analysis).involvements} == speakers
    refused = [note for note in clip.notes if "not of this character alone" in note]
    assert len(refused) == (0 if mans in ("S1", "C1") and not womans else 1 + bool(womans))
