"""Files of conversations into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.conversations import export
from amr_neo4j.conversations.formats import find_document, read_document, read_lines
from amr_neo4j.domain.episode import ChatReport, EpisodeReceipt
from amr_neo4j.errors import InputError
from amr_neo4j.files import open_regular
from amr_neo4j.media.source_files import VIDEOS

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def import_chat(parts: Parts, files: Sequence[str | Path], user_id: str, session_id: str) -> ChatReport:
    """Take in the files in order. One of several that cannot be read is rejected in the report.

    session_id: for files that name no session, in place of the file's name. Raises InputError: of a single file;
    NoSuchFile.
    """
    report = ChatReport()
    for path in map(Path, files):
        try:
            _import_file(parts, path, user_id, session_id, report)
        except InputError as error:
            if len(files) == 1:
                raise
            report.add([EpisodeReceipt(session_id, "", "rejected", error=str(error))])
    return report


def _import_file(parts: Parts, path: Path, user_id: str, session_id: str, report: ChatReport) -> None:
    if path.suffix.lower() in VIDEOS:
        raise InputError(f"{path} is a video, not a conversation", hint=f"to take it in, run: amr ingest {path}")
    name = session_id or path.stem
    # Bytes that are no UTF-8 stay distinguishable, so that only the turns that hold them are rejected.
    with open_regular(path.absolute()) as opened, TextIOWrapper(opened, "utf-8", "surrogateescape") as file:
        document = find_document(file, name)
        if document and (exported := export.as_export(document.value)):
            report.add_all(import_episodes(parts, exported, user_id))
        else:
            turns = read_document(document, name) if document else read_lines(file, name)
            parts.conversations.record_parsed(turns, user_id, report)


def import_episodes(parts: Parts, document: Mapping[str, Any], user_id: str) -> ChatReport:
    """Take in an exported document. Raises InputError: none of it is taken."""
    store, record = parts.extraction.store, parts.conversations.record
    return export.import_episodes(document, user_id, store, record, parts.now(), parts.language)
