"""Events from analyses: persons, dialogue and actions, nothing repeated or invented."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import ComposedClip, EventDraft
from amr_neo4j.domain.video import VISION, AnalysedClip, Video
from amr_neo4j.ingest.compose import compose, embedding_text
from amr_neo4j.ingest.derive import with_unseen_speech
from amr_neo4j.ingest.local_ids import is_local_id
from amr_neo4j.ingest.voice_attribution import overlap
from amr_neo4j.language.en.content import words_of
from amr_neo4j.language.en.identities import NameSigns, object_key, person_key
from amr_neo4j.language.languages import ENGLISH, language
from tests.support.analyses import analysed, analyses
from tests.support.examples import examples

Json = dict[str, Any]
# Each analysis is large, and takes long to draw.
a_few = examples(push=10, soak=300)


def composed(analysis: Json, video: Video | None = None) -> ComposedClip:
    return compose(with_unseen_speech(analysed(analysis, video=video), ENGLISH), ENGLISH)


def analysis_of(
    *events: Json, turns: list[Json] | None = None, cast: dict[str, str] | None = None, **rest: Any
) -> Json:
    """cast: local id -> name or description."""
    timed = [{"time_start": 0.0, "time_end": 5.0, "summary": "Something happens."} | event for event in events]
    people = [{"local_character_id": local, "name_or_description": name} for local, name in (cast or {}).items()]
    return {"clip_summary": "", "events": timed, "characters": people, "speaker_turns": turns or []} | rest


def turn(speaker: str, words: str, start: float = 0.0, end: float = 5.0) -> Json:
    return {"speaker_id": speaker, "utterance": words, "time_start": start, "time_end": end}


def event_of(*events: Json, **rest: Any) -> EventDraft:
    [event] = composed(analysis_of(*events, **rest)).events
    return event


def people_of(event: EventDraft) -> set[tuple[str, str, str]]:
    return {(part.scope, part.person_id, part.role) for part in event.involvements}


# --- people


def test_unpunctuated_speech_names_nobody_by_the_capital_of_the_next_line() -> None:
    said = [turn("S1", "we should go", 0, 2), turn("S1", "Bring the map", 2, 4)]
    assert people_of(event_of({}, turns=said)) == set()


def test_a_person_who_is_written_in_two_ways_is_listed_once() -> None:
    event = event_of({"summary": "Dr. Smith takes the key.", "actors": ["C1"]}, cast={"C1": "Dr. Smith"})
    assert event.persons == ("Dr. Smith",)


@a_few
@given(analyses())
def test_local_ids_are_never_persons(analysis: Json) -> None:
    """C1, S1 and E1 are resolved or dropped; they reach neither persons nor actions."""
    for event in composed(analysis).events:
        names = [
            *event.persons,
            *(part.name for part in event.involvements),
            *(action.actor for action in event.actions),
        ]
        assert not [name for name in names if is_local_id(name.strip().upper())]


@a_few
@given(analyses())
def test_names_belong_to_the_group_and_descriptors_to_their_video(analysis: Json) -> None:
    """A name is the same person in every video; "girl in a black hoodie" is another person in the next one."""
    for event in composed(analysis).events:
        for part in event.involvements:
            key = person_key(part.name)
            assert (part.person_id, part.scope) == (key.person_id, "" if key.is_name else "film")


@a_few
@given(analyses())
def test_persons_are_those_involved_as_named_in_the_analysis(analysis: Json) -> None:
    """The list and the relationships name the same people; no name is longer than the graph can index."""
    for event in composed(analysis).events:
        assert {person_key(name).person_id for name in event.persons} == {p.person_id for p in event.involvements}
        assert len(set(event.persons)) == len(event.persons)
        assert all(0 < len(name) <= 500 and name == name.strip() for name in event.persons)


def test_actors_speakers_and_names_mentioned_are_the_persons() -> None:
    event = event_of(
        {"actors": ["C1"], "actions": [{"actor": "C2", "verb": "wave"}], "dialogue": ["Ask Carla."]},
        cast={"C1": "girl in a black hoodie", "C2": "Ben"},
        turns=[turn("Dora", "Where is Emil?")],
    )
    assert event.persons == ("girl in a black hoodie", "Ben", "Dora", "Carla", "Emil")
    assert people_of(event) == {
        ("film", "girl_black_hoodie", "actor"),
        ("", "ben", "actor"),
        ("", "dora", "speaker"),
        ("", "carla", "mentioned"),
        ("", "emil", "mentioned"),
    }


def test_a_name_that_is_only_said_is_known_by_that() -> None:
    event = event_of({"summary": "I wave at Anna."}, turns=[turn("Dora", "Carla, come here! Ask Emil and Anna.")])
    known = {part.person_id: part.evidence for part in event.involvements}
    assert known == {"dora": "name", "anna": None, "carla": "addressed", "emil": "told"}


def test_whoever_the_analysis_lists_is_not_only_said() -> None:
    event = event_of({"summary": "A woman waves.", "dialogue": ["Anna has moved."]}, cast={"C1": "Anna"})
    assert [(part.person_id, part.evidence) for part in event.involvements] == [("anna", None)]


@pytest.mark.parametrize(
    ("event", "clip_summary"),
    [
        ({"summary": "A woman carries a box.", "dialogue": ["Where is Anna?"]}, "Anna carries a box."),
        ({"summary": 'Ben says: "Ask Anna."', "own_summary": "Anna waves."}, ""),
    ],
)
def test_the_surest_mention_of_somebody_counts(event: Json, clip_summary: str) -> None:
    found = event_of(event, clip_summary=clip_summary)
    assert {part.person_id: part.evidence for part in found.involvements}["anna"] is None


@pytest.mark.parametrize(
    ("name", "summary", "evidence"),
    [
        ("Waiter", "The waiter pours wine.", None),
        ("Ana", "An Anatomy class begins.", "told"),
        ("Ana", 'Ben says: "Ana has moved."', "told"),
        ("Ana", 'Ben says: "Ana has moved." Ana waves.', None),
    ],
)
def test_a_listed_mention_is_seen_if_the_caption_has_its_words(name: str, summary: str, evidence: str | None) -> None:
    event = event_of({"summary": summary, "mentioned": [name]})
    assert {part.evidence for part in event.involvements if part.person_id == name.lower()} == {evidence}


def test_actors_written_as_one_word_are_several() -> None:
    event = event_of({"actors": ["AnnaBen"]}, cast={"C1": "Anna"})
    assert people_of(event) == {("", "anna", "actor"), ("", "ben", "actor")}


def test_an_actor_of_two_names_is_not_mentioned_by_one_of_them() -> None:
    event = event_of({"summary": "Choixt Bau listens.", "actors": ["Choixt Bau"]})
    assert people_of(event) == {("", "choixt_bau", "actor")}


def test_people_listed_with_commas_are_several() -> None:
    event = event_of({"summary": "She waits for Anna, Ben/Carla and Dr. Smith (Dora's father)."})
    assert event.persons == ("Anna", "Ben", "Carla", "Dr Smith", "Dora")


def test_mentioning_somebody_present_adds_nobody() -> None:
    event = event_of({"summary": "Today Anna waves.", "actors": ["Anna"]})
    assert people_of(event) == {("", "anna", "actor")}


def test_a_name_belongs_to_the_events_that_mention_it() -> None:
    """The clip's summary does not say in which event somebody is."""
    analysis = analysis_of(
        {"summary": "A man waves."}, {"summary": "Then Ben sits."}, clip_summary="So Anna and Ben meet."
    )
    assert [event.persons for event in composed(analysis).events] == [(), ("Ben",)]


