"""Every door as a process under strace, with an empty home folder: it reaches Neo4j on loopback and nothing else.

So does the local Neo4j itself, which one of the doors starts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection, maven
from amr_neo4j.settings import load
from tests.support.films import pattern
from tests.support.rtsp_server import rtsp_camera
from tests.support.traced import ROOT, traced

pytest.importorskip("mcp")
pytest.importorskip("fastapi")
# What is run by a shell, with: a film, a folder, the Python that has amr, a film with speech, a camera's address.
_DOORS = {
    "command line, MCP, sidecar": """
amr ingest "$1" > "$2/ingested"
amr chat say --user anna --session monday "I live in Porto." > "$2/said"
amr search --user anna Porto > "$2/found"
touch "$2/answers"
{ cat "$2/calls"; until grep -q '"id":2' "$2/answers"; do sleep 0.2; done; } |
  amr mcp --user anna > "$2/answers"
grep Porto "$2/found"
"$3" -m amr_neo4j sidecar serve --port 0 2> "$2/sidecar" &
trap "kill $!" EXIT
until grep listens "$2/sidecar"; do sleep 0.2; done
""",
    "server": """
"$3" -m amr_neo4j serve --port 0 2> "$2/server" &
trap "kill $!" EXIT
until grep served "$2/server"; do sleep 0.2; done
export AMR_SERVER=$(sed -n 's/memory is served at //p' "$2/server")
export AMR_KEY=$(cat "$AMR_DATA_DIR/server.key")
"$3" "$2/post.py" "$AMR_SERVER/mcp" "$2/calls" | grep '"id":2'
amr ingest "$4" --video-id talk
amr search tent | grep tent
amr forget --video talk --yes
""",
    "conversations, exploration, copies": """
export AMR_USER=anna
amr ingest "$1" --video-id film
{ echo "I live in Porto."; echo "Where do I live?"; } | amr chat live --session live --json | grep Porto
amr chat extract
amr consolidate
amr ask "Where do I live?" | grep Porto
amr explore film -q "What moves?" --workdir "$2/explored" --max-looks 1
amr export "$2/copy.jsonl"
amr forget --video film --yes
amr chat forget --yes
amr import "$2/copy.jsonl" --into "$AMR_GROUP"
amr doctor --deep
""",
    "camera on the network, folder that is watched": """
amr ingest "$5"
mkdir "$2/recordings"
cp "$1" "$2/recordings/film.mp4"
"$3" -m amr_neo4j watch "$2/recordings" --poll 1 --settle 1 &
trap "kill $!" EXIT
until amr videos | grep film; do sleep 1; done
""",
    "local database": """
unset NEO4J_URI NEO4J_USERNAME NEO4J_PASSWORD
export AMR_LOCAL_ENGINE=maven
trap 'amr db stop; AMR_DATA_DIR=$here amr db stop' EXIT
here=$AMR_DATA_DIR
amr db start
amr chat say --user anna --session monday "I live in Porto."
amr db backup "$2/memory.amr"
amr db stop
export AMR_DATA_DIR="$2/there"
amr db restore "$2/memory.amr"
amr ask --user anna "Where do I live?" | grep Porto
""",
}
_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
_CALLS = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _CLIENT},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "remember", "arguments": {"text": "Hi."}}},
]


# Posts each line of a file to an address, as an MCP client does, and prints the answers.
_POST = """
import os, sys, urllib.request
headers = {"Authorization": f"Bearer {os.environ['AMR_KEY']}", "Content-Type": "application/json"}
headers |= {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
for line in open(sys.argv[2], "rb"):
    with urllib.request.urlopen(urllib.request.Request(sys.argv[1], line, headers)) as answer:
        print(answer.read().decode())
"""


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("doors", _DOORS)
def test_no_door_reports_anything(doors: str, neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    """A server takes in an upload, and writes down what is said in it."""
    settings = load()
    if not {status.name: status for status in installed(settings)}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    if "amr db" in _DOORS[doors] and not maven.jars(settings.cache_dir).exists():
        pytest.skip("Neo4j is not installed: amr db start")
    data, work = tmp_path / "data", tmp_path / "work"
    data.mkdir()
    work.mkdir()
    film = pattern(work / "film.mp4", 4)
    (work / "calls").write_text("".join(f"{json.dumps(call)}\n" for call in _CALLS))
    (work / "post.py").write_text(_POST)
    with rtsp_camera(film, work, 3) as camera:
        found = traced(
            [
                *("sh", "-c", f'set -e\namr() {{ {sys.executable} -m amr_neo4j "$@"; }}\n{_DOORS[doors]}', "doors"),
                *(film, work, sys.executable, ROOT / "examples" / "talk" / "talk.webm", camera),
            ],
            tmp_path,
            [data, work, settings.cache_dir],
            NEO4J_URI=neo4j_connection.uri,
            NEO4J_USERNAME=neo4j_connection.username,
            NEO4J_PASSWORD=neo4j_connection.password,
            AMR_GROUP=group_id,
            AMR_DATA_DIR=str(data),
            AMR_CACHE_DIR=str(settings.cache_dir),
            AMR_LIVE_RECONNECT_SEC="0",
        )
    assert found.reached == [] and not found.passing
