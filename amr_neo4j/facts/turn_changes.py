"""Turns what was understood of a turn into changes of facts (specification 002 5.2).

For turns that were stored without being read, such as imported conversations.
"""

from __future__ import annotations

from collections.abc import Callable

from amr_neo4j.domain.belief import HeardTurn
from amr_neo4j.domain.episode import spoken_text
from amr_neo4j.domain.fact import FactChange, Triple, Understood, changes_of

Sentence = Callable[[str, Triple, str], str]
"""Takes (language, triple, text of the turn that states it) and returns the fact as a sentence."""


def changes(turn: HeardTurn, understood: Understood, sentence: Sentence) -> tuple[FactChange, ...]:
    """Return the facts that a turn takes back and then those it states."""
    # With the speaker's name, because a fact that somebody else than the user states is about that speaker.
    text = spoken_text(turn.actor, turn.text, "")
    return changes_of(
        understood,
        at=turn.at,
        said=turn.at.timestamp(),
        sentence=lambda triple: sentence(understood.language, triple, text),
        session_id=turn.session_id,
    )
