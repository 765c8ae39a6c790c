"""amr models, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from amr_neo4j.cli.models import app
from amr_neo4j.errors import InputError
from amr_neo4j.local_models import registry


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMR_CACHE_DIR", str(tmp_path))


def test_list_shows_installed_and_missing_models() -> None:
    result = CliRunner().invoke(app, ["list"])
    assert result.exit_code == 0
    for name, model in registry.manifest().items():
        assert name in result.stdout
        assert model.licence in result.stdout
    unasked = len(registry.manifest()) + 1  # with speech, which is installed only when named
    assert result.stdout.count("not installed") == unasked


def test_list_as_json(tmp_path: Path) -> None:
    rows = json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)
    assert [row["name"] for row in rows] == [*registry.manifest(), "speech"]
    assert not any(row["installed"] for row in rows)
    assert rows[0]["path"] == str(tmp_path / "models" / "e5" / "1.11.0-beta19")


def test_an_unknown_name_is_an_amr_error() -> None:
    """The command line prints such an error in one line, with its advice and exit code."""
    result = CliRunner().invoke(app, ["install", "gpt"])
    assert isinstance(result.exception, InputError)
    assert "known: e5, multilingual-e5" in result.exception.hint


@pytest.mark.parametrize("command", ["install", "list"])
def test_help_shows_an_example(command: str) -> None:
    assert f"amr models {command}" in CliRunner().invoke(app, [command, "--help"]).stdout
