"""The model server as a program of its own: python -m tests.support.model_server --script FILE."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from openai import OpenAI

from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.errors import ReplyCut
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from amr_neo4j.settings import load

STEPS = [
    {"match": {"contains": "keys"}, "reply": "In the “hall”."},
    {"match": {"model": "other"}, "reply": "Never asked.", "times": None},
    {"match": {"contains": "“cups”"}, "fault": "cut", "reply": "On the table."},
    {"fault": "server_error"},
    {"reply": {"anything": "else"}},
]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[str, str], str]]:
    """Starts the program with a script of this name; returns the base URL that it prints."""
    started: list[subprocess.Popen[str]] = []

    def start(name: str, script: str) -> str:
        (tmp_path / name).write_text(script, encoding="utf-8")
        command = [sys.executable, "-m", "tests.support.model_server", "--script", str(tmp_path / name)]
        root = Path(__file__).parents[2]
        started.append(subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout
        return started[-1].stdout.readline().strip()

    yield start
    for program in started:
        program.terminate()
        program.wait(10)
        assert program.stdout
        program.stdout.close()


@pytest.mark.parametrize(
    ("name", "script"),
    [("steps.yaml", yaml.safe_dump(STEPS)), ("steps.jsonl", "\n".join(json.dumps(step) for step in STEPS))],
)
def test_a_script_is_played_step_by_step(serve: Callable[[str, str], str], name: str, script: str) -> None:
    url = serve(name, script)
    model = open_chat(
        load(provider=url, answer={"model": "any"}), "answer", Ledger(lambda line: None), sleep=lambda seconds: None
    )
    assert model

    def ask(question: str) -> str:
        return model.complete(Prompt((Message("user", question),)))

    with pytest.raises(ReplyCut):
        ask("Where are the “cups”?")
    assert ask("Where are the keys?") == "In the “hall”."
    assert ask("Where are the keys?") == '{"anything": "else"}'
    assert [there.id for there in OpenAI(base_url=url, api_key="none").models.list()] == ["other"]
