"""The reader's expressions are kept compiled: the next process takes them from the file, and any damage is mended."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j.turn_reader import expressions
from amr_neo4j.turn_reader.expressions import compile_once, compiled, keep_in

SOURCE = r"(?<!\S)(?:(?P<who>ich|wir) )?(?P<verb>wohn(?:e|en)) (?i:in) (?P<where>(?:[^\s,]+ )+?)(?=,|$)"
TEXT = "wir wohnen IN bad homburg ,"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(expressions, "_kept", None)
    file = tmp_path / "new" / "expressions.sqlite"
    keep_in(file)
    yield file
    keep_in.cache_clear()


def again(file: Path) -> re.Pattern[str]:
    """Compile as another process does."""
    keep_in.cache_clear()
    keep_in(file)
    return compiled(SOURCE)


def test_what_is_kept_matches_as_what_is_compiled(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(SOURCE)
    monkeypatch.setattr(expressions, "_compile", lambda _source: pytest.fail("compiled once more"))
    plain, kept = re.compile(SOURCE), again(file)
    for pattern in (made, kept):
        assert (pattern.flags, pattern.groups, pattern.groupindex) == (plain.flags, plain.groups, plain.groupindex)
        found, expected = pattern.search(TEXT), plain.search(TEXT)
        assert found and expected
        assert found.groupdict() == expected.groupdict()
        assert found.lastgroup == expected.lastgroup


@pytest.mark.parametrize("damage", [b"", b"\0\0\0\2[]", b"no numbers"])
def test_damage_is_compiled_again(file: Path, damage: bytes) -> None:
    compiled(SOURCE)
    with sqlite3.connect(file) as rows:
        rows.execute("UPDATE expressions SET compiled = ?", (damage,))
    assert again(file).search(TEXT)
    with sqlite3.connect(file) as rows:
        assert rows.execute("SELECT compiled FROM expressions").fetchone() != (damage,)


def test_a_file_that_cannot_be_used_costs_time_alone(file: Path, tmp_path: Path) -> None:
    text, folder = tmp_path / "text", tmp_path / "folder"
    text.write_text("no database" * 100)
    folder.mkdir()
    assert again(text).search(TEXT)
    assert again(folder).search(TEXT)
    assert again(text / "below").search(TEXT)


def test_all_are_compiled_by_the_first_process_alone(file: Path) -> None:
    compiling: list[str] = []
    for name in ("rules of today", "rules of today", "rules of tomorrow", "rules of today"):
        compile_once(name, lambda name=name: compiling.append(name))
        again(file)
    assert compiling == ["rules of today", "rules of tomorrow"]


def test_a_process_that_was_stopped_while_it_compiled_leaves_the_rest_to_the_next(file: Path) -> None:
    compiling: list[str] = []

    def stopped() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_once("rules", stopped)
    again(file)
    compile_once("rules", lambda: compiling.append("rules"))
    assert compiling == ["rules"]


def test_without_a_file_every_process_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "_kept", None)
    compiling: list[int] = []
    for number in range(2):
        compile_once("rules", lambda number=number: compiling.append(number))
    assert compiling == [0, 1]
