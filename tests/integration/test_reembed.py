"""A group changes its model: the new vectors are filled beside the old ones, then switched; nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from amr_neo4j.domain.event import ComposedClip, EventDraft
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import EmbedderMismatch
from amr_neo4j.ingest.compose import embedding_text
from amr_neo4j.store import embeddings
from amr_neo4j.store.database import Database
from amr_neo4j.store.embeddings import VectorSource, reembed, without_embedding
from amr_neo4j.store.read.browse import Browse
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.vectors.faiss_index import FaissIndex
from tests.support.analyses import analysed
from tests.support.counting_embedder import CountingEmbedder

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PAGE = 3


class Group:
    """A group whose events say "event 0", "event 1" ...; old and new are models that no other test uses."""

    def __init__(self, database: Database, group_id: str) -> None:
        self.database = database
        self.id = group_id
        self.old = CountingEmbedder(f"old-{group_id}", dim=4)
        self.new = CountingEmbedder(f"new-{group_id}", dim=8)
        self.texts: dict[int, str] = {}

    @property
    def model(self) -> tuple[str, int]:
        row = Browse(self.database, self.id).group()
        assert row
        return row.model, row.dim

    def write(self, embedder: CountingEmbedder, count: int = 1) -> None:
        """This many events, in a clip of their own."""
        start = len(self.texts)
        texts = [f"event {start + n}" for n in range(count)]
        clip = analysed({"clip_summary": "", "events": []}, video=Video(self.id, f"v{start}"))
        drafts = tuple(EventDraft(n, 100.0 + n, 101.0 + n, text, ("Anna: hi",)) for n, text in enumerate(texts))
        writer = ClipWriter(self.database, jump_gap_sec=30.0, language="en", now=lambda: NOON)
        vectors = embedder.embed([embedding_text(text, ("Anna: hi",)) for text in texts])
        [receipt] = writer.commit([ComposedClip(clip, drafts)], vectors, embedder.model)
        self.texts.update(zip(receipt.node_ids, texts, strict=True))

    def reembed(
        self, progress: Callable[[int], None] = lambda done: None, now: Callable[[], datetime] = lambda: NOON
    ) -> int:
        return reembed(self.database, self.id, self.new, embedding_text, now=now, progress=progress)

    def index(self, embedder: CountingEmbedder, folder: Path) -> FaissIndex:
        source = VectorSource(self.database)
        index = FaissIndex(source, embedder.model, embedder.dim, path=folder / f"{embedder.model}.npz")
        index.catch_up()
        return index

    def is_whole(self, embedder: CountingEmbedder, folder: Path) -> None:
        """Every event is in the dense index of the model, under the vector of its own text."""
        index = self.index(embedder, folder)
        assert len(index) == len(self.texts)
        for node_id, text in self.texts.items():
            query = embedder.embed([embedding_text(text, ("Anna: hi",))])[0]
            assert index.search(query, 1, Scope(self.id)) == [(node_id, pytest.approx(1.0, abs=1e-5))]


@pytest.fixture
def group(database: Database, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Group:
    """Seven events under the old model, in pages of three."""
    monkeypatch.setattr(embeddings, "_TEXTS_PER_COMMIT", PAGE)
    group = Group(database, group_id)
    group.write(group.old, 4)
    group.write(group.old, 3)
    return group


def test_the_new_model_is_filled_before_the_switch(group: Group, tmp_path: Path) -> None:
    """During the run the old model is the group's, with all its vectors; afterwards the new one is."""
    during: list[tuple[int, tuple[str, int]]] = []
    assert without_embedding(group.database, group.id, group.new.model) == 7
    assert group.reembed(progress=lambda done: during.append((done, group.model))) == 7
    assert without_embedding(group.database, group.id, group.new.model) == 0
    assert during == [(done, (group.old.model, 4)) for done in (3, 6, 7)]
    assert group.model == (group.new.model, 8)
    group.is_whole(group.new, tmp_path)
    group.is_whole(group.old, tmp_path)


def test_there_and_back_leaves_the_digest_of_a_fresh_group(group: Group) -> None:
    fresh = digest(group.database, group.id)
    group.reembed()
    assert digest(group.database, group.id) != fresh
    group.old, group.new = group.new, group.old
    assert group.reembed() == 0
    assert digest(group.database, group.id) == fresh


def test_a_second_run_embeds_nothing(group: Group) -> None:
    group.reembed()
    asked = len(group.new.asked)
    assert group.reembed() == 0 and len(group.new.asked) == asked


