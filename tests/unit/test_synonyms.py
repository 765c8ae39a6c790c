"""The word net's index becomes a small table of senses."""

from __future__ import annotations

from pathlib import Path

from amr_neo4j.local_models.synonyms import convert, senses

INDEX = """\
  1 This software and database is being provided to you, the LICENSEE
holiday n 2 3 @ ~ + 2 2 15162842 15208263
vacation n 2 3 @ ~ + 2 1 15162842 01256252
motion_picture n 1 2 @ ~ 1 0 06626039
movie n 1 2 @ ~ 1 1 06626039
set n 4 2 @ ~ 4 4 00000001 00000002 00000003 00000004
aardvark n 1 1 @ 1 0 02084992
"""


def test_nouns_that_share_a_sense_are_kept_with_their_first_two(tmp_path: Path) -> None:
    (tmp_path / "index.noun").write_text(INDEX, encoding="utf-8")
    convert(tmp_path, tmp_path)
    assert senses(tmp_path) == {
        "holiday": [15162842, 15208263],
        "vacation": [15162842, 1256252],
        "motion picture": [6626039],
        "movie": [6626039],
    }
