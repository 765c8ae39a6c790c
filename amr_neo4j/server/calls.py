"""The calls of the server that are more than one method of Memory, and the table of all calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from amr_neo4j.app.ingesting import check_below
from amr_neo4j.domain.arguments import MOST
from amr_neo4j.domain.belief import Consolidated
from amr_neo4j.domain.episode import ChatReport
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.video import Relocated
from amr_neo4j.domain.views import AnalyticsRow, GroupView
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.live_chat.session import LiveTurn
from amr_neo4j.server import media
from amr_neo4j.server.cuts import SentOnce
from amr_neo4j.server.jobs import ENDED_EARLY, Action, Job
from amr_neo4j.server.keys import ANY, Key
from amr_neo4j.server.problems import Refused
from amr_neo4j.server.routes import ROUTES, Route
from amr_neo4j.server.service import Caller
from amr_neo4j.server.sources import check_source
from amr_neo4j.server.uploads import UPLOAD, Upload

Positive = Annotated[int, Field(ge=1, le=MOST)]


@dataclass(frozen=True)
class OwnKey:
    """What a key opens, and whose memory this call is about; empty if it names none of several."""

    key: Key
    group: str
    user: str


def own_key(caller: Caller) -> OwnKey:
    """Return what the key of the call opens and allows, and whose memory the call is about."""
    return OwnKey(caller.key, *caller.owner)


Limit = Annotated[int, Field(ge=0, le=MOST)]


def groups(caller: Caller, limit: Limit = 1000, cursor: str = "") -> Page[GroupView]:
    """Return the groups that the key opens and that hold something, with counts."""
    opened = None if ANY in caller.key.groups else caller.key.groups
    return caller.memory.groups(among=opened, limit=limit, cursor=cursor)


@dataclass(frozen=True)
class Observed:
    """What `observe` did with a turn. waits: the database was away a moment ago, so the turn waits on the server."""

    turn: LiveTurn
    waits: bool


def observe(
    caller: Caller,
    session_id: str,
    text: str,
    actor: str = "user",
    at: datetime | None = None,
    turn_id: str = "",
    idempotency_key: str = "",
) -> Observed:
    """Store a turn of a live conversation, learn its facts, and choose the facts for the next prompt.

    When it returns, the turn is on the server's disk. `waits` says whether the database was away a moment ago.
    """
    chat = caller.service.chat(caller.memory, session_id)
    turn = chat.observe(text, actor=actor, at=at, turn_id=turn_id or _id_of(caller, idempotency_key))
    return Observed(turn, caller.memory.is_away)


def inject(caller: Caller, session_id: str, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages for a chat model, with what is known added."""
    return [dict(message) for message in caller.service.chat(caller.memory, session_id).inject(messages)]


def ingest(
    caller: Caller,
    places: Sequence[str],
    video_id: str = "",
    place: str = "",
    recorded_at: datetime | None = None,
    timezone: str = "",
    wearer: str = "",
    retry_failed: bool = False,
    skip_failed: bool = False,
    found: bool = False,
    idempotency_key: str = "",
) -> Job:
    """Take in videos and clip analyses: uploads (upload:ID), and from folders that the setting serve_folders allows.

    found: the files were found in a folder, and not named: what was forgotten of them stays forgotten.
    Returns the job that does it. It is on the server's disk, and goes on after a restart.
    """
    paths = [_readable(caller, each) for each in places]
    given = {
        "video_id": video_id,
        "place": place,
        "recorded_at": recorded_at,
        "timezone": timezone,
        "wearer": wearer,
        "retry_failed": retry_failed,
        "skip_failed": skip_failed,
        "found": found,
    }
    return _job(caller, "ingest", {"places": paths, **given}, idempotency_key)


