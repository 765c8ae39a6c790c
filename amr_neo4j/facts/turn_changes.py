"""Turns what was understood of a turn into changes of facts (specification 002 5.2).

For turns that were stored without being read, such as imported conversations.
"""

from __future__ import annotations

from collections.abc import Callable

from amr_neo4j.domain.belief import HeardTurn
from amr_neo4j.domain.fact import SPEAKER, FactChange, Triple, Understood

Sentence = Callable[[str, Triple, str], str]
"""Takes (language, triple, text of the turn that states it) and returns the fact as a sentence."""


def changes(turn: HeardTurn, understood: Understood, sentence: Sentence, user_id: str) -> tuple[FactChange, ...]:
    """Return the facts that a turn takes back and then those it states.

    Of a speaker who is not the user, the subject `you` becomes the speaker's name.
    """
    said, language, session = turn.at.timestamp(), understood.language, turn.session_id
    gone = [
        FactChange(_of(t, turn, user_id), said, retracted=True, session_id=session) for t in understood.taken_back
    ]
    stated = [(_of(fact.triple, turn, user_id), fact.confidence) for fact in understood.facts]
    return (
        *gone,
        *(
            FactChange(triple, said, sentence(language, triple, turn.text), confidence, False, session, language)
            for triple, confidence in stated
        ),
    )


def is_users(actor: str, user_id: str) -> bool:
    """Whether the actor is the user: "user", "you" or the user's id."""
    return actor.casefold() in {"user", "you", user_id.casefold()}


def _of(triple: Triple, turn: HeardTurn, user_id: str) -> Triple:
    if is_users(turn.actor, user_id) or triple.subject != SPEAKER:
        return triple
    return triple._replace(subject=turn.actor.casefold())
