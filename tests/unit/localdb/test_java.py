from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.errors import ToolError
from amr_neo4j.localdb import java
from tests.unit.localdb import programs


def test_java_home_takes_precedence_over_path(bin_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs.java(bin_dir.parent, 17)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "mine"))
    mine = programs.java(tmp_path / "mine", 21)
    assert java.find() == java.Java(mine, 21, has_vector=False)


def test_an_outdated_java_is_skipped(bin_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    programs.java(tmp_path / "old", 11)
    on_path = programs.java(bin_dir.parent, 17)
    assert java.find().path == on_path


def test_a_java_installed_beside_the_default_is_found(bin_dir: Path, tmp_path: Path) -> None:
    programs.java(bin_dir.parent, 25)
    beside = programs.java(tmp_path / "jvm" / "java-21-openjdk", 21)
    assert java.find().path == beside


def test_the_error_names_what_was_tried(bin_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    programs.install(bin_dir / "java", "echo 'Error: no libjvm.so' >&2; exit 1")
    with pytest.raises(ToolError, match=r"JAVA_HOME has no working Java at .*gone.*; PATH has no working Java"):
        java.find()


def test_the_installed_java_is_accepted() -> None:
    assert java.find().major in java.SUPPORTED
