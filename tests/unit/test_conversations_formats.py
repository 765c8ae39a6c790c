"""Conversation formats: each yields the turns of its file, and invalid turns never cost valid ones."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.conversations.formats import ParsedTurn
from amr_neo4j.domain.episode import LONGEST_TURN
from amr_neo4j.errors import InputError
from tests.support.chat_files import read_chat

LOCOMO = {
    "speaker_a": "Ana",
    "session_10_date_time": "9:05 am on 2 June, 2023",
    "session_10": [{"speaker": "Ana", "dia_id": "D10:1", "text": "Later."}],
    "session_2_date_time": "1:56 pm on 8 May, 2023",
    "session_2": [
        {"speaker": "Ana", "dia_id": "D2:1", "text": "Hi!", "img_url": ["u"], "blip_caption": "a dog on a beach"},
        {"speaker": "Ben", "dia_id": "D2:2", "text": "Hello."},
    ],
    "session_3_date_time": "some day",
    "session_3": [{"speaker": "Ana", "dia_id": "D3:1", "text": "When?"}],
}


def said(text: str) -> list[tuple[str, Any, Any]]:
    """(session, turn number, content) of the valid turns."""
    return [(t.session_id, t.turn["turn"], t.turn.get("content")) for t in read_chat(text, "talk") if not t.wrong]


def wrong(text: str) -> list[tuple[int, str]]:
    return [(turns.number, turns.wrong) for turns in read_chat(text, "talk") if turns.wrong]


def test_a_broken_json_line_is_reported_and_the_others_are_read() -> None:
    lines = ['{"content": "a"}', '{"content": "b', "", "7", '{"content": "c", "session_id": "s"}', '"d"']
    for text in ("\n".join(lines), "\r\n".join(lines), "\ufeff" + "\n".join(lines) + "\n"):
        assert said(text) == [("talk", 0, "a"), ("s", 0, "c"), ("talk", 3, "d")]
        assert [number for number, _ in wrong(text)] == [2, 4]


def test_a_broken_first_line_does_not_make_the_rest_plain_text() -> None:
    text = 'oops\n{"content": "a"}\n{"content": "b"}'
    assert said(text) == [("talk", 1, "a"), ("talk", 2, "b")]
    assert wrong(text)[0][0] == 1


def test_a_json_line_may_hold_any_line_separator_of_unicode() -> None:
    text = '{"content": "a\u2028b\x85c"}\n{"content": "d"}'
    assert [content for _, _, content in said(text)] == ["a\u2028b\x85c", "d"]


def test_openai_messages_are_read_alone_in_an_object_and_one_per_line() -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert [place for _, place, _ in said(json.dumps(messages))] == [0, 1]
    assert {s for s, _, _ in said(json.dumps({"messages": messages, "id": "c1"}))} == {"c1"}
    lines = "\n".join(json.dumps({"messages": messages}) for _ in range(2))
    assert [(s, n) for s, n, _ in said(lines)] == [("talk-1", 0), ("talk-1", 1), ("talk-2", 0), ("talk-2", 1)]


def test_locomo_keeps_dates_captions_and_session_order() -> None:
    turns = list(read_chat(json.dumps([{"sample_id": "conv-1", "conversation": LOCOMO}]), "talk"))
    good = [each for each in turns if not each.wrong]
    assert [(each.session_id, each.turn["turn_id"]) for each in good] == [
        ("conv-1/session_2", "D2:1"),
        ("conv-1/session_2", "D2:2"),
        ("conv-1/session_10", "D10:1"),
    ]
    assert good[0].turn["shown"] == "a dog on a beach"
    assert good[0].turn["metadata"] == {"img_url": ["u"], "blip_caption": "a dog on a beach"}
    assert good[0].turn["at"] == "2023-05-08T13:56:00+00:00"
    assert [(each.session_id, each.wrong[:14]) for each in turns if each.wrong] == [
        ("conv-1/session_3", "it has no time")
    ]


@pytest.mark.parametrize("whole", [LOCOMO, {"conversation": LOCOMO}])
def test_locomo_sessions_of_two_files_are_distinct(whole: Any) -> None:
    assert {turns.session_id for turns in read_chat(json.dumps(whole), "talk")} == {
        "talk/session_2",
        "talk/session_3",
        "talk/session_10",
    }


@pytest.mark.parametrize("turn", [{"text": "nobody"}, "words", None, [1]])
def test_an_invalid_locomo_turn_does_not_stop_the_others(turn: Any) -> None:
    talk = LOCOMO | {"session_2": [turn, *LOCOMO["session_2"]]}
    assert len(said(json.dumps(talk))) == 3
    assert any("speaker" in why for _, why in wrong(json.dumps(talk)))


def test_plain_text_with_speakers_becomes_turns() -> None:
    text = "\nAnna: good morning\nsecond line\n\nfourth line\n\nDr. Ben O'Neil: hello: you\n"
    turns = list(read_chat(text, "talk"))
    assert [(each.turn["actor"], each.turn["content"], each.number) for each in turns] == [
        ("Anna", "good morning\nsecond line\n\nfourth line", 2),
        ("Dr. Ben O'Neil", "hello: you", 7),
    ]


def test_plain_text_without_speakers_is_one_unchanged_turn() -> None:
    text = "  A letter.\n\nWith a gap.\n"
    [turns] = read_chat(text, "talk")
    assert turns.turn == {"content": text, "type": "text", "turn": 0}


def test_an_explicit_turn_number_counts_for_those_after_it() -> None:
    lines = ['{"content": "a"}', '{"content": "b", "turn": 5}', '{"content": "c"}', '{"content": "d", "turn": null}']
    assert [place for _, place, _ in said("\n".join(lines))] == [0, 5, 6, 7]


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "[]", "7", "{}", '{"song": 1}', '[["a"], {"messages": 1}]'])
def test_an_invalid_conversation_is_refused_in_one_line(text: str) -> None:
    try:
        turns = list(read_chat(text, "talk"))
    except InputError as error:
        assert error.message.startswith("talk: ")
        assert error.hint
    else:
        assert all(each.wrong or each.turn for each in turns)
        assert any(each.wrong for each in turns)


def test_json_nested_too_deeply_is_an_invalid_line() -> None:
    deep = '{"content": ' + "[" * 100_000
    assert [number for number, _ in wrong(f'{{"content": "a"}}\n{deep}')] == [2]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["content", "messages", "conversation", "session_1", "session_1_date_time", "turn", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.text() | JSON.map(json.dumps) | st.lists(JSON.map(json.dumps)).map("\n".join))
def test_any_file_gives_turns_or_an_input_error(text: str) -> None:
    """Every file gives turns and reasons for invalid ones, or an InputError."""
    try:
        turns = list(read_chat(text, "talk"))
    except InputError as error:
        assert "\n" not in error.message
    else:
        assert all(isinstance(each, ParsedTurn) and each.session_id for each in turns)


@given(st.lists(st.sampled_from(['{"content": "good"}', '{"content": ', "[1", '{"a": {}']), min_size=1))
def test_invalid_lines_never_cost_valid_ones(lines: list[str]) -> None:
    """As many turns come out as valid lines go in, with arbitrary lines after a first valid JSON line."""
    text = "\n".join(['{"content": "first"}', '{"content": "second"}', *lines])
    taken = [content for _, _, content in said(text)]
    assert taken.count("good") == lines.count('{"content": "good"}')


@pytest.mark.parametrize("line", ['{"content": "I moved to Rome.", "role": "user"}\n', "Anna: I moved to Rome.\n"])
def test_a_file_of_lines_is_read_line_by_line(tmp_path: Path, line: str) -> None:
    """However long it is, a few turns of it are in memory."""
    (tmp_path / "long").write_text(line.replace("Rome", "Rome " * 1000) * 2000)
    tracemalloc.start()
    try:
        with (tmp_path / "long").open(encoding="utf-8") as file:
            assert sum(1 for _ in read_chat(file, "long")) == 2000
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("line", "is_wrong"),
    [('{"content": "I moved to Rome.", "role": "user"}\n', True), ("Anna: I moved to Rome.\n", False)],
)
def test_a_line_of_50_mb_takes_no_memory_and_no_turn_beside_it(tmp_path: Path, line: str, is_wrong: bool) -> None:
    """A line of text is truncated, and refused as a turn that is too long."""
    (tmp_path / "long").write_text(f"{line}{line.replace('Rome', 'Rome ' * 10**7)}{line}")
    tracemalloc.start()
    try:
        with (tmp_path / "long").open(encoding="utf-8") as file:
            turns = list(read_chat(file, "long"))
        assert tracemalloc.get_traced_memory()[1] < 45e6
    finally:
        tracemalloc.stop()
    assert [bool(turn.wrong) for turn in turns] == [False, is_wrong, False]
    assert [turn.turn["content"] for turn in (turns[0], turns[-1])] == ["I moved to Rome."] * 2
    assert is_wrong or len(turns[1].turn["content"]) > LONGEST_TURN
