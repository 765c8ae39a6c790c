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

from amr_neo4j.domain.ports import Analyser, Embedder, Notify, StatementReader, Vectors
from amr_neo4j.errors import ModelMissing, StoreUnavailable
from amr_neo4j.extras import needs_faiss
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.admission import Admission
from amr_neo4j.store.read.browse import Browse
from amr_neo4j.wiring.database import DatabaseIdentity

# Imports inside the openers keep `amr --help` and look-ups fast: each part loads what it needs.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.app.asking import Asking
    from amr_neo4j.app.chatting import LiveChats
    from amr_neo4j.app.fact_reading import RuleReader
    from amr_neo4j.app.live_footage import LiveFootage
    from amr_neo4j.app.memory_search import SearchingMemory
    from amr_neo4j.app.use_notes import UseNotes
    from amr_neo4j.conversations.extract import Extraction
    from amr_neo4j.conversations.service import Conversations
    from amr_neo4j.domain.live import SpooledClip
    from amr_neo4j.facts.queue import QueuedEmbedding
    from amr_neo4j.ingest.analysis_runner import Refine
    from amr_neo4j.ingest.commit import Committer
    from amr_neo4j.ingest.merging import Merging
    from amr_neo4j.language.languages import Language
    from amr_neo4j.language.synonyms import Synonyms
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.recall.limits import Models
    from amr_neo4j.spool.live import LiveSpool
    from amr_neo4j.spool.turns import Spool
    from amr_neo4j.store.persons import NamedPerson
    from amr_neo4j.store.write.clip_writer import ClipWriter
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep
    from amr_neo4j.store.write.mention_store import MentionStore

T = TypeVar("T")


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


def vectors_folder(data_dir: Path, identity: DatabaseIdentity) -> Path:
    """Return the folder of the snapshots of this database's dense indexes."""
    return data_dir / "vectors" / identity.database_id


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


def open_searching(
    asking: Callable[[], Asking],
    database: Database,
    admission: Admission,
    *,
    embedder: Callable[[], Embedder],
    use_notes: Callable[[], UseNotes],
) -> SearchingMemory:
    from amr_neo4j.app.memory_search import SearchingMemory
    from amr_neo4j.store.read.facts import FactSearch

    return SearchingMemory(
        asking=asking(),
        facts=partial(FactSearch, database),
        admitted_facts=partial(FactSearch, database, admit=admission.admit),
        embedder=embedder,
        now=utc_now,
        note_asked=lambda group_id, user_id, found: use_notes().asked(group_id, user_id, found),
    )


def drain_turns(
    file: Path, conversations: Callable[[str], Conversations], group_id: str, user_id: str = ""
) -> object:
    """Commit the spooled turns of a group, or of one user.

    Without the file, none waits; opening the spool would create it.
    """
    return conversations(group_id).drain(user_id) if file.exists() else None


def embedded_by(browse: Browse) -> tuple[str, int] | None:
    """Return (model, dimension) that a group was embedded with; None for an empty group, and during an outage."""
    with suppress(StoreUnavailable):
        if group := browse.group():
            return group.model, group.dim
    return None


def admit_group(browse: Callable[[str], Browse], admission: Admission, group_id: str) -> None:
    """Check a group before it is read. Raises NotInMemory: it is empty. Raises EmbedderMismatch."""
    group = browse(group_id).group()
    admission.admit((group.model, group.dim) if group else None)


def open_writer(settings: Settings, database: Database, notify: Notify) -> ClipWriter:
    from amr_neo4j.store.outages import OutageRetry
    from amr_neo4j.store.write.clip_writer import ClipWriter

    return ClipWriter(
        database,
        jump_gap_sec=settings.entity_jump_gap_sec,
        language=settings.language,
        now=utc_now,
        retry=OutageRetry(settings.store_wait_sec, notify),
    )


def open_committer(
    writer: Callable[[], ClipWriter],
    embedder: Callable[[], Embedder],
    spoken: Language,
    merging: Callable[[], Merging | None],
    ledger: Ledger,
) -> Committer:
    from amr_neo4j.ingest.commit import Committer

    return Committer(writer(), embedder(), spoken, merging=merging(), counting=ledger.counting)


