"""Opens models with onnxruntime. No other module imports it, so that all sessions are opened alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from amr_neo4j.errors import ModelMissing

# onnxruntime has no types. Imported by name, it is Any to the type checker.
onnxruntime = import_module("onnxruntime")


def open_session(file: Path, *, providers: Sequence[str] = ("CPUExecutionProvider",)) -> Any:
    """Return a session with one thread, since several clips are watched at once.

    Its threads do not spin: spinning ones take cores from a database on the same machine, and a question took four
    times as long.
    Raises ModelMissing: the file cannot be read as a model.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # 3: only errors are logged.
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(file), options, providers=list(providers))
    except Exception as error:  # onnxruntime raises classes that it does not export
        reason = " ".join(str(error).split())[:200]
        # Its size is right, or it would not be opened: an installation would leave it as it is.
        hint = f"delete the folder {file.parent}, then run: amr models install"
        raise ModelMissing(f"the model {file} cannot be loaded: {reason}", hint=hint) from error


class LazySession:
    """A model that is opened when it is first run. Thread-safe."""

    def __init__(self, file: Path) -> None:
        self._file, self._opening = file, Lock()

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Return all outputs of the model."""
        with self._opening:
            session = self._session
        return session.run(None, dict(inputs))

    @cached_property
    def _session(self) -> Any:
        return open_session(self._file)
