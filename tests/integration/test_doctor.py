"""amr doctor on a real Neo4j: each fault alone fails its check only, and the advice repairs it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amr_neo4j.cli import checks
from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.localdb import Connection, java
from amr_neo4j.store.database import Database
from amr_neo4j.store.embeddings import VectorSource
from amr_neo4j.vectors.faiss_index import FaissIndex
from tests.support.amr_command import Amr, Json, amr_at

MODEL = "e5-small-v2"
Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module")
def kitchen(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Amr:
    """A group with three events. In another, the same are deleted: their embeddings stay, without data."""
    amr = amr_at(neo4j_connection, tmp_path_factory.mktemp("data"))
    file = tmp_path_factory.mktemp("lines") / "kitchen.jsonl"
    file.write_text("\n".join(map(line, ["Anna finds the keys.", "Ben opens the fridge.", "Anna leaves."])))
    amr.here("ingest", str(file))
    other = amr.of(f"{amr.server['AMR_GROUP']}-other")
    other.here("ingest", str(file))
    other.here("forget", "--video", "kitchen", "--yes")
    return amr


@pytest.fixture
def amr(kitchen: Amr, tmp_path: Path) -> Amr:
    """The same, with an index folder of the test's own."""
    return Amr(kitchen.server | {"AMR_DATA_DIR": str(tmp_path)})


@pytest.fixture
def run(database: Database, amr: Amr) -> Callable[..., list[Any]]:
    """Cypher by hand; $group is the group. The values of the first column."""

    def run(statement: str, **params: Any) -> list[Any]:
        params |= {"group": amr.server["AMR_GROUP"]}
        return [record[0] for record in database.driver.execute_query(statement, params).records]

    return run


def line(summary: str) -> str:
    event = {"time_start": 1.0, "time_end": 2.0, "summary": summary}
    clip = {"video_id": "kitchen", "clip_id": summary, "t_start": 0.0, "t_end": 10.0}
    return json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}})


def findings(amr: Amr, code: int = 0) -> dict[str, Json]:
    return {row["check"]: row for row in amr.json("doctor", code=code)}


def assert_only(amr: Amr, check: str, said: str, advice: str, code: int = 70) -> None:
    """One check fails, with these words."""
    found = findings(amr, code)
    failing = [name for name, row in found.items() if row["exit_code"]]
    assert failing == [check], found
    assert said in found[check]["found"]
    assert advice in found[check]["hint"]


def assert_well(amr: Amr) -> None:
    assert [row for row in findings(amr).values() if row["exit_code"]] == []


def test_a_healthy_system_passes(amr: Amr) -> None:
    found = findings(amr)
    assert [name for name, row in found.items() if row["exit_code"]] == []
    assert list(found) == [
        *("disk", "python", "packages", "java", "ffmpeg", "models", "servers", "served", "telemetry", "spool"),
        *("database", "version", "schema", "indexes", "foreign", "counters", "events"),
        *(
            "parents",
            "turns",
            "imports",
            "losses",
            "clocks",
            "receipts",
            "edges",
            "vectors",
            "groups",
            "group",
            "index",
        ),
    ]
    assert found["vectors"]["found"] == "no event, turn or fact lacks one; 3 events"


# --- the machine


def pretend(folder: Path, name: str, version: str, *fields: str) -> str:
    """A folder for sys.path with a package that claims to be installed."""
    about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *fields])
    )
    return str(folder)


