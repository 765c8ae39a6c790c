"""amr chat live, amr facts and amr consolidate on a real Neo4j: what a user types and reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.amr_command import Amr, amr_at

TALK = "I live in Porto and work at BMW.\nassistant: Nice!\nActually I moved to Ghent.\nWhere do I live?\n"


def test_facts_are_read_listed_corrected_and_forgotten(neo4j_connection: Connection, tmp_path: Path) -> None:
    amr = amr_at(neo4j_connection, tmp_path / "data")
    amr = Amr(amr.server | {"AMR_USER": "anna"})
    said = amr("chat", "live", "--session", "monday", stdin=TALK)
    lines = [line.strip() for line in said.stdout.splitlines()]
    assert "multiple facts (en)" in lines
    assert "+ you | lives_in | ghent  (confidence 1.00)" in lines
    assert "- you | lives_in | porto" in lines
    assert any(line.startswith("prompt: You live in Ghent") for line in lines)
    assert not said.stdout.startswith(">"), "a prompt is for a terminal"

    facts = {fact["triple"][2]: fact["status"] for fact in amr.items("facts", "list", "--history")}
    assert facts == {"porto": "archived", "bmw": "active", "ghent": "active"}
    listed = amr.here("facts", "list", "--history").stdout
    assert "replaced by ghent" in listed and "believed" in listed and "archived" not in listed

    assert "You work at BMW" in amr.here("facts", "search", "Where do I work?").stdout

    assert "Ghent" in amr.here("ask", "Where do I live?").stdout.splitlines()[0], (
        "the correction replaces the old value"
    )
    [porto] = [line.split()[0] for line in listed.splitlines() if "Porto" in line]
    undone = amr.here("facts", "undo", porto)
    assert undone.stdout == "believed again: You live in Porto\n"
    assert "also believed: You live in Ghent" in undone.stderr
    assert amr.here("facts", "correct", porto, "Lisbon").stdout.endswith("You live in Lisbon\n")
    assert (
        amr.here("facts", "forget", "--subject", "you", "--relation", "works_at", "--yes").stdout
        == "1 fact forgotten\n"
    )
    assert "--yes" in amr.here("facts", "forget", "--subject", "you", code=2).stderr
    assert "Lisbon" in amr.here("facts", "forget", "--subject", "you", "--dry-run").stdout
    [pinned] = [line.split()[0] for line in amr.here("facts", "list").stdout.splitlines() if "Lisbon" in line]
    assert "not both" in amr.here("facts", "forget", pinned, "--subject", "you", "--yes", code=2).stderr
    assert "Lisbon" in amr.here("facts", "forget", pinned, "--dry-run").stdout
    assert amr.here("facts", "forget", pinned, "--yes").stdout == "1 fact forgotten\n"
    assert "zzz" in amr.here("facts", "forget", "zzz", code=66).stderr, "whether it exists is checked first"
    assert "relations of you" in amr.here("facts", "forget", "--subject", "you", "--relation", "owns", code=66).stderr
    wrong = amr.here("facts", "forget", "--subject", "you", "--relation", "has_age", "--yes", code=66)
    assert "relations of you: lives_in" in wrong.stderr
    assert amr.here("facts", "list", "--contradicted").stdout == "no facts contradict one another\n"
    assert amr.here("facts", "list", "--subject", "tom").stdout == "no such facts\n"
    counts = amr.json("stats")
    assert (counts["sessions"], counts["turns"], counts["facts"]) == (1, 4, 1)


def test_facts_that_people_in_films_state_are_listed_corrected_and_forgotten(
    neo4j_connection: Connection, tmp_path: Path
) -> None:
    amr = amr_at(neo4j_connection, tmp_path / "data")
    turns = [{"speaker_id": "Ben", "utterance": "I like jazz.", "time_start": 5, "time_end": 9}]
    clip = {"video_id": "evening", "clip_id": "1", "t_start": 0, "t_end": 60}
    lines = tmp_path / "evening.jsonl"
    lines.write_text(json.dumps(clip | {"analysis": {"clip_summary": "", "events": [], "speaker_turns": turns}}))
    amr.here("ingest", str(lines))
    assert "no user given" in amr.here("facts", "list", code=65).stderr
    listed = amr.here("facts", "list", "--of-group", "--subject", "ben").stdout
    assert "Ben likes jazz" in listed and "evening, 00:00:05-00:00:09]" in listed
    [jazz] = [line.split()[0] for line in listed.splitlines() if "jazz" in line]
    assert "evening, 00:00:05-00:00:09]" in amr.here("facts", "show", jazz, "--of-group").stdout
    corrected = amr.here("facts", "correct", jazz, "blues", "--of-group").stdout
    assert corrected.endswith("Ben likes blues\n")
    assert amr.here("facts", "pin", corrected.split()[0], "--of-group", "--off").stdout.startswith("no longer pinned")
    undone = amr.here("facts", "undo", jazz, "--of-group")
    assert undone.stdout == "believed again: Ben likes jazz\n"
    assert amr.here("facts", "forget", jazz, "--of-group", "--yes").stdout == "1 fact forgotten\n"
    assert "not both" in amr.here("facts", "list", "--of-group", "--user", "ben", code=65).stderr


def test_a_dry_run_says_that_nothing_would_change(neo4j_connection: Connection, tmp_path: Path) -> None:
    amr = amr_at(neo4j_connection, tmp_path / "data")
    tried = amr.here("consolidate", "--user", "nobody", "--dry-run")
    assert "no fact would change" in tried.stdout and "models:" not in tried.stdout
    assert "user nobody has no conversations" in tried.stderr


def test_without_a_user_everybody_is_consolidated(neo4j_connection: Connection, tmp_path: Path) -> None:
    """A user whom another process is consolidating is left to that process, and this is reported."""
    amr = amr_at(neo4j_connection, tmp_path / "data")
    for user in ("anna", "ben"):
        amr.here("chat", "say", "I live in Porto.", "--user", user, "--session", "s")
    there: dict[str, Any] = {
        name: amr.server[f"NEO4J_{name[6:].upper()}"] for name in ("neo4j_uri", "neo4j_username", "neo4j_password")
    }
    busy = Memory.open(group=amr.server["AMR_GROUP"], data_dir=tmp_path / "data", **there)
    with busy as memory, memory._parts.consolidation("ben")._lease():
        left = amr.here("consolidate", code=75).stdout
    assert "anna:\n" in left and "facts read 1" in left
    assert "not run" in left and "the facts of ben are being consolidated by process" in left
    reports = amr.json("consolidate")
    assert [(r["user_id"], r["status"], r["counts"].get("facts read", 0)) for r in reports] == [
        ("anna", "completed", 0), ("ben", "completed", 1)
    ]  # fmt: skip
