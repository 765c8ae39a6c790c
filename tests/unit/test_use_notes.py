"""What is noted of facts that are asked for, and of searches of a model."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from amr_neo4j.app import chatting, use_notes
from amr_neo4j.app.chatting import CountUse, LiveChats, NoteHints
from amr_neo4j.app.passive_recall import PassiveRecall
from amr_neo4j.app.use_notes import UseNotes
from amr_neo4j.domain.belief import ShownFact
from amr_neo4j.domain.budget import Budget
from amr_neo4j.domain.fact import Hinted, Triple, fact_id
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.recall import Held, Recalled
from amr_neo4j.errors import StoreRefused, StoreUnavailable
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.spool.turns import Spool
from amr_neo4j.store.read.facts import FactChanges, Forgettings, StoredFacts
from amr_neo4j.turn_reader.understand import read_by_rules

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TEA = Recalled("fact", "You like tea", 0.7, NOW, None, fact_id="tea")
TURN = Recalled("turn", "anna: hi", 0.7, NOW, None)


def test_notes_are_written_together_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, str, dict[str, int], list[ShownFact]]] = []

    def write(group_id: str, user_id: str, counts: Mapping[str, int], shown: Sequence[ShownFact]) -> None:
        written.append((group_id, user_id, dict(counts), list(shown)))

    notes = UseNotes(write, lambda: NOW)
    notes.asked("home", "anna", [TEA, TURN])
    notes.asked("home", "anna", [TEA])
    notes.asked("home", "", [TEA])
    notes.searched("home", "anna", found=True)
    notes.searched("home", "anna", found=False)
    assert not written
    notes.flush()
    notes.flush()
    counts = {"searched": 2, "search_helped": 1}
    assert written == [("home", "anna", counts, [ShownFact("tea", NOW, asked=True)])]
    monkeypatch.setattr(use_notes, "_EVERY", 0.0)
    notes.asked("home", "ben", [TEA])
    assert written[1][1] == "ben"


class Outage:
    """Fails the first `times` calls. written: what the later ones got."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.written: list[tuple[str, dict[str, int], list[ShownFact]]] = []

    def __call__(self, *given: Any) -> None:
        if self.left:
            self.left -= 1
            raise StoreUnavailable("away")
        [*_, user_id, counts, shown] = given
        self.written.append((user_id, {name: n for name, n in counts.items() if n}, list(shown)))


def test_what_was_asked_for_during_an_outage_is_noted_after_it() -> None:
    write = Outage(1)
    notes = UseNotes(write, lambda: NOW)
    notes.asked("home", "anna", [TEA])
    notes.searched("home", "anna", found=True)
    notes.flush()
    notes.searched("home", "anna", found=True)
    notes.flush()
    notes.flush()
    counts = {"searched": 2, "search_helped": 2}
    assert write.written == [("anna", counts, [ShownFact("tea", NOW, asked=True)])]


def test_a_note_that_the_graph_refuses_is_not_tried_for_ever() -> None:
    def refused(*_: object) -> None:
        tried.append(1)
        raise StoreRefused("no")

    tried: list[int] = []
    notes = UseNotes(refused, lambda: NOW)
    notes.asked("home", "anna", [TEA])
    notes.flush()
    notes.flush()
    assert tried == [1]


class EmptyGraph:
    """Holds nothing of any user."""

    def forgettings(self, user_ids: Sequence[str]) -> dict[str, Forgettings]:
        return dict.fromkeys(user_ids, Forgettings(1, 0, 1, 0))

    def active(self, user_id: str, limit: int) -> list[Any]:
        return []

    def changed(self, since: Mapping[str, datetime]) -> dict[str, FactChanges]:
        return dict.fromkeys(since, FactChanges())

    def updated(self, user_id: str, since: datetime) -> tuple[list[Any], list[Any], datetime]:
        return [], [], since

    def said_turns(self, user_id: str, after: int, limit: int) -> tuple[list[Any], int]:
        return [], after

    def still_recalled(self, user_id: str, held: Held) -> Held:
        return frozenset()


def chats_of(
    spool: Spool,
    commit: Callable[[], object] = lambda: None,
    count_use: CountUse = lambda *given: None,
    note_hints: NoteHints = lambda user_id, turns: list(turns),
    notify: Notify = print,
) -> LiveChats:
    """Live conversations beside an empty graph."""
    return LiveChats(
        group_id="home",
        language=ENGLISH,
        options=HotOptions(),
        spool=spool,
        facts=cast(StoredFacts, EmptyGraph()),
        commit=commit,
        count_use=count_use,
        note_hints=note_hints,
        last_turns=lambda session, most: [],
        recall=PassiveRecall(cast(Any, None), count=len, budget=Budget(), enabled=False),
        read=lambda: read_by_rules,
        give_way=lambda: None,
        now=lambda user_id: NOW,
        notify=notify,
    )


def test_users_who_have_left_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server runs for months. Users with an open conversation are kept, and those who left a moment ago."""
    spool = Spool(tmp_path / "turns.db", "graph")
    chats = chats_of(spool)
    stays, leaves = (chats.chat(name, "monday") for name in ("anna", "ben"))
    for chat in (stays, leaves):
        chat.observe("I live in Porto.")
    spool.forget("home", "ben")  # as if they were in the graph
    del leaves, chat
    gc.collect()
    chats._drain.wake()
    assert chats.wait(30)
    chats._users.refresh()
    assert {user.user_id for user in chats._users.all()} == {"anna", "ben"}
    monkeypatch.setattr(chatting, "_KEPT_SECONDS", 0.0)
    chats._users.refresh()
    assert {user.user_id for user in chats._users.all()} == {"anna"}
    assert chats.chat("ben", "monday").inject([{"role": "user", "content": "Where do I live?"}])
    chats.close()


def test_a_conversation_that_is_dropped_during_an_outage_is_noted_after_it(tmp_path: Path) -> None:
    """Hints for turns that were forgotten before they reached the graph are dropped."""
    commit, count_use = Outage(2**31), Outage(1)
    hinted: list[dict[str, Hinted]] = []
    lines: list[str] = []

    def note_hints(user_id: str, turns: Mapping[str, Hinted]) -> list[str]:
        hinted.append(dict(turns))
        return []

    spool = Spool(tmp_path / "turns.db", "graph")
    chats = chats_of(spool, lambda: commit("home", "", {}, []), count_use, note_hints, lines.append)
    chats._drain._longest_pause = 0.05
    chat = chats.chat("anna", "monday")
    chat.observe("I live in Porto.")
    asking = chat.observe("Where do I live?")
    chat.observe("In Porto.", actor="assistant")
    del chat
    gc.collect()
    commit.left = 0
    assert chats.wait(30)
    shown = ShownFact(fact_id(Triple("you", "lives_in", "porto")), NOW, asked=True, turn=asking.episode_id)
    assert count_use.written == [("anna", {"answered": 1, "used": 1}, [shown])]
    assert set(hinted[-1]) == {asking.episode_id}
    spool.forget("home", "anna")
    for _ in range(2):
        chats._drain.wake()
        assert chats.wait(30)
    asked = len(hinted)
    chats._drain.wake()
    assert chats.wait(30)
    assert len(hinted) == asked, "nothing is left to note"
    assert lines[1:] == ["turns are committed again"], "it may have been the embedder, and not the database"
    chats.close()
