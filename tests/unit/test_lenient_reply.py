"""Repairing replies: a repaired reply never says more than the original."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis
from amr_neo4j.domain.replies import (
    ActionsOfEvent,
    EventSummary,
    GroupScore,
    MergedSummary,
    PathDecision,
    RefinedAction,
    RefinedActions,
    Relevance,
    ShortId,
    ShortIds,
    Statements,
    Summaries,
    TopicFacts,
    TypedQuestion,
    Verdicts,
)
from amr_neo4j.models.json_reply import read
from amr_neo4j.models.lenient_reply import read_leniently
from tests.support.analyses import analyses, spoilt_lines
from tests.support.seeing import character, event, reply


@given(analysis=analyses())
def test_a_sound_reply_comes_as_it_is(analysis: dict[str, Any]) -> None:
    """What the strict reader takes the lenient one takes alike, without a note."""
    text = json.dumps(analysis)
    assert read_leniently(text, ClipAnalysis) == (ClipAnalysis.model_validate_json(text), ())


@given(at=st.integers(1, len(json.dumps(reply())) - 1))
def test_a_reply_that_breaks_off_is_never_completed(at: int) -> None:
    """Wherever it breaks off, it is refused."""
    with pytest.raises(ValueError, match=r"JSON|empty|missing|required"):
        read_leniently(json.dumps(reply())[:at], ClipAnalysis)


@given(text=st.text() | st.text(alphabet="{}[]\"':,\\ntrue1e9`u\n /*"))
def test_no_text_is_too_much(text: str) -> None:
    """Of any text at all, either an object comes out or a ValueError that says why not."""
    try:
        found, _ = read_leniently(text, ClipAnalysis)
    except ValueError as error:
        assert str(error)
    else:
        assert isinstance(found, ClipAnalysis)


@given(line=spoilt_lines())
@example(line={"analysis": {"clip_summary": "\ud800", "events": []}})
@example(line={"analysis": {"clip_summary": "x", "events": [], "\udc00": 1}})
def test_nothing_is_put_right_without_a_word(line: dict[str, Any]) -> None:
    """Any reply is refused with the reason, taken with a note, or taken just as the strict reader takes it."""
    text = json.dumps(line.get("analysis"))
    try:
        found, notes = read_leniently(text, ClipAnalysis)
    except ValueError as error:
        assert str(error)
    else:
        assert notes or found == ClipAnalysis.model_validate_json(text)
        found.model_dump_json().encode()


@pytest.mark.parametrize(
    ("half", "meant"), [("\\ud800", "\ufffd"), ("\\ud83d\\udc15", "🐕"), ("\\udc15a", "\ufffda")]
)
def test_half_a_character_is_replaced_with_a_note(half: str, meant: str) -> None:
    """The graph and UTF-8 cannot hold it; the strict reader refuses it."""
    found, notes = read_leniently(GOOD.replace("A woman", half), ClipAnalysis)
    assert found.clip_summary == f"{meant} cooks."
    assert notes == (() if meant == "🐕" else ("the reply had lone surrogates, halves of characters; replaced",))


def test_notes_are_neither_too_many_nor_too_long() -> None:
    odd = {f"{n} {'x' * 1000}": n for n in range(200)}
    _, notes = read_leniently(json.dumps(reply() | odd), ClipAnalysis)
    assert len(notes) == 51 and notes[-1] == "and 150 more repairs" and max(map(len, notes)) == 300


@pytest.mark.parametrize("shape", [Relevance, Statements, Summaries, RefinedActions, TypedQuestion, ClipAnalysis])
@pytest.mark.parametrize("number", ["1e999", "18446744073709551616", "-9223372036854775809", "NaN", "1" + "0" * 400])
def test_no_number_beyond_what_the_graph_holds_is_read(shape: type[BaseModel], number: str) -> None:
    """In whatever shape of reply: each number that is read is finite and fits into 64 bits."""
    texts = {
        Relevance: '{"scores": [{"group": N, "score": 0.5}]}',
        Statements: '{"mentions": [], "relations": [{"type": "KNOWS", "source": {"turn": N, "text": "a"}, '
        '"target": {"turn": 1, "text": "b"}, "confidence": 0.5}]}',
        Summaries: '{"summaries": [{"event": N, "summary": "x"}]}',
        RefinedActions: '{"events": [{"event": N, "actions": []}]}',
        TypedQuestion: '{"question_type": "Object_Tracking", "time_start": N}',
        ClipAnalysis: '{"clip_summary": "x", "events": [{"time_start": N, "time_end": 1, "summary": "x"}]}',
    }
    with pytest.raises(ValueError, match=r"."):
        read(texts[shape].replace("N", number), shape)
    with suppress(ValueError):
        found, _ = read_leniently(texts[shape].replace("N", number), shape)
        assert number not in found.model_dump_json()


@pytest.mark.parametrize(
    ("shape", "text", "meant"),
    [
        (TypedQuestion, '{"Question_Type": "ObjectTracking", "timeStart": 4}', {"time_start": 4}),
        (TypedQuestion, '{"questionType": "object tracking", "TIME-START": 4}', {"time_start": 4}),
        (PathDecision, '{"Decision": "answer", "confidence": "0,85"}', {"confidence": 0.85}),
        (PathDecision, '{"Decision": "answer", "confidence": "1,000"}', {"confidence": None}),
        (PathDecision, '{"Decision": "ANSWER", "directAnswer": "red", "Confidence": 0.9}', {"direct_answer": "red"}),
        (ClipAnalysis, '{"clipSummary": "A pot.", "Events": []}', {"clip_summary": "A pot."}),
        (Relevance, '{"scores": [{"Group": 1, "Score": 0.9}]}', {"scores": [GroupScore(group=1, score=0.9)]}),
    ],
)
def test_a_key_may_be_in_another_case(shape: type[BaseModel], text: str, meant: dict[str, Any]) -> None:
    found, notes = read_leniently(text, shape)
    assert {name: getattr(found, name) for name in meant} == meant and notes
    with pytest.raises(ValueError, match="Field required"):
        read_leniently('{"questiontypes": "Object_Tracking"}', TypedQuestion)


@pytest.mark.parametrize(
    "text",
    [
        '{"scores": {"Group 1": 0.9, "group_2": 0.1}}',
        '{"1": 90, "2": 10}',
        '{"scores": {"Gruppe 1": 0.9, "Grupo 2": 0.1}}',
    ],
)
def test_scores_may_stand_under_the_numbers_of_their_groups(text: str) -> None:
    assert [(each.group, each.score) for each in read_leniently(text, Relevance)[0].scores] == [(1, 0.9), (2, 0.1)]


@pytest.mark.parametrize(
    ("shape", "given", "meant"),
    [
        (
            ShortIds,
            {"persons": {"C1": "girl_hoodie"}},
            {"persons": [{"local_character_id": "C1", "person_id": "girl_hoodie"}]},
        ),
        (Summaries, {"summaries": {"2": "She leaves."}}, {"summaries": [{"event": 2, "summary": "She leaves."}]}),
        (
            RefinedActions,
            {"events": {"1": [{"actor": "C1", "verb": "go"}]}},
            {"events": [{"event": 1, "actions": [{"actor": "C1", "verb": "go"}]}]},
        ),
        (
            ClipAnalysis,
            reply() | {"characters": {"C1": "old man", "C2": {"name_or_description": "Eva", "role": "speaker"}}},
            reply(people=(character("C1", "old man"), character("C2", "Eva", "speaker"))),
        ),
        (
            ClipAnalysis,
            reply(event(objects={"lid": "on the pot"})),
            reply(event(objects=[{"name": "lid", "spatial_description": "on the pot"}])),
        ),
        (
            Summaries,
            {"result": [{"event": 2, "summary": "She leaves."}]},
            {"summaries": [{"event": 2, "summary": "She leaves."}]},
        ),
        (
            ClipAnalysis,
            reply() | {"speaker_turns": {"C1": [{"utterance": "Hm.", "time_start": 0.5, "time_end": 1.0}]}},
            reply(speaker_turns=[{"speaker_id": "C1", "utterance": "Hm.", "time_start": 0.5, "time_end": 1.0}]),
        ),
        (ClipAnalysis, reply() | {"characters": {}}, reply() | {"characters": []}),
        (ClipAnalysis, reply() | {"characters": character("C1", "cook")}, reply(people=(character("C1", "cook"),))),
    ],
)
def test_a_list_may_be_given_under_its_ids_or_another_key(
    shape: type[BaseModel], given: dict[str, Any], meant: dict[str, Any]
) -> None:
    found, notes = read_leniently(json.dumps(given), shape)
    assert found == shape.model_validate_json(json.dumps(meant)) and notes


MERGE, KEEP = {"cluster": 1, "decision": "MERGE"}, {"cluster": 1, "decision": "KEEP_BOTH"}
FACT = {"turns": [1], "relation": "likes", "object": "tea", "text": "Anna likes tea."}
SCORE = {"group": 1, "score": 0.9}


@pytest.mark.parametrize(
    ("shape", "given"),
    [
        (Verdicts, {"rejected": [MERGE]}),
        (Verdicts, {"result": [MERGE], "rejected": []}),
        (Verdicts, {"result": [{"cluster": 1}]}),
        (TopicFacts, {"discarded": [FACT], "accepted": []}),
        (TopicFacts, {"considered": [FACT]}),
        (Relevance, {"event 1": 0.9, "event 2": 0.1}),
        (Relevance, {"step1": 0.9, "confidence2": 0.1}),
        (Summaries, {"summaries": {"1": ["a", "b"]}}),
        (ShortIds, {"persons": {"old man": "actor"}}),
        (ShortIds, {"persons": {"C1": 2, "C2": True}}),
    ],
)
def test_what_is_under_a_key_of_another_meaning_is_not_believed(shape: type[BaseModel], given: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(shape.model_fields))):
        read_leniently(json.dumps(given), shape)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"considered": [MERGE], "final": {"decisions": [KEEP]}}, KEEP),
        ({"steps": [{"a": 1}], "result": {"decisions": [KEEP]}}, KEEP),
    ],
)
def test_a_whole_reply_counts_for_more_than_a_list_beside_it(given: Any, meant: Any) -> None:
    assert read_leniently(json.dumps(given), Verdicts)[0] == Verdicts.model_validate({"decisions": [meant]})
    prose = ". ".join(json.dumps({key: value} if isinstance(value, list) else value) for key, value in given.items())
    assert read_leniently(prose, Verdicts)[0] == Verdicts.model_validate({"decisions": [meant]})


@pytest.mark.parametrize(
    ("objects", "meant"),
    [({"cup": 0.93, "plate": True}, []), ({"cup": ["left", "red"]}, []), ({"cup": None}, [{"name": "cup"}])],
)
def test_only_a_text_says_where_a_thing_is(objects: Any, meant: Any) -> None:
    found, notes = read_leniently(json.dumps(reply(event(objects=objects))), ClipAnalysis)
    assert found == ClipAnalysis.model_validate_json(json.dumps(reply(event(objects=meant)))) and notes


@pytest.mark.parametrize("people", [{"man": 2}, {"old man": "actor"}, {"C1": ["old man", "hat"]}])
def test_a_number_or_a_role_is_no_person(people: Any) -> None:
    with pytest.raises(ValueError, match="characters"):
        read_leniently(json.dumps(reply() | {"characters": people}), ClipAnalysis)


@pytest.mark.parametrize("second", ["n/a", None, 0.1, [], {"why": "unclear"}, {"group": "x", "score": 0.2}])
def test_no_score_is_dropped(second: Any) -> None:
    """The missing group would count as 0."""
    with pytest.raises(ValueError, match="scores"):
        read_leniently(json.dumps({"scores": [SCORE, second]}), Relevance)


def test_a_score_of_three_decimals_behind_a_comma_is_no_thousand() -> None:
    found, _ = read_leniently('{"scores": [{"group": 1, "score": "1,000"}]}', Relevance)
    assert found.scores[0].score == 1.0


@pytest.mark.parametrize("score", ['"high"', "null", "-1", "[]", '"3 - 4"', '"2 - 0.9"', '"1 (out of 10)"'])
def test_a_score_that_cannot_be_read_is_no_score_of_nothing(score: str) -> None:
    with pytest.raises(ValueError, match="scores"):
        read_leniently(f'{{"scores": [{{"group": 1, "score": {score}}}, {{"group": 2, "score": 0.1}}]}}', Relevance)


@pytest.mark.parametrize(
    "form",
    [
        '{"scores": [{"group": 1, "score": A}, {"group": 2, "score": B}]}',
        '{"1": A, "2": B}',
        '{"scores": {"Group 1": A, "Group 2": B}}',
        '{"scores": [A, B]}',
    ],
)
@pytest.mark.parametrize(
    "scores",
    [
        ("9/10", "1/10"),
        ("90/100", "10/100"),
        ("9 out of 10", "1 out of 10"),
        ("0.9", ".1"),
        ("90 %", "10%"),
        ("90 percent", "10 per cent"),
        ("9,0/10", "1,0/10"),
        ("0,900", "0,100"),
        ("9", "1"),
    ],
)
def test_scores_written_as_text_are_read(scores: tuple[str, str], form: str) -> None:
    texts = [json.dumps(score) for score in scores]
    found, _ = read_leniently(form.replace("A", texts[0]).replace("B", texts[1]), Relevance)
    assert [(each.group, each.score) for each in found.scores] == [(1, 0.9), (2, 0.1)]


@pytest.mark.parametrize("score", ["relevance", "Rating", "relevance_score"])
@pytest.mark.parametrize("group", ["id", "group_id", "number", "index"])
def test_groups_and_scores_may_have_other_keys(group: str, score: str) -> None:
    text = json.dumps({"scores": [{group: 1, score: 0.9, "reason": "x"}, {group: 2, score: 0.1}]})
    assert [(each.group, each.score) for each in read_leniently(text, Relevance)[0].scores] == [(1, 0.9), (2, 0.1)]


@pytest.mark.parametrize(
    "reply",
    [
        {"1": {"score": 0.9}, "2": {"score": 0.1}},
        {"scores": [{"group": "#1", "score": 0.9}, {"group": "#2", "score": 0.1}]},
    ],
)
def test_groups_may_be_keys_of_objects_or_have_a_number_sign(reply: dict[str, Any]) -> None:
    scores = read_leniently(json.dumps(reply), Relevance)[0].scores
    assert [(each.group, each.score) for each in scores] == [(1, 0.9), (2, 0.1)]


@pytest.mark.parametrize(("start", "end"), [("start", "end"), ("start_time", "end_time"), ("from", "to")])
@pytest.mark.parametrize("paths", ["proposed_paths", "paths", "next_paths"])
def test_paths_and_their_ranges_may_have_other_keys(start: str, end: str, paths: str) -> None:
    text = json.dumps({"decision": "expand", paths: [{start: 10, end: 20}]})
    [path] = read_leniently(text, PathDecision)[0].proposed_paths
    assert (path.start_s, path.end_s) == (10, 20)


def test_scores_and_confidences_may_be_fractions() -> None:
    found, _ = read_leniently('{"scores": [{"group": 1, "score": 9/10}, {"group": 2, "score": 1 / 10}]}', Relevance)
    assert [each.score for each in found.scores] == [0.9, 0.1]
    text = '{"decision": "answer", "direct_answer": "red", "confidence": "9/10"}'
    assert read_leniently(text, PathDecision)[0].confidence == 0.9


@pytest.mark.parametrize("text", ['{"1": "high", "2": "low"}', '{"scores": {"1": "high", "2": 0.1}}', '{"1": "9/0"}'])
def test_scores_in_words_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="valid number"):
        read_leniently(text, Relevance)


def test_no_scores_may_be_an_empty_object() -> None:
    assert read_leniently('{"scores": {}}', Relevance)[0].scores == []


@pytest.mark.parametrize(
    ("given_scores", "shares"),
    [
        ([90, 40, 0], [0.9, 0.4, 0]),
        (["90", "40.0", "1"], [0.9, 0.4, 0.01]),
        (["90%", "40 %", 0], [0.9, 0.4, 0]),
        (["90%", 40, 0], [0.9, 0.4, 0]),
        (["3/5", "90"], [0.6, 0.9]),
        (["9 von 10", "0,2", "90 Prozent"], [0.9, 0.2, 0.9]),
        (["90\u202f%", "8 di 10"], [0.9, 0.8]),
        ([8, 1, 0], [0.8, 0.1, 0]),
        ([1, 0.5, 0], [1, 0.5, 0]),
    ],
)
def test_scores_are_shares_or_per_cent(given_scores: list[object], shares: list[float]) -> None:
    text = json.dumps({"scores": [{"group": n, "score": score} for n, score in enumerate(given_scores, 1)]})
    assert [each.score for each in read_leniently(text, Relevance)[0].scores] == shares


def test_scores_of_an_unknown_scale_are_no_scores() -> None:
    with pytest.raises(ValueError, match="less than or equal to 1"):
        read_leniently('{"scores": [{"group": 1, "score": 1.7}, {"group": 2, "score": 3}]}', Relevance)


def test_decisions_and_relations_are_read_in_any_case() -> None:
    verdicts = '{decisions: [{"cluster": "1", "decision": "keep both",}, {"cluster": 2, "decision": "Merge"}]}'
    assert [each.decision for each in read_leniently(verdicts, Verdicts)[0].decisions] == ["KEEP_BOTH", "MERGE"]
    facts = '[{"turns": 3, "relation": "Works at", "object": "BMW", "text": "Works at BMW.", "sure": true}]'
    [fact] = read_leniently(facts, TopicFacts)[0].facts
    assert (fact.turns, fact.relation) == ([3], "works_at")
    assert read_leniently('{"decision": "ANSWER"}', PathDecision)[0].decision == "answer"


@pytest.mark.parametrize(
    ("shape", "text", "meant"),
    [
        (TypedQuestion, '{"type": "Object_Tracking", "time_start": 4}', {"time_start": 4}),
        (TypedQuestion, '{"Typ": "Object_Tracking", "time_start": 4}', {"time_start": 4}),
        (PathDecision, '{"decision": "answer", "confidence": "Very high"}', {"confidence": 0.9}),
        (PathDecision, '{"decision": "answer", "answer": "red"}', {"direct_answer": "red"}),
        (PathDecision, '{"action": "discard"}', {"decision": "discard"}),
        (PathDecision, '{"next_step": "Terminate"}', {"decision": "terminate"}),
        (
            PathDecision,
            '{"decision": "answer", "final_answer": "red", "direct_answer": "blue"}',
            {"direct_answer": "blue"},
        ),
        (PathDecision, '{"decision": "answer", "confidence": "média"}', {"confidence": 0.6}),
        (PathDecision, '{"decision": "answer", "confidence": "gering"}', {"confidence": 0.3}),
        (
            Relevance,
            '{"scores": [{"group": 1, "score": "about 0.9 (it names the keys)"}]}',
            {"scores": [GroupScore(group=1, score=0.9)]},
        ),
        (
            Relevance,
            '{"scores": {"Group 1": "0,2 - a guess"}}',
            {"scores": [GroupScore(group=1, score=0.2)]},
        ),
    ],
)
def test_values_in_words_and_other_keys_are_read(shape: type[BaseModel], text: str, meant: dict[str, Any]) -> None:
    found, _ = read_leniently(text, shape)
    assert {name: getattr(found, name) for name in meant} == meant


def test_a_text_that_is_far_too_long_is_not_parsed() -> None:
    with pytest.raises(ValueError, match="longer than"):
        read_leniently("[" * 3_000_000, ClipAnalysis)


@pytest.mark.parametrize(
    ("given_time", "seconds"),
    [
        ("4.5", 4.5),
        ("0:04", 4.0),
        ("01:02:03.5", 3723.5),
        ("00:00:05,500", 5.5),
        ("3 s", 3.0),
        ("2.5 seconds", 2.5),
        ("4,5", 4.5),
        ("~4,5", 4.5),
        ("etwa 4,5", 4.5),
        ("2,5 s", 2.5),
        ("~4.5", 4.5),
    ],
)
def test_a_time_is_read_as_people_write_it(given_time: str, seconds: float) -> None:
    text = json.dumps({"time_start": 0, "time_end": given_time, "summary": "x"})
    assert read_leniently(text, AnalysedEvent)[0].time_end == seconds


@pytest.mark.parametrize("given_time", ["soon", "", "4,5,6", "1,000", "-", [4], {"s": 4}, None, True])
def test_what_is_no_time_is_refused(given_time: Any) -> None:
    text = json.dumps({"time_start": 0, "time_end": given_time, "summary": "x"})
    with pytest.raises(ValueError, match=r"^time_end: [^;]*$"):
        read_leniently(text, AnalysedEvent)


def test_null_is_an_empty_list_beside_another() -> None:
    found, notes = read_leniently('{"mentions": [{"text": "Graz", "type": "CITY"}], "relations": null}', Statements)
    assert (len(found.mentions), found.relations) == (1, []) and "relations: None taken as []" in notes
    event = {"time_start": 0, "time_end": 1, "summary": "x", "dialogue": None, "actions": None}
    assert read_leniently(json.dumps(event), AnalysedEvent)[0].dialogue == ()
    for nothing in ('{"mentions": null, "relations": null}', '{"mentions": null, "relations": []}'):
        with pytest.raises(ValueError, match="mentions"):
            read_leniently(nothing, Statements)
    clip = {"clip_summary": "x", "characters": [{"local_character_id": "C1"}], "speaker_turns": [], "events": None}
    for text, shape in (('{"scores": null}', Relevance), (json.dumps(clip), ClipAnalysis)):
        with pytest.raises(ValueError, match=r"scores|events"):
            read_leniently(text, shape)


def test_a_type_may_have_accents() -> None:
    said = {"turn": 0, "text": "x"}
    relation = {"type": "escribió en", "source": said, "target": said, "confidence": "about 90%"}
    [read] = read_leniently(json.dumps({"mentions": [], "relations": [relation]}), Statements)[0].relations
    assert (read.type, read.confidence) == ("escribio_en", 0.9)


@pytest.mark.parametrize("score", ["~90 %", "≈ 0,9", "ca. 90%", "about 9/10", "etwa 90 Prozent", "unos 90 %"])
def test_a_score_that_is_about_so_much_is_read(score: str) -> None:
    [read] = read_leniently(json.dumps({"scores": [{"gruppe": 1, "bewertung": score}]}), Relevance)[0].scores
    assert (read.group, read.score) == (1, 0.9)


def test_several_nulls_in_a_list_are_dropped() -> None:
    text = json.dumps({"time_start": 0, "time_end": 1, "summary": "x", "dialogue": [None, "Yes.", None, 3]})
    assert read_leniently(text, AnalysedEvent)[0].dialogue == ("Yes.", "3")


GOOD = json.dumps(reply())
WHOLE = ClipAnalysis.model_validate(reply())
TWICE = GOOD[:-1] + ', "events": []}'


@pytest.mark.parametrize("text", [TWICE, TWICE.replace('"', "'"), f"Sure: {TWICE}", f"```json\n{TWICE}\n```"])
def test_a_repeated_key_is_refused(text: str) -> None:
    """Nobody can tell which of the two lists is meant, or whether both are; and none may be dropped unnoticed."""
    with pytest.raises(ValueError, match='the key "events" was there twice'):
        read_leniently(text, ClipAnalysis)


def test_a_repeated_key_with_the_same_value_is_accepted() -> None:
    assert read_leniently(GOOD[:-1] + ', "scene_type": "kitchen"}', ClipAnalysis)[0] == WHOLE


# --- surrounding text and syntax


PLAIN = [
    f"<think>Let me see, {{'a': 1}} or {{\"a\": 1}}.</think>\n{GOOD}",
    f"<think>A draft: {GOOD.replace('lifts', 'drops')}</think>{GOOD}",
    f'It may be {{"name" lid}}</think>\n```json\n{GOOD}\n```',
]
ALMOST = [
    f'First {{"a": 1}}, then {GOOD}',
    f"I used {{curly}} braces, {{as: here}}: {GOOD[:-1]},}} and {{these: too}}",
    f"```json\n{GOOD[:-1]},}}\n```",
    GOOD.replace('"', "'"),
    GOOD.replace('"', "“"),
    f"„{GOOD[2:]}".replace("„", "{„", 1).replace('"', "”"),
    repr(reply()),
    GOOD.replace("clip_summary", "CLIP").replace('"CLIP"', "clip_summary"),
    GOOD.replace("0.5", "+.5").replace("1.5", "1.50"),
    GOOD.replace("{", "{ // so\n", 1).replace("[", "[ /* a list */"),
    GOOD.replace("}]", "},]"),
]
WRAPPED = [json.dumps({"result": reply()}), json.dumps({"clip": "c1", "analysis": reply()})]


@pytest.mark.parametrize("text", PLAIN)
def test_the_reasoning_of_a_model_is_ignored(text: str) -> None:
    assert read_leniently(text, ClipAnalysis) == (WHOLE, ())


@pytest.mark.parametrize("text", [*ALMOST, *WRAPPED])
def test_a_slip_in_the_writing_changes_nothing_and_is_noted(text: str) -> None:
    found, notes = read_leniently(text, ClipAnalysis)
    assert (found, len(notes)) == (WHOLE, 1)


def test_marks_within_a_text_stay() -> None:
    said = "“No”, he said: 'a, ]', // \n and \\ {x: 1} </think>"
    text = repr(reply(clip_summary=said, scene_type='the "den"')).replace("\\n", "\n")
    found, notes = read_leniently(text, ClipAnalysis)
    assert (found.clip_summary, found.scene_type, len(notes)) == (said, 'the "den"', 1)


def test_a_bare_list_of_events_is_accepted() -> None:
    found, [note] = read_leniently(json.dumps(reply()["events"] * 2), ClipAnalysis)
    assert (found.clip_summary, found.events) == ("", WHOLE.events * 2)
    assert note == "the reply was a bare list, taken as the list asked for"
    assert read_leniently(f"[{GOOD}]", ClipAnalysis) == (WHOLE, ())


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD} or rather {GOOD.replace('lifts', 'drops')}",
        f"{{'a': {GOOD}, 'b': {GOOD.replace('lifts', 'drops')}}}",
        "[]",
        "[1, 2]",
        "{'clip_summary': 'x' 'events': []}",
        "{'clip_summary': 'x', 'events': [",
        "{'clip_summary': 'x, 'events': []}",
        "{clip_summary: A woman cooks, events: []}",
    ],
)
def test_ambiguous_replies_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|required"):
        read_leniently(text, ClipAnalysis)


@pytest.mark.parametrize("end", [",}", "", "]", '"'])
def test_reading_time_is_linear_in_the_length(end: str) -> None:
    """400 kB of invalid JSON, repairable or not, are classified within seconds."""
    text = json.dumps(reply(*[event()] * 1300))
    begin = time.process_time()
    with suppress(ValueError):
        read_leniently(text[:-1] + end, ClipAnalysis)
    assert len(text) > 400_000
    assert time.process_time() - begin < 3


@pytest.mark.parametrize("piece", ['{"', "{ ", '{"a":', "{a:", "/*", '\\"', "“", "[", "{'a': /* "])
def test_no_text_takes_long(piece: str) -> None:
    begin = time.process_time()
    for opened in ("", "{'a': "):
        with pytest.raises(ValueError, match=r"."):
            read_leniently(opened + piece * (200_000 // len(piece)), ClipAnalysis)
    assert time.process_time() - begin < 3


# --- values of the wrong type


BARE = {"time_start": 0.0, "time_end": 1.0, "summary": "x"}


@pytest.mark.parametrize(
    ("part", "replied", "meant"),
    [
        ("objects", ["lid", {"name": "pot"}], [{"name": "lid"}, {"name": "pot"}]),
        ("objects", "lid", [{"name": "lid"}]),
        ("objects", [{"name": 5}], [{"name": "5"}]),
        ("actors", [{"local_character_id": "C1", "role": "other"}], ["C1"]),
        ("dialogue", [{"speaker": "C2", "line": "Is that it?"}], ["C2: Is that it?"]),
        ("actions", {"verb": "lift", "object": {"name": "lid"}}, [{"verb": "lift", "object": "lid"}]),
        ("actions", [{"actor": None, "verb": "fall"}], [{"verb": "fall"}]),
        ("actions", [{"actor": "C1", "object": "lid"}, {"verb": "lift"}], [{"verb": "lift"}]),
        ("actions", [{"verb": ""}, "C1 lifts the lid", {"verb": None}], []),
        ("objects", [{"spatial_description": "left"}, {"name": "n" * 501}], []),
        ("objects", 5, []),
        ("heard", "unclear", False),
        ("mood", "calm", None),
    ],
)
def test_the_valid_parts_are_kept_and_the_others_dropped(part: str, replied: Any, meant: Any) -> None:
    found, notes = read_leniently(json.dumps(reply({**BARE, part: replied})), ClipAnalysis)
    meant_by_it = AnalysedEvent.model_validate({**BARE, **({part: meant} if meant is not None else {})})
    assert found.events == (meant_by_it,) and notes


def test_people_given_as_plain_text_get_the_ids_of_their_positions() -> None:
    replied = reply() | {"characters": ["old man", {"name_or_description": "woman"}]}
    found, notes = read_leniently(json.dumps(replied), ClipAnalysis)
    people = [(person.local_character_id, person.name_or_description) for person in found.characters]
    assert people == [("C1", "old man"), ("C2", "woman")]
    assert len(notes) == 3
    replied["characters"] = ["old man", {"local_character_id": "C1", "name_or_description": "woman"}]
    found, notes = read_leniently(json.dumps(replied), ClipAnalysis)
    assert [person.name_or_description for person in found.characters] == ["woman"], "whose C1 is stays beyond doubt"


UNTIMED: list[Any] = ["soon", None, True, [1.5], "1.5-4.0", {"s": 4}, "NaN", 1e12]


@pytest.mark.parametrize("end", UNTIMED)
@pytest.mark.parametrize("part", ["events", "speaker_turns"])
def test_an_entry_without_a_time_is_dropped_and_the_others_stay(part: str, end: Any) -> None:
    fine = {**BARE, "utterance": "Hm."} if part == "speaker_turns" else BARE
    entries = [{**fine, "time_end": end, "time_start": end}, fine, {**fine, "time_start": end}]
    replied = {**reply(), part: entries}
    found, notes = read_leniently(json.dumps(replied), ClipAnalysis)
    assert [(each.time_start, each.time_end) for each in getattr(found, part)] == [(0.0, 1.0)]
    assert {f"{part}.{n}: dropped" for n in (0, 2)} <= {note.partition(",")[0] for note in notes}


@pytest.mark.parametrize("end", UNTIMED)
def test_a_reply_that_would_lose_every_entry_is_refused(end: Any) -> None:
    with pytest.raises(ValueError, match=r"events\.0\.time_end"):
        read_leniently(json.dumps(reply(event(time_end=end))), ClipAnalysis)


@pytest.mark.parametrize("summary", ["", "   ", "\n", None])
def test_an_empty_summary_is_dropped(summary: Any) -> None:
    with pytest.raises(ValueError, match="summary"):
        read_leniently(json.dumps({**BARE, "summary": summary}), AnalysedEvent)
    found, _ = read_leniently(json.dumps(reply(event(), event(summary=summary))), ClipAnalysis)
    assert len(found.events) == 1


# --- later calls


@pytest.mark.parametrize(
    ("replied", "meant"),
    [
        ({"summaries": [{"event": "1", "summary": "x"}]}, Summaries(summaries=[EventSummary(event=1, summary="x")])),
        ({"summaries": {"event": 1, "summary": "x"}}, Summaries(summaries=[EventSummary(event=1, summary="x")])),
        ([{"event": 1, "summary": "x"}], Summaries(summaries=[EventSummary(event=1, summary="x")])),
        (
            {"persons": {"local_character_id": "C1", "person_id": "man-hat"}},
            ShortIds(persons=[ShortId(local_character_id="C1", person_id="man-hat")]),
        ),
        (
            {"events": {"event": "1", "actions": {"actor": None, "verb": "run", "object": None}}},
            RefinedActions(events=[ActionsOfEvent(event=1, actions=[RefinedAction(actor="", verb="run")])]),
        ),
        (
            {"events": [{"event": 1, "actions": [{"actor": "C1"}, {"actor": "C1", "verb": "run"}]}]},
            RefinedActions(events=[ActionsOfEvent(event=1, actions=[RefinedAction(actor="C1", verb="run")])]),
        ),
        ({"summary": "She cooks.", "why": "so"}, MergedSummary(summary="She cooks.")),
        (
            {"scores": [{"group": "Group 2", "score": "90%"}]},
            Relevance(scores=[GroupScore(group=2, score=0.9)]),
        ),
    ],
)
def test_the_later_calls_are_read_leniently_too(replied: Any, meant: BaseModel) -> None:
    found, notes = read_leniently(json.dumps(replied), type(meant))
    assert found == meant and notes


@pytest.mark.parametrize("scores", [[0.9, 0.1], [90, 10], {"1": 0.9, "2": 0.1}])
def test_scores_without_groups_are_those_of_the_groups_in_order(scores: Any) -> None:
    found, _ = read_leniently(json.dumps({"scores": scores}), Relevance)
    assert [(each.group, each.score) for each in found.scores] == [(1, 0.9), (2, 0.1)]


@pytest.mark.parametrize(
    ("replied", "shape"),
    [
        ({"summaries": [{"event": "first", "summary": "x"}]}, Summaries),
        ({"summaries": [{"event": 1.5, "summary": "x"}]}, Summaries),
        ({"persons": [{"local_character_id": "C1", "person_id": ""}]}, ShortIds),
        ({"C1": "man_hat"}, ShortIds),
        ({"summary": None}, MergedSummary),
    ],
)
def test_unreadable_replies_are_refused(replied: Any, shape: type[BaseModel]) -> None:
    with pytest.raises(ValueError, match=next(iter(shape.model_fields))):
        read_leniently(json.dumps(replied), shape)


@pytest.mark.parametrize("answer", ["null", '["Ben"]', '{"text": "Ben"}'])
def test_a_direct_answer_under_another_key_that_is_no_text_is_dropped(answer: str) -> None:
    reply = f'{{"decision": "expand", "answer": {answer}, "proposed_paths": []}}'
    assert read_leniently(reply, PathDecision)[0].direct_answer == ""
