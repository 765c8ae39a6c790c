"""Openers: functions that make one part of a memory from what it needs.

They are not methods of Parts, so that no part holds a reference to the Parts that it belongs to.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from amr_neo4j.domain.ports import Embedder, Follow, Notify, RelevanceModel, StatementReader, Vectors
from amr_neo4j.errors import EmbedderMismatch, ModelMissing, StoreUnavailable
from amr_neo4j.extras import needs_faiss
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.wiring.database import DatabaseIdentity

# Imports inside the openers keep `amr --help` and look-ups fast: each part loads what it needs.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.conversations.service import Conversations
    from amr_neo4j.embedders.pieces import Pieces
    from amr_neo4j.ingest.commit import Committer
    from amr_neo4j.ingest.merging import Merging
    from amr_neo4j.language.languages import Language
    from amr_neo4j.language.synonyms import Synonyms
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.recall.limits import Models
    from amr_neo4j.spool.turns import Spool
    from amr_neo4j.store.read.browse import Browse
    from amr_neo4j.store.write.clip_writer import ClipWriter
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep
    from amr_neo4j.wiring.part import Part

T = TypeVar("T")
Embedded = tuple[str, int] | None
"""(model, dimension) by which a group was embedded; None for an empty group."""


def utc_now() -> datetime:
    """Return the wall clock in UTC."""
    return datetime.now(UTC)


def unix_seconds() -> float:
    """Return the wall clock in seconds since 1970."""
    return utc_now().timestamp()


def if_there(file: Path, part: Callable[[], T]) -> T | None:
    """Return the part that uses a file; None if the file does not exist, so that opening it does not create it."""
    return part() if file.exists() else None


def open_turn_spool(file: Path, identity: DatabaseIdentity) -> Spool:
    from amr_neo4j.spool.turns import Spool

    return Spool(file, identity.database_id)


def open_models(settings: Settings, ledger: Ledger) -> Models:
    """Open the chat models of recall; None in place of each that has no provider."""
    from amr_neo4j.models.opener import open_chat
    from amr_neo4j.recall.limits import Models

    return Models(*(open_chat(settings, role, ledger) for role in ("text", "judge", "answer")))


def question_models(settings: Settings, models: Callable[[], Models]) -> Models:
    """Return the chat models for one question, which may wait for busy or silent servers as long as the settings say.

    The embedder's share of that time is its own (embed.wait_s).
    """
    opened = models()
    if not (opened.text or opened.judge or opened.answer):
        return opened  # without loading the SDK
    from amr_neo4j.models.chat import Chat
    from amr_neo4j.models.retries import WaitBudget
    from amr_neo4j.recall.limits import Models

    budget = WaitBudget(settings.question_wait_sec - (settings.embed.wait_s if settings.embedder == "api" else 0))
    chats = (opened.text, opened.judge, opened.answer)
    return Models(*(chat.for_question(budget) if isinstance(chat, Chat) else chat for chat in chats))


def drain_turns(
    file: Path, conversations: Callable[[str], Conversations], group_id: str, user_id: str = ""
) -> object:
    """Commit the spooled turns of a group, or of one user.

    Without the file, none waits; opening the spool would create it.
    """
    return conversations(group_id).drain(user_id) if file.exists() else None


def embedded_by(browse: Browse) -> Embedded:
    """Return (model, dimension) that a group was embedded with; None for an empty group, and during an outage."""
    with suppress(StoreUnavailable):
        return browse.embedded_by()
    return None


def same_for_all(of_base: Callable[[], Embedder], opened: Callable[[], Embedder]) -> Embedder:
    """Return the embedder of the base if it is no local one, which all groups share; else the one of the group."""
    from amr_neo4j.wiring.embedder import is_local

    shared = of_base()
    return opened() if is_local(shared) else shared


def follow(settings: Settings, embedder: Part[Embedder], made_of_it: Iterable[Part[Any]], stored: Embedded) -> bool:
    """Change to the embedder that embedded a group, and return whether that is the one in use now.

    made_of_it: parts that were built from the embedder; they are built anew.
    """
    from amr_neo4j.wiring.embedder import follows, open_local

    used = embedder()
    if stored and (used.model, used.dim) != stored and (name := follows(settings, used, stored)):
        embedder.use(open_local(settings, name))
        for part in made_of_it:
            part.close()
    used = embedder()
    return (used.model, used.dim) == stored


def language_of(text: str) -> str:
    """See turn_reader.detect."""
    from amr_neo4j.turn_reader import detect

    return detect.language_of(text)


def change_embedder(settings: Settings, database: Database, browse: Browse, follow: Follow) -> bool:
    """Embed some texts of a group with the embedder for many languages, and if no more are left, switch to it.

    Returns whether the group and this memory were switched. Raises ModelMissing.
    """
    from amr_neo4j.app.group_language import AT_ONCE
    from amr_neo4j.ingest.compose import embedding_text
    from amr_neo4j.store.embeddings import reembed
    from amr_neo4j.wiring.embedder import open_for_all_languages

    (embedder, made), group_id = open_for_all_languages(settings), settings.group
    reembed(database, group_id, embedder, embedding_text, now=utc_now, progress=lambda done: None, most=AT_ONCE)
    return embedded_by(browse) == made and follow(made)


def open_committer(
    writer: Callable[[], ClipWriter],
    embedder: Callable[[], Embedder],
    spoken: Language,
    merging: Callable[[], Merging | None],
    ledger: Ledger,
    *,
    follow: Follow,
    committed: Callable[[], object],
) -> Committer:
    from amr_neo4j.ingest.commit import Committer, no_other

    def other(error: EmbedderMismatch) -> Committer:
        return opened() if follow(error.embedded) else no_other(error)

    def opened() -> Committer:
        return Committer(
            writer(),
            embedder(),
            spoken,
            merging=merging(),
            counting=ledger.counting,
            other=other,
            committed=committed,
        )

    return opened()


def fact_upkeep(database: Database, group_id: str, user_id: str) -> FactUpkeep:
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep

    # Names this process in the lease, so that a later run on this machine can see whether it is dead.
    holder = f"{socket.gethostname()} {os.getpid()} {uuid4().hex[:8]}"
    return FactUpkeep(database, group_id, user_id, holder=holder, now=utc_now)


def remake_scenes(writer: Callable[[], ClipWriter], spoken: Language, group_id: str) -> None:
    """Make the scenes of a group up to date."""
    from amr_neo4j.ingest.scenes import form_scenes

    writer().remake_scenes(group_id, partial(form_scenes, language=spoken))


def settle_scenes(
    settings: Settings,
    writer: Callable[[], ClipWriter],
    spoken: Language,
    ledger: Ledger,
    notify: Notify,
    group_id: str,
) -> None:
    """Make the scenes of a group up to date; a model summarises those that are new, if the settings say so."""
    remake_scenes(writer, spoken, group_id)
    if "scenes" in settings.refine.calls:
        from amr_neo4j.wiring.analyser import open_scene_summaries

        if summaries := open_scene_summaries(settings, writer(), ledger, notify):
            summaries.write(group_id)


def open_conversations(
    spool: Callable[[], Spool], commits_turns: dict[str, Any], notify: Notify, group_id: str
) -> Conversations:
    from amr_neo4j.conversations.service import Conversations

    return Conversations(group_id, spool(), notify=notify, **commits_turns)


def near_pairs(vectors: Vectors, groups: Sequence[Sequence[int]], over: float) -> Iterable[tuple[int, int, float]]:
    """See app.nightly.NearPairs. Raises ConfigError: FAISS is not installed."""
    with needs_faiss():
        from amr_neo4j.vectors import near_pairs as dense

    return dense.near_pairs(vectors, groups, over)


def open_statement_reader(settings: Settings) -> StatementReader:
    """Open what reads turns: rules and a network, or rules alone where it is not installed or not wanted."""
    from amr_neo4j.turn_reader.expressions import keep_in
    from amr_neo4j.turn_reader.understand import read_by_rules

    keep_in(settings.cache_dir.expanduser() / "expressions.sqlite")
    folder = _reader_folder(settings)
    return _learned_reader(folder, _folder_of(settings, "multilingual-e5")) if folder else read_by_rules


def _reader_folder(settings: Settings) -> Path | None:
    """Return the folder of the networks that read turns; None if turns are read by rules alone."""
    return None if settings.turn_reader == "rules" else _folder_of(settings, "reader")


def _folder_of(settings: Settings, model: str) -> Path | None:
    """Return the folder of a model; None if it is not installed."""
    from amr_neo4j.local_models.registry import model_dir

    try:
        return model_dir(settings, model)
    except ModelMissing:
        return None


@cache
def _learned_reader(folder: Path, published: Path | None) -> StatementReader:
    """Open the network of a folder, once in a process: all memories use it, and it takes a tenth of a gigabyte."""
    from amr_neo4j.embedders.span_model import SpanModel
    from amr_neo4j.turn_reader.learned import LearnedReader

    return LearnedReader(SpanModel(_pieces(folder), published))


def open_relevance_model(settings: Settings) -> RelevanceModel | None:
    """Open what tells whether a turn helps with a question; None if turns are read by rules alone."""
    folder = _reader_folder(settings)
    return _relevance_model(folder) if folder else None


@cache
def _relevance_model(folder: Path) -> RelevanceModel:
    from amr_neo4j.embedders import relevance_model

    return relevance_model.RelevanceModel(_pieces(folder))


@cache
def _pieces(folder: Path) -> Pieces:
    from amr_neo4j.embedders.pieces import Pieces

    return Pieces(folder)


def open_synonyms(settings: Settings) -> Synonyms | None:
    """Open the English synonyms; None if the word net is not installed."""
    from amr_neo4j.language.languages import ENGLISH
    from amr_neo4j.language.synonyms import Synonyms
    from amr_neo4j.local_models import synonyms
    from amr_neo4j.local_models.registry import model_dir

    try:
        folder = model_dir(settings, synonyms.NAME)
    except ModelMissing:
        return None
    return Synonyms(synonyms.senses(folder), ENGLISH.opposites, ENGLISH.forms)
