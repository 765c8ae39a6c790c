"""A question that is kept is tried against each committed clip, and delivered until it is acknowledged."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.localdb import Connection
from tests.support.amr_command import amr_at

PARCEL = "somebody takes the parcel"


@pytest.fixture
def opened(neo4j_connection: Connection, tmp_path: Path) -> Iterator[Any]:
    """Opens the same memory, as often as it is called; a second time is a restart."""
    server = amr_at(neo4j_connection, tmp_path / "data").server
    memories: list[Memory] = []

    def open_one() -> Memory:
        for memory in memories:
            memory.close()
        memories.append(
            Memory.open(
                neo4j_uri=server["NEO4J_URI"],
                neo4j_username=server["NEO4J_USERNAME"],
                neo4j_password=server["NEO4J_PASSWORD"],
                group=server["AMR_GROUP"],
                data_dir=tmp_path / "data",
            )
        )
        return memories[-1]

    yield open_one
    memories[-1].close()


def line(number: int, summary: str, *actions: tuple[str, str, str]) -> str:
    """A clip of ten seconds as a JSON line. actions: actor, verb, object."""
    done = [{"actor": actor, "verb": verb, "object": thing} for actor, verb, thing in actions]
    event = {"time_start": 1, "time_end": 4, "summary": summary, "actions": done}
    return json.dumps(
        {
            "video_id": "porch",
            "clip_id": f"c{number}",
            "t_start": number * 10,
            "t_end": number * 10 + 10,
            "recorded_at": "2026-03-01T09:00:00+01:00",
            "analysis": {"clip_summary": summary, "events": [event]},
        }
    )


TAKEN = line(2, "A man in a yellow jacket picks up the parcel from the step.", ("man", "pick up", "parcel"))
OTHERS = [
    line(0, "A man puts a parcel on the step.", ("man", "put", "parcel")),
    line(1, "Anna tells Ben about the parcel."),
    line(3, "A cat takes the fish.", ("cat", "take", "fish")),
]


def noting(folder: Path, codes: str) -> str:
    """A command that appends its standard input to a file, and ends with these codes, one a run."""
    script = folder / "note.py"
    script.write_text(
        "import pathlib, sys\n"
        f"seen = pathlib.Path({str(folder / 'seen.jsonl')!r})\n"
        "with seen.open('a') as file: file.write(sys.stdin.read() + '\\n')\n"
        f"sys.exit(int({codes!r}.split()[len(seen.read_text().splitlines()) - 1]))\n"
    )
    return f"'{sys.executable}' '{script}' ; rm -rf /"  # the rest are arguments, for no shell reads it


def seen(folder: Path) -> list[Any]:
    file = folder / "seen.jsonl"
    return [json.loads(each) for each in file.read_text().splitlines()] if file.exists() else []


def later(memory: Memory, patch: pytest.MonkeyPatch, seconds: float) -> None:
    """Set the memory's clock ahead by so many seconds."""
    alerts = memory._parts.alerts
    ahead = replace(alerts, now=lambda: alerts.now() + timedelta(seconds=seconds))
    patch.setitem(memory._parts.__dict__, "alerts", ahead)


