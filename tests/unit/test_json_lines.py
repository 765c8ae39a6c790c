"""JSON Lines input: any line gives a clip or a receipt with what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import LONGEST_LINE, MOST_EVENTS
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.derive import with_unseen_speech
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.store.person_aliases import PersonAliases
from amr_neo4j.store.write.rows import clip_row
from tests.support.analyses import NASTY, lines, spoilt_lines
from tests.support.examples import examples

Item = AnalysedClip | Receipt

LINE = {
    "video_id": "film",
    "clip_id": "c1",
    "t_start": 10.0,
    "t_end": 20.0,
    "analysis": {
        "clip_summary": "Anna is at home.",
        "events": [{"time_start": 1.0, "time_end": 2.0, "summary": "Anna waves."}],
    },
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(NASTY[:12]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def read(*lines: str | bytes) -> list[Item]:
    return list(read_lines(lines, group_id="home", any_group=True))


def only(line: dict[str, Any]) -> AnalysedClip:
    [clip] = read(json.dumps(line))
    assert isinstance(clip, AnalysedClip), clip
    return clip


def error_of(line: str | bytes) -> str:
    [receipt] = read(line)
    assert isinstance(receipt, Receipt) and receipt.outcome == "rejected"
    return receipt.error


@given(st.lists(st.binary(max_size=40) | json_values.map(lambda value: json.dumps(value).encode()), max_size=6))
def test_any_bytes_give_a_receipt_with_the_line_number(raw: list[bytes]) -> None:
    """Bytes that are no clip are rejected, each with its line number; blank lines count and give nothing."""
    places = [receipt.error.split(":")[0] for receipt in read(*raw) if isinstance(receipt, Receipt)]
    assert places == [f"line {n}" for n, line in enumerate(raw, start=1) if line.strip()]


@examples(push=20, soak=600)
@given(spoilt_lines(), st.booleans())
def test_a_nearly_valid_line_gives_a_clip_or_a_receipt(line: dict[str, Any], as_bytes: bool) -> None:
    """No line is ever an exception, not even when its clip is composed and made ready for the graph."""
    text = json.dumps(line)
    [item] = read(text.encode() if as_bytes else text)
    if isinstance(item, Receipt):
        assert item.outcome == "rejected" and item.error.startswith("line 1: ") and "\n" not in item.error
    else:
        composed = compose(with_unseen_speech(item, ENGLISH), ENGLISH)
        clip_row(0, composed, vectors=np.ones((len(composed.events), 2), np.float32), aliases=PersonAliases())


@examples(push=9, soak=250)
@given(lines())
def test_a_valid_line_gives_a_clip(line: dict[str, Any]) -> None:
    """With any text in it, a line of the schema is accepted."""
    clip = only(line)
    assert (clip.video.group_id, clip.video.video_id) == ("home", line["video_id"])
    assert (clip.clip.t_start, clip.clip.t_end) == (line["t_start"], line["t_end"])


def test_an_invalid_line_does_not_stop_the_others() -> None:
    good = json.dumps(LINE)
    items = read("", good, "{", "   ", b"\xff\xfe", good)
    assert [item.error.split(":")[0] if isinstance(item, Receipt) else item.clip.clip_id for item in items] == [
        "c1",
        "line 3",
        "line 5",
        "c1",
    ]


@pytest.mark.parametrize("line", ["\ufeff" + json.dumps(LINE), b"\xef\xbb\xbf" + json.dumps(LINE).encode()])
def test_a_byte_order_mark_is_ignored(line: str | bytes) -> None:
    [clip] = read(line)
    assert isinstance(clip, AnalysedClip)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"t_end": 10.0}, "the clip ends at 10.0 s, not after its start at 10.0 s"),
        ({"t_start": -1.0}, "line 1: t_start: "),
        ({"t_end": float("nan")}, "line 1: t_end: "),
        ({"t_end": float("inf")}, "line 1: t_end: "),
        ({"video_id": 7}, "line 1: video_id: "),
        ({"clip_id": "c" * 501}, "line 1: clip_id: "),
        ({"analysi": {}}, "line 1: analysi: "),
        ({"recorded_at": "2026-05-01T12:00:00"}, "line 1: recorded_at: "),
        ({"recorded_at": "9999-12-31T23:59:59Z"}, "recorded_at lies in the year 9999"),
        ({"recorded_at": "2026-05-01T12:00:00+23:59"}, "line 1: recorded_at: has an offset"),
        ({"recorded_at": "0001-01-01T00:00:00+05:00"}, "line 1: recorded_at: is not within"),
        ({"time_base": "frame"}, "line 1: time_base: "),
        ({"analysis": {"clip_summary": "x", "events": [{"summary": "x", "time_start": 1e308, "time_end": 2}]}},
         "line 1: analysis.events.0.time_start: "),
        ({"analysis": {"clip_summary": "", "events": LINE["analysis"]["events"] * (MOST_EVENTS + 1)}},
         "line 1: analysis.events: "),
    ],
)  # fmt: skip
def test_a_receipt_states_the_place_and_the_reason(change: dict[str, Any], complaint: str) -> None:
    assert complaint in error_of(json.dumps(LINE | change))


@pytest.mark.parametrize(
    "line",
    [
        " " * LONGEST_LINE + "{}",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"t_start": ' + "9" * 5000 + "}",
        '"\ud800"',
        '{"video_id": "\\ud800"}',
    ],
)
def test_pathological_json_is_rejected(line: str) -> None:
    assert error_of(line).startswith("line 1: ")


def test_a_syntax_error_is_reported_with_line_and_column() -> None:
    assert error_of('{"video_id": nonsense}') == "line 1: Invalid JSON: expected ident at column 15"


def test_a_line_that_breaks_off_is_reported_with_its_own_number() -> None:
    receipts = read(b'{"video_id": "film\n')
    assert [each.error for each in receipts if isinstance(each, Receipt)] == [
        "line 1: Invalid JSON: EOF while parsing a string at column 18"
    ]


@pytest.mark.parametrize("line", ['{"actor": "Anna", "content": "Hello."}', '{"messages": []}'])
def test_a_turn_of_a_conversation_is_said_to_be_one(line: str) -> None:
    assert error_of(line).startswith("line 1: a turn of a conversation, no clip; ") and "chat import" in error_of(
        line
    )


def test_a_clip_with_a_text_is_no_turn() -> None:
    assert "a turn" not in error_of('{"video_id": "film", "text": "Hello."}')


def test_a_line_may_name_its_group_and_place() -> None:
    line = LINE | {
        "group_id": "other",
        "place": "kitchen",
        "uri": "file:///a.mp4",
        "recorded_at": "2026-05-01T12:00:00Z",
    }
    clip = only(line)
    assert (clip.video.group_id, clip.video.home, clip.video.uri) == ("other", "kitchen", "file:///a.mp4")
    assert clip.video.recorded_at is not None and (clip.clip.uri, clip.clip.uri_offset) == ("file:///a.mp4", 10.0)


def test_another_group_is_rejected_with_its_line_unless_any_is_asked_for() -> None:
    lines = [json.dumps(LINE | {"group_id": group}) for group in ("home", "other", None)]
    clip, refused, same = read_lines(lines, group_id="home")
    assert isinstance(clip, AnalysedClip) and isinstance(same, AnalysedClip)
    assert isinstance(refused, Receipt) and refused.outcome == "rejected"
    assert "line 2: group_id is other" in refused.error and "--any-group" in refused.error
    assert len({item.video.group_id for item in read(*lines) if isinstance(item, AnalysedClip)}) == 2


def test_time_base_states_the_origin_of_times() -> None:
    event = {"time_start": 11.0, "time_end": 25.0, "summary": "Anna waves."}
    line = LINE | {"time_base": "video", "analysis": {"clip_summary": "", "events": [event]}}
    clip = only(line)
    assert (clip.analysis.events[0].time_start, clip.clip.t_end, clip.notes) == (11.0, 25.0, ())


@examples(push=9, soak=250)
@given(lines(), st.randoms(use_true_random=False), st.none() | st.just("g"), st.none() | st.just("file:///b.mp4"))
def test_the_hash_covers_the_content_of_a_line(
    line: dict[str, Any], random: Any, group: str | None, uri: str | None
) -> None:
    """content_sha256 does not depend on the order of keys, the group, or the place of the video file."""
    moved = _shuffled(line, random) | {"group_id": group, "uri": uri}
    assert only(moved).content_sha256 == only(line).content_sha256


def test_the_hash_changes_with_the_content() -> None:
    event = LINE["analysis"]["events"][0]
    others = [
        LINE | {"t_end": 20.5},
        LINE | {"place": "kitchen"},
        LINE | {"recorded_at": "2026-05-01T12:00:00Z"},
        LINE | {"analysis": LINE["analysis"] | {"scene_type": "kitchen"}},
        LINE | {"analysis": LINE["analysis"] | {"events": [event | {"summary": "Anna waves!"}]}},
    ]
    assert len({only(line).content_sha256 for line in (LINE, *others)}) == len(others) + 1


def test_an_explicit_default_changes_no_hash() -> None:
    """A key added to the schema later must not change the hash of existing lines."""
    assert only(LINE | {"time_base": "clip", "place": None}).content_sha256 == only(LINE).content_sha256


def _shuffled(value: Any, random: Any) -> Any:
    if isinstance(value, list):
        return [_shuffled(inner, random) for inner in value]
    if not isinstance(value, dict):
        return value
    keys = sorted(value)
    random.shuffle(keys)
    return {key: _shuffled(value[key], random) for key in keys}