def explore(
    caller: Caller,
    source: str,
    question: str,
    max_depth: Positive | None = None,
    per_expand_limit: Positive | None = None,
    max_looks: Positive | None = None,
    planner: Literal["auto", "model", "local"] = "auto",
    remember: bool = False,
    idempotency_key: str = "",
) -> Job:
    """Look for the answer to a question in a film: the id of a video in memory, an upload, or an allowed file.

    Returns the job that does it, whose result is an Exploration.
    """
    video_id = source if _is_video(caller, source) else ""
    # The path, because a file in the server's working directory may be named like the video.
    source = str(media.film(caller, video_id)) if video_id else _readable(caller, source)
    given = {"max_depth": max_depth, "per_expand_limit": per_expand_limit, "max_looks": max_looks}
    given |= {"planner": planner, "remember": remember, "video_id": video_id}
    return _job(caller, "explore", {"source": source, "question": question, **given}, idempotency_key)


def _is_video(caller: Caller, source: str) -> bool:
    try:
        caller.memory.video(source, 0)
    except NotInMemory:
        if not source.startswith((UPLOAD, "/")):  # the id of a video, misspelt: files are absolute paths
            raise
        return False
    return True


def import_export(
    caller: Caller, file: str, any_group: bool = False, reembed: bool = False, idempotency_key: str = ""
) -> Job:
    """Take in what an export holds: upload:ID, or a file in an allowed folder. The group must be empty.

    The export of a user becomes the memory of the key's user. Returns the job that does it.
    """
    user = _user_or_all(caller)
    given = {
        "file": _readable(caller, file, is_film=False),
        "user_id": user,
        "any_group": any_group,
        "reembed": reembed,
    }
    return _job(caller, "import", given, idempotency_key)


def import_chat(caller: Caller, file: str, session_id: str = "") -> ChatReport:
    """Take in a file of conversations: upload:ID, or a file in an allowed folder.

    JSON lines, OpenAI's chat format, LoCoMo's JSON, plain text, or an export of episodes.

    session_id: of a file that names none; by default the file's name.
    """
    return caller.memory.import_chat(_readable(caller, file, is_film=False), session_id=session_id)


def consolidate_all(caller: Caller, dry_run: bool = False) -> list[Consolidated]:
    """Tidy the facts of every user of the group, one after the other, as the nightly run does.

    Needs a key for every user. Returns a report for each.
    """
    if ANY not in caller.key.users:
        hint = "name a user: amr consolidate --user NAME; of all: amr keys create --user '*' --scope admin"
        raise Refused(403, "the key does not open every user", hint=hint)
    return caller.memory.consolidate_all(dry_run=dry_run)


def relocate(caller: Caller, old: str, new: str, dry_run: bool = False) -> list[Relocated]:
    """Store that a film, or all films of a folder, are at another path of the server. No file is moved.

    The new path must be in a folder that the setting serve_folders allows. An upload is refused: deleting it would
    delete the film.
    """
    return caller.memory.relocate(old, _allowed(caller, new), dry_run=dry_run)


def export(caller: Caller, vectors: bool = False) -> SentOnce:
    """Return what memory holds of the user, for `import`: JSON lines, packed by gzip.

    A key of the scope admin for every user, who names none, gets the whole group.
    """
    user, file = _user_or_all(caller), caller.service.cuts.new(".gz")
    caller.memory.export(file, user_id=user, vectors=vectors)
    return SentOnce(file)


def _user_or_all(caller: Caller) -> str:
    """Return the user whose memory is moved; empty for the whole group, with the conversations of all its users."""
    user = caller.memory.settings.user
    if not user and ("admin" not in caller.key.scopes or ANY not in caller.key.users):
        raise Refused(403, "the key does not open the whole group", hint="amr keys create --user '*' --scope admin")
    return user


def add_source(
    caller: Caller, url: str, place: str = "", timezone: str = "", wearer: str = "", idempotency_key: str = ""
) -> Job:
    """Take in a live source from now on, of the hosts in the setting serve_sources. docs/live.md lists the protocols.

    Returns its job, which ends with the source; for a source that has one, that job, which goes on if it was paused.
    Cancel the job to pause, retry it to go on, delete it to remove the source. What was taken in stays.
    """
    check_source(url, caller.memory.settings.serve_sources)
    given = {"places": [url], "place": place, "timezone": timezone, "wearer": wearer}
    found = _job(caller, "source", given, idempotency_key)
    return retry_job(caller, found.id) if found.state in ENDED_EARLY else found


