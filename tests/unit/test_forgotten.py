"""Ages at the terminal, names within texts, and spooled analyses that name somebody."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from amr_neo4j.cli.forget import age
from amr_neo4j.domain.forgotten import ForgottenFootage, contains_name
from amr_neo4j.spool.clips import ClipSpool
from tests.support.spooled_clips import clip


def test_an_age_is_read_as_days() -> None:
    assert [age(text) for text in ("30d", "30", "12h", "2w", "0d")] == [30.0, 30.0, 0.5, 14.0, 0.0]
    for text in ("", "d", "-1d", "soon", "1y", "nan"):
        with pytest.raises(typer.BadParameter):
            age(text)


def test_a_name_is_found_as_whole_words() -> None:
    assert contains_name("Here is ANNA.", ["anna"])
    assert not contains_name("Hannah and Annabel", ["anna"])
    assert contains_name("a (girl) waves", ["ben", "girl"])


def test_spooled_analyses_that_name_somebody_are_deleted_from_the_disk(tmp_path: Path) -> None:
    spool = ClipSpool(tmp_path / "clips.db")
    said = {"clip_summary": "Zoë_Müller waves.", "events": []}
    spool.keep(clip(0, said))
    spool.keep(clip(1))
    assert spool.forget_naming("home", "elsewhere", {"zoë müller"}) == 0
    assert spool.forget_naming("home", None, {"zoë müller"}) == 1
    assert dict(spool.waiting("home")) == {"hall": 1}
    assert spool.forget_clips("home", [("hall", "c1"), ("hall", "c9")]) == 1
    spool.close()
    assert all(b"waves" not in file.read_bytes() for file in tmp_path.iterdir())


def test_receipts_add_up() -> None:
    both = ForgottenFootage(clips=1, vectors=2).and_also(ForgottenFootage(clips=2, naming=1))
    assert (both.clips, both.vectors, both.naming) == (3, 2, 1)
