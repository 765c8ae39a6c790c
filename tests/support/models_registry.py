"""Package registries on loopback: what pip and npm ask of one, and nothing more."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Barrier, Thread


class Registry(ThreadingHTTPServer):
    """Serves wheels to pip and tarballs to npm, and remembers what was asked for.

    together: where an archive waits until others are asked for, too; None answers at once.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.together: Barrier | None = None

    def offer_wheel(self, name: str, version: str, files: Mapping[str, bytes]) -> str:
        """Returns the sha256 of the wheel that holds these files."""
        wheel = f"{name}-{version}-py3-none-any.whl"
        info = f"{name}-{version}.dist-info"
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
        parts = {
            **files,
            f"{info}/METADATA": metadata,
            f"{info}/WHEEL": b"Wheel-Version: 1.0\n",
            f"{info}/RECORD": b"",
        }
        archive = _zipped(parts)
        self.pages[f"/simple/{name}/"] = f'<a href="/files/{wheel}">{wheel}</a>'.encode()
        self.pages[f"/files/{wheel}"] = archive
        return hashlib.sha256(archive).hexdigest()

    def offer_tarball(self, name: str, version: str, files: Mapping[str, bytes]) -> str:
        """Returns the sha256 of the tarball that holds these files under package/."""
        archive = _tarred({f"package/{path}": data for path, data in files.items()})
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
        dist = {"tarball": f"{self.url}/files/{name}-{version}.tgz", "integrity": integrity}
        versions = {version: {"name": name, "version": version, "dist": dist}}
        page = {"name": name, "dist-tags": {"latest": version}, "versions": versions}
        self.pages[f"/{name}"] = json.dumps(page).encode()
        self.pages[f"/files/{name}-{version}.tgz"] = archive
        return hashlib.sha256(archive).hexdigest()


@contextmanager
def serve() -> Iterator[Registry]:
    registry = Registry()
    thread = Thread(target=registry.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield registry
    finally:
        registry.shutdown()
        thread.join()
        registry.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.server.together and self.path.startswith("/files/"):
            self.server.together.wait()
        page = self.server.pages.get(self.path)
        self.send_response(200 if page is not None else 404)
        if self.path.startswith("/simple/"):
            self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page or b"")))
        self.end_headers()
        self.wfile.write(page or b"")

    def log_message(self, format: str, *args: object) -> None:
        """The tests read `asked` instead."""


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return buffer.getvalue()


def _tarred(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()