def test_what_matches_is_delivered_once_with_its_evidence(
    opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    memory.ingest_lines([line(9, "Anna takes the parcel.", ("Anna", "take", "parcel"))])
    alert = memory.keep_alert(PARCEL, exec=noting(tmp_path, "3 0 0"))
    assert memory.deliver_alert(alert) == (0, 0), "what was there before is no news"
    memory.ingest_lines([*OTHERS, TAKEN])
    assert memory.deliver_alert(alert) == (1, 0), "the command ended with 3"
    [stands] = memory.alerts()
    assert (stands.matched, stands.delivered, stands.waiting) == (1, 0, 1)
    assert "ended with 3" in stands.error

    memory = opened()
    alert = memory.keep_alert(PARCEL, exec=alert.target)
    later(memory, monkeypatch, 10)
    assert memory.deliver_alert(alert) == (0, 1), "again after a restart, for it was not acknowledged"
    later(memory, monkeypatch, 1000)
    assert memory.deliver_alert(alert) == (0, 0)
    seen_by_hook = seen(tmp_path)
    assert len(seen_by_hook) == 2 and seen_by_hook[0] == seen_by_hook[1]
    assert (seen_by_hook[0]["video"], seen_by_hook[0]["clip"], seen_by_hook[0]["start"]) == ("porch", "c2", 20.0)
    [event] = seen_by_hook[0]["events"]
    assert "yellow jacket" in event["summary"] and event["at"] == "2026-03-01T09:00:21+01:00"

    memory.forget_videos(video_id="porch")
    assert memory.alerts()[0].matched == 0, "the evidence is forgotten with the footage"


def test_a_webhook_acknowledges_by_2xx(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[Any] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response([302, 500, 204][len(bodies) - 1])
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    memory = opened()
    alert = memory.keep_alert(PARCEL, webhook=f"http://127.0.0.1:{server.server_port}/hook")
    memory.ingest_lines([TAKEN])
    outcomes = [memory.deliver_alert(alert)]
    for ahead in (10, 100, 1000):
        later(memory, monkeypatch, ahead)
        outcomes.append(memory.deliver_alert(alert))
    server.shutdown()
    assert outcomes == [(1, 0), (0, 0), (0, 1), (0, 0)]
    assert [body["clip"] for body in bodies] == ["c2"] * 3


def test_what_cannot_work_is_refused_and_only_one_process_delivers(opened: Any, tmp_path: Path) -> None:
    memory = opened()
    for wrong in (
        {"exec": "no-such-program-here"},
        {"webhook": "ftp://host/x"},
        {"exec": "'"},
        {"exec": "true", "webhook": "http://a/"},
    ):
        with pytest.raises(InputError):
            memory.keep_alert(PARCEL, **wrong)
    with pytest.raises(InputError):
        memory.keep_alert("?!", exec="true")
    alert = memory.keep_alert(PARCEL, exec="true")
    with memory.alone([alert]), pytest.raises(InputError, match="another process"), memory.alone([alert]):
        pass
    memory.remove_alert(alert.alert_id)
    assert not memory.alerts()


def test_matches_without_a_target_wait_until_they_are_acknowledged(opened: Any, tmp_path: Path) -> None:
    memory = opened()
    alert = memory.keep_alert(PARCEL)
    again = line(5, "Ben picks up the parcel.", ("Ben", "pick up", "parcel"))
    memory.ingest_lines([*OTHERS, TAKEN, again])
    assert memory.deliver_alert(alert) == (2, 0)
    memory = opened()
    first = memory.alert_matches(alert.alert_id, limit=1)
    assert ([each.clip_id for each in first], first.total) == (["c2"], 2)
    assert "yellow jacket" in first[0].evidence["events"][0]["summary"]
    assert memory.alert_matches(alert.alert_id, limit=1, cursor=first.next or "")[0].clip_id == "c5"
    for _ in range(2):
        memory.acknowledge_alert(alert.alert_id, "porch", "c2")
    assert [each.clip_id for each in memory.alert_matches(alert.alert_id)] == ["c5"]
    for wrong in ((alert.alert_id, "porch", "c0"), ("none", "porch", "c5")):
        with pytest.raises(NotInMemory):
            memory.acknowledge_alert(*wrong)
    memory.forget_videos(video_id="porch")
    assert not memory.alert_matches(alert.alert_id)


def test_alerts_from_the_command_line(neo4j_connection: Connection, tmp_path: Path) -> None:
    amr = amr_at(neo4j_connection, tmp_path / "data")
    [alert] = amr.json("alerts", "--keep", PARCEL)
    file = tmp_path / "clips.jsonl"
    file.write_text(f"{TAKEN}\n")
    amr.json("ingest", str(file))
    [match] = amr.json("alerts", "--matches", alert["alert_id"])["items"]
    assert match["clip_id"] == "c2"
    assert "yellow jacket" in amr.here("alerts", "--matches", alert["alert_id"], "--done").stdout
    assert amr.json("alerts", "--matches", alert["alert_id"])["items"] == []
    assert "no alert none" in amr.refused("alerts", "--matches", "none", code=66)
    assert "--done requires" in amr.here("alerts", "--done", code=2).stderr
    assert "--limit requires" in amr.here("alerts", "--limit", "5", code=2).stderr
    assert "one of" in amr.here("alerts", "--keep", PARCEL, "--remove", alert["alert_id"], code=2).stderr
