from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.errors import DatabaseError
from amr_neo4j.localdb import record as records
from amr_neo4j.localdb.record import Record


def test_a_saved_record_is_loaded(tmp_path: Path) -> None:
    assert records.load(tmp_path) is None
    records.save(tmp_path, Record("maven", 20000, 20001, pid=7))
    records.save(tmp_path, Record("maven", 20002, 20003))
    loaded = records.load(tmp_path)
    assert loaded
    assert loaded == replace(Record("maven", 20002, 20003), folder=str(tmp_path), inode=tmp_path.stat().st_ino)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"engine": "maven"}'])
def test_a_damaged_record_is_an_error_with_advice(tmp_path: Path, text: str) -> None:
    (tmp_path / "database.json").write_text(text)
    with pytest.raises(DatabaseError, match=r"damaged .*delete"):
        records.load(tmp_path)


def test_only_the_user_can_read_the_password(tmp_path: Path) -> None:
    home = tmp_path / "neo4j"
    made = records.make_password(home)
    assert records.password(home) == made
    assert records.password_file(home).stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_password_is_no_option_of_a_command(tmp_path: Path) -> None:
    """neo4j-admin refused one that begins with "-", and with "-h" printed its help and set none."""
    assert all(records.make_password(tmp_path).isalnum() for _ in range(300))


def test_passwords_differ(tmp_path: Path) -> None:
    assert records.make_password(tmp_path / "a") != records.make_password(tmp_path / "b")


def test_a_lost_password_is_an_error_with_advice(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="restore it, or run: amr db destroy"):
        records.password(tmp_path)


@given(name=st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=30))
def test_each_data_folder_has_its_own_neighbouring_ports(name: str) -> None:
    """A data folder gets the same two neighbouring free ports while they are free, outside the ephemeral range."""
    home = Path("/somewhere") / name
    bolt, http = records.free_pair(home)
    assert (bolt, http) == records.free_pair(home)
    assert http == bolt + 1
    assert 20_000 <= bolt < 32_000