def test_a_person_whom_only_the_summary_of_the_clip_names_is_in_the_event_that_it_is_about() -> None:
    events = [{"summary": "A woman carries a box out of the van."}, {"summary": "A man reads a letter."}]
    found = composed(analysis_of(*events, clip_summary="Anna carries a box. Ben opens a letter and laughs.")).events
    assert [event.persons for event in found] == [("Anna",), ()]
    # Of two events that it may be about it says nothing.
    twice = composed(analysis_of(*events[:1] * 2, clip_summary="Anna carries a box.")).events
    assert [event.persons for event in twice] == [(), ()]


def test_speech_that_no_event_has_makes_no_names_of_first_words() -> None:
    analysis = analysis_of(turns=[turn("Dora", "Haha"), turn("Dora", "Picked it up"), turn("Dora", "Today is rich")])
    (event,) = composed(analysis).events
    assert (event.persons, event.summary_text) == (("Dora",), 'Dora says: "Haha. Picked it up. Today is rich."')


def test_a_lone_voice_belongs_to_the_one_visible_speaker() -> None:
    cast = [{"local_character_id": "C1", "role": "speaker", "name_or_description": "Anna"}]
    event = event_of({}, turns=[turn("S1", "Hello.")], characters=cast)
    assert event.dialogue_snippets == ("Anna: Hello.",)
    two = event_of({}, turns=[turn("S1", "Hello."), turn("S2", "Hi.")], characters=cast)
    assert two.dialogue_snippets == ("someone: Hello.", "someone: Hi.")


