"""`amr ingest` of a film by a model, in a process of its own that may be killed and resumed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from amr_neo4j.errors import ModelFailed
from tests.support.model_film import FilmModel
from tests.support.real_ingest import ROOT, Environment
from tests.support.seeing import EYES, REFINER

CLIP_SEC = 0.1
AT_ONCE = 4


def settle_models(folder: Path, patch: pytest.MonkeyPatch, **settings: str) -> None:
    """Settings with short clips and few retries, for processes and for Memory alike."""
    patch.setenv("AMR_DATA_DIR", str(folder / "data"))
    patch.setenv("TARGET_CLIP_SEC", str(CLIP_SEC))
    patch.setenv("AMR_ANALYSE__MODEL", EYES)
    patch.setenv("AMR_ANALYSE__TIMEOUT_S", "1.0")
    patch.setenv("AMR_ANALYSE__AT_ONCE", str(AT_ONCE))
    patch.setenv("AMR_REFINE__MODEL", REFINER)
    for name, value in settings.items():
        patch.setenv(name, value)


@dataclass
class Run:
    """environment: of the process; model: the scripted model."""

    film: Path
    model: FilmModel
    environment: Environment

    @classmethod
    def asking(cls, url: str, film: Path, model: FilmModel, environment: Mapping[str, str]) -> Run:
        """With the model behind this base URL for what it sees and what else is asked of it."""
        providers = {f"AMR_{role}__PROVIDER": url for role in ("ANALYSE", "REFINE")}
        return cls(film, model, {**environment, **providers})

    def killed(self, asked: int, delay: float) -> bool:
        """Start the ingest, and kill it `delay` seconds after `asked` more requests; False if it ended before."""
        goal = self.model.asked + asked
        with self._started() as process:
            while self.model.asked < goal and process.poll() is None:
                time.sleep(0.01)
            time.sleep(delay)
            ended = process.poll() is not None
            process.kill()
        return not ended

    def to_the_end(self) -> None:
        """Run until no failed clip is left."""
        code = self._code()
        for _ in range(60):
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
