"""The unit of systemd in examples/, by systemd's own check."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[2] / "examples" / "amr-serve.service"


def test_systemd_accepts_the_unit_of_the_server(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    installed = tmp_path / UNIT.name
    # The command of the unit is installed on no machine that tests it.
    text = UNIT.read_text("utf-8")
    assert "ExecStart=/opt/amr/bin/amr serve " in text
    installed.write_text(text.replace("/opt/amr/bin/amr", sys.executable), "utf-8")
    checked = subprocess.run(
        ["systemd-analyze", "verify", installed], capture_output=True, text=True, check=False, timeout=120
    )
    assert (checked.returncode, checked.stderr) == (0, "")
