"""A server that speaks the OpenAI API on a loopback socket and replies by a script, faults and all.

    python -m tests.support.model_server --script steps.yaml --port 0

prints its base URL and serves until it is ended. Embeddings need no step: each word of a text has a place of its own
in the vector, so that texts that share words are near. The steps: tests/support/model_script.py.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any

from tests.support.model_script import Script, Step
from tests.support.model_wire import Request, Socket


class ModelServer:
    """Serves while it is entered."""

    def __init__(self, script: Script | None = None, *, port: int = 0, dim: int = 256) -> None:
        """dim: of the embeddings, where a request asks for no other."""
        self._socket = Socket(port, script or Script(), dim)
        self._thread = Thread(target=self._socket.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.closing.set()
        self._socket.shutdown()
        self._socket.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL, for settings."""
        return f"http://127.0.0.1:{self._socket.server_address[1]}/v1"

    @property
    def requests(self) -> list[Request]:
        """What has come in, in order."""
        return self._socket.requests

    def serving(self, *models: str, status: int = 200) -> ModelServer:
        """List these models, in place of those of the script; or answer with an error of this status."""
        self._socket.models = list(models) if status == 200 else status
        return self

    def then(self, reply: str | dict[str, Any] = "", **step: Any) -> ModelServer:
        """Add a step (its fields by name) to the script."""
        self._socket.script.steps.append(Step.model_validate({"reply": reply, **step}))
        return self


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the OpenAI API by a script.")
    parser.add_argument("--script", type=Path, required=True, help="YAML list or JSON lines of steps")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    given = parser.parse_args()
    with ModelServer(Script.load(given.script), port=given.port) as server, suppress(KeyboardInterrupt):
        print(server.url, flush=True)  # noqa: T201
        Event().wait()


if __name__ == "__main__":
    main()
