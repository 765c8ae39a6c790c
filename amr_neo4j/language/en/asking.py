"""How a question says what answer it wants, and which of the matching events it means: compiled patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from amr_neo4j.tables import Table, load


class AskingTable(Table):
    """asking.yaml; its header documents the keys."""

    answer_types: dict[str, str]
    relations: dict[str, str]
    nearness: str
    between: tuple[str, ...]
    nth: str
    numerals: dict[str, int]
    lead: str
    ends: dict[str, str]
    same_action: str
    pronouns: str


@dataclass(frozen=True)
class AskingPatterns:
    """The table compiled; case is ignored.

    answer_types, relations, ends: by the names of recall's AnswerType and Order, in the order in which they apply.
    between: groups main, reference, until. leading, trailing: groups main, relation, reference.
    """

    answer_types: dict[str, re.Pattern[str]]
    relations: dict[str, re.Pattern[str]]
    ends: dict[str, re.Pattern[str]]
    between: tuple[re.Pattern[str], ...]
    nth: re.Pattern[str]
    numerals: dict[str, int]
    lead: re.Pattern[str]
    same_action: re.Pattern[str]
    pronouns: re.Pattern[str]
    leading: re.Pattern[str]
    trailing: re.Pattern[str]


@cache
def asking_patterns() -> AskingPatterns:
    """The patterns of asking.yaml."""
    table = load("amr_neo4j.language.en", "asking.yaml", AskingTable)
    relation = f"(?P<relation>{'|'.join(table.relations.values())})"
    return AskingPatterns(
        answer_types={name: _pattern(words) for name, words in table.answer_types.items()},
        relations={name: _pattern(words) for name, words in table.relations.items()},
        ends={name: _pattern(words) for name, words in table.ends.items()},
        between=tuple(map(_pattern, table.between)),
        nth=_pattern(table.nth.replace("{nth}", "|".join([*table.numerals, r"\d+(st|nd|rd|th)"]))),
        numerals=table.numerals,
        lead=_pattern(table.lead),
        same_action=_pattern(table.same_action),
        pronouns=_pattern(table.pronouns),
        leading=_pattern(rf"{relation}\s(?P<reference>[^,]+),\s*(?P<main>.+)$"),
        trailing=_pattern(rf"(?P<main>.+?)(\b({table.nearness}) )?\b{relation}\s(?P<reference>.*\w.*)$"),
    )


def without_occurrence_number(text: str) -> tuple[str, int]:
    """The text without the words that say which of several times is meant, and that number; 0 where it has none."""
    patterns = asking_patterns()
    found = patterns.nth.search(text)
    if not found:
        return text, 0
    named = found["nth"].casefold()
    digits = re.match(r"\d+", named)
    number = int(digits[0]) if digits else patterns.numerals[named]
    return " ".join((text[: found.start()] + text[found.end() :]).split()), number


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace(" |", "|"), re.IGNORECASE)
