"""What was forgotten by any door comes back by none but that which names its file. Real Neo4j, ffmpeg and sockets."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.receipt import Progress
from amr_neo4j.localdb import Connection
from amr_neo4j.spool import SERVED_FOLDER
from tests.integration.test_forget_memory import everything_containing
from tests.support.amr_command import Amr
from tests.support.chatting import rows, talking
from tests.support.films import pattern

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
pytest.importorskip("mcp", reason="the extra [mcp] is not installed")
from amr_neo4j.integrations.mcp_server import mcp_over_http
from amr_neo4j.server.client import Client
from amr_neo4j.server.keys import Keys
from tests.integration.test_server_client import mcp, offered
from tests.support.http_client import Client as Wire
from tests.support.http_client import key_of, serving

Served = tuple[Wire, Keys, Memory]
# {(video, clip): what is seen}. Of the porch an event is forgotten, of the yard a clip, of the hall everything.
SEEN = {
    ("porch", "c0"): ("Emil hides the ladder.", "Fay opens the gate."),
    ("yard", "c0"): ("Gerd paints the fence.",),
    ("yard", "c1"): ("Hana waters the roses.",),
    ("hall", "c0"): ("Ivo drops the vase.",),
}
GONE, KEPT = ("Emil", "Gerd", "Ivo"), ("Fay", "Hana")


@pytest.fixture(scope="module")
def served(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    films = tmp_path_factory.getbasetemp()
    with (
        talking(neo4j_connection, "box", tmp_path_factory.mktemp("data"), serve_folders=[films]) as memory,
        serving(memory, mcp_over_http) as (wire, keys),
    ):
        yield wire, keys, memory


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A file of captions for each video. The film of all lies elsewhere."""
    film, folder = pattern(tmp_path / "film.mp4", 6), tmp_path / "captions"
    folder.mkdir()
    for (video_id, clip_id), said in SEEN.items():
        with (folder / f"{video_id}.jsonl").open("a") as file:
            file.write(caption(film, video_id, clip_id, said) + "\n")
    return folder


def caption(film: Path, video_id: str, clip_id: str, said: tuple[str, ...]) -> str:
    events = [
        {"time_start": n, "time_end": n + 1, "summary": text, "actors": [text.split()[0]]}
        for n, text in enumerate(said)
    ]
    start = 3 * int(clip_id[1:])
    clip = {"video_id": video_id, "clip_id": clip_id, "t_start": start, "t_end": start + 3, "uri": str(film)}
    return json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})