def fact_upkeep(database: Database, group_id: str, user_id: str) -> FactUpkeep:
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep

    # Names this process in the lease, so that a later run on this machine can see whether it is dead.
    holder = f"{socket.gethostname()} {os.getpid()} {uuid4().hex[:8]}"
    return FactUpkeep(database, group_id, user_id, holder=holder, now=utc_now)


def remake_scenes(writer: Callable[[], ClipWriter], spoken: Language, group_id: str) -> None:
    """Make the scenes of a group up to date."""
    from amr_neo4j.ingest.scenes import form_scenes

    writer().remake_scenes(group_id, partial(form_scenes, language=spoken))


def open_refine_watched(analyser: Callable[[], Analyser], refine_local: Callable[[], Refine]) -> Refine:
    """Open the further calls for watched clips. A vision model has made them itself, so only local clips get them."""
    from amr_neo4j.ingest.analysis_runner import unrefined

    return refine_local() if analyser().name == "local" else unrefined


def open_live_footage(spool: Callable[[], LiveSpool], folder: Path, keep_gb: float) -> LiveFootage:
    from amr_neo4j.app.live_footage import LiveFootage

    return LiveFootage(spool=spool(), folder=folder, keep_gb=keep_gb, now=utc_now)


def recorded_films(database: Database, group_id: str, video_id: str) -> dict[str, SpooledClip]:
    """Return {path: clip} of the films that the graph has of a recording."""
    from amr_neo4j.store.read.receipts import ReceiptReader

    return ReceiptReader(database, group_id).films(video_id)


def open_conversations(
    spool: Callable[[], Spool], commits_turns: dict[str, Any], notify: Notify, group_id: str
) -> Conversations:
    from amr_neo4j.conversations.service import Conversations

    return Conversations(group_id, spool(), notify=notify, **commits_turns)


def open_extraction(
    mentions: Callable[[str], MentionStore],
    language: Language,
    reader: RuleReader,
    models: Callable[[], Models],
    group_id: str,
) -> Extraction:
    from amr_neo4j.conversations.extract import Extraction

    return Extraction(mentions(group_id), language, reader.read, reader.languages, models().text)


def reload_facts(live_chats: Callable[[], LiveChats | None], user_id: str) -> None:
    """Read a user's facts again if this process has live conversations."""
    if chats := live_chats():
        chats.reload(user_id)


def near_pairs(vectors: Vectors, groups: Sequence[Sequence[int]], over: float) -> Iterable[tuple[int, int, float]]:
    """See app.nightly.NearPairs. Raises ConfigError: FAISS is not installed."""
    with needs_faiss():
        from amr_neo4j.vectors import near_pairs as dense

    return dense.near_pairs(vectors, groups, over)


def open_statement_reader(settings: Settings) -> StatementReader:
    """Open what reads turns: rules and a network, or rules alone where it is not installed or not wanted."""
    from amr_neo4j.local_models.registry import model_dir
    from amr_neo4j.turn_reader.understand import read_by_rules

    if settings.turn_reader == "rules":
        return read_by_rules
    try:
        folder = model_dir(settings, "reader")
    except ModelMissing:
        return read_by_rules
    return _learned_reader(folder)


@cache
def _learned_reader(folder: Path) -> StatementReader:
    """Open the network of a folder, once in a process: all memories use it, and it takes a tenth of a gigabyte."""
    from amr_neo4j.embedders.span_model import SpanModel
    from amr_neo4j.turn_reader.learned import LearnedReader

    return LearnedReader(SpanModel(folder))


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


def find_person(database: Database, group_id: str, person_id: str, video_id: str) -> NamedPerson:
    from amr_neo4j.store import persons

    return persons.find_person(partial(database.read, group_id=group_id), person_id, video_id)


def turns_waiting(spool: Callable[[], Spool], group_id: str, user_id: str) -> int:
    """Return how many turns of a user, or without one of all users of a group, wait on this machine."""
    users = [user_id] if user_id else spool().users(group_id)
    return sum(spool().count(group_id, user) for user in users)


def embed_missing(
    database: Database, group_id: str, *, embedder: Callable[[], Embedder], facts: QueuedEmbedding
) -> int:
    """Embed all events, turns and waiting facts of a group that have no vector. Returns how many that was."""
    from amr_neo4j.ingest.compose import embedding_text
    from amr_neo4j.store.embeddings import reembed

    done = reembed(database, group_id, embedder(), embedding_text, now=utc_now, progress=lambda done: None)
    return done + facts.run()
