"""A memory on a server, used by a program, a command line and a player elsewhere. Real Neo4j, ffmpeg and sockets."""

from __future__ import annotations

import base64
import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import ConfigError, InputError, Memory, NoSuchFile, NotInMemory, StoreUnavailable
from amr_neo4j.app.live_recordings import folder_of
from amr_neo4j.cli.uninstall import IN_DATA_DIR
from amr_neo4j.domain.live import Recording, SpooledClip
from amr_neo4j.explorer import saved_tree
from amr_neo4j.localdb import Connection
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.spool import LIVE_FOLDER, SERVED_FOLDER
from tests.support.chatting import talking
from tests.support.films import make, source

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
pytest.importorskip("mcp", reason="the extra [mcp] is not installed")
from amr_neo4j.integrations.mcp_server import mcp_over_http
from amr_neo4j.server.calls import ALL_CALLS
from amr_neo4j.server.client import Client
from amr_neo4j.server.keys import Keys
from amr_neo4j.server.routes import reply_type
from tests.support.amr_command import Amr
from tests.support.http_client import Client as Wire
from tests.support.http_client import key_of, serving

ALL = ("read", "write", "forget", "admin")
Served = tuple[Wire, Keys, Memory]


@pytest.fixture(scope="module")
def served(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        talking(neo4j_connection, "box", tmp_path_factory.mktemp("data")) as memory,
        serving(memory, mcp_over_http) as (wire, keys),
    ):
        yield wire, keys, memory


@pytest.fixture(scope="module")
def group() -> str:
    return f"client-{os.getpid()}"


@pytest.fixture(scope="module")
def key(served: Served, group: str) -> str:
    return key_of(served[1], group, "anna", ALL)


@pytest.fixture(scope="module")
def there(served: Served, key: str) -> Client:
    return Client(f"http://127.0.0.1:{served[0].port}", key)


@pytest.fixture(scope="module")
def wire(served: Served, key: str) -> Wire:
    return served[0].with_key(key)


@pytest.fixture(scope="module")
def node_id(served: Served, wire: Wire, there: Client, tmp_path_factory: pytest.TempPathFactory) -> int:
    """An event of a film that was uploaded: 3 s of blue."""
    film = make(tmp_path_factory.mktemp("film") / "film.mp4", *source("color=blue:s=320x240:r=25:d=3"))
    sent = wire.post("/uploads", name=film.name, size=film.stat().st_size)
    data, path = film.read_bytes(), f"/uploads/{sent['id']}"
    half = len(data) // 2
    assert patch(wire, path, data[:half], 0).json["offset"] == half
    assert wire.call("POST", "/ingest", {"places": [f"upload:{sent['id']}"]}).status == 409
    assert wire.call("HEAD", path).headers["Upload-Offset"] == str(half)
    assert patch(wire, path, data, 0).status == 409 and patch(wire, path, data, half).status == 413
    offset = int(wire.call("HEAD", path).headers["Upload-Offset"])
    assert patch(wire, path, data[offset:], offset).json["offset"] == len(data)
    [stored] = served[2].settings.data_dir.rglob(film.name)
    return _told(there, str(stored))


def _told(there: Client, uri: str, video_id: str = "film") -> int:
    event = {"time_start": 1, "time_end": 2, "summary": "Ida puts the mug on the table.", "actors": ["C1"]}
    event |= {"objects": [{"name": "mug"}]}
    who = {"local_character_id": "C1", "name_or_description": "Ida", "role": "actor"}
    analysis = {"clip_summary": "", "characters": [who], "events": [event]}
    clip = {"video_id": video_id, "clip_id": "c1", "t_start": 0, "t_end": 3, "uri": uri, "analysis": analysis}
    assert there.ingest_lines([json.dumps(clip)]).committed == 1
    return there.search("mug", limit=1)[0].event.node_id


def patch(wire: Wire, path: str, data: bytes, offset: int) -> Any:
    headers = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
    return wire.call("PATCH", path, data, headers=headers)


