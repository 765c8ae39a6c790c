"""The libraries that we load report nothing to their makers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_EMBED = """
import sys
from pathlib import Path
from amr_neo4j.embedders.e5 import E5
print(E5(Path(sys.argv[1])).embed(["w1 w2"]).shape)
"""
# A worker that is started anew, as those of a process pool are.
_EMBED_IN_A_WORKER = """
import subprocess, sys
import amr_neo4j
subprocess.run([sys.executable, "-c", "import onnxruntime"], check=True)
print((1, 384))
"""


@pytest.mark.parametrize("code", [_EMBED, _EMBED_IN_A_WORKER], ids=["embedding", "worker"])
def test_onnxruntime_leaves_no_device_id_in_the_home_folder(code: str, e5_folder: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / ".cache")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(e5_folder)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "(1, 384)\n"
    assert not list(tmp_path.rglob("*"))