_NEVER_EMPTY = ("places", "source", "question", "file")
"""The arguments without which a job has nothing to do."""


def _job(caller: Caller, action: Action, arguments: Mapping[str, Any], idempotency_key: str) -> Job:
    if missing := next((name for name in _NEVER_EMPTY if arguments.get(name, " ") in ("", [])), None):
        raise InputError(f"{missing}: is empty", hint="say what the job is to do")
    given = {name: each for name, each in arguments.items() if each}
    return caller.service.jobs.add(*caller.owner, action, given, _id_of(caller, idempotency_key), caller.key.id)


def _id_of(caller: Caller, idempotency_key: str) -> str:
    """Return the id of what a call with this header makes, so that a repeated call makes it once; empty without."""
    return made_id(caller.owner, caller.key.id, idempotency_key) if idempotency_key else ""


def made_id(owner: tuple[str, str], key_id: str, idempotency_key: str) -> str:
    """Return the id of what a call with this Idempotency-Key makes. owner: group and user; key_id: of its key."""
    return hashlib.sha256(json.dumps((*owner, key_id, idempotency_key)).encode()).hexdigest()[:32]


def _readable(caller: Caller, place: str, *, is_film: bool = True) -> str:
    """Return the path of an upload or of a file in an allowed folder. Raises Refused if it may not be read."""
    if place.startswith(UPLOAD):
        return str(caller.service.uploads.file(caller.owner, place.removeprefix(UPLOAD), is_film=is_film))
    return _allowed(caller, place)


def _allowed(caller: Caller, place: str) -> str:
    """Return the path of a file or folder in an allowed folder. Raises Refused if it may not be read."""
    hint = "the server's setting serve_folders names what it may read; POST /uploads takes a film of your own"
    try:
        path = check_below(place, caller.memory.settings.serve_folders)
    except InputError as error:
        raise Refused(403, error.message, hint=hint) from error
    # A name with * or ? would be expanded only later, and could lead through a link.
    if not path.exists():
        raise Refused(403, f"{place!r:.200} may not be read", hint=hint)
    return str(path)


def begin_upload(caller: Caller, name: str, size: int, idempotency_key: str = "") -> Upload:
    """Begin the upload of a film. Send its bytes with PATCH, then take it in: POST /ingest of upload:ID.

    name: of the file, whose suffix and date count.
    size: in bytes.
    """
    return caller.service.uploads.begin(caller.owner, name, size, _id_of(caller, idempotency_key))


def upload(caller: Caller, upload_id: str) -> Upload:
    """Return an upload. Its `offset` says how many bytes are there: go on from it after an interruption."""
    return caller.service.uploads.upload(caller.owner, upload_id)


def remove_upload(caller: Caller, upload_id: str) -> Upload:
    """Remove an upload with its bytes. Events of it stay in memory, without pictures."""
    return caller.service.uploads.remove(caller.owner, upload_id)


def analytics(
    caller: Caller, name: str, params: dict[str, Any] | None = None, limit: Limit = 1000, cursor: str = ""
) -> Page[AnalyticsRow]:
    """Return the rows of a saved query for the group. GET /analytics lists the queries with their parameters."""
    if reserved := {"limit", "cursor"} & (params or {}).keys():
        raise InputError(f"{min(reserved)} is no parameter of a query", hint="give it beside params")
    return caller.memory.analytics(name, limit=limit, cursor=cursor, **(params or {}))


def export_episodes(
    caller: Caller,
    session_id: str | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    nested: bool = False,
    limit: Limit = 1000,
    cursor: str = "",
) -> dict[str, Any]:
    """Return a page of a user's episodes, or of one session's, with mentions and relations, for POST /episodes.

    The document has `total` and `next`, as lists have. Take pages in again in their order: an edge may name a node of
    an earlier page.

    limit: the most episodes.
    """
    moments = {"as_of": as_of, "known_at": known_at}
    return caller.memory.export_episodes("", session_id, **moments, nested=nested, limit=limit, cursor=cursor)


