"""The file of an export: what was written is read again, and whatever is cut off, changed or foreign is refused."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from amr_neo4j.app.transferring import opened_to_write, records_of, verified, write_lines
from amr_neo4j.domain.transfer import Header
from amr_neo4j.errors import InputError
from amr_neo4j.store.full_text import scope_token
from amr_neo4j.store.records import _KEYS, GroupOrUser, RecordWriter, _from_json, _to_json, checked

RECORDS = [
    {"kind": "Video", "labels": ["Video"], "properties": {"video_id": "v", "uri": "Küche\u2028.mp4"}},
    {
        "kind": "Episode",
        "labels": ["Episode", "PlainEpisode"],
        "properties": {"user_id": "a", "episode_id": "e", "content": "a\nb"},
    },
]


def written() -> bytes:
    file = io.BytesIO()
    header = Header(
        product="1", created_at=datetime(2026, 1, 1, tzinfo=UTC), group="home", model="m", dim=2, counts={"Video": 1}
    )
    write_lines(file, header, RECORDS)
    return file.getvalue()


@pytest.mark.parametrize("packed", [lambda data: data, gzip.compress], ids=["plain", "gzip"])
def test_what_was_written_is_read(packed: Callable[[bytes], bytes]) -> None:
    file = io.BytesIO(packed(written()))
    header, footer = verified(file)
    assert (header.group, footer.counts) == ("home", {"Video": 1, "Episode": 1})
    assert [*map(checked, records_of(file))] == RECORDS


def test_every_cut_and_every_changed_byte_is_noticed() -> None:
    whole = written()
    for end in range(len(whole) - 1):
        with pytest.raises(InputError):
            verified(io.BytesIO(whole[:end]))
    for place in range(0, len(whole), 7):
        changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        with pytest.raises(InputError):
            verified(io.BytesIO(changed))


@pytest.mark.parametrize("line", ['{"kind":"Video", broken', "[1]", '{"labels":["Video"]}', "\xff"])
def test_a_line_that_is_no_record_is_refused_although_its_checksum_fits(line: str) -> None:
    """Before anything is written: a program that is not ours may have made the file."""
    first, *records, last = written().splitlines(keepends=True)
    body = b"".join((first, *records, line.encode("latin-1") + b"\n"))
    footer = json.loads(last)
    footer |= {"sha256": hashlib.sha256(body).hexdigest(), "counts": footer["counts"] | {"Video": 2}}
    for counts in (footer["counts"], {"Video": 1, "Episode": 1, "": 1}):
        whole = body + json.dumps(footer | {"counts": counts}).encode() + b"\n"
        with pytest.raises(InputError, match="no record"):
            verified(io.BytesIO(whole))


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_packed_file_that_is_cut_off_or_damaged_is_refused(kept: float) -> None:
    packed = gzip.compress(written())
    with pytest.raises(InputError, match="cut off"):
        verified(io.BytesIO(packed[: int(len(packed) * kept)]))
    middle = len(packed) // 2
    with pytest.raises(InputError):
        verified(io.BytesIO(packed[:middle] + b"\xff\xff\xff" + packed[middle + 3 :]))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"", "no export of amr"),
        (b'{"nodes": [], "edges": [], "episodes": []}', "no export of amr"),
        (b"Anna: good morning", "no export of amr"),
        (b"\xff\xfe", "no export of amr"),
        (b'{"format": "amr-export", "version": 2, "product": "9.9"}', "version 2, of amr 9.9"),
        (b'{"format": "amr-export", "version": 1}', "first line of the export is damaged"),
    ],
)
def test_another_file_is_refused_with_advice(line: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        verified(io.BytesIO(line + b"\n"))
    assert raised.value.hint


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "Group", "labels": ["Group"]},
        {"labels": ["Video", "Admin"]},
        {"labels": []},
        {"properties": {}},
        {"links": [{"type": "OWNS", "properties": {}, "target": {"label": "Clip"}}]},
        {"links": [{}]},
    ],
)
def test_a_record_names_nothing_but_the_graph_model(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        checked(RECORDS[0] | change)


def test_a_named_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "home.jsonl"
    with pytest.raises(ValueError, match="stop"), opened_to_write(file) as opened:
        opened.write(b"half")
        raise ValueError("stop")
    assert not list(tmp_path.iterdir())
    with opened_to_write(file) as opened:
        opened.write(b"whole")
    assert file.read_bytes() == b"whole" and file.stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="exists"), opened_to_write(file):
        pass
    with pytest.raises(InputError, match="gzip alone"), opened_to_write(tmp_path / "home.zst"):
        pass


def test_times_keep_their_offset_and_zone() -> None:
    import neo4j.time

    for stamp in ("2026-03-01T09:00:00.000123+01:00", "2026-03-01T09:00:00Z"):
        stored = neo4j.time.DateTime.from_iso_format(stamp)
        assert _from_json(json.loads(json.dumps(_to_json(stored)))) == stored.to_native()
        assert "zone" not in _to_json(stored)
    assert str(_from_json({"time": "2026-07-01T09:00:00+02:00", "zone": "Europe/Berlin"}).tzinfo) == "Europe/Berlin"


def writer_of(user_id: str, target: str) -> RecordWriter:
    """What takes in the export of a user, or of the whole group. It writes nothing here."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return RecordWriter(
        cast(Any, None), GroupOrUser("home", user_id), GroupOrUser("home", target), "mark", ("m", 2), now, lambda: now
    )


FILM = {"video_id": "v", "position": 0, "scope": "hall", "person_id": "p", "film": "f", "clip": "c", "key": "k"}
FILM |= {"clip_id": "c", "level": 1, "t_start": 0.0, "place": "hall", "name": "cup"}


@pytest.mark.parametrize("kind", sorted(_KEYS))
def test_the_export_of_a_user_has_records_of_this_user_alone(kind: str) -> None:
    """A key of one user must not write what the group, or another user, is shown."""
    own = {"user_id": "anna", "session_id": "s", "person_id": "p", "episode_id": "e", "id": "m", "fact_id": "f"}
    record = {"kind": kind, "labels": [kind], "properties": FILM | own}
    assert writer_of("", "").known(record) == record
    if "user_id" in _KEYS[kind]:
        assert writer_of("anna", "ben").known(record) == record
        record["properties"] = own | {"user_id": "ben"}
    with pytest.raises(InputError, match="not of user anna"):
        writer_of("anna", "ben").known(record)


def test_a_turn_of_a_users_export_is_found_for_that_user_alone() -> None:
    writer = writer_of("anna", "ben")
    writer.known({"kind": "Session", "labels": ["Session"], "properties": {"user_id": "anna", "session_id": "s"}})
    tokens = [scope_token("user", "home", name) for name in ("anna", "carl")]
    turn = {"kind": "Episode", "properties": {"user_id": "anna", "scope_text": " ".join(tokens)}}
    assert writer._properties(turn)["scope_text"] == scope_token("user", "home", "ben")


def test_a_whole_groups_export_is_taken_in_under_the_names_that_calls_make() -> None:
    """A version before stored the names of users as they were typed. No call would find them."""
    writer = writer_of("", "")
    writer.known(
        {"kind": "Session", "labels": ["Session"], "properties": {"user_id": "Jose\u0301", "session_id": "s"}}
    )
    turn = {"user_id": "Jose\u0301", "scope_text": scope_token("user", "home", "Jose\u0301")}
    found = writer._properties({"kind": "Episode", "properties": turn})
    assert (found["user_id"], found["scope_text"]) == ("Jos\xe9", scope_token("user", "home", "Jos\xe9"))
