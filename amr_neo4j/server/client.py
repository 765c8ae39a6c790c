"""A memory on a server, used as one on this machine: its calls are those of the table of routes."""

from __future__ import annotations

import gzip
import hashlib
import inspect
import json
import re
import shutil
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import fields
from datetime import datetime
from functools import cache, partial
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile, TemporaryFile
from threading import Event
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import quote, urlencode
from uuid import uuid4

import urllib3
from pydantic import TypeAdapter

from amr_neo4j import errors
from amr_neo4j.app.ingesting import as_line, check_options
from amr_neo4j.app.transferring import opened_to_write, verified
from amr_neo4j.app.watching import Pace, take, watch_folders
from amr_neo4j.domain.episode import ChatReport
from amr_neo4j.domain.exploration import Exploration
from amr_neo4j.domain.live import ClipReceipt
from amr_neo4j.domain.page import Page
from amr_neo4j.domain.plain import plain
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.receipt import IngestOptions, IngestReport, Progress, Watch
from amr_neo4j.domain.transfer import Exported, Imported
from amr_neo4j.errors import AmrError, ConfigError, InputError, NotInMemory, StoreDenied, StoreUnavailable
from amr_neo4j.explorer import saved_tree
from amr_neo4j.files import private_folder, write_atomically
from amr_neo4j.live_chat.metrics import ChatMetrics
from amr_neo4j.live_chat.session import LiveTurn
from amr_neo4j.media.ffmpeg import file_keys, fingerprint
from amr_neo4j.media.source_files import find_sources, is_lines
from amr_neo4j.memory import Memory
from amr_neo4j.server.calls import ALL_CALLS, OwnKey, made_id
from amr_neo4j.server.gate import OPEN_PATHS
from amr_neo4j.server.jobs import OPEN, Job, Tell
from amr_neo4j.server.routes import PageOf, Route, arguments, reply_type
from amr_neo4j.settings import Settings, load
from amr_neo4j.version import __version__

_PREFIX = "/api/v1"
_LINES, _EVENTS = "application/x-ndjson", "text/event-stream"
# A film is sent in parts of this many bytes. After an interruption the part is sent again.
_PART = 8 * 2**20
# A question to a large memory, or to a model, may take minutes.
_TIMEOUT = urllib3.Timeout(connect=10, read=600)
# A call is sent again only if no connection was made: otherwise the server may have done it already. A reply with
# Retry-After is not waited for either, because urllib3 would report it as an error of its own and drop the server's.
_RETRIES = urllib3.Retry(
    connect=2, read=0, redirect=0, status=0, other=0, backoff_factor=0.3, respect_retry_after_header=False
)
_POLL_S = 0.5


def _tells_nobody(seen: Mapping[str, Any]) -> None:
    pass


class _Calls:
    """The connection to a server, and whose memory is asked there. Thread-safe."""

    def __init__(self, url: str, key: str, whose: Mapping[str, str], certificates: Path | None) -> None:
        key = key.strip()  # a file with a key ends with a line break
        if not re.match(r"https?://[^/]", url) or not key:
            raise ConfigError(
                "a server needs an address and a key",
                hint="amr --server https://HOST:PORT, with the key in AMR_KEY or --key",
            )
        if not re.fullmatch(r"[!-~]+", key):
            raise ConfigError(
                "the key has a space or another character that no key has", hint="pass what amr keys create has shown"
            )
        self.url, self._key, self.whose = url.rstrip("/"), key, whose
        roots = str(certificates) if certificates else None
        self._pool = urllib3.PoolManager(timeout=_TIMEOUT, retries=_RETRIES, maxsize=32, ca_certs=roots)

    def of(self, **whose: str) -> _Calls:
        view = copy(self)
        view.whose = {**self.whose, **whose}
        return view

    def send(
        self, verb: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None, **headers: str
    ) -> urllib3.BaseHTTPResponse:
        """Return the reply, whose body is still to be read. Raises the error that the server had."""
        asked = [*{name: value for name, value in self.whose.items() if value}.items(), *_pairs(query or {})]
        root = "" if path in OPEN_PATHS else _PREFIX
        url = f"{self.url}{root}{path}" + (f"?{urlencode(asked)}" if asked else "")
        sent = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json", **headers}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body, default=plain).encode()
        try:
            reply = self._pool.request(verb, url, body=data, headers=sent, preload_content=False)
        except urllib3.exceptions.HTTPError as error:
            cause = getattr(error, "reason", None) or error  # without urllib3's words about its pool and its retries
            why = f"the server {self.url} cannot be reached: {cause}"
            raise StoreUnavailable(why, hint="is `amr serve` running there, and is the address right?") from error
        if reply.status >= 400:
            raise _error_of(reply.data)
        return reply

    def get(self, verb: str, path: str, **more: Any) -> bytes:
        try:
            return self.send(verb, path, **more).data
        except urllib3.exceptions.HTTPError as error:
            raise StoreUnavailable(f"the server {self.url} broke off: {error}", hint="try again") from error

    def json(self, verb: str, path: str, **more: Any) -> Any:
        """Return a reply as parsed JSON. Raises StoreUnavailable if it is not JSON."""
        found = self.get(verb, path, **more)
        try:
            return json.loads(found)
        except ValueError as error:
            raise self.is_another() from error

    def is_another(self) -> StoreUnavailable:
        """Return the error that another program answers at the address."""
        return StoreUnavailable(f"what answers at {self.url} is no amr serve", hint="check the address")


