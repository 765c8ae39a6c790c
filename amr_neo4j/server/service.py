"""What a running server holds, and how it runs a call for a key."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from threading import BoundedSemaphore, Lock, Thread
from typing import Any

from amr_neo4j.domain.episode import composed
from amr_neo4j.domain.plain import plain
from amr_neo4j.errors import AmrError, InputError, NoSpace, SpoolUnusable, StoreUnavailable
from amr_neo4j.live_chat.session import LiveChat
from amr_neo4j.memory import Memory
from amr_neo4j.server.cuts import Cuts
from amr_neo4j.server.jobs import Jobs
from amr_neo4j.server.keys import ANY, BEGUN, AuditedCall, Key, Keys, Scope
from amr_neo4j.server.problems import Refused, status_of
from amr_neo4j.server.uploads import Uploads
from amr_neo4j.threads import waits_at_exit

_log = logging.getLogger(__name__)
# The most live conversations that are held in memory. One that is dropped is loaded again at its next request.
_MOST_CHATS = 1000
# The health check asks the database at most once within this many seconds.
_CHECKED_S = 1.0


class Service:
    """A memory, its keys and its live conversations. Thread-safe."""

    def __init__(self, memory: Memory, keys: Keys, now: Callable[[], datetime]) -> None:
        # Without the settings' user: a key that opens no user's memory must not get that one's.
        self.memory, self.keys, self.now = memory.for_user(""), keys, now
        memory.ledger.keep(partial(keys.spent, "usd"), partial(keys.spend, "usd"))
        data_dir = memory.settings.data_dir.expanduser()
        self.jobs = Jobs(data_dir, self.memory, now)
        self.cuts, self.uploads = Cuts(data_dir), Uploads(data_dir, memory.settings.serve_largest_upload_gb)
        self.folders = memory.settings.serve_folders
        self._lock, self._checking = Lock(), Lock()
        # Films take minutes. Half of the threads stay free for questions.
        self._ingests = BoundedSemaphore(max(1, memory.settings.serve_threads // 2))
        self._chats: OrderedDict[tuple[str, str, str], LiveChat] = OrderedDict()
        self._checked: tuple[datetime, AmrError | None] | None = None

    def start(self) -> None:
        """Resume the jobs. A thread loads what the first question needs, while the first calls are served."""

        def warm_up() -> None:
            with suppress(AmrError):  # the first question meets the error again, and reports it
                self.memory.warm_up()

        self.jobs.start()
        warming_up = Thread(target=warm_up, name="amr-warm-up", daemon=True)
        warming_up.start()
        waits_at_exit(warming_up.join)

    def close(self) -> None:
        """Let the clips of jobs end that are under way, and delete what was cut out of films."""
        self.jobs.close()
        self.cuts.clear()

    def holds(self, key: Key, whose: tuple[str | None, str | None], session_id: str) -> bool:
        """Return whether a call about a live conversation need not open it, which waits for the database.

        whose: the group and user that the request names. A call that is refused opens none.
        """
        with suppress(AmrError):
            group = _opened(key.groups, whose[0], "group", needs_one=True) or self.memory.group_id
            user = _opened(key.users, whose[1], "user", needs_one=True)
            return (group, user, session_id) in self._chats
        return True

    def chat(self, memory: Memory, session_id: str) -> LiveChat:
        """Return a live conversation of the memory's user. It is held, so that the next request goes on with it."""
        name = memory.group_id, memory.settings.user, session_id
        with self._lock:
            if found := self._chats.get(name):
                self._chats.move_to_end(name)
                return found
        opened = memory.chat(session_id=session_id)
        with self._lock:
            # Another thread may have opened it in the meantime; both must use one.
            chat = self._chats.setdefault(name, opened)
            while len(self._chats) > _MOST_CHATS:
                self._chats.popitem(last=False)
        return chat

    @contextmanager
    def ingesting(self) -> Generator[None]:
        """Context manager around a call that takes something in. Raises Refused: too many are under way."""
        if not self._ingests.acquire(blocking=False):
            raise Refused(429, "too many calls take something in just now", hint="try again when one has ended")
        try:
            yield
        finally:
            self._ingests.release()

    def lag_s(self) -> float:
        """Return the longest time that an accepted job has not ended, or that a live source is behind, in seconds.

        The database is not asked.
        """
        oldest = self.jobs.oldest()
        waited = [(self.now() - oldest).total_seconds()] if oldest else []
        groups = [self.memory.group(name) for name in self.jobs.recorded_groups()]
        sources = [each for group in groups for each in group.status(from_disk=True)]
        return max([0.0, *waited, *(each.lag_s for each in sources if each.lag_s is not None)])

    def check_database(self) -> None:
        """Ask the database whether it answers, unless that was asked a moment ago. Raises StoreUnavailable."""
        with self._checking:
            if not self._checked or (self.now() - self._checked[0]).total_seconds() > _CHECKED_S:
                error = None
                try:
                    self.memory.server()
                except AmrError as found:
                    error = found
                self._checked = self.now(), error
            error = self._checked[1]
        if error:
            raise StoreUnavailable(error.message, hint=error.hint)


