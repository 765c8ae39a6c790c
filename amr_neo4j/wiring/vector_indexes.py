"""Opens dense indexes: in this process, in a sidecar, in Neo4j, and those that the sidecar itself serves."""

from __future__ import annotations

import logging
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.domain.ports import Kind, Notify
from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.extras import needs_faiss
from amr_neo4j.files import private_folder, read_regular, write_atomically
from amr_neo4j.store.embeddings import VectorSource
from amr_neo4j.vectors.snapshot import snapshot_file

# Each backend is loaded where it is chosen.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.store.neo4j_index import Neo4jIndex
    from amr_neo4j.vectors.faiss_index import FaissIndex
    from amr_neo4j.vectors.gpu import GpuCopy
    from amr_neo4j.vectors.sidecar.client import SidecarIndex
    from amr_neo4j.wiring.parts import Parts

_log = logging.getLogger(__name__)
_TOKEN_FILE = "sidecar.token"  # noqa: S105 (a name)
_LARGEST_TOKEN = 1000


def local_index(parts: Parts, kind: Kind, model: str, dim: int, *, gpu: GpuCopy | None = None) -> FaissIndex:
    """An index in this process. Raises ConfigError: FAISS is not installed."""
    with needs_faiss():
        from amr_neo4j.vectors.faiss_index import FaissIndex

    file = snapshot_file(parts.vectors_folder, kind, model)
    return FaissIndex(VectorSource(parts.database, kind), model, dim, file, gpu=gpu, notify=parts.notify)


def neo4j_index(parts: Parts, kind: Kind, model: str, dim: int = 0) -> Neo4jIndex:
    """An index in Neo4j itself. Raises ConfigError: its vector index takes no vectors of this dimension."""
    from amr_neo4j.store.neo4j_index import MOST_DIMENSIONS, Neo4jIndex

    if dim > MOST_DIMENSIONS:
        raise ConfigError(
            f"Neo4j indexes vectors of at most {MOST_DIMENSIONS} numbers, and {model} has {dim}",
            hint="set dense to faiss or sidecar, or choose another embedder",
        )
    return Neo4jIndex(parts.database, VectorSource(parts.database, kind), kind, model, notify=parts.notify)


def sidecar_index(parts: Parts, kind: Kind) -> SidecarIndex:
    """An index in the sidecar of the settings. Raises ConfigError: no token is known."""
    from amr_neo4j.vectors.sidecar.client import SidecarIndex

    settings, embedder = parts.settings, parts.embedder
    return SidecarIndex(
        settings.sidecar_url,
        _known_token(parts),
        kind,
        embedder.model,
        embedder.dim,
        timeout_sec=settings.sidecar_timeout_sec,
        certificates=settings.sidecar_certificates,
        notify=parts.notify,
    )


def serve(
    parts: Parts,
    host: str,
    port: int,
    *,
    certificate: Path | None,
    key: Path | None,
    tls: bool,
    max_gb: float | None,
    device: str,
    gpu_gb: float,
    started: Callable[[str], None],
) -> None:
    """Serve the dense indexes of this database until SIGTERM or Ctrl-C. started: gets the address.

    device: where large parts of an index are searched. gpu_gb: of the GPU, for each index.

    Raises InputError: the address is taken, or is not of this machine and there is no certificate; ConfigError: a GPU
    is asked for, and FAISS has none.
    """
    from amr_neo4j.vectors.sidecar.server import http_server, switch_threads_soon
    from amr_neo4j.vectors.sidecar.service import Service

    if tls and not certificate and host not in ("127.0.0.1", "::1", "localhost"):
        raise InputError(
            f"{host} is open to other machines", hint="pass --certificate and --key, or --host 127.0.0.1"
        )
    copied = _gpu_copies(device, gpu_gb, parts.notify)
    switch_threads_soon()
    most = int(max_gb * 2**30) if max_gb else None

    def opened(kind: Kind, model: str, dim: int) -> FaissIndex:
        return local_index(parts, kind, model, dim, gpu=copied())

    service = Service(opened, most_bytes=most)
    try:
        server: Any = http_server(service, host, port, _own_token(parts), certificate=certificate, key=key)
    except OSError as error:
        service.close()
        raise InputError(f"cannot listen on {host}:{port}: {error}", hint="pass another --port") from error
    for number in (signal.SIGTERM, signal.SIGINT):  # a shell starts what runs in the background with SIGINT ignored
        signal.signal(number, _interrupt)
    try:
        started(f"{'https' if certificate else 'http'}://{host}:{server.bind_addr[1]}")
        server.serve()
    except KeyboardInterrupt:
        _log.info("the sidecar stops")
    finally:
        server.stop()
        service.close()


def _gpu_copies(device: str, gb: float, notify: Notify) -> Callable[[], GpuCopy | None]:
    """A function that makes the copy on a GPU of one more index; of None where none is wanted or there is none."""
    with needs_faiss():
        from amr_neo4j.vectors.gpu import GpuCopy, first_gpu

    if device == "cpu":
        return lambda: None
    try:
        to_gpu = first_gpu()
    except ConfigError:
        if device == "gpu":
            raise
        return lambda: None
    return lambda: GpuCopy(to_gpu, int(gb * 2**30), notify=notify)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _known_token(parts: Parts) -> str:
    file, given = parts.settings.data_dir / _TOKEN_FILE, parts.settings.sidecar_token
    token = given.get_secret_value() if given else _token_in(file)
    if not token:
        raise ConfigError("no token for the sidecar", hint="run amr sidecar serve here, or set AMR_SIDECAR_TOKEN")
    if not (token.isascii() and token.isprintable() and " " not in token):
        where = "AMR_SIDECAR_TOKEN" if given else str(file)
        raise ConfigError(f"the token in {where} has other characters than letters", hint="make another one")
    return token


def _own_token(parts: Parts) -> str:
    """The token of the settings, else that of the data directory, which is made the first time."""
    file = parts.settings.data_dir / _TOKEN_FILE
    if not parts.settings.sidecar_token and not _token_in(file):
        private_folder(file.parent)
        write_atomically(file, secrets.token_urlsafe(32), private=True)
    return _known_token(parts)


def _token_in(file: Path) -> str:
    """The token in a file; empty where there is none: an empty token would be known to everybody."""
    if not file.exists():
        return ""
    return read_regular(file, at_most=_LARGEST_TOKEN).decode("ascii", "replace").strip()
