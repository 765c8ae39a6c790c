"""The grammar of questions: patterns for what a question asks for (asking.yaml), and its type (questions.yaml)."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, cached_property
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.language.en.identities import mentioned_names
from amr_neo4j.language.en.verbs import transition
from amr_neo4j.tables import Table

COLOUR = "colour"
"""The attribute's name in the table of every language."""


def _compiled(text: str) -> re.Pattern[str]:
    """A pattern that ignores case, and the line breaks of the table."""
    return re.compile(text.replace(" |", "|"), re.IGNORECASE)


def _with_words(text: str, info: ValidationInfo[dict[str, str]]) -> re.Pattern[str]:
    """A pattern with the loader's words in the place of each {name}."""
    for name, words in info.context.items():
        text = text.replace("{" + name + "}", words)
    return _compiled(text)


Pattern = Annotated[re.Pattern[str], BeforeValidator(_with_words)]


class Attribute(BaseModel):
    """Something that a question may ask of a thing: its colour, its price, the reason for it.

    asked: finds it in a question. stated: finds it in a text. optional: a text may imply it: what the text lists
    answers "how many". within: at most so many words from the word for the thing; None: anywhere. proper: it is a
    name, and not the name of a person who is there. needed: an event that does not state it is no answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    asked: Pattern
    stated: Pattern
    optional: bool = False
    within: int | None = None
    proper: bool = False
    needed: bool = False


class ReportedWords(BaseModel):
    """Words of a question, and words of the local analyser's reports that may mean the same.

    worn: they name garments. A report states only the colour of a garment.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    said: frozenset[str]
    reported: tuple[str, ...]
    worn: bool = False


def _with_names(attributes: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": name, **row} for name, row in attributes.items()]


class AskingPatterns(Table):
    """asking.yaml: what answer a question wants, and which of the matching events it means.

    answer_types, relations, ends: by the names of recall's AnswerType and Order; the first that matches counts.
    between: groups main, reference, until. lead: words that only introduce a question. numerals: "second" -> 2.
    attributes: the first one asked for counts. The table's comments explain the other patterns.
    """

    answer_types: dict[str, Pattern]
    relations: dict[str, Pattern]
    nearness: str
    ends: dict[str, Pattern]
    between: tuple[Pattern, ...]
    nth: str
    numerals: dict[str, int]
    lead: Pattern
    same_action: Pattern
    pronouns: Pattern
    of_assistant: Pattern
    of_speaker: Pattern
    of_saying: Pattern
    asked: Pattern
    question_line: Pattern
    category: Pattern
    attributes: Annotated[tuple[Attribute, ...], BeforeValidator(_with_names)]
    current_value: Pattern
    changed: Pattern
    being_there: Pattern
    arriving: Pattern
    of_state: Pattern
    clothes_stated: Pattern
    denied: Pattern
    anybody: Pattern
    counted: Pattern
    others: Pattern
    perceived: Pattern
    as_reported: tuple[ReportedWords, ...]
    before_worn_colour: Pattern
    all_clothes: tuple[str, ...]
    in_part: Pattern

    @cached_property
    def leading(self) -> re.Pattern[str]:
        """ "After the bell rang, who came in": groups relation, reference, main."""
        return _compiled(rf"{self._any_relation}\s(?P<reference>[^,]+),\s*(?P<main>.+)$")

    @cached_property
    def trailing(self) -> re.Pattern[str]:
        """ "Who came in after the bell rang": groups main, relation, reference."""
        near = rf"(\b({self.nearness}) )?"
        return _compiled(rf"(?P<main>.+?){near}\b{self._any_relation}\s(?P<reference>.*\w.*)$")

    @property
    def _any_relation(self) -> str:
        return f"(?P<relation>{'|'.join(relation.pattern for relation in self.relations.values())})"

    @cached_property
    def worn(self) -> frozenset[str]:
        """Words for what is worn, the local analyser's among them. Some are verbs too."""
        garments = [row for row in self.as_reported if row.worn]
        return frozenset(word for row in garments for word in (*row.said, *row.reported))

    def is_colour(self, word: str) -> bool:
        """Whether a word is that of a colour."""
        return any(each.name == COLOUR and each.stated.fullmatch(word) for each in self.attributes)

    def asks(self, question: str, line: str) -> bool:
        """Whether the question is about something that was asked, and the line asks."""
        return bool(self.asked.search(question) and self.question_line.search(line))

    def asks_for_a_current_value(self, question: str) -> bool:
        """Whether a question asks for a value that holds until another one is stated."""
        return bool(self.current_value.search(question)) and not self.changed.search(question)

    def without_occurrence_number(self, text: str) -> tuple[str, int]:
        """Splits off which of several times is meant: "when did it ring the second time" -> ("when did it ring", 2).

        The number is 0 where the text names none.
        """
        found = self._nth.search(text)
        if not found:
            return text, 0
        named = found["nth"].casefold()
        digits = re.match(r"\d+", named)
        number = int(digits[0]) if digits else self.numerals[named]
        return " ".join((text[: found.start()] + text[found.end() :]).split()), number

    @cached_property
    def _nth(self) -> re.Pattern[str]:
        return _compiled(self.nth.replace("{nth}", "|".join([*self.numerals, r"\d+(st|nd|rd|th)"])))


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    type: QuestionType
    pattern: str
    changes: bool = False


class QuestionTable(Table):
    """questions.yaml, whose head says what its keys mean."""

    lead: str
    words: dict[str, str]
    rules: tuple[_Rule, ...]

    def type_question(self, text: str) -> QuestionType:
        """The type of the first rule that fits; General where none does (any question that is not in English)."""
        plain = self._plain(text)
        for rule, pattern in zip(self.rules, self._spelt_out, strict=True):
            if _case_sensitive(pattern).search(plain) and (not rule.changes or _changes_a_state(plain)):
                return rule.type
        return QuestionType.GENERAL

    def _plain(self, text: str) -> str:
        """In lower case, without what only makes it polite, every name replaced by the one word of the table."""
        text = unicodedata.normalize("NFC", text).replace("’", "'")
        for word in {word for name in mentioned_names(text) for word in name.split()}:
            text = re.sub(rf"\b{re.escape(word)}\b", self.words["name"], text)
        return _case_sensitive(self.lead).sub("", text.casefold())

    @cached_property
    def _spelt_out(self) -> tuple[str, ...]:
        """The rules' patterns, each {name} in them replaced by the alternatives of `words`."""
        spelt: list[str] = []
        for rule in self.rules:
            pattern = rule.pattern
            for name, alternatives in self.words.items():
                pattern = pattern.replace("{" + name + "}", f"({alternatives.replace(' |', '|')})")
            spelt.append(pattern)
        return tuple(spelt)


@cache
def _case_sensitive(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: most questions fit one of the first rules."""
    return re.compile(pattern)


def _changes_a_state(plain: str) -> bool:
    """Whether any verb of the question leaves something in another state."""
    words = re.findall(r"[\w']+", plain)
    readings = (transition(" ".join(words[place:])) for place in range(1, len(words)))
    return any(reading and reading.to_state for reading in readings)
