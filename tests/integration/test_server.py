"""amr serve on a real Neo4j: what goes in comes out, and no key sees what another one's memory holds."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.support.chatting import talking

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from amr_neo4j.server.app import document
from amr_neo4j.server.client import Client as Program
from amr_neo4j.server.keys import ANY, Keys
from tests.support.http_client import Client, Reply, key_of, serving

ROOT = Path(__file__).parents[2]
API: Mapping[str, Any] = json.loads(document())
# The town of each user of each group: the word that no reply to anybody else may have.
TOWNS = {("one", "anna"): "Zagreb", ("one", "ben"): "Ghent", ("two", "anna"): "Turin", ("two", "cleo"): "Lagos"}
EVERYTHING = ("read", "write", "forget", "admin")


@pytest.fixture(scope="module")
def server(
    neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Client, Keys, Memory]]:
    data = tmp_path_factory.mktemp("data")
    with (
        talking(neo4j_connection, "one", data, serve_folders=str(data / "films")) as memory,
        serving(memory) as (client, keys),
    ):
        yield client, keys, memory


def line(town: str, group: str) -> bytes:
    event = {"time_start": 1, "time_end": 2, "summary": f"Ida puts the mug of {town} on the table."}
    event |= {"actors": ["C1"], "objects": [{"name": "mug"}]}
    who = {"local_character_id": "C1", "name_or_description": f"Ida of {group}", "role": "actor"}
    analysis = {"clip_summary": town, "characters": [who], "events": [event]}
    clip = {"video_id": "hall", "clip_id": "c1", "t_start": 0, "t_end": 10, "analysis": analysis}
    return json.dumps(clip).encode()


@pytest.fixture(scope="module")
def filled(server: tuple[Client, Keys, Memory], group: str) -> dict[tuple[str, str], Client]:
    """A client of each user, whose memory holds a film of the group and a conversation in the user's town."""
    client, keys, memory = server
    clients = {(of, user): client.with_key(key_of(keys, f"{group}-{of}", user, EVERYTHING)) for of, user in TOWNS}
    for (of, user), town in TOWNS.items():
        mine = clients[of, user]
        mine.post("/conversations/monday/turns", messages=[f"I live in {town}.", f"My mug is from {town}."])
        mine.post("/extract")
        mine.post("/conversations/tuesday/observe", text=f"I work in {town}.")
        if user == "anna":
            assert mine.call("POST", "/ingest/lines", line(town, of)).json["committed"] == 1
        assert memory.group(f"{group}-{of}")._parts.live_chats().wait(60)
    return clients


@pytest.fixture(scope="module")
def group() -> str:
    return f"served-{os.getpid()}"


def test_what_goes_in_comes_out(filled: dict[tuple[str, str], Client], group: str) -> None:
    anna = filled["one", "anna"]
    answer = anna.post("/ask", question="Where do I live?")
    assert answer["found"] and "Zagreb" in answer["text"] and answer["citations"][0]["session_id"] == "monday"
    [hit] = anna.post("/search", text="mug", videos=["hall"], limit=1)["items"]
    event = anna.get(f"/events/{hit['event']['node_id']}")
    assert "mug of Zagreb" in event["summary_text"]
    assert "Zagreb" in str(anna.post("/context", question="Where is the mug?"))
    assert "Zagreb" in str(anna.post("/search_memory", query="where I live"))
    facts = anna.get("/facts", limit=1)
    assert facts["total"] > 1 and len(facts["items"]) == 1
    more = anna.get("/facts", limit=1, cursor=facts["next"])
    assert more["items"] != facts["items"]
    [fact] = [each for each in anna.get("/facts")["items"] if each["triple"][1] == "lives_in"]
    why = anna.get(f"/facts/{fact['fact_id']}")
    assert "I live in Zagreb." in str(why)
    assert anna.post(f"/facts/{fact['fact_id']}/pin", pinned=True)
    new = anna.post(f"/facts/{fact['fact_id']}/correct", object="Split")
    assert new["triple"][2].lower() == "split"
    assert anna.post("/consolidate", dry_run=True)["user_id"] == "anna"
    assert [each["session_id"] for each in anna.get("/conversations")["items"]] == ["tuesday", "monday"]
    assert [each["video_id"] for each in anna.get("/videos")["items"]] == ["hall"]
    assert anna.get("/objects/mug/lifecycle")["items"][0]["video_id"] == "hall"
    assert anna.get("/receipts", video_id="hall")["total"] == 1
    assert [each["group_id"] for each in anna.get("/groups")["items"]] == [f"{group}-one"]
    assert anna.get("/stats")["videos"] == 1 and anna.call("GET", "/health/ready").status == 200
    for path, name in (("/conversations", "session_id"), ("/conversations/monday", "turn")):
        [first] = (page := anna.get(path, limit=1))["items"]
        [second] = (last := anna.get(path, limit=1, cursor=page["next"]))["items"]
        assert page["total"] == last["total"] == 2 and last["next"] is None and first[name] != second[name]
    assert anna.get("/consolidations")["items"] == []
    count = anna.call("DELETE", "/conversations/tuesday", query={"dry_run": "true"}).json
    assert count["episodes"] == 1 and anna.get("/conversations")["total"] == 2
    assert re.search(r'(?m)^amr_index_lag\{kind="event"\} \d', anna.call("GET", "/metrics").body.decode())
    assert anna.call("GET", "/events/999999999").status == 404
    assert anna.call("GET", "/conversations/never").status == 404


