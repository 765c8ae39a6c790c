"""Take in conversations: turns, chat files and exported documents. Extract what turns mention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.conversations import export
from amr_neo4j.conversations.extract import Extraction, ExtractReport
from amr_neo4j.conversations.formats import find_document, read_document, read_lines
from amr_neo4j.conversations.record import Turn
from amr_neo4j.conversations.service import Conversations
from amr_neo4j.domain.episode import ChatReport, EpisodeReceipt
from amr_neo4j.domain.ports import MentionStore, Notify
from amr_neo4j.errors import AmrError, InputError, NotInMemory
from amr_neo4j.files import open_regular
from amr_neo4j.language.languages import Language
from amr_neo4j.media.source_files import VIDEOS

if TYPE_CHECKING:
    from amr_neo4j.store.database import Database

# The most users that an error message lists.
_NAMED = 10


@dataclass(frozen=True, kw_only=True)
class Remembering:
    """Takes in the conversations of any group and user.

    conversations, mentions, extraction: group_id -> that part, for the group.
    in_flow: whether mentions are extracted as soon as turns are taken in.
    extracted: called after an extraction, which may have stated facts.
    """

    conversations: Callable[[str], Conversations]
    mentions: Callable[[str], MentionStore]
    extraction: Callable[[str], Extraction]
    language: Language
    in_flow: bool
    extracted: Callable[[], None]
    now: Callable[[], datetime]
    notify: Notify

    def remember(self, group_id: str, user_id: str, session_id: str, messages: Iterable[Turn]) -> ChatReport:
        """Take in turns of a session, in order.

        Raises InputError: the turns are malformed, and none is taken in. Raises EmbedderMismatch.
        """
        report = self.conversations(group_id).remember(messages, user_id, session_id)
        self._extract_in_flow(group_id, user_id, session_id, report)
        return report

    def import_chat(self, group_id: str, user_id: str, session_id: str, files: Sequence[str | Path]) -> ChatReport:
        """Take in files, in order. If one of several files cannot be read, the report has it as rejected.

        session_id: the session of files that name none; by default the file's name.
        Raises InputError: the only file cannot be read. Raises NoSuchFile.
        """
        report = ChatReport()
        for path in map(Path, files):
            try:
                self._import_file(group_id, user_id, session_id, path, report)
            except InputError as error:
                if len(files) == 1:
                    raise
                report.add([EpisodeReceipt(session_id, "", "rejected", error=str(error))])
        self._extract_in_flow(group_id, user_id, None, report)
        return report

    def import_episodes(self, group_id: str, user_id: str, document: Mapping[str, Any]) -> ChatReport:
        """Take in an exported document. Raises InputError if it is malformed; then nothing is taken in."""
        store, conversations = self.mentions(group_id), self.conversations(group_id)
        return export.import_episodes(
            document,
            user_id,
            store,
            record=conversations.record,
            now=self.now(),
            language=self.language,
            masks=conversations.masks,
        )

    def extract(
        self, group_id: str, user_id: str, session_id: str | None, *, again: bool = False, dry_run: bool = False
    ) -> ExtractReport:
        """Extract mentions and relations from the turns that have not been through extraction; see `Extraction`."""
        try:
            return self.extraction(group_id).extract(user_id, session_id, again=again, dry_run=dry_run)
        finally:
            # Also after an error, because the facts of earlier episodes are committed and wait for their embeddings.
            self.extracted()

    def _import_file(self, group_id: str, user_id: str, session_id: str, path: Path, report: ChatReport) -> None:
        if path.suffix.lower() in VIDEOS:
            raise InputError(f"{path} is a video, not a conversation", hint=f"to take it in, run: amr ingest {path}")
        name = session_id or path.stem
        # Invalid UTF-8 stays recognisable, so that only the turns that contain it are rejected.
        with open_regular(path.absolute()) as opened, TextIOWrapper(opened, "utf-8", "surrogateescape") as file:
            document = find_document(file, name)
            if document and (exported := export.as_export(document.value)):
                report.add_all(self.import_episodes(group_id, user_id, exported))
            else:
                turns = read_document(document, name) if document else read_lines(file, name)
                self.conversations(group_id).record_parsed(turns, user_id, report)

    def _extract_in_flow(self, group_id: str, user_id: str, session_id: str | None, report: ChatReport) -> None:
        """Extract from turns that were just committed, if the settings ask for it.

        Errors are reported, not raised: the turns are stored already, and `extract` can do the rest later.
        """
        if not (self.in_flow and report.committed):
            return
        try:
            lines = self.extract(group_id, user_id, session_id).errors
        except AmrError as error:
            lines = [str(error)]
        for line in lines:
            self.notify(f"mentions are extracted later: {line}")


def known_users(database: Database, group_id: str, waiting: Sequence[str]) -> tuple[str, ...]:
    """Return the users of a group, sorted by name. waiting: users who have spooled turns on this machine."""
    rows = database.read("forgetting/users", group_id=group_id)
    return tuple(sorted({row["user_id"] for row in rows} | set(waiting)))


def require_user(
    database: Database,
    group_id: str,
    user_id: str,
    *,
    waiting: Callable[[], Sequence[str]],
    similar: Callable[[str, Sequence[str]], list[str]],
) -> None:
    """Check that a user is known.

    waiting: returns the users who have spooled turns on this machine.
    similar: (name, names) -> the names that resemble it.
    Raises NotInMemory: neither the graph nor the spool has anything of this user.
    """
    [row] = database.read("conversations/knows_user", group_id=group_id, user_id=user_id)
    if row["known"]:
        return
    # All users are read only if the graph does not know this one.
    known = known_users(database, group_id, waiting())
    if user_id in known:
        return
    listed = ", ".join(known[:_NAMED]) + (" ..." if len(known) > _NAMED else "")
    alike = similar(user_id, known)
    meant = f"did you mean {' or '.join(alike)}? " if alike else ""
    raise NotInMemory(
        f"no user {user_id} in group {group_id} (users: {listed or 'none'})",
        hint=f"{meant}name the user by --user or AMR_USER, the group by --group; amr groups lists the groups",
    )
