"""A data directory that cannot be written: questions are answered, and what writes says why it cannot."""

from __future__ import annotations

import json
from pathlib import Path

from amr_neo4j.cli.checks import disk
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.support.amr_command import amr_at
from tests.support.small_disk import read_only


def test_questions_are_answered_and_writes_say_why(neo4j_connection: Connection, tmp_path: Path) -> None:
    used, unused = tmp_path / "used", tmp_path / "unused"
    used.mkdir()
    unused.mkdir()
    amr = amr_at(neo4j_connection, used)
    event = {"time_start": 1.0, "time_end": 2.0, "summary": "Anna finds the keys."}
    clip = {"video_id": "hall", "clip_id": "1", "t_start": 0.0, "t_end": 10.0, "analysis": {"clip_summary": ""}}
    clip["analysis"]["events"] = [event]
    (tmp_path / "hall.jsonl").write_text(json.dumps(clip))
    amr.here("ingest", str(tmp_path / "hall.jsonl"))
    amr.here("chat", "say", "I live in Porto.", "--user", "anna", "--session", "monday")
    for folder in (used, unused):
        with read_only(folder):
            of = type(amr)(amr.server | {"AMR_DATA_DIR": str(folder)})
            assert "keys" in of.here("search", "Who finds the keys?").stdout
            assert "Porto" in of.here("ask", "Where do I live?", "--user", "anna").stdout
            assert of.here("stats").stdout
            assert disk(load(data_dir=folder)).endswith("cannot be written: only questions work")
            said = of.refused("chat", "say", "I moved to Ghent.", "--user", "anna", "--session", "monday", code=74)
            assert said.startswith(f"amr: {folder} cannot be written: ")
    assert len(amr.items("chat", "show", "monday", "--user", "anna")) == 1
