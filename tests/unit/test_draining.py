"""Turns that wait are committed once, even if a search and the background thread both find them."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread

import numpy as np
import pytest

from amr_neo4j.app.background import QuestionsFirst
from amr_neo4j.conversations.formats import ParsedTurn
from amr_neo4j.conversations.record import several_episodes
from amr_neo4j.conversations.service import Conversations
from amr_neo4j.domain.episode import Accepted, ChatReport, Episode, EpisodeReceipt, LastSaid, Session
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.errors import InputError, ModelUnavailable, StoreDenied, StoreError, StoreUnavailable
from amr_neo4j.language.languages import language
from amr_neo4j.spool.turns import Spool

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Graph:
    """A graph that takes a moment for each commit; also the embedder."""

    model, dim, unrelated, alike = "made", 2, 0.0, 1.0

    def __init__(self) -> None:
        self.commits: list[int] = []
        self.vectors: list[Vectors | None] = []
        self.under_way = threading.Event()

    def unchanged(self, episodes: Sequence[Episode]) -> list[EpisodeReceipt | None]:
        return [None] * len(episodes)

    def last_said(self, sessions: Sequence[Session]) -> dict[Session, LastSaid]:
        return {}

    def commit(
        self, episodes: Sequence[Episode], vectors: Sequence[Vectors | None], embedded_by: tuple[str, int]
    ) -> list[EpisodeReceipt]:
        assert len(vectors) == len(episodes)
        assert embedded_by == (self.model, self.dim)
        self.commits.append(len(episodes))
        self.vectors += vectors
        self.under_way.set()
        time.sleep(0.2)
        return [EpisodeReceipt(each.session.session_id, each.episode_id, "committed") for each in episodes]

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 2), np.float32)


def test_two_that_share_a_spool_commit_each_turn_once(tmp_path: Path) -> None:
    graph, lock, spool = Graph(), Lock(), Spool(tmp_path / "turns.sqlite", "g")
    spool.accept(several_episodes(["I live in Ghent.", "I have a dog."], Session("g", "u", "s"), NOW, language("en")))
    two = [
        Conversations("g", spool, graph, lambda: graph, lambda _: NOW, lambda: None, language("en"), draining=lock)
        for _ in range(2)
    ]
    behind = Thread(target=two[0].drain)
    behind.start()
    assert graph.under_way.wait(20)
    two[1].drain()
    assert not spool.waiting("g", 10), "what the other commits is committed when this returns"
    behind.join()
    assert graph.commits == [2]
    spool.close()


def test_a_question_waits_for_its_own_users_turns_alone(tmp_path: Path) -> None:
    """Others' turns go in small pages, and between two of them the question comes first."""
    graph, lock, spool, questions = Graph(), Lock(), Spool(tmp_path / "turns.sqlite", "g"), QuestionsFirst()
    for user in ("ann", "ben"):
        turns = [f"{user} said {n}" for n in range(300 if user == "ann" else 20)]
        spool.accept(several_episodes(turns, Session("g", user, "s"), NOW, language("en")))
    needs = ("g", spool, graph, lambda: graph, lambda user: NOW, lambda: None, language("en"))
    background = Conversations(*needs, draining=lock, give_way=questions.wait)
    behind = Thread(target=background.drain)
    behind.start()
    assert graph.under_way.wait(20)
    with questions.question():
        Conversations(*needs, draining=lock).drain("ben")
        assert not spool.waiting("g", 10, "ben")
        assert len(spool.waiting("g", 300, "ann")) >= 200, "one page of the others at most"
    behind.join()
    assert not spool.waiting("g", 10)
    spool.close()


def test_only_the_newest_of_many_that_waited_are_embedded_at_once(tmp_path: Path) -> None:
    graph, spool, queued = Graph(), Spool(tmp_path / "turns.sqlite", "g"), list[bool]()
    needs = ("g", spool, graph, lambda: graph, lambda user: NOW, lambda: None, language("en"))
    here = Conversations(*needs, queued=lambda: queued.append(True))
    spool.accept(several_episodes([f"Turn {n}" for n in range(20)], Session("g", "u", "s"), NOW, language("en")))
    here.drain()
    assert ([vector is not None for vector in graph.vectors], queued) == ([False] * 12 + [True] * 8, [True])
    graph.vectors.clear()
    here.remember([f"Later {n}" for n in range(20)], "u", "s")
    assert all(vector is not None for vector in graph.vectors), "who calls remember finds all of it by meaning"
    spool.close()


def test_turns_are_committed_without_vectors_while_the_embedder_is_away(tmp_path: Path) -> None:
    class Away(Graph):
        def embed(self, texts: Sequence[str]) -> Vectors:
            raise ModelUnavailable("the embedder does not answer")

    graph, spool, queued = Away(), Spool(tmp_path / "turns.sqlite", "g"), list[bool]()
    needs = ("g", spool, graph, lambda: graph, lambda user: NOW, lambda: None, language("en"))
    report = Conversations(*needs, queued=lambda: queued.append(True)).remember(["I live in Ghent."], "u", "s")
    assert (report.committed, graph.vectors, queued) == (1, [None], [True])
    spool.close()


