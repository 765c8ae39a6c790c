"""The checks of amr doctor, in order. Each returns what it found, or raises an AmrError with the remedy."""

from __future__ import annotations

import http.client
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from filelock import FileLock, Timeout
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from amr_neo4j import localdb
from amr_neo4j.cli.printing import count
from amr_neo4j.cli.serve import SERVE_PORT
from amr_neo4j.domain.arguments import MOST
from amr_neo4j.domain.episode import composed
from amr_neo4j.domain.ports import Fault, Kind
from amr_neo4j.domain.views import GroupView
from amr_neo4j.errors import (
    ConfigError,
    MigrationError,
    ModelMissing,
    ModelUnavailable,
    NoSpace,
    StoreError,
    StoreUnavailable,
    ToolError,
)
from amr_neo4j.extras import install_command
from amr_neo4j.local_models import registry
from amr_neo4j.localdb import java as runtimes
from amr_neo4j.memory import Memory
from amr_neo4j.model_roles import LOCAL_SERVERS
from amr_neo4j.settings import Settings
from amr_neo4j.wiring import model_check, spooled
from amr_neo4j.wiring.embedder import local_name

LEAST_FREE = 2**30
"""Bytes. Neo4j stops when it cannot write its log."""

OLDEST = (5, 26)
"""The oldest supported version of Neo4j. Calendar versions (2025.01 ...) are newer."""

# Seconds that a server of memory may take to answer, and the most bytes that are read of its answer.
_SERVED_S, _SERVED_BYTES = 5.0, 100_000
# Seconds that one call of ffmpeg may take.
_PROBE_S = 20.0
# A line names at most this many groups, or damaged items.
_GROUPS_NAMED = 10
_ITEMS_NAMED = 5
_REPAIR = "run: amr doctor --repair"
_REBUILD = "run: amr index rebuild"


# --- this machine


def java(settings: Settings) -> str:
    """The Java of the local database, unless that runs in Docker."""
    # An existing local database keeps its engine, whatever the setting says by now.
    engine = localdb.engine(settings) or settings.local_engine
    if settings.neo4j_uri:
        return "not needed: NEO4J_URI is set"
    if engine == "docker":
        return "not needed: the local database runs in Docker"
    try:
        found = runtimes.find()
    except ToolError as error:
        # With "auto", the local database then runs in Docker, so a missing Java is no failure.
        if engine == "auto" and shutil.which("docker"):
            return f"{error.message}; the local database will run in Docker"
        raise
    return f"Java {found.major} at {found.path}"


def ffmpeg(_: Settings) -> str:
    """ffmpeg and ffprobe, which read videos."""
    for name in ("ffmpeg", "ffprobe"):
        if not shutil.which(name):
            raise ToolError(f"{name} is not installed; it is required for videos", hint="run: apt-get install ffmpeg")
    version = _output_of("ffmpeg", "-version").partition(" Copyright")[0]
    # The help text names the filter only if this ffmpeg was built with it.
    if "Filter scdet" not in _output_of("ffmpeg", "-hide_banner", "-help", "filter=scdet"):
        raise ToolError(f"{version} has no scdet filter (scene cuts)", hint="install ffmpeg 4.4 or newer")
    return version


def models(settings: Settings) -> str:
    """The embedder of the settings is installed, and no model is damaged. Others that are missing are only listed."""
    known = registry.listed(settings)
    for model in known:
        if model.name == local_name(settings):
            registry.model_dir(settings, model.name)
        elif model.fault not in ("", registry.ABSENT, registry.OUTDATED):
            hint = f"run: amr models install {model.name}"
            raise ModelMissing(f"the model {model.name} is {model.fault}", hint=hint)
    said = [", ".join(f"{model.name} {model.version}" for model in known if model.installed)]
    for fault in (registry.ABSENT, registry.OUTDATED):
        # Models that are installed only on request (speech, yolov8n) do not count as missing.
        names = [
            model.name
            for model in known
            if model.fault == fault and (fault == registry.OUTDATED or registry.is_usual(model.name))
        ]
        if names:
            said.append(f"{fault}: {', '.join(names)} ({registry.how_to_install(settings, names[0])})")
    return "; ".join(filter(None, said))