class ClientChat:
    """A live conversation on a server, used as a LiveChat."""

    def __init__(self, calls: _Calls, session_id: str) -> None:
        self._calls, self._path = calls, f"/conversations/{quote(session_id, safe='')}"
        self.metrics = ChatMetrics()  # the server times the turns

    def observe(self, text: str, **given: Any) -> LiveTurn:
        """See LiveChat.observe. The turn is on the server's disk when this returns."""
        found = self._calls.json("POST", f"{self._path}/observe", body={"text": text, **given})
        return _read(LiveTurn, found["turn"])

    def inject(self, messages: Sequence[Mapping[str, Any]]) -> list[Any]:
        """See LiveChat.inject."""
        return self._calls.json("POST", f"{self._path}/inject", body={"messages": list(messages)})


class _Client:
    """The methods of a Client."""

    _calls: _Calls
    settings: Settings
    uri: str
    _notify: Notify

    @property
    def group_id(self) -> str:
        """The group. If none was named, the server says which one the key opens.

        Raises InputError if it opens several.
        """
        if not self._calls.whose["group"]:
            group = self._call("own_key").group
            if not group:
                raise InputError("the key opens several groups", hint="name one: client.group(NAME)")
            self._calls = self._calls.of(group=group)
        return self._calls.whose["group"]

    @property
    def is_away(self) -> bool:
        """False: whether the database is away, the server says of each turn."""
        return False

    def __enter__(self) -> _Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held open that matters to the server."""

    def for_user(self, user_id: str) -> _Client:
        """See Memory.for_user."""
        return self._of(user=user_id)

    def group(self, group_id: str) -> _Client:
        """See Memory.group."""
        return self._of(group=group_id, user="")

    def _of(self, **whose: str) -> _Client:
        view = copy(self)
        view._calls = self._calls.of(**whose)
        view.settings = self.settings.model_copy(update=whose)
        return view

    def chat(self, *, user_id: str = "", session_id: str) -> ClientChat:
        """See Memory.chat."""
        return ClientChat(self._calls.of(user=user_id) if user_id else self._calls, session_id)

    def ingest(self, *places: str | Path, watch: Watch = lambda progress: None, **given: Any) -> IngestReport:
        """Send films and files of JSON lines to the server one by one, and wait until it has taken them in.

        places: files, folders and globs here; or addresses of live sources, which the server records from now on
            (add_source).
        given: as for Memory.ingest.
        Raises InputError: a single file cannot be sent, or its job failed; of several, the report has it as rejected.
        KeyboardInterrupt: the server goes on.
        """
        live = [str(place) for place in places if "://" in str(place)]
        if live and len(live) < len(places):
            raise InputError("files and live sources are taken in by runs of their own", hint="name one kind")
        taken = _options("add_source") if live else _options("ingest")
        _check_taken(given, _USUAL, taken)
        how = {name: value for name, value in given.items() if name in taken}
        report = IngestReport()
        if not live:
            files = list(find_sources(places))
            check_options(files, IngestOptions(**how))
            for file in files:

                def take_in(path: Path, is_found: bool = not file.is_named) -> IngestReport:
                    return self._taken_in(path, how | {"found": is_found or how.get("found", False)}, watch)

                if len(files) == 1:
                    return take_in(file.path)
                take(file.path, take_in, watch, report)
        jobs: list[Job] = [self._call("add_source", url, **how) for url in live]
        for number, job in enumerate(jobs):
            try:
                report.include(_read(IngestReport, self._ended(job, _teller(watch))))
            except KeyboardInterrupt:
                for waiting in jobs[number + 1 :]:
                    self._tell_of(waiting)
                raise
        return report

    def watch(
        self,
        *places: str | Path,
        place: str = "",
        timezone: str = "",
        poll_s: float = 2.0,
        settle_s: float = 5.0,
        stop: Event | None = None,
        watch: Watch = lambda progress: None,
    ) -> IngestReport:
        """See Memory.watch. Files are sent to the server one by one, each taken in by a job of the server.

        What was sent is not sent again, also after a restart of this program or of the server. A film that has grown
        since is rejected: the server would take it for another one. So is a film whose job failed, until the job is
        begun again.
        Raises InputError: a place is a broker.
        """
        if any("://" in str(place) for place in places):
            raise InputError("a server watches no broker", hint="run amr watch on the machine of the server")
        how = {"place": place, "timezone": timezone}

        def take_in(path: Path) -> IngestReport:
            # Of a film, what stays the same while it grows. The first key is that of the longest head; a film that
            # was shorter when it was sent had one of the others.
            same = (() if is_lines(path) else file_keys(path)) or (_content(path),)
            keys = [_hash(path.name, each, *how.values()) for each in same]
            job = self._begun(keys)
            if job is None:
                return self._taken_in(path, how | {"found": True}, watch, keys[0])
            if self._sent_bytes(job) not in (None, path.stat().st_size):
                hint = "its first part is in memory; a longer --settle waits for the end of a recording"
                raise InputError("it was sent before, and has changed since", hint=hint)
            return _read(IngestReport, self._ended(job, _teller(watch)))

        return watch_folders(
            places,
            take_in,
            pace=Pace(poll_s, settle_s),
            watch=watch,
            stop=stop or Event(),
            notify=self._notify,
        )

    def _begun(self, keys: Sequence[str]) -> Job | None:
        """Return the job that was started with one of these keys, so that a film need not be sent to ask for it."""
        own: OwnKey = self._call("own_key")
        for key in keys:
            with suppress(NotInMemory):
                return self._call("job", made_id((own.group, own.user), own.key.id, key))
        return None

    def _sent_bytes(self, job: Job) -> int | None:
        """Return the size of the file that a job takes in; None if its upload is gone."""
        [place] = job.arguments["places"]
        with suppress(NotInMemory):
            return self._call("upload", PurePosixPath(place).parent.name).size
        return None

    def _taken_in(self, file: Path, how: Mapping[str, Any], watch: Watch, key: str = "") -> IngestReport:
        """Send a file, and wait until the server has taken it in. key: of the job, see _started."""
        upload_id, is_new = self._send(file)
        try:
            job = self._started("/ingest", {"places": [f"upload:{upload_id}"], **how}, key)
        except InputError:
            if is_new:
                self._calls.get("DELETE", f"/uploads/{upload_id}")
            raise
        return _read(IngestReport, self._ended(job, _teller(watch)))

    def explore(self, source: str | Path, question: str, **given: Any) -> Exploration:
        """See Memory.explore. source: a film here, which is sent, or the video_id of one in the server's memory."""
        taken = _options("explore")
        _check_taken(given, {}, taken | {"save_tree"})
        tree_file = Path(given["save_tree"]) if given.get("save_tree") else None
        if tree_file:  # before the job, which may cost money
            private_folder(tree_file.absolute().parent)
        named = f"upload:{self._send(Path(source))[0]}" if Path(source).is_file() else str(source)
        body = {"source": named, "question": question}
        body |= {name: value for name, value in given.items() if name in taken}
        found = _read(Exploration, self._ended(self._started("/explore", body)))
        if tree_file:
            saved_tree.write(tree_file, found.tree)
        return found

    def export(self, file: str | Path | BinaryIO, *, user_id: str = "", vectors: bool = False) -> Exported:
        """See Memory.export. How many turns wait on the server is not known here."""
        calls = self._calls.of(user=user_id) if user_id else self._calls
        with TemporaryFile() as packed:
            for part in calls.send("GET", "/export", query={"vectors": vectors}).stream(_PART):
                packed.write(part)
            packed.seek(0)
            header, footer = verified(packed)
            packed.seek(0)
            with opened_to_write(file) as written, gzip.open(packed) as unpacked:
                shutil.copyfileobj(cast(BinaryIO, unpacked), written)
        return Exported(header.group, header.user, footer.counts, vectors, footer.sha256)

    def import_export(self, file: str | Path | BinaryIO, *, user_id: str = "", **given: bool) -> Imported:
        """See Memory.import_export. The file is sent to the server."""
        client = self.for_user(user_id) if user_id else self
        with _named(file) as path:
            body = {"file": f"upload:{client._send(path)[0]}", **given}
        return _read(Imported, client._ended(client._started("/import", body)))

    def import_chat(self, *files: str | Path, user_id: str = "", session_id: str = "") -> ChatReport:
        """See Memory.import_chat. The files are sent to the server; one that cannot be read ends the call."""
        client, report = self.for_user(user_id) if user_id else self, ChatReport()
        for file in files:
            upload_id, _ = client._send(Path(file))
            try:
                report.add_all(client._call("import_chat", f"upload:{upload_id}", session_id))
            finally:  # its words are in memory now, and would outlive forgetting here
                client._calls.get("DELETE", f"/uploads/{upload_id}")
        return report

    def _started(self, path: str, body: Mapping[str, Any], key: str = "") -> Job:
        """Start a job. key: if a job was started with it before, that one is returned."""
        return _read(Job, self._calls.json("POST", path, body=body, **{"Idempotency-Key": key or uuid4().hex}))

    def _ended(self, job: Job, tell: Tell = _tells_nobody) -> Mapping[str, Any]:
        """Wait for the end of a job, and return its result. tell: called with its progress.

        Raises InputError: it failed, or was cancelled. KeyboardInterrupt: the server goes on with it.
        """
        seen = job.progress
        try:
            while job.state in OPEN:
                time.sleep(_POLL_S)
                job = _read(Job, self._calls.json("GET", f"/jobs/{job.id}"))
                if job.progress != seen:
                    seen = job.progress
                    tell(seen)
        except KeyboardInterrupt:
            self._tell_of(job)
            raise
        if job.state != "completed":
            hint = f"to begin it again: amr jobs retry {job.id}"
            raise InputError(f"the job is {job.state}: {job.error}", hint=hint)
        return job.result

    def _tell_of(self, job: Job) -> None:
        """Tell that the server goes on with a job, although nobody waits for it any more."""
        place = f" recording {job.arguments['places'][0]}" if job.action == "source" else ""
        self._notify(f"the server goes on{place}; to end that: amr jobs cancel {job.id}")

    def receipts(
        self, video_id: str = "", *, limit: int = 1000, cursor: str = "", wait_s: float = 0.0
    ) -> Page[ClipReceipt]:
        """See Memory.receipts. It is waited for here, so that no thread of the server is held."""
        until = time.monotonic() + wait_s
        while True:
            found: Page[ClipReceipt] = self._call("receipts", video_id, limit=limit, cursor=cursor)
            if not any(each.is_waiting for each in found) or time.monotonic() >= until:
                return found
            time.sleep(_POLL_S)

    def ingest_clips(self, clips: Iterable[Mapping[str, Any]], **given: Any) -> IngestReport:
        """See Memory.ingest_clips. Their files are on the server, in the folders of its setting serve_folders."""
        return self.ingest_lines(list(map(as_line, clips)), **given)

    def ingest_lines(
        self, lines: Iterable[str | bytes], *, name: str = "lines", found: bool = False, **given: Any
    ) -> IngestReport:
        """See Memory.ingest_lines. All lines are sent at once. name: not sent."""
        _check_taken(
            given, {}, frozenset(), hint="send a file of lines with `ingest`, or run it where the server runs"
        )
        body = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
        query = {"found": found or not isinstance(lines, Sequence)}  # a pipe names nothing that was forgotten
        report = self._calls.json("POST", "/ingest/lines", body=body, query=query, **{"Content-Type": _LINES})
        return _read(IngestReport, report)

    def save_picture(self, node_id: int, file: str | Path, **given: Any) -> Any:
        """See Memory.save_picture. The file here is a JPEG."""
        return self._save(node_id, "picture.jpg", Path(file), given)

    def save_clip(self, node_id: int, file: str | Path, **given: Any) -> Any:
        """See Memory.save_clip."""
        return self._save(node_id, "clip.mp4", Path(file), given)

    def save_latest_picture(self, video_id: str, file: str | Path, **given: Any) -> None:
        """See Memory.save_latest_picture. The file here is a JPEG."""
        write_atomically(
            Path(file), self._calls.get("GET", f"/sources/{quote(video_id, safe='')}/picture.jpg", query=given)
        )

    def export_episodes(
        self,
        user_id: str = "",
        session_id: str | None = None,
        *,
        limit: int | None = None,
        cursor: str = "",
        **given: Any,
    ) -> dict[str, Any]:
        """See Memory.export_episodes. Without a limit, the server is asked for one page after the other."""
        named: dict[str, Any] = {"user_id": user_id, "session_id": session_id, **given}
        if limit is not None or cursor:
            return self._call("export_episodes", limit=1000 if limit is None else limit, cursor=cursor, **named)
        whole, page = dict[str, list[Any]](nodes=[], edges=[], episodes=[]), dict[str, Any](next="")
        while page["next"] is not None:
            page = self._call("export_episodes", cursor=page["next"], **named)
            for name, items in whole.items():
                items.extend(page[name])
        return whole

    def analytics(self, name: str, /, *, limit: int = 1000, cursor: str = "", **params: Any) -> Page[Any]:
        """See Memory.analytics."""
        body = {"params": params, "limit": limit, "cursor": cursor}
        found = self._calls.json("POST", f"/analytics/{quote(name, safe='')}", body=body)
        return _read(_returned("analytics"), found)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return any other method of Memory that the server has, or a call of its own, such as `cancel_job`."""
        if name not in _TABLE:
            if hasattr(Memory, name):
                hint = "run it on the machine of the server"
                raise InputError(f"a server does not offer {name}", hint=hint)
            raise AttributeError(name)
        return partial(self._call, name)

    def _call(self, name: str, *positional: Any, **named: Any) -> Any:
        bound = inspect.signature(_TABLE[name][0].method)
        has_self = bool({"self", "caller"} & bound.parameters.keys())
        # The server's own functions take no user: the query names the user.
        user = named.pop("user_id", "") if "caller" in bound.parameters else ""
        # A default of Memory that the server's own function does not have, such as no time, says nothing.
        if not any(each.kind is each.VAR_KEYWORD for each in bound.parameters.values()):
            named = {key: value for key, value in named.items() if value or key in bound.parameters}
            if lacking := sorted(named.keys() - bound.parameters.keys()):
                raise _not_taken(lacking, name)
        given = dict(bound.bind(*[self] * has_self, *positional, **named).arguments)
        given.pop("self", given.pop("caller", None))
        for many in [each.name for each in bound.parameters.values() if each.kind is each.VAR_KEYWORD]:
            given |= given.pop(many, {})
        user = user or given.get("user_id")
        calls = self._calls.of(user=user) if user else self._calls
        notify = given.get("notify")
        sent = {key: value for key, value in given.items() if value not in (None, "") and key not in _HERE}
        route, in_path, taken = _route(name, sent)
        # Arguments that the route lacks are false or empty here, and can be left out: _route refuses all others.
        sent = {key: value for key, value in sent.items() if key in taken}
        path = route.path
        for part, argument in in_path.items():
            path = path.replace(f"{{{part}}}", quote(str(sent.pop(argument)), safe=""))
        body, query = (sent, None) if route.verb == "POST" else (None, sent)
        if notify:
            reply = calls.send(route.verb, path, body, query, Accept=_EVENTS)
            if not reply.headers.get("Content-Type", "").startswith(_EVENTS):
                raise calls.is_another()
            return _told(reply, notify, reply_type(route))
        return _read(reply_type(route), calls.json(route.verb, path, body=body, query=query))

    def _send(self, file: Path) -> tuple[str, bool]:
        """Send a file. Return the id of its upload, and whether bytes were sent: what is there is not sent again."""
        if not file.is_file():
            raise InputError(f"{file} is no file on this machine", hint="a server takes films and JSON lines by name")
        size, key = file.stat().st_size, _hash(file.name, _content(file))
        about = {"name": file.name, "size": size}
        upload = self._calls.json("POST", "/uploads", body=about, **{"Idempotency-Key": key})
        path, offset = f"/uploads/{upload['id']}", upload["offset"]
        is_new = offset < size
        if 0 < offset < size:
            # The server may still read from the broken connection and refuse: an empty part then, not a large one.
            self._calls.get("PATCH", path, body=b"", **{"Upload-Offset": str(offset)})
        with file.open("rb") as film:
            film.seek(offset)
            # No more than was announced, even if the file grows in the meantime.
            while part := film.read(min(_PART, size - offset)):
                self._calls.get("PATCH", path, body=part, **{"Upload-Offset": str(offset)})
                offset += len(part)
        return upload["id"], is_new

    def _save(self, node_id: int, name: str, file: Path, query: Mapping[str, Any]) -> Any:
        found = self._calls.get("GET", f"/events/{node_id}/{name}", query=query)
        write_atomically(file, found)
        return self._call("filmed", node_id)


# For type checkers a Client is a Memory, since it has the same methods.
if TYPE_CHECKING:
    _Shown = Memory
else:
    _Shown = _Client


class Client(_Shown):
    """The memory of a key on a server of `amr serve`, with the methods, types and errors of Memory.

    >>> with Client("https://box.home:8378", key) as m:
    ...     answer = m.ask("Where are the keys?")

    Thread-safe. What concerns the database's own care is not there: it is done where the server runs.

    group, user: whose memory, if the key opens several.
    certificates: trusted roots, in place of the system's.
    notify: called with lines for people, such as that the server is away while folders are watched.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        group: str = "",
        user: str = "",
        certificates: Path | None = None,
        settings: Settings | None = None,
        notify: Notify = lambda line: None,
    ) -> None:
        self._calls = _Calls(url, key, {"group": group, "user": user}, certificates)
        self.settings = (settings or load()).model_copy(update={"user": user} | ({"group": group} if group else {}))
        self.uri, self._notify = url, notify


