"""Runs the sidecar, which serves dense indexes to other programs, and keeps the token that both sides share."""

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
from amr_neo4j.settings import Settings

# The server and FAISS are loaded only here.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.vectors.faiss_index import FaissIndex
    from amr_neo4j.vectors.gpu import GpuCopy

_log = logging.getLogger(__name__)
_TOKEN_FILE = "sidecar.token"  # noqa: S105 (a name)
_LARGEST_TOKEN = 1000


def serve(
    settings: Settings,
    local: Callable[..., FaissIndex],
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
    notify: Notify,
) -> None:
    """Serve the dense indexes of this database until SIGTERM or Ctrl-C.

    local: opens an index in this process.
    device: where large indexes are searched.
    gpu_gb: GPU memory for each index.
    started: called with the address.
    Raises InputError: the address is taken, or it is open to other machines and there is no certificate. Raises
    ConfigError: a GPU is required, and FAISS has none.
    """
    from amr_neo4j.vectors.sidecar.server import http_server, switch_threads_soon
    from amr_neo4j.vectors.sidecar.service import IndexService

    if tls and not certificate and host not in ("127.0.0.1", "::1", "localhost"):
        raise InputError(
            f"{host} is open to other machines", hint="pass --certificate and --key, or --host 127.0.0.1"
        )
    # Before anything is served, so that a missing GPU ends the command at once.
    copied = _gpu_copies(device, gpu_gb, notify)
    switch_threads_soon()
    most = int(max_gb * 2**30) if max_gb else None

    def opened(kind: Kind, model: str, dim: int) -> FaissIndex:
        return local(kind, model, dim, gpu=copied())

    service = IndexService(opened, most_bytes=most)
    try:
        server: Any = http_server(service, host, port, token=_own_token(settings), certificate=certificate, key=key)
    except OSError as error:
        # It started a thread when it was made.
        service.close()
        raise InputError(f"cannot listen on {host}:{port}: {error}", hint="pass another --port") from error
    for number in (signal.SIGTERM, signal.SIGINT):  # SIGINT, too: a shell lets background jobs ignore it
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
    """Return a function that makes the GPU copy for one more index, or returns None without a GPU."""
    with needs_faiss():
        from amr_neo4j.vectors.gpu import GpuCopy, first_gpu, has_gpu
    if device == "cpu" or (device == "auto" and not has_gpu()):
        return lambda: None
    try:
        to_gpu = first_gpu()
    except ConfigError as error:
        if device == "gpu":
            raise
        notify(f"{error.message}; searches run in memory ({error.hint})")
        return lambda: None
    return lambda: GpuCopy(to_gpu, int(gb * 2**30), notify=notify)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def known_token(settings: Settings) -> str:
    """Return the token of the settings, else that of the data directory.

    Raises ConfigError if there is no usable token.
    """
    file, given = settings.data_dir / _TOKEN_FILE, settings.sidecar_token
    token = given.get_secret_value() if given else _token_in(file)
    if not token:
        raise ConfigError("no token for the sidecar", hint="run amr sidecar serve here, or set AMR_SIDECAR_TOKEN")
    if not (token.isascii() and token.isprintable() and " " not in token):
        where = "AMR_SIDECAR_TOKEN" if given else str(file)
        raise ConfigError(f"the token in {where} has other characters than letters", hint="make another one")
    return token


def _own_token(settings: Settings) -> str:
    """Return the token as `known_token` does. The first call makes the token of the data directory."""
    file = settings.data_dir / _TOKEN_FILE
    if not settings.sidecar_token and not _token_in(file):
        private_folder(file.parent)
        write_atomically(file, secrets.token_urlsafe(32), private=True)
    return known_token(settings)


def _token_in(file: Path) -> str:
    """Return the token in a file, or an empty text. An empty token counts as none, since anybody could guess it."""
    if not file.exists():
        return ""
    return read_regular(file, at_most=_LARGEST_TOKEN).decode("ascii", "replace").strip()