def servers(settings: Settings) -> str:
    """Which model servers run on this machine. Those that the settings name answer, with a model for the role.

    Also says which keys of providers are set and not used.
    """
    found = {server.provider: server for server in model_check.local_servers()}
    for provider, role in model_check.local_providers(settings).items():
        if provider not in found:
            server = LOCAL_SERVERS[provider]
            hint = f"start {server.title}, or set provider under {role}: docs/local-servers.md"
            raise ModelUnavailable(f"{server.title} does not answer at {server.base_url}", hint=hint)
    told = [
        f"{server.title} at {server.base_url} ({', '.join(server.models[:_ITEMS_NAMED]) or 'no model'})"
        for server in found.values()
    ]
    return "; ".join([*(told or ["none on this machine; none is needed"]), *model_check.unused_keys(settings)])


def served(settings: Settings, port: int = SERVE_PORT) -> str:
    """A server of memory (`amr serve`) at its usual port answers, and so does its database.

    A server that works with another data folder may be ill: that is no fault of this memory.
    """
    address = f"http://127.0.0.1:{port}"
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=_SERVED_S)) as connection:
            connection.request("GET", "/health/ready")
            reply = connection.getresponse()
            said = dict(json.loads(reply.read(_SERVED_BYTES)))
    except ConnectionRefusedError:
        return f"none at {address}; none is needed"
    except (OSError, http.client.HTTPException, ValueError, TypeError):
        return f"what listens at {address} does not answer as amr serve without TLS does"
    if reply.status != http.HTTPStatus.OK:
        told = f"is not ready: {said.get('detail', reply.reason)}"
        if not _is_serving(settings.data_dir):
            return f"the server at {address}, of another data folder, {told}"
        raise StoreUnavailable(f"the server at {address} {told}")
    return f"the server at {address} is ready"


def _is_serving(data_dir: Path) -> bool:
    """Whether a server holds the lock of a data folder."""
    lock = data_dir / "serve.lock"
    if not lock.exists():
        return False
    try:
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True


def telemetry(_: Settings) -> str:
    """Whether onnxruntime left a device id in the home folder, which it writes unless it is told not to report."""
    home = Path.home()
    # Where onnxruntime keeps its device id on each system.
    caches = (
        home / "Library" / "Application Support"
        if platform.system() == "Darwin"
        else Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    )
    folder = caches / "Microsoft" / "DeveloperTools" / ".onnxruntime"
    if not folder.exists():
        return "onnxruntime left no device id"
    return f"{folder} has a device id of onnxruntime, by another program; amr does not delete it"


def disk(settings: Settings) -> str:
    """There is enough free space for the data directory, and whether it can be written."""
    folder = settings.data_dir.expanduser().absolute()
    # The data directory may not exist yet, so the nearest folder above it that does is asked.
    there = next(path for path in (folder, *folder.parents) if path.exists())
    usage = shutil.disk_usage(there)
    free = f"{usage.free / 1e9:.1f} of {usage.total / 1e9:.1f} GB free for {folder}"
    if usage.free < LEAST_FREE:
        hint = "free some disk space, or set AMR_DATA_DIR to a folder on another disk"
        raise NoSpace(f"{free}; at least {LEAST_FREE / 1e9:.1f} GB is required", hint=hint)
    # No failure: on such a directory, questions are answered.
    return free if os.access(there, os.W_OK) else f"{free}, which cannot be written: only questions work"


def spool(settings: Settings) -> str:
    """What is queued on this machine and not yet in the graph, and what the graph refused of it.

    Raises SpoolUnusable: a file of it is damaged.
    """
    folder = settings.data_dir.expanduser()
    waiting, refused = spooled.waiting(folder, settings.group), spooled.refused(folder, settings.group)
    lines = [f"{count(clips, 'analysed clip')} of {video}: ingest it again" for video, clips in waiting.clips.items()]
    lines += [
        f"clip {entry.content} of {entry.of} refused by Neo4j: {entry.reason}; "
        "ingest it with --retry-failed or --skip-failed"
        for entry in refused
        if entry.kind == "clip"
    ]
    if waiting.live_clips:
        lines.append(f"{count(waiting.live_clips, 'clip')} of live sources: amr status shows which")
    if waiting.turns:
        lines.append(f"{count(waiting.turns, 'turn')} of conversations: committed when the database is next opened")
    if turns := sum(entry.kind == "turn" for entry in refused):
        lines.append(f"{count(turns, 'turn')} of conversations refused by Neo4j: amr spool list shows why")
    return "; ".join(lines) or "nothing is waiting to be committed"


