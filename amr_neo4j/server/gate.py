"""What every request passes before memory sees it: host, origin, key, rate and size. It fails closed."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

from amr_neo4j.errors import AmrError
from amr_neo4j.extras import needs
from amr_neo4j.server.keys import Key, Keys
from amr_neo4j.server.problems import Refused, problem_of, seconds_left

with needs("serve"):
    from anyio import CapacityLimiter, to_thread

T = TypeVar("T")
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Seen = Callable[[str, str, int, float], None]
App = Callable[[Message, Receive, Send], Awaitable[None]]
# Served without a key, since they only tell whether the server is running and ready.
OPEN_PATHS = ("/health/live", "/health/ready")
# A key that was revoked is refused after this many seconds at the latest.
_KNOWN_S = 1.0
# A body has to arrive within this many seconds.
_BODY_S = 30.0
# Keys and texts that are remembered; after that, all are looked up again.
_MOST_KNOWN = 10_000
# The most calls of the file of keys at once.
_CHECKS = 4
# The names and values of headers and the path are at most this many bytes together; uvicorn's limit for a head that
# comes in parts. One that comes whole is not measured there.
_LARGEST_HEAD = 2**16
# The bytes of a body count towards the daily limit on the disk after each of these parts, and at its end.
_COUNTED_BYTES = 2**20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """hosts, origins: the allowed ones.

    largest_body: in bytes.
    per_minute: requests of one key.
    bytes_a_day: that one key may send; None for any number.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    largest_body: int
    per_minute: int
    bytes_a_day: float | None


class _KeyEnded(Exception):
    """Breaks off a reply whose key was revoked or has expired."""


