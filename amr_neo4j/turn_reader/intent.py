"""What a turn does, from what was found in it."""

from __future__ import annotations

from amr_neo4j.domain.fact import Intent


def intent_of(*, facts: int, retracted: int, asks: bool, corrects: bool, reacts: bool) -> Intent:
    """The intent of a turn with so many facts and retractions."""
    if corrects and (facts or retracted):
        return Intent.CORRECTION
    if facts and asks:
        return Intent.QUESTION_WITH_FACT
    if facts > 1:
        return Intent.MULTIPLE_FACTS
    if facts or retracted:
        return Intent.FACT_STATEMENT
    if asks:
        return Intent.PURE_QUESTION
    return Intent.REACTION if reacts else Intent.OTHER
