"""Ages at the terminal, names within texts, and spooled analyses that name somebody."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import typer

from amr_neo4j.app import forgetting as of_forgetting
from amr_neo4j.cli.forget import age
from amr_neo4j.domain.forgotten import ForgottenFootage, contains_name
from amr_neo4j.spool.clips import ClipSpool
from tests.support.spooled_clips import VIDEO, clip


def test_an_age_is_read_as_days() -> None:
    assert [age(text) for text in ("30d", "30", "12h", "2w", "0d")] == [30.0, 30.0, 0.5, 14.0, 0.0]
    for text in ("", "d", "-1d", "soon", "1y", "nan"):
        with pytest.raises(typer.BadParameter):
            age(text)


def test_a_name_is_found_as_whole_words() -> None:
    assert contains_name("Here is ANNA.", ["anna"])
    assert not contains_name("Hannah and Annabel", ["anna"])
    assert contains_name("a (girl) waves", ["ben", "girl"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hello, Ann-Kathrin!", "ann kathrin"),
        ("Hello O'Neil.", "oneil"),
        ("Hello D’Angelo.", "dangelo"),
        ("Good evening, Mrs. Smith.", "mrs smith"),
        ("Ask J. R. Ewing.", "j r ewing"),
        ("Ask J.R. Ewing.", "j r ewing"),
        ("Herr Weiß kommt.", "weiss"),
        ("WILL, come here!", "Will"),
        ("That is Will's.", "Will"),
    ],
)
def test_a_name_is_found_as_it_is_written(text: str, name: str) -> None:
    assert contains_name(text, [name])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I will come.", "Will"),
        ("Goodwill", "Will"),
        ("We'll come.", "well"),
        ("I'm here.", "im"),
        ("Mrs., said Smith", "mrs smith"),
    ],
)
def test_what_is_no_name_is_none(text: str, name: str) -> None:
    assert not contains_name(text, [name])


def test_spooled_analyses_that_name_somebody_are_deleted_from_the_disk(tmp_path: Path) -> None:
    spool = ClipSpool(tmp_path / "clips.db")
    said = {"clip_summary": "Zoë_Müller waves.", "events": []}
    spool.keep(clip(0, said))
    spool.keep(clip(1))
    names = {"hall": {"zoë müller"}, "elsewhere": set[str]()}
    assert spool.forget_naming("home", "elsewhere", names.__getitem__) == 0
    assert spool.forget_naming("home", None, lambda _: names["elsewhere"]) == 0, "a name of another video"
    assert spool.forget_naming("home", None, names.__getitem__) == 1
    assert dict(spool.waiting("home")) == {"hall": 1}
    assert spool.forget_clips("home", [("hall", "c1"), ("hall", "c9")]) == 1
    spool.close()
    assert all(b"waves" not in file.read_bytes() for file in tmp_path.iterdir())


def test_spooled_analyses_are_as_old_as_their_film_says(tmp_path: Path) -> None:
    """Without a wall clock, as old as their entry; one that does not tell counts as old."""
    kept = datetime(2026, 3, 1, tzinfo=UTC)
    spool = ClipSpool(tmp_path / "clips.db", now=lambda: kept)
    hall = replace(VIDEO, recorded_at=kept - timedelta(days=9))
    spool.keep(clip(0, video=hall))
    spool.keep(clip(1, video=hall))
    spool.keep(clip(2))
    seconds = timedelta(seconds=10)
    for moment, ended in ((0 * seconds, 0), (seconds, 1), (2 * seconds, 2), (timedelta(days=9), 3)):
        assert len(spool.ended_by("home", None, kept - timedelta(days=9) + moment)) == ended
    assert spool.ended_by("home", "elsewhere", kept) == spool.ended_by("other", None, kept) == []
    with spool.transaction() as db:
        db.execute("UPDATE analysed SET said = json_remove(said, '$.ended') WHERE clip_id = 'c1'")
        db.execute("UPDATE analysed SET said = 'damaged' WHERE clip_id = 'c2'")
    assert spool.ended_by("home", "hall", datetime(1999, 1, 1, tzinfo=UTC)) == [("hall", "c1"), ("hall", "c2")]
    spool.close()


def test_receipts_add_up() -> None:
    both = ForgottenFootage(clips=1, vectors=2).and_also(ForgottenFootage(clips=2, naming=1))
    assert (both.clips, both.vectors, both.naming) == (3, 2, 1)


def test_a_folder_goes_although_a_server_writes_there_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, remove, written = tmp_path / "served", shutil.rmtree, list[Path]()

    def rmtree(path: Path) -> None:
        """As if a picture was cut after the folder was listed, and another call removed it then."""
        if not written:
            written.append(path / "late.jpg")
            for each in path.iterdir():
                each.unlink()
            written[0].touch()
            path.rmdir()
        remove(path)

    monkeypatch.setattr(shutil, "rmtree", rmtree)
    folder.mkdir()
    (folder / "early.jpg").touch()
    of_forgetting._remove(folder)
    assert written and not folder.exists()
