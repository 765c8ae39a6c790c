"""Command lines: every command and every option of `amr`, read from the command itself."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from amr_neo4j.cli.main import app, main
from tests.faults import nasty
from tests.faults.tally import CODES, Row, Tally

NOT_RUN = {
    ("db", "start"): "starts a server",
    ("db", "stop"): "of the machine's database",
    ("db", "destroy"): "of the machine's database",
    ("uninstall",): "removes the data of the machine",
    ("models", "install"): "asks package registries",
    ("sidecar", "serve"): "serves until it is told to end; has a kind of its own",
    ("mcp",): "as sidecar serve",
    ("serve",): "as sidecar serve",
}
SAMPLES: dict[str, Sequence[str]] = {
    **dict.fromkeys(
        ("question", "text"),
        (
            "Where are the keys?",
            "Who comes in?",
        ),
    ),
    **dict.fromkeys(
        ("--user", "--session", "--video", "--video-id", "video_id"),
        (
            "door",
            "turns",
        ),
    ),
    **dict.fromkeys(
        ("--at", "--since", "--until", "--as-of", "--before"),
        (
            "2026-03-01T09:00:00+01:00",
            "1:02:03",
        ),
    ),
    **dict.fromkeys(
        ("places", "files", "file", "source"),
        (
            "binary.mp4",
            "good.jsonl",
            "tcp://127.0.0.1:9",
        ),
    ),
    **dict.fromkeys(
        ("--replay",),
        (
            "good.jsonl",
            "binary.mp4",
        ),
    ),
    **dict.fromkeys(
        ("--limit", "--max-looks", "--look", "node_id"),
        (
            "1",
            "20",
        ),
    ),
    "--config": ["good.yaml", "binary.mp4"],
    "--exec": ["true"],
    "--webhook": ["http://127.0.0.1:9/"],
    "--planner": ["local"],
    "--param": ["limit=3", "object=keys"],
}
ADDRESSES = ["http://[::1", "rtsp://:99999/x", "http://127.0.0.1:9/\x7f", "srt://a b", "udp://", "file:///etc/passwd"]
# Their values name what is written: nothing outside the folder of the suite.
_WRITTEN = ("--html", "--save-tree", "--workdir", "--pictures", "--picture", "--clip")
_ALWAYS: dict[tuple[str, ...], list[str]] = {
    ("watch",): ["--once"],
    ("explore",): ["--planner", "local", "--max-looks", "1"],
}


@dataclass(frozen=True)
class Command:
    """path: its words. arguments, options, flags: as typed; those of `amr` itself among the options."""

    path: tuple[str, ...]
    arguments: tuple[str, ...]
    options: tuple[str, ...]
    flags: tuple[str, ...]


def commands() -> Iterator[Command]:
    """Every command that is run here."""
    root: Any = typer.main.get_command(app)
    shared = [each.opts[0] for each in root.params if each.param_type_name == "option" and not each.is_flag]
    yield from (each for each in _below(root, (), shared) if each.path not in NOT_RUN)


def _below(node: Any, path: tuple[str, ...], shared: list[str]) -> Iterator[Command]:
    if hasattr(node, "commands"):
        for name, each in node.commands.items():
            yield from _below(each, (*path, name), shared)
        return
    options = [each for each in node.params if each.param_type_name == "option" and each.name != "help"]
    yield Command(
        path,
        tuple(each.name for each in node.params if each.param_type_name == "argument"),
        (*(each.opts[0] for each in options if not each.is_flag), *shared),
        tuple(each.opts[0] for each in options if each.is_flag),
    )


def command_lines(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """In this process and in the folder: the environment names the database."""
    (folder / "binary.mp4").write_bytes(bytes(range(256)) * 9)
    (folder / "good.jsonl").write_text('{"content": "I moved to Rome."}\n')
    (folder / "good.yaml").write_text("target_clip_sec: 5\n")
    known = list(commands())
    with tally.kind("command lines") as row, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("AMR_LIVE_RECONNECT_SEC", "0")
        for number in range(attacks):
            run_here(row, line(chance, known[number % len(known)]))


def line(chance: random.Random, command: Command) -> list[str]:
    """A command line, some of its values as they should be."""
    words = [*command.path, *_ALWAYS.get(command.path, [])]
    for option in command.options:
        if chance.random() < (0.3 if len(command.options) < 8 else 0.15):
            words += [option, _value(chance, option)]
    words += [flag for flag in command.flags if chance.random() < 0.4]
    words += ["--"] if chance.random() < 0.1 else []
    words += [_value(chance, name) for name in command.arguments if chance.random() < 0.9]
    return words


def _value(chance: random.Random, name: str) -> str:
    if name in SAMPLES and chance.random() < 0.5:
        return chance.choice(SAMPLES[name])
    if name in ("places", "--webhook", "source") and chance.random() < 0.2:
        return chance.choice(ADDRESSES)
    text = str(nasty.value(chance))[:5000]
    return text.replace("/", "_").replace("..", "_") if name in _WRITTEN else text


def run_here(row: Row, words: list[str], folder: Path | None = None) -> str:
    """Run a command line, in a folder: an exit code of ours, and no traceback. Returns its output."""
    row.attacks += 1
    name = f"{words!r:.200}"
    said, complained = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(complained), pytest.MonkeyPatch.context() as patch:
            if folder:
                patch.chdir(folder)
            patch.setattr(
                sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"video_id": 1}\n\xff\n'), errors="surrogateescape")
            )
            main(words)
        code: Any = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException as error:  # noqa: BLE001 - that is what is looked for
        row.failed[name] = f"{type(error).__name__}: {str(error)[:200]}"
        return ""
    row.refused += code not in (0, None)
    text = complained.getvalue()
    if code not in CODES | {None}:
        row.failed[name] = f"exit code {code}: {text[-200:]}"
    elif "Traceback" in text or "internal error" in text:
        row.failed[name] = text[-300:].strip()
    return said.getvalue()
