"""Checks of this machine for amr doctor. Each returns what it found, or raises an AmrError with the remedy."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import closing

from amr_neo4j import localdb
from amr_neo4j.cli.printing import count
from amr_neo4j.errors import ModelMissing, NoSpace, ToolError
from amr_neo4j.local_models import registry
from amr_neo4j.localdb import java as runtimes
from amr_neo4j.settings import Settings
from amr_neo4j.spool import CLIPS_FILE, LIVE_FILE, TURNS_FILE
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.live import LiveSpool
from amr_neo4j.spool.turns import refused_turns, waiting_turns

LEAST_FREE = 2**30
"""Bytes. Neo4j stops when it cannot write its log."""

_PROBE_S = 20.0


def java(settings: Settings) -> str:
    """The Java of the local database, unless that runs in Docker."""
    engine = localdb.engine(settings) or settings.local_engine
    if settings.neo4j_uri:
        return "not needed: NEO4J_URI is set"
    if engine == "docker":
        return "not needed: the local database runs in Docker"
    try:
        found = runtimes.find()
    except ToolError as error:
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
    if "Filter scdet" not in _output_of("ffmpeg", "-hide_banner", "-help", "filter=scdet"):
        raise ToolError(f"{version} has no scdet filter (scene cuts)", hint="install ffmpeg 4.4 or newer")
    return version


def models(settings: Settings) -> str:
    """The embedder of the settings is installed; other models that are not are only listed."""
    known = registry.installed(settings)
    missing = [model.name for model in known if not model.installed and registry.is_usual(model.name)]
    if settings.embedder in missing:
        raise ModelMissing(f"the model {settings.embedder} is not installed", hint="run: amr models install")
    present = ", ".join(f"{model.name} {model.version}" for model in known if model.installed)
    return f"{present}; not installed: {', '.join(missing)} (amr models install)" if missing else present


def disk(settings: Settings) -> str:
    """There is enough free space for the data directory."""
    folder = settings.data_dir.expanduser().absolute()
    usage = shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists()))
    free = f"{usage.free / 1e9:.1f} of {usage.total / 1e9:.1f} GB free for {folder}"
    if usage.free < LEAST_FREE:
        hint = "free some disk space, or set AMR_DATA_DIR to a folder on another disk"
        raise NoSpace(f"{free}; at least {LEAST_FREE / 1e9:.1f} GB is required", hint=hint)
    return free


def spool(settings: Settings) -> str:
    """What is queued on this machine and not yet in the graph, and what the graph refused of it.

    Raises SpoolUnusable: a file of it is damaged.
    """
    clips, turns, live = (settings.data_dir.expanduser() / name for name in (CLIPS_FILE, TURNS_FILE, LIVE_FILE))
    waiting: list[str] = []
    if clips.exists():
        with closing(ClipSpool(clips)) as kept:
            found, refused = kept.waiting(settings.group).items(), kept.refused(settings.group)
        waiting += [f"{count(number, 'analysed clip')} of {video}: ingest it again" for video, number in found]
        waiting += [
            f"clip {clip} of {video} refused by Neo4j: {why}; ingest it with --retry-failed or --skip-failed"
            for video, clip, why in refused
        ]
    if live.exists():
        with closing(LiveSpool(live)) as recorded:
            recorded.check()
            found = recorded.clips(settings.group, states=("received", "analysed"))
        if found:
            waiting.append(f"{count(len(found), 'clip')} of live sources: amr status shows which")
    if turns.exists():
        if number := waiting_turns(turns, settings.group):
            waiting.append(f"{count(number, 'turn')} of conversations: committed when the database is next opened")
        if number := len(refused_turns(turns, settings.group)):
            waiting.append(f"{count(number, 'turn')} of conversations refused by Neo4j: amr spool list shows why")
    return "; ".join(waiting) or "nothing is waiting to be committed"


def _output_of(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        hint = "run: apt-get install --reinstall ffmpeg"
        raise ToolError(f"{command[0]} failed: {error}", hint=hint) from error
    return done.stdout
