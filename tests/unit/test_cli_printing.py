"""Output for people and output for programs."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.progress import Progress

from amr_neo4j.cli.ask import _answered, _show_evidence, _show_hits
from amr_neo4j.cli.printing import cell, count, one_line, print_fields, print_json, print_table, say, span
from amr_neo4j.cli.progress import Bar, doing, watching
from amr_neo4j.domain.event import Channel, Edge, Event, Turn
from amr_neo4j.domain.recall import Answer, Citation, Hit, Question, QuestionType, TurnCitation
from amr_neo4j.domain.recall import Path as Walked
from amr_neo4j.domain.receipt import Progress as ClipProgress
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.language.languages import language
from amr_neo4j.recall.retrieve.candidate import path_text

Capture = pytest.CaptureFixture[str]


def _event(node_id: int, summary: str) -> Event:
    return Event(node_id, "home", "kitchen", ("c1",), 0, 61.5, 64.0, summary)


@given(st.text())
def test_stored_text_cannot_control_the_terminal(text: str) -> None:
    """Any stored text is shown on one line, no letter lost, without control characters."""
    shown = one_line(text)
    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown)


@pytest.mark.parametrize("text", ["鍵は引き出しの中", "हिन्दी", "👩‍👩‍👧", "“quoted” – dashed"])
def test_every_script_is_printed_unchanged(text: str) -> None:
    assert one_line(text) == text


def test_the_last_column_is_cut_to_the_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    print_table(["verb", "summary"], [["put", "word " * 40], ["take", "short"]], cut="summary")
    first, second = capsys.readouterr().out.splitlines()[1:]
    assert first.endswith("…") and len(first) <= 60
    assert second.split() == ["take", "short"]


def test_things_are_counted_in_english() -> None:
    counted = [count(0, "turn"), count(1, "turn"), count(2, "turn"), count(2, "entry")]
    assert counted == ["0 turns", "1 turn", "2 turns", "2 entries"]


def test_a_piped_table_has_one_line_per_row(capsys: Capture) -> None:
    long = "keys " * 60
    print_table(["event", "summary"], [[1, long], [2, "[red]not[/red] :smile: markup"]])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["event  summary", f"1      {long}".rstrip(), "2      [red]not[/red] :smile: markup"]


def test_empty_fields_are_omitted_but_not_zero(capsys: Capture) -> None:
    print_fields({"events": 0, "file": "", "notes": [], "length": None, "clips": ["c1", "c2"]})
    assert capsys.readouterr().out == "  events  0\n  clips   c1, c2\n"


def test_times_are_printed_for_people_and_for_programs(capsys: Capture) -> None:
    moment = datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert cell(moment) == "2026-03-01 09:00:00+00:00"
    assert span(61.5, 64) == "00:01:01.5-00:01:04"
    print_json({"at": moment, "home": Path("/x"), "hit": Hit(_event(1, "é"), 0.5, {"dense": 1})})
    value = json.loads(capsys.readouterr().out)
    assert (value["at"], value["home"]) == ("2026-03-01T09:00:00+00:00", "/x")
    assert value["hit"]["event"]["summary_text"] == "é"
    assert value["hit"]["ranks"] == {"dense": 1}


def test_an_answer_shows_its_evidence_and_path(capsys: Capture) -> None:
    edge = Edge(1, 2, Channel.OBJECT_LIFECYCLE, {"object": "key", "verb": "put"})
    walked = Walked((1, 2), (edge.channel,), 0.9, (edge,))
    rests_on = Hit(
        _event(2, "Anna puts the keys down."), 0.9, {}, walked, "event 1 (00:01:01.5 of kitchen) -> event 2"
    )
    other = Hit(_event(1, "Anna takes the keys."), 0.5, {"dense": 1}, line="Ben: Lock up.")
    question = Question("Where are the keys?", QuestionType.OBJECT_TRACKING)
    cited = (Citation(2, "kitchen", 61.5, 64.0),)
    answer = Answer(question, "They are on the table.", True, (rests_on, other), cited)
    _show_evidence(_answered(lambda notify: answer), explain=False)
    shown = [
        "They are on the table.",
        "",
        "event 2, kitchen 00:01:01.5-00:01:04",
        "  Anna puts the keys down.",
        "",
        "also found:",
        '  event 1, kitchen 00:01:01.5-00:01:04: Anna takes the keys. "Ben: Lock up."',
    ]
    assert capsys.readouterr().out.splitlines() == shown
    _show_evidence(answer, explain=True)
    assert "  path: event 1 (00:01:01.5 of kitchen) -> " in capsys.readouterr().out


def test_a_turn_that_the_answer_quotes_is_shown_once(capsys: Capture) -> None:
    said = replace(_event(-1, "Anna: I live in Porto."), turn=Turn("e1", "monday", 0, "", "Anna"))
    cited = (TurnCitation(-1, "e1", "monday", 0, "", "Anna", None),)
    question = Question("Where does Anna live?", QuestionType.PERSON_UNDERSTANDING)
    answer = Answer(
        question, "Anna said: “I live in Porto” [turn 0, monday, Anna].", True, (Hit(said, 0.9, {}),), cited
    )
    _show_evidence(answer, explain=False)
    assert capsys.readouterr().out == ""
    _show_evidence(replace(answer, text="In Porto [turn 0, monday, Anna]."), explain=False)
    assert "I live in Porto." in capsys.readouterr().out


def test_the_path_between_turns_speaks_of_turns() -> None:
    def turn(number: int) -> Event:
        return replace(_event(-number, "Anna: hm"), turn=Turn(f"e{number}", "monday", number, "", "Anna"))

    edge = Edge(-1, -2, Channel.TEMPORAL, {})
    events = {-1: turn(1), -2: turn(2)}
    path = Walked((-1, -2), (edge.channel,), 0.9, (edge,))
    assert path_text(path, events, language("en").grammar) == "turn 1 of monday -> next turn -> turn 2 of monday"


def test_only_a_few_of_the_others_are_listed_unless_explained(capsys: Capture) -> None:
    others = tuple(Hit(_event(n, f"Event {n}."), 0.5, {"dense": n}) for n in range(5))
    answer = Answer(Question("Where?", QuestionType.OBJECT_TRACKING), "There.", True, others, ())
    _show_evidence(answer, explain=False)
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "  event 2, kitchen 00:01:01.5-00:01:04: Event 2.",
        "  and 2 more: --explain",
    ]
    _show_evidence(answer, explain=True)
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(others)


def test_nothing_found_is_printed(capsys: Capture) -> None:
    _show_hits([], explain=False)
    assert capsys.readouterr().out == "nothing in memory fits\n"


def _progress(
    done_s: float, *, node_ids: tuple[int, ...] = (1, 2), source: str = "a.mp4", error: str = ""
) -> ClipProgress:
    outcome = "rejected" if error else "committed"
    return ClipProgress(source, Receipt("v", "c", outcome, 0.0, 10.0, node_ids, error=error), done_s, 40.0)


def test_the_bar_shows_clips_events_and_speed_of_each_source() -> None:
    now = [0.0]
    progress = Progress(console=Console(file=io.StringIO()), get_time=lambda: now[0])
    bar = Bar(progress)
    now[0] = 5.0
    bar(_progress(10.0))
    now[0] = 10.0
    bar(_progress(20.0))
    [task] = progress.tasks
    assert (task.description, task.completed, task.total) == ("a.mp4", 20.0, 40.0)
    assert task.fields["status"] == "2 clips, 4 events, 2.0 x real time"
    now[0] = 12.0
    bar(_progress(10.0, source="b.mp4"))
    assert task.fields["status"] == "1 clip, 2 events, 5.0 x real time"


def test_a_bar_appears_only_on_a_terminal_and_rejections_always(capsys: Capture) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=80, _environ={"TERM": "xterm"})
    with watching(console=console) as watch:
        watch(_progress(10.0, source="a/long/way/to/the/film/of/the/office.mp4"))
        watch(_progress(10.0, error="line 3: no"))
    assert "film/of/the/office" not in shown.getvalue()
    assert "━" * 8 in shown.getvalue(), "the bar has room"
    assert "real time" in shown.getvalue()
    assert "\x1b[2Ka.mp4: v/c: line 3: no\n" in shown.getvalue(), "it stands on a line of its own, above the bar"
    with watching("taking in a.mp4", Console(file=io.StringIO())) as watch:
        watch(_progress(10.0, error="line 3: no"))
    assert capsys.readouterr().err == "taking in a.mp4 ...\na.mp4: v/c: line 3: no\n"


def test_what_takes_long_is_said_from_the_start(capsys: Capture) -> None:
    with doing("reading turns", Console(file=io.StringIO())):
        assert capsys.readouterr() == ("", "reading turns ...\n")
    shown = io.StringIO()
    with doing("reading turns", Console(file=shown, force_terminal=True, _environ={"TERM": "xterm"})):
        say("a result")
    assert "reading turns" in shown.getvalue() and "a result" not in shown.getvalue()
    assert capsys.readouterr() == ("a result\n", "")
