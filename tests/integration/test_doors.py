"""What the graph refuses is set apart with the reason, and holds up nothing else; receipts are true."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from amr_neo4j.spool import TURNS_FILE
from amr_neo4j.spool.turns import refused_turns
from tests.support.chatting import talking

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ODD = [timezone(timedelta(hours=23, minutes=59)), timezone(timedelta(hours=1, minutes=2, seconds=3))]


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        yield memory


def test_turns_that_the_graph_refuses_are_set_apart_and_others_go_in(memory: Memory, tmp_path: Path) -> None:
    """An older version, which did not check offsets, has accepted them."""
    session = Session(memory.group_id, "ben", "monday")
    said = [one_episode({"content": f"turn {n}", "turn": n}, session, NOW, ENGLISH) for n in range(9)]
    odd = [replace(said[n], valid_at=NOW.replace(tzinfo=zone)) for n, zone in zip((3, 7), ODD, strict=True)]
    said[3], said[7] = odd
    memory._parts.turn_spool().accept(said)
    report = memory.remember(["Good morning."], user_id="anna", session_id="monday")
    assert (report.committed, report.rejected) == (1, 0)
    assert [turn.turn for turn in memory.conversation("monday", user_id="ben")] == [0, 1, 2, 4, 5, 6, 8]
    refused = refused_turns(tmp_path / TURNS_FILE, memory.group_id)
    assert [turn.episode for turn in refused] == odd and all(turn.why for turn in refused)
    assert memory.search("turn", user_id="ben")


def test_a_clip_that_the_graph_refuses_costs_no_other(memory: Memory) -> None:
    """It came through the door by an earlier version, or by a field that nobody thought of."""

    def line(number: int) -> str:
        event = {"time_start": 1, "time_end": 2, "summary": f"Anna waves {number}."}
        at = {"video_id": f"v{number}", "clip_id": "c", "t_start": 0, "t_end": 10}
        return json.dumps(at | {"analysis": {"clip_summary": "", "events": [event]}})

    read = read_lines(map(line, range(6)), group_id=memory.group_id)
    clips = [clip for clip in read if isinstance(clip, AnalysedClip)]
    odd = [
        replace(clip.video, recorded_at=NOW.replace(tzinfo=zone)) for clip, zone in zip(clips[1:3], ODD, strict=True)
    ]
    clips[1:3] = [replace(clip, video=video) for clip, video in zip(clips[1:3], odd, strict=True)]
    receipts = list(ingest(clips, memory._parts.committer(), clips_per_transaction=6))
    assert [r.outcome for r in receipts] == ["committed", "rejected", "rejected", *["committed"] * 3]
    assert all(receipt.error for receipt in receipts[1:3])
    assert memory.stats().events == 4


SPEAK = """
import sys
from pathlib import Path
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
uri, username, password, group, folder, who = sys.argv[1:]
with talking(Connection(uri, username, password, None, None), group, Path(folder)) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(12):
        turn = {"content": f"{who} says {n}", "id": f"{who}-{n}"}
        report = memory.remember([turn], user_id="anna", session_id="monday")
        print(report.committed, report.unchanged, report.accepted, report.rejected, flush=True)
    again = memory.remember([{"content": f"{who} says 0", "id": f"{who}-0"}], user_id="anna", session_id="monday")
    print("again", again.unchanged, flush=True)
"""


def test_processes_that_share_a_spool_report_their_own_turns(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    """Each process commits the turns of all. The receipt of a new turn says committed, whichever process wrote it."""
    there = neo4j_connection
    with talking(there, group_id, tmp_path):
        command = [sys.executable, "-c", SPEAK, there.uri, there.username, there.password, group_id, str(tmp_path)]
        speakers = [
            subprocess.Popen([*command, f"p{n}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for n in range(4)
        ]
        for speaker in speakers:
            assert speaker.stdout and speaker.stdout.readline() == "ready\n"
        for speaker in speakers:
            assert speaker.stdin
            speaker.stdin.write("go\n")
            speaker.stdin.flush()
        said = [speaker.communicate(timeout=120)[0].splitlines() for speaker in speakers]
    assert [line for lines in said for line in lines[:-1]] == ["1 0 0 0"] * 48
    assert {lines[-1] for lines in said} == {"again 1"}


def test_a_turn_that_the_graph_has_is_unchanged_after_its_entry_is_gone(memory: Memory) -> None:
    turn = {"content": "Good morning.", "turn": 0}
    assert memory.remember([turn], user_id="anna", session_id="monday").committed == 1
    assert memory.remember([turn], user_id="anna", session_id="monday").unchanged == 1


def test_a_pipe_among_the_files_is_refused_and_the_others_are_taken(memory: Memory, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "monday.txt").write_text("Anna: Good morning.\n")
    files = [tmp_path / "pipe", tmp_path / "monday.txt", "/dev/zero"]
    report = memory.import_chat(*files, user_id="anna")
    assert (report.committed, report.rejected) == (1, 2)
    assert "but a pipe" in report.errors[0] and "but a device" in report.errors[1]
    with pytest.raises(InputError, match="not a regular file"):
        memory.import_chat(tmp_path / "pipe", user_id="anna")