def test_a_picture_replaces_a_file_whole_and_nothing_else(there: Client, node_id: int, tmp_path: Path) -> None:
    file = tmp_path / "picture.jpg"
    file.write_bytes(b"an earlier one")
    there.save_picture(node_id, file)
    assert file.read_bytes()[:2] == b"\xff\xd8"
    with pytest.raises(InputError, match="is a folder"):
        there.save_picture(node_id, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["picture.jpg"]


def test_pictures_go_when_another_program_forgets(
    served: Served, wire: Wire, there: Client, node_id: int, group: str
) -> None:
    _told(there, there.filmed(node_id).path, "gone")
    assert wire.call("GET", f"/events/{node_id}/picture.jpg").status == 200
    kept = served[2].settings.data_dir / SERVED_FOLDER
    assert list(kept.iterdir())
    served[2].group(group).forget_videos(video_id="gone")
    assert not kept.exists()
    assert wire.call("GET", f"/events/{node_id}/picture.jpg").status == 200


def test_uninstall_knows_all_that_a_server_writes(served: Served, node_id: int) -> None:
    folder = served[2].settings.data_dir
    known = {path for name in IN_DATA_DIR for path in folder.glob(name)}
    assert set(folder.iterdir()) <= known


def test_a_client_returns_what_memory_returns(served: Served, there: Client, group: str, node_id: int) -> None:
    here = served[2].group(group).for_user("anna")
    there.remember(["I live in Zagreb.", "My mug is from Zagreb."], session_id="monday")
    there.extract()
    chat = there.chat(session_id="tuesday")
    assert chat.observe("I work at BMW.").episode_id
    assert here._parts.live_chats().wait(60)
    assert "BMW" in str(chat.inject([{"role": "user", "content": "Where do I work?"}]))
    told: list[str] = []
    question = "Where do I live?"
    assert there.ask(question, notify=told.append) == there.ask(question) == here.ask(question)
    assert told and "Zagreb" in " ".join(told)
    for cited in (*there.ask(question).citations, *there.ask("Where is the mug?").citations):
        assert there.cited(cited) == here.cited(cited)
    # The score of a fact changes from call to call: with its age, and with how often it was asked for.
    found = [[replace(each, score=0.0) for each in memory.search_memory("mug")] for memory in (there, here)]
    assert found[0] == found[1] != []
    for name, given in CALLS:
        args = [node_id if each is int else each for each in given]
        assert getattr(there, name)(*args) == getattr(here, name)(*args), name
    fact = next(each for each in there.facts() if each.triple[1] == "lives_in")
    assert there.correct_fact(fact.fact_id, "Split").triple[2].lower() == "split"
    assert there.forget(session_id="monday", dry_run=True).episodes == 2
    of_films = there.facts(of_group=True, history=True)
    assert of_films == here.facts(of_group=True, history=True)
    believed = there.facts().total
    assert there.forget_facts(subject="you", dry_run=True) == here.forget_facts(subject="you", dry_run=True) > 0
    assert there.facts().total == believed
    assert there.receipts("film", wait_s=5.0) == here.receipts("film")
    alert = there.keep_alert("somebody puts the mug on the table")
    assert alert == here.keep_alert(alert.question) and here.alerts() == there.alerts()
    assert there.alert_matches(alert.alert_id) == here.alert_matches(alert.alert_id) == []
    with pytest.raises(InputError, match="webhook"):
        there.keep_alert("somebody sings", webhook="http://127.0.0.1/")
    there.remove_alert(alert.alert_id)
    first = there.facts(limit=1)
    assert first.total > 1 and there.facts(limit=1, cursor=first.next or "").items != first.items


CALLS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("search", ("mug",)),
    ("context", ("Where is the mug?",)),
    ("sessions", ()),
    ("conversation", ("monday",)),
    ("facts", ()),
    ("videos", ()),
    ("video", ("film",)),
    ("transcript", ("film",)),
    ("event", (int,)),
    ("filmed", (int,)),
    ("around", (int,)),
    ("clips", ("c1",)),
    ("known_persons", ()),
    ("persons", ("Ida",)),
    ("known_objects", ()),
    ("objects", ("mug",)),
    ("lifecycle", ("mug",)),
    ("counts", ("object",)),
    ("receipts", ()),
    ("stats", ()),
    ("analyses", ()),
    ("analytics", ("hand_overs",)),
    ("mentions", ()),
    ("relations", ()),
    ("fact_measures", ()),
    ("unread_turns", ()),
    ("export_episodes", ()),
)


