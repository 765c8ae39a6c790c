"""Which turns may answer a question at all."""

from __future__ import annotations

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate


def repeats_question(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Whether a candidate is a turn that only asks and has every content word of the question.

    Such is the turn in which an assistant was just asked what it now asks memory. Never where the question is about
    what somebody said or asked.
    """
    is_about_words = parsed.answer_type is AnswerType.SPEECH or parsed.question.type is QuestionType.CROSS_MODAL
    text, language = candidate.event.summary_text, parsed.language
    if not candidate.event.turn or is_about_words or not language.only_asks(text):
        return False
    there = language.all_forms(text)
    return all(not word.forms.isdisjoint(there) for word in language.content_words(parsed.question.text))


def that_may_answer(parsed: ParsedQuestion, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without the turns of an assistant, where the question is about who asks; all if none is left."""
    if not parsed.asks_for_speaker:
        return candidates
    return [each for each in candidates if not (each.event.turn and each.event.turn.by_assistant)] or candidates
