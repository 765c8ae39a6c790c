"""Exports a group or a user to a file of JSON lines, and imports such a file."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from pydantic import ValidationError

from amr_neo4j.domain.batches import batched
from amr_neo4j.domain.episode import composed
from amr_neo4j.domain.ports import Follow, Notify
from amr_neo4j.domain.transfer import FORMAT, VERSION, Exported, Footer, Header, Imported
from amr_neo4j.errors import EmbedderMismatch, InputError, NotInMemory
from amr_neo4j.files import open_regular, private_file, private_folder

if TYPE_CHECKING:
    from amr_neo4j.domain.ports import Embedder
    from amr_neo4j.store.records import GroupOrUser, GroupState, Record, RecordReader, RecordWriter

# Records per transaction, and bytes of the longest line that is read.
_RECORDS_PER_COMMIT, _LONGEST_LINE = 500, 64 * 2**20
# Kinds of records that stay when the rest of a user is forgotten. FactUpkeep says how far their facts were read.
_OUTLIVE = ("FactUpkeep", "ForgottenFootage", "ForgottenTurns")
_HINT_TO_COPY = "copy the file again, or export it again"
_GZIP = b"\x1f\x8b"


# --- the file: a header, a record per line, a footer


def write_lines(file: BinaryIO, header: Header, records: Iterable[Record]) -> Footer:
    """Write an export. Returns its last line."""
    digest, counts = hashlib.sha256(), Counter[str]()

    def write(line: str) -> None:
        data = line.encode() + b"\n"
        digest.update(data)
        file.write(data)

    write(header.model_dump_json())
    for record in records:
        counts[record["kind"]] += 1
        write(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    footer = Footer(counts=dict(counts), sha256=digest.hexdigest())
    file.write(footer.model_dump_json().encode() + b"\n")
    return footer


def verified(file: BinaryIO) -> tuple[Header, Footer]:
    """Read an export to its end. Returns its first line and its last.

    Raises InputError if it is no export, or one of another version, or it is cut off or damaged.
    """
    lines = _lines(file)
    first = next(lines, b"")
    header, digest, counts, last = _header(first), hashlib.sha256(first), Counter[str](), b""
    for line in lines:
        if last:
            digest.update(last)
            counts[_kind(last)] += 1
        last = line
    try:
        footer = Footer.model_validate_json(last)
    except ValidationError as error:
        raise InputError("the export is cut off: its last line is missing", hint=_HINT_TO_COPY) from error
    if "" in counts:
        raise InputError("the export is damaged: a line of it is no record", hint=_HINT_TO_COPY)
    if (footer.sha256, footer.counts) != (digest.hexdigest(), counts):
        raise InputError("the export is damaged: its checksum does not fit", hint=_HINT_TO_COPY)
    return header, footer


def _kind(line: bytes) -> str:
    """Return the kind of a record; empty for what is none. The line is read whole, so that none fails later."""
    try:
        return str(json.loads(line)["kind"])
    except (ValueError, TypeError, KeyError):
        return ""


def records_of(file: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield the records of a verified export."""
    lines = _lines(file)
    next(lines)
    for line, _ in pairwise(lines):  # the last line is the footer
        yield json.loads(line)


