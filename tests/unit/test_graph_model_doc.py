"""The documents on the graph and the requirements match the code: every name and number is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j.store.integrity import properties

ROOT = Path(__file__).parents[2]
MODEL = (ROOT / "docs" / "graph-model.md").read_text(encoding="utf-8")
SPECIFICATION = (ROOT / "docs" / "specification.md").read_text(encoding="utf-8")

_NODE = re.compile(r"\(\w*:([\w|:]+)")
_NEW_LABEL = re.compile(r"\b(?:SET|REMOVE) (?:\w+\.\w+ = [^,\n]+, )*\w+:(\w+)")
_RELATIONSHIP = re.compile(r"\[\w*:([\w|]+)")
_INDEX = re.compile(r"CREATE (?:\w+ )?(?:CONSTRAINT|INDEX) (\w+)")
_CITATION = re.compile(
    r"\b(?:specification|seed) (\d{3})(?:,? (?:part )?((?:i{1,2}\.)?\d+(?:\.\d+)*(?:\.[a-z]\b)?))?", re.IGNORECASE
)


def test_every_label_is_described() -> None:
    labels = _found(_NODE, *_statements()) | _found(_NEW_LABEL, *_statements())
    assert {"Event", "PlainSupersededEvent", "MigrationLock"} <= labels
    assert labels <= _described()


def test_every_relationship_type_is_described() -> None:
    types = _found(_RELATIONSHIP, *_statements())
    assert {"TEMPORAL", "CROSS_MODAL", "MENTIONED_IN"} <= types
    assert types <= _described()


def test_every_index_and_constraint_is_described_and_no_other() -> None:
    section = MODEL.partition("## Constraints and indexes")[2].partition("\n## ")[0]
    assert _first_cells(section) - {"name"} == _found(_INDEX, *_statements())


@pytest.mark.parametrize("label", [name for name in properties().labels if f"\n### {name}\n" in MODEL])
def test_every_property_of_a_node_is_looked_at_by_doctor(label: str) -> None:
    section = MODEL.partition(f"\n### {label}\n")[2].partition("\n##")[0]
    if label == "SupersededEvent":  # has those of an event
        section = MODEL.partition("\n### Event\n")[2].partition("\n##")[0]
    of = properties().labels[label]
    described = _first_cells(section) - {
        "property",
        "group_id",
        "embed_",
        *(["superseded_at"] if label == "Event" else []),
    }
    assert described <= {*of.key, *of.more}
    assert {*of.key, *of.more} - described <= {"created_at", "embed_after", "embed_attempts", "embed_error"}


def test_every_citation_is_a_number_of_the_specification() -> None:
    known = _numbers()
    assert {("000", "I.2.2"), ("000", "I.2.2.a"), ("004", "")} <= known
    lost = [(path, *cited) for path in _citing() for cited in _citations(path) if cited not in known]
    assert not lost


def test_numbers_of_the_specification_are_given_once() -> None:
    asked = SPECIFICATION.partition("## Where each requirement is")[0]
    rows = re.findall(r"^(## |\| )(\d{3}|[IVX\d.]+[a-z]?)(?: |\b)", asked, re.MULTILINE)
    numbers: list[str] = []
    document = ""
    for mark, number in rows:
        document = number if mark == "## " else document
        numbers.append(f"{document} {number}")
    assert len(set(numbers)) == len(numbers)


def _statements() -> list[str]:
    """The text of every migration and statement, without comments and strings."""
    files = [path for room in ("migrations", "cypher") for path in sorted((ROOT / room).rglob("*.cypher"))]
    return [re.sub(r"//.*|'[^'\n]*'", "", path.read_text(encoding="utf-8")) for path in files]


def _found(pattern: re.Pattern[str], *texts: str) -> set[str]:
    """All names that a pattern finds, from "A|B" and "A:B" each."""
    return {name for text in texts for names in pattern.findall(text) for name in re.split(r"[|:]", names) if name}


def _described() -> set[str]:
    """The words of the headings and of the first column of each table."""
    headings = re.findall(r"^#+ (.*)$", MODEL, re.MULTILINE)
    return {word for heading in headings for word in re.findall(r"\w+", heading)} | _first_cells(MODEL)


def _first_cells(text: str) -> set[str]:
    cells = re.findall(r"^\| ([^|]*?) \|", text, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"\w+", cell)}


def _numbers() -> set[tuple[str, str]]:
    """(document, number) of every heading and requirement; an empty number is the document itself."""
    found: set[tuple[str, str]] = set()
    document = ""
    for line in SPECIFICATION.splitlines():
        if heading := re.match(r"#+ (\d{3}) ((?:I{1,2}\.)?\d+(?:\.\d+)*(?= ))?", line):
            document = heading[1]
            found |= {(document, ""), (document, heading[2] or "")}
        elif row := re.match(r"\| ((?:I{1,2}\.)?\d+(?:\.\d+)*(?:\.[a-z])?) \|", line):
            found.add((document, row[1]))
    return found


def _citing() -> Iterator[Path]:
    """Every text file of the program, its statements and its tests; this file has patterns instead of citations."""
    for room in ("amr_neo4j", "cypher", "migrations", "tests", "benchmarks"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in {".py", ".yaml", ".cypher"} and path != Path(__file__):
                yield path


def _citations(path: Path) -> list[tuple[str, str]]:
    return _CITATION.findall(path.read_text(encoding="utf-8"))