LISTS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("search", ("mug",)),
    ("sessions", ()),
    ("conversation", ("monday",)),
    ("facts", ()),
    ("videos", ()),
    ("transcript", ("film",)),
    ("clips", ("c1",)),
    ("known_persons", ()),
    ("persons", ("Ida",)),
    ("known_objects", ()),
    ("objects", ("mug",)),
    ("lifecycle", ("mug",)),
    ("counts", ("object",)),
    ("receipts", ()),
    ("analytics", ("hand_overs",)),
    ("mentions", ()),
    ("relations", ()),
    ("groups", ()),
    ("consolidations", ()),
)
"""Every list that a server has, but these."""
NOT_COMPARED = {
    "search_memory": "its confidences go by the clock",
    "alert_matches": "there is no alert; tests/integration/test_alerts.py has its pages",
    "jobs": "they change while they are listed",
}


def test_each_list_of_the_server_is_compared_or_named() -> None:
    lists = {route.method.__name__ for route in ALL_CALLS if "PageOf[" in str(reply_type(route))}
    assert lists == {name for name, _ in LISTS} | NOT_COMPARED.keys()


@pytest.mark.parametrize(("name", "given"), LISTS)
def test_the_pages_of_a_list_make_the_whole(
    served: Served, there: Client, group: str, name: str, given: tuple[Any, ...]
) -> None:
    asked = getattr(there, name)
    whole = asked(*given, limit=100)
    pages = [asked(*given, limit=1)]
    while pages[-1].next:
        pages.append(asked(*given, limit=1, cursor=pages[-1].next))
    assert sorted(str(each) for page in pages for each in page) == sorted(map(str, whole))
    assert {page.total for page in pages} == {whole.total} and asked(*given, limit=0).total == whole.total
    with pytest.raises(InputError, match="no cursor"):
        asked(*given, cursor="nonsense")
    if pages[0].next and name != "groups":  # a list of all groups
        other = Client(there.uri, key_of(served[1], f"{group}-other", "anna", ALL))
        with pytest.raises((InputError, NotInMemory)):  # what the other group has before that place would be left out
            getattr(other, name)(*given, cursor=pages[0].next)


def test_a_film_is_explored_by_a_job(there: Client, node_id: int, tmp_path: Path) -> None:
    tree = tmp_path / "new" / "tree.json"
    seen = there.explore("film", "When is it blue?", planner="local", max_looks=1, save_tree=tree)
    assert seen.looks == 1 and seen.tree["nodes"] and saved_tree.read(tree) == seen.tree
    assert tree.read_text().endswith("\n") and tree.parent.stat().st_mode & 0o777 == 0o700
    with pytest.raises(InputError, match="takes no model"):
        there.explore("film", "When is it blue?", model="small")
    with pytest.raises(InputError, match="may not be read"):
        there.explore("/nowhere/film.mp4", "When?")
    with pytest.raises(NotInMemory, match="video flim is not in"):
        there.explore("flim", "When?")


def test_a_conversation_may_have_any_name(there: Client) -> None:
    for name in ("a/b", "what?#1", "%2F"):
        there.remember([{"content": "I like figs.", "actor": "user"}], session_id=name)
        assert [turn.content for turn in there.conversation(name)] == ["I like figs."]


def test_errors_of_a_server_are_those_of_memory(served: Served, there: Client, tmp_path: Path) -> None:
    lost = there.settings.data_dir / "lost.mp4"
    _told(there, str(lost), "lost")
    with pytest.raises(NoSuchFile) as error:  # also where a job is started
        there.explore("lost", "When is it blue?")
    assert error.value.exit_code == NoSuchFile.exit_code
    with pytest.raises(NotInMemory, match="999999999"):
        there.event(999_999_999)
    with pytest.raises(InputError, match="does not offer migrate"):
        there.migrate()


