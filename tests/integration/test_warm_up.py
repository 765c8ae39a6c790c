"""Memory.warm_up does what the first question would wait for."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from amr_neo4j.app import asking
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking


def test_it_asks_once_and_sets_what_is_loaded_apart(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, search, frozen = list[str](), asking.search, gc.get_freeze_count()
    monkeypatch.setattr(
        asking, "search", lambda text, *rest, **more: asked.append(text) or search(text, *rest, **more)
    )
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        memory.remember([{"content": "The kettle is on the shelf"}], user_id="anna", session_id="s")
        memory.warm_up()
        assert len(asked) == 1 and gc.get_freeze_count() > frozen
