"""The Python examples that use Memory are what a strict type checker accepts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyright", reason="the extra dev is not installed")

REPOSITORY = Path(__file__).parents[2]
PAGES = [
    REPOSITORY / "README.md",
    *sorted({*(REPOSITORY / "docs").glob("*.md")} - {REPOSITORY / "docs" / "languages.md"}),
]
# languages.md names files that its reader is to write.
# What the text around an example says is there.
GIVEN = (
    "from datetime import datetime\nfrom amr_neo4j import Memory\ndef given(m: Memory, moment: datetime) -> None:\n"
)


def examples() -> list[str]:
    blocks = [block for page in PAGES for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S)]
    return [block if "import Memory" in block else GIVEN + re.sub(r"(?m)^", "    ", block) for block in blocks]


def test_every_example_passes_strict_type_checking(tmp_path: Path) -> None:
    files = [tmp_path / f"example_{number}.py" for number, _ in enumerate(examples())]
    for file, example in zip(files, examples(), strict=True):
        file.write_text(f"# pyright: strict\n{example}", encoding="utf-8")
    assert files
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *map(str, files)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