def test_an_actor_of_an_action_is_a_person_id_or_null() -> None:
    event = event_of(
        {"actions": [{"actor": who, "verb": "wave"} for who in ("C1", "C2", "Ben", "")]}, cast={"C1": "the cook"}
    )
    assert [action.actor for action in event.actions] == ["cook", "", "ben", ""]


def listed(local: str, words: str, **rest: str) -> Json:
    return {"local_character_id": local, "name_or_description": words, **rest}


def test_two_people_of_equal_description_keep_their_ids() -> None:
    suit = "man in a black suit"
    people = [listed("C1", suit, person_id="man_black_suit"), listed("C2", suit, person_id="man_black_suit_2")]
    first, second, either = composed(
        analysis_of({"actors": ["C1"]}, {"actors": ["C2"]}, {"actors": [suit]}, characters=people)
    ).events
    assert people_of(first) == {("film", "man_black_suit", "actor")}
    assert people_of(second) == {("film", "man_black_suit_2", "actor")}
    assert people_of(either) == set(), "nobody knows which"


def test_an_id_shared_by_two_people_is_dropped() -> None:
    people = [listed("C1", "old man"), listed("C1", "woman with a braid")]
    event = event_of(
        {"actors": ["C1"], "actions": [{"actor": "C1", "verb": "wave"}]}, turns=[turn("C1", "Hm.")], characters=people
    )
    assert (people_of(event), event.actions[0].actor, event.dialogue_snippets) == (set(), "", ("someone: Hm.",))


def test_local_ids_are_matched_in_any_spelling() -> None:
    cast = {"C1": "old man", "C2": "woman with a braid"}
    for words in ("c1, C-2", "C1 and C02", "C1/C2"):
        assert people_of(event_of({"actors": [words]}, cast=cast)) == {
            ("film", "old_man", "actor"),
            ("film", "woman_braid", "actor"),
        }
    assert people_of(event_of({"actors": ["C1 (old man)", "c7", "C-8 (a dog)", "N/A"]}, cast=cast)) == {
        ("film", "old_man", "actor")
    }


def test_recording_labels_are_local_to_the_recording() -> None:
    event = event_of({"actors": ["PERSON_1", "P01"]}, turns=[turn("SPEAKER_00", "Hm.")])
    assert people_of(event) == {
        ("film", "person_1", "actor"),
        ("", "p01", "actor"),
        ("film", "speaker_00", "speaker"),
    }


def test_a_voice_belongs_to_the_only_character_with_its_speaker_id() -> None:
    people = [listed("C1", "old man", speaker_id="C2"), listed("C2", "Anna", speaker_id="S1")]
    event = event_of({"actors": ["S1"]}, turns=[turn("C2", "Hm."), turn("unknown", "Oh.")], characters=people)
    assert people_of(event) == {("", "anna", "actor"), ("", "anna", "speaker")}
    assert event.dialogue_snippets == ("Anna: Hm.", "someone: Oh.")
    both = [listed("C1", "old man", speaker_id="S1"), listed("C2", "Anna", speaker_id="S1")]
    assert event_of({}, turns=[turn("S1", "Hm.")], characters=both).dialogue_snippets == ("someone: Hm.",)


# --- dialogue


@a_few
@given(analyses())
def test_no_turn_is_lost(analysis: Json) -> None:
    """Each turn is in the dialogue of every event it overlaps except mere sounds, and of one event at least."""
    clip = with_unseen_speech(analysed(analysis), ENGLISH)
    events = compose(clip, ENGLISH).events
    for said in clip.analysis.speaker_turns:
        if words := said.utterance.strip():
            sounds = [event for event in events if event.heard and not (event.persons or event.dialogue_snippets)]
            heard = [event for event in events if overlap(said, event) and event not in sounds]  # pyright: ignore[reportArgumentType]
            assert heard and all(any(words in line for line in event.dialogue_snippets) for event in heard)


