"""How a question says what answer it wants, and which of the matching events it means: compiled patterns."""

from __future__ import annotations

import re

from amr_neo4j.language.base import AskingPatterns
from amr_neo4j.tables import Table


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


def compiled(table: AskingTable) -> AskingPatterns:
    """The patterns of a table; case is ignored."""
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


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace(" |", "|"), re.IGNORECASE)