def test_pictures_clips_and_ranges_of_the_film(wire: Wire, there: Client, node_id: int, tmp_path: Path) -> None:
    there.save_clip(node_id, tmp_path / "clip.mp4", width=160)
    assert (probe(tmp_path / "clip.mp4").width, probe(tmp_path / "clip.mp4").height) == (160, 120)
    picture = wire.call("GET", f"/events/{node_id}/picture.jpg", query={"boxes": "false"})
    assert picture.body.startswith(b"\xff\xd8") and picture.headers["Cache-Control"].startswith("private")
    film = wire.call("GET", "/videos/film/film")
    part = wire.call("GET", "/videos/film/film", headers={"Range": "bytes=10-19"})
    assert part.status == 206 and part.body == film.body[10:20]
    assert part.headers["Content-Range"] == f"bytes 10-19/{len(film.body)}"
    ask = {"Range": "bytes=10-19", "If-Range": film.headers["ETag"]}
    assert wire.call("GET", "/videos/film/film", headers=ask).status == 206
    whole = wire.call("GET", "/videos/film/film", headers={**ask, "If-Range": '"other"'})
    assert whole.status == 200 and whole.body == film.body
    for no_part in (f"bytes={len(film.body)}-", f"bytes={len(film.body) + 1}-", "bytes=-0", f"bytes={'9' * 5000}-"):
        for known in ({}, {"If-Range": film.headers["ETag"]}, {"If-Range": film.headers["Last-Modified"]}):
            behind = wire.call("GET", "/videos/film/film", headers={"Range": no_part, **known})
            assert behind.status == behind.json["status"] == 416
            assert behind.headers["Content-Range"] == f"bytes */{len(film.body)}"
    there_in_part = wire.call("GET", "/videos/film/film", headers={"Range": f"bytes=0-1, {len(film.body)}-"})
    assert (there_in_part.status, there_in_part.body) == (206, film.body[:2])
    for no_range in ("bytes=5-2", "bytes=abc", "items=0-1", "bytes="):
        for known in ({}, {"If-Range": film.headers["Last-Modified"]}):
            whole = wire.call("GET", "/videos/film/film", headers={"Range": no_range, **known})
            assert (whole.status, whole.body) == (200, film.body), no_range
    assert wire.call("GET", "/videos/film/film", headers={"Range": "bytes=-5"}).body == film.body[-5:]
    assert wire.call("GET", "/events/999999999/picture.jpg").status == 404


@pytest.mark.parametrize("second", ["-2", "4.5", "1e400", "nan", "1e300"])
def test_a_picture_of_a_second_that_the_film_lacks_is_refused(wire: Wire, node_id: int, second: str) -> None:
    """The last picture would be taken for that second."""
    refused = wire.call("GET", f"/events/{node_id}/picture.jpg", query={"second": second})
    assert refused.status == 422 and "second" in refused.json["detail"], refused.body
    for there in ("0", "2.9", "3", "3.5"):
        assert wire.call("GET", f"/events/{node_id}/picture.jpg", query={"second": there}).status == 200


def test_what_a_client_has_is_not_sent_again(wire: Wire, node_id: int) -> None:
    for path in ("/videos/film/film", f"/events/{node_id}/picture.jpg", f"/events/{node_id}/clip.mp4"):
        tag = wire.call("GET", path).headers["ETag"]
        for known in (tag, f'"other", W/{tag}', "*"):
            for verb in ("GET", "HEAD"):
                same = wire.call(verb, path, headers={"If-None-Match": known, "Range": "bytes=0-9"})
                assert same.status == 304 and not same.body and same.headers["ETag"] == tag
        assert wire.call("GET", path, headers={"If-None-Match": '"other"'}).status == 200


def test_a_player_asks_for_the_length_of_a_film(wire: Wire, node_id: int) -> None:
    for path in ("/videos/film/film", f"/events/{node_id}/clip.mp4"):
        whole, head = wire.call("GET", path), wire.call("HEAD", path)
        assert head.status == 200 and not head.body
        assert head.headers["Content-Length"] == str(len(whole.body))
        assert head.headers["ETag"] == whole.headers["ETag"]


