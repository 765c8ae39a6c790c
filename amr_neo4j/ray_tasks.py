"""Runs tasks with Ray, on this machine or on a cluster. No other module uses Ray."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any, Generic, TypeVar

from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import InputError, ToolError
from amr_neo4j.extras import needs

Task = TypeVar("Task")
Result = TypeVar("Result")

LOCAL = "local"
"""Use Ray on this machine, started for one call and stopped after it."""
ATTEMPTS = 4
"""How often a task is started at most. A worker that dies takes its task with it."""

_LOOPBACK = "127.0.0.1"
_IN_FLIGHT = 256
_LONGEST_ERROR = 300  # characters of an error of Ray, which may have pages of text
_LONGEST_FOLDER = 22  # characters; a socket's path may have 103, and Ray's goes on for 81
_OBJECTS_BYTES = 80 * 2**20  # the least that Ray takes; results are small
# Nothing calls home. RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 makes every process of a local Ray listen on the loopback
# only, on Linux too, which its name does not say.
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
_ALONE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}


@dataclass(frozen=True)
class Done(Generic[Task, Result]):
    """A task that was done, and its result."""

    task: Task
    result: Result


@dataclass(frozen=True)
class Lost(Generic[Task]):
    """A task whose worker died each time. error: of the last time."""

    task: Task
    error: str


def run_each(
    where: str, work: Callable[[Task], Result], tasks: Sequence[Task], notify: Notify
) -> Iterator[Done[Task, Result] | Lost[Task]]:
    """Run work(task) in a worker for each task. Yields what became of each, in the order in which they end.

    A task whose worker dies is started again, at most ATTEMPTS times in all. Leaving the iteration ends the tasks
    that still run.
    where: LOCAL or ray://HOST:PORT.
    work: a function of a module that workers can import.
    notify: called with a line each time that a worker died.
    Raises ModelMissing: Ray is not installed; ToolError: it does not start or answer; InputError: this process is
    connected to a Ray already. An error of `work` is raised here.
    """
    waiting = iter(tasks)
    with _connected(where) as ray:
        remote = ray.remote(max_retries=0)(work)
        running = {remote.remote(task): (task, 1) for task in islice(waiting, _IN_FLIGHT)}
        while running:
            [ended], _ = ray.wait(list(running), num_returns=1)
            task, attempt = running.pop(ended)
            outcome = _outcome(ray, ended, task)
            if isinstance(outcome, Lost) and attempt < ATTEMPTS:
                notify(f"a worker was lost and its task is begun again ({attempt} of {ATTEMPTS}): {outcome.error}")
                running[remote.remote(task)] = (task, attempt + 1)
                continue
            running |= {remote.remote(more): (more, 1) for more in islice(waiting, 1)}
            yield outcome


def _outcome(ray: Any, ended: Any, task: Task) -> Done[Task, Any] | Lost[Task]:
    problems = ray.exceptions
    try:
        return Done(task, ray.get(ended))
    except (problems.RayTaskError, problems.TaskCancelledError):
        raise
    except problems.RayError as error:
        return Lost(task, f"{type(error).__name__}: {_one_line(error)}")


@contextmanager
def _connected(where: str) -> Generator[Any]:
    """Context manager: gives a connected Ray. A local one is stopped and its files are deleted afterwards."""
    folder = tempfile.mkdtemp(prefix="amr-ray-", dir=_short_folder()) if where == LOCAL else ""
    try:
        # Ray reads some of these variables on import, and its processes read the rest.
        with _environment({**_QUIET, **_ALONE, "RAY_AUTH_TOKEN": _token()} if folder else _QUIET):
            ray = _ray(alone=bool(folder))
            if ray.is_initialized():
                raise InputError("this process is connected to a Ray already", hint="leave it first: ray.shutdown()")
            try:
                _connect(ray, where, folder)
                yield ray
            finally:
                ray.shutdown()
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _short_folder() -> str:
    """Return the folder for temporary files, or /tmp where its path is too long for Ray's sockets, as on macOS."""
    folder = tempfile.gettempdir()
    return "/tmp" if len(folder) > _LONGEST_FOLDER and Path("/tmp").is_dir() else folder  # noqa: S108


def _connect(ray: Any, where: str, folder: str) -> None:
    home = os.environ.get("HOME", "")
    try:
        with warnings.catch_warnings(), _environment({"HOME": folder} if folder else {}):
            warnings.simplefilter("ignore")
            ray.init(
                where, log_to_driver=False, logging_level=logging.ERROR, **(_local(folder, home) if folder else {})
            )
    except Exception as error:
        advice = "try again when it is less busy" if folder else "check the address, RAY_AUTH_MODE and RAY_AUTH_TOKEN"
        raise ToolError(f"Ray ({where}) does not answer: {_one_line(error)}", hint=advice) from error
    if folder and (listens_at := ray.util.get_node_ip_address()) != _LOOPBACK:
        raise ToolError(f"Ray listens at {listens_at}, open to other machines", hint="use another version of Ray")


@cache
def _ray(*, alone: bool) -> Any:
    """Import and return Ray. alone: for a local Ray, whose environment is read on import and never again."""
    if alone and "ray" in sys.modules:
        raise InputError("this process uses Ray already", hint="start a local one from a process that does not")
    with needs("ray"):
        return import_module("ray")


def _local(folder: str, home: str) -> dict[str, Any]:
    """Return the arguments of a local Ray.

    folder: holds Ray's files, and is the home folder of Ray's own processes.
    home: the home folder of the workers.
    """
    # Without this file in its home folder, Ray asks the metadata servers of three clouds what machine this is, even
    # if its reports of usage are off.
    Path(folder, "ray_bootstrap_config.yaml").write_text("{}\n", encoding="utf-8")
    return {
        "_node_ip_address": _LOOPBACK,
        "_temp_dir": folder,
        "include_dashboard": False,
        "object_store_memory": _OBJECTS_BYTES,
        "runtime_env": {"env_vars": {"HOME": home}},
    }


@contextmanager
def _environment(variables: Mapping[str, str]) -> Generator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@cache
def _token() -> str:
    """Return the token of the local Ray. A process has only one, because Ray reads it once."""
    return secrets.token_hex(32)


def _one_line(error: Exception) -> str:
    return shorten(str(error), _LONGEST_ERROR, placeholder=" ...") or type(error).__name__
