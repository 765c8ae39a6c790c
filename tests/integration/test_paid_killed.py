"""Runs whose model fails in every way and which are killed: they leave the quiet run's graph, paid for once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import ModelFailed
from amr_neo4j.localdb import Connection
from tests.films import pattern
from tests.model_film import FAULTS, FilmModel
from tests.model_server import ModelServer
from tests.real_ingest import ROOT, Environment, assert_same_as, forget, settle

CLIP_SEC = 0.1
AT_ONCE = 4
RATES = dict.fromkeys(FAULTS, 0.05)


@dataclass
class Run:
    """An `amr ingest` of a film by a model, in a process of its own."""

    film: Path
    model: FilmModel
    environment: Environment

    def killed(self, asked: int, delay: float) -> bool:
        """Begin, and kill it `delay` seconds after so many more requests; False where it ended before."""
        goal = self.model.asked + asked
        with self._started() as process:
            while self.model.asked < goal and process.poll() is None:
                time.sleep(0.01)
            time.sleep(delay)
            ended = process.poll() is not None
            process.kill()
        return not ended

    def to_the_end(self) -> None:
        """Until no clip is left that failed."""
        code = self._code()
        for _ in range(5):
            if code != ModelFailed.exit_code:
                break
            code = self._code("--retry-failed")
        assert code == 0

    def _code(self, *options: str) -> int:
        with self._started(*options) as process:
            return process.wait()

    def _started(self, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "amr_neo4j", "ingest", str(self.film), *options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, **quiet)


@pytest.fixture
def environment(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Environment]:
    monkeypatch.setenv("AMR_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("AMR_TARGET_CLIP_SEC", str(CLIP_SEC))
    monkeypatch.setenv("AMR_ANALYSE__TIMEOUT_S", "1.0")
    monkeypatch.setenv("AMR_ANALYSE__AT_ONCE", str(AT_ONCE))
    monkeypatch.setenv("AMR_REFINE__CALLS", "[]")
    return settle(neo4j_connection, group_id, monkeypatch)


def test_a_kill_and_every_fault_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    _hold(tmp_path, environment, clips=24, kills=1, seed=7)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_three_kills_of_720_clips_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    _hold(tmp_path, environment, clips=720, kills=3, seed=8)


def _hold(folder: Path, environment: Environment, *, clips: int, kills: int, seed: int) -> None:
    """Analyse in peace and count; forget it all; analyse among faults and kills, finish, and compare."""
    film = pattern(folder / "film.mp4", clips * CLIP_SEC)
    with ModelServer(FilmModel()) as server, Memory.open(analyse={"provider": server.url}) as memory:
        assert memory.ingest(film).committed == clips
        quiet = memory.digest()
        forget(memory)
    model, moments = FilmModel(RATES, seed), random.Random(seed)
    with ModelServer(model) as server:
        run = Run(film, model, {**environment, "AMR_ANALYSE__PROVIDER": server.url})
        share = clips // (kills + 1)
        assert all(run.killed(share, moments.uniform(0.0, 0.1)) for _ in range(kills)), "one ended before its kill"
        run.to_the_end()
    with Memory.open() as memory:
        assert_same_as(quiet, memory)
        assert memory._clip_spool.waiting(memory.group_id) == {}
    assert len(model.said) == clips
    paid_twice = sum(model.said.values()) - clips
    assert paid_twice <= kills * AT_ONCE, "a kill may cost the calls that were under way"