def _output_of(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        hint = "run: apt-get install --reinstall ffmpeg"
        raise ToolError(f"{command[0]} failed: {error}", hint=hint) from error
    return done.stdout


def python(_: Settings) -> str:
    """Python has a supported version."""
    running, wanted = platform.python_version(), SpecifierSet(",".join(_own("Requires-Python")))
    if not wanted.contains(running, prereleases=True):
        raise ConfigError(f"Python {running}; {wanted} is required", hint="install amr-neo4j with that version")
    return f"{running} on {platform.system()} {platform.machine()}"


def packages(settings: Settings) -> str:
    """The packages that the settings require are installed in supported versions."""
    if not _own("Name"):
        raise ModelMissing("amr-neo4j is importable but not installed", hint=f"run: {install_command()}")
    # Either build of FAISS will do, and one of them is enough.
    faiss = "gpu" if _version("faiss-gpu-cu12") else "cpu"
    needed = {
        "local": settings.embedder != "api",
        faiss: settings.dense == "faiss",
        "speech": bool(settings.speech_model),
    }
    extras = [extra for extra, is_needed in needed.items() if is_needed]
    wanted = list(_requirements(["", *extras]))
    if wrong := [complaint for each in wanted if (complaint := _complaint(each))]:
        raise ModelMissing("; ".join(wrong), hint=f"run: {install_command(','.join(extras))}")
    return f"amr-neo4j {_version('amr-neo4j')}; the {len(wanted)} packages it needs are there in supported versions"


def _requirements(extras: Collection[str]) -> Iterator[Requirement]:
    """Yield the requirements that apply on this machine, including those of these extras ("" for none)."""
    for line in _own("Requires-Dist"):
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras):
            yield wanted


def _complaint(wanted: Requirement) -> str:
    """Return what is wrong with a requirement; empty if it is met."""
    version = _version(wanted.name)
    if not version:
        return f"{wanted.name} is not installed"
    # Somebody who has installed a prerelease wants to use it.
    fits = wanted.specifier.contains(version, prereleases=True)
    return "" if fits else f"{wanted.name} {version}; {wanted.specifier} is required"


def _own(field: str) -> list[str]:
    """Return a field of amr-neo4j's package metadata; empty if it is not installed."""
    try:
        return metadata.metadata("amr-neo4j").get_all(field) or []
    except metadata.PackageNotFoundError:
        return []


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


# --- the database


def database(memory: Memory) -> str:
    """Neo4j is reachable."""
    return f"{memory.server()} at {memory.uri}"


def version(memory: Memory) -> str:
    """Neo4j has a supported version."""
    agent = memory.server()
    found = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    oldest = ".".join(map(str, OLDEST))
    # Calendar versions compare as newer, because 2025 > 5.
    if not found or (int(found[1]), int(found[2])) < OLDEST:
        raise StoreError(f"{agent}; Neo4j {oldest} or newer is required", hint=f"upgrade to Neo4j {oldest} or newer")
    return f"{found[0]}, {oldest} or newer"


def schema(memory: Memory) -> str:
    """All migrations are applied, or nothing is in their way."""
    memory.check_schema()
    if pending := memory.pending_migrations():
        raise MigrationError(f"migrations pending: {', '.join(pending)}", hint="run: amr db migrate")
    return "up to date"


def indexes(memory: Memory) -> str:
    """All constraints and indexes exist and are online."""
    if damage := memory.schema_damage():
        states = "; ".join(f"{name} is {state}" for name, state in damage.items())
        raise StoreError(states, hint="run: amr db migrate")
    return "all constraints and indexes are online"


def foreign(memory: Memory) -> str:
    """No constraint of another application may refuse what amr writes."""
    if found := memory.check_schema():
        whats, hints = zip(*found, strict=True)
        raise StoreError("; ".join(whats), hint="; ".join(hints))
    return "no constraint of another application is in the way"


def vectors(memory: Memory) -> str:
    """Every event of the group has a vector of the group's model."""
    if missing := memory.missing_vectors():
        raise StoreError(f"{missing} events have no vector", hint="run: amr index reembed")
    if failed := memory.fact_embeddings().failed:
        raise StoreError(f"{failed} facts could not be embedded", hint="see: amr index status")
    return f"no event, turn or fact lacks one; {memory.stats().events} events"


def group(memory: Memory) -> str:
    """The group was embedded by the embedder of the settings."""
    return f"{memory.group_id}, embedded by {memory.check_embedder()}"


def groups(memory: Memory) -> str:
    """Which groups hold data."""
    found = sorted(memory.groups(limit=MOST), key=lambda group: -(group.events + group.turns))
    named = ", ".join(f"{group.group_id} ({_held(group)})" for group in found[:_GROUPS_NAMED])
    more = f" and {len(found) - _GROUPS_NAMED} more: amr groups" if len(found) > _GROUPS_NAMED else ""
    unread = [group.group_id for group in found if composed(group.group_id) != group.group_id]
    # To be exported by the version that stored them, and imported by this one.
    lost = f"; not found under their names (no NFC): {', '.join(unread[:_GROUPS_NAMED])}" if unread else ""
    return f"{named}{more}{lost}" or "none holds data yet"