def test_an_outdated_python_fails(amr: Amr, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.syspath_prepend(pretend(tmp_path, "amr-neo4j", "9", "Requires-Python: >=3.99"))
    assert_only(amr, "python", ">=3.99 is required", "install amr-neo4j with that", code=78)


def test_an_outdated_package_fails(amr: Amr, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.syspath_prepend(pretend(tmp_path, "onnxruntime", "0.1"))
    assert_only(amr, "packages", "onnxruntime 0.1; ", '[local,cpu]"', code=69)


def test_a_missing_package_fails(amr: Amr, tmp_path: Path, monkeypatch: Patch) -> None:
    asked = ["Requires-Dist: no-such-thing>=1", "Requires-Dist: not-asked-for; extra == 'gpu'"]
    monkeypatch.syspath_prepend(pretend(tmp_path, "amr-neo4j", "9", *asked))
    assert_only(amr, "packages", "no-such-thing is not installed", "pip install", code=69)
    assert "not-asked-for" not in findings(amr, code=69)["packages"]["found"]


def test_a_missing_ffmpeg_fails(amr: Amr, tmp_path: Path, monkeypatch: Patch) -> None:
    """The table says so too, and prints the advice below."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_only(amr, "ffmpeg", "ffmpeg is not installed", "apt-get install ffmpeg", code=69)
    shown = amr.here("doctor", code=69).stdout.splitlines()
    [failure] = [number for number, line in enumerate(shown) if line.startswith("FAILS")]
    assert "ffmpeg is not installed" in shown[failure]
    assert "apt-get install ffmpeg" in shown[failure + 1]


@pytest.mark.parametrize(
    ("script", "said"),
    [("exit 1", "ffmpeg failed"), ("echo ffmpeg version 3.4 Copyright", "version 3.4 has no scdet filter")],
)
def test_a_broken_ffmpeg_fails(amr: Amr, tmp_path: Path, monkeypatch: Patch, script: str, said: str) -> None:
    for name in ("ffmpeg", "ffprobe"):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_only(amr, "ffmpeg", said, "install", code=69)


def test_a_missing_model_fails(amr: Amr, tmp_path: Path) -> None:
    bare = Amr(amr.server | {"AMR_CACHE_DIR": str(tmp_path)})
    assert_only(bare, "models", "the model e5 is not installed", "amr models install", code=69)


def test_a_nearly_full_disk_warns(amr: Amr, monkeypatch: Patch) -> None:
    monkeypatch.setattr(checks, "LEAST_FREE", 2**60)
    assert_only(
        amr, "disk", f"GB free for {amr.server['AMR_DATA_DIR']}; at least 1152921504.6 GB", "AMR_DATA_DIR", code=74
    )


def test_a_missing_java_matters_where_the_local_database_needs_one(
    amr: Amr, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Without a configured server there is no database either; only the Java check differs."""
    local = Amr({"AMR_DATA_DIR": str(tmp_path), "AMR_LOCAL_ENGINE": "maven"})
    monkeypatch.setattr(java, "find", lambda: java.Java(Path("/its/java"), 21, has_vector=True))
    before = findings(local, code=69)
    assert before["java"]["found"] == "Java 21 at /its/java"
    monkeypatch.undo()
    monkeypatch.setattr(java, "_candidates", lambda: iter([("PATH", tmp_path / "java")]))
    after = findings(local, code=69)
    assert "no Java 17 or 21" in after["java"]["found"]
    assert "openjdk" in after["java"]["hint"]
    assert [name for name, row in before.items() if row["exit_code"]] == ["database"]
    assert [name for name, row in after.items() if row["exit_code"]] == ["java", "database"]


# --- the database


@pytest.mark.parametrize(
    ("change", "said", "advice", "code"),
    [
        ({"NEO4J_URI": "bolt://127.0.0.1:1"}, "does not answer", "amr db start", 69),
        ({"NEO4J_PASSWORD": "not-the-one"}, "refuses", "NEO4J_PASSWORD", 77),
        ({"NEO4J_DATABASE": "nosuch"}, "nosuch", "NEO4J_DATABASE", 78),
    ],
)
@pytest.mark.usefixtures("no_retries")
def test_an_unreachable_database_fails(amr: Amr, change: dict[str, str], said: str, advice: str, code: int) -> None:
    assert_only(Amr(amr.server | change), "database", said, advice, code)


def test_the_version_is_read_from_the_server(amr: Amr, monkeypatch: Patch) -> None:
    monkeypatch.setattr(checks, "OLDEST", (9999, 1))
    assert_only(amr, "version", "Neo4j 9999.1 or newer is required", "upgrade to Neo4j 9999.1")


# --- the vectors


def test_an_event_without_a_vector_is_reported(amr: Amr, run: Callable[..., list[Any]]) -> None:
    gone = "MATCH (m:Embedding {group_id: $group}) WITH m ORDER BY m.seq LIMIT 2 DELETE m"
    run(gone)
    assert_only(amr, "vectors", "2 events have no vector", "amr index reembed")
    assert "2 events embedded" in amr.here("index", "reembed").stdout
    assert_well(amr)
    assert findings(amr)["vectors"]["found"] == "no event, turn or fact lacks one; 3 events"


def test_a_group_embedded_by_another_model_is_reported(amr: Amr, run: Callable[..., list[Any]]) -> None:
    run("MATCH (g:Group {group_id: $group}) SET g.embedding_model = 'other', g.embedding_dim = 384")
    run("MATCH (m:Embedding {group_id: $group}) SET m.model = 'other'")
    assert_only(amr, "group", "is embedded by other (384 dimensions)", "amr index reembed", code=78)
    assert "3 events embedded" in amr.here("index", "reembed").stdout
    assert_well(amr)


@dataclass
class Rows:
    """A VectorSource of these rows."""

    rows: list[StoredVector]

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        return [row for row in self.rows if row.seq >= seq][:limit]


@pytest.fixture
def snapshot(database: Database, amr: Amr, tmp_path: Path) -> Iterator[tuple[Path, list[StoredVector]]]:
    """The file of the index, and the rows it holds: those of the graph, without those of deleted events."""
    source = VectorSource(database)
    amr.here("index", "rebuild")
    [path] = tmp_path.glob("vectors/*/event-*.npz")
    yield path, [row for row in source.vectors_from(MODEL, 0, 1_000_000) if row.data]


def test_an_outdated_dense_index_catches_up(amr: Amr, snapshot: tuple[Path, list[StoredVector]]) -> None:
    path, rows = snapshot
    FaissIndex(Rows(rows[:-2]), MODEL, 384, path=path).rebuild()
    assert_well(amr)
    assert findings(amr)["index"]["found"].startswith(f"as in the graph, all groups: vectors of {len(rows)} events")


def ahead(path: Path, rows: list[StoredVector]) -> None:
    """As after the graph was restored from an older backup."""
    FaissIndex(Rows([*rows, replace(rows[-1], seq=rows[-1].seq + 1, node_id=10**7)]), MODEL, 384, path=path).rebuild()


def of_another_graph(path: Path, rows: list[StoredVector]) -> None:
    """As many vectors under the same ids, none of them correct."""
    turned = [replace(row, data=(-np.frombuffer(row.data, np.float32)).tobytes()) for row in rows]
    FaissIndex(Rows(turned), MODEL, 384, path=path).rebuild()


def damaged(path: Path, rows: list[StoredVector]) -> None:
    """Truncated, as by a full or faulty disk."""
    path.write_bytes(path.read_bytes()[:200])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (ahead, "vectors in the index, "),
        (of_another_graph, "differ from those in the graph"),
        (damaged, "cannot be read"),
    ],
)
def test_a_dense_index_of_another_graph_is_reported(
    amr: Amr,
    snapshot: tuple[Path, list[StoredVector]],
    spoil: Callable[[Path, list[StoredVector]], None],
    said: str,
) -> None:
    path, rows = snapshot
    spoil(path, rows)
    assert_only(amr, "index", said, "amr index rebuild")
    assert amr.json("index", "rebuild") == {"indexed": len(rows)}
    assert_well(amr)


