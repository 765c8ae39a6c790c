"""Paths of films that moved."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from amr_neo4j.app.relocating import relocate
from amr_neo4j.errors import InputError

BROKEN = [Path("film\ud800.mp4"), Path("film\udcff.mp4")]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_path_that_is_not_utf_8_is_refused_before_the_graph_is_asked(broken: Path) -> None:
    no_graph = cast(Any, None)
    for old, new in ((broken, Path("new.mp4")), (Path("old.mp4"), broken)):
        with pytest.raises(InputError, match="is not valid UTF-8"):
            relocate(no_graph, "home", old, new, dry_run=True)
