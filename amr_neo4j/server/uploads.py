"""Films that clients send: a file for each, which grows by parts, and goes on after an interruption."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from amr_neo4j.errors import AmrError, InputError, NotInMemory
from amr_neo4j.extras import needs
from amr_neo4j.files import private_folder, write_atomically
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.server.problems import Refused

with needs("serve"):
    from anyio import CapacityLimiter, to_thread

UPLOAD = "upload:"
"""Before the id of an upload, where `ingest` takes a place."""
_NAME = re.compile(r"[\w][\w. ()+-]{0,199}")
_LONGEST_NAME = 255
"""The bytes of a file's name that file systems take."""
_DESCRIPTION_FILE = ".upload.json"
"""What is known of an upload, beside its file: no upload may have a name that begins with a dot."""
_LINES = (".jsonl", ".ndjson", ".gz")


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A film that is sent. size: of the whole file; offset: how much is on the server's disk, both in bytes."""

    id: str
    name: str
    size: int
    offset: int


class Uploads:
    """The uploads of the server. Bytes that were acknowledged are on disk. One client at a time may send a file."""

    def __init__(self, data_dir: Path, most_gb: float) -> None:
        self._folder, self._most = data_dir / "uploads", int(most_gb * 2**30)
        self._sent: set[str] = set()
        # Few threads write, so that those of the calls stay free.
        self._writers: CapacityLimiter | None = None

    def begin(self, owner: tuple[str, str], name: str, size: int, upload_id: str = "") -> Upload:
        """Return a new upload, or the one with this id.

        Raises InputError: the name is no plain one. Raises Refused: the file is too large.
        """
        if not _NAME.fullmatch(name) or len(os.fsencode(name)) > _LONGEST_NAME:
            raise InputError(f"{name!r:.100} is no name of a file", hint="send its last part, like kitchen.mp4")
        if size > self._most:
            hint = "setting serve_largest_upload_gb"
            raise Refused(413, f"the film is larger than {self._most / 2**30:g} GiB", hint=hint)
        if size <= 0:
            raise InputError("an upload of no bytes", hint="say the size of the file in bytes")
        upload = Upload(id=upload_id or uuid4().hex, name=name, size=size, offset=0)
        if (self._of(owner) / upload.id / _DESCRIPTION_FILE).is_file():
            known = self.upload(owner, upload.id)
            if (known.name, known.size) != (name, size):
                raise InputError("the Idempotency-Key was used for another upload", hint="send a new one")
            return known
        folder = private_folder(self._of(owner) / upload.id)
        (folder / name).touch(0o600)
        about = folder / _DESCRIPTION_FILE
        write_atomically(about, json.dumps(asdict(upload)), private=True)
        # The parents are the folders of the user, the group and all, and the data directory.
        for path in (about, folder, *folder.parents[:4]):
            _sync(path)
        return upload

    def upload(self, owner: tuple[str, str], upload_id: str) -> Upload:
        """Return an upload of this group and user. Raises NotInMemory."""
        folder = self._of(owner) / upload_id
        if not re.fullmatch(r"[0-9a-f]{32}", upload_id) or not (folder / _DESCRIPTION_FILE).is_file():
            raise NotInMemory(f"no upload {upload_id:.100}", hint="POST /uploads begins one")
        known = json.loads((folder / _DESCRIPTION_FILE).read_bytes())
        offset = (folder / known["name"]).stat().st_size
        # The client goes on from here, so all before must be on the disk, also what a broken connection has left.
        _sync(folder / known["name"])
        return Upload(**known | {"offset": offset})

    def file(self, owner: tuple[str, str], upload_id: str, *, is_film: bool = True) -> Path:
        """Return the file of a complete upload. Raises Refused if it is incomplete, or is no film where one is meant.

        JSON lines may stand in place of a film.
        """
        upload = self.upload(owner, upload_id)
        if upload.offset != upload.size:
            said = f"{upload.offset} of {upload.size} bytes are here"
            raise Refused(409, f"the upload is not complete: {said}", hint="go on with PATCH at that offset")
        path = self._of(owner) / upload.id / upload.name
        if is_film and path.suffix.lower() not in _LINES:
            try:
                probe(path)
            except AmrError as error:
                hint = "send a film that ffmpeg can read"
                raise Refused(415, f"{upload.name} is no film: {error.message}", hint=hint) from error
        return path

    def remove(self, owner: tuple[str, str], upload_id: str) -> Upload:
        """Remove an upload and return its description."""
        upload = self.upload(owner, upload_id)
        folder = self._of(owner) / upload.id
        shutil.rmtree(folder)
        return upload

    def of_group(self, group_id: str) -> Path:
        """Return the folder with the uploads of a group."""
        return self._folder / _mark(group_id)

    def _of(self, owner: tuple[str, str]) -> Path:
        return self.of_group(owner[0]) / _mark(owner[1])

    async def append(
        self, owner: tuple[str, str], upload_id: str, offset: int, parts: AsyncIterator[bytes]
    ) -> Upload:
        """Add bytes at an offset, in constant memory.

        Raises Refused: the file does not end at the offset; or another client is sending it; or there are more bytes
        than were announced.
        """
        upload = await to_thread.run_sync(self.upload, owner, upload_id)
        if upload.id in self._sent:
            raise Refused(409, "this upload is being sent already", hint="wait until it ends or breaks off")
        if offset != upload.offset:
            raise Refused(409, f"the upload ends at {upload.offset}, not at {offset}", hint="ask with HEAD first")
        self._writers = self._writers or CapacityLimiter(4)
        self._sent.add(upload.id)
        path = self._of(owner) / upload.id / upload.name
        try:
            with path.open("ab") as file:
                async for part in parts:
                    if offset + len(part) > upload.size:
                        raise Refused(413, f"more than the {upload.size} bytes of this upload", hint="begin another")
                    await to_thread.run_sync(file.write, part, limiter=self._writers)
                    offset += len(part)
        finally:
            self._sent.discard(upload.id)
        return await to_thread.run_sync(self.upload, owner, upload_id, limiter=self._writers)


def _sync(path: Path) -> None:
    """Bring a file or a folder to the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _mark(name: str) -> str:
    """Return the name of a group's or user's folder. Their own names may be no names of folders."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]