@dataclass(frozen=True)
class Call:
    """A request that passed the gate.

    path: that of the API's document.
    called: the path as it was called.
    is_dry: it only asks what would change.
    needs_one: a key of several groups or users has to name one of them.
    """

    key: Key
    verb: str
    path: str
    called: str
    is_dry: bool = False
    needs_one: bool = True


@dataclass(frozen=True)
class Caller:
    """The key of a call, and the memory of the group and user that the call is about.

    owner: that group and user. Either is empty if the call names none of several, and need not.
    """

    service: Service
    key: Key
    memory: Memory
    owner: tuple[str, str]


_READING = ("GET", "HEAD")
"""Calls that change nothing, whatever scope they need."""


@contextmanager
def opened(service: Service, call: Call, scope: Scope, whose: tuple[str | None, str | None]) -> Generator[Caller]:
    """Context manager around a call. What may change memory is noted in the audit, refused or not.

    Calls that forget, or that affect the whole group, are written to the audit before they run, so that nothing is
    forgotten without a trace. Other calls are written at their end.
    whose: the group and user that the request names.
    Raises Refused: the key does not allow it. Raises NoSpace, SpoolUnusable: it cannot be noted, and is not done.
    """
    status, (group, user) = BEGUN, (name or "" for name in whose)
    is_noted, number = scope != "read" and call.verb not in _READING and not call.is_dry, 0

    def change() -> AuditedCall:
        return AuditedCall(
            at=service.now(),
            key_id=call.key.id,
            group_id=group,
            user_id=user,
            action=f"{call.verb} {call.path}",
            of=call.called,
            status=status,
        )

    try:
        if scope not in call.key.scopes:
            raise Refused(
                403, f"the key lacks the scope {scope}", hint=f"make one that may: amr keys create --scope {scope}"
            )
        default = "" if len(call.key.groups) > 1 and ANY not in call.key.groups else service.memory.group_id
        group = _opened(call.key.groups, whose[0], "group", needs_one=call.needs_one) or default
        user = _opened(call.key.users, whose[1], "user", needs_one=call.needs_one)
        if is_noted and scope in ("forget", "admin"):
            number = service.keys.note(change())
        status = 500
        with service.jobs.paid_by(call.key.id):
            memory = service.memory.group(group or service.memory.group_id).for_user(user)
            yield Caller(service, call.key, memory, (group, user))
        status = 200
    except AmrError as error:
        status = status_of(error)
        raise
    finally:
        if is_noted:
            try:
                service.keys.note(change(), number)
            except (NoSpace, SpoolUnusable) as error:
                # The reply says what became of the call: a client that was told of the audit would do it again.
                _log.error("the audit lacks %s %s (%d): %s", call.verb, call.path, status, error)


def as_json(found: Any) -> bytes:
    """Return a result as JSON."""
    # "replace": a lone half of a character cannot be sent.
    return json.dumps(found, default=plain, ensure_ascii=False).encode("utf-8", "replace")


def _opened(opened: tuple[str, ...], asked: str | None, what: str, *, needs_one: bool) -> str:
    """Return the group or user of a call: the one that it names, else the only one that its key opens.

    Returns an empty text if the call names none and the key opens none, any, or several, and the call needs no one of
    these.
    Raises Refused: the key does not open it. Raises InputError if it names none of several.
    """
    if asked is not None:
        asked = composed(asked)
        if asked not in opened and ANY not in opened:
            raise Refused(403, f"the key does not open this {what}", hint=f"amr keys create makes one for a {what}")
        return asked
    if needs_one and len(opened) > 1 and ANY not in opened:
        raise InputError(f"the key opens several {what}s", hint=f"name one: ?{what}=NAME")
    return opened[0] if len(opened) == 1 and ANY not in opened else ""