def jobs(caller: Caller, limit: Limit = 100, cursor: str = "") -> Page[Job]:
    """Return the jobs of the group and user, the latest first."""
    asked = PageRequest.of(limit, cursor, "jobs", *caller.owner)
    return caller.service.jobs.of(*caller.owner, asked)


def job(caller: Caller, job_id: str) -> Job:
    """Return a job with its state and progress."""
    return caller.service.jobs.job(*caller.owner, job_id)


def cancel_job(caller: Caller, job_id: str) -> Job:
    """End a job after its current clip. Committed clips stay."""
    caller.service.jobs.cancel(_own_job(caller, job_id))
    return job(caller, job_id)


def remove_job(caller: Caller, job_id: str) -> Job:
    """Remove a job that has ended from the list. What it took in stays."""
    found = _own_job(caller, job_id)
    caller.service.jobs.remove(found)
    return found


def retry_job(caller: Caller, job_id: str) -> Job:
    """Begin a job again that failed or was cancelled. Clips that are committed are skipped."""
    caller.service.jobs.retry(_own_job(caller, job_id), caller.key.id)
    return job(caller, job_id)


def _own_job(caller: Caller, job_id: str) -> Job:
    """Return a job that the key may change. Raises Refused if it is a live source, which needs the scope admin."""
    found = job(caller, job_id)
    if found.action == "source" and "admin" not in caller.key.scopes:
        raise Refused(
            403, "the key lacks the scope admin", hint="make one that may: amr keys create --scope admin,write"
        )
    return found


def ingest_lines(caller: Caller, body: bytes, *, found: bool) -> Any:
    """Take in clips with their analyses, one JSON object a line.

    A clip without an analysis has to be a file in a folder that the setting serve_folders allows. While the database
    is away, lines are refused. Upload them as a file then, and start a job.
    found: see Memory.ingest_lines.
    """
    caller.service.check_database()  # Memory would wait for it for minutes, and the client with it
    lines, folders = body.split(b"\n"), caller.memory.settings.serve_folders
    with caller.service.ingesting():
        return caller.memory.ingest_lines(lines, name="request", below=folders, found=found)


CALLS = (
    Route("GET", "/key", "read", own_key, needs_one=False),
    Route("GET", "/groups", "read", groups, needs_one=False),
    Route("POST", "/conversations/{session_id}/observe", "write", observe, talks=True),
    Route("POST", "/conversations/{session_id}/inject", "read", inject, talks=True),
    Route("GET", "/events/{node_id}/picture.jpg", "read", media.picture, media_type="image/jpeg"),
    Route("GET", "/events/{node_id}/clip.mp4", "read", media.clip, media_type="video/mp4"),
    Route("GET", "/sources/{video_id}/picture.jpg", "read", media.latest_picture, media_type="image/jpeg"),
    Route("GET", "/videos/{video_id}/film", "read", media.film, media_type="video/*"),
    Route("POST", "/analytics/{name}", "read", analytics),
    Route("GET", "/episodes", "read", export_episodes),
    Route("POST", "/import_chat", "write", import_chat),
    Route("POST", "/uploads", "write", begin_upload),
    Route("GET", "/uploads/{upload_id}", "write", upload),
    Route("DELETE", "/uploads/{upload_id}", "write", remove_upload),
    Route("POST", "/ingest", "write", ingest),
    Route("POST", "/explore", "write", explore),
    Route("POST", "/import", "write", import_export),
    Route("GET", "/export", "read", export, media_type="application/gzip"),
    Route("POST", "/consolidate_all", "admin", consolidate_all),
    Route("POST", "/relocate", "admin", relocate),
    Route("POST", "/sources", "admin", add_source),
    Route("GET", "/jobs", "read", jobs),
    Route("GET", "/jobs/{job_id}", "read", job, follows=True),
    Route("DELETE", "/jobs/{job_id}", "write", remove_job),
    Route("POST", "/jobs/{job_id}/cancel", "write", cancel_job),
    Route("POST", "/jobs/{job_id}/retry", "write", retry_job),
)
"""The calls that are more than one method of Memory."""
ALL_CALLS = (*ROUTES, *CALLS)
