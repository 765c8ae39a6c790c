"""Memory.context: stretches around hits, as text for a model, within tokens."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from amr_neo4j.domain.budget import estimated_tokens
from amr_neo4j.domain.recall import Citation, MemoryContext, Scope
from amr_neo4j.integrations.results import event as tool_result
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import context, search
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

# A caption every two seconds for ten minutes; the cloth comes at 100 s and at 400 s.
_NAMED = {98: "The grass is mown.", 100: "Anna unfolds a cloth.", 102: "A wasp comes.", 400: "Anna folds the cloth."}


def _day(recorded_at: str | None = "2026-03-01T12:00:00+01:00") -> FakeGraph:
    events = [
        {"time_start": second, "time_end": second + 1, "summary": _NAMED.get(second, f"Step number {second}.")}
        for second in range(0, 600, 2)
    ]
    events[51]["dialogue"] = ["Ben: Mind the sting."]
    analysis = {"clip_summary": "", "events": events}
    line = {"video_id": "picnic", "clip_id": "c", "t_start": 0, "t_end": 600, "analysis": analysis}
    return graph_of_lines([json.dumps(line | ({"recorded_at": recorded_at} if recorded_at else {}))])


def _context(graph: FakeGraph, question: str, tokens: int = 2000, **bounds) -> MemoryContext:
    sources = Sources(Scope("test", **bounds), graph, graph, HashedWords(), ENGLISH)
    return context(question, sources, tokens=tokens)


def test_the_captions_and_talk_around_each_hit_come_with_it_in_order_of_time() -> None:
    found = _context(_day(), "Who had the cloth?")
    lines = str(found).splitlines()
    assert lines[0] == "picnic, Sunday 1 March 2026 +01:00:"
    [unfolded] = [n for n, line in enumerate(lines) if "unfolds a cloth" in line]
    assert lines[unfolded] == "[event 50] 12:01:40 Anna unfolds a cloth."
    assert lines[unfolded - 1].endswith("12:01:38 The grass is mown.")
    assert lines[unfolded + 1].endswith("12:01:42 A wasp comes. | spoken: Ben: Mind the sting.")
    cited = [each.time_start for each in found.citations if isinstance(each, Citation)]
    assert cited == sorted(cited) and {88.0, 100.0, 112.0, 388.0, 412.0} <= set(cited)
    assert len(found.citations) == sum(line.startswith("[event ") for line in lines)
    # Two stretches of one film and day, so one heading and a gap.
    assert [line.text for line in found.lines if line.citation is None] == [lines[0], "..."]


def test_many_hits_come_and_the_best_with_what_is_around_them() -> None:
    """The others are a line each, so that little of the budget hides what they say."""
    events = [
        {
            "time_start": 60 * n + 2 * step,
            "time_end": 60 * n + 2 * step + 1,
            "summary": f"Anna cuts the bread of guest {n}." if step == 0 else f"Guest {n} waits, step {step}.",
        }
        for n in range(16)
        for step in range(3)
    ]
    line = {
        "video_id": "v",
        "clip_id": "c",
        "t_start": 0,
        "t_end": 960,
        "analysis": {"clip_summary": "", "events": events},
    }
    text = str(_context(graph_of_lines([json.dumps(line)]), "When does Anna cut the bread of a guest?", 450))
    assert all(f"bread of guest {n}." in text for n in range(16))
    assert 0 < text.count("step 1.") <= 8


def test_words_that_a_caption_quotes_with_their_speaker_are_not_repeated() -> None:
    events = [
        {
            "time_start": 0,
            "time_end": 1,
            "summary": 'Ben says: "The cloth is wet."',
            "dialogue": ["Ben: The cloth is wet."],
        },
        {
            "time_start": 2,
            "time_end": 3,
            "summary": 'Someone says: "Dry the cloth."',
            "dialogue": ["Eva: Dry the cloth."],
        },
    ]
    line = {
        "video_id": "v",
        "clip_id": "c",
        "t_start": 0,
        "t_end": 9,
        "analysis": {"clip_summary": "", "events": events},
    }
    text = str(_context(graph_of_lines([json.dumps(line)]), "Who spoke of the cloth?"))
    assert text.count("The cloth is wet.") == 1 and "| spoken: Eva: Dry the cloth." in text


def test_without_a_wall_clock_lines_have_the_time_of_the_video() -> None:
    lines = str(_context(_day(None), "Who had the cloth?")).splitlines()
    assert lines[0] == "picnic:" and "[event 50] 00:01:40 Anna unfolds a cloth." in lines


@pytest.mark.parametrize(("tokens", "longest"), [(8000, 2000), (100, 400)])
def test_a_line_that_is_cut_says_so(tokens: int, longest: int) -> None:
    events = [{"time_start": 0, "time_end": 1, "summary": "Anna tells of the cloth. " + "And so on, and on. " * 300}]
    line = {
        "video_id": "v",
        "clip_id": "c",
        "t_start": 0,
        "t_end": 600,
        "analysis": {"clip_summary": "", "events": events},
    }
    found = _context(graph_of_lines([json.dumps(line)]), "Who told of the cloth?", tokens)
    [told] = [line.text for line in found.lines if line.citation]
    assert told.endswith(" ...") and len(told) <= longest and estimated_tokens(str(found)) <= tokens


@pytest.mark.parametrize("tokens", [50, 120, 300, 1000])
def test_the_text_keeps_its_budget_and_gives_it_to_what_is_nearest_to_the_hits(tokens: int) -> None:
    found = _context(_day(), "Who had the cloth?", tokens)
    assert estimated_tokens(str(found)) <= tokens and found.tokens <= tokens
    shown = {each.node_id for each in found.citations}
    assert shown & {50, 200}, "a hit comes before what surrounds it"
    if len(shown) > 2:
        assert {50, 200} <= shown
    if tokens >= 300:
        assert {49, 51, 199, 201} <= shown


def _of_two_cameras(text: str) -> FakeGraph:
    """Both see the same at once, so each line stands under a heading of its own."""
    events = [
        {"time_start": second, "time_end": second + 1, "summary": f"The cloth {text} {second}."}
        for second in range(0, 120, 10)
    ]
    clip = {"clip_id": "c", "t_start": 0, "t_end": 120, "recorded_at": "2026-03-01T12:00:00+01:00"}
    clip["analysis"] = {"clip_summary": "", "events": events}
    cameras = ("the camera over the front door", "the camera over the garden gate")
    return graph_of_lines([json.dumps(clip | {"video_id": camera}) for camera in cameras])


@pytest.mark.parametrize("text", ["", "\u5e03" * 60, "0123456789" * 12], ids=["headings", "CJK", "digits"])
@pytest.mark.parametrize("tokens", [60, 400])
def test_headings_and_every_script_count(text: str, tokens: int) -> None:
    found = _context(_of_two_cameras(text), "Who had the cloth?", tokens)
    assert estimated_tokens(str(found)) <= tokens and found.citations


def test_the_bounds_of_a_question_hold_for_what_surrounds_its_hits() -> None:
    found = _context(_day(), "Who had the cloth?", as_of=101.5)
    assert max(each.time_end for each in found.citations if isinstance(each, Citation)) <= 101.5


def test_what_a_stretch_has_said_it_does_not_repeat() -> None:
    said = "Ben: We leave at nine sharp, all of us."
    events = [
        {"time_start": s, "time_end": s + 2, "summary": "Anna waits by the door.", "dialogue": [said]}
        for s in range(5)
    ]
    line = {
        "video_id": "v",
        "clip_id": "c",
        "t_start": 0,
        "t_end": 10,
        "analysis": {"clip_summary": "", "events": events},
    }
    found = _context(graph_of_lines([json.dumps(line)]), "When do we leave?")
    assert str(found).count("nine sharp") == 1 and str(found).count("waits by the door") == 1


def test_talk_that_is_only_heard_is_shown_once_with_each_speaker() -> None:
    event = {
        "time_start": 0,
        "time_end": 4,
        "summary": 'Anna and Ben say: "Do you eat plums? Only the black ones."',
        "dialogue": ["Anna: Do you eat plums?", "Ben: Only the black ones."],
    }
    line = {"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 10}
    graph = graph_of_lines([json.dumps(line | {"analysis": {"clip_summary": "", "events": [event]}})])
    graph.stored[0] = replace(graph.stored[0], heard=True)
    shown = "[event 0] 00:00:00 Anna: Do you eat plums? | Ben: Only the black ones."
    assert str(_context(graph, "Who eats black plums?")) == f"v:\n{shown}"


def test_nothing_is_shown_where_nothing_fits() -> None:
    found = _context(_day(), "Which submarine surfaced?")
    assert (found.lines, found.tokens, str(found)) == ((), 0, "")


def test_a_hit_has_the_line_that_it_was_found_by() -> None:
    graph = _day()
    [hit, *_] = search("Who was warned of a sting?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert (hit.event.summary_text, hit.line) == ("A wasp comes.", "Ben: Mind the sting.")
    [hit, *_] = search("Who folds the cloth?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert (hit.event.summary_text, hit.line) == ("Anna folds the cloth.", "")


def test_a_line_that_the_summary_quotes_is_not_told_again() -> None:
    said = {
        "time_start": 0,
        "time_end": 4,
        "summary": 'Ben says: "Mind the sting."',
        "dialogue": ["Ben: Mind the sting."],
    }
    line = {"video_id": "picnic", "clip_id": "c", "t_start": 0, "t_end": 4}
    graph = graph_of_lines([json.dumps(line | {"analysis": {"clip_summary": "", "events": [said]}})])
    [hit] = search("Who warned of a sting?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert (hit.event.summary_text, hit.line) == (said["summary"], "")
    assert tool_result(hit)["text"] == said["summary"]
