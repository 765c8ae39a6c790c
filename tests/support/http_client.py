"""A client of `amr serve`, and the server itself in a thread, on a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import urllib3

from amr_neo4j import Memory
from amr_neo4j.server.keys import Keys
from amr_neo4j.server.run import http_server, listen


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Calls a server with a key."""

    def __init__(self, port: int, key: str = "") -> None:
        self.port, self.key = port, key
        self._pool = urllib3.PoolManager(retries=False, timeout=120, maxsize=16)

    def with_key(self, key: str) -> Client:
        return Client(self.port, key)

    def call(self, verb: str, path: str, body: Any = None, **more: Any) -> Reply:
        """more: query (parameters), headers, and at_root: the path is not one of the API.

        A body that is no bytes is sent as JSON.
        """
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if isinstance(body, bytes):
            headers["Content-Type"] = "application/x-ndjson"
        elif body is not None:
            headers["Content-Type"], body = "application/json", json.dumps(body).encode()
        headers |= more.get("headers", {})
        path = path if path.startswith(("/health", "/metrics")) or more.get("at_root") else f"/api/v1{path}"
        url = f"http://127.0.0.1:{self.port}{path}"
        query = {name: str(value) for name, value in more.get("query", {}).items()}
        if query:
            url += f"?{urlencode(query)}"
        found = self._pool.request(verb, url, body=body, headers=headers)
        return Reply(found.status, found.headers, found.data)

    def get(self, path: str, **query: Any) -> Any:
        """The result of a call that succeeds."""
        return self._good(self.call("GET", path, query=query))

    def post(self, path: str, /, **body: Any) -> Any:
        """The result of a call that succeeds."""
        return self._good(self.call("POST", path, body))

    @staticmethod
    def _good(reply: Reply) -> Any:
        assert reply.status == 200, reply.body
        return reply.json


@contextmanager
def serving(memory: Memory, tools: Any = None) -> Iterator[tuple[Client, Keys]]:
    """A server of this memory, called without a key, and its keys."""
    keys = Keys(memory.settings.data_dir)
    server = http_server(memory, keys, tools=tools)
    with listen("127.0.0.1", 0) as listening:
        listening.listen()  # clients wait while the server starts
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield Client(listening.getsockname()[1]), keys
        finally:
            server.should_exit = True
            thread.join(30)
            keys.close()
    assert not thread.is_alive()


def key_of(keys: Keys, group: str, user: str = "", scopes: tuple[str, ...] = ("read", "write", "forget")) -> str:
    users = [user] if user else []
    return keys.create(groups=[group], users=users, scopes=scopes, now=datetime.now(UTC))[1]
