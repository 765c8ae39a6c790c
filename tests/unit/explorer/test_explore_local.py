"""Exploring without a model: what a question wants, the overview, and a real video."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from amr_neo4j.domain.analysis import AnalysedEvent, ClipLine, SeenObject, SpeakerTurn, StatedAction
from amr_neo4j.domain.exploration import Find, Look, Segment, Span, Visit
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import ConfigError
from amr_neo4j.explorer.export import clip_lines
from amr_neo4j.explorer.local_planner import SURE, LocalPlanner
from amr_neo4j.explorer.overview import Overview
from amr_neo4j.explorer.question_reader import QuestionReader
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import load
from amr_neo4j.wiring.explorer import open_explorer
from tests.support import red_walker

READER = QuestionReader(ENGLISH)
ASKED = "When does a ball roll in?"


def event(summary: str, verb: str = "", thing: str = "", where: str = "") -> AnalysedEvent:
    return AnalysedEvent(
        time_start=0,
        time_end=1,
        summary=summary,
        objects=(SeenObject(name=thing, spatial_description=where),) if thing else (),
        actions=(StatedAction(actor="C1", verb=verb, object=thing),) if verb else (),
    )


PUT_RIGHT = event("A hand puts down a bottle on the right.", "put down", "bottle", "on the right, right of another")
TAKE_MIDDLE = event(
    "A hand picks up the bottle in the middle.", "pick up", "bottle", "in the middle, left of another"
)
THERE = event("There are two bottles on the left and on the right.", "", "bottle", "on the left")
ENTERS = event("A person in grey clothes enters from the foreground.", "enter")
LEAVES = event("A person in black clothes leaves to the right.", "leave")
STAYS = event("A person in grey clothes stays in the middle.")
EVENTS = [PUT_RIGHT, TAKE_MIDDLE, THERE, ENTERS, LEAVES, STAYS]


@pytest.mark.parametrize(
    ("question", "fits"),
    [
        ("When is the bottle on the right put down?", PUT_RIGHT),
        ("Who puts the right bottle back?", PUT_RIGHT),
        ("When is the middle bottle taken?", TAKE_MIDDLE),
        ("When does somebody grab the bottle in the middle?", TAKE_MIDDLE),
        ("When does the person in the grey cardigan come in?", ENTERS),
        ("When does somebody in a black T-shirt walk out?", LEAVES),
        ("When has the woman in dark clothes left?", LEAVES),
        ("When is the person in gray at the table?", STAYS),
    ],
)
def test_the_event_that_is_asked_for_fits_and_no_other(question: str, fits: AnalysedEvent) -> None:
    wanted = READER.wanted(question)
    scores = {each.summary: READER.fit(wanted, each) for each in EVENTS}
    assert scores.pop(fits.summary) == pytest.approx(1.0)
    assert max(scores.values()) <= 0.8


MOVES = event("A person moves from the middle to the left.", "move")
CROSSES = event("A car crosses the picture from left to right.", "cross", "car")


@pytest.mark.parametrize("verb", ["enter", "leave", "approach", "appear", "move", "cross", "pick up", "put down"])
def test_each_verb_of_the_analyser_is_asked_for_by_itself(verb: str) -> None:
    """No verb is taken for another one; "move" counted as leaving."""
    [asked] = READER.wanted(f"When does a person {verb}?").deeds
    assert asked == verb


def test_what_moves_about_has_not_left_and_what_leaves_has_moved() -> None:
    leave, move = READER.wanted("When does a person leave?"), READER.wanted("When does a person move?")
    assert READER.fit(leave, MOVES) <= 0.45
    assert min(READER.fit(move, each) for each in (MOVES, ENTERS, LEAVES)) == pytest.approx(1.0)


@pytest.mark.parametrize("deed", ["come in", "appear", "leave", "disappear", "pass by", "drive past", "move"])
def test_what_crosses_the_picture_comes_and_goes_too(deed: str) -> None:
    assert READER.fit(READER.wanted(f"When does a car {deed}?"), CROSSES) == pytest.approx(1.0)


def test_a_thing_that_is_not_there_does_not_fit() -> None:
    wanted = READER.wanted("When does the dog come in?")
    assert max(READER.fit(wanted, each) for each in EVENTS) <= 0.2


def test_a_thing_that_is_there_is_close_to_one_that_appears() -> None:
    wanted = READER.wanted("When does a bottle appear?")
    scores = {each.summary: READER.fit(wanted, each) for each in EVENTS}
    assert 0.5 <= scores.pop(THERE.summary) < 0.85, "given as the closest, not as the answer"
    assert max(scores.values()) < 0.5


SAID = READER.spoken(SpeakerTurn(utterance="I left the key under the pot.", time_start=3.0, time_end=5.0))
POT_LEFT = event("A person puts down a pot on the left.", "put down", "pot", "on the left")


@pytest.mark.parametrize(
    ("question", "fit"),
    [
        ("What is said about the key?", 1.0),
        ("Who said that the key is under the pot?", 1.0),
        ("When is the key mentioned?", 1.0),
        ("When is the piano mentioned?", 0.2),
        ("Where is the key?", 0.6),
        ("When does somebody put down the pot?", 0.45),
    ],
)
def test_what_is_said_fits_questions_for_words(question: str, fit: float) -> None:
    wanted = READER.wanted(question)
    assert READER.fit(wanted, SAID) == pytest.approx(fit)
    assert SAID.summary == 'Someone says: "I left the key under the pot."'
    if "say" in wanted.deeds:
        assert READER.fit(wanted, POT_LEFT) <= 0.45


def test_what_is_on_the_left_has_not_left() -> None:
    assert READER.fit(READER.wanted("When did the bottle leave?"), THERE) <= 0.45


def visit(node_id: str, *finds: Find, may_expand: bool = True) -> Visit:
    span = Span(20.0, 30.0)
    return Visit(node_id, 1, "", span, Segment("s.mp4", span, 1), Look(finds=finds), may_expand)


def find(fit: float, at: float = 24.0, likeness: float = 0.0) -> Find:
    return Find(Span(at, at + 1), "Somebody enters.", fit, likeness)


def test_the_planner_answers_goes_closer_or_discards_by_the_fit() -> None:
    planner = LocalPlanner(READER, ASKED, duration_s=60.0, overview=Overview([1.0] * 60), most=10)
    sure, related, nothing = planner.decide([visit("P1", find(0.95)), visit("P2", find(0.45)), visit("P3")])
    assert (sure.kind, sure.extractive, sure.span) == ("answer", True, Span(24.0, 25.0))
    assert sure.answer == "Somebody enters. (00:00:24-00:00:25)"
    assert (related.kind, [(path.start_s, path.end_s) for path in related.paths]) == (
        "expand",
        [(12.0, 22.0), (28.0, 38.0)],
    )
    assert nothing.kind == "discard"
    [deepest] = planner.decide([visit("P1a1", find(0.45), may_expand=False)])
    assert deepest.kind == "discard"
    [beside, better] = planner.decide([visit("P2a", find(0.45)), visit("P2b", find(0.6))])
    assert (beside.kind, better.kind) == ("discard", "expand")


def test_the_last_word_is_the_closest_find_and_says_so() -> None:
    planner = LocalPlanner(READER, ASKED, duration_s=60.0, overview=Overview(), most=10)
    planner.decide([visit("P1", find(0.3)), visit("P2", find(0.6))])
    last = planner.conclude("exhausted")
    assert (last.kind, last.node, last.confidence) == ("answer", "P2", 0.6)
    assert "the closest that was found" in last.answer
    assert (
        LocalPlanner(READER, ASKED, duration_s=60.0, overview=Overview(), most=10).conclude("exhausted").kind
        == "terminate"
    )


def test_what_the_analyser_cannot_name_may_be_what_is_asked_for_and_people_may_not() -> None:
    wanted = READER.wanted("When does a ball cross the picture?")
    crosses = event("Something red crosses.", "cross", "something red")
    truck = event("A truck crosses.", "cross", "truck")
    assert READER.fit(wanted, crosses) <= 0.2
    likeness = [READER.likeness(wanted, each) for each in (crosses, truck, THERE, ENTERS)]
    assert likeness == sorted(likeness, reverse=True) and likeness[0] > 0.8 and likeness[-1] == 0.0
    elsewise = READER.wanted("When does somebody put the ball down?")
    assert READER.likeness(wanted, crosses) > READER.likeness(elsewise, crosses)


def test_without_anything_recognised_the_likeliest_place_is_named_as_such() -> None:
    planner = LocalPlanner(READER, ASKED, duration_s=60.0, overview=Overview(), most=10)
    expected = replace(visit("P2", find(0.2, 25, likeness=0.5)), score=0.9)
    planner.decide([visit("P1", find(0.2, likeness=0.5)), expected, visit("P3", find(0.3))])
    last = planner.conclude("exhausted")
    assert (last.kind, last.guess, last.node, last.span) == ("answer", True, "P2", Span(25, 26))
    assert last.answer.startswith("Not recognised. The likeliest place is 00:00:25-00:00:26:")
    assert last.answer.endswith("The next ones: 00:00:24.")
    assert last.confidence < 0.5
    planner.decide([visit("P4", find(0.6))])
    assert not planner.conclude("exhausted").guess


def test_what_the_analyser_cannot_see_is_said_to_be_unchecked() -> None:
    planner = LocalPlanner(
        READER, "When does the woman in the grey cardigan come in?", duration_s=60.0, overview=Overview(), most=10
    )
    [decision] = planner.decide([visit("P1", find(1.0))])
    assert decision.answer.endswith("Not checked, as the local analyser cannot see it: woman, cardigan.")
    assert decision.confidence < SURE
    [plain] = LocalPlanner(
        READER, "When does a person come in?", duration_s=60.0, overview=Overview(), most=10
    ).decide([visit("P1", find(1.0))])
    assert "checked" not in plain.answer and plain.confidence == 1.0


def test_where_more_happens_is_likelier() -> None:
    planner = LocalPlanner(READER, ASKED, duration_s=60.0, overview=Overview(), most=10)
    planner.decide([visit("P1", find(0.2, likeness=0.8)), visit("P2", find(0.2, 26, 0.8), find(0.2, 28, 0.5))])
    assert planner.conclude("exhausted").node == "P2"


def test_who_wears_a_colour_beside_another_one_is_not_at_once_the_one_in_that_colour() -> None:
    mixed = event("A person in a grey top and black trousers leaves to the right.", "leave")
    fits = {
        asked: READER.fit(READER.wanted(asked), mixed) for asked in ("Who in black leaves?", "Who in red leaves?")
    }
    assert SURE > fits["Who in black leaves?"] > fits["Who in red leaves?"]
    assert READER.fit(READER.wanted("Who in black trousers leaves?"), mixed) == pytest.approx(1.0)
    assert READER.fit(READER.wanted("Who in black leaves?"), LEAVES) == pytest.approx(1.0)


def test_a_count_is_not_answered_by_the_first_find() -> None:
    planner = LocalPlanner(READER, "How many people come in?", duration_s=40.0, overview=Overview(), most=10)
    decisions = planner.decide(
        [visit("P1", find(1.0)), visit("P2", find(1.0, 24.5), find(0.9, 28), find(0.9, 29)), visit("P3", find(0.5))]
    )
    assert {each.kind for each in decisions} == {"discard"}
    last = planner.conclude("exhausted")
    assert last.answer.startswith(
        "Times seen in 10 of 40 s of the video: 3 (00:00:24, 00:00:28, 00:00:29). The first: "
    )
    assert last.confidence == pytest.approx(0.25)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return red_walker.film(tmp_path_factory.mktemp("walk") / "walk.mp4")


def test_a_real_video_is_explored_to_the_segment_that_holds_the_event(
    walked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amr_neo4j.wiring.explorer.open_local_analyser", lambda *_: red_walker.analyser())
    explorer = open_explorer(load(), Ledger(), workdir=tmp_path, max_looks=3)
    found, tree = explorer.explore(walked, "When does somebody walk out?")
    assert found.found and found.extractive and found.looks <= 3
    node = tree.nodes[found.node_id]
    assert node.span.start_s <= red_walker.GOES <= node.span.end_s + 1
    assert found.span and abs(found.span.end_s - red_walker.GOES) < 1.5
    assert Path(found.segment).is_file() and (found.usage.calls, found.tree["planner"]) == (0, "local")
    kept = [ClipLine.model_validate(json.loads(line)) for line in clip_lines(tree, Video("g", "walk"), found.node_id)]
    assert kept[0].analysis.events and kept[0].clip_id.startswith("explored-")
    assert all(kept[0].t_start <= each.time_start <= kept[0].t_end for each in kept[0].analysis.events)
    assert clip_lines(tree, Video("g", "walk"), found.node_id) == clip_lines(tree, Video("g", "walk"), found.node_id)


def test_what_is_not_recognised_in_a_real_video_is_pointed_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amr_neo4j.wiring.explorer.open_local_analyser", lambda *_: red_walker.analyser())
    video = red_walker.film(tmp_path / "blue.mp4", "blue")
    explorer = open_explorer(load(), Ledger(), workdir=tmp_path, max_looks=3)
    found, _ = explorer.explore(video, "When does a cat pass by?")
    assert (found.found, found.guess) == (False, True) and found.answer.startswith("Not recognised.")
    assert found.span and found.span.shared(Span(red_walker.COMES, red_walker.GOES)) > 1
    assert found.tree["answer"]["guess"] is True


def test_nothing_found_is_said(walked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amr_neo4j.wiring.explorer.open_local_analyser", lambda *_: red_walker.analyser())
    explorer = open_explorer(load(), Ledger(), workdir=tmp_path, max_looks=2)
    found, _ = explorer.explore(walked, "When does a dog bark?")
    assert (found.found, found.terminated, found.stopped, found.looks) == (False, True, "max_looks", 2)


def test_a_language_without_words_for_what_is_seen_is_an_error_with_advice() -> None:
    class Silent:
        code = "xx"

        def table(self, name: str, model: object) -> object:
            raise FileNotFoundError(name)

    with pytest.raises(ConfigError, match="xx has no looking") as raised:
        QuestionReader(Silent())  # type: ignore[arg-type]
    assert "provider" in raised.value.hint