def test_a_film_outside_the_allowed_folders_is_not_shown(wire: Wire, there: Client, tmp_path: Path) -> None:
    """A client names the path of the film in the lines that it sends. The server reads none but its own."""
    film = make(tmp_path / "private.mp4", *source("color=red:s=320x240:r=25:d=3"))
    event = {"time_start": 1, "time_end": 2, "summary": "Ben opens the cellar.", "actors": ["Ben"]}
    clip = {"video_id": "own", "clip_id": "c1", "t_start": 0, "t_end": 3, "uri": str(film)}
    there.ingest_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}})])
    node_id = there.video("own", 1).timeline[0].node_id
    for path in (f"/events/{node_id}/picture.jpg", f"/events/{node_id}/clip.mp4", "/videos/own/film"):
        assert wire.call("GET", path).status == 403, path


def test_nothing_that_is_no_film_is_taken_in(wire: Wire) -> None:
    sent = wire.post("/uploads", name="notes.mp4", size=5)
    patch(wire, f"/uploads/{sent['id']}", b"hello", 0)
    assert wire.call("POST", "/ingest", {"places": [f"upload:{sent['id']}"]}).status == 415
    for name in ("../x.mp4", "/etc/passwd", "", ".hidden", "a\0b"):
        assert wire.call("POST", "/uploads", {"name": name, "size": 5}).status == 422
    assert wire.call("DELETE", f"/uploads/{sent['id']}").status == 200
    assert wire.call("HEAD", f"/uploads/{sent['id']}").status == 404


def test_events_of_a_question(wire: Wire, there: Client, node_id: int) -> None:
    reply = wire.call("POST", "/ask", {"question": "Where is the mug?"}, headers={"Accept": "text/event-stream"})
    names = [line[7:] for line in reply.body.decode().splitlines() if line.startswith("event: ")]
    assert reply.status == 200 and names[-1] == "result" and set(names) <= {"claim", "result"}
    result = json.loads(reply.body.decode().splitlines()[-2].removeprefix("data: "))
    assert result["citations"]
    empty = wire.call("POST", "/ask", {"question": " "}, headers={"Accept": "text/event-stream"})
    assert empty.status == 422 and empty.json["type"].startswith("urn:amr:error:")


