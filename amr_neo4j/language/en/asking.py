"""How a question says what answer it wants, and which of the matching events it means: compiled patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from amr_neo4j.language.base import AskingPatterns, Attribute, ReportedWords
from amr_neo4j.tables import Table


class AttributeRow(BaseModel):
    """A row of `attributes`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asked: str
    stated: str
    optional: bool = False
    within: int | None = None
    proper: bool = False
    needed: bool = False


class ReportedRow(BaseModel):
    """A row of `as_reported`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    said: frozenset[str]
    reported: tuple[str, ...]
    worn: bool = False


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
    of_assistant: str
    of_speaker: str
    of_saying: str
    asked: str
    question_line: str
    category: str
    being_there: str
    arriving: str
    of_state: str
    clothes_stated: str
    denied: str
    anybody: str
    counted: str
    others: str
    perceived: str
    as_reported: tuple[ReportedRow, ...]
    before_worn_colour: str
    all_clothes: tuple[str, ...]
    in_part: str
    attributes: dict[str, AttributeRow]
    current_value: str
    changed: str


def compiled(table: AskingTable, numerals: Iterable[str]) -> AskingPatterns:
    """The patterns of a table; case is ignored. numerals: that texts write numbers with."""
    number = "|".join(numerals)
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
        of_assistant=_pattern(table.of_assistant),
        of_speaker=_pattern(table.of_speaker),
        of_saying=_pattern(table.of_saying),
        asked=_pattern(table.asked),
        question_line=_pattern(table.question_line),
        category=_pattern(table.category),
        being_there=_pattern(table.being_there),
        arriving=_pattern(table.arriving),
        of_state=_pattern(table.of_state),
        clothes_stated=_pattern(table.clothes_stated),
        denied=_pattern(table.denied),
        anybody=_pattern(table.anybody),
        counted=_pattern(table.counted),
        others=_pattern(table.others),
        perceived=_pattern(table.perceived),
        as_reported=tuple(ReportedWords(row.said, row.reported, row.worn) for row in table.as_reported),
        attributes=tuple(
            Attribute(
                name,
                _pattern(row.asked),
                _pattern(row.stated.replace("{number}", rf"\d|\b({number}|half)\b")),
                row.optional,
                row.within,
                row.proper,
                row.needed,
            )
            for name, row in table.attributes.items()
        ),
        current_value=_pattern(table.current_value),
        changed=_pattern(table.changed),
        before_worn_colour=_pattern(table.before_worn_colour),
        all_clothes=table.all_clothes,
        in_part=_pattern(table.in_part),
        leading=_pattern(rf"{relation}\s(?P<reference>[^,]+),\s*(?P<main>.+)$"),
        trailing=_pattern(rf"(?P<main>.+?)(\b({table.nearness}) )?\b{relation}\s(?P<reference>.*\w.*)$"),
    )


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace(" |", "|"), re.IGNORECASE)
