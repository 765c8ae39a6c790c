"""All attacks, in a quick and a full form."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.faults import (
    calls,
    command_lines,
    data_folder,
    documents,
    doors,
    films,
    full_disk,
    hostile_server,
    kills,
    live,
    served,
)
from tests.faults.tally import Tally
from tests.support.amr_command import amr_at
from tests.support.real_ingest import settle


@dataclass(frozen=True)
class Size:
    """How many attacks of each kind."""

    ingest_kills: int
    talk_kills: int
    chat_kills: int
    night_kills: int
    model_kills: int
    sidecar_kills: int
    database_kills: int
    replies: int
    lines: int
    chats: int
    subtitles: int
    api: int
    commands: int
    documents: int
    detectors: int
    requests: int
    streams: int
    damages: int
    films: int


QUICK = Size(
    ingest_kills=1,
    talk_kills=1,
    chat_kills=0,
    night_kills=0,
    model_kills=0,
    sidecar_kills=0,
    database_kills=0,
    replies=7,
    lines=40,
    chats=24,
    subtitles=60,
    api=40,
    commands=8,
    documents=22,
    detectors=8,
    requests=16,
    streams=1,
    damages=2,
    films=3,
)
FULL = Size(
    ingest_kills=60,
    talk_kills=24,
    chat_kills=8,
    night_kills=12,
    model_kills=3,
    sidecar_kills=8,
    database_kills=9,
    replies=140,
    lines=3000,
    chats=1000,
    subtitles=3500,
    api=2000,
    commands=600,
    documents=900,
    detectors=300,
    requests=400,
    streams=99,
    damages=70,
    films=999,
)


def run(size: Size, there: Connection, folder: Path, seed: int, only: frozenset[str] = frozenset()) -> Tally:
    """Attack this version. there: a Neo4j; folder: an empty one. only: kinds (see below); empty: all."""
    tally, chance = Tally(), random.Random(seed)
    group = f"faults-{seed}"
    with pytest.MonkeyPatch.context() as patch:
        environment = settle(there, group, patch)
        for name in ("kills", "doors"):
            patch.setenv("AMR_DATA_DIR", str(folder / name))
        attacks: dict[str, Callable[[], None]] = {
            "doors": lambda: _doors(tally, chance, size, folder),
            "calls": lambda: _calls(tally, chance, size, folder),
            "commands": lambda: _commands(tally, chance, size, folder),
            "documents": lambda: _documents(tally, chance, size, folder),
            "served": lambda: _served(tally, chance, size, folder),
            "live": lambda: _live(tally, chance, size, folder),
            "damage": lambda: _damaged(tally, chance, size, folder),
            "films": lambda: _films(tally, there, folder, size, chance),
            "disk": lambda: full_disk.full_disk(tally, amr_at(there, folder / "data"), folder),
            "server": lambda: _in_group(patch, f"{group}-s", lambda: _server(tally, chance, size, folder)),
            "kills": lambda: _kills(tally, patch, there, size, folder, seed),
        }
        assert environment and only <= set(attacks), f"kinds: {', '.join(attacks)}"
        for name, attack in attacks.items():
            if not only or name in only:
                attack()
    return tally


def _kills(tally: Tally, patch: pytest.MonkeyPatch, there: Connection, size: Size, folder: Path, seed: int) -> None:
    group, known = f"faults-{seed}", lambda: dict(os.environ)
    _in_group(patch, f"{group}-k", lambda: kills.ingests(tally, known(), size.ingest_kills, seed))
    _in_group(patch, f"{group}-t", lambda: kills.conversations(tally, known(), size.talk_kills, seed))
    kills.live_conversations(tally, there, folder / "chats", size.chat_kills, seed)
    _in_group(patch, f"{group}-n", lambda: kills.nights(tally, known(), size.night_kills, seed))
    _in_group(patch, f"{group}-a", lambda: kills.analyses(tally, folder / "analyses", size.model_kills, seed))
    kills.sidecars(tally, there, folder / "sidecar", size.sidecar_kills)
    kills.databases(tally, folder / "spare", size.database_kills, seed)
    _assert_whole(tally, "graph after kills")


def _in_group(patch: pytest.MonkeyPatch, group: str, attack: Callable[[], None]) -> None:
    patch.setenv("AMR_GROUP", group)
    attack()


def _server(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    place = folder / "server"
    place.mkdir()
    hostile_server.replies(tally, chance, size.replies, place)
    _assert_whole(tally, "graph after replies")


def _doors(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    place = folder / "files"
    place.mkdir()
    doors.subtitle_files(tally, chance, size.subtitles, place)
    with Memory.open(notify=lambda line: None) as memory:
        doors.clip_lines(tally, memory, chance, size.lines)
        doors.chat_files(tally, memory, chance, size.chats, place)
    _assert_whole(tally, "graph after input")


def _calls(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, Memory.open(notify=lambda line: None) as memory:
        patch.chdir(folder)
        calls.python_api(tally, memory, chance, size.api)
        calls.tool_calls(tally, memory, chance, size.api // 2)
    _assert_whole(tally, "graph after calls")


def _documents(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    place = folder / "documents"
    place.mkdir()
    with Memory.open(notify=lambda line: None) as memory:
        documents.documents(tally, memory, chance, size.documents, place)
    documents.detectors(tally, chance, size.detectors, place)
    _assert_whole(tally, "graph after documents")


def _served(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    place = folder / "served"
    place.mkdir()
    served.sidecar(tally, chance, size.requests, place)
    served.mcp(tally, chance, size.requests, place)


def _live(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    place = folder / "live"
    place.mkdir()
    live.live_sources(tally, chance, size.streams, place)
    _assert_whole(tally, "graph after live")


def _damaged(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    place = folder / "data-folder"
    place.mkdir()
    data_folder.damaged(tally, chance, size.damages, place)


def _commands(tally: Tally, chance: random.Random, size: Size, folder: Path) -> None:
    place = folder / "commands"
    place.mkdir()
    command_lines.command_lines(tally, chance, size.commands, place)
    _assert_whole(tally, "graph after commands")


def _films(tally: Tally, there: Connection, folder: Path, size: Size, chance: random.Random) -> None:
    names = list(films.FILMS)
    chosen = names if size.films >= len(names) else chance.sample(names, size.films)
    films.films(tally, amr_at(there, folder / "films-data"), folder, chosen)


def _assert_whole(tally: Tally, name: str) -> None:
    """Nothing is half-written: every event of every group has its clip and its vector, and every clip its video."""
    broken = """
        MATCH (e:Event) WHERE e.group_id STARTS WITH 'faults-' AND (NOT (e)-[:IN_CLIP]->(:Clip)
          OR NOT EXISTS { MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id)}) })
        RETURN count(e) AS n
        UNION ALL
        MATCH (c:Clip) WHERE c.group_id STARTS WITH 'faults-' AND NOT (c)-[:OF_VIDEO]->(:Video) RETURN count(c) AS n
    """
    with tally.kind(name) as row, Memory.open() as memory:
        row.attacks += 1
        found = [record["n"] for record in memory._parts.database.driver.execute_query(broken).records]
        if any(found):
            row.failed["half-written"] = f"events and clips without their parts: {found}"
