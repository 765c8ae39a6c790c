"""Free ports on loopback."""

from __future__ import annotations

import hashlib
import socket
import time
from pathlib import Path

from amr_neo4j.errors import DatabaseError

# Below the kernel's range for outgoing connections.
_FIRST, _COUNT = 20_000, 12_000
_WAIT_S = 2.0


def free_pair(home: Path) -> tuple[int, int]:
    """Returns two adjacent free ports (Bolt, HTTP), searched from a port derived from the home."""
    start = int(hashlib.sha256(str(home).encode()).hexdigest(), 16) % _COUNT
    for step in range(0, _COUNT, 2):
        port = _FIRST + (start + step) % _COUNT // 2 * 2
        if is_free(port) and is_free(port + 1):
            return port, port + 1
    raise DatabaseError("no two free ports on loopback", hint="stop some of the servers on this machine")


def becomes_free(port: int) -> bool:
    """Returns whether a port is free within 2 s: a killed server closes its ports late."""
    until = time.monotonic() + _WAIT_S
    while not is_free(port):
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def is_free(port: int) -> bool:
    """Returns whether a server could listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
