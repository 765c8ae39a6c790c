"""Segments as a model sees them: attached to the dialogue, or described by a separate vision model."""

from __future__ import annotations

from collections.abc import Callable

from amr_neo4j.domain.chat import Attachment, Usage
from amr_neo4j.domain.exploration import Look, Segment
from amr_neo4j.domain.ports import ChatModel, Counting
from amr_neo4j.prompts.library import prompt

Attach = Callable[[Segment], tuple[Attachment, ...]]
"""A segment as attachments: a film, or pictures and the sound."""


class AttachedSegments:
    """The planner's own model sees each segment (a Looker of domain/ports.py)."""

    def __init__(self, attach: Attach) -> None:
        self._attach = attach

    def look(self, segment: Segment) -> Look:
        """The segment as attachments."""
        return Look(attachments=self._attach(segment))


class DescribedSegments:
    """A vision model says what it sees, and the planner's model reads it (a Looker of domain/ports.py)."""

    def __init__(self, model: ChatModel, attach: Attach, counting: Counting, question: str) -> None:
        self._model, self._attach, self._counting, self._question = model, attach, counting, question

    def look(self, segment: Segment) -> Look:
        """The segment in words."""
        start, end = round(segment.span.start_s, 3), round(segment.span.end_s, 3)
        asked = prompt("look", question=self._question, start=start, end=end).showing(self._attach(segment))
        with self._counting() as calls:
            text = self._model.complete(asked)
        return Look(text.strip(), usage=Usage.of(calls))


class UnseenSegments:
    """No model sees them: the planner learns path, range and length alone (a Looker of domain/ports.py)."""

    @staticmethod
    def look(segment: Segment) -> Look:
        """Nothing beside what the tool returned."""
        return Look()