def test_commands_go_to_a_server(served: Served, key: str, node_id: int, group: str, tmp_path: Path) -> None:
    """A command line without a database of its own."""
    amr = Amr({"AMR_DATA_DIR": str(tmp_path), "NEO4J_URI": "bolt://127.0.0.1:9", "AMR_KEY": key})
    there = ("--server", f"http://127.0.0.1:{served[0].port}")
    assert "Ida" in amr.here(*there, "search", "mug").stdout
    # Each with the defaults of its options, which a server need not know.
    for command in (
        ["ask", "Where is the mug?"],
        ["receipts", "--wait", "1"],
        ["alerts"],
        ["videos"],
        ["facts", "list"],
        ["forget", "--video", "film", "--dry-run"],
        ["facts", "forget", "--subject", "nobody", "--dry-run"],
    ):
        amr.here(*there, *command)  # raises unless it ends with 0
    assert "does not open every user" in amr.refused(*there, "consolidate", "--dry-run", code=65)
    assert amr.json(*there, "stats")["group"] == group
    assert amr.here(*there, "show", "event", str(node_id), "--picture", str(tmp_path / "a.jpg")).returncode == 0
    assert (tmp_path / "a.jpg").stat().st_size
    amr.here(*there, "chat", "say", "I like figs.", "--session", "friday")
    assert "figs" in amr.here(*there, "chat", "show", "friday").stdout
    amr(*there, "chat", "live", "--session", "friday", stdin="I like dates.\n")
    assert served[2].group(group).for_user("anna")._parts.live_chats().wait(60)
    assert "dates" in amr.here(*there, "chat", "show", "friday").stdout
    (tmp_path / "saturday.txt").write_text("user: I like pears.\n")
    amr.here(*there, "chat", "import", str(tmp_path / "saturday.txt"))
    assert "pears" in amr.here(*there, "chat", "show", "saturday").stdout
    film = make(tmp_path / "sent.mp4", *source("color=red:s=320x240:r=25:d=1"))
    report = json.loads(amr.here("--json", *there, "ingest", str(film), "--place", "hall").stdout)
    assert report["committed"] + report["failed"] == 1, report
    for command in (["index", "status"], ["browser"]):
        assert "does not go to a server" in amr.refused(*there, *command, code=65)
    assert "takes no target_clip_sec" in amr.refused(*there, "ingest", str(film), "--target-clip-sec", "5", code=65)
    alert = ["--when", "somebody takes the mug", "--exec", "true"]
    assert "--when delivers from" in amr.refused(*there, "watch", *alert, code=65)
    assert "watches no broker" in amr.here(*there, "watch", "mqtt://127.0.0.1/frigate", code=65).stderr
    asked = ["--question", "When is it blue?", "--planner", "local", "--max-looks", "1"]
    explored = amr.json(*there, "explore", "film", *asked, "--save-tree", str(tmp_path / "tree.json"))
    assert explored["looks"] == 1 and (tmp_path / "tree.json").stat().st_size
    assert "takes no html" in amr.refused(*there, "explore", "film", *asked, "--html", "a.html", code=65)
    amr.refused(*there, "doctor", "--repair", code=65)
    checked = {each["check"]: (each["found"], each["exit_code"]) for each in amr.json(*there, "doctor")}
    assert checked["database"] == ("ready", 0) and "valid" in checked["key"][0] and len(checked) == 3
    assert "client-" in amr.here(*there, "groups").stdout
    [job, *_] = json.loads(amr.here("--json", *there, "jobs", "list").stdout)["items"]
    assert (job["action"], job["state"]) == ("explore", "completed")
    assert "is completed" in amr.refused(*there, "jobs", "cancel", job["id"], code=65)
    assert job["id"] in amr.here(*there, "jobs", "remove", job["id"]).stdout
    assert "may not be read" in amr.refused(*there, "jobs", "add", "rtsp://127.0.0.1/stream", code=65)
    assert "may not be read" in amr.refused(*there, "ingest", "rtsp://127.0.0.1/stream", code=65)


def test_a_live_source_shows_its_last_picture_and_its_events(
    served: Served, there: Client, wire: Wire, group: str, tmp_path: Path
) -> None:
    folder, now = folder_of(served[2].settings.data_dir / LIVE_FOLDER, group, "camera"), datetime.now(UTC)
    folder.mkdir(parents=True)
    film = str(make(folder / "c1.mp4", *source("color=blue:s=320x240:r=25:d=2")))
    spool = served[2]._parts.live_spool()
    spool.begin(Recording(group, "camera", "rtsp://camera/stream", now, str(folder)))
    spool.receive(group, SpooledClip("camera", "c1", film, 10.0, 12.0, now))
    there.save_latest_picture("camera", tmp_path / "last.jpg", width=160)
    assert (tmp_path / "last.jpg").read_bytes()[:2] == b"\xff\xd8"
    stranger = served[0].with_key(key_of(served[1], f"{group}-other", "anna", ALL))
    assert stranger.call("GET", "/sources/camera/picture.jpg").status == 422
    _told(there, film, "camera")
    node_id = there.video("camera").timeline[0].node_id
    assert wire.call("GET", f"/events/{node_id}/picture.jpg").status == 200


