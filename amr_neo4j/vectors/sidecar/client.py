"""A VectorIndex that asks a sidecar. While it does not answer, searches find nothing by meaning, and say so once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import urllib3

from amr_neo4j.domain.ports import Notify, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import ConfigError, StoreUnavailable
from amr_neo4j.vectors.files import Kind
from amr_neo4j.vectors.sidecar.wire import CONTENT_TYPE, Array, decode, encode, scope_to_json

# After a failure the sidecar is not asked for so long.
_PAUSE = 1.0
_UNAUTHORIZED, _BAD_REQUEST = 401, 400


class SidecarIndex:
    """The index of one kind and model in a sidecar. Thread-safe.

    search, similarities and catch_up never wait longer than the deadline and never fail for a sidecar that is away:
    they find nothing then, and `degraded` is True. The other methods raise StoreUnavailable. A refused token raises
    ConfigError.
    """

    def __init__(
        self,
        url: str,
        token: str,
        kind: Kind,
        model: str,
        dim: int,
        *,
        timeout_sec: float = 2.0,
        certificates: Path | None = None,
        notify: Notify = lambda line: None,
    ) -> None:
        """certificates: of the authority that signed the server's, for https. notify: gets a line per outage."""
        self._timeout = urllib3.Timeout(connect=timeout_sec, read=timeout_sec)
        trusted = str(certificates) if certificates else None
        self._pool = urllib3.PoolManager(retries=False, maxsize=16, ca_certs=trusted)
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": CONTENT_TYPE}
        self._about = {"kind": kind, "model": model, "dim": dim}
        self.model = model
        self._notify = notify
        self._lock = Lock()
        self._away_until = 0.0
        self.degraded = False

    def __len__(self) -> int:
        header, _ = self._ask("size")
        return int(header["vectors"])

    def catch_up(self) -> int:
        """Have the sidecar read what the graph wrote since; returns how many vectors changed."""
        header, _ = self._ask_or_nothing("catch_up")
        return int(header.get("changed", 0))

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """As FaissIndex.search; nothing while the sidecar is away. Raises ValueError as it."""
        if scope.persons and among is None:
            raise ValueError("a scope with persons needs among: the index has no persons")
        arrays = [vector] if among is None else [vector, np.asarray(among, np.int64)]
        _, found = self._ask_or_nothing("search", {"k": k, "scope": scope_to_json(scope)}, arrays)
        return list(zip(found[0].tolist(), found[1].tolist(), strict=True)) if found else []

    def similarities(self, vector: Vectors, node_ids: Sequence[int]) -> Mapping[int, float]:
        """As FaissIndex.similarities; nothing while the sidecar is away."""
        _, found = self._ask_or_nothing("similarities", {}, [vector, np.asarray(node_ids, np.int64)])
        return dict(zip(found[0].tolist(), found[1].tolist(), strict=True)) if found else {}

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """As FaissIndex.vectors."""
        _, [ids, rows] = self._ask("vectors", {}, [np.asarray(node_ids, np.int64)])
        return dict(zip(ids.tolist(), rows, strict=True))

    def rebuild(self) -> int:
        """Have it built again from the graph; returns the number of vectors."""
        header, _ = self._ask("rebuild", waits=True)
        return int(header["vectors"])

    def save(self) -> None:
        """Nothing: the sidecar saves its indexes."""

    def close(self) -> None:
        """End the connections."""
        self._pool.clear()

    def _ask_or_nothing(
        self, operation: str, header: Mapping[str, Any] | None = None, arrays: Sequence[Array] = ()
    ) -> tuple[dict[str, Any], list[Array]]:
        if time.monotonic() < self._away_until:
            return {}, []
        try:
            reply = self._ask(operation, header, arrays)
        except StoreUnavailable as error:
            with self._lock:
                first, self.degraded = not self.degraded, True
                self._away_until = time.monotonic() + _PAUSE
            if first:
                self._notify(f"{error.message}: results rest on words and the graph alone until it does")
            return {}, []
        self.degraded = False
        return reply

    def _ask(
        self,
        operation: str,
        header: Mapping[str, Any] | None = None,
        arrays: Sequence[Array] = (),
        *,
        waits: bool = False,
    ) -> tuple[dict[str, Any], list[Array]]:
        """waits: however long it takes. Raises StoreUnavailable, ConfigError, ValueError."""
        message = encode({**self._about, **(header or {})}, arrays)
        url = f"{self._url}/v1/{operation}"
        try:
            limit = urllib3.Timeout(total=None) if waits else self._timeout
            reply = self._pool.request("POST", url, body=message, headers=self._headers, timeout=limit)
        except urllib3.exceptions.HTTPError as error:
            hint = "start it: amr sidecar serve, or set dense to faiss"
            raise StoreUnavailable(f"the sidecar at {self._url} does not answer", hint=hint) from error
        if reply.status == _UNAUTHORIZED:
            raise ConfigError(f"the sidecar at {self._url} refuses the token", hint="check AMR_SIDECAR_TOKEN")
        if reply.status == _BAD_REQUEST:
            raise ValueError(reply.data.decode(errors="replace").strip())
        if reply.headers.get("Content-Type") != CONTENT_TYPE:
            why = reply.data[:200].decode(errors="replace").strip()
            raise StoreUnavailable(
                f"the sidecar at {self._url} cannot answer ({why})", hint="see the output of amr sidecar serve"
            )
        try:
            return decode(reply.data)
        except ValueError as error:
            raise StoreUnavailable(
                f"the sidecar at {self._url} returned an invalid response: {error}", hint="check sidecar_url"
            ) from error