def test_a_job_takes_in_a_file(server: tuple[Client, Keys, Memory], filled: dict[tuple[str, str], Client]) -> None:
    cleo = filled["two", "cleo"]
    [folder] = server[2].settings.serve_folders
    folder.mkdir()
    (folder / "hall.jsonl").write_bytes(line("Lagos", "two").replace(b'"hall"', b'"porch"'))
    job = cleo.call("POST", "/ingest", {"places": [str(folder)], "place": ""}).json
    deadline = time.monotonic() + 120
    while job["state"] in ("pending", "processing"):
        assert time.monotonic() < deadline
        time.sleep(0.2)
        job = cleo.get(f"/jobs/{job['id']}")
    assert job["state"] == "completed" and job["result"]["committed"] == 1 and job["progress"]["clips"] == 1
    assert cleo.get("/videos/porch")["events"] == 1
    assert refused(cleo.call("POST", f"/jobs/{job['id']}/retry")) == "the job is completed"


def test_a_user_and_a_group_move_to_another_group(
    server: tuple[Client, Keys, Memory], filled: dict[tuple[str, str], Client], group: str, tmp_path: Path
) -> None:
    """By the client: an export is sent to another group. A user's key gets that user's part alone."""
    http, keys, _ = server
    url = f"http://127.0.0.1:{http.port}"
    everything = keys.create(groups=[ANY], users=[ANY], scopes=EVERYTHING, now=datetime.now(UTC))[1]
    anna = Program(url, filled["one", "anna"].key)
    exported = anna.export(tmp_path / "anna.jsonl")
    assert exported.user_id == "anna" and "Zagreb" in (tmp_path / "anna.jsonl").read_text()
    assert "Ghent" not in (tmp_path / "anna.jsonl").read_text()
    assert http.with_key(key_of(keys, f"{group}-one", "", EVERYTHING)).call("GET", "/export").status == 403
    whole = Program(url, everything, group=f"{group}-one")
    assert whole.export(tmp_path / "one.jsonl.gz").counts["Video"] == 1
    moved = Program(url, everything, group=f"{group}-moved")
    assert moved.import_export(tmp_path / "one.jsonl.gz", any_group=True).counts["Video"] == 1
    copy = Path(shutil.copy(tmp_path / "one.jsonl.gz", tmp_path / "home.backup"))
    assert moved.import_export(copy, any_group=True).unchanged, "whatever the file is called"
    with copy.open("rb") as stream:
        assert moved.import_export(stream, any_group=True).unchanged, "amr import - reads standard input"
    assert "Zagreb" in moved.for_user("anna").ask("Where do I work?").text


def refused(reply: Reply) -> str:
    assert reply.status == 422
    return reply.json["detail"]


