"""Killed and concurrent ingests leave the graph of one undisturbed run."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.real_ingest import (
    KITCHEN,
    Environment,
    Quiet,
    assert_same_as,
    epic_lines,
    forget,
    killed,
    settle,
    started,
    take_in,
)
from tests.support.speaking import silence, spoken


@pytest.fixture
def environment(neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    return settle(neo4j_connection, group_id, monkeypatch)


def test_a_few_kills_leave_no_trace(environment: Environment) -> None:
    """Two kills at seeded moments of an evening of the example household."""
    _hold(KITCHEN / "kitchen_evening.jsonl", kills=2, within=0.4, seed=467, environment=environment)


def test_concurrent_processes_write_what_one_writes(environment: Environment) -> None:
    """Four at once, two of them of the same video: the same digest, no gap, nothing twice."""
    take_in(KITCHEN)
    with Memory.open() as memory:
        quiet = Quiet.of(memory)
        forget(memory)
    videos = sorted(KITCHEN.glob("*.jsonl"))
    together = [started(video, environment) for video in [*videos, videos[0]]]
    assert [process.wait() for process in together] == [0] * len(together)
    with Memory.open() as memory:
        assert_same_as(quiet, memory)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_twenty_kills_of_a_long_ingest_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    """Twenty kills over the 17,841 records of EPIC-KITCHENS."""
    _hold(epic_lines(tmp_path), kills=20, within=5.0, seed=2, environment=environment)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_twenty_kills_of_a_film_with_talk_leave_the_same_turns(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said, and by which voice, follows from the film alone, wherever a run begins."""
    monkeypatch.setenv("TARGET_CLIP_SEC", "2")
    environment = {**environment, "TARGET_CLIP_SEC": "2"}
    lines = [
        f"{name} put the {thing} on the table." for name in ("Anna", "Peter") for thing in ("key", "book", "letter")
    ]
    made = [
        np.concatenate([spoken(line, tmp_path, voice=f"en-us+{'mf'[number % 2]}3"), silence(0.7)])
        for number, line in enumerate(lines * 3)
    ]
    film = tmp_path / "talk.mkv"
    # Nothing moves: of what moves, a run that begins in the middle knows one clip's length before.
    pictures = ("-f", "lavfi", "-i", "color=s=320x240:r=5")
    sound = ("-f", "f32le", "-ar", "16000", "-ac", "1", "-i", "pipe:")
    command = ["ffmpeg", "-v", "error", *pictures, *sound, "-shortest", "-c:a", "flac", str(film)]
    subprocess.run(command, input=np.concatenate(made).tobytes(), check=True)
    _hold(film, kills=20, within=0.5, seed=7, environment=environment)
    with Memory.open() as memory:
        [video] = memory.videos()
        assert {said.speaker for said in memory.transcript(video.video_id)} >= {"voice 1", "voice 2"}


def _hold(source: Path, *, kills: int, within: float, seed: int, environment: Environment) -> None:
    """Ingest undisturbed and hash; delete all; ingest under kills, finish, and compare.

    within: seconds after the first commit of a run in which it is killed.
    """
    take_in(source)
    with Memory.open() as memory:
        quiet = Quiet.of(memory)
        forget(memory)
    moments = random.Random(seed)
    done = [killed(source, environment, after=moments.uniform(0.0, within)) for _ in range(kills)]
    assert any(done), "no kill came in time to interrupt anything"
    take_in(source)
    with Memory.open() as memory:
        assert_same_as(quiet, memory)
        assert memory.ingest(source).committed == 0
