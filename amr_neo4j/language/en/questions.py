"""What a question is after, by rules."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from pydantic import BaseModel, ConfigDict

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.language.en.persons import mentioned_names
from amr_neo4j.language.en.verbs import transition
from amr_neo4j.tables import Table


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

    def spelt_out(self, pattern: str) -> str:
        """A pattern with the alternatives it stands for in their places."""
        for name, alternatives in self.words.items():
            pattern = pattern.replace("{" + name + "}", f"({alternatives.replace(' |', '|')})")
        return pattern


class QuestionRules:
    """The rules of a table; each is compiled when it is first tried."""

    def __init__(self, table: QuestionTable) -> None:
        self._lead = re.compile(table.lead)
        self._name = table.words["name"]
        self._rules = tuple((table.spelt_out(rule.pattern), rule) for rule in table.rules)

    def type_question(self, text: str) -> QuestionType:
        """The type of the first rule that fits; General where none does (any question that is not in English)."""
        plain = self._plain(text)
        for pattern, rule in self._rules:
            if _compiled(pattern).search(plain) and (not rule.changes or _changes_a_state(plain)):
                return rule.type
        return QuestionType.GENERAL

    def _plain(self, text: str) -> str:
        """In lower case, without what only makes it polite, every name replaced by the one word of the table."""
        text = unicodedata.normalize("NFC", text).replace("’", "'")
        for word in {word for name in mentioned_names(text) for word in name.split()}:
            text = re.sub(rf"\b{re.escape(word)}\b", self._name, text)
        return self._lead.sub("", text.casefold())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _changes_a_state(plain: str) -> bool:
    """Whether any verb of the question leaves something in another state."""
    words = re.findall(r"[\w']+", plain)
    readings = (transition(" ".join(words[place:])) for place in range(1, len(words)))
    return any(reading and reading.to_state for reading in readings)