# --- no leak

VALUES: Mapping[str, Any] = {
    "question": "Where do I live, and what is known of the mug?",
    "text": "Where do I live?",
    "query": "where do I live",
    "tokens": 2000,
    "limit": 100,
    "session_id": "monday",
    "messages": [{"role": "user", "content": "Where do I live?"}],
    "video_id": "hall",
    "video": "hall",
    "clip_id": "c1",
    "name": "mug",
    "by": "object",
    "one": "Ida of two",
    "other": "Ida of one",
    "voice": "voice 1",
    "object": "Nowhere",
    "pinned": True,
    "history": True,
    "places": ["/etc/hostname"],
    "videos": ["hall"],
    "sessions": ["monday", "tuesday"],
    "vector": True,
    "speaker": "anna",
    "person": "Ida of two",
    "upload_id": "0" * 32,
    "upload-offset": 0,
    "idempotency-key": "once",
    "source": "hall",
    "file": "/etc/hostname",
    "url": "rtsp://127.0.0.1/stream",
    "size": 5,
    "found": True,
    "old": "/nowhere",
    "new": "/etc/hostname",
    "document": {"episodes": []},
}
"""What the calls of the leak test are given. A new argument that is required needs a value here."""


def calls_of(others: Mapping[str, Any]) -> Iterator[tuple[str, str, Any, dict[str, Any], dict[str, str]]]:
    """(verb, path, body, query, headers) of each call in the OpenAPI document, with ids of another user's memory."""
    values = {**VALUES, **others}
    for path, verbs in API["paths"].items():
        for verb, call in verbs.items():
            if path.startswith(("/health", "/metrics")):
                continue
            query, headers, called = dict[str, Any](), dict[str, str](), path.removeprefix("/api/v1")
            for each in call.get("parameters", ()):
                name = each["name"]
                assert name in values or not each.get("required"), f"{name} of {path} needs a value in VALUES"
                if each["in"] == "path":
                    called = called.replace(f"{{{name}}}", str(values[name]))
                elif each["in"] == "header":
                    headers[name] = str(values[name])
                elif name in values:
                    query[name] = values[name]
            body = _body(call, values)
            yield verb.upper(), called, body, query, headers