def watched(memory: Memory, folder: Path) -> set[str]:
    """The outcomes of all clips as `amr watch` takes them in."""
    stop, seen = Event(), list[Progress]()

    def keep(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == len(SEEN):
            stop.set()

    memory.watch(folder, poll_s=0.1, settle_s=0.2, stop=stop, watch=keep)
    return {progress.receipt.outcome for progress in seen}


@pytest.mark.parametrize(
    "door", [*(pytest.param(door, marks=pytest.mark.soak) for door in ("command", "command of a server")), "REST"]
)
def test_what_was_forgotten_comes_back_only_by_naming_its_file(
    served: Served, neo4j_connection: Connection, folder: Path, tmp_path: Path, door: str
) -> None:
    group, data = f"doors-{os.getpid()}-{tmp_path.name}", served[2].settings.data_dir
    key = key_of(served[1], group, "anna", ("read", "write", "forget"))
    address = f"http://127.0.0.1:{served[0].port}"
    memory, wire, there = served[2].group(group), served[0].with_key(key), Client(address, key)
    database = {"NEO4J_URI": neo4j_connection.uri, "NEO4J_USERNAME": neo4j_connection.username}
    database |= {"NEO4J_PASSWORD": neo4j_connection.password}
    here = Amr(database | {"AMR_GROUP": group, "AMR_DATA_DIR": str(data)})
    elsewhere = Amr({"AMR_SERVER": address, "AMR_KEY": key, "AMR_DATA_DIR": str(tmp_path / "elsewhere")})

    assert memory.ingest(folder).committed == len(SEEN)
    of_group = "MATCH (e:Event {group_id: $group_id}) RETURN [split(e.summary_text, ' ')[0], e.node_id]"
    number: dict[str, int] = dict(rows(memory, of_group))
    assert number.keys() == {*GONE, *KEPT}

    def picture(word: str) -> int:
        return wire.call("GET", f"/events/{number[word]}/picture.jpg").status

    def vectors(*words: str) -> list[bytes]:
        owners = [str(number[word]) for word in words]
        statement = "MATCH (e:Embedding {kind: 'event'}) WHERE e.owner IN $owners RETURN e.data"
        return rows(memory, statement, owners=owners)

    assert {picture(word) for word in number} == {200} and all(vectors(*number)) and (data / SERVED_FOLDER).exists()

    if door == "REST":
        assert wire.call("DELETE", f"/events/{number['Emil']}").json["events"] == 1
        assert wire.post("/forget", video_id="yard", clip_id="c0")["clips"] == 1
        assert wire.call("DELETE", "/videos/hall").json["videos"] == 1
    else:
        amr = elsewhere if door == "command of a server" else here
        assert amr.json("forget", "--event", str(number["Emil"]), "--yes")["events"] == 1
        assert amr.json("forget", "--video", "yard", "--clip", "c0", "--yes")["clips"] == 1
        assert amr.json("forget", "--video", "hall", "--yes")["videos"] == 1
    assert not any("forget" in tool for tool in offered(wire)), "no model forgets"

    def is_gone() -> None:
        assert [everything_containing(memory, word) for word in GONE] == [[], [], []]
        assert all(everything_containing(memory, word) for word in KEPT)
        assert {picture(word) for word in GONE} == {404} and {picture(word) for word in KEPT} == {200}
        assert not any(vectors(*GONE)) and all(vectors(*KEPT))
        assert "Hana" in searched("Who waters the roses?")
        assert not any(word in searched(f"Who is {word}?") for word in GONE)

    def searched(query: str) -> str:
        asked = {"name": "search_memory", "arguments": {"query": query, "search_type": "episodes"}}
        return str(mcp(wire, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})["result"])

    assert not (data / SERVED_FOLDER).exists()
    is_gone()
    lines = [line for file in sorted(folder.iterdir()) for line in file.read_text().splitlines()]
    body = "\n".join(lines).encode()
    reports: dict[str, Any] = {
        "a folder": memory.ingest(folder),
        "a glob": memory.ingest(folder / "*.jsonl"),
        "a pipe": memory.ingest_lines(iter(lines)),
        "a list that was found": memory.ingest_lines(lines, found=True),
        "a folder for a server": there.ingest(folder),
        "a pipe for a server": there.ingest_lines(iter(lines)),
    }
    assert {name: (report.committed, report.unchanged) for name, report in reports.items()} == dict.fromkeys(
        reports, (0, len(SEEN))
    )
    assert all(any("forgotten on" in note for note in report.notes) for report in reports.values())
    assert watched(memory, folder) == {"unchanged"}
    assert elsewhere("ingest", "-", stdin="\n".join(lines)).stdout.startswith("0 clips committed, 4 unchanged")
    assert wire.call("POST", "/ingest/lines", body, query={"found": "true"}).json["committed"] == 0
    is_gone()

    # The event comes back with its clip alone.
    assert memory.ingest(folder / "yard.jsonl").committed == 1
    assert wire.call("POST", "/ingest/lines", body).json["committed"] == 1, "a list takes in again what it has"
    assert there.ingest(folder / "porch.jsonl").unchanged == 1 and everything_containing(memory, "Emil") == []
    memory.forget_videos(video_id="porch", clip_id="c0")
    assert there.ingest(folder / "porch.jsonl").committed == 1
    assert all(everything_containing(memory, word) for word in (*GONE, *KEPT))
