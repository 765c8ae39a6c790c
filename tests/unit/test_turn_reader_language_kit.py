"""The groups of a language kit: the type checker cannot know their names, which are those of the table's fields."""

import re
import sys
from pathlib import Path
from threading import Barrier, Thread

import pytest

from amr_neo4j import turn_reader
from amr_neo4j.turn_reader.language_kit import LanguageKit, language_kit
from amr_neo4j.turn_reader.lines import line_of

_USE = re.compile(r"kit\.(patterns|each|words|endings)\.(\w+)")
_SOURCES = sorted(Path(turn_reader.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("code", ["de", "en", "es", "fr", "it"])
def test_every_name_that_the_reader_uses_is_a_field_of_its_group(code: str) -> None:
    kit = language_kit(code)
    used = {match.groups() for path in _SOURCES for match in _USE.finditer(path.read_text(encoding="utf-8"))}

    assert len(used) > 100
    assert [name for group, name in sorted(used) if not hasattr(getattr(kit, group), name)] == []


def test_a_field_is_compiled_as_its_type_says() -> None:
    kit = language_kit("en")

    assert kit.patterns.hedges.match("maybe ")
    assert kit.patterns.tails.pattern.endswith("$")
    assert {"the", "a"} <= kit.words.articles
    assert len(kit.each.echoes) == len(kit.table.reading.echoes)
    with pytest.raises(AttributeError, match="no field of this group: nothing"):
        _ = kit.words.nothing


@pytest.mark.parametrize(
    ("code", "noun", "gender"),
    [("es", "socio", "m"), ("es", "socia", "f"), ("fr", "vieux", "m"), ("fr", "vieille", "f")],
)
def test_a_noun_that_is_no_role_has_a_gender_too(code: str, noun: str, gender: str) -> None:
    """In "mi socio Andrea ... él", the noun tells, whatever the first name."""
    kit = language_kit(code)
    assert kit.genders[noun] == gender and noun not in kit.roles


def test_two_threads_continue_a_statement_by_the_same_frames() -> None:
    """A turn is read in a thread of its own: none may see the frames of a relation half made."""
    kit, counts = LanguageKit("en"), list[int]()
    clause = line_of("My brother in Paris", kit.table)
    relations = sorted({rule.gives for rule in kit.table.rules})
    whole = {relation: len(list(language_kit("en").frames.gapped(relation, clause))) for relation in relations}

    def read(start: Barrier) -> None:
        for relation in relations:
            start.wait()
            counts.append(len(list(kit.frames.gapped(relation, clause))))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        start = Barrier(2)
        threads = [Thread(target=read, args=(start,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sum(counts) == 2 * sum(whole.values())