def test_a_new_turn_that_another_process_commits_first_is_reported_committed(tmp_path: Path) -> None:
    """This process finds nothing left to commit, but must not report the turn as unchanged."""
    graph, file = Graph(), tmp_path / "turns.sqlite"
    said = several_episodes(["I live in Ghent."], Session("g", "u", "s"), NOW, language("en"))
    other = Spool(file, "g")

    class Raced(Spool):
        """Another process is quicker, whenever this one has queued a turn."""

        def accept(self, episodes: Sequence[Episode]) -> list[Accepted]:
            taken = super().accept(episodes)
            Conversations("g", other, graph, lambda: graph, lambda _: NOW, lambda: None, language("en")).drain()
            return taken

    spool = Raced(file, "g")
    here = Conversations("g", spool, graph, lambda: graph, lambda _: NOW, lambda: None, language("en"))
    report = here.record(said)
    assert (report.committed, report.unchanged, graph.commits) == (1, 0, [1])
    for each in (spool, other):
        each.close()


@pytest.mark.parametrize("error", [StoreUnavailable("read-only", hint="x"), StoreDenied("no rights", hint="x")])
def test_turns_that_a_server_cannot_take_are_kept_and_it_is_said(tmp_path: Path, error: StoreError) -> None:
    class Ill(Graph):
        def commit(
            self, episodes: Sequence[Episode], vectors: Sequence[Vectors | None], embedded_by: tuple[str, int]
        ) -> list[EpisodeReceipt]:
            raise error

    said: list[str] = []
    graph, spool = Ill(), Spool(tmp_path / "turns.sqlite", "g")
    here = Conversations(
        "g", spool, graph, lambda: graph, lambda _: NOW, lambda: None, language("en"), notify=said.append
    )
    report = here.remember(["I live in Ghent."], "u", "s")
    assert (report.accepted, len(spool.waiting("g", 10))) == (1, 1)
    assert said == [f"{error.message}; the turns are kept on this machine and committed later (x)"]
    needs = ("g", spool, graph, lambda: graph, lambda user: NOW, lambda: None, language("en"))
    with pytest.raises(type(error)) as seen:
        Conversations(*needs, notify=said.append, give_way=lambda: None).drain()
    assert (seen.value.message, len(said)) == (error.message, 1), (
        "a thread sees the outage itself, said by nobody yet"
    )
    spool.close()


def test_a_turn_that_is_refused_in_the_background_is_no_outage(tmp_path: Path) -> None:
    class Strict(Graph):
        def commit(
            self, episodes: Sequence[Episode], vectors: Sequence[Vectors | None], embedded_by: tuple[str, int]
        ) -> list[EpisodeReceipt]:
            if any("odd" in each.content for each in episodes):
                raise InputError("too odd")
            return super().commit(episodes, vectors, embedded_by)

    said: list[str] = []
    graph, spool = Strict(), Spool(tmp_path / "turns.sqlite", "g")
    turns = ["I live in Ghent.", "Something odd.", "I have a dog."]
    spool.accept(several_episodes(turns, Session("g", "u", "s"), NOW, language("en")))
    needs = ("g", spool, graph, lambda: graph, lambda user: NOW, lambda: None, language("en"))
    receipts = Conversations(*needs, notify=said.append, give_way=lambda: None).drain()
    assert [each.outcome for each in receipts.values()] == ["committed", "rejected", "committed"]
    assert said == ["a waiting turn was refused (amr spool list shows why)"]
    assert not spool.waiting("g", 10)
    spool.close()


@pytest.mark.parametrize("masks", [True, False])
def test_what_is_masked_never_reaches_the_disk(tmp_path: Path, *, masks: bool) -> None:
    class Away(Graph):
        def commit(
            self, episodes: Sequence[Episode], vectors: Sequence[Vectors | None], embedded_by: tuple[str, int]
        ) -> list[EpisodeReceipt]:
            raise StoreUnavailable("away", hint="x")

    key = "ghp_" + "a1B2" * 9
    graph, spool = Away(), Spool(tmp_path / "turns.sqlite", "g")
    here = Conversations(
        "g", spool, graph, lambda: graph, lambda _: NOW, lambda: None, language("en"), notify=str, masks=masks
    )
    here.remember([{"content": f"Use {key}", "shown": key, "note": key, "turn": 0}], "u", "s")
    report = ChatReport()
    here.record_parsed([ParsedTurn("s", {"content": f"Again {key}", "at": NOW}, 1)], "u", report)
    assert report.accepted == 1
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert (key.encode() in stored) is not masks
    assert b"Use [key]" in stored or not masks
    spool.close()