@a_few
@given(analyses())
def test_no_line_is_repeated(analysis: Json) -> None:
    """No line repeats another; a line of a turn is not repeated as the event's own line."""
    clip = with_unseen_speech(analysed(analysis), ENGLISH)
    for event in compose(clip, ENGLISH).events:
        lines = event.dialogue_snippets
        assert len(set(lines)) == len(lines) and all(line.strip() == line != "" for line in lines)
        heard = {_plain(said.utterance) for said in clip.analysis.speaker_turns if overlap(said, event)}  # pyright: ignore[reportArgumentType]
        assert not [line for line in lines if _plain(line) in heard and words_of(line)]


def test_a_sound_takes_no_dialogue() -> None:
    """A person who speaks while music plays gets an event, which faces can be linked to."""
    music = {"time_start": 0.0, "time_end": 10.0, "summary": "Music plays.", "heard": True}
    cast = [{"local_character_id": "C1", "name_or_description": "Clara", "speaker_id": "S1"}]
    clip = analysed(
        {
            "clip_summary": "",
            "scene_type": "",
            "characters": cast,
            "speaker_turns": [turn("S1", "Hello.")],
            "events": [music],
        }
    )
    voice, sound = sorted(compose(with_unseen_speech(clip, ENGLISH), ENGLISH).events, key=lambda event: event.heard)
    assert (sound.dialogue_snippets, sound.involvements) == ((), ())
    assert voice.dialogue_snippets == ("Clara: Hello.",) and not voice.heard


def _plain(line: str) -> str:
    return " ".join(words_of(line))


def test_a_line_names_its_speaker_once() -> None:
    event = event_of(
        {"dialogue": ["Anna: hello, Ben", "hello Ben", "HELLO, BEN!", "Be quiet."]},
        turns=[turn("Anna", "Anna: Hello, Ben!"), turn("Ben", "Hello.")],
    )
    assert event.dialogue_snippets == ("Anna: Hello, Ben!", "Ben: Hello.", "Be quiet.")


def test_a_short_line_is_not_matched_inside_a_longer_word() -> None:
    event = event_of({"dialogue": ["No"]}, turns=[turn("Anna", "Now I know.")])
    assert event.dialogue_snippets == ("Anna: Now I know.", "No")


def test_a_line_split_over_two_turns_is_covered() -> None:
    event = event_of({"dialogue": ["Hello. It's me."]}, turns=[turn("Anna", "Hello."), turn("Anna", "It's me.")])
    assert event.dialogue_snippets == ("Anna: Hello.", "Anna: It's me.")


def test_a_line_of_the_event_names_the_person_instead_of_the_local_id() -> None:
    cast = {"C2": "woman with a grey braid"}
    event = event_of({"dialogue": ["C2: Is that it?", "S9: Yes.", "Note: C2 left."]}, cast=cast)
    assert event.dialogue_snippets == ("woman with a grey braid: Is that it?", "someone: Yes.", "Note: C2 left.")
    spoken = event_of({"dialogue": ["C2: Is that it?"]}, cast=cast, turns=[turn("C2", "Is that it?")])
    assert spoken.dialogue_snippets == ("woman with a grey braid: Is that it?",)


def test_speech_outside_every_event_becomes_an_event() -> None:
    analysis = analysis_of(turns=[turn("Anna", "Are you there?", 1.0, 2.0), turn("", "Yes.", 3.0, 3.5)])
    [event] = composed(analysis).events
    assert event.summary_text == 'Anna and someone say: "Are you there? Yes."'
    assert (event.time_start, event.time_end) == (101.0, 103.5)
    assert event.dialogue_snippets == ("Anna: Are you there?", "someone: Yes.")


def test_a_pause_ends_a_conversation() -> None:
    turns = [turn("Anna", "One.", 0, 9), turn("Anna", "Two.", 1, 2), turn("Anna", "Three.", 6, 7)]
    assert len(composed(analysis_of(turns=turns)).events) == 1, "the first turn lasts all along"
    turns = [turn("Anna", "One.", 0, 1), turn("Anna", "Two.", 5, 6)]
    assert [event.summary_text for event in composed(analysis_of(turns=turns)).events] == [
        'Anna says: "One."',
        'Anna says: "Two."',
    ]


def test_speech_during_an_event_creates_no_event() -> None:
    assert len(composed(analysis_of({}, turns=[turn("Anna", "Hello.", 4.0, 9.0)])).events) == 1


# --- actions and objects


@a_few
@given(analyses())
def test_actions_are_verbatim(analysis: Json) -> None:
    """Verbs, objects and spatial relations are the analyser's words, in its order."""
    said = {(event["summary"], event["time_start"], _actions(event["actions"])) for event in analysis["events"]}
    for event in composed(analysis).events:
        if event.actions:
            stated = tuple((action.verb, action.object, action.spatial_relation) for action in event.actions)
            assert (event.summary_text, round(event.time_start - 100.0, 3), stated) in said


