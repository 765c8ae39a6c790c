"""The reader's expressions are kept compiled: the next process takes them from the file, and any damage is mended."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j.turn_reader import expressions
from amr_neo4j.turn_reader.expressions import compiled, keep_in

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
