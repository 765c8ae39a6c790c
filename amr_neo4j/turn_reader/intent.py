"""Derives the intent of a turn from what was found in it."""

from __future__ import annotations

from amr_neo4j.domain.fact import Intent


def intent_of(*, facts: int, retracted: int, asks: bool, corrects: bool, reacts: bool) -> Intent:
    """Return the intent of a turn. facts, retracted: how many it states and takes back."""
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