def _actions(actions: list[Json]) -> tuple[tuple[str, str, str], ...]:
    return tuple((action["verb"], action["object"], action["spatial_relation"]) for action in actions)


@a_few
@given(analyses())
def test_uses_cover_the_objects_and_nothing_else(analysis: Json) -> None:
    """One use per action on an object, in order, then one for each object without an action."""
    for event in composed(analysis).events:
        acted = [object_key(action.object) for action in event.actions if action.object.strip()]
        there = {object_key(name) for name in event.objects} - {*acted}
        assert [use.seq for use in event.uses] == list(range(len(acted) + len(there)))
        assert [use.name for use in event.uses if use.verb is not None] == acted
        assert {use.name for use in event.uses if use.verb is None} == there
        assert all(use.to_state is None or use.state_kind for use in event.uses)


def test_uses_carry_the_states_of_the_verb_table() -> None:
    event = event_of(
        {
            "objects": [
                {"name": "the Mugs", "spatial_description": "left of the sink"},
                {"name": "mug", "spatial_description": ""},
                {"name": "table"},
            ],
            "actions": [
                {"actor": "C1", "verb": "picks up", "object": "mug", "spatial_relation": "from the shelf"},
                {"actor": "C1", "verb": "puts down", "object": "the mug", "spatial_relation": "on the table"},
                {"actor": "C1", "verb": "looks at", "object": "door"},
                {"actor": "C1", "verb": "smiles"},
            ],
        },
        cast={"C1": "Anna"},
    )
    assert event.objects == ("the Mugs", "mug", "table", "the mug", "door")
    stated = [(use.name, use.verb, use.actor, use.to_state, use.moves, use.spatial_description) for use in event.uses]
    assert stated == [
        ("mug", "pick up", "anna", "held", "to_actor", "left of the sink"),
        ("mug", "put down", "anna", "placed", "to_place", "left of the sink"),
        ("door", "look at", "anna", None, None, ""),
        ("table", None, "", None, None, ""),
    ]


# --- events and clips


@a_few
@given(analyses())
def test_events_are_numbered_by_time(analysis: Json) -> None:
    """Ordinals count from 0 by start, then end; every event lies in its clip."""
    clip = composed(analysis)
    spans = [(event.time_start, event.time_end) for event in clip.events]
    assert spans == sorted(spans) and [event.ordinal for event in clip.events] == list(range(len(spans)))
    assert all(clip.source.clip.t_start <= start <= end <= clip.source.clip.t_end for start, end in spans)
    assert len(spans) >= len(analysis["events"])


@a_few
@given(analyses(), analyses())
def test_clips_share_nothing(one: Json, other: Json) -> None:
    """A clip's events do not depend on clips composed before with the same local ids."""
    alone = composed(one)
    composed(other)
    assert composed(one) == alone


def test_the_wall_clock_is_in_utc() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    [event] = composed(analysis_of({"time_start": 1.5}), Video("g", "film", recorded_at=noon)).events
    assert event.at == datetime(2026, 5, 1, 10, 1, 41, 500_000, tzinfo=UTC)
    assert event_of({}).at is None


@given(st.text(min_size=1), st.lists(st.text(), max_size=3))
def test_the_embedded_text_contains_all_dialogue(summary: str, dialogue: list[str]) -> None:
    """The embedded text is the summary and every line with its speaker."""
    assert embedding_text(summary, dialogue).split("\n", 1)[0] == summary.split("\n", 1)[0]
    assert all(line in embedding_text(summary, dialogue) for line in dialogue)


def test_a_clip_without_events_or_words_stays_empty() -> None:
    source = analysed(analysis_of(turns=[turn("Anna", "   ")]))
    assert isinstance(source, AnalysedClip) and with_unseen_speech(source, ENGLISH) is source
    assert compose(source, ENGLISH).events == ()


# --- a refined summary


def refined(analyser: str, **event: Any) -> EventDraft:
    clip = replace(analysed(analysis_of(event)), analyser=analyser)
    return compose(clip, ENGLISH).events[0]


def test_names_that_the_analyser_wrote_survive_refinement() -> None:
    own = "Anna, who sits beside Mr. Brown, laughs."
    found = refined(VISION, summary="The seated couple laughs.", own_summary=own)
    assert set(found.persons) == {"Anna", "Mr Brown"} and found.summary_text == "The seated couple laughs."


