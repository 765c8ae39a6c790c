"""docs/specification.md: each requirement of 000 and 004 has a line that names its file and its test."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "specification.md").read_text("utf-8")
WHERE = TEXT[TEXT.index("## Where each requirement is") :]
LINES = {
    number: [cell.strip() for cell in rest.split("|")]
    for number, rest in re.findall(r"^\| `(00[04] \S+)` \| (.*) \|$", WHERE, re.M)
}


def requirements() -> dict[str, str]:
    """number -> status, as the sections of 000 and 004 state them."""
    found: dict[str, str] = {}
    for document in ("000", "004"):
        begin = TEXT.index(f"\n## {document} ")
        section = TEXT[begin : TEXT.index("\n## ", begin + 1)]
        rows = re.findall(r"^\| ([IVX]*\.?\d[\w.]*) \| .*? \| (whole|differs|left out|not built yet)", section, re.M)
        found |= {f"{document} {number}": status for number, status in rows}
    return found


def test_each_requirement_has_one_line_of_the_same_status() -> None:
    assert {number: cells[0] for number, cells in LINES.items()} == requirements()
    numbers = re.findall(r"^\| `(00[04] \S+)` \|", WHERE, re.M)
    assert [number for number, count in Counter(numbers).items() if count > 1] == []


@pytest.mark.parametrize("number", LINES)
def test_the_files_and_tests_that_a_line_names_are_there(number: str) -> None:
    status, files, tests = LINES[number]
    named, tested = re.findall(r"`([^`]+)`", files), re.findall(r"`([^`]+)`", tests)
    assert status == "not built yet" or (named and (tested or tests)), "nothing is named"
    for name in named:
        assert any((base / name).exists() for base in (ROOT / "amr_neo4j", ROOT)) or list(ROOT.glob(f"{name}*")), name
    for name in tested:
        assert (ROOT / "tests" / name).is_file(), name