def checks_of(url: str, key_text: str) -> Mapping[str, Callable[[], str]]:
    """Return {name: check} of a running server. Each returns what it found, or raises an AmrError with the remedy."""
    calls = _Calls(url, key_text, {}, None)

    def found(path: str) -> dict[str, Any]:
        try:
            return dict(calls.json("GET", path))
        except (ValueError, TypeError) as error:
            raise calls.is_another() from error

    def server() -> str:
        return f"{calls.url} is {found(OPEN_PATHS[0]).get('status', 'unknown')}"

    def key() -> str:
        there = found("/openapi.json").get("info", {}).get("version", "unknown")
        return f"valid; the server has version {there}, this is {__version__}"

    def database() -> str:
        return str(found(OPEN_PATHS[1]).get("status", "unknown"))

    return {"server": server, "key": key, "database": database}


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _content(file: Path) -> str:
    """Return what changes with a file's content: also the time of its change, since a fingerprint is of samples."""
    status = file.stat()
    return f"{fingerprint(file)} {status.st_size} {status.st_mtime_ns}"


@contextmanager
def _named(file: str | Path | BinaryIO) -> Generator[Path]:
    """Context manager: gives the name of a file. A stream is copied into one, since an upload says its size first."""
    if isinstance(file, str | Path):
        yield Path(file)
        return
    with NamedTemporaryFile() as copied:
        shutil.copyfileobj(file, copied)
        copied.flush()
        yield Path(copied.name)


