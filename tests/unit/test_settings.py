"""Settings: which source wins, where each value came from, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_neo4j.errors import ConfigError
from amr_neo4j.settings import load, origins


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "amr.yaml"
    monkeypatch.setenv("AMR_CONFIG", str(path))
    return path


def test_an_argument_wins_over_the_environment_and_that_over_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("group: file\nTARGET_CLIP_SEC: 5\nNEO4J_USERNAME: file\nmax_hops: 2\n")
    monkeypatch.setenv("TARGET_CLIP_SEC", "6")
    monkeypatch.setenv("NEO4J_USER", "environment")
    settings = load(target_clip_sec=7.0, group="argument")
    assert (settings.group, settings.target_clip_sec) == ("argument", 7.0)
    assert (settings.neo4j_username, settings.max_hops) == ("environment", 2)


def test_every_setting_tells_where_it_came_from(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("group: file\nTARGET_CLIP_SEC: 5\n")
    monkeypatch.setenv("NEO4J_USER", "environment")
    monkeypatch.setenv("NEO4J_URI", "")
    found = origins(load(max_hops=1), max_hops=1, embedder=None)
    assert (found["group"], found["target_clip_sec"]) == (str(file), str(file))
    assert (found["neo4j_username"], found["max_hops"]) == ("NEO4J_USER", "argument")
    assert (found["neo4j_uri"], found["embedder"]) == ("default", "default")


def test_a_file_named_as_an_argument_stands_in_for_the_one_in_the_environment(file: Path, tmp_path: Path) -> None:
    file.write_text("group: environment")
    other = tmp_path / "other.yaml"
    other.write_text("group: argument")
    assert load(config=other).group == "argument"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grup: home", "there is no setting grup"),
        ("max_hops: many", "setting max_hops"),
        ("group: [", "cannot read"),
        ("- group", "holds no settings"),
        ("3: 4", "there is no setting 3"),
        ("group: \x00", "cannot read"),
    ],
)
def test_a_mistake_in_the_file_is_one_line(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        load()
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_named_file_must_be_there(file: Path) -> None:
    with pytest.raises(ConfigError, match="no file"):
        load()


def test_a_complaint_about_a_secret_does_not_repeat_it(file: Path) -> None:
    file.write_text("neo4j_password: 12345678")
    with pytest.raises(ConfigError) as caught:
        load()
    assert "12345678" not in str(caught.value)


def test_the_embedder_is_the_one_for_the_language_unless_it_is_named() -> None:
    assert load().embedder == "minilm"
    assert load(language="de").embedder == "use"
    assert load(language="de", embedder="minilm").embedder == "minilm"
