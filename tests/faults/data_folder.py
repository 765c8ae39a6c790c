"""A data directory with a damaged file: emptied, cut, overwritten, or replaced by a folder, a pipe or a link."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.command_lines import run_here
from tests.faults.tally import Tally
from tests.support.real_ingest import KITCHEN


def _cut(file: Path, chance: random.Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: chance.randrange(len(content) or 1)])


def _noise(file: Path, chance: random.Random) -> None:
    file.write_bytes(chance.randbytes(5000))


def _flipped(file: Path, chance: random.Random) -> None:
    content = bytearray(file.read_bytes())
    for _ in range(200 if content else 0):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


def _folder(file: Path, chance: random.Random) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path, chance: random.Random) -> None:
    file.unlink()
    os.mkfifo(file)


def _link(file: Path, chance: random.Random) -> None:
    elsewhere = file.rename(file.with_name(f"elsewhere-{file.name}"))
    file.symlink_to(elsewhere if chance.random() < 0.5 else file)


DAMAGES: dict[str, Callable[[Path, random.Random], None]] = {
    "emptied": lambda file, chance: os.truncate(file, 0),
    "cut": _cut,
    "noise": _noise,
    "flipped": _flipped,
    "folder": _folder,
    "pipe": _pipe,
    "link": _link,
    "gone": lambda file, chance: file.unlink(),
}
LINES = (
    ["ask", "Where are the keys?", "--user", "door"],
    ["chat", "say", "I moved to Oslo.", "--user", "door", "--session", "s"],
    ["alerts"],
    ["status"],
    ["spool", "list"],
    ["index", "status"],
    ["keys", "list"],
    ["doctor"],
)
_MADE = (
    ["ingest", str(KITCHEN)],
    ["chat", "say", "I moved to Rome.", "--user", "door", "--session", "s"],
    ["ask", "Where are the keys?", "--user", "door"],
    ["keys", "create", "--user", "door"],
    ["watch", "--when", "somebody takes the keys", "--exec", "true", "--once"],
)


def damaged(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """Each command works, or says in a line which file is wrong; none hangs, and none ends in a traceback."""
    data, kept = folder / "damaged", folder / "kept"
    with tally.kind("damaged files") as row, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AMR_DATA_DIR", str(data))
        for line in _MADE:
            run_here(row, line, folder)
        shutil.copytree(data, kept)
        files = sorted(file.relative_to(kept) for file in kept.rglob("*") if file.is_file())
        pairs = [(file, name) for file in files for name in DAMAGES]
        for file, name in chance.sample(pairs, min(attacks, len(pairs))):
            shutil.rmtree(data)
            shutil.copytree(kept, data)
            DAMAGES[name](data / file, chance)
            for line in chance.sample(LINES, 2):
                before = set(row.failed)
                run_here(row, line, folder)
                for new in set(row.failed) - before:
                    row.failed[f"{file} {name}: {line[0]}"] = row.failed.pop(new)