# {name: its routes}. A file that a call returns is no JSON, and is read by a method of Client.
_TABLE: dict[str, list[Route]] = {}
for each in ALL_CALLS:
    if not each.media_type:
        _TABLE.setdefault(each.method.__name__, []).append(each)
# Arguments of Memory that are not sent: functions, and whose memory it is, which is said in the query.
_HERE = frozenset({"user_id", "notify", "watch"})
_USUAL = {option.name: option.default for option in fields(IngestOptions)}


def _route(name: str, given: Mapping[str, Any]) -> tuple[Route, Mapping[str, str], frozenset[str]]:
    """Return the route of a method that takes these arguments, {name in its path: argument}, and all that it takes.

    Of several, the one with most of them in its path. Raises InputError: the server takes no such argument.
    """
    fits: list[tuple[Route, Mapping[str, str], frozenset[str]]] = []
    unknown: set[str] = set()
    for route in _TABLE[name]:
        in_path, others = arguments(route)
        named = {part: route.called.get(part, part) for part in in_path}
        if named.keys() and not set(named.values()) <= given.keys():
            continue
        taken = frozenset({*named.values(), *others})
        unknown = {key for key, value in given.items() if value} - taken
        if not unknown:
            fits.append((route, named, taken))
    if not fits:
        raise _not_taken(sorted(unknown), name)
    return max(fits, key=lambda fit: len(fit[1]))