def test_models_see_a_picture_and_read_an_event(wire: Wire, node_id: int) -> None:
    asked = {"name": "event_picture", "arguments": {"node_id": node_id}}
    seen = mcp(wire, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})["result"]["content"][0]
    assert seen["type"] == "image" and base64.b64decode(seen["data"])[:2] == b"\xff\xd8"
    read = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": f"amr://event/{node_id}"}}
    assert "Ida" in mcp(wire, read)["result"]["contents"][0]["text"]
    for missing in ("999999999", "mug"):
        absent = {"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": f"amr://event/{missing}"}}
        error = mcp(wire, absent)["error"]
        assert error["code"] == -32602 and missing in error["message"]
    streamed = wire.call("GET", "/mcp", headers={"Accept": "text/event-stream"}, at_root=True)
    assert streamed.status == 405 and streamed.headers["Allow"] == "POST"
    searched = {"name": "search_memory", "arguments": {"query": "mug", "search_type": "episodes"}}
    found = mcp(wire, {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": searched})["result"]
    seen = [each["node_id"] for each in found["structuredContent"]["results"] if each["kind"] == "event"]
    assert seen[0] == node_id
    for given in ({"node_id": node_id}, {"video": "film"}, {"video": "film", "since": 0.5, "until": 1.5}):
        told = {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "read_events", "arguments": given},
        }
        [event] = mcp(wire, told)["result"]["structuredContent"]["events"]
        assert event == {"node_id": node_id, "start": 1.0, "end": 2.0, "text": "Ida puts the mug on the table."}
    later = {"name": "read_events", "arguments": {"video": "film", "since": 2.5}}
    assert mcp(wire, {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": later})["result"][
        "structuredContent"
    ] == {"events": []}


def test_models_call_the_tools_over_http(served: Served, group: str) -> None:
    """MCP over HTTP: the same keys, groups, users and scopes as every other call, and an audit of what is kept."""

    def call(by: Wire, name: str, **given: Any) -> Any:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
        return mcp(by, asked)["result"]

    mia = served[0].with_key(key_of(served[1], group, "mia", ALL))
    kept = call(mia, "remember", text="I live in Porto.", session_id="models")
    assert not kept.get("isError"), kept
    found = str(call(mia, "search_memory", query="where I live"))
    assert "Porto" in found, found
    ben = served[0].with_key(key_of(served[1], group, "ben", ("read",)))
    assert "Porto" not in str(call(ben, "search_memory", query="where I live"))
    unknown = call(ben, "search_memory", query="where I live", until="noon", more=None)
    assert unknown["isError"] and unknown["content"][0]["text"].startswith(
        "search_memory takes no until; it takes query"
    )
    refused = call(ben, "remember", text="I live in Rome.", session_id="models")
    assert refused["isError"] and "the key lacks the scope write" in str(refused)
    reading, changing = {"search_memory", "ask_memory", "list_facts", "lifecycle"}, {"remember", "correct_fact"}
    assert reading | changing <= offered(mia)
    assert reading <= offered(ben) and not changing & offered(ben), "a key is offered what it may do"
    cat = served[0].with_key(key_of(served[1], group, "cat", ("write",)))
    assert offered(cat) == changing
    assert served[0].call("POST", "/mcp", {}, at_root=True).status == 401
    done = [(each.action, each.status) for each in served[1].audit(20) if "remember" in each.action]
    assert done == [("MCP remember", 403), ("MCP remember", 200)]


def offered(by: Wire) -> set[str]:
    """The tools that a key is offered."""
    return {each["name"] for each in mcp(by, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})["result"]["tools"]}


def mcp(wire: Wire, message: dict[str, Any]) -> Any:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    reply = wire.call("POST", "/mcp", message, headers=headers, at_root=True)
    assert reply.status == 200, reply.body
    return reply.json


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_another_program_at_the_address_is_told_soon(scheme: str) -> None:
    """Also one that does not speak TLS where TLS is asked for."""

    class Other(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello</html>")

        do_GET = do_POST

        def log_message(self, *_: object) -> None: ...  # pyright: ignore[reportIncompatibleMethodOverride]

    with HTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, args=(0.02,), daemon=True).start()
        m, began = Client(f"{scheme}://127.0.0.1:{other.server_port}", "key"), time.monotonic()
        for call in (m.videos, lambda: m.ask("Where?"), lambda: m.ask("Where?", notify=print)):
            with pytest.raises(StoreUnavailable, match="no amr serve" if scheme == "http" else "cannot be reached"):
                call()
        assert time.monotonic() - began < 30
        other.shutdown()


def test_a_key_of_a_file_is_used_without_its_line_break() -> None:
    assert Client("http://127.0.0.1:9", "amr_1_x\n")._calls._key == "amr_1_x"
    for text in ("two words", "amr_\u00e9", "\n"):
        with pytest.raises(ConfigError, match="key"):
            Client("http://127.0.0.1:9", text)
