"""A machine without Docker, Maven or Java, and a user with nothing yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.localdb import java
from amr_neo4j.settings import Settings


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All of PATH but the shell's own programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "cat", "mkdir", "touch"):
        (folder / name).symlink_to(Path("/bin", name))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java, "SYSTEM", tmp_path / "jvm")
    monkeypatch.setattr(java, "EXTRA", "no_such_extra")
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")