class Gate:
    """An ASGI application around another one. The key of a request is in scope["state"]["key"]."""

    def __init__(self, app: App, keys: Keys, limits: Limits, now: Callable[[], datetime], seen: Seen) -> None:
        """seen: called at the end of each request with its method, path, status and seconds."""
        self._app, self._keys, self._limits, self._now, self._seen = app, keys, limits, now, seen
        self._known: dict[str, tuple[Key | None, float]] = {}
        self._own_threads: CapacityLimiter | None = None
        self._rates: dict[str, _Rate] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # The server has no websockets; "lifespan" is its start and stop.
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        # A copy, since uvicorn writes the path of its own one to the log, where it must be text.
        scope, began, status = dict(scope), time.monotonic(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            async with AsyncExitStack() as ends:
                await self._serve(scope, receive, noted, ends)
        except* _KeyEnded:  # the server closes the connection, since the reply is not whole
            pass
        finally:
            path = getattr(scope.get("route"), "path", "")
            self._seen(scope["method"], path, status, time.monotonic() - began)

    async def _serve(self, scope: Message, receive: Receive, send: Send, ends: AsyncExitStack) -> None:
        """ends: what ends with the request."""
        try:
            _check_head(scope)
            _check_text(scope)
            headers = _headers(scope["headers"])
            self._check_source(headers)
            if (packed := headers.get("content-encoding", "").strip().lower()) not in ("", "identity"):
                raise Refused(415, f"the body is packed: {packed[:40]}", hint="send it as it is")
            if scope["path"] not in OPEN_PATHS:
                key = await self._key(headers)
                self._check_rate(key)
                scope.setdefault("state", {})["key"] = key
                receive = await ends.enter_async_context(self._counted(key, headers, receive))
                send = self._sent_while_valid(headers, send)
                if scope["method"] == "PATCH":  # a part of a film, which is written as it comes
                    receive = self._while_valid(headers, _in_time(receive))
                else:
                    receive = await self._whole_body(headers, receive)
        except AmrError as error:
            await _refuse(error, as_uri(scope), send)
            return
        await self._app(scope, receive, send)

    def _check_source(self, headers: MutableMapping[str, str]) -> None:
        """Refuse requests that a web page makes by another name of this machine (DNS rebinding) or of its own."""
        if (host := _name_of(f"//{headers.get('host', '')}")) not in self._limits.hosts:
            hint = "name the host of the server, or add it to the setting serve_hosts"
            raise Refused(421, f"this server is not {host or 'without a name'}", hint=hint)
        if (origin := headers.get("origin")) is not None and origin not in self._limits.origins:
            raise Refused(403, "pages of this origin may not call this server", hint="add it to serve_origins")

    async def _key(self, headers: MutableMapping[str, str]) -> Key:
        scheme, _, text = headers.get("authorization", "").partition(" ")
        text = text.strip()
        found, checked = self._known.get(text, (None, float("-inf")))
        if scheme.lower() == "bearer" and time.monotonic() - checked > _KNOWN_S:
            found = await self._in_thread(self._keys.check, text, self._now())
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            if found:  # strangers' texts would fill it
                self._known[text] = found, time.monotonic()
            else:
                self._known.pop(text, None)
        if scheme.lower() != "bearer" or not found or not found.is_valid(self._now()):
            hint = "send Authorization: Bearer KEY (amr --key KEY, or AMR_KEY); amr keys create makes a key"
            raise Refused(401, "the key is missing or not valid", hint=hint, headers={"WWW-Authenticate": "Bearer"})
        return found

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what a call of the file of keys returns. It has own threads: all others may wait for Neo4j."""
        self._own_threads = self._own_threads or CapacityLimiter(_CHECKS)
        return await to_thread.run_sync(work, *arguments, limiter=self._own_threads)

    def _while_valid(self, headers: MutableMapping[str, str], receive: Receive) -> Receive:
        """Wrap `receive`: before each part of a body is passed on, check that the key is still valid.

        A film may take hours to arrive.
        """

        async def give() -> Message:
            message = await receive()
            await self._key(headers)
            return message

        return give

    def _sent_while_valid(self, headers: MutableMapping[str, str], send: Send) -> Send:
        """Wrap `send`: before each part of a reply but the first, check that the key is still valid.

        A whole film may take hours.
        """
        parts = 0

        async def sent(message: Message) -> None:
            nonlocal parts
            if message.get("body"):  # the end of a reply has none
                parts += 1
                if parts > 1:
                    try:
                        await self._key(headers)
                    except Refused:
                        raise _KeyEnded from None
            await send(message)

        return sent

    def _check_rate(self, key: Key) -> None:
        rate = self._rates.setdefault(key.id, _Rate(self._limits.per_minute, time.monotonic()))
        if wait := rate.wait(time.monotonic()):
            hint = f"at most {self._limits.per_minute} requests a minute: setting serve_requests_per_minute"
            headers = {"Retry-After": str(int(wait) + 1)}
            raise Refused(429, "this key sends too many requests", hint=hint, headers=headers)

    @asynccontextmanager
    async def _counted(
        self, key: Key, headers: MutableMapping[str, str], receive: Receive
    ) -> AsyncGenerator[Receive]:
        """Give what counts the bytes of a body, also of one that does not end.

        Raises Refused: the key has sent what it may send on a day.
        """
        most, now, uncounted = self._limits.bytes_a_day, self._now(), 0
        if most is None:
            yield receive
            return
        length = headers.get("content-length", "")
        sent = await self._in_thread(self._keys.spent, "bytes", key.id, now.date())
        if sent + (int(length) if length.isdigit() else 0) > most:
            hint = f"at most {most / 2**20:g} MiB a day (UTC): setting serve_key_mb_a_day"
            raise Refused(
                429, "this key has sent too much today", hint=hint, headers={"Retry-After": str(seconds_left(now))}
            )

        async def counted() -> Message:
            nonlocal uncounted
            message = await receive()
            uncounted += len(message.get("body", b""))
            if uncounted >= _COUNTED_BYTES or not message.get("more_body"):
                await count()
            return message

        async def count() -> None:
            nonlocal uncounted
            if uncounted:
                amount = uncounted
                await self._in_thread(self._keys.spend, "bytes", key.id, now.date(), amount)
                uncounted -= amount  # not before: a call that is broken off while it waits for a thread counts, too

        try:
            yield counted
        finally:
            await count()

    async def _whole_body(self, headers: MutableMapping[str, str], receive: Receive) -> Receive:
        """Read the body, within limits of size and time. Returns what gives it to the application."""
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._limits.largest_body:
            raise self._too_large()
        body, more = bytearray(), True
        try:
            async with asyncio.timeout(_BODY_S):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "the client left")
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > self._limits.largest_body:
                        raise self._too_large()
        except TimeoutError:
            raise Refused(408, "the body did not arrive in time", hint=f"send it within {_BODY_S:.0f} s") from None
        given = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def give() -> Message:
            return given.pop() if given else await receive()

        return give

    def _too_large(self) -> Refused:
        most = self._limits.largest_body >> 20
        return Refused(413, f"the body is larger than {most} MiB", hint="send less at once; setting serve_largest_mb")


def _in_time(receive: Receive) -> Receive:
    """Wrap `receive`: a part of a body that does not arrive in time ends the connection."""

    async def give() -> Message:
        try:
            async with asyncio.timeout(_BODY_S):
                return await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}

    return give


# In place of a slash that is part of a name: half of a character, which no name has, as all are UTF-8.
_SLASH = "\ud800"


def _path(scope: Message) -> str:
    """Return the path of a request. A slash that was sent as %2F is part of a name, and separates nothing."""
    raw = scope.get("raw_path") or scope["path"].encode()
    parts = re.split("%2F", raw.decode("latin-1"), flags=re.IGNORECASE)
    return _SLASH.join(unquote(part, errors="strict") for part in parts)


def _check_head(scope: Message) -> None:
    """Refuse a head that is too large: what it holds is read by the event loop, which serves everybody."""
    size = len(scope.get("raw_path") or b"") + len(scope.get("query_string", b""))
    if size + sum(len(name) + len(value) for name, value in scope["headers"]) > _LARGEST_HEAD:
        why = f"the headers and the address are larger than {_LARGEST_HEAD >> 10} KiB"
        raise Refused(431, why, hint="send long values in the body")


def _check_text(scope: Message) -> None:
    """Refuse an address that is not UTF-8. With its bytes replaced, it would name something else."""
    try:
        scope["path"] = _path(scope)
        unquote(scope.get("query_string", b"").decode("latin-1"), errors="strict")
    except UnicodeDecodeError:
        why = "the address holds bytes that are no UTF-8 text"
        raise Refused(422, why, hint="percent-encode names as UTF-8") from None


def name_in_path(part: str) -> str:
    """Return the name that a part of a path is."""
    return part.replace(_SLASH, "/")


def called(scope: Mapping[str, Any]) -> str:
    """Return the path of a request, to be shown."""
    return scope["path"].replace(_SLASH, "%2F")


def as_uri(scope: Mapping[str, Any]) -> str:
    """Return the path of a request, percent-encoded: which request a problem document is of."""
    return quote(scope.get("raw_path") or scope["path"].encode(), safe="/%:@!$&'()*+,;=~")


class _Rate:
    """A token bucket that holds the requests of a minute."""

    def __init__(self, per_minute: int, now: float) -> None:
        self._per_minute, self._left, self._at = per_minute, float(per_minute), now

    def wait(self, now: float) -> float:
        """Take one request. Returns the seconds to wait if there is none, else 0."""
        a_second = self._per_minute / 60
        self._left = min(self._per_minute, self._left + (now - self._at) * a_second)
        self._at = now
        if self._left < 1:
            return (1 - self._left) / a_second
        self._left -= 1
        return 0.0


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers in lower case. Of a header that comes twice, the values are joined, as HTTP says."""
    found: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _name_of(address: str) -> str:
    """Return the host name in an address, without its port; empty if there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


async def _refuse(error: AmrError, path: str, send: Send) -> None:
    problem = problem_of(error, path)
    # The rest of the body was not read, so the connection cannot serve another request.
    headers = {"Content-Length": str(len(problem.body)), "Connection": "close", **problem.headers}
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": raw})
    await send({"type": "http.response.body", "body": problem.body})
