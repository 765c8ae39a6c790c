"""Slips in replies: what is put right never says more than the reply did."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.clients.lenient import read_leniently
from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis
from tests.analyses import analyses
from tests.seeing import reply


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


@pytest.mark.parametrize(
    ("given_time", "seconds"),
    [("4.5", 4.5), ("0:04", 4.0), ("01:02:03.5", 3723.5), ("3 s", 3.0), ("2.5 seconds", 2.5)],
)
def test_a_time_is_read_as_people_write_it(given_time: str, seconds: float) -> None:
    text = json.dumps({"time_start": 0, "time_end": given_time, "summary": "x"})
    assert read_leniently(text, AnalysedEvent)[0].time_end == seconds


@pytest.mark.parametrize("given_time", ["soon", "", "4,5", "-", [4], {"s": 4}, None, True])
def test_what_is_no_time_is_refused(given_time: Any) -> None:
    text = json.dumps({"time_start": "x", "time_end": given_time, "summary": "x"})
    with pytest.raises(ValueError, match="time_start"):
        read_leniently(text, AnalysedEvent)


def test_several_nulls_in_a_list_are_left_out() -> None:
    text = json.dumps({"time_start": 0, "time_end": 1, "summary": "x", "dialogue": [None, "Yes.", None, 3]})
    assert read_leniently(text, AnalysedEvent)[0].dialogue == ("Yes.", "3")


def test_json5_that_says_a_key_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        read_leniently("{'summary': 'x', 'summary': 'y', 'time_start': 0, 'time_end': 1}", AnalysedEvent)
