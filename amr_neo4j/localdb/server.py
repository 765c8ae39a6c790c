"""Runs Neo4j as a local Java process, from the jars that maven.py downloads."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from amr_neo4j.errors import DatabaseError
from amr_neo4j.localdb import java, maven
from amr_neo4j.localdb.record import EngineName, Notify, Record

CONF = """\
# Written by amr at every start.
server.bolt.listen_address=127.0.0.1:{bolt}
server.bolt.advertised_address=127.0.0.1:{bolt}
server.http.listen_address=127.0.0.1:{http}
server.http.advertised_address=127.0.0.1:{http}
server.https.enabled=false
# Nothing calls home, Browser included.
dbms.usage_report.enabled=false
client.allow_telemetry=false
browser.remote_content_hostname_whitelist=localhost
# No Cypher reads files of this machine.
dbms.security.allow_csv_import_from_file_urls=false
# The default logs every statement with all of its parameters: here, embeddings.
db.logs.query.enabled=OFF
# The default reserves 256 MB of disk for each of the two databases.
db.tx_log.preallocate=false
# A log holds what was written, forgotten words too. The default keeps two days of them, for backups that this edition
# cannot make. Here a log that is full is removed at the next checkpoint.
db.tx_log.rotation.size=16m
db.tx_log.rotation.retention_policy=keep_none
# The default waits twice 5 s on shutdown for late requests.
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
"""
# As in the neo4j.conf of a release.
GARBAGE_COLLECTOR = "-XX:+UseG1GC"
# Packages of java.base that Neo4j accesses by reflection.
_OPENED = ("java.nio", "java.io", "sun.nio.ch")
# Seconds that a server may take to stop.
_STOP_S = 60.0


class JavaServer:
    """The engine that needs no Docker. The server's folders are in home/server, its jars in the cache.

    page_cache_mb: None lets Neo4j choose by the memory that it sees, which respects a container's limit.
    """

    name: EngineName = "maven"

    def __init__(self, home: Path, cache_dir: Path, heap_mb: int, page_cache_mb: int | None) -> None:
        self._folder = home / "server"
        self._cache_dir = cache_dir
        self._heap_mb = heap_mb
        self._page_cache_mb = page_cache_mb

    def install(self, notify: Notify) -> None:
        """Download what is missing. Calls `notify` with a line before anything that takes long."""
        java.find()
        maven.install(self._cache_dir, notify)

    def launch(self, record: Record, password: str) -> int:
        """Start the server in the background. Returns its pid once the process can be recognised."""
        runtime = java.find()
        self._configure(record)
        self._set_first_password(runtime, password)
        (self._folder / "logs").mkdir(exist_ok=True)
        shutil.rmtree(self._temporary, ignore_errors=True)  # a server that was killed leaves its libraries there
        # This log and the console cover one start only, so that `last_lines` is about it. debug.log keeps the rest.
        self._user_log.unlink(missing_ok=True)
        with self._console.open("wb") as console:
            process = subprocess.Popen(
                self._command(runtime),
                cwd=self._folder,  # where Java writes its report of a crash
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in the terminal must not stop the server
            )
        while process.poll() is None and not self._is_ours(process.pid):
            time.sleep(0.01)  # `running` needs the arguments, which the kernel shows a moment after the start
        return process.pid

    def running(self, record: Record) -> bool:
        """Return whether this home's server, and no other, is running or starting."""
        return record.pid is not None and self._is_ours(record.pid)

    def stop(self, record: Record) -> None:
        """Stop the server and wait until it has exited."""
        if record.pid is None or not self.running(record):
            return
        os.kill(record.pid, signal.SIGTERM)
        until = time.monotonic() + _STOP_S
        while self.running(record):
            if time.monotonic() > until:
                raise DatabaseError(f"Neo4j (pid {record.pid}) has not stopped in {_STOP_S:.0f} s", hint="try again")
            time.sleep(0.1)

    def destroy(self, record: Record) -> None:
        """Stop the server, at once if it does not stop by itself. What it stores is all inside the home."""
        try:
            self.stop(record)
        except DatabaseError:  # a server whose disk is full may try for ever to write what is now deleted
            if record.pid is not None and self.running(record):
                os.kill(record.pid, signal.SIGKILL)

    def dump(self, folder: Path) -> None:
        """Write the database to folder/neo4j.dump. It must be stopped. Raises DatabaseError."""
        words = ("database", "dump", "neo4j", f"--to-path={folder}")
        self._admin(java.find(), *words, failed="Neo4j could not be dumped")

    def load(self, record: Record, folder: Path) -> None:
        """Replace the database by the one in folder/neo4j.dump. It must be stopped. Raises DatabaseError."""
        self._configure(record)
        words = ("database", "load", "neo4j", f"--from-path={folder}", "--overwrite-destination=true")
        self._admin(java.find(), *words, failed="Neo4j could not load the dump")

    def last_lines(self) -> list[str]:
        """Return the last lines of the server's log."""
        logs = [log.read_text(errors="replace") for log in (self._user_log, self._console) if log.exists()]
        # Lines that begin with a tab belong to a Java stack trace. The message is above them.
        return [line for line in "".join(logs).splitlines() if line.strip() and not line.startswith("\t")][-8:]

    def _is_ours(self, pid: int) -> bool:
        """Return whether a process is the server of this home. Compares its arguments, because pids are reused."""
        return self._home_argument in _arguments(pid)

    @property
    def _home_argument(self) -> str:
        return f"--home-dir={self._folder}"

    @property
    def _temporary(self) -> Path:
        return self._folder / "tmp"

    @property
    def _user_log(self) -> Path:
        return self._folder / "logs" / "neo4j.log"

    @property
    def _console(self) -> Path:
        return self._folder / "logs" / "console.log"

    def _configure(self, record: Record) -> None:
        conf = self._folder / "conf"
        conf.mkdir(parents=True, exist_ok=True)
        page_cache = f"server.memory.pagecache.size={self._page_cache_mb}m\n" if self._page_cache_mb else ""
        text = CONF.format(bolt=record.bolt_port, http=record.http_port)
        (conf / "neo4j.conf").write_text(text + page_cache)

    def _classpath(self) -> str:
        return ":".join(str(part / "*") for part in (self._folder / "plugins", maven.jars(self._cache_dir)))

    def _command(self, runtime: java.Java) -> list[str | Path]:
        return [
            *self._java(runtime),
            f"-Xmx{self._heap_mb}m",
            GARBAGE_COLLECTOR,
            # A server without memory ends instead of hanging half alive.
            "-XX:+ExitOnOutOfMemoryError",
            "-Dlog4j2.disable.jmx=true",
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
            *(["--add-modules=jdk.incubator.vector"] if runtime.has_vector else []),
            maven.main_class(),
            self._home_argument,
            f"--config-dir={self._folder / 'conf'}",
        ]

    def _java(self, runtime: java.Java) -> list[str | Path]:
        """Return how a program of Neo4j is called. Its temporary files are in the home; by default JNA's are in ~."""
        self._temporary.mkdir(mode=0o700, exist_ok=True)
        places = (f"-D{name}={self._temporary}" for name in ("java.io.tmpdir", "jna.tmpdir"))
        return [runtime.path, java.NO_FILES, *places, "-cp", self._classpath()]

    def _set_first_password(self, runtime: java.Java, password: str) -> None:
        """Set the password before the very first start; later calls do nothing.

        The password goes in a file, because other users can read the arguments of a process.
        """
        # Neo4j writes auth.ini with the initial password and ignores another one later.
        if (self._folder / "data" / "dbms" / "auth.ini").exists():
            return
        arguments = self._folder / "conf" / "first-password"
        arguments.touch(mode=0o600)
        try:
            arguments.write_text(f'dbms set-initial-password "{password}"\n')
            self._admin(runtime, f"@{arguments}", failed="Neo4j did not accept the initial password")
        finally:
            arguments.unlink()

    def _admin(self, runtime: java.Java, *words: str, failed: str) -> None:
        tool = [*self._java(runtime), "org.neo4j.cli.AdminTool", *words]
        places = {"NEO4J_HOME": str(self._folder), "NEO4J_CONF": str(self._folder / "conf")}
        done = subprocess.run(tool, env=os.environ | places, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DatabaseError(failed, hint=done.stderr.strip().partition("\n")[0])


def _arguments(pid: int) -> list[str]:
    """Return the command line of a process; [] if there is no such process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return []
