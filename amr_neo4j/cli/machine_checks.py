"""What amr doctor asks of this machine: what it found, or the AmrError that says what to run."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import closing

from amr_neo4j import localdb
from amr_neo4j.errors import ModelMissing, NoSpace, ToolError
from amr_neo4j.local_models import registry as bundled
from amr_neo4j.localdb import java as runtimes
from amr_neo4j.settings import Settings
from amr_neo4j.spool import CLIPS_FILE, TURNS_FILE
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.turns import waiting_turns

LEAST_FREE = 2**30
"""Bytes. A Neo4j that cannot write its log stops."""

_PROBE_S = 20.0


def java(settings: Settings) -> str:
    """What the local database runs on, where there is or would be one without Docker."""
    engine = localdb.engine(settings) or settings.local_engine
    if settings.neo4j_uri:
        return "not needed: NEO4J_URI names a server"
    if engine == "docker":
        return "not needed: the local database runs in Docker"
    try:
        found = runtimes.find()
    except ToolError as error:
        if engine == "auto" and shutil.which("docker"):
            return f"{error.message}; Docker has to run the local database"
        raise
    return f"Java {found.major} at {found.path}"


def ffmpeg(_: Settings) -> str:
    """The programs that read videos."""
    for name in ("ffmpeg", "ffprobe"):
        if not shutil.which(name):
            raise ToolError(f"{name} is not installed; videos need it", hint="run: apt-get install ffmpeg")
    version = _said_by("ffmpeg", "-version").partition(" Copyright")[0]
    if "Filter scdet" not in _said_by("ffmpeg", "-hide_banner", "-help", "filter=scdet"):
        raise ToolError(f"{version} has no filter scdet, which finds cuts", hint="install ffmpeg 4.4 or newer")
    return version


def models(settings: Settings) -> str:
    """The embedder of the settings must be there; the others are named where they are not."""
    known = bundled.installed(settings)
    missing = [model.name for model in known if not model.installed]
    if settings.embedder in missing:
        raise ModelMissing(f"the model {settings.embedder} is not installed", hint="run: amr models install")
    there = ", ".join(f"{model.name} {model.version}" for model in known if model.installed)
    return f"{there}; without {', '.join(missing)} (amr models install)" if missing else there


def disk(settings: Settings) -> str:
    """Whether there is room where the data lies."""
    folder = settings.data_dir.expanduser().absolute()
    usage = shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists()))
    left = f"{usage.free / 1e9:.1f} of {usage.total / 1e9:.1f} GB left for {folder}"
    if usage.free < LEAST_FREE:
        hint = "free some space there, or set AMR_DATA_DIR to a folder on another disk"
        raise NoSpace(f"{left}, where {LEAST_FREE / 1e9:.1f} GB should be", hint=hint)
    return left


def spool(settings: Settings) -> str:
    """What is on this machine's disk and not yet in the graph."""
    clips, turns = (settings.data_dir.expanduser() / name for name in (CLIPS_FILE, TURNS_FILE))
    told: list[str] = []
    if clips.exists():
        with closing(ClipSpool(clips)) as kept:
            found = kept.waiting(settings.group).items()
        told += [f"{number} analysed clips of {video}: ingest it again" for video, number in found]
    if turns.exists() and (number := waiting_turns(turns, settings.group)):
        told.append(f"{number} turns of conversations: they go in when the database is next opened")
    return "; ".join(told) or "nothing waits for the graph"


def _said_by(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        hint = "run: apt-get install --reinstall ffmpeg"
        raise ToolError(f"{command[0]} does not work: {error}", hint=hint) from error
    return done.stdout