def _body(call: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    content = call.get("requestBody", {}).get("content", {})
    if "application/x-ndjson" in content:
        return line("Nowhere", "one")
    if not content:
        return None
    name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
    schema = API["components"]["schemas"][name]
    missing = set(schema.get("required", ())) - values.keys()
    assert not missing, f"{missing} of {name} need values in VALUES"
    return {each: values[each] for each in schema["properties"] if each in values}


def test_no_call_shows_or_changes_what_another_key_holds(
    server: tuple[Client, Keys, Memory], filled: dict[tuple[str, str], Client], group: str
) -> None:
    """Every call of the OpenAPI document, by a key of (one, ben), with the ids of three others' memory.

    (two, anna) has the same group-less name, session, video and clip; (one, anna) shares the group.
    """
    _, keys, memory = server
    two = memory.group(f"{group}-two")
    node_id = two.search("mug", limit=1)[0].event.node_id
    anna = memory.group(f"{group}-two").for_user("anna")
    fact_id = anna.facts()[0].fact_id
    alert = two.keep_alert("somebody takes the mug")
    others = {"node_id": node_id, "fact_id": fact_id, "run_id": "none", "job_id": "none", "alert_id": alert.alert_id}
    others |= {"citation": {"node_id": node_id, "video_id": "hall", "time_start": 1, "time_end": 2}}
    before = two.digest(), anna.facts().items, two.stats(), two.alerts()
    ben = filled["one", "ben"]
    secret = [town for (of, user), town in TOWNS.items() if of == "two"]
    # The film of the group is no secret to its users, but what another one says is.
    of_anna = re.compile(r"(live|work)s?[ _](in|at).{0,9}zagreb", re.IGNORECASE | re.DOTALL)
    known: list[str] = []
    for verb, path, body, query, headers in calls_of(others):
        if path.endswith("/group") or path.endswith("/forget_expired") or path == "/user":
            continue  # below, because they empty the memory of ben
        for whose in ({}, {"group": f"{group}-two"}, {"user": "anna"}, {"group": f"{group}-two", "user": "anna"}):
            reply = ben.call(verb, path, body, query=query | whose, headers=headers)
            packed = reply.body.startswith(b"\x1f\x8b")
            text = (gzip.decompress(reply.body) if packed else reply.body).decode()
            assert reply.status == 403 if whose else reply.status in (200, 403, 404, 422), (verb, path, text)
            assert not any(town in text for town in secret), (verb, path, text)
            if reply.status == 200 and not whose:
                known.append(path)
                assert not of_anna.search(text), (verb, path, text)
    assert len(known) > 15, known
    for path in ("/user", "/group"):
        assert ben.call("DELETE", path, query={"group": f"{group}-two"}).status == 403
        assert ben.call("DELETE", path).status == 200
    assert (two.digest(), anna.facts().items, two.stats(), two.alerts()) == before
    tried = [each for each in keys.audit(500) if each.key_id == ben.key.split("_")[1] and each.user_id == "anna"]
    assert tried and {each.status for each in tried} == {403}


def test_many_clients_at_once(server: tuple[Client, Keys, Memory], group: str) -> None:
    client, keys, _ = server

    def talk(number: int) -> str:
        mine = client.with_key(key_of(keys, f"{group}-crowd", f"user{number}"))
        mine.post("/conversations/monday/observe", text=f"I live in {'abcdefghijkl'[number]}ville.")
        mine.post("/conversations/monday/observe", text="Where do I live?")
        return str(
            mine.post("/conversations/monday/inject", messages=[{"role": "user", "content": "Where do I live?"}])
        )

    with ThreadPoolExecutor(12) as threads:
        prompts = list(threads.map(talk, range(12)))
    assert all(f"{'abcdefghijkl'[number]}ville" in prompt.lower() for number, prompt in enumerate(prompts))


# --- as a process

README = (ROOT / "README.md").read_text("utf-8")
CURL = re.search(r"## For programs.*?```bash\n(.*?)```", README, re.DOTALL)


def test_the_lines_of_the_readme(neo4j_connection: Connection, tmp_path: Path, group: str) -> None:
    """The README's lines with curl, word for word, against `amr serve` as a process, which SIGTERM ends in order."""
    if not {status.name: status for status in installed(load())}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    assert CURL and CURL[1].count("\n") <= 10
    done = subprocess.run(
        ["bash", "-euc", CURL[1] + "\nkill %1\nwait %1"],
        env=_environment(neo4j_connection, tmp_path, f"{group}-readme"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "You live in Porto" in done.stdout and '"found": true' in done.stdout
    log = (tmp_path / "serve.log").read_text()
    assert "memory is served at http://127.0.0.1:8378" in log and "Traceback" not in log


def test_a_log_as_json_has_no_other_line(neo4j_connection: Connection, tmp_path: Path, group: str) -> None:
    """Nor are the lines for people, about the address and the key, any other."""
    command = [sys.executable, "-m", "amr_neo4j", "serve", "--port", "0", "--log-format", "json"]
    environment = _environment(neo4j_connection, tmp_path, f"{group}-logged")
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as served:
        try:
            assert served.stderr
            said = list[str]()
            while not any("startup complete" in line for line in said):
                said.append(json.loads(next(served.stderr))["message"])
            served.terminate()
            said += [json.loads(line)["message"] for line in served.stderr]
        finally:
            served.kill()
    assert any("memory is served at http://127.0.0.1:" in line for line in said)
    assert any(str(tmp_path / "server.key") in line for line in said)


def _environment(neo4j_connection: Connection, data_dir: Path, group: str) -> dict[str, str]:
    return os.environ | {
        "NEO4J_URI": neo4j_connection.uri,
        "NEO4J_USERNAME": neo4j_connection.username,
        "NEO4J_PASSWORD": neo4j_connection.password,
        "AMR_DATA_DIR": str(data_dir),
        "AMR_GROUP": group,
        "HOTMEM_LANGS": "en",
        "PYTHONPATH": str(ROOT),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