def _header(line: bytes) -> Header:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    table = cast(dict[str, Any], value) if isinstance(value, dict) else {}
    if table.get("format") != FORMAT:
        hint = "amr chat import takes conversations in other formats, amr ingest clip analyses"
        raise InputError("this is no export of amr", hint=hint)
    version, product = table.get("version"), table.get("product")
    if version != VERSION:
        raise InputError(
            f"the export has format version {version}, of amr {product}; this version reads {VERSION}",
            hint=f"import it with amr {product}, or export it again with this version",
        )
    try:
        return Header.model_validate(table)
    except ValidationError as error:
        raise InputError("the first line of the export is damaged", hint=_HINT_TO_COPY) from error


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, from its start, unpacked if it is packed by gzip."""
    file.seek(0)
    packed = file.read(2) == _GZIP
    file.seek(0)
    opened = gzip.GzipFile(fileobj=file, mode="rb") if packed else file
    try:
        while line := opened.readline(_LONGEST_LINE):
            if len(line) == _LONGEST_LINE:
                raise InputError(f"a line of the export is longer than {_LONGEST_LINE >> 20} MiB", hint=_HINT_TO_COPY)
            yield line
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"the export is cut off or damaged: {error}", hint=_HINT_TO_COPY) from error


@contextmanager
def opened_to_write(file: str | Path | BinaryIO) -> Generator[BinaryIO]:
    """Open the file of an export. A file that is named appears when it is whole; it is packed if it ends in .gz."""
    if not isinstance(file, str | Path):
        yield file
        return
    path = Path(file)
    if path.suffix in (".zst", ".xz", ".bz2", ".zip"):
        raise InputError(f"{path}: exports are packed by gzip alone", hint="name a file that ends in .jsonl or .gz")
    if path.exists():
        raise InputError(f"{path} exists", hint="name another file, or delete it")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with private_file(part).open("wb") as raw:
            if path.suffix == ".gz":
                # Without name and time, so that equal exports are equal files.
                with gzip.GzipFile("", "wb", 6, raw, 0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _opened_to_read(file: str | Path | BinaryIO, folder: Path) -> Generator[BinaryIO]:
    """Open an export. A stream is copied into a file of `folder` first, since it is read several times."""
    if isinstance(file, str | Path):
        with open_regular(Path(file)) as opened:
            yield opened
        return
    with tempfile.TemporaryFile(dir=private_folder(folder)) as copy:
        while data := file.read(1 << 20):
            copy.write(data)
        yield cast(BinaryIO, copy)


# --- what it is for


@dataclass(frozen=True, kw_only=True)
class Transferring:
    """Exports and imports groups and users.

    writer: (source, target, mark of this import, model of the vectors, when it was asked for) -> what writes the
        records.
    embed: embeds what the group has without a vector, and returns how many texts that was.
    waiting: (group, user) -> turns that wait on this machine.
    folder: where an export that comes as a stream is kept in the meantime.
    """

    reader: RecordReader
    whose: Callable[[str, str], GroupOrUser]
    writer: Callable[[GroupOrUser, GroupOrUser, str, tuple[str, int] | None, datetime], RecordWriter]
    embedder: Callable[[], Embedder]
    follow: Follow
    embed: Callable[[str], int]
    waiting: Callable[[str, str], int]
    folder: Path
    product: str
    now: Callable[[], datetime]
    notify: Notify

    def export(self, group_id: str, user_id: str, file: str | Path | BinaryIO, *, vectors: bool) -> Exported:
        """Write a group, or with user_id one user of it, to a file.

        vectors: also write the vectors, so that an import need not compute them.
        Raises NotInMemory if there is nothing. Raises InputError if the file exists.
        """
        whose, state = self.whose(group_id, user_id), self.reader.group(group_id)
        counts = self.reader.counts(whose)
        if state is None or not counts:
            named = f"user {user_id} in group {group_id}" if user_id else f"group {group_id}"
            raise NotInMemory(f"memory holds nothing of {named}", hint="amr groups lists the groups")
        header = Header(
            product=self.product,
            created_at=self.now(),
            group=group_id,
            user=user_id,
            model=state.model,
            dim=state.dim,
            vectors=vectors,
            languages=state.languages,
            losses=state.losses,
            counts=counts,
        )
        with opened_to_write(file) as opened:
            footer = write_lines(opened, header, self.reader.records(whose, state.model if vectors else None))
        if footer.counts != counts:
            self.notify("memory was written to during the export, which has only part of that")
        return Exported(
            group_id=group_id,
            user_id=user_id,
            counts=footer.counts,
            vectors=vectors,
            sha256=footer.sha256,
            waiting=self.waiting(group_id, user_id),
        )

    def import_export(
        self,
        group_id: str,
        user_id: str,
        file: str | Path | BinaryIO,
        *,
        any_group: bool,
        reembed: bool,
        asked_at: datetime | None = None,
    ) -> Imported:
        """Take in an export, after its checksum was verified.

        If this is interrupted, calling it again with the same export completes it.

        user_id: for the export of a user, whose memory it becomes; by default that of the same user.
        any_group: also take in the export of another group.
        reembed: embed everything anew where another model embedded the group.
        asked_at: when this was asked for, if that was earlier. What was forgotten since stays forgotten.
        Raises InputError: the file is no export, is damaged, or is of another group; or the group, or the user,
        holds something already, or was forgotten since. Raises EmbedderMismatch.
        """
        asked_at = asked_at or self.now()
        with _opened_to_read(file, self.folder) as opened:
            header, footer = verified(opened)
            source = self.whose(header.group, header.user)
            target = self.whose(group_id, composed(user_id or header.user) if header.user else "")
            self._check_names(header, group_id, user_id, any_group=any_group)
            state, found = self.reader.group(group_id), self.reader.counts(target)
            found = {kind: number for kind, number in found.items() if kind not in _OUTLIVE}
            # One file may become the memory of several users. Their names are hashed: the mark outlives them.
            mark = hashlib.sha256(f"{footer.sha256} {target.user_id}".encode()).hexdigest()
            if state and state.imported == mark and found:
                return Imported(group_id, target.user_id, footer.counts, unchanged=True)
            model = self._model(header, state, reembed=reembed)
            carried = model if header.vectors and model == (header.model, header.dim) else None
            writer = self.writer(source, target, mark, carried, asked_at)
            done = self._done(target, state, mark, found, footer.counts)
            if done is None:
                writer.begin(header, model)
                done = 0
            left_out = _write(writer, opened, done)
            embedded = self.embed(group_id)
            writer.finish()
        return Imported(group_id, target.user_id, footer.counts, embedded, left_out)

    def unfinished(self, group_id: str) -> bool:
        """Return whether an import into a group was interrupted."""
        state = self.reader.group(group_id)
        return state is not None and state.importing is not None

    def _check_names(self, header: Header, group_id: str, user_id: str, *, any_group: bool) -> None:
        if user_id and not header.user:
            raise InputError(f"the export is of the whole group {header.group}", hint="leave the user out")
        if composed(header.group) != group_id and not any_group:
            raise InputError(
                f"the export is of group {header.group}, the settings name group {group_id}",
                hint=f"pass --group {header.group}; or --into NAME to import it under another name",
            )

    def _model(self, header: Header, state: GroupState | None, *, reembed: bool) -> tuple[str, int]:
        """Return (model, dimension) of the vectors to be. Raises EmbedderMismatch."""
        there = header.model, header.dim
        if state is None:
            self.follow(there)
        embedder = self.embedder()
        here = embedder.model, embedder.dim
        if state and (state.model, state.dim) != here:
            raise EmbedderMismatch(
                f"the group is embedded by {state.model}, the settings ask for {here[0]}", hint="set embedder back"
            )
        if here != there and not reembed:
            raise EmbedderMismatch(
                f"the export is embedded by {there[0]} ({there[1]} dimensions), "
                f"the settings ask for {here[0]} ({here[1]})",
                hint="set embedder to that one; or pass --reembed to embed everything anew",
            )
        return here

    def _done(
        self,
        target: GroupOrUser,
        state: GroupState | None,
        mark: str,
        found: Mapping[str, int],
        counts: Mapping[str, int],
    ) -> int | None:
        """Return how far an earlier import of this export has come; None to begin.

        mark: names the export and its target.
        found: what is there.
        counts: what the export has.
        Raises InputError if there is something that this import has not written.
        """
        if not found:
            return None
        named = f"user {target.user_id} of group {target.group_id}" if target.user_id else f"group {target.group_id}"
        if state is None or state.importing != mark:
            other = "; an import of another file is unfinished in it" if state and state.importing else ""
            raise InputError(
                f"{named} holds something already{other}", hint="import into another: --into NAME; or forget it first"
            )
        to_come = sum(number for kind, number in counts.items() if kind not in _OUTLIVE)
        if sum(found.values()) != min(state.done, to_come):
            raise InputError(
                f"{named} has changed since this import was interrupted", hint="forget it, and import it anew"
            )
        return state.done


def _write(writer: RecordWriter, file: BinaryIO, done: int) -> int:
    """Write all nodes, then all relationships: they may lead to nodes that come later in the file.

    done: how many nodes, and records' relationships, were written before.
    Returns how many relationships were left out.
    """
    left_out = end = 0
    for write in (writer.write_nodes, writer.write_links):
        for page in batched(map(writer.known, records_of(file)), _RECORDS_PER_COMMIT):
            start, end = end, end + len(page)
            if end > done:
                left_out += write(page[max(0, done - start) :], max(done, start))
    return left_out
