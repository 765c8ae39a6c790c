"""A line to a server that can be cut. To clients it looks as if the server was killed, and later started again."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Lock, Thread

from amr_neo4j.localdb import Connection


class Line:
    """Passes bytes on between a port of its own and the server."""

    def __init__(self, there: Connection) -> None:
        host, _, port = there.uri.partition("://")[2].rpartition(":")
        self._server = (host, int(port))
        self._lock = Lock()
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self._address = self._door.getsockname()
        self.connection = replace(there, uri=f"bolt://127.0.0.1:{self._address[1]}")
        self._open()

    def cut(self) -> None:
        """Break every connection, and refuse new ones."""
        with self._lock:
            for end in (self._door, *self._ends):
                with suppress(OSError):  # it has ended already
                    end.shutdown(socket.SHUT_RDWR)  # a thread that waits for it goes on; close alone does not wake it
                end.close()
            self._ends.clear()

    def mend(self) -> None:
        """Accept connections again, at the same address."""
        self._door = socket.create_server(self._address)
        self._open()

    def _open(self) -> None:
        Thread(target=self._accept, args=(self._door,), daemon=True).start()

    def _accept(self, door: socket.socket) -> None:
        while True:
            try:
                client, _ = door.accept()
            except OSError:  # it was cut
                return
            server = socket.create_connection(self._server)
            with self._lock:
                if door.fileno() < 0:  # it was cut meanwhile
                    client.close()
                    server.close()
                    return
                self._ends += [client, server]
            for pair in ((client, server), (server, client)):
                Thread(target=_pump, args=pair, daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):  # it was cut
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def line_to(there: Connection) -> Iterator[Line]:
    """A line for the time of a test."""
    line = Line(there)
    try:
        yield line
    finally:
        line.cut()