# --- the schema, last: after each change the server plans every statement again


def test_pending_and_unknown_migrations_are_reported(
    amr: Amr, tmp_path: Path, monkeypatch: Patch, run: Callable[..., list[Any]]
) -> None:
    from amr_neo4j.store.statements import data_path

    for file in data_path("migrations").iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "V999__probe.cypher").write_text("CREATE INDEX probe IF NOT EXISTS FOR (p:Probe) ON (p.x);\n")
    try:
        monkeypatch.setattr("amr_neo4j.store.schema.data_path", lambda name: tmp_path)
        assert_only(amr, "schema", "migrations pending: 999", "amr db migrate")
        assert amr.here("db", "migrate").stdout == "migrations of the schema applied: 999\n"
        assert_well(amr)
        monkeypatch.undo()
        assert_only(amr, "schema", "differs from this program's: 999", "use the version of amr that migrated it")
    finally:
        run("MATCH (m:__Neo4jMigration {version: '999'}) DETACH DELETE m")
        run("DROP INDEX probe IF EXISTS")
    assert_well(amr)


@pytest.mark.parametrize(
    "dropped",
    [
        ["CONSTRAINT amr_object_key", "INDEX amr_event_text"],
        *(
            pytest.param([f"INDEX {name}"], marks=pytest.mark.soak)
            for name in ("amr_event_position", "amr_uses_position", "amr_plain_text")
        ),
    ],
)
def test_dropped_constraints_and_indexes_are_reported(
    amr: Amr, run: Callable[..., list[Any]], dropped: list[str]
) -> None:
    names = [what.split()[1] for what in dropped]
    for what in dropped:
        run(f"DROP {what}")
    try:
        assert_only(amr, "indexes", "; ".join(f"{name} is missing" for name in names), "amr db migrate")
    finally:
        done = amr.here("db", "migrate").stdout
    assert done == f"constraints and indexes made again: {', '.join(names)}\n"
    assert_well(amr)
    assert amr.here("db", "migrate").stdout == "schema is up to date\n"


@pytest.mark.soak
def test_a_failed_index_is_reported(amr: Amr, run: Callable[..., list[Any]]) -> None:
    """Building it fails on a value that is too large; without that value, the advice repairs it."""
    run("DROP INDEX amr_event_position")
    run("CREATE (:Event {node_id: -1, group_id: 'nobody', video_id: 'x', position: $long})", long="x" * 9000)
    try:
        assert "Property value is too large to index" in amr.refused("db", "migrate", code=70)
        assert_only(amr, "indexes", "amr_event_position is failed", "amr db migrate")
    finally:
        run("MATCH (e:Event {node_id: -1}) DELETE e")
        done = amr.here("db", "migrate").stdout
    assert done == "constraints and indexes made again: amr_event_position\n"
    assert_well(amr)