def test_an_interrupted_run_keeps_the_old_model_and_can_be_resumed(group: Group, tmp_path: Path) -> None:
    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        group.reembed(progress=interrupt)
    assert group.model == (group.old.model, 4)
    group.write(group.old)
    assert group.reembed() == 5, "three were embedded before, one came since"
    assert sorted(len(texts) for texts in group.new.asked) == [2, 3, 3]
    assert group.model == (group.new.model, 8)
    group.is_whole(group.new, tmp_path)


def test_an_event_committed_during_the_run_is_embedded(group: Group, tmp_path: Path) -> None:
    def write_at_the_last_page(done: int) -> None:
        if done == 7:
            group.write(group.old)

    assert group.reembed(progress=write_at_the_last_page) == 8
    assert group.model == (group.new.model, 8)
    group.is_whole(group.new, tmp_path)


def test_an_event_committed_just_before_the_switch_is_embedded(group: Group, tmp_path: Path) -> None:
    """Nothing is left to embed, then a writer commits before the switch: the switch notices, and waits."""
    times = iter(range(100))

    def now() -> datetime:
        if next(times) == 3:  # after three pages, right before the switch
            group.write(group.old)
        return NOON

    during: list[tuple[str, int]] = []
    assert group.reembed(now=now, progress=lambda done: during.append(group.model)) == 8
    assert during == [(group.old.model, 4)] * 4 and group.model == (group.new.model, 8)
    group.is_whole(group.new, tmp_path)


def test_after_the_switch_the_old_model_is_refused(group: Group, tmp_path: Path) -> None:
    group.reembed()
    with pytest.raises(EmbedderMismatch, match=f"{group.new.model} .*{group.old.model}"):
        group.write(group.old)
    group.write(group.new)
    group.is_whole(group.new, tmp_path)


def test_switching_back_works(group: Group, tmp_path: Path) -> None:
    """Back to a model whose vectors still exist: only later events are embedded."""
    group.reembed()
    group.write(group.new, 2)
    group.old, group.new = group.new, group.old
    assert group.reembed() == 2
    assert group.model == (group.new.model, 4)
    group.is_whole(group.new, tmp_path)


def test_an_open_index_loads_the_new_vectors(group: Group, tmp_path: Path) -> None:
    index = group.index(group.new, tmp_path)
    assert len(index) == 0
    group.reembed()
    assert index.catch_up() > 0
    query = group.new.embed(["event 2\nAnna: hi"])[0]
    [(found, _)] = index.search(query, 1, Scope(group.id))
    assert group.texts[found] == "event 2"


def test_other_groups_keep_their_model(group: Group, database: Database) -> None:
    other = Group(database, f"{group.id}-other")
    other.old = group.old
    other.write(group.old)
    group.reembed()
    assert other.model == (group.old.model, 4)
    other.write(group.old)


def test_an_empty_group_has_nothing_to_embed(database: Database, group_id: str) -> None:
    group = Group(database, group_id)
    assert group.reembed() == 0 and Browse(database, group_id).group() is None


def test_a_deleted_event_leaves_the_index(group: Group, database: Database, tmp_path: Path) -> None:
    """Its embedding stays, under a new number: so an outdated index learns of it."""
    index = group.index(group.old, tmp_path)
    gone, text = next(iter(group.texts.items()))
    relabel = database.driver.execute_query
    relabel("MATCH (e:Event {node_id: $gone}) REMOVE e:Event SET e:ForgottenEvent", gone=gone)
    try:
        _renumber(database, gone, group.old.model)
        del group.texts[gone]
        assert index.catch_up() == 1 and len(index) == 6
        group.is_whole(group.old, tmp_path)
    finally:  # other tests count that node ids have no gap
        relabel("MATCH (e:ForgottenEvent {node_id: $gone}) REMOVE e:ForgottenEvent SET e:Event", gone=gone)
    group.texts[gone] = text
    _renumber(database, gone, group.old.model)
    assert index.catch_up() == 1 and len(index) == 7


def _renumber(database: Database, node_id: int, model: str) -> None:
    database.driver.execute_query(
        """
        MATCH (seqs:Counter {name: 'embedding_seq'}) SET seqs.next = seqs.next + 1
        WITH seqs MATCH (m:Embedding {kind: 'event', owner: toString($node_id), model: $model})
        SET m.seq = seqs.next - 1
        """,
        node_id=node_id,
        model=model,
    )
