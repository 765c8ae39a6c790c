"""All attacks, in a quick and a full form."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from uuid import uuid4

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
    graph_damage,
    hostile_server,
    http_calls,
    isolation,
    kills,
    live,
    programs,
    served,
)
from tests.faults.tally import Tally
from tests.support.amr_command import amr_at
from tests.support.real_ingest import settle


@dataclass(frozen=True)
class Size:
    """How many attacks of each kind."""

    ingest_kills: int = 0
    talk_kills: int = 0
    chat_kills: int = 0
    night_kills: int = 0
    model_kills: int = 0
    sidecar_kills: int = 0
    database_kills: int = 0
    replies: int = 0
    lines: int = 0
    chats: int = 0
    subtitles: int = 0
    api: int = 0
    commands: int = 0
    documents: int = 0
    detectors: int = 0
    questions: int = 0
    requests: int = 0
    http: int = 0
    streams: int = 0
    damages: int = 0
    graphs: int = 0
    films: int = 0
    disks: int = 0
    program_kills: int = 0
    races: int = 0
    long_lines: int = 0
    pipelined: int = 0

    def share(self, part: float) -> Size:
        """Return a size with this part of each number, at least one of what there is at all."""
        return Size(**{name: ceil(part * number) for name, number in asdict(self).items()})


QUICK = Size(
    ingest_kills=1,
    talk_kills=1,
    replies=9,
    lines=40,
    chats=24,
    subtitles=60,
    api=40,
    commands=8,
    documents=22,
    detectors=8,
    questions=56,
    requests=16,
    http=80,
    streams=1,
    damages=2,
    graphs=3,
    films=3,
    disks=1,
    program_kills=1,
    races=4,
    pipelined=40,
)
FULL = Size(
    ingest_kills=60,
    talk_kills=24,
    chat_kills=8,
    night_kills=12,
    model_kills=3,
    sidecar_kills=8,
    database_kills=9,
    replies=180,
    lines=3000,
    chats=1000,
    subtitles=3500,
    api=2000,
    commands=600,
    documents=900,
    detectors=300,
    questions=1400,
    requests=400,
    http=2000,
    streams=99,
    damages=70,
    graphs=500,
    films=999,
    disks=1,
    program_kills=45,
    races=50,
    long_lines=1,
    pipelined=1000,
)


@dataclass(frozen=True)
class Target:
    """What is attacked. folder: an empty one. The data directory and the group in `environment` are its own, too."""

    tally: Tally
    chance: random.Random
    size: Size
    there: Connection
    folder: Path

    @property
    def seed(self) -> int:
        return self.chance.randrange(2**31)

    @property
    def environment(self) -> dict[str, str]:
        return dict(os.environ)


def _doors(to: Target) -> None:
    doors.subtitle_files(to.tally, to.chance, to.size.subtitles, to.folder)
    with Memory.open(notify=lambda line: None) as memory:
        doors.clip_lines(to.tally, memory, to.chance, to.size.lines)
        doors.chat_files(to.tally, memory, to.chance, to.size.chats, to.folder)


def _calls(to: Target) -> None:
    with pytest.MonkeyPatch.context() as patch, Memory.open(notify=lambda line: None) as memory:
        patch.chdir(to.folder)
        calls.python_api(to.tally, memory, to.chance, to.size.api)
        calls.tool_calls(to.tally, memory, to.chance, to.size.api // 2)


def _documents(to: Target) -> None:
    with Memory.open(notify=lambda line: None) as memory:
        documents.documents(to.tally, memory, to.chance, to.size.documents, to.folder)
    documents.detectors(to.tally, to.chance, to.size.detectors, to.folder)


def _served(to: Target) -> None:
    served.sidecar(to.tally, to.chance, to.size.requests, to.folder)
    served.mcp(to.tally, to.chance, to.size.requests, to.folder)
    served.pipelined(to.tally, to.size.pipelined, to.folder)


def _films(to: Target) -> None:
    names = list(films.FILMS)
    chosen = names if to.size.films >= len(names) else to.chance.sample(names, to.size.films)
    films.films(to.tally, amr_at(to.there, to.folder / "films"), to.folder, chosen)


def _disks(to: Target) -> None:
    amr = amr_at(to.there, to.folder / "data")
    full_disk.full_disk(to.tally, amr, to.folder)
    full_disk.tiny_disk(to.tally, amr, to.folder)
    full_disk.served_disk(to.tally, to.folder)


ATTACKS: dict[str, tuple[Callable[[Target], None], tuple[str, ...]]] = {
    "doors": (_doors, ("subtitles", "lines", "chats")),
    "calls": (_calls, ("api",)),
    "commands": (
        lambda to: command_lines.command_lines(to.tally, to.chance, to.size.commands, to.folder),
        ("commands",),
    ),
    "documents": (_documents, ("documents", "detectors")),
    "isolation": (
        lambda to: isolation.isolation(to.tally, to.chance, to.size.questions, to.folder),
        ("questions",),
    ),
    "served": (_served, ("requests", "pipelined")),
    "http": (
        lambda to: http_calls.http_calls(to.tally, to.chance, to.size.http, to.folder),
        ("http",),
    ),
    "programs": (
        lambda to: programs.killed(to.tally, to.chance, to.size.program_kills, to.folder),
        ("program_kills",),
    ),
    "races": (lambda to: programs.races(to.tally, to.chance, to.size.races), ("races",)),
    "lines": (lambda to: programs.long_lines(to.tally, to.folder), ("long_lines",)),
    "live": (lambda to: live.live_sources(to.tally, to.chance, to.size.streams, to.folder), ("streams",)),
    "damage": (lambda to: data_folder.damaged(to.tally, to.chance, to.size.damages, to.folder), ("damages",)),
    "graphs": (
        lambda to: graph_damage.damaged_graphs(
            to.tally, to.chance, to.size.graphs, amr_at(to.there, to.folder / "data")
        ),
        ("graphs",),
    ),
    "films": (_films, ("films",)),
    "disk": (_disks, ("disks",)),
    "server": (lambda to: hostile_server.replies(to.tally, to.chance, to.size.replies, to.folder), ("replies",)),
    "ingests": (
        lambda to: kills.ingests(to.tally, to.environment, to.size.ingest_kills, to.seed),
        ("ingest_kills",),
    ),
    "conversations": (
        lambda to: kills.conversations(to.tally, to.environment, to.size.talk_kills, to.seed),
        ("talk_kills",),
    ),
    "chats": (
        lambda to: kills.live_conversations(to.tally, to.there, to.folder, to.size.chat_kills, to.seed),
        ("chat_kills",),
    ),
    "nights": (
        lambda to: kills.nights(to.tally, to.environment, to.size.night_kills, to.seed),
        ("night_kills",),
    ),
    "analyses": (
        lambda to: kills.analyses(to.tally, to.folder / "films", to.size.model_kills, to.seed),
        ("model_kills",),
    ),
    "sidecars": (
        lambda to: kills.sidecars(to.tally, to.there, to.folder / "sidecar", to.size.sidecar_kills),
        ("sidecar_kills",),
    ),
    "databases": (
        lambda to: kills.databases(to.tally, to.folder / "spare", to.size.database_kills, to.seed),
        ("database_kills",),
    ),
}
"""Each kind, with the numbers of Size that it takes."""


def run(size: Size, there: Connection, folder: Path, seed: int, only: Collection[str] = ()) -> Tally:
    """Attack this version. there: a Neo4j; folder: an empty one. only: names of ATTACKS; empty: all.

    A kind of attack draws the same examples whether it runs alone or among others.
    """
    assert set(only) <= set(ATTACKS), f"kinds: {', '.join(ATTACKS)}"
    tally = Tally()
    for name, (attack, numbers) in ATTACKS.items():
        if (only and name not in only) or not any(asdict(size)[number] for number in numbers):
            continue
        place = folder / name
        place.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            # of its own also on a server that saw this seed before: what is there already is not committed again
            settle(there, f"faults-{seed}-{name}-{uuid4()}", patch)
            patch.setenv("AMR_DATA_DIR", str(folder / f"{name}-data"))
            attack(Target(tally, random.Random(f"{seed} {name}"), size, there, place))
            _assert_whole(tally, f"graph after {name}")
    return tally


_EVENTS = """
    MATCH (e:Event) WHERE e.group_id STARTS WITH 'faults-'
    RETURN toString(e.node_id) AS owner, EXISTS { (e)-[:IN_CLIP]->(:Clip) } AS has_clip
"""
_VECTORS = "MATCH (m:Embedding {kind: 'event'}) RETURN m.owner AS owner"
_CLIPS = """
    MATCH (c:Clip) WHERE c.group_id STARTS WITH 'faults-' AND NOT (c)-[:OF_VIDEO]->(:Video) RETURN c.clip_id AS clip
"""


def _assert_whole(tally: Tally, name: str) -> None:
    """Nothing is half-written: every event of every group has its clip and its vector, and every clip its video."""
    with tally.kind(name) as row, Memory.open() as memory:
        row.attacks += 1
        events, vectors, clips = (
            memory._parts.database.driver.execute_query(query).records for query in (_EVENTS, _VECTORS, _CLIPS)
        )
        embedded = {vector["owner"] for vector in vectors}
        broken = [event["owner"] for event in events if not event["has_clip"] or event["owner"] not in embedded]
        if broken or clips:
            row.failed["half-written"] = f"without their parts: events {broken[:9]}, clips {clips[:9]}"
