"""The speech model. It is downloaded from a model hub or a mirror of it, and only if a user names it."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.errors import ToolError
from amr_neo4j.settings import Settings
from amr_neo4j.tables import Table, shipped

if TYPE_CHECKING:
    import urllib3

NAME = "speech"
RECEIPT = "installed.json"
_CHUNK = 2**20
_SHA256 = 64  # hex digits


class SpeechModel(Table):
    """speech.yaml: a repository of a hub in faster-whisper's format."""

    repository: str
    revision: str
    purpose: str
    licence: str
    megabytes: int
    files: tuple[str, ...]
    hub: str
    largest: int


described = shipped("amr_neo4j.local_models", "speech.yaml", SpeechModel)
"""Returns the description of the model that is installed as `speech`."""


def folder(settings: Settings) -> Path:
    """Return the folder of the model, whether it is installed or not."""
    return settings.cache_dir / "models" / NAME / described().repository.rpartition("/")[2]


def installed_speech(settings: Settings) -> Path | None:
    """Return the folder of the model if it is installed and its files are complete; else None."""
    there = folder(settings)
    try:
        sizes: dict[str, int] = json.loads((there / RECEIPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = all((there / name).is_file() and (there / name).stat().st_size == size for name, size in sizes.items())
    return there if whole and set(described().files) <= set(sizes) else None


def install_speech(settings: Settings, progress: Callable[[str], object]) -> tuple[Path, bool]:
    """Install the model unless it is installed. Return (its folder, whether this run downloaded it).

    Raises ToolError if it cannot be downloaded or written.
    """
    if there := installed_speech(settings):
        progress(f"{NAME} is already installed")
        return there, False
    model, target = described(), folder(settings)
    hub = (settings.hub_endpoint or model.hub).rstrip("/")
    progress(f"downloading {model.repository} from {hub}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".install-", dir=target.parent) as staging:
            built = Path(staging) / "model"
            built.mkdir()
            sizes = {
                name: _fetch(f"{hub}/{model.repository}/resolve/{model.revision}/{name}", built / name)
                for name in model.files
            }
            (built / RECEIPT).write_text(json.dumps(sizes), encoding="utf-8")
            shutil.rmtree(target, ignore_errors=True)
            built.rename(target)
    except OSError as error:
        hint = "free some disk space, or set AMR_CACHE_DIR to a writable folder"
        raise ToolError(f"cannot write {target}: {error}", hint=hint) from error
    progress(f"{NAME}: installed in {target}")
    return target, True


def _fetch(address: str, file: Path) -> int:
    """Download one file and return its size. It is compared with the length and sha256 that the hub states."""
    import urllib3  # noqa: PLC0415 - every command reads this module

    try:
        with urllib3.PoolManager(timeout=urllib3.Timeout(connect=20, read=60)).request(
            "GET", address, preload_content=False, decode_content=False
        ) as reply:
            if reply.status != 200:
                raise _failed(address, f"the server answers {reply.status}")
            size, digest = _save(reply, file)
            stated, expected = reply.headers.get("Content-Length"), _sha256(reply.headers)
    except urllib3.exceptions.HTTPError as error:
        raise _failed(address, " ".join(str(error).split())) from error
    if stated and int(stated) != size:
        raise _failed(address, f"{size} of {stated} bytes arrived")
    if expected and expected != digest:
        raise _failed(address, "its sha256 is not the one that the hub states")
    return size


def _save(reply: urllib3.BaseHTTPResponse, file: Path) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    with file.open("wb") as out:
        for chunk in reply.stream(_CHUNK):
            size += len(chunk)
            if size > described().largest:
                raise _failed(file.name, "it is larger than a speech model can be")
            digest.update(chunk)
            out.write(chunk)
    return size, digest.hexdigest()


def _sha256(headers: urllib3.HTTPHeaderDict) -> str:
    """Return the sha256 that the hub states for a file; empty if it states none, as for small files."""
    etag = (headers.get("X-Linked-Etag") or headers.get("ETag") or "").strip('W/"')
    return etag if len(etag) == _SHA256 else ""


def _failed(address: str, why: str) -> ToolError:
    return ToolError(
        f"cannot download {address}: {why}", hint="check the network, or set HF_ENDPOINT to a mirror of the hub"
    )
