"""The chat models that recall may use, and notes on what it did without them."""

from __future__ import annotations

from dataclasses import dataclass, field

from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.errors import ModelFailed
from amr_neo4j.language.grammar import Grammar


@dataclass(frozen=True)
class Models:
    """A chat model for each role of recall; None where rules take its place."""

    text: ChatModel | None = None
    judge: ChatModel | None = None
    answer: ChatModel | None = None


@dataclass
class Notes:
    """What went otherwise than asked; part of the answer. grammar: of the language of the answer."""

    grammar: Grammar
    lines: list[str] = field(default_factory=list[str])

    def did_without(self, role: str, error: ModelFailed) -> None:
        """A model failed and its stage fell back to rules."""
        self.lines.append(self.grammar.model_skipped(role, error.message))