def _held(group: GroupView) -> str:
    held = ((group.events, "event"), (group.turns, "turn"))
    return ", ".join(count(number, noun) for number, noun in held if number) or count(group.videos, "video")


def index(memory: Memory) -> str:
    """The dense indexes, of events, turns and facts, have the vectors of the graph."""
    return _compared(memory, every=False)


def dense(memory: Memory) -> str:
    """As `index`, with every vector compared (--deep)."""
    return _compared(memory, every=True)


def _compared(memory: Memory, *, every: bool) -> str:
    events = _compared_kind(memory, "event", "", every=every)
    turns = _compared_kind(memory, "episode", " of turns", every=every)
    facts = _compared_kind(memory, "fact", " of facts", every=every)
    return f"as in the graph, all groups: vectors of {events} events, {turns} turns, {facts} facts"


def _compared_kind(memory: Memory, kind: Kind, of: str, *, every: bool) -> int:
    """Return the number of vectors. Raises StoreError: the index is not the graph's."""
    # In order of cost: whether the file can be read, the number of vectors, then the vectors.
    if memory.index_is_damaged(kind):
        raise StoreError(f"the index file{of} cannot be read", hint=_REBUILD)
    indexed, stored = memory.index_size(kind)
    if indexed != stored:
        raise StoreError(f"{indexed} vectors{of} in the index, {stored} in the graph", hint=_REBUILD)
    if differing := memory.index_differs(kind, every=every):
        sample = "" if every else " of a sample"
        raise StoreError(f"{differing} vectors{of}{sample} differ from those in the graph", hint=_REBUILD)
    return indexed


# --- the data of a group


@dataclass(frozen=True)
class _Intact:
    """A check that nothing has a fault. said: what is reported of {number} things; {some} names the first few."""

    fault: Fault
    said: str
    remedy: str = _REPAIR
    well: str = ""

    def __call__(self, memory: Memory) -> str:
        if found := memory.integrity.found(self.fault):
            raise StoreError(self.said.format(number=len(found), some=_some(found)), hint=self.remedy)
        return self.well


_BACKUP = f"restore a backup of the database; to go on without them, {_REPAIR}"
counters = _Intact("counters", "counters below the numbers in use: {some}", well="all are above the numbers in use")
persons = _Intact(
    "lost_links",
    "{number} events have lost persons or objects: node_id {some}",
    f"take their clips in again; to go on without them, {_REPAIR}",
    "every event has its persons and objects",
)
parents = _Intact(
    "lost_parents", "gone, or not linked: {some}", well="everything belongs to a video or a session of the group"
)
clocks = _Intact(
    "future_facts",
    "facts from a clock that was ahead: {some}",
    "what is said from now on replaces them; to remove one: amr facts forget, or amr forget --video",
    "no fact is dated in the future",
)
receipts = _Intact(
    "lost_receipts", "{number} clips have events and no receipt: {some}", well="every event belongs to a clip"
)
edges = _Intact(
    "broken_chains",
    "TEMPORAL edges of {number} videos are wrong: {some}",
    well="the events of each video are one chain",
)
scenes = _Intact(
    "broken_scenes", "the scenes of {number} videos are damaged: {some}", well="every event is part of one scene"
)
_no_event_lost = _Intact("deleted_events", "{number} events were deleted: node_id {some}", _BACKUP)
_no_text_lost = _Intact("lost_texts", "{number} turns and facts were deleted: {some}", _BACKUP)
_no_source_lost = _Intact("lost_sources", "{number} turns and mentions have lost what they come from: {some}")
_no_evidence_lost = _Intact("lost_evidence", "{number} facts have lost the turns that they rest on: {some}", _BACKUP)
_no_extract_lost = _Intact(
    "lost_extracts",
    "{number} turns have lost mentions, or what these state: {some}",
    f"{_REPAIR}; then amr chat extract",
)
_no_session_broken = _Intact("broken_sessions", "NEXT edges of {number} sessions are wrong: {some}")


def events(memory: Memory) -> str:
    """No event was deleted."""
    _no_event_lost(memory)
    return f"{memory.stats().events} events, none was deleted outside of amr"


