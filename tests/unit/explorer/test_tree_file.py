"""tree.json: its schema, its replay and page, and what Ctrl-C and kill -9 leave."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from amr_neo4j.cli.explore import explore
from amr_neo4j.cli.main import main
from amr_neo4j.cli.progress import growing
from amr_neo4j.errors import InputError
from amr_neo4j.explorer.page import page
from amr_neo4j.explorer.saved_tree import outline, parsed, walk
from amr_neo4j.models.opener import endpoint
from amr_neo4j.settings import load
from tests.support import films
from tests.support.model_server import ModelServer
from tests.support.real_ingest import heeding_ctrl_c

Json = dict[str, Any]
# The example of specification 003, with its flags.
QUESTION = "How many people walk past the camera?"
SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "exploration.schema.json").read_text("utf-8"))
PATHS = [
    {"id": f"P{n + 1}", "strategy": "probe <b>here</b>", "start_s": float(n), "end_s": n + 0.8} for n in range(10)
]
ROOT = {
    "decision": "expand",
    "rationale": "a grid",
    "proposed_paths": [*PATHS, {"id": "P1", "strategy": "", "start_s": 50.0, "end_s": 60.0}],
    "direct_answer": "",
    "confidence": 0.5,
}
NEXT = ROOT | {"decision": "discard", "proposed_paths": []}
CHILD = ROOT | {
    "confidence": 0.7,
    "proposed_paths": [{"id": "P1a", "strategy": "closer", "start_s": 0.1, "end_s": 0.7}],
}
ANSWER = NEXT | {"decision": "answer", "direct_answer": "a <red> car", "confidence": 0.9}


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return films.make(tmp_path_factory.mktemp("video") / "demo.mp4", *films.source("testsrc=s=128x96:r=10:d=10"))


def environment(server: ModelServer, folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "AMR_PROVIDER": server.url,
        "AMR_API_KEY": "sk-hush",
        "AMR_EXPLORE__MODEL": "some/planner",
        "AMR_EXPLORE__VISION": "none",
        "AMR_DATA_DIR": str(folder / "data"),
    }


def command(video: Path, folder: Path, *more: str) -> list[str]:
    flags = ["--workdir", str(folder / "work"), "--max_depth", "4", "--per_expand_limit", "3", "--temperature", "0.3"]
    flags += ["--save_tree", str(folder / "tree.json"), *more]
    return [sys.executable, "-m", "amr_neo4j", "explore", "--video", str(video), "--question", QUESTION, *flags]


def checked(tree: Json) -> Json:
    Draft202012Validator(SCHEMA).validate(tree)
    return tree


@pytest.fixture(scope="module")
def explored(video: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The folder of a run of the command, what it printed, and what it noted."""
    folder = tmp_path_factory.mktemp("run")
    with ModelServer() as server:
        server.then(ROOT).then(CHILD).then(ANSWER)
        more = ["--html", str(folder / "tree.html"), "--api_key", "sk-other"]
        done = subprocess.run(
            command(video, folder, *more), env=environment(server, folder), capture_output=True, text=True, check=True
        )
        assert server.requests[0].body["temperature"] == 0.3
        options = json.loads((folder / "tree.json").read_text())["options"]
        assert (options["max_depth"], options["per_expand_limit"]) == (4, 3)
        assert server.requests[0].headers["authorization"] == "Bearer sk-other"
    return folder, done.stdout, done.stderr


def test_the_command_ends_with_the_answer_and_the_counts(explored: tuple[Path, str, str]) -> None:
    folder, printed, noted = explored
    lines = dict(line.split(": ", 1) for line in printed.splitlines())
    assert list(lines) == ["answer", "where", "segment", "ended", "looked at", "cost"]
    assert (lines["answer"], lines["ended"]) == ("a <red> car", "an answer was found; terminated: no")
    assert lines["looked at"] == "2 segments of the video, 11 nodes in the tree"
    assert lines["cost"].startswith("3 calls,")
    assert "exploring without memory" in noted
    # No terminal, so each path is a line once it is decided, with looks and cost so far.
    grown = [line for line in noted.splitlines() if " of 40 looks, $" in line]
    assert [line.split()[0] for line in grown] == ["P1", "P1a"] and grown[1].startswith("  P1a 00:00:00.1")
    assert sorted(path.name for path in folder.iterdir() if path.name != "data") == ["tree.html", "tree.json", "work"]
    assert all(re.fullmatch(r"segment_[0-9a-f]{8}_\d+_\d+\.mp4", path.name) for path in (folder / "work").iterdir())


def test_tree_json_follows_its_schema(explored: tuple[Path, str, str]) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    tree = checked(json.loads((explored[0] / "tree.json").read_text()))
    assert tree["answer"]["text"] == "a <red> car"
    assert [node["id"] for _, node in walk(tree)][:2] == ["P1", "P1a"]
    assert tree["nodes"][0]["usage"]["tokens_in"] == 100 and tree["seconds"] > 0


def test_the_page_plays_the_segments_and_needs_nothing_else(explored: tuple[Path, str, str]) -> None:
    text = (explored[0] / "tree.html").read_text()
    assert text.count("<video controls") == 2
    assert "src='data:video/mp4;base64," in text and "http" not in re.sub(r"base64,[^']*", "", text)
    assert "a &lt;red&gt; car" in text and "<b>here</b>" not in text
    assert "rejected 50.0-60.0 s: 50-60 s is outside of the video, which has 10 s" in text


def test_a_page_without_the_files_says_so(explored: tuple[Path, str, str]) -> None:
    tree = json.loads((explored[0] / "tree.json").read_text())
    assert "the segment is gone" in page(tree, lambda path: None)
    assert "too large for this page" in page(tree, lambda path: b"1234", most_bytes=3)


