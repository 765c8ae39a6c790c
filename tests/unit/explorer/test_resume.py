"""An exploration that ended goes on from its tree: with the looks and the money of the earlier run as spent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j.domain.exploration import Decision, Exploration
from amr_neo4j.errors import InputError
from amr_neo4j.explorer.tree import Tree
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import load
from amr_neo4j.wiring.explorer import open_explorer
from tests.support import films, red_walker
from tests.support.model_server import ModelServer

CAR = "What color is the car?"
Json = dict[str, Any]


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return films.make(tmp_path_factory.mktemp("video") / "demo.mp4", *films.source("testsrc=s=128x96:r=10:d=12"))


def reply(decision: str, *paths: tuple[str, float, float], answer: str = "") -> Json:
    proposed = [{"id": name, "strategy": "probe", "start_s": start, "end_s": end} for name, start, end in paths]
    return {
        "decision": decision,
        "rationale": f"because of {decision}",
        "proposed_paths": proposed,
        "direct_answer": answer,
        "confidence": 0.5,
    }


ROOT = reply("expand", ("P1", 0, 2), ("P2", 3, 5), ("P3", 6, 8), ("P4", 9, 11))


def run(
    server: ModelServer, video: Path, folder: Path, question: str = CAR, limit: float | None = None, **how: Any
) -> Exploration:
    # A call costs 0.0001 with 100 tokens in; what it may cost at most is limited by max_tokens.
    role = {"model": "some/planner", "vision": "none", "price_in": 1.0, "price_out": 0.0, "patience_s": 1.0}
    settings = load(provider=server.url, api_key="sk-hush", explore=role)
    folders = {"workdir": video.parent / "work", "save_tree": folder / "tree.json"}
    explorer = open_explorer(settings, Ledger(lambda line: None, limit), **folders, **how)
    return explorer.explore(video, question)[0]


def test_it_goes_on_after_the_limit_of_looks_and_asks_nothing_twice(video: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree.json"
    with ModelServer() as server:
        server.then(ROOT).then(reply("expand", ("P1a", 0, 1))).then(reply("discard")).then(reply("terminate"))
        first = run(server, video, tmp_path, max_looks=2)
    assert (first.stopped, first.looks, first.usage.calls) == ("max_looks", 2, 4)
    with ModelServer() as server:
        server.then(reply("discard")).then(reply("answer", answer="red"))
        found = run(server, video, tmp_path, max_looks=5, resume=tree)
        asked = server.requests[0].body["messages"]
    assert (found.answer, found.looks, found.nodes, found.usage.calls) == ("red", 4, 5, 6)
    assert found.usage.cost_usd == pytest.approx(6 * 100e-6)
    # The model gets its first reply again, then a line on each path that was decided.
    earlier = asked[2]["content"]
    assert "Summary of earlier turns" in earlier and '"proposed_paths":[{"id":"P1"' in earlier
    assert "0.0-2.0 s: expand, confidence 0.5. because of expand" in earlier
    nodes = {node["id"]: node for node in json.loads(tree.read_text())["nodes"]}
    assert [name for name, node in nodes.items() if node["looks"] != 1] == ["P1a"]
    assert nodes["P1"]["decision"]["decision"] == "expand" and nodes["P1a"]["parent"] == "P1"


def test_money_counts_as_spent(video: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        server.then(ROOT).then(reply("discard"), times=None)
        ended = run(server, video, tmp_path, limit=0.0013)
    assert (ended.stopped, ended.found, ended.terminated) == ("max_cost", False, False)
    assert any("exceed max_cost_usd" in note for note in ended.notes)
    spent = ended.usage.cost_usd
    assert 0 < spent <= 0.0013
    with ModelServer() as server:
        server.then(reply("answer", answer="red"), times=None)
        # Enough for the next call, and not for what was spent before as well.
        again = run(server, video, tmp_path, limit=0.0011, resume=tmp_path / "tree.json")
        assert (again.stopped, server.requests) == ("max_cost", [])
        found = run(server, video, tmp_path, limit=1.0, resume=tmp_path / "tree.json")
    assert found.answer == "red" and found.usage.cost_usd == pytest.approx(spent + 100e-6)


def test_what_a_model_failed_at_is_looked_at_again_and_costs_another_look(video: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        server.then(reply("expand", ("P1", 0, 2))).then(fault="server_error", times=None)
        assert run(server, video, tmp_path, max_looks=2).stopped == "model_failed"
    with ModelServer() as server:
        server.then(reply("answer", answer="red"))
        found = run(server, video, tmp_path, max_looks=2, resume=tmp_path / "tree.json")
    [node] = json.loads((tmp_path / "tree.json").read_text())["nodes"]
    assert (found.answer, found.node_id, node["looks"]) == ("red", "P1", 2)


def test_why_an_earlier_run_ended_is_no_note_of_this_one(video: Path, tmp_path: Path) -> None:
    """The tree keeps it."""
    with ModelServer() as server:
        server.then(reply("expand", ("P1", 0, 2))).then(reply("discard")).then(fault="server_error", times=None)
        ended = run(server, video, tmp_path)
    assert (ended.stopped, ended.terminated) == ("model_failed", False)
    assert any("failed with 500" in note for note in ended.notes)
    with ModelServer() as server:
        server.then(reply("expand", ("P2", 3, 5))).then(reply("answer", answer="red"))
        found = run(server, video, tmp_path, resume=tmp_path / "tree.json")
    assert (found.answer, found.notes) == ("red", ())
    assert any(each["failed"] for each in found.tree["further"])


def test_what_is_unusual_in_further_paths_of_an_earlier_run_stays_a_note() -> None:
    tree = Tree()
    paths, end = Decision("expand", notes=("clamped",)), Decision("terminate", notes=("cut",))
    tree.further, tree.earlier = [paths, end, Decision("expand", notes=("new",))], 2
    assert [each.notes for each in tree.decided()] == [("clamped",), ("new",)]


def test_a_run_that_failed_before_its_first_paths_begins_anew(video: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        server.then("no JSON", times=None)
        assert run(server, video, tmp_path).stopped == "model_failed"
    with ModelServer() as server:
        server.then(ROOT).then(reply("answer", answer="red"))
        found = run(server, video, tmp_path, resume=tmp_path / "tree.json")
    assert (found.answer, found.looks, found.usage.calls) == ("red", 1, 4)


def test_what_does_not_fit_is_refused_in_one_line(video: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        server.then(ROOT).then(reply("discard"), times=4).then(reply("terminate"), times=None)
        run(server, video, tmp_path)
        saved = json.loads((tmp_path / "tree.json").read_text())
        other = films.make(tmp_path / "other.mp4", *films.source("testsrc=s=64x48:r=10:d=12"))
        answered = dict.fromkeys(("node", "start_s", "end_s", "segment"), None)
        answered |= {"text": "red", "confidence": 0.5, "extractive": False, "guess": False}
        wrong: list[tuple[Json, Path, str, str]] = [
            (saved, other, CAR, "another film"),
            (saved, video, "What else?", "another question"),
            (saved | {"stopped": "answer"}, video, CAR, "has its answer"),
            (saved | {"stopped": "exhausted", "answer": answered}, video, CAR, "has its answer"),
            ({**saved, "options": {}} | {"options": {"max_looks": "many"}}, video, CAR, "cannot be gone on with"),
            (saved | {"nodes": [{**saved["nodes"][0], "depth": None, "end_s": 0.0}]}, video, CAR, "gone on with"),
        ]
        for tree, film, question, why in wrong:
            file = tmp_path / "given.json"
            file.write_text(json.dumps(tree))
            with pytest.raises(InputError, match=why) as raised:
                run(server, film, tmp_path, question, resume=file)
            assert raised.value.hint


@pytest.mark.soak
def test_without_a_model_the_finds_of_the_earlier_run_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amr_neo4j.wiring.explorer.open_local_analyser", lambda *_: red_walker.analyser())
    walk = red_walker.film(tmp_path / "walk.mp4")
    question = "How often does somebody walk out?"
    whole = open_explorer(load(), Ledger(), workdir=tmp_path / "whole", max_looks=4).explore(walk, question)[0]
    open_explorer(load(), Ledger(), workdir=tmp_path, max_looks=2).explore(walk, question)
    tree = tmp_path / "tree.json"
    before = json.loads(tree.read_text())["nodes"]
    in_two = open_explorer(load(), Ledger(), workdir=tmp_path, max_looks=4, resume=tree).explore(walk, question)[0]
    assert (in_two.answer, in_two.looks, in_two.confidence) == (whole.answer, whole.looks, whole.confidence)
    assert [node["timings"] for node in in_two.tree["nodes"][:2]] == [node["timings"] for node in before[:2]]
