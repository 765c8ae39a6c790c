"""The real `amr`, as a user runs it, in a group of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from amr_neo4j.cli.main import main
from amr_neo4j.errors import ModelMissing
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load

Done = subprocess.CompletedProcess[str]
Json = dict[str, Any]


@dataclass(frozen=True)
class Amr:
    """The command in a group of its own: as a process, or in this process if that tests as much."""

    server: dict[str, str]

    @property
    def environment(self) -> dict[str, str]:
        return dict(os.environ) | self.server

    def of(self, group_id: str) -> Amr:
        """The same for another group."""
        return Amr(self.server | {"AMR_GROUP": group_id})

    def __call__(self, *arguments: str, stdin: str = "", code: int = 0) -> Done:
        command = [sys.executable, "-m", "amr_neo4j", *arguments]
        done = subprocess.run(
            command, input=stdin, env=self.environment, capture_output=True, text=True, timeout=200, check=False
        )
        return _as_expected(done, code)

    def here(self, *arguments: str, code: int = 0) -> Done:
        said, complained = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(complained):
            for name, value in self.server.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        assert isinstance(ended.value.code, int)
        return _as_expected(Done(arguments, ended.value.code, said.getvalue(), complained.getvalue()), code)

    def refused(self, *arguments: str, code: int) -> str:
        """The line that says why a command was refused. Else it prints only its advice, and what it has begun."""
        done = self.here(*arguments, code=code)
        assert done.stdout == ""
        said, advice = (line for line in done.stderr.splitlines() if not line.endswith(" ..."))
        assert said.startswith("amr: ")
        assert advice.startswith("     ") and advice.strip()
        return said

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.here(*arguments, "--json", code=code).stdout)

    def items(self, *arguments: str) -> list[Any]:
        """The items of a page."""
        return self.json(*arguments)["items"]


def _as_expected(done: Done, code: int) -> Done:
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    return done


def amr_at(there: Connection, data_dir: Path) -> Amr:
    """The command with a Neo4j and a folder of its own. Skips where the embedder is missing."""
    try:
        model_dir(load(), "e5")
    except ModelMissing as error:
        pytest.skip(str(error))
    server = {
        "NEO4J_URI": there.uri,
        "NEO4J_USERNAME": there.username,
        "NEO4J_PASSWORD": there.password,
        "AMR_GROUP": f"test-{uuid4()}",
        "AMR_DATA_DIR": str(data_dir),
    }
    return Amr(server)