def _options(name: str) -> frozenset[str]:
    """Return the names of the arguments with a default that a call of the server takes."""
    [route] = _TABLE[name]
    return frozenset(option for option, (_, default) in arguments(route)[1].items() if default is not ...)


def _teller(watch: Watch) -> Tell:
    """Return a function that passes the progress of a job to `watch`."""

    def tell(seen: Mapping[str, Any]) -> None:
        if "receipt" in seen:
            watch(_read(Progress, seen))

    return tell


def _check_taken(
    given: Mapping[str, Any],
    usual: Mapping[str, Any],
    taken: frozenset[str],
    hint: str = "run it where the server runs",
) -> None:
    """Raises InputError: an argument is given that a server does not take. usual: {name: its default}."""
    unknown = {name for name, value in given.items() if value and value != usual.get(name)} - taken - _HERE
    if unknown:
        raise InputError(f"a server takes no {', '.join(sorted(unknown))}", hint=hint)


def _not_taken(unknown: Sequence[str], name: str) -> InputError:
    what = ", ".join(unknown) or "these arguments"
    return InputError(f"a server takes no {what} for {name}", hint="run it on the machine of the server")


def _pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        many = cast("Sequence[Any]", value if isinstance(value, list | tuple) else [value])
        for each in many:
            if each is not None:
                sent = each.isoformat() if isinstance(each, datetime) else each
                yield name, str(sent).lower() if isinstance(sent, bool) else str(sent)