def test_persons_are_named_by_their_role_where_a_model_analysed() -> None:
    said = "The waiter hands Anna the bill, and the landlord nods to the bus driver."
    assert set(refined(VISION, summary=said).persons) == {"Anna", "waiter", "landlord", "bus driver"}
    assert set(refined("local", summary=said).persons) == {"Anna"}


@pytest.mark.parametrize(
    ("code", "said", "role"),
    [
        ("de", "Der Kellner gibt Anna die Rechnung.", "kellner"),
        ("fr", "L'infirmière parle avec Anna.", "infirmière"),
        ("es", "Anna habla con el camarero.", "camarero"),
        ("it", "Il padrone di casa saluta Anna.", "padrone di casa"),
        ("it", "Anna firma davanti al notaio.", "notaio"),
        ("es", "La abogada saluda a Anna.", "abogada"),
    ],
)
def test_roles_of_other_languages_are_persons_too(code: str, said: str, role: str) -> None:
    clip = replace(analysed(analysis_of({"summary": said})), analyser=VISION)
    assert role in compose(clip, language(code)).events[0].persons


def test_every_language_has_words_for_the_same_roles() -> None:
    tables = [language(code).table("name_signs.yaml", NameSigns).roles for code in ("en", "de", "fr", "es", "it")]
    assert all(table.keys() == tables[0].keys() and all(table.values()) for table in tables)
    for table in tables:
        words = [word for role in table.values() for word in role]
        assert len(words) == len(set(words)), "a word names one role"


@pytest.mark.parametrize(
    ("code", "thing", "person"),
    [
        ("fr", "Anna coupe l'avocat.", "L'avocat répond à Anna."),
        ("fr", "Le facteur vent est important.", "Le facteur rit."),
        ("es", "Anna estudia la mecánica del coche.", "La mecánica abre el capó."),
        ("es", "Anna saca dinero del cajero.", "El cajero sonríe."),
        ("en", "Anna boards the coach.", "The coach nods to Anna."),
    ],
)
def test_a_role_whose_word_is_a_thing_too_is_a_person_who_does_what_persons_do(
    code: str, thing: str, person: str
) -> None:
    assert language(code).roles_named(thing) == []
    assert len(language(code).roles_named(person)) == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "Anna talks to the coach."),
        ("en", "Anna thanks the coach and leaves."),
        ("en", "The coach talks to Anna."),
        ("fr", "Anna parle à l'avocat."),
        ("fr", "Anna parle au facteur."),
        ("fr", "Anna remercie le facteur."),
        ("fr", "L'avocat parle à Anna."),
        ("fr", "L’avocat a dit non."),
        ("es", "Anna habla con el cajero."),
        ("es", "Anna saluda al piloto."),
        ("es", "El piloto saluda."),
    ],
)
def test_a_role_whose_word_is_a_thing_too_is_a_person_who_speaks_or_is_spoken_to(code: str, said: str) -> None:
    assert len(language(code).roles_named(said)) == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "Anna looks at the coach."),
        ("en", "Anna stands next to the coach."),
        ("fr", "Anna regarde l'avocat."),
        ("es", "Anna mira al cajero."),
        ("es", "El piloto parpadea."),
    ],
)
def test_what_things_are_and_undergo_too_makes_no_person_of_such_a_role(code: str, said: str) -> None:
    assert language(code).roles_named(said) == []


def test_a_company_that_gives_is_no_person() -> None:
    assert not language("en").persons_named("I heard that Siemens gives her a job.", (), caption=False)


def test_persons_whom_only_the_clips_summary_or_the_talk_names_are_mentioned() -> None:
    """Of a model: each event of the clip gets them, unless another event has them."""
    events = [{"summary": "Anna pours tea."}, {"summary": "A cup breaks.", "time_start": 2.0, "time_end": 3.0}]
    clip = analysed(analysis_of(*events) | {"clip_summary": "Anna waits for Mr. Brown and the landlord."})
    found = compose(replace(clip, analyser=VISION), ENGLISH).events
    assert [set(event.persons) for event in found] == [{"Anna", "Mr Brown", "landlord"}, {"Mr Brown", "landlord"}]
    assert {part.role for part in found[1].involvements} == {"mentioned"}
    assert [event.persons for event in compose(clip, ENGLISH).events] == [("Anna",), ()]
    said = refined(VISION, summary="She waits.", dialogue=["The waiter has gone."])
    assert said.persons == ("waiter",)
