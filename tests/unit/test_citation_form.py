"""The form of citations: what is written is read back."""

from __future__ import annotations

import string

from hypothesis import example, given
from hypothesis import strategies as st

from amr_neo4j.domain.citation_form import citations_in, event_label, short_event_label, turn_label, without_labels
from amr_neo4j.domain.recall import TurnCitation
from amr_neo4j.prompts.library import prompt

_NAMES = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=20)
_NUMBERS = st.integers(min_value=1, max_value=10**9)


@given(number=_NUMBERS, video=_NAMES, start=st.integers(0, 10**5), length=st.integers(0, 100))
def test_the_label_of_an_event_is_read_back(number: int, video: str, start: int, length: int) -> None:
    label = event_label(number, video, start, start + length)
    [cited] = citations_in(f"The keys are on the fridge {label}.")
    assert (cited.text, cited.events, cited.written, cited.turns) == (label, (number,), (number,), ())
    assert cited.place and cited.place[0] == video
    [short] = citations_in(short_event_label(number))
    assert (short.events, short.place) == ((number,), None)


@given(turn=_NUMBERS, session=_NAMES, speaker=_NAMES)
@example(turn=4, session="turn_2", speaker="Anna")
@example(turn=4, session="s", speaker="turn1")
def test_the_label_of_a_turn_is_read_back(turn: int, session: str, speaker: str) -> None:
    label = turn_label(turn, f"{session}, {speaker}")
    [cited] = citations_in(f"Anna moved to Porto {label}.")
    assert (cited.text, cited.turns, cited.events) == (label, (turn,), ())
    assert [part.strip() for part in cited.spoken_in.split(",") if part] == [session, speaker]
    assert not without_labels(label)


def test_a_session_with_one_bracket_is_read_back() -> None:
    label = TurnCitation(-1, "e", "s [x", 4, "t", "Anna", None).label
    [cited] = citations_in(f"Anna moved to Porto {label}.")
    assert (cited.text, cited.turns, cited.spoken_in) == (label, (4,), "s (x, Anna")


def test_models_are_shown_the_forms_that_are_written() -> None:
    """prompts/answer.yaml shows both forms in its example of a reply, there without brackets."""
    asked = prompt("answer", fence="", question="", paths="", computed="", context="")
    shown = asked.messages[0].text
    for label in (short_event_label(12), turn_label(4, "session_2, Anna")):
        assert f'"{label.strip("[]")}"' in shown