def test_replay_shows_the_tree(explored: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["explore", "--replay", str(explored[0] / "tree.json")])
    assert ended.value.code in (0, None)
    shown = capsys.readouterr().out
    assert "    P1a 00:00:00.1-00:00:00.7 closer: answer (0.90) a <red> car" in shown
    assert shown.splitlines()[-4:-1] == [
        "answer: a <red> car",
        "ended: an answer was found; terminated: no",
        "looked at: 2 segments of the video, 11 nodes in the tree",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no json", "is not JSON"),
        ("[]", "is not the tree"),
        ('{"schema_version": 99}', "schema version 99"),
        ('{"schema_version": 1, "nodes": 3}', "lacks"),
        ('{"schema_version": 1, "nodes": [{"id": "P1"}]}', "lacks"),
    ],
)
def test_another_file_is_refused_with_advice(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as raised:
        parsed(text, "tree.json")
    assert raised.value.hint


def test_a_tree_that_refers_to_itself_is_shown_once(explored: tuple[Path, str, str]) -> None:
    tree = json.loads((explored[0] / "tree.json").read_text())
    tree["nodes"][0]["children"] = ["P1", "P1a", "P99"]
    assert [node["id"] for _, node in walk(tree)].count("P1") == 1
    assert list(outline(tree)) and page(tree, lambda path: None)


@pytest.mark.parametrize("how", [pytest.param(signal.SIGINT, marks=pytest.mark.soak), signal.SIGKILL])
def test_ctrl_c_and_kill_leave_a_valid_tree(video: Path, tmp_path: Path, how: signal.Signals) -> None:
    file = tmp_path / "tree.json"
    with ModelServer() as server:
        server.then(ROOT).then(NEXT, times=3).then(NEXT, fault="slow", delay_s=3.0, times=None)
        process = subprocess.Popen(
            command(video, tmp_path),
            env=environment(server, tmp_path),
            stdout=-1,
            stderr=-1,
            text=True,
            preexec_fn=heeding_ctrl_c,  # noqa: PLW1509 - it takes no lock that a thread of ours might hold
        )
        until = time.monotonic() + 90
        while time.monotonic() < until and not (file.exists() and json.loads(file.read_text())["looks"] >= 3):
            time.sleep(0.02)
        process.send_signal(how)
        _, noted = process.communicate(timeout=90)
    assert process.returncode != 0
    tree = checked(json.loads(file.read_text()))
    assert tree["looks"] >= 3
    assert tree["stopped"] == ("interrupted" if how == signal.SIGINT else "running")
    if how == signal.SIGINT:
        assert f"the tree so far is in {file}; to go on: amr explore --resume {file}" in noted
    assert list(outline(parsed(file.read_text(), file.name)))
    with ModelServer() as server:
        server.then(ANSWER)
        words = [
            sys.executable,
            "-m",
            "amr_neo4j",
            "explore",
            "--resume",
            str(file),
            "--workdir",
            str(tmp_path / "work"),
        ]
        done = subprocess.run(words, env=environment(server, tmp_path), capture_output=True, text=True, check=True)
        [request] = server.requests
    assert "answer: a <red> car" in done.stdout
    assert "Summary of earlier turns" in str(request.body["messages"]) and QUESTION in str(request.body["messages"])
    ended = checked(json.loads(file.read_text()))
    assert ended["looks"] == tree["looks"] + 1 and ended["usage"]["calls"] == tree["usage"]["calls"] + 1
    assert ended["options"] == tree["options"] and ended["seconds"] >= tree["seconds"]


def test_on_a_terminal_the_tree_is_redrawn_as_it_grows(explored: tuple[Path, str, str]) -> None:
    tree = parsed((explored[0] / "tree.json").read_text(), "tree.json")
    drawn = StringIO()
    console = Console(file=drawn, force_terminal=True, width=100, height=20)
    with growing(set(), console) as watch:
        watch(tree)
    text = drawn.getvalue()
    assert (
        "P1a 00:00:00.1-00:00:00.7 closer: answer" in text
        and "2 of 40 looks, $" in text
        and "9 paths waiting" in text
    )


def test_the_player_of_the_answer_opens_at_its_second(explored: tuple[Path, str, str]) -> None:
    tree = parsed((explored[0] / "tree.json").read_text(), "tree.json")
    tree["answer"]["start_s"] = 0.5
    assert re.findall(r"base64,[^'#]*#t=([^']*)'", page(tree, lambda path: b"1234")) == ["0.4"]


def test_a_key_alone_is_not_used_and_the_command_says_how_to_use_it(video: Path, tmp_path: Path) -> None:
    with ModelServer() as server:
        env = {**environment(server, tmp_path), "OPENAI_API_KEY": "sk-hush"}
        unused = {name: value for name, value in env.items() if name not in ("AMR_PROVIDER", "AMR_API_KEY")}
        words = command(video, tmp_path, "--planner", "model")
        done = subprocess.run(words, env=unused, capture_output=True, text=True, check=False)
        assert server.requests == []
    [line] = [line for line in done.stderr.splitlines() if "OPENAI_API_KEY" in line]
    assert "not used" in line and '--api-key "$OPENAI_API_KEY"' in line and done.returncode == 78


def test_the_example_of_the_help_names_a_model_that_openai_has() -> None:
    model = re.search(r"--model (\S+)", explore.__doc__ or "")
    assert model
    chosen = endpoint(load(explore={"api_key": "sk-hush", "provider": "openai", "model": model[1]}), "explore")
    assert chosen and chosen.known and chosen.base_url == "https://api.openai.com/v1"
