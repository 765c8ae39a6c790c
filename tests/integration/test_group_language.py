"""A group that does not speak English has the embedder for many languages, whoever wrote to it first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Scope, owner
from amr_neo4j.errors import ModelMissing
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.support.chatting import rows

Open = Callable[..., Memory]
GERMAN = [
    "Ich war gestern mit meiner Schwester auf dem Markt und habe Brot gekauft.",
    "Am Samstag ziehen wir nach Graz, weil Jonas dort eine neue Stelle hat.",
    "Der Hund schläft jetzt immer unter dem Tisch in der Küche.",
]
ENGLISH = [
    "I went to the market with my sister yesterday and bought some bread.",
    "We are moving to Graz on Saturday because Jonas has a new job there.",
]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def opens(neo4j_connection: Connection, group_id: str, tmp_path: Path, said: list[str]) -> Iterator[Open]:
    """Opens the group with the local embedders; each time as another process would."""
    for name in ("e5", "multilingual-e5"):
        try:
            model_dir(load(), name)
        except ModelMissing as error:
            pytest.skip(str(error))
    there = neo4j_connection
    of_server = {"neo4j_uri": there.uri, "neo4j_username": there.username, "neo4j_password": there.password}

    def opened(**settings: Any) -> Memory:
        data = tmp_path / str(len(memories))
        memory = Memory.connect(load(**of_server, group=group_id, data_dir=data, **settings), notify=said.append)
        memory._parts.prepare()
        memories.append(stack.enter_context(memory))
        return memory

    memories: list[Memory] = []
    with ExitStack() as stack:
        yield opened


def lines_of(folder: Path, texts: list[str]) -> Path:
    """A file with the analysis of one clip, an event for each text."""
    events = [{"time_start": n, "time_end": n + 1, "summary": text} for n, text in enumerate(texts)]
    line = {
        "video_id": "film",
        "clip_id": "c",
        "t_start": 0,
        "t_end": 10,
        "analysis": {"clip_summary": "", "events": events},
    }
    file = folder / "lines.jsonl"
    file.write_text(json.dumps(line), encoding="utf-8")
    return file


def says(memory: Memory, turns: list[str], session: str = "s") -> None:
    assert memory.remember(turns, user_id="anna", session_id=session).committed == len(turns)


def finds(memory: Memory, query: str, text: str) -> None:
    """The turn is nearest to the query in the index, and everything has a vector of the group's model."""
    index = memory._parts.indexes.of("episode")
    index.catch_up()
    [vector] = memory._parts.question_embedder().embed([query])
    [(number, _)] = index.search(vector, 1, Scope(owner(memory.group_id, "anna")))
    assert rows(memory, f"MATCH (e:Episode {{vector_id: {number}}}) RETURN e.content") == [text]
    assert memory.missing_vectors() == 0


def test_a_conversation_in_another_language_is_embedded_for_many(opens: Open, said: list[str]) -> None:
    memory = opens()
    says(memory, GERMAN)
    assert memory.check_embedder() == "multilingual-e5-small"
    finds(memory, "Wo ruht unser Haustier?", GERMAN[2])
    assert said == [
        f"group {memory.group_id} has texts or questions in de, so it has the embedder multilingual-e5 from now on"
    ]
    again = opens()
    says(again, ["Gute Nacht!"], "t")
    assert again.check_embedder() == "multilingual-e5-small" and len(said) == 1


def test_one_in_english_keeps_the_embedder_for_english(opens: Open, said: list[str]) -> None:
    memory = opens()
    says(memory, ENGLISH)
    says(memory, ["chop leek"] * 25, "t")
    assert memory.check_embedder() == "e5-small-v2" and not said


def test_a_setting_wins(opens: Open, said: list[str]) -> None:
    memory = opens(embedder="e5")
    says(memory, GERMAN)
    assert memory.check_embedder() == "e5-small-v2" and not said


def test_the_language_of_the_settings_decides_at_once(opens: Open, said: list[str]) -> None:
    memory = opens(language="de")
    says(memory, ["Ja."])
    assert memory.check_embedder() == "multilingual-e5-small" and not said


def test_other_processes_go_on_with_the_new_embedder(opens: Open, tmp_path: Path) -> None:
    """They write turns and footage, search, and embed what waits."""
    talking, watching, asking = opens(), opens(), opens()
    says(talking, ["Hi!"])
    for other in (watching, asking):
        assert other.check_embedder() == "e5-small-v2"
    says(talking, GERMAN, "t")
    assert asking.check_embedder() == "multilingual-e5-small"
    finds(asking, "Wo ruht unser Haustier?", GERMAN[2])
    lines = lines_of(tmp_path, ["Anna closes the fridge."])
    assert watching.ingest(lines).committed == 1
    says(watching, ["Bis morgen!"], "u")
    assert talking.missing_vectors() == 0
    assert {memory.check_embedder() for memory in (talking, watching, asking)} == {"multilingual-e5-small"}


def test_footage_that_is_described_in_another_language(opens: Open, tmp_path: Path) -> None:
    memory = opens()
    report = memory.ingest(lines_of(tmp_path, GERMAN))
    assert (report.committed, report.events) == (1, 3), report
    assert memory.check_embedder() == "multilingual-e5-small" and memory.missing_vectors() == 0


def test_a_question_about_footage_in_another_language(opens: Open, said: list[str], tmp_path: Path) -> None:
    memory = opens()
    memory.ingest(lines_of(tmp_path, ["Anna closes the fridge.", "Ben carries a ladder to the shed."]))
    says(memory, ["Hi!"])
    assert memory.check_embedder() == "e5-small-v2"
    assert "Ben" in memory.ask("Wer hat die Leiter getragen?").text
    assert memory.check_embedder() == "multilingual-e5-small" and memory.missing_vectors() == 0
    assert "Ben" in memory.ask("Wer hat die Leiter getragen?", user_id="anna").text
    assert len(said) == 1


def test_what_a_killed_process_left_is_finished_by_the_next(
    opens: Open, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The group keeps its old embedder until everything has a vector of the new one."""

    def killed(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    first = opens()
    says(first, ["Hi!"])
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("amr_neo4j.store.embeddings.reembed", killed)
        first.remember(GERMAN, user_id="anna", session_id="t")
    second = opens()
    assert second.check_embedder() == "e5-small-v2"
    says(second, ["Gute Nacht!"], "u")
    assert second.check_embedder() == "multilingual-e5-small"
    finds(second, "Wo ruht unser Haustier?", GERMAN[2])


@pytest.mark.soak
def test_a_large_group_is_embedded_a_part_after_each_commit(opens: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amr_neo4j.wiring.openers._AFTER_A_COMMIT", 2)
    memory = opens()
    says(memory, GERMAN)
    used = [memory.check_embedder()]
    for number in range(4):
        says(memory, ["Gute Nacht!"], f"s{number}")
        used.append(memory.check_embedder())
    assert used[0] == "e5-small-v2" and used[-1] == "multilingual-e5-small"
    finds(memory, "Wo ruht unser Haustier?", GERMAN[2])
