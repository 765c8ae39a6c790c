"""Turns what was understood of a turn into changes of facts (specification 002 5.2).

For turns that were stored without being read, such as imported conversations.
"""

from __future__ import annotations

from collections.abc import Callable

from amr_neo4j.domain.belief import HeardTurn
from amr_neo4j.domain.fact import SPEAKER, FactChange, Triple, Understood, changes_of

Sentence = Callable[[str, Triple, str], str]
"""Takes (language, triple, text of the turn that states it) and returns the fact as a sentence."""


def changes(turn: HeardTurn, understood: Understood, sentence: Sentence, user_id: str) -> tuple[FactChange, ...]:
    """Return the facts that a turn takes back and then those it states.

    Of a speaker who is not the user, the subject `you` becomes the speaker's name.
    """
    return changes_of(
        understood,
        at=turn.at,
        said=turn.at.timestamp(),
        sentence=lambda triple: sentence(understood.language, triple, turn.text),
        session_id=turn.session_id,
        named=lambda triple: _of(triple, turn, user_id),
    )


def is_users(actor: str, user_id: str) -> bool:
    """Whether the actor is the user: "user", "you" or the user's id."""
    return actor.casefold() in {"user", "you", user_id.casefold()}


def _of(triple: Triple, turn: HeardTurn, user_id: str) -> Triple:
    if is_users(turn.actor, user_id) or triple.subject != SPEAKER:
        return triple
    return triple._replace(subject=turn.actor.casefold())