def _told(reply: urllib3.BaseHTTPResponse, notify: Callable[[str], None], kind: Any) -> Any:
    """Read server-sent events: pass each claim on, and return the result."""
    name = ""
    try:
        for line in _lines(reply):
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data" and name == "claim":
                notify(json.loads(value))
            elif field == "data" and name == "error":
                raise _error_of(value.encode())
            elif field == "data":
                return _read(kind, json.loads(value))
    except urllib3.exceptions.HTTPError as error:
        raise StoreUnavailable(f"the server broke off: {error}", hint="ask again") from error
    finally:
        reply.release_conn()
    raise StoreUnavailable("the server broke off", hint="ask again")


def _lines(reply: urllib3.BaseHTTPResponse) -> Iterator[str]:
    rest = b""
    for part in reply.stream(2**16):
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.decode() for line in whole)


# Of what a server refuses before memory sees it, all else is InputError. What is in conflict, or too much just now,
# can be tried again.
_REFUSED: Mapping[str, type[AmrError]] = {
    "Unauthorized": StoreDenied,
    "Conflict": StoreUnavailable,
    "TooManyRequests": StoreUnavailable,
}


def _error_of(problem: bytes) -> AmrError:
    """Return the error of a problem document, of the class that the server raised."""
    try:
        read = cast(dict[str, Any], json.loads(problem))
        name = str(read["type"]).rpartition(":")[2].title().replace("-", "")
        found, message, hint = getattr(errors, name, None), str(read["detail"]), str(read["hint"])
        if name == "NotFound":  # the path itself, not what it names
            hint = "is the address that of amr serve, and is it of this version?"
        exit_code = int(read["exit_code"])
    except (ValueError, KeyError, TypeError):
        return StoreUnavailable("the server's reply is no problem document", hint="is it `amr serve`?")
    if isinstance(found, type) and issubclass(found, AmrError):
        return found(message, hint=hint)
    error = _REFUSED.get(name, InputError)(message, hint=hint)
    error.exit_code = exit_code
    return error


@cache
def _returned(name: str) -> Any:
    return reply_type(Route("GET", "", "read", getattr(Memory, name)))


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _read(kind: Any, value: Any) -> Any:
    """Return a value of JSON as Memory returns it."""
    found = _adapter(kind).validate_python(value)
    if isinstance(found, PageOf):
        page = cast("PageOf[Any]", found)
        return Page(tuple(page.items), page.total, page.next, tuple(page.notes))
    return found