def turns(memory: Memory) -> str:
    """No turn or fact was deleted or has lost its source, and the turns of each session are one NEXT chain."""
    for check in (_no_text_lost, _no_source_lost, _no_evidence_lost, _no_extract_lost, _no_session_broken):
        check(memory)
    return "none was deleted outside of amr; the turns of each session are one chain"


def nodes(memory: Memory) -> str:
    """Every node and relationship has the properties that the rest relies on, in their types (--deep)."""
    if odd := memory.integrity.odd():
        named = ", ".join(f"{number} {label}" for label, number in odd.items())
        raise StoreError(
            f"missing or odd properties, or relationships that are doubled: {named}",
            hint=f"restore a backup; or {_REPAIR}",
        )
    return "every node and relationship has its properties"


def imports(memory: Memory) -> str:
    """No import into the group is unfinished."""
    if memory.unfinished_import():
        hint = "run the same amr import again; or, to give it up: amr forget --group NAME"
        raise StoreError(f"an import into group {memory.group_id} was interrupted", hint=hint)
    return "none is unfinished"


def losses(memory: Memory) -> str:
    """What repairs have recorded as lost for good."""
    lost = memory.integrity.losses()
    return (
        f"accepted: {_some(lost)}; take their clips in again; forget their session and take it in again"
        if lost
        else "none"
    )


def channels(memory: Memory) -> str:
    """The edges of all channels are those that an ingest makes (--deep)."""
    if wrong := memory.integrity.wrong_edges():
        raise StoreError(f"{wrong} edges are missing or superfluous", hint=_REPAIR)
    return "all edges are those that an ingest makes"


def fulltext(memory: Memory) -> str:
    """The full-text indexes find every event, turn and fact (--deep)."""
    if wrong := memory.integrity.incomplete_full_text():
        raise StoreError(f"not every text is found by {', '.join(wrong)}", hint=_REPAIR)
    return "every event, turn and fact is found"


def _some(items: Sequence[object]) -> str:
    more = f" and {len(items) - _ITEMS_NAMED} more" if len(items) > _ITEMS_NAMED else ""
    return ", ".join(map(str, items[:_ITEMS_NAMED])) + more


class Examined:
    """What is checked: the settings, and the memory that they open. It is opened when a check first needs it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._memory: Memory | None = None

    def memory(self) -> Memory:
        """Return the memory. Raises the errors of `Memory.connect`."""
        self._memory = self._memory or Memory.connect(self.settings)
        return self._memory

    def close(self) -> None:
        """Close the memory. A later check opens it anew."""
        if self._memory:
            self._memory.close()
        self._memory = None


@dataclass(frozen=True)
class Check:
    """A check.

    needs: the checks that must pass before it.
    deep: it reads everything, and runs only with --deep.
    """

    name: str
    run: Callable[[Examined], str]
    needs: tuple[str, ...] = ()
    deep: bool = False


def _of_machine(run: Callable[[Settings], str]) -> Check:
    """Make a check of the settings and of this machine."""
    return Check(run.__name__, lambda examined: run(examined.settings))


def _of_graph(name: str, run: Callable[[Memory], str], *needs: str, deep: bool = False) -> Check:
    """Make a check of a memory."""
    return Check(name, lambda examined: run(examined.memory()), needs, deep)


# In the order of running: each check comes after those that it needs.
CHECKS = (
    *map(_of_machine, (disk, python, packages, java, ffmpeg, models, servers, served, telemetry, spool)),
    _of_graph("database", database),
    _of_graph("version", version, "database"),
    _of_graph("schema", schema, "version"),
    _of_graph("indexes", indexes, "schema"),
    _of_graph("foreign", foreign, "schema"),
    _of_graph("counters", counters, "indexes"),
    _of_graph("events", events, "indexes"),
    _of_graph("nodes", nodes, "indexes", deep=True),
    _of_graph("persons", persons, "indexes", deep=True),
    _of_graph("parents", parents, "indexes"),
    _of_graph("turns", turns, "indexes"),
    _of_graph("imports", imports, "schema"),
    _of_graph("losses", losses, "indexes"),
    _of_graph("clocks", clocks, "indexes"),
    _of_graph("receipts", receipts, "indexes"),
    _of_graph("edges", edges, "indexes"),
    _of_graph("channels", channels, "edges", deep=True),
    _of_graph("scenes", scenes, "indexes", deep=True),
    _of_graph("fulltext", fulltext, "indexes", deep=True),
    _of_graph("vectors", vectors, "schema"),
    _of_graph("groups", groups, "schema"),
    _of_graph("group", group, "schema", "models"),
    _of_graph("index", index, "group"),
    _of_graph("dense", dense, "index", deep=True),
)
