"""An ingest by workers of Ray gives the graph of a quiet run, whichever of them die on the way."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import InputError
from amr_neo4j.localdb import Connection
from amr_neo4j.ray_tasks import ATTEMPTS, LOCAL, Done, Lost, run_each
from tests.support.films import pattern
from tests.support.ray_work import command_lines, doubled_or_dead, listening, workers
from tests.support.real_ingest import KITCHEN, Environment, Quiet, assert_same_as, forget, heeding_ctrl_c, settle

# Ray is not imported here: what it reads on import is set by ray_tasks.
pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed")


@pytest.fixture
def environment(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Environment:
    monkeypatch.setenv("AMR_DATA_DIR", str(tmp_path / "data"))
    return settle(neo4j_connection, group_id, monkeypatch)


def test_a_task_whose_worker_dies_each_time_is_lost_and_the_others_are_done() -> None:
    lines: list[str] = []
    outcomes = list(run_each(LOCAL, doubled_or_dead, [1, -1, 2], lines.append))
    assert {each.task: each.result for each in outcomes if isinstance(each, Done)} == {1: 2, 2: 4}
    assert [each.task for each in outcomes if isinstance(each, Lost)] == [-1]
    assert len(lines) == ATTEMPTS - 1


def test_a_local_ray_listens_on_the_loopback_alone() -> None:
    [done] = run_each(LOCAL, listening, [0], lambda line: None)
    assert isinstance(done, Done)
    assert done.result
    assert [each for each in done.result if not each.startswith(("127.0.0.1:", "[::ffff:127.0.0.1]:"))] == []


def test_a_film_that_cannot_be_taken_stops_no_other(environment: Environment, tmp_path: Path) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    pattern(folder / "one.mp4", 1)
    pattern(folder / "two.mp4", 1)
    (folder / "broken.mp4").write_bytes(b"no film")
    seen: list[str] = []
    with Memory.open() as memory:
        report = memory.ingest(folder, on="local", watch=lambda progress: seen.append(Path(progress.source).name))
        assert (report.committed, report.rejected) == (2, 1)
        assert sorted(seen) == ["broken.mp4", "one.mp4", "two.mp4"]
        again = memory.ingest(folder / "one.mp4", on="local")
        assert (again.committed, again.unchanged) == (0, 1)
        with pytest.raises(InputError, match="complete"):
            memory.ingest(folder / "one.mp4", on="local", follow=True)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_workers_killed_among_fifty_videos_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    folder = _fifty_videos(tmp_path / "videos")
    with Memory.open() as memory:
        assert memory.ingest(folder).committed == 50 * _CLIPS
        quiet = Quiet.of(memory)
        forget(memory)
    killed = _ingest_killing(folder, environment, kills=2, seed=22)
    assert killed == 2
    with Memory.open() as memory:
        assert_same_as(quiet, memory)
        assert memory.ingest(folder).committed == 0


_CLIPS = 6


def _fifty_videos(folder: Path) -> Path:
    """The recorded analyses of the example household in 50 videos, a file each."""
    folder.mkdir()
    evenings = [file.read_text().splitlines() for file in sorted(KITCHEN.glob("*.jsonl"))]
    for number in range(50):
        lines = evenings[number % len(evenings)]
        first = number % (len(lines) - _CLIPS)
        some = map(json.loads, lines[first : first + _CLIPS])
        named = (clip | {"video_id": f"v{number}", "clip_id": f"c{at}"} for at, clip in enumerate(some))
        (folder / f"v{number:02}.jsonl").write_text("".join(f"{json.dumps(clip)}\n" for clip in named))
    return folder


def _ingest_killing(folder: Path, environment: Environment, *, kills: int, seed: int) -> int:
    """Run the real command, and kill so many of its workers, each at a random moment. Returns the number killed."""
    moments, killed = random.Random(seed), 0
    command = [sys.executable, "-m", "amr_neo4j", "ingest", str(folder), "--on", "local"]
    with subprocess.Popen(command, env=environment, preexec_fn=heeding_ctrl_c) as process:  # noqa: PLW1509
        try:
            while process.poll() is None:
                busy = workers(process.pid)
                if killed < kills and busy:
                    time.sleep(moments.uniform(0.0, 3.0))
                    busy = [pid for pid in busy if pid in workers(process.pid)]
                    if busy:
                        assert environment["NEO4J_PASSWORD"] not in command_lines(process.pid)
                        os.kill(moments.choice(busy), signal.SIGKILL)
                        killed += 1
                time.sleep(0.05)
        finally:
            process.kill()
    assert process.returncode == 0
    return killed
