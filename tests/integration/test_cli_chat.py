"""amr chat on a real Neo4j: import, show as of a moment, forget."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from amr_neo4j.localdb import Connection
from tests.support.amr_command import Amr, amr_at

PAGE = Path(__file__).parents[2] / "docs" / "conversations.md"


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path) -> Amr:
    return amr_at(neo4j_connection, tmp_path / "data")


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    file = tmp_path / "monday.jsonl"
    lines = [
        '{"actor": "Anna", "content": "The keys are on the hook.", "at": "2026-03-01T09:00:00+01:00"}',
        '{"actor": "Ben", "content": ',
        '{"actor": "Ben", "content": "Thanks.", "at": "2026-03-01T09:05:00+01:00"}',
    ]
    file.write_text("\n".join(lines))
    return file


def test_a_conversation_is_imported_and_shown_unchanged(amr: Amr, talk: Path) -> None:
    done = amr.here("chat", "import", str(talk), "--user", "anna", code=65)
    assert done.stdout == "2 turns committed, 0 unchanged, 1 rejected\n"
    advice = "2 turns are unread: amr chat extract --user anna"
    assert re.fullmatch(rf"monday: turn 2: no JSON: .*\n{advice}\n", done.stderr)
    assert amr.here("facts", "list", "--user", "anna").stdout == f"no facts yet; {advice}\n"
    assert amr.here("chat", "extract", "--user", "anna", "--dry-run").stdout == "2 turns to read, at no cost\n"
    assert "no model is chosen" in amr.here("chat", "extract", "--user", "anna", "--again", code=78).stderr
    amr.here("chat", "extract", "--user", "anna")
    assert amr.here("facts", "list", "--user", "anna").stdout == "no facts yet\n"
    assert amr.json("chat", "import", str(talk), "--user", "anna", code=65)["unchanged"] == 2
    shown = amr.here("chat", "show", "monday", "--user", "anna").stdout
    assert shown.splitlines() == [
        "0  2026-03-01 09:00:00+01:00  Anna: The keys are on the hook.",
        "2  2026-03-01 09:05:00+01:00  Ben: Thanks.",
    ]
    [turn] = amr.items("chat", "show", "monday", "--user", "anna", "--as-of", "2026-03-01T08:01:00Z")
    assert (turn["turn"], turn["actor"], turn["valid_at"]) == (0, "Anna", "2026-03-01T09:00:00+01:00")
    assert amr.items("chat", "show", "monday", "--user", "anna", "--known-at", "2026-03-01T10:00:00Z") == []
    nothing = amr.here("chat", "show", "monday", "--user", "anna", "--known-at", "2026-03-01T10:00:00Z")
    assert nothing.stdout == "nothing had been said by that time\n"


def test_a_user_who_is_not_there_is_refused_with_those_who_are(amr: Amr) -> None:
    amr.here("chat", "say", "I live in Porto.", "--user", "anna", "--session", "s")
    assert amr.here("chat", "show", "s", "--user", "anna").stdout.endswith("anna: I live in Porto.\n")
    for command in (["ask", "Where do I live?"], ["search", "Porto"], ["facts", "list"]):
        said = amr.refused(*command, "--user", "ana", code=66)
        assert said == f"amr: no user ana in group {amr.server['AMR_GROUP']} (users: anna)"
    assert "did you mean anna?" in amr.here("facts", "list", "--user", "ana", code=66).stderr
    [group] = [each for each in amr.items("groups") if each["group_id"] == amr.server["AMR_GROUP"]]
    assert (group["videos"], group["events"], group["users"], group["turns"]) == (0, 0, 1, 1)
    named = {finding["check"]: finding["found"] for finding in amr.json("doctor")}["groups"]
    assert f"{amr.server['AMR_GROUP']} (1 turn)" in named or "more: amr groups" in named


def test_a_turn_is_stored_listed_and_forgotten(amr: Amr) -> None:
    mine = Amr(amr.server | {"AMR_USER": "anna"})
    at = "2026-03-01T09:00:00-07:00"
    said = mine.here("chat", "say", "Where are\nthe keys?", "--session", "s", "--actor", "Anna", "--at", at)
    assert said.stdout == "1 turn committed, 0 unchanged, 0 rejected\n"
    mine.here("chat", "say", "On the hook.", "--session", "s", "--actor", "assistant")
    [row] = mine.items("chat", "sessions")
    assert (row["session_id"], row["turns"], row["actors"]) == ("s", 2, ["Anna", "assistant"])
    assert row["first_said"] == at
    assert mine.here("chat", "sessions").stdout.splitlines()[1].split()[:2] == ["s", "2"]
    assert mine.here("chat", "show", "s").stdout.startswith(
        "0  2026-03-01 09:00:00-07:00  Anna: Where are the keys?\n"
    )
    forgetting = mine.here("chat", "forget", code=2)
    assert "--yes" in forgetting.stderr
    would = mine.json("chat", "forget", "--session", "s", "--dry-run")
    assert mine.here("chat", "forget", "--dry-run").stdout.startswith(
        "2 turns (1 whole conversation) would be forgotten"
    )
    assert mine.json("chat", "forget", "--session", "s", "--yes") == would
    assert would == {
        "episodes": 2,
        "mentions": 0,
        "relations": 0,
        "sessions": 1,
        "vectors": 2,
        "facts": 0,
        "waiting": 0,
    }
    assert mine.here("chat", "sessions").stdout == "no conversations yet\n"
    assert mine.here("chat", "forget", "--yes").stdout.startswith("nothing to forget")
    mine.refused("chat", "show", "s", code=66)


def test_errors_are_one_line(amr: Amr, tmp_path: Path) -> None:
    assert "no user" in amr.refused("chat", "sessions", code=65)
    assert "cannot read" in amr.refused("chat", "import", "/nowhere.txt", "--user", "anna", code=66)
    (tmp_path / "empty.txt").touch()
    assert "empty" in amr.refused("chat", "import", str(tmp_path / "empty.txt"), "--user", "anna", code=65)
    assert "valid time" in amr.here("chat", "show", "s", "--user", "a", "--as-of", "9 o'clock", code=2).stderr
    assert "--session" in amr.here("chat", "say", "hi", "--user", "a", code=2).stderr


def test_one_bad_file_does_not_stop_the_others(amr: Amr, talk: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    report = amr.json("chat", "import", str(tmp_path / "empty.json"), str(talk), "--user", "anna", code=65)
    assert (report["committed"], report["rejected"]) == (2, 2)


def test_the_commands_of_the_page_on_conversations_run(
    amr: Amr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's file is imported, shown and forgotten by the page's commands."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = next(text for kind, text in blocks if kind == "json")
    commands = next(text for kind, text in blocks if kind == "bash" and "sessions" in text)
    monkeypatch.chdir(tmp_path)
    Path("monday.jsonl").write_text(file)
    lines = [shlex.split(line, comments=True)[1:] for line in commands.splitlines() if line]
    said = [amr.here(*line).stdout for line in lines]
    assert all(said)
    shown = [line[1] if line[0] == "chat" else line[0] for line in lines]
    assert shown == ["import", "say", "say", "sessions", "show", "ask", "extract", "export", "forget", "forget"]
    assert "[turn " in said[5]
    assert json.loads(file.splitlines()[0])["content"] in said[4]
